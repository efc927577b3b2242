//! What becomes of a source: which renditions, which frames, copied or encoded. Pure, so every decision has a test.
//!
//! Knows neither ffmpeg's syntax nor any file.

use super::inspect::{Inspection, Video};
use super::ladder::{self, Rung};
use super::limits;
use super::rate::Rate;
use super::sound::Sound;
use super::stills::Stills;

/// The longest wait for a frame to start at in a stream that is copied: it is also the length of its segments.
const LONGEST_GROUP: f64 = 4.5;

/// A copied stream may be this much busier than an encoded one: saving the encode is worth some bytes.
const COPIED_BIT_RATE: f64 = 1.6;

/// Sound may outlive the picture by this: players show the last frame on, and recorders stop both with such a difference.
const SOUND_ALONE: f64 = 0.5;

/// The whole plan of one transcode.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub demuxer: &'static str,
    pub duration_ms: u64,
    /// Until when there is picture or sound, on the outputs' timeline.
    pub playing_seconds: f64,
    /// By how many seconds the source is moved forward, because a stream that is not played begins first.
    pub ahead: f64,
    pub stream: usize,
    pub colour: Colour,
    pub interlaced: bool,
    /// Whether the picture's filters may stay where the source changes its size on the way: only `fps` and the first
    /// `scale`, which take any size, stand where it is seen. Turning and deinterlacing would read beyond a smaller one.
    pub steady: bool,
    pub rate: Rate,
    /// How many frames there are to be, at that rate.
    pub frames: u64,
    /// How many times the last frame is shown again, because the sound goes on.
    pub repeated: u64,
    /// The renditions, the largest first; the first is also the progressive file.
    pub rungs: Vec<Rung>,
    /// Whether the first rendition is the source's own packets.
    pub copy_video: bool,
    pub sound: Option<Sound>,
    pub stills: Stills,
}

/// How the source's colours are to be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Colour {
    pub matrix: String,
    pub full_range: bool,
    /// The transfer curve of a picture with more brightness than a plain screen shows.
    pub high_dynamic_range: Option<&'static str>,
}

/// Which picture stands for the video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thumbnail {
    /// The frame on the screen at this many milliseconds.
    At(u64),
    /// A picture that came along, in this file.
    Picture(std::path::PathBuf),
    /// Whatever shows most.
    Best,
}

/// Decides all of it.
pub fn plan(inspection: &Inspection, sound: Option<Sound>, thumbnail: &Thumbnail) -> Plan {
    let video = &inspection.video;
    let rungs = ladder::ladder(video.width, video.height, video.rate);
    let playing_seconds = playing_seconds(inspection, sound.is_some());
    let picture_seconds = if playing_seconds - video.end > SOUND_ALONE {
        playing_seconds
    } else {
        video.end
    };
    // Of a shorter picture one frame comes all the same.
    let frames_in = |seconds| video.rate.frames_in(seconds).max(1);
    let frames = frames_in(picture_seconds);
    let repeated = frames.saturating_sub(frames_in(video.end));
    let copy_video = repeated == 0 && is_as_wanted(inspection, &rungs);
    Plan {
        demuxer: limits::demuxer(inspection.container),
        duration_ms: inspection.duration_ms,
        playing_seconds,
        ahead: inspection.ahead,
        stream: video.stream,
        colour: colour(video),
        interlaced: video.interlaced,
        steady: video.as_stored && !video.interlaced,
        rate: video.rate,
        frames,
        repeated,
        copy_video,
        sound,
        stills: Stills::plan(video.rate, frames, rungs.first(), thumbnail),
        rungs,
    }
}

fn playing_seconds(inspection: &Inspection, with_sound: bool) -> f64 {
    let sound = inspection.audio.as_ref().filter(|_| with_sound);
    sound
        .map_or(0.0, |audio| audio.end)
        .max(inspection.video.end)
}

fn colour(video: &Video) -> Colour {
    Colour {
        matrix: video.matrix.clone(),
        full_range: video.full_range,
        high_dynamic_range: match video.transfer.as_str() {
            "smpte2084" => Some("smpte2084"),
            "arib-std-b67" => Some("arib-std-b67"),
            _ => None,
        },
    }
}

/// Whether the source's packets already are the first rendition.
fn is_as_wanted(inspection: &Inspection, rungs: &[Rung]) -> bool {
    use probe::Container::{Matroska, Mp4, Quicktime};
    let video = &inspection.video;
    let Some(top) = rungs.first() else {
        return false;
    };
    matches!(inspection.container, Mp4 | Quicktime | Matroska)
        && is_plain_h264(video)
        && (video.width, video.height) == (top.width, top.height)
        && has_wanted_rhythm(video)
        && video.bits_per_second <= f64::from(top.max_kbps) * 1000.0 * COPIED_BIT_RATE
}

/// What every phone and browser of the last decade decodes, as it is stored.
fn is_plain_h264(video: &Video) -> bool {
    let profiles = ["Constrained Baseline", "Main", "High"];
    video.codec == "h264"
        && video.is_avc
        && profiles.contains(&video.profile.as_str())
        && (10..=42).contains(&video.level)
        && video.pixel_format == "yuv420p"
        && video.as_stored
        && !video.interlaced
        && !video.full_range
        && colour(video).high_dynamic_range.is_none()
}

/// Constant, at the output's rate, from zero on, with enough frames to start at: playlists promise that a segment needs
/// no other.
fn has_wanted_rhythm(video: &Video) -> bool {
    let off = (video.source_fps - video.rate.per_second()).abs();
    video.constant_rate
        && off <= video.source_fps * 0.002
        && video.start.abs() < video.rate.frame_seconds() / 2.0
        && video.starts_with_key
        && !video.open_groups
        && !video.trimmed
        && video.longest_group <= LONGEST_GROUP
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::inspect::Audio;
    use super::super::sound::Treatment;
    use super::*;

    /// What a screen recorder or a phone's share button makes of a clip.
    pub fn plain() -> Inspection {
        Inspection {
            container: probe::Container::Mp4,
            duration_ms: 10_000,
            ahead: 0.0,
            video: Video {
                stream: 0,
                codec: "h264".into(),
                profile: "High".into(),
                level: 40,
                pixel_format: "yuv420p".into(),
                width: 1920,
                height: 1080,
                as_stored: true,
                interlaced: false,
                full_range: false,
                matrix: "bt709".into(),
                transfer: "bt709".into(),
                rate: Rate::new(30, 1).unwrap(),
                constant_rate: true,
                source_fps: 30.0,
                start: 0.0,
                end: 10.0,
                longest_group: 2.0,
                starts_with_key: true,
                open_groups: false,
                trimmed: false,
                bits_per_second: 4_000_000.0,
                is_avc: true,
            },
            audio: None,
        }
    }

    #[test]
    fn a_source_that_already_is_the_first_rendition_is_copied() {
        assert!(plan(&plain(), None, &Thumbnail::Best).copy_video);
    }

    #[test]
    fn a_source_that_differs_in_anything_is_encoded() {
        type Change = (&'static str, fn(&mut Inspection));
        let changes: [Change; 17] = [
            ("codec", |i| i.video.codec = "hevc".into()),
            ("profile", |i| i.video.profile = "High 10".into()),
            ("level", |i| i.video.level = 52),
            ("pixel format", |i| i.video.pixel_format = "yuv422p".into()),
            ("size", |i| (i.video.width, i.video.height) = (3840, 2160)),
            ("odd size", |i| i.video.width = 1919),
            ("rotation or pixel shape", |i| i.video.as_stored = false),
            ("interlacing", |i| i.video.interlaced = true),
            ("range", |i| i.video.full_range = true),
            ("brightness", |i| i.video.transfer = "smpte2084".into()),
            ("rhythm", |i| i.video.constant_rate = false),
            ("speed", |i| i.video.source_fps = 120.0),
            ("groups", |i| i.video.longest_group = 10.0),
            ("open groups", |i| i.video.open_groups = true),
            ("trimming", |i| i.video.trimmed = true),
            ("bit rate", |i| i.video.bits_per_second = 20e6),
            ("container", |i| i.container = probe::Container::MpegTs),
        ];
        for (what, change) in changes {
            let mut inspection = plain();
            change(&mut inspection);
            assert!(
                !plan(&inspection, None, &Thumbnail::Best).copy_video,
                "{what}"
            );
        }
    }

    #[test]
    fn only_filters_that_take_any_size_stay_where_it_changes() {
        let steady = |change: fn(&mut Inspection)| {
            let mut inspection = plain();
            change(&mut inspection);
            plan(&inspection, None, &Thumbnail::Best).steady
        };
        assert!(steady(|_| ()));
        assert!(!steady(|i| i.video.as_stored = false));
        assert!(!steady(|i| i.video.interlaced = true));
    }

    #[test]
    fn a_picture_that_ends_before_its_sound_is_shown_on_and_not_copied() {
        let with_sound_until = |end| {
            let mut inspection = plain();
            inspection.audio = Some(Audio {
                stream: 1,
                codec: "aac".into(),
                profile: "LC".into(),
                channels: 2,
                sample_rate: 48_000,
                start: 0.0,
                end,
            });
            let sound = Sound {
                stream: 1,
                treatment: Treatment::Copy,
                late: false,
                goal_lufs: -14.0,
            };
            let plan = plan(&inspection, Some(sound), &Thumbnail::Best);
            (plan.repeated, plan.copy_video, plan.stills.storyboard.cells)
        };
        assert_eq!(with_sound_until(9.0), (0, true, 10));
        assert_eq!(with_sound_until(10.5), (0, true, 10));
        assert_eq!(with_sound_until(20.0), (300, false, 20));
    }

    #[test]
    fn a_bright_picture_is_known_by_its_curve() {
        let mut inspection = plain();
        inspection.video.transfer = "arib-std-b67".into();
        let plan = plan(&inspection, None, &Thumbnail::Best);
        assert_eq!(plan.colour.high_dynamic_range, Some("arib-std-b67"));
    }

    #[test]
    fn a_video_without_sound_gets_none() {
        assert_eq!(plan(&plain(), None, &Thumbnail::Best).sound, None);
    }
}
