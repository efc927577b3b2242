//! The renditions of a video: a pure function of its displayed size.
//!
//! A rung is named after the 16:9 box, portrait or landscape, that contains the picture: `1080p` fits within 1920×1080
//! or 1080×1920. So a wide film of 1920×800 is 1080p, as viewers expect, and no side is ever longer than 1920.

use crate::media::FrameRate;

/// The largest rung that the service shows.
const HIGHEST: u32 = 1080;

/// The rungs below the first one, for slower connections and smaller screens.
const LOWER: [u32; 4] = [720, 480, 360, LOW];

/// The rung for poor connections. With its sound and the overhead of the segments, it stays below 250 kbit/s.
pub(super) const LOW: u32 = 240;
const LOW_KBPS: u32 = 130;

/// The largest size of a lower rung relative to the first. A rung nearly as large as the first costs an encode and
/// saves viewers almost nothing.
const MAX_LOWER_SIZE: f64 = 0.8;

/// The change of the aspect ratio by rounding that nobody sees.
const MAX_STRETCH: f64 = 0.01;

/// The peak bit rate of 1080p at up to 30 frames per second, in kbit/s.
const HIGHEST_KBPS: f64 = 5000.0;

/// One rendition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// The number in the name: 720 in `720p`.
    pub name: u32,
    pub width: u32,
    pub height: u32,
    /// The peak bit rate.
    pub max_kbps: u32,
    /// Whether the first rung would need more than its usual peak, so that the peaks bound the quality.
    pub is_hard: bool,
    /// The number of tenths that are added to x264's constant rate factor if the pictures would otherwise need far more
    /// than the peak rate. Whole numbers would be too coarse: one more can halve the bits of noise.
    pub factor_raise_tenths: u8,
    /// Whether the rung is for poor connections, and too small to make pictures from.
    pub is_low: bool,
}

impl Rung {
    /// Returns a rung of a video that is not hard, and not for poor connections.
    pub(crate) const fn new(name: u32, width: u32, height: u32, max_kbps: u32) -> Self {
        Self { name, width, height, max_kbps, is_hard: false, factor_raise_tenths: 0, is_low: false }
    }

    /// Returns the size of the encoder's buffer in kilobits, which bounds how far a scene may exceed the peak rate. The
    /// rung for poor connections has a smaller one, so that it exceeds its rate only briefly.
    pub(crate) fn buffer_kbits(&self) -> u32 {
        if self.is_low { self.max_kbps } else { self.max_kbps * 2 }
    }
}

/// Returns the rungs for a video with this displayed size, largest first. There is always at least one.
pub(super) fn rungs(width: u32, height: u32, rate: FrameRate) -> Vec<Rung> {
    let box_height = box_height(width, height);
    let top = box_height.min(HIGHEST);
    let lower = LOWER.into_iter().filter(|name| f64::from(*name) <= f64::from(top) * MAX_LOWER_SIZE);
    std::iter::once(top)
        .chain(lower)
        .map(|name| {
            let scale = f64::from(name) / f64::from(box_height);
            let is_low = name == LOW && name < top;
            let max_kbps = if is_low { LOW_KBPS } else { max_kbps(name, rate) };
            let (width, height) = scaled_size(width, height, scale);
            Rung { is_low, ..Rung::new(name, width, height, max_kbps) }
        })
        .collect()
}

/// Fits the peak rates to a first rung that is copied and has this bit rate. A lower rung of nearly the same rate would
/// save viewers nothing.
pub(super) fn fit_to_copy(rungs: &mut [Rung], copied_kbps: f64) {
    let Some((top, lower)) = rungs.split_first_mut() else {
        return;
    };
    for rung in lower {
        let size = (f64::from(rung.name) / f64::from(top.name.max(1))).powf(5.0 / 3.0);
        rung.max_kbps = rung.max_kbps.min(round((copied_kbps * size).max(100.0)));
    }
    top.max_kbps = round(copied_kbps.max(100.0));
}

/// Returns the largest size with this aspect ratio that fits into a box. It is never larger than the given size, and
/// its sides are even.
pub(crate) fn fit(width: u32, height: u32, into_width: u32, into_height: u32) -> (u32, u32) {
    let across = f64::from(into_width) / f64::from(width.max(1));
    let down = f64::from(into_height) / f64::from(height.max(1));
    let scale = across.min(down).min(1.0);
    (scaled(width, scale), scaled(height, scale))
}

/// Returns the height of the smallest 16:9 box around the picture, in landscape.
fn box_height(width: u32, height: u32) -> u32 {
    let (long, short) = (width.max(height).max(1), width.min(height).max(1));
    short.max((u64::from(long) * 9).div_ceil(16).try_into().unwrap_or(u32::MAX))
}

/// Larger pictures need fewer bits per pixel, because detail grows more slowly than area.
fn max_kbps(name: u32, rate: FrameRate) -> u32 {
    let size = (f64::from(name) / f64::from(HIGHEST)).powf(5.0 / 3.0);
    let speed = if rate.per_second() > 35.0 { 1.5 } else { 1.0 };
    round((HIGHEST_KBPS * size * speed).max(100.0))
}

/// Returns the size of a rung. Where rounding a short side would stretch the picture visibly, it is rounded down, and
/// the long side becomes shorter in proportion.
fn scaled_size(width: u32, height: u32, scale: f64) -> (u32, u32) {
    let (long, short) = (width.max(height), width.min(height).max(1));
    let (mut long_side, mut short_side) = (scaled(long, scale), scaled(short, scale));
    let ratio = f64::from(long) / f64::from(short);
    if (f64::from(long_side) / f64::from(short_side) / ratio - 1.0).abs() > MAX_STRETCH {
        short_side = 2 * round((f64::from(short) * scale / 2.0).floor().max(1.0));
        long_side = long_side.min(scaled(long, f64::from(short_side) / f64::from(short)));
    }
    if width >= height { (long_side, short_side) } else { (short_side, long_side) }
}

/// Sides are even, because colour is stored per two by two pixels, and never longer than before.
fn scaled(side: u32, scale: f64) -> u32 {
    let nearest = 2 * round(f64::from(side) * scale.min(1.0) / 2.0);
    nearest.min(side / 2 * 2).max(2)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and sides are never negative"
)]
pub(super) fn round(value: f64) -> u32 {
    value.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rungs_at_30_fps(width: u32, height: u32) -> Vec<Rung> {
        rungs(width, height, FrameRate::new(30, 1).unwrap())
    }

    fn sizes(width: u32, height: u32) -> Vec<(u32, u32, u32)> {
        rungs_at_30_fps(width, height).iter().map(|rung| (rung.name, rung.width, rung.height)).collect()
    }

    proptest! {
        #[test]
        fn rungs_never_upscale(width in 2_u32..8192, height in 2_u32..8192) {
            for rung in rungs_at_30_fps(width, height) {
                prop_assert!(rung.width <= width && rung.height <= height, "{rung:?}");
            }
        }

        #[test]
        fn rungs_have_even_sides(width in 1_u32..8192, height in 1_u32..8192) {
            for rung in rungs_at_30_fps(width, height) {
                prop_assert!(rung.width % 2 == 0 && rung.height % 2 == 0, "{rung:?}");
                prop_assert!(rung.width >= 2 && rung.height >= 2, "{rung:?}");
            }
        }

        #[test]
        fn rungs_keep_the_aspect_ratio(width in 16_u32..8192, height in 16_u32..8192) {
            for rung in rungs_at_30_fps(width, height) {
                let scale = f64::from(rung.name) / f64::from(box_height(width, height));
                let (long, short) = (f64::from(width.max(height)), f64::from(width.min(height)));
                let (long_side, short_side) = (rung.width.max(rung.height), rung.width.min(rung.height));
                let stretch = f64::from(long_side) / f64::from(short_side) * short / long - 1.0;
                // The long side is even, too. No picture is lower than two lines.
                let tolerance = MAX_STRETCH.max(1.1 / f64::from(long_side));
                prop_assert!(stretch.abs() <= tolerance || short * scale < 2.0, "{rung:?} {stretch}");
            }
        }

        /// Rounding both sides may stretch a picture with a side below 120 by more than `MAX_STRETCH`. Such a picture
        /// is made smaller instead.
        #[test]
        fn an_ordinary_picture_loses_no_more_than_a_pixel(width in 320_u32..4096, height in 320_u32..4096) {
            for rung in rungs_at_30_fps(width, height) {
                let scale = f64::from(rung.name) / f64::from(box_height(width, height));
                let expected = [f64::from(width) * scale, f64::from(height) * scale];
                let is_narrow = expected.iter().any(|side| *side < 120.0);
                for (actual, expected) in [rung.width, rung.height].into_iter().zip(expected) {
                    prop_assert!(is_narrow || (f64::from(actual) - expected).abs() < 2.0, "{rung:?}");
                }
            }
        }

        #[test]
        fn the_long_side_is_at_most_1920_and_the_short_side_at_most_1080(width in 1_u32..20_000, height in 1_u32..20_000) {
            for rung in rungs_at_30_fps(width, height) {
                prop_assert!(rung.width.max(rung.height) <= 1920, "{rung:?}");
                prop_assert!(rung.width.min(rung.height) <= 1080, "{rung:?}");
            }
        }

        #[test]
        fn rungs_shrink_and_have_distinct_names(width in 1_u32..8192, height in 1_u32..8192) {
            let rungs = rungs_at_30_fps(width, height);
            prop_assert!(!rungs.is_empty());
            for pair in rungs.windows(2) {
                prop_assert!(pair[1].name < pair[0].name);
                prop_assert!(pair[1].max_kbps < pair[0].max_kbps);
            }
        }

        #[test]
        fn portrait_rungs_are_landscape_rungs_turned(width in 1_u32..8192, height in 1_u32..8192) {
            for (landscape, portrait) in rungs_at_30_fps(width, height).into_iter().zip(rungs_at_30_fps(height, width)) {
                prop_assert_eq!((landscape.name, landscape.width), (portrait.name, portrait.height));
            }
        }

        #[test]
        fn a_fitted_picture_exceeds_neither_the_box_nor_its_own_size(width in 2_u32..8192, height in 2_u32..8192) {
            let (w, h) = fit(width, height, 320, 320);
            prop_assert!(w <= 320 && h <= 320 && w <= width && h <= height);
        }
    }

    #[test]
    fn the_rates_beside_a_copy_follow_from_its_own() {
        let rates = |copied_kbps| {
            let mut rungs = rungs_at_30_fps(1920, 1080);
            fit_to_copy(&mut rungs, copied_kbps);
            rungs.iter().map(|rung| rung.max_kbps).collect::<Vec<_>>()
        };
        assert_eq!(rates(1000.0), [1000, 509, 259, 160, 100]);
        assert_eq!(rates(8000.0), [8000, 2544, 1294, 801, 130]);
    }

    #[test]
    fn full_hd_gets_five_rungs() {
        let expected = [(1080, 1920, 1080), (720, 1280, 720), (480, 854, 480), (360, 640, 360), (240, 426, 240)];
        assert_eq!(sizes(1920, 1080), expected);
    }

    #[test]
    fn only_a_rung_below_the_first_is_for_poor_connections() {
        let low = |width, height| rungs_at_30_fps(width, height).iter().map(|rung| rung.is_low).collect::<Vec<_>>();
        assert_eq!(low(1920, 1080), [false, false, false, false, true]);
        assert_eq!(low(640, 360), [false, true]);
        assert_eq!(low(426, 240), [false]);
        assert_eq!(low(480, 270), [false]);
    }

    #[test]
    fn four_k_starts_at_1080() {
        assert_eq!(sizes(3840, 2160)[0], (1080, 1920, 1080));
    }

    #[test]
    fn a_wide_film_is_named_after_its_box() {
        assert_eq!(sizes(1920, 800)[0], (1080, 1920, 800));
    }

    #[test]
    fn a_size_between_two_standard_rungs_is_kept_as_the_first_rung() {
        assert_eq!(sizes(888, 500), [(500, 888, 500), (360, 640, 360), (240, 426, 240)]);
    }

    #[test]
    fn a_single_pixel_becomes_the_smallest_possible_picture() {
        assert_eq!(sizes(1, 1), [(1, 2, 2)]);
    }

    #[test]
    fn an_odd_size_loses_one_line_and_is_not_stretched() {
        assert_eq!(sizes(101, 75), [(75, 100, 74)]);
    }
}
