//! The paths to which the encode writes, relative to the private folder. The names of the outputs come from the
//! contract, because object keys end with them.

use contract::{MediaFile, RenditionName};
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
/// The time of every picture of the source that was decoded.
pub(super) const DECODED_TIMES: &str = "observations/decoded.txt";
/// Every frame, very small, for the detection of flashes.
pub(super) const FLASH_FRAMES: &str = "observations/frames.rgb";
/// The plain text of one subtitle track.
pub(super) const SUBTITLE_TEXT: &str = "observations/subtitles.srt";
pub(super) const AUDIO_OBSERVATIONS: &str = "observations/audio.txt";

/// The folder of the rungs below the first or in a second codec, before they become segments.
pub(super) const RUNGS: &str = "rungs";

/// The sound for poor connections, before it becomes segments.
pub(super) const LOW_SOUND: &str = "rungs/sound-low.mp4";

/// The sound, before it joins the first rung that a graphics card has encoded.
pub(super) const SOUND: &str = "rungs/sound.mp4";

/// The small pictures, if no rendition consists of them.
pub(super) const KEPT_PICTURES: &str = "rungs/pictures.mp4";

/// Returns the name of the file with the frames that were encoded only to see how many bits they take.
pub(super) fn look(part: usize, is_coarse: bool) -> String {
    let quality = if is_coarse { "coarse" } else { "usual" };
    format!("look-{part}-{quality}.264")
}

/// Returns the path of a rung below the first or in a second codec, below the private folder.
pub(super) fn rung_file(folder: &Path, name: RenditionName) -> PathBuf {
    folder.join(RUNGS).join(format!("{name}.mp4"))
}

/// Returns the path of an output below the private folder.
pub fn output(folder: &Path, file: MediaFile) -> PathBuf {
    folder.join(OUT).join(file.to_string())
}
