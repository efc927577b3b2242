//! Decides what is made of a source: which renditions, frames and sound, and whether they are copied or encoded.
//!
//! In: an [`Inspection`], the thumbnail that was asked for, and measurements of the sound and the pictures. Out: a
//! [`Plan`]. Pure except for those measurements, so every decision has a unit test. Must not depend on ffmpeg's syntax,
//! and must not read or write a file.

mod colour;
mod copying;
pub(super) mod ladder;
mod rates;
mod second_codec;
mod segments;
pub(super) mod sound;
mod step;
mod stills;
mod storyboard;
mod subtitles;

pub use colour::Colour;
pub(super) use ladder::{Rung, fit};
pub use rates::plan_rates;
pub use second_codec::SecondLadder;
pub use segments::Segments;
pub use sound::{SoundPlan, SoundTreatment, plan_sound};
pub use step::Step;
pub(super) use stills::SAMPLE_SIDE;
pub(super) use stills::candidate_times;
pub use stills::{Stills, ThumbnailChoice};
pub use storyboard::Storyboard;
pub use subtitles::SubtitlePlan;
pub(super) use subtitles::dropped;

use super::FrameRate;
use super::encoders::{Encoder, Encoders};
use super::limits;
use super::source::Inspection;

/// Sound may outlast the video by this many seconds: players keep showing the last frame, and recorders often stop the
/// two this far apart.
const MAX_SOUND_OVERHANG_SECONDS: f64 = 0.5;

/// The plan of one encode.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub demuxer: &'static str,
    pub duration_ms: u64,
    /// The time at which both video and sound have ended, on the outputs' timeline.
    pub playing_seconds: f64,
    /// The number of seconds by which the source is moved forward, because the file begins before the outputs.
    pub lead_in_seconds: f64,
    pub video_stream: usize,
    pub colour: Colour,
    pub interlaced: bool,
    /// Whether the filter graph may stay in place when the source changes its frame size midway. True if only `fps` and
    /// the first `scale` see the source's size, because these take any size. Rotation and deinterlacing would read
    /// beyond a smaller frame.
    pub tolerates_size_changes: bool,
    pub rate: FrameRate,
    /// The number of frames in the outputs, at that rate.
    pub frame_count: u64,
    /// The longest time for which a picture of the source is on screen, by its packets.
    pub longest_picture_seconds: f64,
    /// The number of times that the last frame is repeated, because the sound continues.
    pub repeated_frames: u64,
    /// The renditions, largest first. The first is also the progressive file.
    pub rungs: Vec<Rung>,
    pub encoder: Encoder,
    /// The renditions in a second codec.
    pub second: Option<SecondLadder>,
    /// Whether the first rendition consists of the source's own packets.
    pub copy_video: bool,
    pub segments: Segments,
    pub sound: Option<SoundPlan>,
    pub stills: Stills,
    pub subtitles: SubtitlePlan,
    /// The part of the plan that this job carries out.
    pub step: Step,
}

impl Plan {
    pub fn new(inspection: &Inspection, sound: Option<SoundPlan>, thumbnail: &ThumbnailChoice) -> Self {
        let video = &inspection.video;
        let mut rungs = ladder::rungs(video.width, video.height, video.rate);
        let playing_seconds = playing_seconds(inspection, sound.is_some());
        let overhang = playing_seconds - video.end;
        let video_seconds = if overhang > MAX_SOUND_OVERHANG_SECONDS { playing_seconds } else { video.end };
        // Even a video shorter than one frame has one.
        let frames_in = |seconds| video.rate.frames_in(seconds).max(1);
        let frame_count = frames_in(video_seconds);
        let repeated_frames = frame_count.saturating_sub(frames_in(video.end));
        let copied_segments = copying::segments_of_copy(inspection, &rungs, frame_count);
        let copied_segments = copied_segments.filter(|_| repeated_frames == 0);
        if copied_segments.is_some() {
            ladder::fit_to_copy(&mut rungs, video.bits_per_second / 1000.0);
        }
        Self {
            demuxer: limits::demuxer(inspection.container),
            duration_ms: inspection.duration_ms,
            playing_seconds,
            lead_in_seconds: inspection.lead_in_seconds,
            video_stream: video.stream,
            colour: Colour::new(video),
            interlaced: video.interlaced,
            tolerates_size_changes: video.displayed_as_stored && !video.interlaced,
            rate: video.rate,
            frame_count,
            longest_picture_seconds: video.longest_gap_seconds,
            repeated_frames,
            copy_video: copied_segments.is_some(),
            segments: copied_segments.unwrap_or_else(|| Segments::regular(video.rate, frame_count)),
            sound,
            stills: Stills::new(video.rate, frame_count, rungs.first(), thumbnail),
            subtitles: SubtitlePlan::new(&inspection.subtitles, inspection.closed_captions_from),
            rungs,
            encoder: Encoder::default(),
            second: None,
            step: Step::Whole,
        }
    }

    /// Adds what the operator wants.
    #[must_use]
    pub fn with_encoders(mut self, encoders: Encoders) -> Self {
        self.encoder = encoders.h264;
        self.second = encoders.second_codec.and_then(|codec| SecondLadder::new(codec, &self.rungs));
        self
    }

    /// Returns the index and the rung from which the small pictures are made: the smallest that is not for poor
    /// connections.
    pub(in crate::media) fn picture_rung(&self) -> Option<(usize, Rung)> {
        self.rungs.iter().copied().enumerate().rfind(|(_, rung)| !rung.is_low)
    }

    /// Adds samples for moderation at frames chosen by these random numbers. Without them, anyone could compute which
    /// frames are sampled.
    #[must_use]
    pub fn with_secret_samples(mut self, random: &[u32]) -> Self {
        let frames = random.iter().map(|number| u64::from(*number) % self.frame_count);
        self.stills.secret_samples = frames.collect();
        self
    }
}

fn playing_seconds(inspection: &Inspection, with_sound: bool) -> f64 {
    let audio = inspection.audio.as_ref().filter(|_| with_sound);
    audio.map_or(0.0, |audio| audio.end).max(inspection.video.end)
}

#[cfg(test)]
mod tests {
    use super::super::source::AudioStream;
    use super::super::source::examples::plain_inspection;
    use super::sound::examples::copied_sound;
    use super::*;

    #[test]
    fn the_filter_graph_stays_on_size_changes_only_if_its_filters_take_any_size() {
        let tolerates = |change: fn(&mut Inspection)| {
            let mut inspection = plain_inspection();
            change(&mut inspection);
            Plan::new(&inspection, None, &ThumbnailChoice::Best).tolerates_size_changes
        };
        assert!(tolerates(|_| ()));
        assert!(!tolerates(|i| i.video.displayed_as_stored = false));
        assert!(!tolerates(|i| i.video.interlaced = true));
    }

    #[test]
    fn the_last_frame_is_repeated_until_the_sound_ends_and_such_a_video_is_not_copied() {
        let with_sound_until = |end| {
            let mut inspection = plain_inspection();
            inspection.audio = Some(AudioStream {
                stream: 1,
                codec: "aac".into(),
                profile: "LC".into(),
                channels: 2,
                sample_rate: 48_000,
                start: 0.0,
                end,
            });
            let sound = SoundPlan { seconds: end, ..copied_sound() };
            let plan = Plan::new(&inspection, Some(sound), &ThumbnailChoice::Best);
            (plan.repeated_frames, plan.copy_video, plan.stills.storyboard.cells)
        };
        assert_eq!(with_sound_until(9.0), (0, true, 10));
        assert_eq!(with_sound_until(10.5), (0, true, 10));
        assert_eq!(with_sound_until(20.0), (300, false, 20));
    }

    #[test]
    fn a_video_without_sound_gets_no_sound() {
        assert_eq!(Plan::new(&plain_inspection(), None, &ThumbnailChoice::Best).sound, None);
    }
}
