//! A file cut at any byte gets a verdict, and where its container declares an end, the verdict is a refusal.

mod support;

use fixtures::boxes;
use probe::RefusalKind;
use support::clips::{Clip, RECIPES, Recipe, make};
use support::{ebml, judge, summary};

/// Containers that declare no end: what is there is a shorter film.
const ENDLESS: &[&str] = &[
    "mp4-fragmented",
    "mpeg-ts",
    "m2ts",
    "mpeg-ps",
    "ogg",
    "webm-live",
];

fn clip(recipe: &Recipe) -> Option<Vec<u8>> {
    make(
        *recipe,
        Clip {
            frames: 15,
            rate: 5,
            sound: false,
        },
    )
}

/// From which length on a cut may go unnoticed.
fn noticed_below(recipe: &Recipe, length: usize) -> usize {
    match recipe.name {
        // Tags have no common end: a cut between two of them, less than a second before the declared one,
        // looks like a last frame that stays a little longer.
        "flv" => length / 2,
        // The byte that would make the last chunk's length even.
        "avi" => length - 1,
        // An index or the table of fragments, which no player needs.
        "asf" => length - 100,
        "mp4-dash" => length - 150,
        _ => length,
    }
}

#[test]
fn a_clip_cut_at_any_byte_never_passes_where_its_container_declares_an_end() {
    for recipe in RECIPES
        .iter()
        .filter(|recipe| !ENDLESS.contains(&recipe.name))
    {
        let Some(file) = clip(recipe) else { return };
        let whole = judge(&file).unwrap_or_else(|refusal| panic!("{}: {refusal}", recipe.name));
        for length in 0..noticed_below(recipe, file.len()) {
            let verdict = judge(&file[..length]);
            assert!(
                verdict.is_err(),
                "{} cut at {length} of {}: {}",
                recipe.name,
                file.len(),
                summary(&verdict)
            );
        }
        assert!(whole.duration_ms > 0, "{}", recipe.name);
    }
}

#[test]
fn a_clip_without_a_declared_end_is_no_longer_for_being_cut() {
    for recipe in RECIPES
        .iter()
        .filter(|recipe| ENDLESS.contains(&recipe.name))
    {
        let Some(file) = clip(recipe) else { return };
        let whole = judge(&file).unwrap_or_else(|refusal| panic!("{}: {refusal}", recipe.name));
        for length in 0..file.len() {
            if let Ok(part) = judge(&file[..length]) {
                assert!(
                    part.duration_ms <= whole.duration_ms + 200,
                    "{} cut at {length}",
                    recipe.name
                );
            }
        }
    }
}

#[test]
fn a_movie_cut_at_any_byte_is_refused_and_behind_its_header_as_truncated() {
    let file = boxes::Video::default().file();
    let media = memchr::memmem::find(&file, b"mdat").expect("the media") + 4;
    for length in 0..file.len() {
        let verdict = judge(&file[..length]);
        let kind = verdict.as_ref().expect_err("a cut movie").kind();
        assert!(
            length < media || kind == RefusalKind::Truncated,
            "cut at {length}: {}",
            summary(&verdict)
        );
    }
}

#[test]
fn a_movie_whose_media_runs_to_the_end_of_the_file_is_missed_by_its_samples() {
    let mut file = boxes::Video::default().file();
    let at = memchr::memmem::find(&file, b"mdat").expect("the media") - 4;
    file[at..at + 4].copy_from_slice(&[0; 4]);
    assert!(judge(&file).is_ok());
    // Fifty samples of one byte lie in a box of 64.
    let verdict = judge(&file[..file.len() - 15]);
    assert_eq!(
        verdict.expect_err("a cut movie").kind(),
        RefusalKind::Truncated
    );
}

#[test]
fn a_film_without_sizes_that_stops_long_before_its_declared_end_is_truncated() {
    let whole = ebml::film(Some(60_000.0), 60_000);
    let file = [
        ebml::header(),
        ebml::endless(ebml::SEGMENT),
        ebml::information(Some(60_000.0)),
        ebml::tracks(1),
        ebml::endless(ebml::CLUSTER),
        ebml::cluster_body(0, 10, 100),
    ];
    assert!(judge(&whole).is_ok());
    let verdict = judge(&file.concat());
    assert_eq!(
        verdict.expect_err("a cut film").kind(),
        RefusalKind::Truncated
    );
}
