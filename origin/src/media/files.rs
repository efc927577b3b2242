//! The names of everything that a transcode writes, relative to the private folder. The outputs' names below
//! [`OUT`] are also the ends of their object keys.

/// The folder of the outputs.
pub const OUT: &str = "out";
/// The folder of the frames that moderation compares.
pub const FRAMES: &str = "frames";
pub(super) const CANDIDATES: &str = "candidates";
pub(super) const FINDINGS: &str = "findings";

pub const VIDEO: &str = "video.mp4";
pub const MASTER: &str = "hls/master.m3u8";
pub const POSTER: &str = "poster.jpg";
pub const STORYBOARD: &str = "storyboard.jpg";
pub const STORYBOARD_CUES: &str = "storyboard.vtt";
pub const PREVIEW: &str = "preview.webp";

/// Nominal widths of the thumbnails; one is as wide as the poster where that is narrower.
pub const THUMBNAIL_WIDTHS: [u32; 2] = [320, 640];

pub(super) const VIDEO_FINDINGS: &str = "findings/video.txt";
pub(super) const AUDIO_FINDINGS: &str = "findings/audio.txt";

pub fn thumbnail(width: u32) -> String {
    format!("thumbnail-{width}.jpg")
}

/// The playlist of a rung.
pub fn playlist(rung: u32) -> String {
    format!("hls/{rung}p.m3u8")
}

/// The one file with all segments of a rung.
pub fn segments(rung: u32) -> String {
    format!("hls/{rung}p.mp4")
}
