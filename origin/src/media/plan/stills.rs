//! Chooses the frames to extract from a video and their sizes: for the poster, moderation, the storyboard and the
//! preview.
//!
//! Pure arithmetic over the frame numbers of the constant-rate output, where frame `n` appears at `n / rate`.

use super::ladder::{Rung, fit};
use super::storyboard::Storyboard;
use crate::media::FrameRate;
use crate::media::units::seconds;
use std::path::PathBuf;

/// The number of frames among which the poster is chosen.
const CANDIDATES: u64 = 8;

/// The maximum number of frames that moderation compares: one less than it accepts, because it also gets the poster.
const MAX_SAMPLES: u64 = 63;
/// The minimum time between samples. The samples are so close together that a copy at another speed still shows some of
/// the same frames. The step grows with the duration, so that both videos are sampled at the same places.
const SAMPLE_SECONDS: f64 = 0.5;
pub(crate) const SAMPLE_SIDE: u32 = 512;

/// Long enough to show what happens, and short enough for a list of many videos.
const PREVIEW_SECONDS: f64 = 3.0;
const PREVIEW_SIDE: u32 = 320;

/// The picture that represents the video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThumbnailChoice {
    /// The frame on screen at this many milliseconds.
    AtMs(u64),
    /// The picture in this file, which was sent with the video.
    SentPicture(PathBuf),
    /// The frame that shows the most.
    Best,
}

/// The frames to extract, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stills {
    /// The candidates for the poster, at full size. Empty if a picture was sent.
    pub poster: Vec<u64>,
    pub sample_every: u64,
    /// Additional samples, at frames that nobody can predict.
    pub secret_samples: Vec<u64>,
    pub sample_size: (u32, u32),
    pub storyboard: Storyboard,
    /// The first frame of the preview, and the one after its last.
    pub preview: (u64, u64),
    pub preview_size: (u32, u32),
}

impl Stills {
    pub(super) fn new(rate: FrameRate, frame_count: u64, top: Option<&Rung>, thumbnail: &ThumbnailChoice) -> Self {
        let (width, height) = top.map_or((2, 2), |top| (top.width, top.height));
        Self {
            poster: poster(thumbnail, rate, frame_count),
            sample_every: rate.frame_step(SAMPLE_SECONDS, MAX_SAMPLES, frame_count),
            secret_samples: Vec::new(),
            sample_size: fit(width, height, SAMPLE_SIDE, SAMPLE_SIDE),
            storyboard: Storyboard::new(rate, frame_count, (width, height)),
            preview: preview(rate, frame_count),
            preview_size: fit(width, height, PREVIEW_SIDE, PREVIEW_SIDE),
        }
    }

    /// Returns an endless iterator over the numbers of all samples, in ascending order. The caller stops at the end of
    /// the video.
    pub fn sample_numbers(&self) -> impl Iterator<Item = u64> {
        (0..).filter(|number| number % self.sample_every == 0 || self.secret_samples.contains(number))
    }

    /// Returns when the poster's frame is shown, in milliseconds. `None` if the poster was sent or is chosen among
    /// candidates.
    pub fn poster_at_ms(&self, rate: FrameRate) -> Option<u64> {
        match self.poster.as_slice() {
            [frame] => Some(rate.ms_at(*frame)),
            _ => None,
        }
    }
}

fn poster(thumbnail: &ThumbnailChoice, rate: FrameRate, frame_count: u64) -> Vec<u64> {
    match thumbnail {
        ThumbnailChoice::SentPicture(_) => Vec::new(),
        ThumbnailChoice::AtMs(time) => vec![rate.frame_at(seconds(*time)).min(frame_count - 1)],
        ThumbnailChoice::Best => {
            let candidates = CANDIDATES.min(frame_count);
            (0..candidates).map(|n| (2 * n + 1) * frame_count / (2 * candidates)).collect()
        }
    }
}

/// Returns the times of the candidates for the poster of a video, in milliseconds.
pub(crate) fn candidate_times(duration_ms: u64) -> Vec<u64> {
    (0..CANDIDATES).map(|n| (2 * n + 1) * duration_ms / (2 * CANDIDATES)).collect()
}

/// The preview starts at a third of the video: after the opening and before the end.
fn preview(rate: FrameRate, frame_count: u64) -> (u64, u64) {
    let length = rate.frames_in(PREVIEW_SECONDS).clamp(1, frame_count);
    let start = (frame_count / 3).min(frame_count - length);
    (start, start + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate() -> FrameRate {
        FrameRate::new(30, 1).unwrap()
    }

    fn stills(end: f64, thumbnail: &ThumbnailChoice) -> Stills {
        let top = Rung::new(1080, 1920, 1080, 5000);
        Stills::new(rate(), rate().frames_in(end).max(1), Some(&top), thumbnail)
    }

    proptest! {
        #[test]
        fn every_selected_frame_exists(end in 0.01..121.0_f64, time in 0_u64..130_000) {
            let frame_count = rate().frames_in(end).max(1);
            for thumbnail in [ThumbnailChoice::AtMs(time), ThumbnailChoice::Best] {
                let stills = stills(end, &thumbnail);
                prop_assert!(stills.poster.iter().all(|frame| *frame < frame_count));
                prop_assert!(!stills.poster.is_empty());
                prop_assert!(stills.preview.0 < stills.preview.1 && stills.preview.1 <= frame_count);
            }
        }

        #[test]
        fn the_number_of_samples_is_bounded(end in 0.01..121.0_f64) {
            let frame_count = rate().frames_in(end).max(1);
            let stills = stills(end, &ThumbnailChoice::Best);
            prop_assert!(frame_count.div_ceil(stills.sample_every) <= MAX_SAMPLES);
        }
    }

    #[test]
    fn secret_samples_are_among_the_regular_ones_in_order() {
        let mut stills = stills(10.0, &ThumbnailChoice::Best);
        stills.secret_samples = vec![40, 7, 30];
        assert_eq!(stills.sample_numbers().take(6).collect::<Vec<_>>(), [0, 7, 15, 30, 40, 45]);
    }

    #[test]
    fn a_requested_time_selects_the_frame_on_screen_then() {
        assert_eq!(stills(10.0, &ThumbnailChoice::AtMs(1000)).poster, [30]);
        assert_eq!(stills(10.0, &ThumbnailChoice::AtMs(1033)).poster, [30]);
        assert_eq!(stills(10.0, &ThumbnailChoice::AtMs(1034)).poster, [31]);
        assert_eq!(stills(10.0, &ThumbnailChoice::AtMs(99_000)).poster, [299]);
    }
}
