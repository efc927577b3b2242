//! Which renditions a video gets: a pure function of its displayed size.
//!
//! A rung is named by the 16:9 box, upright or lying, that the picture fits into: `1080p` is within 1920×1080 or
//! 1080×1920. So a wide film of 1920×800 is 1080p, as viewers expect, and no side is ever longer than 1920.

use super::rate::Rate;

/// The largest rung: more is not shown by the service.
pub const HIGHEST: u32 = 1080;

/// The rungs below the first one, for slower connections and smaller screens.
const LOWER: [u32; 3] = [720, 480, 360];

/// A rung that is nearly as large as the one above it costs an encode and saves nobody anything.
const WORTHWHILE: f64 = 0.8;

/// What 1080p at up to 30 frames may take at its busiest, in kbit/s.
const HIGHEST_KBPS: f64 = 5000.0;

/// One rendition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// Names the rung: 720 in `720p`.
    pub name: u32,
    pub width: u32,
    pub height: u32,
    /// The most that it may take at its busiest.
    pub max_kbps: u32,
}

/// The rungs for a video that is displayed in this size, the largest first; there is always one.
pub fn ladder(width: u32, height: u32, rate: Rate) -> Vec<Rung> {
    let class = class(width, height);
    let top = class.min(HIGHEST);
    let lower = LOWER
        .into_iter()
        .filter(|name| f64::from(*name) <= f64::from(top) * WORTHWHILE);
    std::iter::once(top)
        .chain(lower)
        .map(|name| {
            let scale = f64::from(name) / f64::from(class);
            Rung {
                name,
                width: scaled(width, scale),
                height: scaled(height, scale),
                max_kbps: max_kbps(name, rate),
            }
        })
        .collect()
}

/// The largest size of this shape that fits into a box, never larger than the original; sides are even.
pub fn fit(width: u32, height: u32, into_width: u32, into_height: u32) -> (u32, u32) {
    let across = f64::from(into_width) / f64::from(width.max(1));
    let down = f64::from(into_height) / f64::from(height.max(1));
    let scale = across.min(down).min(1.0);
    (scaled(width, scale), scaled(height, scale))
}

/// The height of the smallest 16:9 box around the picture.
fn class(width: u32, height: u32) -> u32 {
    let (long, short) = (width.max(height).max(1), width.min(height).max(1));
    short.max(
        (u64::from(long) * 9)
            .div_ceil(16)
            .try_into()
            .unwrap_or(u32::MAX),
    )
}

/// Cost per pixel falls as pictures grow: detail grows slower than area.
fn max_kbps(name: u32, rate: Rate) -> u32 {
    let size = (f64::from(name) / f64::from(HIGHEST)).powf(5.0 / 3.0);
    let speed = if rate.per_second() > 35.0 { 1.5 } else { 1.0 };
    round((HIGHEST_KBPS * size * speed).max(100.0))
}

/// Colour is stored for squares of two by two, so sides are even; and never longer than they were.
fn scaled(side: u32, scale: f64) -> u32 {
    let nearest = 2 * round(f64::from(side) * scale.min(1.0) / 2.0);
    nearest.min(side / 2 * 2).max(2)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and sides have no sign"
)]
fn round(value: f64) -> u32 {
    value.round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rungs(width: u32, height: u32) -> Vec<Rung> {
        ladder(width, height, Rate::new(30, 1).unwrap())
    }

    fn sizes(width: u32, height: u32) -> Vec<(u32, u32, u32)> {
        rungs(width, height)
            .iter()
            .map(|rung| (rung.name, rung.width, rung.height))
            .collect()
    }

    proptest! {
        #[test]
        fn rungs_never_upscale(width in 2_u32..8192, height in 2_u32..8192) {
            for rung in rungs(width, height) {
                prop_assert!(rung.width <= width && rung.height <= height, "{rung:?}");
            }
        }

        #[test]
        fn rungs_have_even_sides(width in 1_u32..8192, height in 1_u32..8192) {
            for rung in rungs(width, height) {
                prop_assert!(rung.width % 2 == 0 && rung.height % 2 == 0, "{rung:?}");
                prop_assert!(rung.width >= 2 && rung.height >= 2, "{rung:?}");
            }
        }

        #[test]
        fn rungs_keep_the_aspect_to_the_pixel(width in 16_u32..8192, height in 16_u32..8192) {
            for rung in rungs(width, height) {
                let scale = f64::from(rung.name) / f64::from(class(width, height));
                let expected = [f64::from(width) * scale, f64::from(height) * scale];
                for (got, wanted) in [rung.width, rung.height].into_iter().zip(expected) {
                    prop_assert!(wanted < 2.0 || (f64::from(got) - wanted).abs() < 2.0, "{rung:?}");
                }
            }
        }

        #[test]
        fn no_side_is_longer_than_1920_and_no_short_one_than_1080(width in 1_u32..20_000, height in 1_u32..20_000) {
            for rung in rungs(width, height) {
                prop_assert!(rung.width.max(rung.height) <= 1920, "{rung:?}");
                prop_assert!(rung.width.min(rung.height) <= 1080, "{rung:?}");
            }
        }

        #[test]
        fn rungs_shrink_and_have_names_of_their_own(width in 1_u32..8192, height in 1_u32..8192) {
            let rungs = rungs(width, height);
            prop_assert!(!rungs.is_empty());
            for pair in rungs.windows(2) {
                prop_assert!(pair[1].name < pair[0].name);
                prop_assert!(pair[1].max_kbps < pair[0].max_kbps);
            }
        }

        #[test]
        fn portrait_is_landscape_turned(width in 1_u32..8192, height in 1_u32..8192) {
            for (lying, upright) in rungs(width, height).into_iter().zip(rungs(height, width)) {
                prop_assert_eq!((lying.name, lying.width), (upright.name, upright.height));
            }
        }

        #[test]
        fn a_fitted_picture_is_within_the_box_and_the_original(width in 2_u32..8192, height in 2_u32..8192) {
            let (w, h) = fit(width, height, 320, 320);
            prop_assert!(w <= 320 && h <= 320 && w <= width && h <= height);
        }
    }

    #[test]
    fn full_hd_gets_four_rungs() {
        let expected = [
            (1080, 1920, 1080),
            (720, 1280, 720),
            (480, 854, 480),
            (360, 640, 360),
        ];
        assert_eq!(sizes(1920, 1080), expected);
    }

    #[test]
    fn four_k_starts_at_1080() {
        assert_eq!(sizes(3840, 2160)[0], (1080, 1920, 1080));
    }

    #[test]
    fn a_wide_film_is_named_by_its_box() {
        assert_eq!(sizes(1920, 800)[0], (1080, 1920, 800));
    }

    #[test]
    fn a_size_between_two_rungs_keeps_its_own() {
        assert_eq!(sizes(888, 500), [(500, 888, 500), (360, 640, 360)]);
    }

    #[test]
    fn a_single_pixel_becomes_the_smallest_picture_there_is() {
        assert_eq!(sizes(1, 1), [(1, 2, 2)]);
    }

    #[test]
    fn an_odd_size_loses_one_line_and_is_not_stretched() {
        assert_eq!(sizes(101, 75), [(75, 100, 74)]);
    }
}
