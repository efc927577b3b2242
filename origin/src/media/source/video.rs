//! The facts about the video of a source.

use super::description::StreamEntry;
use super::timing::StreamTiming;
use crate::media::{FrameRate, MediaError, limits};

/// The largest factor by which a pixel aspect ratio may widen the picture. A forged ratio could demand any width.
const MAX_WIDENING: u64 = 8;

/// The video.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact, and all combinations exist")]
pub struct VideoStream {
    pub stream: usize,
    pub codec: String,
    pub profile: String,
    pub level: i32,
    pub pixel_format: String,
    /// The size as displayed: after pixel aspect ratio and rotation.
    pub width: u32,
    pub height: u32,
    /// Whether the stored picture is the displayed one: square pixels, and no display matrix.
    pub displayed_as_stored: bool,
    pub interlaced: bool,
    pub full_range: bool,
    /// ffmpeg's name of the colour matrix, guessed from the size if the file does not name it.
    pub matrix: String,
    pub transfer: String,
    pub primaries: String,
    /// The profile of Dolby Vision, if it is that.
    pub dolby_vision: Option<u8>,
    pub rate: FrameRate,
    pub constant_rate: bool,
    pub source_fps: f64,
    /// The longest time from one packet to the next.
    pub longest_gap_seconds: f64,
    /// Seconds on the timeline that starts with the first thing played.
    pub start: f64,
    pub end: f64,
    /// The presentation times of the keyframes, in seconds on that timeline.
    pub keyframes: Vec<f64>,
    pub starts_with_keyframe: bool,
    /// Whether some frames need the group of pictures before theirs.
    pub has_open_gops: bool,
    /// Whether the file contains packets that must not be shown.
    pub has_discarded_packets: bool,
    pub bits_per_second: f64,
    /// Whether this is H.264 in the form that MP4 stores.
    pub is_avc: bool,
}

impl VideoStream {
    /// `zero` is the start of the timeline.
    pub(super) fn new(stream: &StreamEntry, timing: &StreamTiming, zero: f64) -> Result<Self, MediaError> {
        let average_fps = as_f64(timing.count) / (timing.end - timing.start).max(0.001);
        limits::check_frame_rate(average_fps)?;
        limits::check_pixel_rate(stream.width, stream.height, average_fps)?;
        let interlaced = !matches!(stream.field_order.as_str(), "" | "progressive" | "unknown");
        let source_fps = 1.0 / timing.typical_gap.max(1e-6);
        let display = Display::new(stream)?;
        Ok(Self {
            stream: stream.index,
            codec: stream.codec_name.clone(),
            profile: stream.profile.clone(),
            level: stream.level,
            pixel_format: stream.pix_fmt.clone(),
            width: display.width,
            height: display.height,
            displayed_as_stored: display.is_as_stored,
            interlaced,
            full_range: stream.color_range == "pc" || stream.pix_fmt.starts_with("yuvj"),
            matrix: matrix(stream),
            transfer: stream.color_transfer.clone(),
            primaries: stream.color_primaries.clone(),
            dolby_vision: dolby_vision_profile(stream)?,
            rate: match timing.burst_gap {
                Some(gap) => FrameRate::for_bursts(1.0 / gap),
                // Each field becomes a frame, because each shows another moment.
                None if interlaced => FrameRate::for_output(None, source_fps * 2.0),
                None => FrameRate::for_output(FrameRate::parse(&stream.avg_frame_rate), source_fps),
            },
            constant_rate: timing.constant,
            source_fps,
            longest_gap_seconds: timing.longest_gap,
            start: timing.start - zero,
            end: timing.end - zero,
            keyframes: timing.keyframes.iter().map(|time| time - zero).collect(),
            starts_with_keyframe: timing.starts_with_keyframe,
            has_open_gops: timing.has_open_gops,
            has_discarded_packets: timing.discarded > 0,
            bits_per_second: timing.bits_per_second,
            is_avc: stream.is_avc == "true",
        })
    }
}

/// Returns the profile of Dolby Vision. The colours of profile 5 mean nothing without its own decoder; the other
/// profiles have a base layer of an ordinary kind.
fn dolby_vision_profile(stream: &StreamEntry) -> Result<Option<u8>, MediaError> {
    let profile = stream.side_data_list.iter().find_map(|data| data.dv_profile);
    if profile == Some(5) {
        let advice =
            "Dolby Vision profile 5 cannot be shown on ordinary screens. Export the video as HDR10, HLG or SDR";
        return Err(MediaError::invalid_format(advice));
    }
    Ok(profile)
}

/// The stored picture as it appears on the screen.
struct Display {
    width: u32,
    height: u32,
    is_as_stored: bool,
}

impl Display {
    fn new(stream: &StreamEntry) -> Result<Self, MediaError> {
        let (is_sideways, has_no_matrix) = rotation(stream);
        let (width, has_square_pixels) = displayed_width(stream);
        let (width, height) = if is_sideways { (stream.height, width) } else { (width, stream.height) };
        if width == 0 || height == 0 {
            return Err(MediaError::invalid_format("the video has no size"));
        }
        Ok(Self { width, height, is_as_stored: has_square_pixels && has_no_matrix })
    }
}

/// Returns whether width and height are swapped, and whether there is no display matrix at all. ffmpeg applies a
/// rotation by itself, but a copy would keep even a matrix that only shifts or enlarges, and our outputs have none.
fn rotation(stream: &StreamEntry) -> (bool, bool) {
    let rotation = stream.side_data_list.iter().find_map(|data| data.rotation);
    let degrees = rotation.unwrap_or(0.0).rem_euclid(360.0);
    let is_sideways = (degrees - 90.0).abs() < 1.0 || (degrees - 270.0).abs() < 1.0;
    (is_sideways, rotation.is_none())
}

/// Returns the width after applying the pixel aspect, and whether pixels are square. Players change the width, not the
/// height.
fn displayed_width(stream: &StreamEntry) -> (u32, bool) {
    let parts = stream.sample_aspect_ratio.split_once(':');
    let aspect = parts.and_then(|(num, den)| Some((num.parse::<u64>().ok()?, den.parse::<u64>().ok()?)));
    match aspect {
        Some((num, den)) if num > 0 && den > 0 && num != den => {
            let width = (u64::from(stream.width) * num + den / 2) / den;
            let width = width.clamp(1, u64::from(stream.width) * MAX_WIDENING);
            (u32::try_from(width).unwrap_or(stream.width), false)
        }
        _ => (stream.width, true),
    }
}

fn matrix(stream: &StreamEntry) -> String {
    match stream.color_space.as_str() {
        "bt709" | "fcc" | "bt470bg" | "smpte170m" | "smpte240m" => stream.color_space.clone(),
        "bt2020nc" | "bt2020c" => "bt2020nc".to_owned(),
        // Players guess by the size as well.
        _ if stream.width.min(stream.height) >= 720 => "bt709".to_owned(),
        _ => "smpte170m".to_owned(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn as_f64(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::description::SideDataEntry;
    use super::*;

    #[test]
    fn a_quarter_turn_swaps_the_sides_and_a_half_turn_does_not() {
        let rotation_by = |degrees| {
            let side_data_list = vec![SideDataEntry { rotation: Some(degrees), dv_profile: None }];
            rotation(&StreamEntry { side_data_list, ..StreamEntry::default() })
        };
        assert_eq!(rotation_by(-90.0), (true, false));
        assert_eq!(rotation_by(180.0), (false, false));
        assert_eq!(rotation_by(0.0), (false, false));
        assert_eq!(rotation(&StreamEntry::default()), (false, true));
    }

    #[test]
    fn dolby_vision_without_an_ordinary_base_layer_is_refused() {
        let profile = |dv_profile| {
            let side_data_list = vec![SideDataEntry { rotation: None, dv_profile }];
            dolby_vision_profile(&StreamEntry { side_data_list, ..StreamEntry::default() })
        };
        assert!(matches!(profile(Some(5)), Err(MediaError::Rejected { .. })));
        assert_eq!(profile(Some(8)).unwrap(), Some(8));
        assert_eq!(profile(None).unwrap(), None);
    }

    #[test]
    fn wide_pixels_widen_the_picture_and_a_forged_aspect_is_bounded() {
        let width = |sample_aspect_ratio: &str| {
            let sample_aspect_ratio = sample_aspect_ratio.to_owned();
            displayed_width(&StreamEntry { width: 720, sample_aspect_ratio, ..StreamEntry::default() })
        };
        assert_eq!(width("64:45"), (1024, false));
        assert_eq!(width("1:1"), (720, true));
        assert_eq!(width("0:1"), (720, true));
        assert_eq!(width("4000000000:1"), (5760, false));
    }
}
