//! Finds the even borders around a picture: letterboxes, pillarboxes, frames of any one shade.
//!
//! A border is the cheapest disguise there is. Without it, a copy and its original are the same picture again.
//! Pure: luma pixels in, a region out. It must not know what the region is used for.

use image::GrayImage;

/// How far a pixel of a border may be from the border's shade: the noise of a strong compression.
const NOISE: u8 = 14;
/// The share of a line's pixels, in hundredths, that must have the border's shade.
const PLAIN_PERCENT: usize = 96;
/// A border ends at once. Where two lines further more than this share still has its shade, it is a part of the
/// picture that fades (sky, a vignette), and cutting it would depend on the noise.
const FADING_PERCENT: usize = 80;
/// The lines over which a blurred edge may spread.
const EDGE_LINES: u32 = 3;
/// Borders inside of borders, of other shades.
const MOST_ROUNDS: usize = 4;
/// What is left has at least this part of the width and of the height: an upright video in a wide one has 0.3.
const SMALLEST_PART: u32 = 4;

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

/// The picture inside of its borders; the whole of it when it has none, or when hardly anything would be left.
pub fn inside_of_borders(picture: &GrayImage) -> Region {
    let whole = Region {
        x: 0,
        y: 0,
        width: picture.width(),
        height: picture.height(),
    };
    let mut region = whole;
    for _ in 0..MOST_ROUNDS {
        let before = region;
        for side in [Side::Top, Side::Bottom, Side::Left, Side::Right] {
            region = region.without(side, border_lines(picture, region, side));
        }
        if region == before {
            break;
        }
    }
    let is_enough = region.width * SMALLEST_PART >= whole.width
        && region.height * SMALLEST_PART >= whole.height;
    if is_enough { region } else { whole }
}

impl Region {
    /// How many lines lie one behind the other, seen from that side.
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

    /// The pixels of the line that is `index` lines away from that side.
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

/// How many lines of that side are border.
fn border_lines(picture: &GrayImage, region: Region, side: Side) -> u32 {
    let depth = region.depth(side);
    if depth == 0 {
        return 0;
    }
    let shade = median(region.line(picture, side, 0));
    let has_shade = |index, shade: u8, percent| {
        let line = region.line(picture, side, index);
        let alike = line.iter().filter(|pixel| pixel.abs_diff(shade) <= NOISE);
        alike.count() * 100 >= line.len() * percent
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
    use image::Luma;
    use proptest::prelude::*;

    /// A picture of checks, so that each line of it is far from plain.
    fn framed(
        region: Region,
        width: u32,
        height: u32,
        shade: impl Fn(u32, u32) -> u8,
    ) -> GrayImage {
        GrayImage::from_fn(width, height, |x, y| {
            let is_inside = (region.x..region.x + region.width).contains(&x)
                && (region.y..region.y + region.height).contains(&y);
            let check = if (x / 4 + y / 4) % 2 == 0 { 30 } else { 220 };
            Luma([if is_inside { check } else { shade(x, y) }])
        })
    }

    fn region(x: u32, y: u32, width: u32, height: u32) -> Region {
        Region {
            x,
            y,
            width,
            height,
        }
    }

    #[test]
    fn a_picture_without_a_border_is_left_whole() {
        let whole = region(0, 0, 128, 72);
        assert_eq!(inside_of_borders(&framed(whole, 128, 72, |_, _| 0)), whole);
    }

    #[test]
    fn borders_inside_of_borders_are_found() {
        let inner = region(40, 20, 48, 32);
        let picture = framed(
            inner,
            128,
            72,
            |_, y| if (8..64).contains(&y) { 240 } else { 0 },
        );
        assert_eq!(inside_of_borders(&picture), inner);
    }

    #[test]
    fn a_soft_gradient_is_no_border() {
        let picture = GrayImage::from_fn(128, 72, |_, y| Luma([u8::try_from(y * 3).unwrap()]));
        assert_eq!(inside_of_borders(&picture), region(0, 0, 128, 72));
    }

    #[test]
    fn what_would_leave_hardly_anything_is_left_whole() {
        for inner in [region(60, 34, 6, 4), region(0, 0, 0, 0)] {
            let picture = framed(inner, 128, 72, |_, _| 0);
            assert_eq!(inside_of_borders(&picture), region(0, 0, 128, 72));
        }
    }

    #[test]
    fn the_smallest_pictures_are_borne() {
        for (width, height) in [(0, 0), (1, 1), (1, 5), (2, 2)] {
            let whole = region(0, 0, width, height);
            assert_eq!(inside_of_borders(&GrayImage::new(width, height)), whole);
        }
    }

    proptest! {
        #[test]
        fn any_even_border_is_found_with_the_noise_of_an_encoder(
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
            prop_assert_eq!(inside_of_borders(&framed(inner, 128, 72, noisy)), inner);
        }
    }
}
