//! A saved and restored prober gives the same verdict as an uninterrupted prober.

use crate::support;
use std::sync::OnceLock;

use crate::support::clips::{ClipSpec, RECIPES, encode};
use crate::support::crafted::CRAFTED;
use crate::support::{probe_saved_between, probe_whole, summary};
use probe::{FileRefusal, Media, Prober};
use proptest::prelude::*;

/// The longest state of a clip that a program writes. The limit for hostile files is `Prober::MOST_SAVED`.
const MOST_FOR_CLIPS: usize = 8 * 1024;

fn clips() -> &'static Vec<(&'static str, Vec<u8>)> {
    static CLIPS: OnceLock<Vec<(&'static str, Vec<u8>)>> = OnceLock::new();
    CLIPS.get_or_init(|| {
        let clip = ClipSpec { frames: 5, rate: 5, sound: true };
        RECIPES.iter().filter_map(|recipe| Some((recipe.name, encode(*recipe, clip)?))).collect()
    })
}

/// Saves and restores after every byte of the first part, then after every few bytes. Returns the verdict, and the
/// length of the longest state.
fn saved_at_every_byte(file: &[u8]) -> (Result<Media, FileRefusal>, usize) {
    let (beginning, rest) = file.split_at(file.len().min(fixtures::cases(4_000, usize::MAX)));
    let chunks = beginning.chunks(1).chain(rest.chunks(29));
    let (mut prober, mut longest) = (Prober::new(), 0);
    for chunk in chunks {
        if let Some(saved) = prober.save() {
            longest = longest.max(saved.len());
            prober = Prober::restore(&saved).expect("a state that was just saved");
        }
        prober.feed(chunk);
    }
    (prober.finish(), longest)
}

#[test]
fn a_clip_that_is_saved_after_every_byte_has_the_same_verdict() {
    for (name, file) in clips() {
        let (verdict, longest) = saved_at_every_byte(file);
        println!("{name}: {longest} bytes at most");
        assert_eq!(verdict, probe_whole(file), "{name}");
        assert!(longest <= MOST_FOR_CLIPS, "{name}: {longest}");
    }
}

#[test]
fn a_restored_prober_says_what_the_saved_one_said() {
    for (name, file) in clips() {
        for end in [16, 700, file.len() / 2, file.len()] {
            let mut prober = Prober::new();
            prober.feed(&file[..end]);
            let restored = Prober::restore(&prober.save().expect("a small state")).expect("a state");
            assert_eq!(prober.verdict(), restored.verdict(), "{name} at {end}");
            let facts = |prober: &Prober| {
                let known = (prober.declared_ms(), prober.proven_ms(), prober.bytes_until_verdict());
                (known, prober.bytes_seen(), prober.skippable(), prober.steps())
            };
            assert_eq!(facts(&prober), facts(&restored), "{name} at {end}");
        }
    }
}

#[test]
fn vectors_that_are_saved_between_chunks_have_the_same_verdict() {
    for vector in support::vectors::all().unwrap_or_default() {
        let file = vector.read();
        let saved = probe_saved_between(&file, &[1000, 7, 16_384]);
        assert_eq!(probe_whole(&file), saved.0, "{}", vector.name);
        assert!(saved.1, "{} has a state that is too large", vector.name);
    }
}

/// The state is bounded for any input, and only a few hostile files reach the bound.
#[test]
fn crafted_files_have_a_small_state() {
    for (name, craft) in CRAFTED {
        let file = craft(400_000);
        let (verdict, is_small) = probe_saved_between(&file, &[4096, 1, 999]);
        assert_eq!(summary(&verdict), summary(&probe_whole(&file)), "{name}");
        assert!(is_small, "{name} has a state that is too large");
    }
}

#[test]
fn a_refused_prober_has_no_state_and_other_bytes_are_none() {
    let mut prober = Prober::new();
    prober.feed(b"GIF89a, which is no video");
    assert!(prober.refusal().is_some() && prober.save().is_none());
    let saved = Prober::new().save().expect("the state of an empty file");
    assert!(Prober::restore(&saved).is_some());
    for other in
        [&[][..], &[0], &saved[..saved.len() - 1], &[&saved[..], &[0]].concat(), &[&[99], &saved[1..]].concat()]
    {
        assert!(Prober::restore(other).is_none(), "{other:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: fixtures::cases(200, 2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_that_are_saved_anywhere_have_the_same_verdict(
        index in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..30),
        sizes in prop::collection::vec(1_usize..3000, 1..10),
    ) {
        prop_assume!(!clips().is_empty());
        let (name, file) = &clips()[index.index(clips().len())];
        let mut file = file.clone();
        for (at, value) in &damage {
            let at = at.index(file.len().min(4096));
            file[at] = *value;
        }
        let saved = probe_saved_between(&file, &sizes);
        prop_assert_eq!(summary(&probe_whole(&file)), summary(&saved.0), "{}", name);
    }

    #[test]
    fn a_damaged_state_is_refused_or_continues_without_a_panic(
        index in any::<prop::sample::Index>(),
        split in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        prop_assume!(!clips().is_empty());
        let (_, file) = &clips()[index.index(clips().len())];
        let (before, after) = file.split_at(split.index(file.len()));
        let mut prober = Prober::new();
        prober.feed(before);
        let mut saved = prober.save().expect("a small state");
        for (at, value) in &damage {
            let at = at.index(saved.len());
            saved[at] = *value;
        }
        if let Some(mut restored) = Prober::restore(&saved) {
            restored.feed(after);
            let _ = restored.finish();
        }
    }
}
