//! Findings of the mutants: structures that made the prober accept a file that plays for another time.

mod support;

use support::clips::{ClipSpec, encode, recipe_of};
use support::{probe_in_chunks, probe_whole, summary};

const LIMITS: std::ops::RangeInclusive<u64> = 1_900..=120_250;

/// Returns a clip of four seconds.
fn clip(name: &str) -> Option<Vec<u8>> {
    encode(recipe_of(name), ClipSpec { frames: 20, rate: 5, sound: true })
}

fn position(file: &[u8], pattern: &[u8]) -> usize {
    memchr::memmem::find(file, pattern).expect("the clip contains the pattern")
}

fn last_position(file: &[u8], pattern: &[u8]) -> usize {
    memchr::memmem::rfind(file, pattern).expect("the clip contains the pattern")
}

fn assert_not_accepted(what: &str, file: &[u8]) {
    let verdict = probe_whole(file);
    let accepted = verdict.as_ref().is_ok_and(|media| LIMITS.contains(&media.duration_ms));
    assert!(!accepted, "{what}: {}", summary(&verdict));
    assert_eq!(summary(&verdict), summary(&probe_in_chunks(file, &[100, 1, 3000])), "{what} in chunks");
}

/// Players read the clock of another version of Theora at another place of the header.
#[test]
fn theora_of_an_unknown_version_is_refused() {
    let Some(clip) = clip("ogg") else { return };
    for version in [[3, 1, 0], [3, 4, 0], [2, 2, 1], [4, 2, 1]] {
        let mut file = clip.clone();
        let at = position(&file, b"\x80theora") + 7;
        file[at..at + 3].copy_from_slice(&version);
        assert_not_accepted(&format!("version {version:?}"), &file);
    }
}

/// Only a duration of all ones is unknown. A fragment with such a time begins at that time.
#[test]
fn a_fragment_whose_time_is_all_ones_begins_at_that_time() {
    let Some(clip) = clip("mp4-fragmented") else { return };
    for version in [0, 1] {
        let mut file = clip.clone();
        let at = last_position(&file, b"tfdt") + 4;
        file[at] = version;
        file[at + 4..at + 12].fill(0xFF);
        assert_not_accepted(&format!("version {version}"), &file);
    }
}

/// Players take a clock of more than two billion ticks per second for one of a single tick.
#[test]
fn a_clock_that_is_too_fast_is_refused() {
    for (name, kinds) in [("mp4-fragmented", &[b"mdhd"][..]), ("mp4", &[b"mdhd", b"mvhd"])] {
        let Some(clip) = clip(name) else { return };
        for kind in kinds {
            let mut file = clip.clone();
            let at = last_position(&file, *kind) + 16;
            file[at] = 0xFF;
            assert_not_accepted(&format!("{name}, {}", String::from_utf8_lossy(*kind)), &file);
        }
    }
}

#[test]
fn fragments_of_a_track_whose_clock_stands_still_are_refused() {
    let Some(mut file) = clip("mp4-fragmented") else { return };
    let at = last_position(&file, b"mdhd") + 16;
    file[at..at + 4].fill(0);
    assert_not_accepted("a clock of zero", &file);
}

/// A clip of one second must not become longer by sound that nobody can decode.
#[test]
fn long_sound_of_an_unknown_format_is_refused() {
    let Some(mut file) = encode(recipe_of("avi"), ClipSpec { frames: 5, rate: 5, sound: true }) else { return };
    let header = position(&file, b"auds");
    file[header + 20..header + 28].copy_from_slice(&[9, 0, 0, 0, 1, 0, 0, 0]);
    let format = header + memchr::memmem::find(&file[header..], b"strf").expect("a format") + 8;
    file[format..format + 2].copy_from_slice(b"id");
    let verdict = probe_whole(&file);
    assert!(verdict.is_err(), "{}", summary(&verdict));
}
