//! Mutants of real clips: whatever the prober accepts plays for 1.9 to 120.25 s, as ffmpeg decodes it.
//!
//! A few mutants of fixed seeds run with the other tests. `make fuzz-verdict SECONDS=…` tries others for that long and
//! prints how many it tried. A finding is named by its clip and seed; it becomes a test of `forged_structures.rs`.

mod support;

use std::path::Path;
use std::time::{Duration, Instant};

use support::clips::{ClipSpec, encode, recipe_of};
use support::decoded::decode;
use support::mutate::{Framing, Random, mutant};
use support::{probe_in_chunks, probe_whole, summary};

/// What the service publishes.
const PUBLISHABLE_MS: std::ops::RangeInclusive<u64> = 2_000..=120_000;
/// What a published video may play for: less or more by what nobody sees.
const PLAYABLE_MS: std::ops::RangeInclusive<u64> = 1_900..=120_250;

const CONTAINERS: &[(&str, Framing)] = &[
    ("mp4", Framing::Boxes),
    ("mp4-fragmented", Framing::Boxes),
    ("quicktime", Framing::Boxes),
    ("matroska", Framing::Elements),
    ("webm-live", Framing::Elements),
    ("avi", Framing::Chunks),
    ("flv-h264", Framing::Tags),
    ("mpeg-ts", Framing::Packets(188)),
    ("mpeg-ps", Framing::StartCodes),
    ("ogg", Framing::Pages),
];

/// A clip that is too long, one that is too short, and one that may be published.
const LENGTHS: [ClipSpec; 3] = [
    ClipSpec { frames: 1500, rate: 5, sound: false },
    ClipSpec { frames: 5, rate: 5, sound: true },
    ClipSpec { frames: 20, rate: 5, sound: true },
];

#[derive(Default)]
struct Tally {
    tried: u64,
    accepted: u64,
    findings: Vec<String>,
}

impl Tally {
    /// Tries one mutant. Decodes it if the prober would let it pass.
    fn attempt(&mut self, name: &str, framing: Framing, length: usize, seed: u64) -> Option<()> {
        let clip = encode(recipe_of(name), LENGTHS[length])?;
        let donor = encode(recipe_of(name), LENGTHS[(length + 1) % LENGTHS.len()])?;
        let file = mutant(framing, &clip, &donor, &mut Random::new(seed));
        self.tried += 1;
        let verdict = probe_whole(&file);
        let what = format!("{name}, length {length}, seed {seed}");
        let in_chunks = probe_in_chunks(&file, &[1000, 1, 4096]);
        if summary(&verdict) != summary(&in_chunks) {
            self.findings.push(format!("{what}: depends on chunks: {} or {}", summary(&verdict), summary(&in_chunks)));
        }
        if verdict.as_ref().is_ok_and(|media| PUBLISHABLE_MS.contains(&media.duration_ms)) {
            self.accepted += 1;
            self.judge(&what, &summary(&verdict), &file)?;
        }
        Some(())
    }

    /// A file that plays too long is a finding even if decoding it fails in places. One that plays too short is a
    /// finding only if every frame can be decoded: the prober cannot know that frames are damaged.
    fn judge(&mut self, what: &str, verdict: &str, file: &[u8]) -> Option<()> {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant-{}", std::process::id()));
        std::fs::write(&path, file).ok()?;
        let decoded = decode(&path)?;
        std::fs::remove_file(&path).ok()?;
        let is_too_long = decoded.span_ms > *PLAYABLE_MS.end();
        let is_too_short = decoded.span_ms + decoded.open_ms < *PLAYABLE_MS.start();
        let is_intact = decoded.pictures > 0 && !decoded.has_errors;
        if is_too_long || is_too_short && is_intact {
            self.findings.push(format!("{what}: {verdict}, but it plays for {} ms", decoded.span_ms));
        }
        Some(())
    }
}

#[test]
fn whatever_is_accepted_plays_for_a_publishable_time() {
    let seconds = std::env::var("VERDICT_SECONDS").ok().and_then(|text| text.parse().ok());
    let first = std::env::var("VERDICT_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let deadline = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut tally = Tally::default();
    for seed in first.. {
        let is_over = deadline.map_or(seed >= fixtures::cases(4, 100), |deadline| Instant::now() > deadline);
        if is_over {
            break;
        }
        for (name, framing) in CONTAINERS {
            for length in 0..LENGTHS.len() {
                if tally.attempt(name, *framing, length, seed).is_none() {
                    println!("SKIPPED: ffmpeg is not installed");
                    return;
                }
            }
        }
    }
    println!("{} mutants from seed {first} on, {} accepted", tally.tried, tally.accepted);
    for finding in &tally.findings {
        println!("{finding}");
    }
    assert!(tally.findings.is_empty(), "{} findings", tally.findings.len());
}
