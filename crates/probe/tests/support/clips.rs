//! Clips that ffmpeg encodes while the tests run, kept in the folder of the tests.

use std::path::Path;

pub use fixtures::clips::{ClipRecipe, ClipSpec, RECIPES, recipe_of};

/// Returns the bytes of a clip, or prints a line and returns `None` if ffmpeg is not installed.
pub fn encode(recipe: ClipRecipe, clip: ClipSpec) -> Option<Vec<u8>> {
    fixtures::clips::encode(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("clips"), recipe, clip)
}
