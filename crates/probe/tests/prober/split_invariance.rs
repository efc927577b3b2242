//! The verdict does not depend on how a file is split into chunks.

use crate::support;
use crate::support::clips::{ClipSpec, RECIPES, encode};
use crate::support::{probe_in_chunks, probe_whole, summary};
use probe::{Prober, Verdict};
use proptest::prelude::*;
use std::sync::OnceLock;

/// Returns a small file of every container, and files built by hand.
fn files() -> &'static Vec<(String, Vec<u8>)> {
    static FILES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let clip = ClipSpec { frames: 20, rate: 5, sound: true };
        let encoded = RECIPES.iter().filter_map(|recipe| Some((recipe.name.to_owned(), encode(*recipe, clip)?)));
        let by_hand = [
            ("boxes".to_owned(), fixtures::boxes::Video::default().file()),
            ("elements".to_owned(), support::ebml::file_of_seconds(Some(9000.0), 9)),
            ("text".to_owned(), b"#EXTM3U\nfile:///etc/passwd\n".to_vec()),
        ];
        encoded.chain(by_hand).collect()
    })
}

#[test]
fn feeding_one_byte_at_a_time_gives_the_same_verdict() {
    for (name, file) in files() {
        assert_eq!(probe_whole(file), probe_in_chunks(file, &[1]), "{name}");
    }
}

#[test]
fn every_vector_has_the_same_verdict_for_many_chunk_sizes() {
    for vector in support::vectors::all().unwrap_or_default() {
        let file = vector.read();
        let whole = probe_whole(&file);
        for sizes in [&[7][..], &[1000], &[16_384], &[188, 1, 65_536]] {
            assert_eq!(whole, probe_in_chunks(&file, sizes), "{} in {sizes:?}", vector.name);
        }
    }
}

#[test]
fn the_verdict_comes_at_the_same_byte_for_every_split() {
    for (name, file) in files() {
        let at = |size: usize| {
            let mut prober = Prober::new();
            for chunk in file.chunks(size) {
                if let Verdict::Provisional(_) = prober.feed(chunk) {
                    break;
                }
            }
            matches!(prober.verdict(), Verdict::Provisional(_)).then(|| prober.bytes_until_verdict())
        };
        let expected = at(1);
        for size in [13, 4096, file.len()] {
            assert_eq!(at(size), expected, "{name} in chunks of {size}");
        }
    }
}

#[test]
fn skipping_bytes_gives_the_same_verdict_as_feeding_them() {
    for (name, file) in files() {
        let mut prober = Prober::new();
        let mut rest = &file[..];
        while !rest.is_empty() {
            let skipped = usize::try_from(prober.skippable()).unwrap_or(usize::MAX).min(rest.len());
            prober.skip(skipped as u64);
            rest = &rest[skipped..];
            let (chunk, after) = rest.split_at(rest.len().min(100));
            prober.feed(chunk);
            rest = after;
        }
        assert_eq!(prober.finish(), probe_whole(file), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: fixtures::cases(100, 400), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_splits_give_the_same_verdict(
        index in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(1_usize..5000, 1..20),
    ) {
        let (name, file) = &files()[index.index(files().len())];
        prop_assert_eq!(probe_whole(file), probe_in_chunks(file, &sizes), "{}", name);
    }

    #[test]
    fn damaged_files_have_the_same_verdict_for_every_split(
        index in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30),
        end in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(1_usize..3000, 1..10),
    ) {
        let (name, file) = &files()[index.index(files().len())];
        let mut file = file.clone();
        for (at, value) in &damage {
            let at = at.index(file.len().min(4096));
            file[at] = *value;
        }
        file.truncate(end.index(file.len() * 4).max(1));
        let (whole, split) = (probe_whole(&file), probe_in_chunks(&file, &sizes));
        prop_assert_eq!(summary(&whole), summary(&split), "{}", name);
    }
}

/// Found by fuzzing: with consecutive sync bytes, or a window that ended before one, the result depended on the split.
#[test]
fn a_damaged_transport_stream_resumes_at_the_same_packet_for_every_split() {
    for (name, length) in [("mpeg-ts", 188), ("m2ts", 192)] {
        let clip = ClipSpec { frames: 20, rate: 5, sound: true };
        let Some(mut file) = encode(support::clips::recipe_of(name), clip) else {
            return;
        };
        for packet in [20, 21, 40, 60] {
            let at = packet * length;
            file[at..at + 5].fill(0);
            file[at + 50..at + 54].fill(0x47);
        }
        file.remove(length * 80 + 9);
        for size in (1..30).chain([100, 189, 193, 400, 1000, 2048]) {
            assert_eq!(probe_whole(&file), probe_in_chunks(&file, &[size]), "{name} in chunks of {size}");
        }
    }
}
