//! A file truncated at any byte gets a verdict. If its container declares an end, the verdict is a refusal.

use crate::support::clips::{ClipRecipe, ClipSpec, RECIPES, encode, recipe_of};
use crate::support::{ebml, probe_whole, summary};
use fixtures::boxes;
use probe::FileRefusalKind;

/// Containers that declare no end: a truncated file is a shorter video.
const ENDLESS: &[&str] = &["mp4-fragmented", "mpeg-ts", "m2ts", "mpeg-ps", "ogg", "webm-live"];

fn clip(recipe: &ClipRecipe) -> Option<Vec<u8>> {
    encode(*recipe, ClipSpec { frames: 15, rate: 5, sound: false })
}

/// A truncation at this length or later may go unnoticed.
fn unnoticed_from(recipe: &ClipRecipe, length: usize) -> usize {
    match recipe.name {
        // FLV does not declare the end of its last tag. A file that is cut between two tags, less than a second before
        // the declared duration, looks like a file with a longer last frame.
        "flv" => length / 2,
        // The padding byte of the last chunk.
        "avi" => length - 1,
        // An index or the table of fragments, which players do not need.
        "asf" => length - 100,
        "mp4-dash" => length - 150,
        _ => length,
    }
}

#[test]
fn a_clip_truncated_at_any_byte_is_refused_if_its_container_declares_an_end() {
    for recipe in RECIPES.iter().filter(|recipe| !ENDLESS.contains(&recipe.name)) {
        let Some(file) = clip(recipe) else { return };
        let whole = probe_whole(&file).unwrap_or_else(|refusal| panic!("{}: {refusal}", recipe.name));
        for length in 0..unnoticed_from(recipe, file.len()) {
            let verdict = probe_whole(&file[..length]);
            assert!(verdict.is_err(), "{} truncated at {length} of {}: {}", recipe.name, file.len(), summary(&verdict));
        }
        assert!(whole.duration_ms > 0, "{}", recipe.name);
    }
}

#[test]
fn truncating_a_clip_without_a_declared_end_never_makes_it_longer() {
    for recipe in RECIPES.iter().filter(|recipe| ENDLESS.contains(&recipe.name)) {
        let Some(file) = clip(recipe) else { return };
        let whole = probe_whole(&file).unwrap_or_else(|refusal| panic!("{}: {refusal}", recipe.name));
        for length in 0..file.len() {
            if let Ok(part) = probe_whole(&file[..length]) {
                assert!(part.duration_ms <= whole.duration_ms + 200, "{} truncated at {length}", recipe.name);
            }
        }
    }
}

#[test]
fn a_movie_truncated_at_any_byte_is_refused_and_after_its_header_as_truncated() {
    let file = boxes::Video::default().file();
    let media = memchr::memmem::find(&file, b"mdat").expect("the media") + 4;
    for length in 0..file.len() {
        let verdict = probe_whole(&file[..length]);
        let kind = verdict.as_ref().expect_err("a truncated movie").kind();
        assert!(length < media || kind == FileRefusalKind::Truncated, "truncated at {length}: {}", summary(&verdict));
    }
}

#[test]
fn a_truncated_media_box_without_a_size_is_detected_by_its_samples() {
    let mut file = boxes::Video::default().file();
    let at = memchr::memmem::find(&file, b"mdat").expect("the media") - 4;
    file[at..at + 4].copy_from_slice(&[0; 4]);
    assert!(probe_whole(&file).is_ok());
    // The box holds fifty samples of one byte in 64 bytes.
    let verdict = probe_whole(&file[..file.len() - 15]);
    assert_eq!(verdict.expect_err("a truncated movie").kind(), FileRefusalKind::Truncated);
}

#[test]
fn a_matroska_file_without_sizes_that_ends_long_before_its_declared_end_is_truncated() {
    let whole = ebml::file_of_ms(Some(60_000.0), 60_000);
    let file = [ebml::live_start(Some(60_000.0)), ebml::live_cluster(&ebml::cluster_body(0, 10, 100))];
    assert!(probe_whole(&whole).is_ok());
    let verdict = probe_whole(&file.concat());
    assert_eq!(verdict.expect_err("a truncated file").kind(), FileRefusalKind::Truncated);
}

#[test]
fn a_matroska_file_with_a_declared_duration_but_no_frames_is_truncated() {
    for (duration, expected) in [(60_000.0, FileRefusalKind::Truncated), (500.0, FileRefusalKind::DurationUnknown)] {
        let file = [ebml::live_start(Some(duration)), ebml::live_cluster(&ebml::cluster_body(0, 0, 0))];
        let verdict = probe_whole(&file.concat());
        assert_eq!(verdict.expect_err("no frames").kind(), expected, "{duration} ms");
    }
}

#[test]
fn an_ogg_file_is_truncated_unless_it_ends_between_two_pages() {
    let Some(whole) = encode(recipe_of("ogg"), ClipSpec { frames: 15, rate: 5, sound: false }) else { return };
    let last_page = whole.windows(4).rposition(|bytes| bytes == b"OggS").expect("a page");
    assert!(probe_whole(&whole[..last_page]).is_ok());
    for length in [last_page + 10, last_page + 27, whole.len() - 1] {
        let verdict = probe_whole(&whole[..length]);
        assert_eq!(verdict.expect_err("a truncated file").kind(), FileRefusalKind::Truncated, "{length} bytes");
    }
}
