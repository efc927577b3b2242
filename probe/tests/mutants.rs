//! Tests with mutants of real clips: every file that the prober accepts plays for 1.9 to 120.25 s when ffmpeg decodes
//! it.
//!
//! A few mutants with fixed seeds run with the other tests. `make fuzz-verdict SECONDS=…` tries other seeds for that
//! long and prints the number of mutants. A finding is named by its clip and seed, and its file is kept. Add a test for
//! it to `forged_structures.rs` or `forged_streams.rs`.

mod support;

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{available_parallelism, scope};
use std::time::{Duration, Instant};

use probe::{FileRefusal, Media};
use support::clips::{ClipSpec, encode, recipe_of};
use support::decoded::{DecodedFile, decode};
use support::mutate::{Framing, Random, mutant};
use support::{probe_in_chunks, probe_saved_between, probe_whole, summary};

/// The durations that the service publishes.
const PUBLISHABLE_MS: std::ops::RangeInclusive<u64> = 2_000..=120_000;
/// The permitted playing time of a published video, with a tolerance that nobody notices.
const PLAYABLE_MS: std::ops::RangeInclusive<u64> = 1_900..=120_250;
/// At least one mutant in this many must be accepted, or the test shows nothing.
const FEWEST_ACCEPTED: u64 = 20;

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
    ("asf", Framing::Objects),
];

/// A clip that is too long, one that is too short, and one that may be published.
const LENGTHS: [ClipSpec; 3] = [
    ClipSpec { frames: 1500, rate: 5, sound: false },
    ClipSpec { frames: 5, rate: 5, sound: true },
    ClipSpec { frames: 20, rate: 5, sound: true },
];

/// The clips of one container, in the order of `LENGTHS`.
struct Clips {
    name: &'static str,
    framing: Framing,
    files: Vec<Vec<u8>>,
}

/// Returns all clips, or `None` if ffmpeg is not installed.
fn clips() -> Option<Vec<Clips>> {
    let of = |(name, framing): &(&'static str, Framing)| {
        let files: Option<Vec<_>> = LENGTHS.iter().map(|length| encode(recipe_of(name), *length)).collect();
        Some(Clips { name, framing: *framing, files: files? })
    };
    CONTAINERS.iter().map(of).collect()
}

/// The results of one thread.
#[derive(Default)]
struct Tally {
    /// The numbers of tried and of accepted mutants, by container.
    counts: BTreeMap<&'static str, (u64, u64)>,
    /// The decoded mutants by hash. Many mutations lead to the same file, which is decoded once.
    decoded: HashMap<u64, DecodedFile>,
    findings: Vec<String>,
}

impl Tally {
    /// Tries one mutant, and decodes it if the service would publish it.
    fn attempt(&mut self, clips: &Clips, length: usize, seed: u64) {
        let (clip, donor) = (&clips.files[length], &clips.files[(length + 1) % LENGTHS.len()]);
        let file = mutant(clips.framing, clip, donor, &mut Random::new(seed));
        let verdict = probe_whole(&file);
        let is_accepted = verdict.as_ref().is_ok_and(|media| PUBLISHABLE_MS.contains(&media.duration_ms));
        let (tried, accepted) = self.counts.entry(clips.name).or_default();
        *tried += 1;
        *accepted += u64::from(is_accepted);
        let in_chunks = probe_in_chunks(&file, &[1000, 1, 4096]);
        let saved = probe_saved_between(&file, &[1000, 4096, 7]).0;
        let split =
            differs(&verdict, &in_chunks, "in chunks").or_else(|| differs(&verdict, &saved, "saved and restored"));
        let wrong = split.or_else(|| is_accepted.then(|| self.judge(&file)).flatten());
        if let Some(wrong) = wrong {
            let name = format!("{}, length {length}, seed {seed}", clips.name);
            let kept = keep(&name, &file);
            let verdict = summary(&verdict);
            self.findings.push(format!("{name}: {verdict}, but {wrong} ({})", kept.display()));
        }
    }

    /// Returns the fault of an accepted file, if it has one. Playing too long is a fault even if some frames cannot be
    /// decoded. Playing too short is a fault only if every frame can be decoded, because the prober does not detect
    /// damaged frames.
    fn judge(&mut self, file: &[u8]) -> Option<String> {
        let mut hasher = DefaultHasher::new();
        file.hash(&mut hasher);
        let decoded = *self.decoded.entry(hasher.finish()).or_insert_with(|| decode_bytes(file));
        let is_too_long = decoded.span_ms > *PLAYABLE_MS.end();
        let is_too_short = decoded.span_ms + decoded.open_ms < *PLAYABLE_MS.start();
        let is_intact = decoded.pictures > 0 && !decoded.has_errors;
        (is_too_long || is_too_short && is_intact).then(|| format!("it plays for {} ms", decoded.span_ms))
    }

    fn add(&mut self, other: Self) {
        for (name, (tried, accepted)) in other.counts {
            let sum = self.counts.entry(name).or_default();
            *sum = (sum.0 + tried, sum.1 + accepted);
        }
        self.findings.extend(other.findings);
    }

    fn total(&self) -> (u64, u64) {
        self.counts.values().fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1))
    }
}

fn differs(whole: &Result<Media, FileRefusal>, other: &Result<Media, FileRefusal>, how: &str) -> Option<String> {
    let (whole, other) = (summary(whole), summary(other));
    (whole != other).then(|| format!("{how} it is {other}"))
}

fn decode_bytes(file: &[u8]) -> DecodedFile {
    let name = format!("mutant-{}-{:?}", std::process::id(), std::thread::current().id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, file).expect("the mutant can be written");
    let decoded = decode(&path).expect("ffprobe is installed with ffmpeg");
    std::fs::remove_file(&path).expect("the mutant can be removed");
    decoded
}

/// Keeps the file of a finding for inspection.
fn keep(name: &str, file: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings");
    let path = folder.join(name.replace(", ", "-").replace(' ', "-"));
    std::fs::create_dir_all(folder).expect("the folder can be created");
    std::fs::write(&path, file).expect("the finding can be written");
    path
}

/// Returns a setting from the environment. Panics if it is malformed, because otherwise no mutant would be tried.
fn setting<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} must be a number, not {text:?}")))
}

/// Tries the mutants of one seed after another, on all processors, until the deadline, or for `seeds` seeds.
fn try_seeds(clips: &[Clips], seeds: std::ops::Range<u64>, deadline: Option<Instant>) -> Tally {
    let next = AtomicU64::new(seeds.start);
    let try_some = || {
        let mut tally = Tally::default();
        while deadline.is_none_or(|deadline| Instant::now() < deadline) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            for clips in clips {
                (0..LENGTHS.len()).for_each(|length| tally.attempt(clips, length, seed));
            }
        }
        tally
    };
    let threads = available_parallelism().map_or(1, usize::from);
    let mut whole = Tally::default();
    scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(try_some)).collect();
        for thread in running {
            whole.add(thread.join().expect("the thread does not panic"));
        }
    });
    whole
}

#[test]
fn whatever_is_accepted_plays_for_a_publishable_time() {
    let Some(clips) = clips() else {
        return;
    };
    let first = setting("VERDICT_SEED").unwrap_or(0);
    let deadline = setting("VERDICT_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let end = deadline.map_or(first + fixtures::cases(4, 100), |_| u64::MAX);
    let tally = try_seeds(&clips, first..end, deadline);
    for (name, (tried, accepted)) in &tally.counts {
        println!("{name}: {tried} mutants, {accepted} accepted");
    }
    let (tried, accepted) = tally.total();
    println!("{tried} mutants from seed {first} on, {accepted} accepted");
    for finding in &tally.findings {
        println!("{finding}");
    }
    assert!(tally.findings.is_empty(), "{} findings", tally.findings.len());
    assert!(accepted * FEWEST_ACCEPTED >= tried, "too few mutants were accepted for the test to show anything");
}
