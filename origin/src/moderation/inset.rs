//! Finds a sharp picture that was laid into a blurred background: most often a wide video in a tall frame, above and
//! below which a blurred copy of it fills the frame.
//!
//! Every editor offers this with one button. The hash of the whole frame mostly describes the background, so the inner
//! picture needs a hash of its own. Pure: luma pixels in, a region out. It must not depend on what the region is used
//! for.
//!
//! An inner picture begins and ends with a line along which most pixels differ from the smooth lines outside, and the
//! lines outside have hardly any detail. Shares are in thousandths.

use super::border::Region;
use image::GrayImage;
use image::imageops::{crop_imm, rotate90};
use std::ops::Range;

/// A pixel is detail if it differs from the line through its neighbours by more than this, in half levels.
const DETAIL: i16 = 6;
/// A pixel is at an edge if its difference from the pixel outside exceeds the next difference outside by more than
/// this. A blurred edge has no such jump.
const JUMP: i16 = 4;
/// The background may have this share of detail, as compression leaves it.
const CALM: usize = 20;
/// With more detail outside, the inner picture must have this many times as much.
const CONTRAST: usize = 2;
/// The inner picture must have this much more detail in any case. Otherwise stripes in a test card would be a picture.
const MORE_DETAIL: usize = 10;
/// At least this share of a line must be at an edge, or the line is not where the picture begins or ends.
const MIN_EDGE: usize = 200;
/// The shares of both lines must add up to this. Where the background happens to be as bright as the picture, there is
/// no edge.
const MIN_EDGES: usize = 500;
/// A picture that is not in the middle needs clearer edges, because more pairs of lines are possible.
const MIN_EDGE_OFF_CENTRE: usize = 350;
const MIN_EDGES_OFF_CENTRE: usize = 800;
/// More than this says nothing more.
const CLEAR_EDGES: usize = 1000;
/// A picture is in the middle if both margins differ by less than one part in this many, and two lines.
const CENTRED: usize = 64;
/// Each margin has at least one part in this many of all lines, and at most `MAX_MARGIN` thousandths.
const MIN_MARGIN: usize = 20;
const MAX_MARGIN: usize = 600;
/// The margins beside a picture with margins above and below: it was scaled down a little.
const MAX_SECOND_MARGIN: usize = 150;
/// The picture has at least one part in this many of all lines.
const MIN_PICTURE: usize = 6;
/// Smaller frames show no detail.
const MIN_SIDE: u32 = 64;

/// Returns the region of a sharp picture in a blurred background, if there is one.
pub fn sharp_inset(frame: &GrayImage) -> Option<Region> {
    let (width, height) = frame.dimensions();
    if width.min(height) < MIN_SIDE {
        return None;
    }
    let (columns, rows) = inset_between_rows(frame).or_else(|| {
        // The rows of a frame that is turned clockwise are its columns, and its columns are the rows from below.
        let (from_below, columns) = inset_between_rows(&rotate90(frame))?;
        Some((columns, height - from_below.end..height - from_below.start))
    })?;
    Some(Region { x: columns.start, y: rows.start, width: columns.end - columns.start, height: rows.end - rows.start })
}

/// Returns the columns and rows of a sharp picture with smooth rows above and below, if there is one. It usually has
/// the width of the frame.
fn inset_between_rows(frame: &GrayImage) -> Option<(Range<u32>, Range<u32>)> {
    let rows = sharp_lines(frame, MAX_MARGIN)?;
    let between = crop_imm(frame, 0, rows.start, frame.width(), rows.end - rows.start).to_image();
    let columns = sharp_lines(&rotate90(&between), MAX_SECOND_MARGIN);
    let columns = columns.filter(|columns| background_continues(frame, &rows, columns));
    Some((columns.unwrap_or(0..frame.width()), rows))
}

/// Whether the background above and below the rows continues beside the columns. If not, what is beside the columns
/// belongs to the picture.
fn background_continues(frame: &GrayImage, rows: &Range<u32>, columns: &Range<u32>) -> bool {
    let margins = [0..columns.start, columns.end..frame.width()];
    margins.into_iter().all(|margin| {
        let line = |row: u32| crop_imm(frame, margin.start, row, margin.end - margin.start, 1).to_image().into_raw();
        let top = edge_share(&line(rows.start), &line(rows.start - 1), &line(rows.start - 2));
        let bottom = edge_share(&line(rows.end - 1), &line(rows.end), &line(rows.end + 1));
        top.max(bottom) < MIN_EDGE
    })
}

/// The rows of a picture.
struct Rows<'a> {
    lines: Vec<&'a [u8]>,
    width: usize,
    /// For each row, the amount of detail in all rows before it.
    detail_before: Vec<usize>,
}

/// A line along which the picture begins or ends.
#[derive(Clone, Copy)]
struct Edge {
    row: usize,
    share: usize,
}

/// Returns the rows of a sharp picture with smooth rows above and below, if there is one. If there are several, it is
/// one in the middle, and the one that differs most clearly from what is outside.
fn sharp_lines(picture: &GrayImage, max_margin: usize) -> Option<Range<u32>> {
    let rows = Rows::new(picture);
    let (tops, bottoms) = (rows.tops(max_margin), rows.bottoms(max_margin));
    let pairs = tops.iter().flat_map(|top| bottoms.iter().map(move |bottom| (*top, *bottom)));
    let insets = pairs.filter(|(top, bottom)| rows.is_inset(*top, *bottom));
    let (top, bottom) =
        insets.max_by_key(|(top, bottom)| (rows.is_centred(top.row, bottom.row), rows.separation(*top, *bottom)))?;
    Some(u32::try_from(top.row).ok()?..u32::try_from(bottom.row).ok()?)
}

impl<'a> Rows<'a> {
    fn new(picture: &'a GrayImage) -> Self {
        let width = picture.width() as usize;
        let lines: Vec<_> = picture.as_raw().chunks_exact(width.max(1)).collect();
        let mut detail_before = vec![0];
        for row in &lines {
            detail_before.push(detail_before[detail_before.len() - 1] + detail(row));
        }
        Self { lines, width, detail_before }
    }

    /// Returns the margins that a picture may have.
    fn margins(&self, max: usize) -> Range<usize> {
        (self.lines.len() / MIN_MARGIN).max(2)..self.lines.len() * max / 1000
    }

    /// Returns the rows at which a picture may begin.
    fn tops(&self, max_margin: usize) -> Vec<Edge> {
        let share = |row: usize| edge_share(self.lines[row], self.lines[row - 1], self.lines[row - 2]);
        strongest(self.margins(max_margin).map(|row| Edge { row, share: share(row) }))
    }

    /// Returns the rows before which a picture may end.
    fn bottoms(&self, max_margin: usize) -> Vec<Edge> {
        let share = |row: usize| edge_share(self.lines[row - 1], self.lines[row], self.lines[row + 1]);
        let rows = self.margins(max_margin).map(|margin| self.lines.len() - margin);
        strongest(rows.map(|row| Edge { row, share: share(row) }))
    }

    fn is_inset(&self, top: Edge, bottom: Edge) -> bool {
        let (lowest, sum) = (top.share.min(bottom.share), top.share + bottom.share);
        let has_edges = sum >= MIN_EDGES_OFF_CENTRE && lowest >= MIN_EDGE_OFF_CENTRE
            || sum >= MIN_EDGES && self.is_centred(top.row, bottom.row);
        let is_large = bottom.row >= top.row + self.lines.len() / MIN_PICTURE;
        has_edges && is_large && self.is_calm_outside(top.row, bottom.row)
    }

    fn is_centred(&self, top: usize, bottom: usize) -> bool {
        top.abs_diff(self.lines.len() - bottom) <= self.lines.len() / CENTRED + 1
    }

    /// Returns how clearly the rows inside differ from the rows outside: the variance of their detail between the two
    /// groups, times the edges. Lines inside a picture of straight shapes may have clearer edges than its own.
    fn separation(&self, top: Edge, bottom: Edge) -> usize {
        let inside = self.detail_share(top.row..bottom.row);
        let difference = inside.saturating_sub(self.detail_outside(top.row, bottom.row));
        let (inner, all) = (bottom.row - top.row, self.lines.len());
        inner * (all - inner) * difference * difference * (top.share + bottom.share).min(CLEAR_EDGES)
    }

    /// Whether the rows outside have less detail than the rows inside, and hardly any or much less.
    fn is_calm_outside(&self, top: usize, bottom: usize) -> bool {
        let outside = self.detail_outside(top, bottom);
        let inside = self.detail_share(top..bottom);
        inside >= outside + MORE_DETAIL && (outside <= CALM || inside >= outside * CONTRAST)
    }

    /// Returns the share of detail outside, except in the lines next to the picture.
    fn detail_outside(&self, top: usize, bottom: usize) -> usize {
        let (above, below, all) = (top - 1, bottom + 1, self.lines.len());
        let outside = self.detail_share(0..above) * above + self.detail_share(below..all) * (all - below);
        outside / (above + all - below)
    }

    fn detail_share(&self, rows: Range<usize>) -> usize {
        let pixels = rows.len() * self.width;
        (self.detail_before[rows.end] - self.detail_before[rows.start]) * 1000 / pixels.max(1)
    }
}

/// Returns the share of a line that differs from the line outside by clearly more than that line from the next.
fn edge_share(inside: &[u8], outside: &[u8], farther: &[u8]) -> usize {
    let pixels = inside.iter().zip(outside).zip(farther);
    let edges = pixels.filter(|((inside, outside), farther)| {
        let jump = i16::from(inside.abs_diff(**outside));
        jump > JUMP + i16::from(outside.abs_diff(**farther))
    });
    edges.count() * 1000 / inside.len().max(1)
}

/// Returns the number of pixels that differ from their neighbours in the row.
fn detail(row: &[u8]) -> usize {
    let is_detail = |pixels: &&[u8; 3]| {
        let [before, pixel, after] = pixels.map(i16::from);
        (before - 2 * pixel + after).abs() > DETAIL
    };
    row.array_windows().filter(is_detail).count()
}

/// Returns the edges that are clear enough, without their weaker neighbours.
fn strongest(edges: impl Iterator<Item = Edge>) -> Vec<Edge> {
    let mut found: Vec<Edge> = Vec::new();
    for edge in edges.filter(|edge| edge.share >= MIN_EDGE) {
        match found.last_mut().filter(|last| last.row.abs_diff(edge.row) == 1) {
            Some(last) if last.share >= edge.share => {}
            Some(last) => *last = edge,
            None => found.push(edge),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::cases;
    use image::Luma;
    use image::imageops::{FilterType, blur, overlay, resize};
    use proptest::prelude::*;

    /// A picture of many small shapes, different for each seed.
    fn drawing(seed: u32, width: u32, height: u32) -> GrayImage {
        GrayImage::from_fn(width, height, |x, y| {
            let shade = |size: u32| {
                let cell = (x / size + 97 * (y / size) + 7919 * (seed + size)).wrapping_mul(0x9E37_79B1);
                u32::from((cell ^ (cell >> 15)).wrapping_mul(0x85EB_CA6B).to_be_bytes()[0])
            };
            Luma([u8::try_from((shade(29) * 2 + shade(5)) / 3).unwrap()])
        })
    }

    /// Lays a picture at a place in a frame that a blurred copy of the picture fills.
    fn laid_into(picture: &GrayImage, (width, height): (u32, u32), (x, y): (u32, u32)) -> GrayImage {
        let scale =
            (f64::from(width) / f64::from(picture.width())).max(f64::from(height) / f64::from(picture.height()));
        let scaled = |side: u32| fixed(f64::from(side) * scale);
        let (wide, high) = (scaled(picture.width()).max(width), scaled(picture.height()).max(height));
        let filled = resize(picture, wide, high, FilterType::Triangle);
        let filled = crop_imm(&filled, (wide - width) / 2, (high - height) / 2, width, height).to_image();
        let mut frame = blur(&filled, 5.0);
        overlay(&mut frame, picture, x.into(), y.into());
        frame
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the side of a small picture")]
    fn fixed(side: f64) -> u32 {
        side.round() as u32
    }

    fn found(frame: &GrayImage) -> Option<(u32, u32, u32, u32)> {
        sharp_inset(frame).map(|Region { x, y, width, height }| (x, y, width, height))
    }

    #[test]
    fn a_wide_picture_in_a_tall_a_square_and_a_nearly_square_frame_is_found() {
        for (size, y) in [((288, 512), 175), ((288, 288), 63), ((288, 360), 99)] {
            let frame = laid_into(&drawing(1, 288, 162), size, (0, y));
            assert_eq!(found(&frame), Some((0, y, 288, 162)), "{size:?}");
        }
    }

    #[test]
    fn a_tall_picture_in_a_wide_frame_is_found() {
        let frame = laid_into(&drawing(2, 162, 288), (512, 288), (175, 0));
        assert_eq!(found(&frame), Some((175, 0, 162, 288)));
    }

    #[test]
    fn a_picture_that_was_scaled_down_or_moved_is_found() {
        let scaled = laid_into(&drawing(3, 260, 146), (288, 512), (14, 183));
        assert_eq!(found(&scaled), Some((14, 183, 260, 146)));
        let moved = laid_into(&drawing(3, 288, 162), (288, 512), (0, 120));
        assert_eq!(found(&moved), Some((0, 120, 288, 162)));
    }

    #[test]
    fn sharp_blurred_and_plain_pictures_have_no_inset() {
        let sharp = drawing(4, 288, 512);
        for picture in [blur(&sharp, 5.0), sharp, GrayImage::from_pixel(288, 512, Luma([90]))] {
            assert_eq!(found(&picture), None);
        }
    }

    #[test]
    fn the_smallest_pictures_are_accepted() {
        for (width, height) in [(0, 0), (1, 1), (1, 500), (500, 1), (64, 64)] {
            assert_eq!(found(&GrayImage::new(width, height)), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(32, 1024)))]

        #[test]
        fn a_region_is_inside_the_frame(
            (width, height) in (1_u32..130, 1_u32..130),
            pixels in prop::collection::vec(any::<u8>(), 1..40),
            flat in 1_usize..600,
        ) {
            let pixels = pixels.into_iter().flat_map(|pixel| std::iter::repeat_n(pixel, flat)).collect::<Vec<_>>();
            let at = |x: u32, y: u32| pixels[(y * width + x) as usize % pixels.len()];
            let frame = GrayImage::from_fn(width, height, |x, y| Luma([at(x, y)]));
            if let Some(Region { x, y, width: inner_width, height: inner_height }) = sharp_inset(&frame) {
                prop_assert!(inner_width > 0 && x + inner_width <= width);
                prop_assert!(inner_height > 0 && y + inner_height <= height);
            }
        }
    }
}
