//! The work of probing is bounded by the size of the file, for files that cost as much as possible. The processor time
//! is measured by `cargo bench -p probe --bench crafted`, because it depends on the machine.

use crate::support::crafted::CRAFTED;
use crate::support::probe_whole;
use probe::{FileRefusalKind, Prober};

/// More structures than this are refused. A structure takes up to two steps.
const MOST_STRUCTURES: u64 = 1_000_000;
/// The chunk size that the edge receives.
const CHUNK: usize = 64 * 1024;
/// The most steps for a chunk that contains no structure.
const STEPS_PER_CHUNK: u64 = 32;

fn crafted(name: &str, size: usize) -> Vec<u8> {
    CRAFTED.iter().find(|(known, _)| *known == name).expect("a crafted file with this name").1(size)
}

#[test]
fn no_crafted_file_takes_more_steps_than_its_structures_and_chunks() {
    for (name, craft) in CRAFTED {
        let file = craft(fixtures::cases(3_000_000, 30_000_000));
        let mut prober = Prober::new();
        for chunk in file.chunks(CHUNK) {
            prober.feed(chunk);
        }
        let chunks = u64::try_from(file.len() / CHUNK + 1).expect("a small file");
        let most = 2 * MOST_STRUCTURES + STEPS_PER_CHUNK * chunks;
        assert!(prober.steps() <= most, "{name}: {} steps", prober.steps());
    }
}

#[test]
fn every_structure_is_a_step() {
    let steps = |structures: usize| {
        let mut prober = Prober::new();
        prober.feed(&crafted("mp4: empty boxes", 24 + 8 * structures));
        prober.steps()
    };
    assert_eq!((steps(200) - steps(100), steps(500) - steps(100)), (100, 400));
}

#[test]
fn more_than_a_million_structures_are_refused() {
    for (name, size) in [
        ("mp4: empty boxes", 9_000_000),
        ("matroska: empty elements", 3_000_000),
        ("avi: empty frames", 9_000_000),
        ("ts: program tables of many streams", 6_000_000),
        ("asf: packets of tiny payloads", 9_000_000),
    ] {
        let kind = probe_whole(&crafted(name, size)).map_err(|refusal| refusal.kind());
        assert_eq!(kind, Err(FileRefusalKind::MetadataTooLarge), "{name}");
    }
}
