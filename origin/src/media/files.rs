//! Where the encode writes, relative to the private folder. The names of the outputs come from the contract, because
//! object keys end with them.

use contract::MediaFile;
use std::path::{Path, PathBuf};

/// The folder of the outputs.
pub const OUT: &str = "out";
/// The folder of the frames that moderation compares.
pub const FRAMES: &str = "frames";
/// The poster at the size of a sampled frame, for moderation.
pub const MODERATION_POSTER: &str = "poster.jpg";
/// The folder of the full-size frames among which the poster is chosen.
pub(super) const CANDIDATES: &str = "candidates";
/// The folder of the detectors' output.
pub(super) const OBSERVATIONS: &str = "observations";

pub(super) const VIDEO_OBSERVATIONS: &str = "observations/video.txt";
pub(super) const AUDIO_OBSERVATIONS: &str = "observations/audio.txt";

/// Returns the path of an output below the private folder.
pub fn output(folder: &Path, file: MediaFile) -> PathBuf {
    folder.join(OUT).join(file.to_string())
}
