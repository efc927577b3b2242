//! Mutants of real clips get the same verdict from both programs.
//!
//! The edge judges with the prober alone. An origin judges with the same prober, ffprobe's description and the packets.
//! `docs/probe.md` says which differences are allowed. `make fuzz-verdict SECONDS=…` tries other seeds for that long.

use crate::processed_clip::tools;
use contract::ErrorCode;
use contract::limits::VIDEO_DURATION_MS;
use fixtures::decoded::{DecodedFile, decode};
use fixtures::mutants::{Campaign, ContainerClips, Mutant, SUPPORTED, digest, printed};
use origin::media::source::{Inspection, inspect};
use origin::media::{CancelFlag, MediaContext, MediaError};
use probe::Prober;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;

/// If its packets differ from the edge's duration by this much, an origin publishes the duration of the packets.
const CORRECTED_MS: RangeInclusive<u64> = 251..=1000;

/// At least one mutant in this many must be published, or the test shows nothing.
const FEWEST_PUBLISHED: u64 = 20;

/// The results of one thread.
#[derive(Debug, Default)]
struct Tally {
    seen: BTreeSet<u64>,
    tried: u64,
    published: u64,
    /// The number of refused mutants, by error code.
    refused: BTreeMap<&'static str, u64>,
    findings: Vec<String>,
}

impl Tally {
    fn attempt(&mut self, mutant: &Mutant) {
        self.tried += 1;
        if !self.seen.insert(digest(&mutant.file)) {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        std::fs::write(&source, &mutant.file).unwrap();
        let context =
            MediaContext { tools: &tools(), source: &source, folder: folder.path(), cancel: &CancelFlag::default() };
        let answer = inspect(&context);
        self.count(&answer);
        let edge = EdgeVerdict::of(&mutant.file);
        if let Some(difference) = edge.difference(&answer, || decode(&source).expect("ffprobe is installed")) {
            let kept = mutant.keep(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings"));
            self.findings.push(format!("{}: {edge:?}, but {difference} ({})", mutant.name(), kept.display()));
        }
    }

    fn count(&mut self, answer: &Result<Inspection, MediaError>) {
        match answer {
            Ok(_) => self.published += 1,
            Err(MediaError::Rejected { code, .. }) => *self.refused.entry(code.as_str()).or_default() += 1,
            Err(_) => *self.refused.entry("other errors").or_default() += 1,
        }
    }

    fn add(&mut self, other: Self) {
        self.tried += other.tried;
        self.published += other.published;
        other.refused.into_iter().for_each(|(code, count)| *self.refused.entry(code).or_default() += count);
        self.findings.extend(other.findings);
    }
}

fn is_agreed(edge_ms: u64, origin_ms: u64) -> bool {
    edge_ms == origin_ms || CORRECTED_MS.contains(&edge_ms.abs_diff(origin_ms))
}

/// The edge's verdict about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EdgeVerdict {
    Accepted { duration_ms: u64 },
    BadDuration { duration_ms: u64 },
    InvalidFormat,
}

impl EdgeVerdict {
    fn of(file: &[u8]) -> Self {
        let mut prober = Prober::new();
        prober.feed(file);
        match prober.finish().map(|media| media.duration_ms) {
            Ok(duration_ms) if VIDEO_DURATION_MS.contains(&duration_ms) => Self::Accepted { duration_ms },
            Ok(duration_ms) => Self::BadDuration { duration_ms },
            Err(_) => Self::InvalidFormat,
        }
    }

    /// Returns the fault of an origin's answer to a file that the edge judges like this, if it has one.
    fn difference(
        self,
        answer: &Result<Inspection, MediaError>,
        decoded: impl FnOnce() -> DecodedFile,
    ) -> Option<String> {
        match (self, answer) {
            (Self::Accepted { duration_ms }, Ok(inspection)) if is_agreed(duration_ms, inspection.duration_ms) => None,
            (_, Ok(inspection)) => {
                Some(format!("the origin publishes {} ms, and {:?} is decoded", inspection.duration_ms, decoded()))
            }
            (_, Err(MediaError::Undecided(error) | MediaError::Transient(error) | MediaError::Permanent(error))) => {
                Some(format!("the origin fails: {error}"))
            }
            // An origin looks into the frames, which the prober cannot.
            (Self::Accepted { .. }, Err(MediaError::Rejected { code, detail, .. })) => {
                let decoded = decoded();
                let is_excused = *code == ErrorCode::ContentFileInvalidFormat && !decoded.is_intact();
                (!is_excused).then(|| format!("the origin says {}: {detail}; {decoded:?} is decoded", code.as_str()))
            }
            // The edge has refused it before an origin saw it.
            (Self::BadDuration { .. } | Self::InvalidFormat, Err(MediaError::Rejected { .. })) => None,
        }
    }
}

fn clips() -> Vec<ContainerClips> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clips");
    ContainerClips::encode(&folder, SUPPORTED).expect("ffmpeg is installed")
}

/// Mutants of which an origin once published more or less than the edge had accepted.
#[test]
fn an_origin_refuses_what_it_once_published_with_another_duration() {
    let mut tally = Tally::default();
    for (recipe, seed) in [("flv-h264", 13_000_016), ("flv-h264", 13_000_020)] {
        let clips = clips().into_iter().find(|clips| clips.recipe == recipe).expect("a supported container");
        clips.mutants(seed).for_each(|mutant| tally.attempt(&mutant));
    }
    assert_eq!(printed(&tally.findings), 0, "findings");
}

#[test]
fn an_origin_publishes_exactly_what_the_edge_accepts() {
    let clips = clips();
    let campaign = Campaign::from_environment(fixtures::cases(2, 60));
    let mut whole = Tally::default();
    campaign.run(&clips, Tally::attempt).into_iter().for_each(|tally| whole.add(tally));
    let Tally { tried, published, refused, findings, .. } = &whole;
    println!("{tried} mutants in {campaign:?}: {published} published, refused: {refused:?}");
    assert_eq!(printed(findings), 0, "findings");
    assert!(published * FEWEST_PUBLISHED >= *tried, "too few mutants were published for the test to show anything");
}
