//! An inspection for the tests of the later stages.

use super::{Inspection, VideoStream};
use crate::media::FrameRate;

/// Returns a ten-second clip as a screen recorder or a phone's share button writes it.
pub(crate) fn plain_inspection() -> Inspection {
    Inspection {
        container: probe::Container::Mp4,
        duration_ms: 10_000,
        lead_in_seconds: 0.0,
        video: VideoStream {
            stream: 0,
            codec: "h264".into(),
            profile: "High".into(),
            level: 40,
            pixel_format: "yuv420p".into(),
            width: 1920,
            height: 1080,
            displayed_as_stored: true,
            interlaced: false,
            full_range: false,
            matrix: "bt709".into(),
            transfer: "bt709".into(),
            primaries: String::new(),
            dolby_vision: None,
            rate: FrameRate::new(30, 1).unwrap(),
            constant_rate: true,
            source_fps: 30.0,
            longest_gap_seconds: 0.034,
            start: 0.0,
            end: 10.0,
            keyframes: vec![0.0, 2.0, 4.0, 6.0, 8.0],
            starts_with_keyframe: true,
            has_open_gops: false,
            has_discarded_packets: false,
            bits_per_second: 4_000_000.0,
            is_avc: true,
        },
        audio: None,
        subtitles: Vec::new(),
        closed_captions_from: None,
    }
}
