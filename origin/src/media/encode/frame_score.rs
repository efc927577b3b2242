//! Scores how much a frame shows, so that the poster is not black, blurred or mid-fade. A pure function of brightness.
//!
//! Multiplies contrast and sharpness: a fade reduces both, so a faded frame scores less than the same frame without
//! fade.

/// The brightness of each pixel, row by row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Luma<'a> {
    pub(super) width: usize,
    pub(super) pixels: &'a [u8],
}

/// Returns 0 for a single colour and more for frames that show more. Only comparable within one video.
pub(super) fn score(luma: Luma<'_>) -> f64 {
    if luma.width == 0 || luma.pixels.is_empty() {
        return 0.0;
    }
    let (mean, deviation) = mean_and_deviation(luma.pixels);
    exposure(mean) * deviation * sharpness(luma)
}

/// Returns the index of the highest score, or of the earliest if several are equal.
pub(super) fn best(scores: &[f64]) -> Option<usize> {
    let mut best = None;
    for (index, score) in scores.iter().enumerate() {
        if best.is_none_or(|(_, highest)| *score > highest) {
            best = Some((index, *score));
        }
    }
    best.map(|(index, _)| index)
}

/// Returns 1 for medium brightness and 0 for black and white.
fn exposure(mean: f64) -> f64 {
    let deviation = (mean - 127.5) / 127.5;
    1.0 - deviation * deviation
}

/// Returns the mean and the standard deviation.
fn mean_and_deviation(pixels: &[u8]) -> (f64, f64) {
    let count = f64::from(u32::try_from(pixels.len()).unwrap_or(u32::MAX));
    let mean = pixels.iter().map(|pixel| f64::from(*pixel)).sum::<f64>() / count;
    let squares: f64 = pixels.iter().map(|pixel| (f64::from(*pixel) - mean).powi(2)).sum();
    (mean, (squares / count).sqrt())
}

/// Returns the mean difference between horizontal and vertical neighbours.
fn sharpness(luma: Luma<'_>) -> f64 {
    let (mut steps, mut count) = (0.0, 0.0);
    let rows: Vec<&[u8]> = luma.pixels.chunks_exact(luma.width).collect();
    let mut add = |a: u8, b: u8| {
        steps += f64::from(a.abs_diff(b));
        count += 1.0;
    };
    for row in &rows {
        row.iter().zip(row.iter().skip(1)).for_each(|(a, b)| add(*a, *b));
    }
    for (above, below) in rows.iter().zip(rows.iter().skip(1)) {
        above.iter().zip(*below).for_each(|(a, b)| add(*a, *b));
    }
    if count > 0.0 { steps / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn score_of(pixels: &[u8]) -> f64 {
        score(Luma { width: 16, pixels })
    }

    fn blurred(pixels: &[u8]) -> Vec<u8> {
        (0..pixels.len())
            .map(|at| {
                let around = &pixels[at.saturating_sub(2)..(at + 3).min(pixels.len())];
                let sum: usize = around.iter().map(|pixel| usize::from(*pixel)).sum();
                u8::try_from(sum / around.len()).unwrap()
            })
            .collect()
    }

    fn checkerboard(low: u8, high: u8) -> Vec<u8> {
        (0..256).map(|at| if (at / 4 + at / 64) % 2 == 0 { low } else { high }).collect()
    }

    proptest! {
        #[test]
        fn a_single_colour_scores_nothing(grey: u8) {
            prop_assert!(score_of(&[grey; 256]).abs() < 1e-9);
        }

        #[test]
        fn a_frame_in_mid_fade_scores_less_than_without_fade(percent in 0_u16..90) {
            let full = checkerboard(60, 190);
            let faded: Vec<u8> = full.iter().map(|pixel| u8::try_from(u16::from(*pixel) * percent / 100).unwrap()).collect();
            prop_assert!(score_of(&faded) < score_of(&full));
        }

        #[test]
        fn every_score_is_finite(pixels: Vec<u8>, width in 0_usize..40) {
            let score = score(Luma { width, pixels: &pixels });
            prop_assert!(score.is_finite());
        }
    }

    #[test]
    fn a_blurred_frame_scores_less_than_the_sharp_one() {
        let sharp = checkerboard(60, 190);
        assert!(score_of(&blurred(&sharp)) < score_of(&sharp));
    }

    #[test]
    fn the_best_score_is_the_highest_and_the_earliest_of_equals() {
        assert_eq!(best(&[0.0, 3.0, 3.0, 1.0]), Some(1));
        assert_eq!(best(&[0.0, 0.0]), Some(0));
        assert_eq!(best(&[]), None);
    }
}
