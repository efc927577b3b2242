//! The paths to which the encode writes, relative to the private folder. The names of the outputs come from the
//! contract, because object keys end with them.

use contract::MediaFile;
use std::path::{Path, PathBuf};

/// The folder of the outputs.
pub const OUT: &str = "out";
/// The folder of the frames that moderation compares.
pub const FRAMES: &str = "frames";
/// The folder of the frames that differ from all samples.
pub const DISTINCT_FRAMES: &str = "distinct";
/// The poster at the size of a sampled frame, for moderation.
pub const MODERATION_POSTER: &str = "poster.jpg";
/// The folder of the full-size frames among which the poster is chosen.
pub(super) const CANDIDATES: &str = "candidates";
/// The folder of the detectors' output.
pub(super) const OBSERVATIONS: &str = "observations";

pub(super) const VIDEO_OBSERVATIONS: &str = "observations/video.txt";
/// Every frame, very small, for the detection of flashes.
pub(super) const FLASH_FRAMES: &str = "observations/frames.rgb";
pub(super) const AUDIO_OBSERVATIONS: &str = "observations/audio.txt";

/// The folder of the rungs below the first, before they become segments.
pub(super) const RUNGS: &str = "rungs";

/// Returns the path of a rung below the first, below the private folder.
pub(super) fn rung_file(folder: &Path, name: u32) -> PathBuf {
    folder.join(RUNGS).join(format!("{name}p.mp4"))
}

/// Returns the path of an output below the private folder.
pub fn output(folder: &Path, file: MediaFile) -> PathBuf {
    folder.join(OUT).join(file.to_string())
}
