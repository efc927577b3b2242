//! How much a frame shows: a pure function of its brightness, so that the poster is not black, blurred or mid-fade.
//!
//! Contrast and sharpness are multiplied: a fade scales both down, so a faded frame loses against the same one in full.

/// Brightness of each pixel, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Luma<'a> {
    pub width: usize,
    pub pixels: &'a [u8],
}

/// From nothing (one colour) upwards; only good for comparing frames of one video.
pub fn score(luma: Luma<'_>) -> f64 {
    if luma.width == 0 || luma.pixels.is_empty() {
        return 0.0;
    }
    let (mean, deviation) = spread(luma.pixels);
    exposure(mean) * deviation * sharpness(luma)
}

/// The best of several; the earliest of equals.
pub fn best(scores: &[f64]) -> Option<usize> {
    let mut best = None;
    for (index, score) in scores.iter().enumerate() {
        if best.is_none_or(|(_, highest)| *score > highest) {
            best = Some((index, *score));
        }
    }
    best.map(|(index, _)| index)
}

/// One in the middle, nothing for black and white.
fn exposure(mean: f64) -> f64 {
    let off = (mean - 127.5) / 127.5;
    1.0 - off * off
}

fn spread(pixels: &[u8]) -> (f64, f64) {
    let count = f64::from(u32::try_from(pixels.len()).unwrap_or(u32::MAX));
    let mean = pixels.iter().map(|pixel| f64::from(*pixel)).sum::<f64>() / count;
    let squares: f64 = pixels
        .iter()
        .map(|pixel| (f64::from(*pixel) - mean).powi(2))
        .sum();
    (mean, (squares / count).sqrt())
}

/// The mean step between neighbours, across and down.
fn sharpness(luma: Luma<'_>) -> f64 {
    let (mut steps, mut count) = (0.0, 0.0);
    let rows: Vec<&[u8]> = luma.pixels.chunks_exact(luma.width).collect();
    let mut add = |a: u8, b: u8| {
        steps += f64::from(a.abs_diff(b));
        count += 1.0;
    };
    for row in &rows {
        row.iter()
            .zip(row.iter().skip(1))
            .for_each(|(a, b)| add(*a, *b));
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

    fn of(pixels: &[u8]) -> f64 {
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

    fn checks(low: u8, high: u8) -> Vec<u8> {
        (0..256)
            .map(|at| {
                if (at / 4 + at / 64) % 2 == 0 {
                    low
                } else {
                    high
                }
            })
            .collect()
    }

    proptest! {
        #[test]
        fn one_colour_shows_nothing(grey: u8) {
            prop_assert!(of(&[grey; 256]).abs() < 1e-9);
        }

        #[test]
        fn a_frame_in_mid_fade_scores_less_than_in_full(percent in 0_u16..90) {
            let full = checks(60, 190);
            let faded: Vec<u8> = full.iter().map(|pixel| u8::try_from(u16::from(*pixel) * percent / 100).unwrap()).collect();
            prop_assert!(of(&faded) < of(&full));
        }

        #[test]
        fn any_pixels_have_a_finite_score(pixels: Vec<u8>, width in 0_usize..40) {
            let score = score(Luma { width, pixels: &pixels });
            prop_assert!(score.is_finite());
        }
    }

    #[test]
    fn a_blurred_frame_scores_less_than_the_sharp_one() {
        let sharp = checks(60, 190);
        assert!(of(&blurred(&sharp)) < of(&sharp));
    }

    #[test]
    fn the_best_is_the_highest_and_the_earliest_of_equals() {
        assert_eq!(best(&[0.0, 3.0, 3.0, 1.0]), Some(1));
        assert_eq!(best(&[0.0, 0.0]), Some(0));
        assert_eq!(best(&[]), None);
    }
}
