//! Tests with mutants of real clips: every file that the prober accepts plays for 1.9 to 120.25 s when ffmpeg decodes
//! it.
//!
//! A few mutants with fixed seeds run with the other tests. `make fuzz-verdict SECONDS=…` tries other seeds for half of
//! that time and prints the number of mutants. A finding is named by its clip and seed, and its file is kept. Add a
//! test for it to `mutant_findings.rs`.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::support::decoded::{DecodedFile, decode};
use crate::support::{probe_in_chunks, probe_saved_between, probe_whole, summary};
use fixtures::mutants::{Campaign, ContainerClips, Mutant, SUPPORTED, digest, printed};
use probe::{FileRefusal, Media};

/// The durations that the service publishes.
const PUBLISHABLE_MS: std::ops::RangeInclusive<u64> = 2_000..=120_000;
/// At least one mutant in this many must be accepted, or the test shows nothing.
const FEWEST_ACCEPTED: u64 = 20;

/// The results of one thread.
#[derive(Default)]
struct Tally {
    /// The numbers of tried and of accepted mutants, by recipe.
    counts: BTreeMap<&'static str, (u64, u64)>,
    decoded: HashMap<u64, DecodedFile>,
    findings: Vec<String>,
}

impl Tally {
    /// Tries one mutant, and decodes it if the service would publish it.
    fn attempt(&mut self, mutant: &Mutant) {
        let file = &mutant.file;
        let verdict = probe_whole(file);
        let is_accepted = verdict.as_ref().is_ok_and(|media| PUBLISHABLE_MS.contains(&media.duration_ms));
        let (tried, accepted) = self.counts.entry(mutant.recipe).or_default();
        *tried += 1;
        *accepted += u64::from(is_accepted);
        let in_chunks = probe_in_chunks(file, &[1000, 1, 4096]);
        let saved = probe_saved_between(file, &[1000, 4096, 7]).0;
        let split =
            differs(&verdict, &in_chunks, "in chunks").or_else(|| differs(&verdict, &saved, "saved and restored"));
        let wrong = split.or_else(|| is_accepted.then(|| self.judge(file)).flatten());
        if let Some(wrong) = wrong {
            let kept = mutant.keep(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings"));
            let (name, verdict) = (mutant.name(), summary(&verdict));
            self.findings.push(format!("{name}: {verdict}, but {wrong} ({})", kept.display()));
        }
    }

    /// Returns the fault of an accepted file, if it has one.
    fn judge(&mut self, file: &[u8]) -> Option<String> {
        let decoded = *self.decoded.entry(digest(file)).or_insert_with(|| decode_bytes(file));
        let is_wrong = decoded.is_too_long() || decoded.is_too_short();
        is_wrong.then(|| format!("it plays for {} ms", decoded.span_ms))
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

#[test]
fn whatever_is_accepted_plays_for_a_publishable_time() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clips");
    let Some(clips) = ContainerClips::encode(&folder, SUPPORTED) else {
        return;
    };
    let campaign = Campaign::from_environment(fixtures::cases(4, 100));
    let mut whole = Tally::default();
    campaign.run(&clips, Tally::attempt).into_iter().for_each(|tally| whole.add(tally));
    for (name, (tried, accepted)) in &whole.counts {
        println!("{name}: {tried} mutants, {accepted} accepted");
    }
    let (tried, accepted) = whole.total();
    println!("{tried} mutants in {campaign:?}, {accepted} accepted");
    assert_eq!(printed(&whole.findings), 0, "findings");
    assert!(accepted * FEWEST_ACCEPTED >= tried, "too few mutants were accepted for the test to show anything");
}
