//! Which frames are taken out of a video, and how large: for the poster, for hashing, the storyboard and the preview.
//!
//! Pure arithmetic over frame numbers of the constant-rate output, where frame `n` is on the screen from `n / rate` on.

use super::ladder::{Rung, fit};
use super::plan::Thumbnail;
use super::rate::Rate;

/// Frames that compete for the poster.
const CANDIDATES: u64 = 8;

/// Moderation compares frames: close enough that a copy of another speed still shows some of the same, and in steps that
/// grow with the length, so that both are seen at the same places.
/// One less than moderation looks at: the poster is judged beside them.
const MOST_SAMPLES: u64 = 63;
const SAMPLE_SECONDS: f64 = 0.5;
pub(super) const SAMPLE_SIDE: u32 = 512;

/// Six rows of ten: a picture of some hundred kilobytes.
const MOST_CELLS: u64 = 60;
const COLUMNS: u64 = 10;
const CELL_SECONDS: f64 = 1.0;
const CELL_SIDE: u32 = 160;

/// Long enough to tell what happens, short enough for a list of many.
const PREVIEW_SECONDS: f64 = 3.0;
const PREVIEW_SIDE: u32 = 320;

/// Frames to take, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stills {
    /// At full size; none where a picture was sent.
    pub poster: Vec<u64>,
    pub sample_every: u64,
    pub sample_size: (u32, u32),
    pub storyboard: Storyboard,
    /// The first frame of the preview and the one behind its last.
    pub preview: (u64, u64),
    pub preview_size: (u32, u32),
}

/// A sprite: one picture with many small ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storyboard {
    pub every: u64,
    pub cells: u64,
    pub columns: u64,
    pub rows: u64,
    pub width: u32,
    pub height: u32,
}

impl Stills {
    pub(super) fn plan(rate: Rate, frames: u64, top: Option<&Rung>, thumbnail: &Thumbnail) -> Self {
        let (width, height) = top.map_or((2, 2), |top| (top.width, top.height));
        Self {
            poster: poster(thumbnail, rate, frames),
            sample_every: every(SAMPLE_SECONDS, MOST_SAMPLES, rate, frames),
            sample_size: fit(width, height, SAMPLE_SIDE, SAMPLE_SIDE),
            storyboard: Storyboard::plan(rate, frames, (width, height)),
            preview: window(rate, frames),
            preview_size: fit(width, height, PREVIEW_SIDE, PREVIEW_SIDE),
        }
    }

    /// When the poster's frame is shown, in milliseconds; `None` where it was sent, or is one of several candidates.
    pub fn poster_at_ms(&self, rate: Rate) -> Option<u64> {
        match self.poster.as_slice() {
            [frame] => Some(rate.ms_at(*frame)),
            _ => None,
        }
    }
}

impl Storyboard {
    fn plan(rate: Rate, frames: u64, (width, height): (u32, u32)) -> Self {
        let every = every(CELL_SECONDS, MOST_CELLS, rate, frames);
        let cells = frames.div_ceil(every);
        let columns = cells.min(COLUMNS);
        let (width, height) = fit(width, height, CELL_SIDE, CELL_SIDE);
        Self {
            every,
            cells,
            columns,
            rows: cells.div_ceil(columns),
            width,
            height,
        }
    }

    /// The WebVTT that tells a player which part of the sprite belongs to which time.
    pub fn vtt(&self, picture: &str, rate: Rate, duration_ms: u64) -> String {
        let time = |cell: u64| {
            let frame = u32::try_from(cell * self.every).unwrap_or(u32::MAX);
            stamp(f64::from(frame) * rate.frame_seconds())
        };
        let cues = (0..self.cells).map(|cell| {
            let last = cell + 1 == self.cells;
            let end = if last {
                stamp(seconds(duration_ms))
            } else {
                time(cell + 1)
            };
            let x = cell % self.columns * u64::from(self.width);
            let y = cell / self.columns * u64::from(self.height);
            let (start, width, height) = (time(cell), self.width, self.height);
            format!("\n{start} --> {end}\n{picture}#xywh={x},{y},{width},{height}\n")
        });
        std::iter::once("WEBVTT\n".to_owned()).chain(cues).collect()
    }
}

fn poster(thumbnail: &Thumbnail, rate: Rate, frames: u64) -> Vec<u64> {
    match thumbnail {
        Thumbnail::Picture(_) => Vec::new(),
        Thumbnail::At(time) => vec![rate.frame_at(seconds(*time)).min(frames - 1)],
        Thumbnail::Best => {
            let wanted = CANDIDATES.min(frames);
            (0..wanted)
                .map(|n| (2 * n + 1) * frames / (2 * wanted))
                .collect()
        }
    }
}

/// From a third of the video on: behind the opening, before the end.
fn window(rate: Rate, frames: u64) -> (u64, u64) {
    let length = rate.frames_in(PREVIEW_SECONDS).clamp(1, frames);
    let start = (frames / 3).min(frames - length);
    (start, start + length)
}

/// A step of at least so many seconds that gives at most so many frames.
fn every(at_least: f64, at_most: u64, rate: Rate, frames: u64) -> u64 {
    rate.frames_in(at_least)
        .max(frames.div_ceil(at_most))
        .max(1)
}

fn stamp(seconds: f64) -> String {
    let (minutes, rest) = ((seconds / 60.0).floor(), seconds.rem_euclid(60.0));
    format!("{:02.0}:{minutes:02.0}:{rest:06.3}", 0.0)
}

/// Of a content's two minutes.
fn seconds(milliseconds: u64) -> f64 {
    f64::from(u32::try_from(milliseconds).unwrap_or(u32::MAX)) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plain;
    use super::*;
    use proptest::prelude::*;

    fn stills(end: f64, thumbnail: &Thumbnail) -> Stills {
        let top = Rung {
            name: 1080,
            width: 1920,
            height: 1080,
            max_kbps: 5000,
        };
        let rate = plain().video.rate;
        Stills::plan(rate, rate.frames_in(end).max(1), Some(&top), thumbnail)
    }

    proptest! {
        #[test]
        fn every_frame_asked_for_exists(end in 0.01..121.0_f64, time in 0_u64..130_000) {
            let frames = plain().video.rate.frames_in(end).max(1);
            for thumbnail in [Thumbnail::At(time), Thumbnail::Best] {
                let stills = stills(end, &thumbnail);
                prop_assert!(stills.poster.iter().all(|frame| *frame < frames));
                prop_assert!(!stills.poster.is_empty());
                prop_assert!(stills.preview.0 < stills.preview.1 && stills.preview.1 <= frames);
            }
        }

        #[test]
        fn samples_and_cells_are_bounded_and_cover_the_video(end in 0.01..121.0_f64) {
            let frames = plain().video.rate.frames_in(end).max(1);
            let stills = stills(end, &Thumbnail::Best);
            prop_assert!(frames.div_ceil(stills.sample_every) <= MOST_SAMPLES);
            let board = stills.storyboard;
            prop_assert!(board.cells <= MOST_CELLS && board.cells * board.every >= frames);
            prop_assert!(board.columns * board.rows >= board.cells);
            prop_assert!(board.columns * (board.rows - 1) < board.cells);
        }
    }

    #[test]
    fn the_asked_time_is_the_frame_on_the_screen_then() {
        assert_eq!(stills(10.0, &Thumbnail::At(1000)).poster, [30]);
        assert_eq!(stills(10.0, &Thumbnail::At(1033)).poster, [30]);
        assert_eq!(stills(10.0, &Thumbnail::At(1034)).poster, [31]);
        assert_eq!(stills(10.0, &Thumbnail::At(99_000)).poster, [299]);
    }

    #[test]
    fn the_storyboard_s_cues_follow_each_other_to_the_end() {
        let board = stills(2.5, &Thumbnail::Best).storyboard;
        let vtt = board.vtt("storyboard.jpg", plain().video.rate, 2500);
        assert_eq!(
            vtt,
            "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nstoryboard.jpg#xywh=0,0,160,90\n\
             \n00:00:01.000 --> 00:00:02.000\nstoryboard.jpg#xywh=160,0,160,90\n\
             \n00:00:02.000 --> 00:00:02.500\nstoryboard.jpg#xywh=320,0,160,90\n"
        );
    }

    #[test]
    fn a_minute_has_sixty_seconds() {
        assert_eq!(stamp(61.5), "00:01:01.500");
        assert_eq!(stamp(119.0), "00:01:59.000");
    }
}
