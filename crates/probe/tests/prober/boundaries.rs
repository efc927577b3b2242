//! The duration limits are exact: 2.000 s and 120.000 s are distinguished from a millisecond less or more.

use crate::support::clips::{ClipRecipe, ClipSpec, RECIPES, encode};
use crate::support::{ebml, probe_whole, summary};
use fixtures::boxes::{Video, atom, file_type, fragment, words};

const BOUNDARIES_MS: [u32; 4] = [1999, 2000, 120_000, 120_001];

fn assert_exact(what: &str, file: &[u8], expected: u32) {
    let verdict = probe_whole(file);
    let duration = verdict.as_ref().map(|media| media.duration_ms);
    assert_eq!(duration, Ok(u64::from(expected)), "{what}: {}", summary(&verdict));
}

#[test]
fn mp4_sample_tables_are_exact_to_the_millisecond() {
    for length in BOUNDARIES_MS {
        let video = Video { times: vec![[1, length - 1000], [10, 100]], ..Video::default() };
        assert_exact("stts", &video.file(), length);
    }
}

#[test]
fn mp4_edit_lists_are_exact_to_the_millisecond() {
    for length in BOUNDARIES_MS {
        let video = Video { times: vec![[1300, 100]], edits: vec![[length, 0]], ..Video::default() };
        assert_exact("elst", &video.file(), length);
    }
}

#[test]
fn mp4_fragments_are_exact_to_the_millisecond() {
    for length in BOUNDARIES_MS {
        let video = Video { times: vec![], fragmented: true, ..Video::default() };
        let file = [file_type(), video.movie(0), fragment(Some(0), 10, 100), fragment(Some(1000), 1, length - 1000)];
        assert_exact("moof", &file.concat(), length);
    }
}

#[test]
fn matroska_durations_are_exact_to_the_millisecond() {
    for length in BOUNDARIES_MS {
        let file = ebml::file_of_ms(Some(f64::from(length)), length);
        assert_exact("Duration", &file, length);
    }
}

#[test]
fn matroska_block_durations_are_exact_to_the_millisecond() {
    for length in BOUNDARIES_MS {
        let last = u64::from(length) - 100;
        let group = [ebml::element(&[0xA1], &[0x81, 0, 0, 0, 0, 0]), ebml::element(&[0x9B], &[100])];
        let end = [ebml::element(&[0xE7], &last.to_be_bytes()), ebml::element(&[0xA0], &group.concat())];
        let first = ebml::live_cluster(&ebml::cluster_body(0, 10, 100));
        let file = [ebml::live_start(None), first, ebml::live_cluster(&end.concat())];
        assert_exact("BlockDuration", &file.concat(), length);
    }
}

/// Containers that cannot express a millisecond are exact to the frame, at 25 frames a second.
#[test]
fn every_container_distinguishes_2_and_120_seconds_from_one_frame_less_or_more() {
    for recipe in RECIPES {
        for frames in frame_counts() {
            let Some(file) = encode(*recipe, ClipSpec { frames, rate: 25, sound: false }) else {
                return;
            };
            let verdict = probe_whole(&file);
            let duration = verdict.as_ref().map_or(0, |media| media.duration_ms);
            let expected = u64::from(frames) * 40;
            assert!(
                duration.abs_diff(expected) <= rounding(recipe),
                "{}, expected {expected} ms: {}",
                recipe.name,
                summary(&verdict)
            );
        }
    }
}

/// Returns the frames of 2 and 120 seconds, and one frame less or more. Encoding the long clips takes most of the time.
fn frame_counts() -> impl Iterator<Item = u32> {
    fixtures::cases(&[50, 3001][..], &[49, 50, 3000, 3001]).iter().copied()
}

/// Containers whose clocks count whole milliseconds may be off by one.
fn rounding(recipe: &ClipRecipe) -> u64 {
    u64::from(matches!(recipe.name, "asf" | "flv" | "webm" | "webm-live" | "matroska"))
}

#[test]
fn a_quarter_turn_swaps_width_and_height() {
    let video = Video::default();
    let mut file = video.file();
    let at = memchr::memmem::find(&file, b"tkhd").expect("a track header");
    let mut header = words(&[0, 0, 0, 1, 0, 10_000, 0, 0, 0, 0]);
    header.extend(words(&[0, 0x0001_0000, 0, 0xFFFF_0000, 0, 0, 0, 0, 0x4000_0000]));
    let old = 8 + 24;
    file.splice(at - 4..at - 4 + old, atom(*b"tkhd", &header));
    let grown = header.len() - 24;
    for kind in [b"moov", b"trak"] {
        let at = memchr::memmem::find(&file, kind).expect("a list of boxes") - 4;
        let size = u32::from_be_bytes(file[at..at + 4].try_into().expect("four bytes"));
        let size = size + u32::try_from(grown).expect("a small header");
        file[at..at + 4].copy_from_slice(&size.to_be_bytes());
    }
    crate::forged_structures::move_chunks(&mut file, u32::try_from(grown).expect("a small header"));
    let media = probe_whole(&file).expect("a video");
    let track = media.video().expect("a video track");
    assert_eq!((track.rotation, track.width, track.height), (90, Some(180), Some(320)));
    assert_eq!((track.coded_width, track.coded_height), (Some(320), Some(180)));
}
