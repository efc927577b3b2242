//! Decides whether the source's packets can serve as the first rendition, which saves the most expensive encode.

use super::colour::Colour;
use super::ladder::Rung;
use super::segments::Segments;
use crate::media::source::{Inspection, VideoStream};

/// The highest bit rate of a copied stream, as a multiple of an encoded stream's bit rate. Saving the encode is worth
/// some bytes.
const MAX_COPIED_BIT_RATE: f64 = 1.6;

/// Returns the segments of the first rendition if the source already is that rendition.
pub(super) fn segments_of_copy(inspection: &Inspection, rungs: &[Rung], frame_count: u64) -> Option<Segments> {
    let video = &inspection.video;
    let keyframes: Vec<u64> = video.keyframes.iter().map(|time| video.rate.frames_in(*time)).collect();
    let segments = Segments::at_keyframes(&keyframes, video.rate, frame_count)?;
    can_copy_video(inspection, rungs).then_some(segments)
}

fn can_copy_video(inspection: &Inspection, rungs: &[Rung]) -> bool {
    use probe::Container::{Matroska, Mp4, Quicktime};
    let video = &inspection.video;
    let Some(top) = rungs.first() else {
        return false;
    };
    matches!(inspection.container, Mp4 | Quicktime | Matroska)
        && is_plain_h264(video)
        && (video.width, video.height) == (top.width, top.height)
        && is_regular(video)
        && video.bits_per_second <= f64::from(top.max_kbps) * 1000.0 * MAX_COPIED_BIT_RATE
}

/// Whether every phone and browser of the last decade can decode the video as it is stored.
fn is_plain_h264(video: &VideoStream) -> bool {
    let profiles = ["Constrained Baseline", "Main", "High"];
    video.codec == "h264"
        && video.is_avc
        && profiles.contains(&video.profile.as_str())
        && (10..=42).contains(&video.level)
        && video.pixel_format == "yuv420p"
        && video.displayed_as_stored
        && !video.interlaced
        && !video.full_range
        && has_ordinary_colours(&Colour::new(video))
}

fn has_ordinary_colours(colour: &Colour) -> bool {
    colour.hdr_transfer.is_none() && colour.wide_primaries.is_none() && colour.matrix != "bt2020nc"
}

/// Whether the frame rate is constant, is that of the outputs and starts at zero, so that every frame is shown at the
/// same time as in the encoded rungs. Each group of pictures must decode alone, because playlists promise that a
/// segment needs no other.
fn is_regular(video: &VideoStream) -> bool {
    let drift = (1.0 - video.rate.per_second() / video.source_fps).abs() * (video.end - video.start);
    video.constant_rate
        && drift < video.rate.frame_seconds() / 2.0
        && video.start.abs() < video.rate.frame_seconds() / 2.0
        && video.starts_with_keyframe
        && !video.has_open_gops
        && !video.has_discarded_packets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::plan::ladder;
    use crate::media::source::examples::plain_inspection;

    fn is_copied(inspection: &Inspection) -> bool {
        let video = &inspection.video;
        segments_of_copy(inspection, &ladder::rungs(video.width, video.height, video.rate), 300).is_some()
    }

    #[test]
    fn a_source_that_already_is_the_first_rendition_is_copied() {
        assert!(is_copied(&plain_inspection()));
    }

    #[test]
    fn a_source_that_differs_in_anything_is_encoded() {
        type Change = (&'static str, fn(&mut Inspection));
        let changes: [Change; 18] = [
            ("codec", |i| i.video.codec = "hevc".into()),
            ("profile", |i| i.video.profile = "High 10".into()),
            ("level", |i| i.video.level = 52),
            ("pixel format", |i| i.video.pixel_format = "yuv422p".into()),
            ("size", |i| (i.video.width, i.video.height) = (3840, 2160)),
            ("odd size", |i| i.video.width = 1919),
            ("rotation or pixel shape", |i| i.video.displayed_as_stored = false),
            ("interlacing", |i| i.video.interlaced = true),
            ("colour range", |i| i.video.full_range = true),
            ("dynamic range", |i| i.video.transfer = "smpte2084".into()),
            ("primaries", |i| i.video.primaries = "smpte432".into()),
            ("variable rate", |i| i.video.constant_rate = false),
            ("high rate", |i| i.video.source_fps = 120.0),
            ("rare keyframes", |i| i.video.keyframes = vec![0.0]),
            ("open GOPs", |i| i.video.has_open_gops = true),
            ("discarded packets", |i| i.video.has_discarded_packets = true),
            ("bit rate", |i| i.video.bits_per_second = 20e6),
            ("container", |i| i.container = probe::Container::MpegTs),
        ];
        for (difference, change) in changes {
            let mut inspection = plain_inspection();
            change(&mut inspection);
            assert!(!is_copied(&inspection), "{difference}");
        }
    }
}
