//! Clips that a program exports that is told to stop after two minutes are accepted in every container, although their
//! last frames end a little later. Nothing longer is.

use crate::support::clips::{ClipRecipe, RECIPES, encode_seconds, recipe_of};
use crate::support::{probe_whole, summary};
use contract::ErrorCode;
use probe::Media;
use probe::judge::{FileJudge, RefusedFile};

fn judged(file: &[u8]) -> Result<Media, RefusedFile> {
    let mut judge = FileJudge::default();
    file.chunks(4096).try_for_each(|chunk| judge.feed(chunk))?;
    judge.finish()
}

fn assert_accepted(recipe: ClipRecipe, rate: &str) -> Option<()> {
    let file = encode_seconds(recipe, rate, "120")?;
    let probed = probe_whole(&file);
    println!("{} at {rate}: {}", recipe.name, summary(&probed));
    let duration = judged(&file).map(|media| media.duration_ms);
    assert!(matches!(duration, Ok(119_900..=120_000)), "{} at {rate}: {duration:?} {probed:?}", recipe.name);
    Some(())
}

#[test]
fn two_minutes_are_accepted_in_every_container() {
    for recipe in RECIPES {
        if assert_accepted(*recipe, "25").is_none() {
            return;
        }
    }
}

#[test]
fn two_minutes_at_a_rate_that_does_not_divide_them_are_accepted() {
    for name in
        fixtures::cases(&["mp4", "matroska", "avi"][..], &["mp4-fragmented", "flv", "mpeg-ts", "mpeg-ps", "asf"])
    {
        if assert_accepted(recipe_of(name), "30000/1001").is_none() {
            return;
        }
    }
}

#[test]
fn more_pictures_than_two_minutes_are_rejected_in_every_container() {
    for recipe in RECIPES {
        let Some(file) = encode_seconds(*recipe, "25", "120.2") else { return };
        let refused = judged(&file).map(|media| media.duration_ms).expect_err(recipe.name);
        assert_eq!(refused.code, ErrorCode::ContentVideoDurationInvalid, "{}: {}", recipe.name, refused.detail);
    }
}

#[test]
fn a_rejection_names_the_longer_of_pictures_and_sound() {
    let arguments = &["-c:v", "mpeg4", "-c:a", "aac", "-vf", "trim=end=2"];
    let long_sound = ClipRecipe { name: "long-sound", extension: "mp4", arguments };
    let Some(file) = encode_seconds(long_sound, "25", "121") else { return };
    let text = "The video is 121.000 seconds long. It must be 2 to 120 seconds long. Its longest track is the sound.";
    assert_eq!(judged(&file).expect_err("too long").detail, text);
    let Some(file) = encode_seconds(recipe_of("mp4"), "25", "1.5") else { return };
    let refused = judged(&file).expect_err("too short").detail;
    let is_named =
        ["picture.", "sound."].iter().any(|track| refused.ends_with(&format!("Its longest track is the {track}")));
    assert!(is_named && refused.contains("2 to 120 seconds"), "{refused}");
}
