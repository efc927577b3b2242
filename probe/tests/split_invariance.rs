//! The verdict does not depend on how a file is cut into chunks.

mod support;

use probe::{Prober, Verdict};
use proptest::prelude::*;
use std::sync::OnceLock;
use support::clips::{Clip, RECIPES, make};
use support::{judge, judge_split, summary};

/// A small file of every container, and hand-made ones.
fn files() -> &'static Vec<(String, Vec<u8>)> {
    static FILES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let clip = Clip {
            frames: 20,
            rate: 5,
            sound: true,
        };
        let made = RECIPES
            .iter()
            .filter_map(|recipe| Some((recipe.name.to_owned(), make(*recipe, clip)?)));
        let by_hand = [
            ("boxes".to_owned(), fixtures::boxes::Video::default().file()),
            ("elements".to_owned(), support::ebml::file(Some(9000.0), 9)),
            ("text".to_owned(), b"#EXTM3U\nfile:///etc/passwd\n".to_vec()),
        ];
        made.chain(by_hand).collect()
    })
}

#[test]
fn one_byte_at_a_time_gives_the_verdict_of_the_whole() {
    for (name, file) in files() {
        assert_eq!(judge(file), judge_split(file, &[1]), "{name}");
    }
}

#[test]
fn every_vector_has_one_verdict_for_many_chunk_sizes() {
    for vector in support::vectors::all().unwrap_or_default() {
        let file = vector.read();
        let whole = judge(&file);
        for sizes in [&[7][..], &[1000], &[16_384], &[188, 1, 65_536]] {
            assert_eq!(
                whole,
                judge_split(&file, sizes),
                "{} in {sizes:?}",
                vector.name
            );
        }
    }
}

#[test]
fn the_byte_of_the_verdict_is_the_same_for_every_split() {
    for (name, file) in files() {
        let at = |size: usize| {
            let mut prober = Prober::new();
            for chunk in file.chunks(size) {
                if let Verdict::Provisional(_) = prober.feed(chunk) {
                    break;
                }
            }
            matches!(prober.verdict(), Verdict::Provisional(_))
                .then(|| prober.bytes_until_verdict())
        };
        let expected = at(1);
        for size in [13, 4096, file.len()] {
            assert_eq!(at(size), expected, "{name} in chunks of {size}");
        }
    }
}

#[test]
fn skipped_bytes_count_as_if_they_had_been_fed() {
    for (name, file) in files() {
        let mut prober = Prober::new();
        let mut rest = &file[..];
        while !rest.is_empty() {
            let skipped = usize::try_from(prober.skippable())
                .unwrap_or(usize::MAX)
                .min(rest.len());
            prober.skip(skipped as u64);
            rest = &rest[skipped..];
            let (chunk, after) = rest.split_at(rest.len().min(100));
            prober.feed(chunk);
            rest = after;
        }
        assert_eq!(prober.finish(), judge(file), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_splits_give_the_verdict_of_the_whole(
        index in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(1_usize..5000, 1..20),
    ) {
        let (name, file) = &files()[index.index(files().len())];
        prop_assert_eq!(judge(file), judge_split(file, &sizes), "{}", name);
    }

    #[test]
    fn damaged_files_have_one_verdict_for_every_split_too(
        index in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30),
        cut in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(1_usize..3000, 1..10),
    ) {
        let (name, file) = &files()[index.index(files().len())];
        let mut file = file.clone();
        for (at, value) in &damage {
            let at = at.index(file.len().min(4096));
            file[at] = *value;
        }
        file.truncate(cut.index(file.len() * 4).max(1));
        let (whole, split) = (judge(&file), judge_split(&file, &sizes));
        prop_assert_eq!(summary(&whole), summary(&split), "{}", name);
    }
}

/// Found by fuzzing: sync bytes in a row, or a window that ended before one, were told apart by the split.
#[test]
fn a_damaged_transport_stream_is_found_again_at_the_same_packet_for_every_split() {
    for (name, length) in [("mpeg-ts", 188), ("m2ts", 192)] {
        let clip = Clip {
            frames: 20,
            rate: 5,
            sound: true,
        };
        let Some(mut file) = make(support::clips::recipe_of(name), clip) else {
            return;
        };
        for packet in [20, 21, 40, 60] {
            let at = packet * length;
            file[at..at + 5].fill(0);
            file[at + 50..at + 54].fill(0x47);
        }
        file.remove(length * 80 + 9);
        for size in (1..30).chain([100, 189, 193, 400, 1000, 2048]) {
            assert_eq!(
                judge(&file),
                judge_split(&file, &[size]),
                "{name} in chunks of {size}"
            );
        }
    }
}
