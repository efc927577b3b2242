//! What a program exports that is told to stop after two minutes is accepted in every container, although its last frames
//! end a little later. Nothing longer is.

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
