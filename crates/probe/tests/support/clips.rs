//! Clips that ffmpeg encodes while the tests run, kept in the folder of the tests.

use std::path::{Path, PathBuf};

pub use fixtures::clips::{ClipRecipe, ClipSpec, RECIPES, recipe_of};

/// Returns the bytes of a clip, or prints a line and returns `None` if ffmpeg is not installed.
pub fn encode(recipe: ClipRecipe, clip: ClipSpec) -> Option<Vec<u8>> {
    fixtures::clips::encode(&folder(), recipe, clip)
}

/// Returns the bytes of a clip with sound that ends after these seconds, in the same way.
pub fn encode_seconds(recipe: ClipRecipe, rate: &str, seconds: &str) -> Option<Vec<u8>> {
    fixtures::clips::encode_seconds(&folder(), recipe, rate, seconds)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("clips")
}
