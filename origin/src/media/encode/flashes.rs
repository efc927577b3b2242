//! Finds flashes that can harm people with photosensitive epilepsy, by the rule of ITU-R BT.1702 and WCAG 2.3.1: more
//! than three flashes within a second, over at least a quarter of the picture. Pure.
//!
//! A cut or a slide show changes the whole picture too, but not back and forth several times a second.

use super::flash_cells::{Cells, Measure, Transition};
use super::time_span::TimeSpan;
use crate::media::FrameRate;

/// The area that must flash, as a divisor of the picture's.
const AREA: usize = 4;

/// Cells flash together if they change in the same direction within this many seconds of each other.
const TOGETHER_SECONDS: f64 = 0.05;

/// Three flashes, of two transitions each.
const TOLERATED_TRANSITIONS: u32 = 6;

/// A stretch with more flashes than tolerated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlashSpan {
    pub span: TimeSpan,
    /// The most flashes within a second, as a multiple of the three that are tolerated.
    pub score: f64,
}

/// Examines a video whose frames have this many pixels of three bytes.
pub(super) fn find(rgb: &[u8], pixels: usize, rate: FrameRate) -> Vec<FlashSpan> {
    let mut spans = Vec::new();
    for measure in [Measure::Luminance, Measure::Red] {
        let mut cells = Cells::new(measure, pixels);
        let frames: Vec<_> = rgb.chunks_exact(pixels.max(1) * 3).map(|frame| cells.next_frame(frame)).collect();
        spans.extend(dangerous_spans(&counts(&frames, pixels, rate), rate));
    }
    spans
}

/// Returns for each frame how many transitions a quarter of the picture made in the second before.
fn counts(frames: &[Vec<Transition>], pixels: usize, rate: FrameRate) -> Vec<u32> {
    let area = pixels.div_ceil(AREA).max(1);
    let second = usize::try_from(rate.frames_in(1.0)).unwrap_or(usize::MAX).max(1);
    let together = [false, true].map(|is_rising| large_changes(frames, is_rising, area, rate));
    let counted = |frame: usize| {
        let transitions = frames.get(frame).into_iter().flatten();
        let together = &together;
        transitions.filter(move |transition| together[usize::from(transition.is_rising)][frame])
    };
    let mut by_cell = vec![0_u32; pixels];
    let mut counts = Vec::with_capacity(frames.len());
    for frame in 0..frames.len() {
        counted(frame).for_each(|transition| by_cell[transition.cell] += 1);
        if let Some(expired) = frame.checked_sub(second) {
            counted(expired).for_each(|transition| by_cell[transition.cell] -= 1);
        }
        counts.push(reached_by(&by_cell, area));
    }
    counts
}

/// Returns for each frame whether enough cells change in this direction at about the same time.
fn large_changes(frames: &[Vec<Transition>], is_rising: bool, area: usize, rate: FrameRate) -> Vec<bool> {
    let reach = usize::try_from(rate.frames_in(TOGETHER_SECONDS)).unwrap_or(0);
    let count = |frame: &Vec<Transition>| frame.iter().filter(|change| change.is_rising == is_rising).count();
    let sizes: Vec<usize> = frames.iter().map(count).collect();
    let around = |frame: usize| {
        let from = frame.saturating_sub(reach);
        sizes.iter().skip(from).take(frame + reach + 1 - from).sum::<usize>()
    };
    (0..frames.len()).map(|frame| around(frame) >= area).collect()
}

/// Returns the highest number that at least `area` cells reach.
fn reached_by(by_cell: &[u32], area: usize) -> u32 {
    let highest = by_cell.iter().copied().max().unwrap_or(0);
    let reached = |number: &u32| by_cell.iter().filter(|count| *count >= number).count() >= area;
    (1..=highest).rev().find(reached).unwrap_or(0)
}

fn dangerous_spans(counts: &[u32], rate: FrameRate) -> Vec<FlashSpan> {
    let mut spans: Vec<FlashSpan> = Vec::new();
    for (frame, count) in (0_u64..).zip(counts).filter(|(_, count)| **count > TOLERATED_TRANSITIONS) {
        let end = rate.seconds_at(frame + 1);
        let (start, score) = ((end - 1.0).max(0.0), f64::from(*count) / f64::from(TOLERATED_TRANSITIONS));
        match spans.last_mut() {
            Some(last) if start <= last.span.end => {
                last.span.end = end;
                last.score = last.score.max(score);
            }
            _ => spans.push(FlashSpan { span: TimeSpan { start, end }, score }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PIXELS: usize = 40;
    const BLACK: [u8; 3] = [16; 3];
    const WHITE: [u8; 3] = [235; 3];

    /// Returns three seconds in which a part of the picture has the second colour whenever `is_on` says so.
    fn clip(part: usize, [off, on]: [[u8; 3]; 2], is_on: impl Fn(f64) -> bool) -> Vec<FlashSpan> {
        let rate = FrameRate::new(60, 1).unwrap();
        let frame = |number: u64| {
            let colour = if is_on(rate.seconds_at(number)) { on } else { off };
            (0..PIXELS).flat_map(move |pixel| if pixel < part { colour } else { off })
        };
        find(&(0..180).flat_map(frame).collect::<Vec<u8>>(), PIXELS, rate)
    }

    fn flashing(hertz: f64) -> impl Fn(f64) -> bool {
        move |time| (time * hertz + 1e-6).fract() < 0.5
    }

    #[test]
    fn more_than_three_flashes_a_second_are_dangerous_and_three_are_not() {
        for (hertz, is_dangerous) in [(1.0, false), (3.0, false), (4.0, true), (10.0, true), (15.0, true)] {
            let spans = clip(PIXELS, [BLACK, WHITE], flashing(hertz));
            assert_eq!(!spans.is_empty(), is_dangerous, "{hertz} Hz: {spans:?}");
        }
    }

    #[test]
    fn the_score_is_the_number_of_flashes_compared_with_three() {
        let spans = clip(PIXELS, [BLACK, WHITE], flashing(6.0));
        assert!(spans.len() == 1 && (spans[0].score - 2.0).abs() < 1e-9, "{spans:?}");
        assert!(spans[0].span.start.abs() < 1e-9 && (spans[0].span.end - 3.0).abs() < 0.1, "{spans:?}");
    }

    #[test]
    fn a_small_part_of_the_picture_may_flash() {
        assert_eq!(clip(PIXELS / AREA - 1, [BLACK, WHITE], flashing(10.0)), []);
        assert!(!clip(PIXELS / AREA, [BLACK, WHITE], flashing(10.0)).is_empty());
    }

    #[test]
    fn a_small_change_and_one_between_bright_pictures_are_harmless() {
        assert_eq!(clip(PIXELS, [[100; 3], [115; 3]], flashing(10.0)), []);
        assert_eq!(clip(PIXELS, [[235; 3], [255; 3]], flashing(10.0)), []);
    }

    #[test]
    fn saturated_red_is_dangerous_even_if_its_luminance_changes_little() {
        assert!(!clip(PIXELS, [[90, 0, 0], [150, 0, 0]], flashing(10.0)).is_empty());
        assert_eq!(clip(PIXELS, [[0, 0, 90], [0, 0, 150]], flashing(10.0)), []);
    }

    proptest! {
        #[test]
        fn cuts_are_never_dangerous_if_they_are_at_most_six_a_second(cuts in prop::collection::vec(0.17..2.0_f64, 1..18)) {
            let times: Vec<f64> = cuts.iter().scan(0.0, |time, gap| { *time += gap; Some(*time) }).collect();
            let is_on = |time: f64| times.iter().filter(|cut| **cut <= time).count() % 2 == 1;
            prop_assert_eq!(clip(PIXELS, [BLACK, WHITE], is_on), []);
        }
    }
}
