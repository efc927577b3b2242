//! The storyboard: one picture with many small frames, and the WebVTT file that maps times to them.

use super::ladder::fit;
use crate::media::FrameRate;
use crate::media::units::milliseconds;
use subtitles::timestamp;

/// Six rows of ten: a picture of a few hundred kilobytes.
const MAX_CELLS: u64 = 60;
const COLUMNS: u64 = 10;
/// The minimum time between cells.
const CELL_SECONDS: f64 = 1.0;
const CELL_SIDE: u32 = 160;

/// The layout of the storyboard. `width` and `height` are those of one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storyboard {
    /// The step between selected frames.
    pub every: u64,
    pub cells: u64,
    pub columns: u64,
    pub rows: u64,
    pub width: u32,
    pub height: u32,
}

impl Storyboard {
    pub(super) fn new(rate: FrameRate, frame_count: u64, (width, height): (u32, u32)) -> Self {
        let every = rate.frame_step(CELL_SECONDS, MAX_CELLS, frame_count);
        let cells = frame_count.div_ceil(every);
        let columns = cells.min(COLUMNS);
        let (width, height) = fit(width, height, CELL_SIDE, CELL_SIDE);
        Self { every, cells, columns, rows: cells.div_ceil(columns), width, height }
    }

    /// Returns the WebVTT file that tells a player which cell of `picture` belongs to which time.
    pub(crate) fn vtt(&self, picture: &str, rate: FrameRate, duration_ms: u64) -> String {
        let time = |cell: u64| {
            let frame = u32::try_from(cell * self.every).unwrap_or(u32::MAX);
            timestamp(milliseconds(f64::from(frame) * rate.frame_seconds()))
        };
        let cues = (0..self.cells).map(|cell| {
            let is_last = cell + 1 == self.cells;
            let end = if is_last { timestamp(duration_ms) } else { time(cell + 1) };
            let x = cell % self.columns * u64::from(self.width);
            let y = cell / self.columns * u64::from(self.height);
            let (start, width, height) = (time(cell), self.width, self.height);
            format!("\n{start} --> {end}\n{picture}#xywh={x},{y},{width},{height}\n")
        });
        std::iter::once("WEBVTT\n".to_owned()).chain(cues).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate() -> FrameRate {
        FrameRate::new(30, 1).unwrap()
    }

    fn storyboard(end: f64) -> Storyboard {
        Storyboard::new(rate(), rate().frames_in(end).max(1), (1920, 1080))
    }

    proptest! {
        #[test]
        fn the_number_of_cells_is_bounded_and_they_cover_the_video(end in 0.01..121.0_f64) {
            let frame_count = rate().frames_in(end).max(1);
            let board = storyboard(end);
            prop_assert!(board.cells <= MAX_CELLS && board.cells * board.every >= frame_count);
            prop_assert!(board.columns * board.rows >= board.cells);
            prop_assert!(board.columns * (board.rows - 1) < board.cells);
        }
    }

    #[test]
    fn the_cues_follow_each_other_to_the_end() {
        assert_eq!(
            storyboard(2.5).vtt("storyboard.jpg", rate(), 2500),
            "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nstoryboard.jpg#xywh=0,0,160,90\n\
             \n00:00:01.000 --> 00:00:02.000\nstoryboard.jpg#xywh=160,0,160,90\n\
             \n00:00:02.000 --> 00:00:02.500\nstoryboard.jpg#xywh=320,0,160,90\n"
        );
    }
}
