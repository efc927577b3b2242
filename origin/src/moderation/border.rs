//! Finds plain borders around a picture: letterboxes, pillarboxes and frames of any single shade.
//!
//! Adding a border is the cheapest way to disguise a copy. Without its border, the copy matches again.
//! Pure: luma pixels in, a region out. It must not depend on what the region is used for.

use image::GrayImage;

/// The largest difference between a border pixel and the border's shade: the noise of strong compression.
const MAX_NOISE: u8 = 14;
/// The percentage of a line's pixels that must have the border's shade.
const PLAIN_PERCENT: usize = 96;
/// A border ends abruptly, while a sky or a vignette fades. Lines are taken for a border only if at most this
/// percentage of the pixels a few lines further in still has their shade. Otherwise noise would decide where the
/// picture is cropped.
const FADING_PERCENT: usize = 80;
/// A blurred edge may spread over this many lines.
const EDGE_LINES: u32 = 3;
/// The largest number of nested borders of different shades.
const MAX_ROUNDS: usize = 4;
/// The region keeps at least one part in this many of the width and of the height. A portrait video in a landscape
/// frame keeps 0.3 of the width.
const MAX_REDUCTION: u32 = 4;

/// A part of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

#[derive(Clone, Copy)]
enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

/// Returns the region inside the borders. Without borders, or if too little would be left, it is the whole picture.
pub fn region_inside_borders(picture: &GrayImage) -> Region {
    let whole = Region { x: 0, y: 0, width: picture.width(), height: picture.height() };
    let mut region = whole;
    for _ in 0..MAX_ROUNDS {
        let before = region;
        for side in [Side::Top, Side::Bottom, Side::Left, Side::Right] {
            region = region.without(side, border_lines(picture, region, side));
        }
        if region == before {
            break;
        }
    }
    let is_large_enough = region.width * MAX_REDUCTION >= whole.width && region.height * MAX_REDUCTION >= whole.height;
    if is_large_enough { region } else { whole }
}

impl Region {
    /// Returns the number of lines from this side to the opposite side.
    fn depth(self, side: Side) -> u32 {
        match side {
            Side::Top | Side::Bottom => self.height,
            Side::Left | Side::Right => self.width,
        }
    }

    fn without(mut self, side: Side, lines: u32) -> Self {
        match side {
            Side::Top => self.y += lines,
            Side::Left => self.x += lines,
            Side::Bottom | Side::Right => {}
        }
        match side {
            Side::Top | Side::Bottom => self.height -= lines,
            Side::Left | Side::Right => self.width -= lines,
        }
        self
    }

    /// Returns the pixels of the line that is `index` lines away from this side.
    fn line(self, picture: &GrayImage, side: Side, index: u32) -> Vec<u8> {
        let at = |x: u32, y: u32| picture.get_pixel(x, y).0[0];
        let (right, bottom) = (self.x + self.width, self.y + self.height);
        match side {
            Side::Top => (self.x..right).map(|x| at(x, self.y + index)).collect(),
            Side::Bottom => (self.x..right).map(|x| at(x, bottom - 1 - index)).collect(),
            Side::Left => (self.y..bottom).map(|y| at(self.x + index, y)).collect(),
            Side::Right => (self.y..bottom).map(|y| at(right - 1 - index, y)).collect(),
        }
    }
}

/// Returns the number of border lines at this side.
fn border_lines(picture: &GrayImage, region: Region, side: Side) -> u32 {
    let depth = region.depth(side);
    if depth == 0 {
        return 0;
    }
    let shade = median(region.line(picture, side, 0));
    let has_shade = |index, shade: u8, percent| {
        let line = region.line(picture, side, index);
        let matching = line.iter().filter(|pixel| pixel.abs_diff(shade) <= MAX_NOISE);
        matching.count() * 100 >= line.len() * percent
    };
    let plain = (0..depth).take_while(|index| has_shade(*index, shade, PLAIN_PERCENT));
    let lines = u32::try_from(plain.count()).unwrap_or(depth);
    if lines == 0 || lines == depth {
        return 0;
    }
    let last = median(region.line(picture, side, lines - 1));
    let beyond = (lines + EDGE_LINES).min(depth) - 1;
    if has_shade(beyond, last, FADING_PERCENT) {
        return 0;
    }
    lines
}

fn median(mut line: Vec<u8>) -> u8 {
    let middle = line.len() / 2;
    *line.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::cases;
    use image::Luma;
    use proptest::prelude::*;

    /// Returns a checkerboard inside `region` with a border around it. No line of a checkerboard is plain.
    fn framed(region: Region, width: u32, height: u32, shade: impl Fn(u32, u32) -> u8) -> GrayImage {
        GrayImage::from_fn(width, height, |x, y| {
            let is_inside =
                (region.x..region.x + region.width).contains(&x) && (region.y..region.y + region.height).contains(&y);
            let check = if (x / 4 + y / 4) % 2 == 0 { 30 } else { 220 };
            Luma([if is_inside { check } else { shade(x, y) }])
        })
    }

    fn region(x: u32, y: u32, width: u32, height: u32) -> Region {
        Region { x, y, width, height }
    }

    #[test]
    fn a_picture_without_a_border_is_not_cropped() {
        let whole = region(0, 0, 128, 72);
        assert_eq!(region_inside_borders(&framed(whole, 128, 72, |_, _| 0)), whole);
    }

    #[test]
    fn nested_borders_are_found() {
        let inner = region(40, 20, 48, 32);
        let picture = framed(inner, 128, 72, |_, y| if (8..64).contains(&y) { 240 } else { 0 });
        assert_eq!(region_inside_borders(&picture), inner);
    }

    #[test]
    fn a_soft_gradient_is_not_a_border() {
        let picture = GrayImage::from_fn(128, 72, |_, y| Luma([u8::try_from(y * 3).unwrap()]));
        assert_eq!(region_inside_borders(&picture), region(0, 0, 128, 72));
    }

    #[test]
    fn a_border_that_leaves_too_little_is_not_cropped() {
        for inner in [region(60, 34, 6, 4), region(0, 0, 0, 0)] {
            let picture = framed(inner, 128, 72, |_, _| 0);
            assert_eq!(region_inside_borders(&picture), region(0, 0, 128, 72));
        }
    }

    #[test]
    fn the_smallest_pictures_are_accepted() {
        for (width, height) in [(0, 0), (1, 1), (1, 5), (2, 2)] {
            let whole = region(0, 0, width, height);
            assert_eq!(region_inside_borders(&GrayImage::new(width, height)), whole);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(64, 1024)))]

        #[test]
        fn any_plain_border_is_found_despite_the_noise_of_an_encoder(
            (left, right) in (0_u32..30, 0_u32..30),
            (top, bottom) in (0_u32..20, 0_u32..20),
            shade in 0_u8..=255,
            seed in any::<u32>(),
        ) {
            let inner = region(left, top, 128 - left - right, 72 - top - bottom);
            let noisy = |x: u32, y: u32| {
                let noise = (x * 31 + y * 17 + seed % 1000).wrapping_mul(2_654_435_761) >> 29;
                shade.saturating_add(u8::try_from(noise).unwrap())
            };
            prop_assert_eq!(region_inside_borders(&framed(inner, 128, 72, noisy)), inner);
        }
    }
}
