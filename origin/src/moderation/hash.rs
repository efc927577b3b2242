//! What a frame looks like, as a hash that survives disguises: 256 bits of the picture's coarse structure.
//!
//! `docs/moderation.md` says why it is this hash, with the measurements; `examples/moderation_matrix` repeats them.
//! Changing anything here makes the blocklist worthless: its hashes were made by the same steps.

use crate::moderation::border::inside_of_borders;
use contract::PictureHash;
use image::imageops::{FilterType, crop_imm, resize};
use image::{GrayImage, ImageFormat, ImageReader, ImageResult, Limits};
use image_hasher::{HashAlg, HasherConfig};
use std::io::Cursor;

/// A frame is 512 pixels long at most; anything near this is no frame.
const MOST_PIXELS_A_SIDE: u32 = 4096;
const MOST_MEMORY: u64 = 64 * 1024 * 1024;

/// A hash of 16 by 16 bits.
const SIDE: u32 = 16;

/// Below this, a picture is too empty to be told from others: black, a plain colour, a soft gradient.
const LEAST_DETAIL: f64 = 2.0;
/// What is left of the size of a picture, before anything is measured on it.
const SMALL_SIDE: u32 = 64;

/// Reads a frame, within limits.
pub fn decode(jpeg: &[u8]) -> ImageResult<GrayImage> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_PIXELS_A_SIDE);
    limits.max_image_height = Some(MOST_PIXELS_A_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    let mut reader = ImageReader::with_format(Cursor::new(jpeg), ImageFormat::Jpeg);
    reader.limits(limits);
    Ok(reader.decode()?.into_luma8())
}

/// The hash of a picture; `None` for one that shows too little to be recognised.
pub fn hash(picture: &GrayImage) -> Option<PictureHash> {
    let region = inside_of_borders(picture);
    if region.width == 0 || region.height == 0 {
        return None;
    }
    let inside = crop_imm(picture, region.x, region.y, region.width, region.height);
    let small = resize(&*inside, SMALL_SIDE, SMALL_SIDE, FilterType::Triangle);
    if detail(&small) < LEAST_DETAIL {
        return None;
    }
    let hasher = HasherConfig::with_bytes_type::<[u8; PictureHash::BYTES]>()
        .hash_alg(HashAlg::Median)
        .hash_size(SIDE, SIDE)
        .preproc_dct()
        .to_hasher();
    let bytes = hasher.hash_image(&small);
    let bytes: [u8; PictureHash::BYTES] = bytes.as_bytes().try_into().ok()?;
    Some(PictureHash::from_bytes(bytes))
}

/// How much there is to see: the mean difference of neighbouring pixels.
fn detail(small: &GrayImage) -> f64 {
    let at = |x, y| small.get_pixel(x, y).0[0];
    let pairs = (0..SMALL_SIDE).flat_map(|line| (1..SMALL_SIDE).map(move |next| (line, next)));
    let differences = pairs.map(|(line, next)| {
        let beside = at(next, line).abs_diff(at(next - 1, line));
        let below = at(line, next).abs_diff(at(line, next - 1));
        u32::from(beside) + u32::from(below)
    });
    f64::from(differences.sum::<u32>()) / (2.0 * f64::from(SMALL_SIDE * (SMALL_SIDE - 1)))
}
