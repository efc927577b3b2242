//! Where a transcode writes, relative to the private folder. The outputs' own names are the contract's: they are also
//! the ends of their object keys.

use contract::MediaFile;
use std::path::{Path, PathBuf};

/// The folder of the outputs.
pub const OUT: &str = "out";
/// The folder of the frames that moderation compares.
pub const FRAMES: &str = "frames";
/// The poster, as small as a frame: it is judged like one.
pub const JUDGED_POSTER: &str = "poster.jpg";
pub(super) const CANDIDATES: &str = "candidates";
pub(super) const FINDINGS: &str = "findings";

pub(super) const VIDEO_FINDINGS: &str = "findings/video.txt";
pub(super) const AUDIO_FINDINGS: &str = "findings/audio.txt";

/// An output, from the private folder.
pub fn output(folder: &Path, file: MediaFile) -> PathBuf {
    folder.join(OUT).join(file.to_string())
}
