//! Computes the perceptual hash of a frame: 256 bits of its coarse structure, which survive re-encoding and cropping.
//!
//! `docs/moderation.md` explains the choice of hash with measurements; `examples/moderation_matrix` repeats them.
//! Any change to these steps invalidates the blocklist, because its hashes were computed in the same way.

use crate::moderation::border::region_inside_borders;
use contract::PictureHash;
use image::imageops::{FilterType, crop_imm, resize};
use image::{GrayImage, ImageFormat, ImageReader, ImageResult, Limits};
use image_hasher::{HashAlg, HasherConfig};
use std::io::Cursor;

/// Frames are at most 512 pixels long. An image near this limit is not a frame.
const MAX_SIDE_PIXELS: u32 = 4096;
const MAX_DECODER_BYTES: u64 = 64 * 1024 * 1024;

/// The hash has 16 by 16 bits.
const HASH_SIDE: u32 = 16;

/// Pictures with less detail, such as black, a plain colour or a soft gradient, cannot be told apart.
const MIN_DETAIL: f64 = 2.0;
/// Very small frames retain less detail. This threshold distinguishes them from a plain colour.
const MIN_SMALL_DETAIL: f64 = 0.5;
/// Every picture is reduced to a square of this size before it is measured and hashed.
const REDUCED_SIDE: u32 = 64;

/// Decodes a frame, within limits of size and memory.
pub fn decode(jpeg: &[u8]) -> ImageResult<GrayImage> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(jpeg), ImageFormat::Jpeg);
    reader.limits(limits);
    Ok(reader.decode()?.into_luma8())
}

/// Returns the hash of a picture, or `None` if it shows too little detail to be recognised.
pub fn picture_hash(picture: &GrayImage) -> Option<PictureHash> {
    hash_with_detail(picture, MIN_DETAIL)
}

/// Returns the hash of a frame whose sides are a few dozen pixels long. It is comparable only with such hashes of the
/// same video.
pub fn small_picture_hash(picture: &GrayImage) -> Option<PictureHash> {
    hash_with_detail(picture, MIN_SMALL_DETAIL)
}

fn hash_with_detail(picture: &GrayImage, min_detail: f64) -> Option<PictureHash> {
    let region = region_inside_borders(picture);
    if region.width == 0 || region.height == 0 {
        return None;
    }
    let inside = crop_imm(picture, region.x, region.y, region.width, region.height);
    let reduced = resize(&*inside, REDUCED_SIDE, REDUCED_SIDE, FilterType::Triangle);
    if detail(&reduced) < min_detail {
        return None;
    }
    let hasher = HasherConfig::with_bytes_type::<[u8; PictureHash::BYTES]>()
        .hash_alg(HashAlg::Median)
        .hash_size(HASH_SIDE, HASH_SIDE)
        .preproc_dct()
        .to_hasher();
    let hash = hasher.hash_image(&reduced);
    let bytes: [u8; PictureHash::BYTES] = hash.as_bytes().try_into().ok()?;
    Some(PictureHash::from_bytes(bytes))
}

/// Returns the mean difference between neighbouring pixels.
fn detail(reduced: &GrayImage) -> f64 {
    let at = |x, y| reduced.get_pixel(x, y).0[0];
    let pairs = (0..REDUCED_SIDE).flat_map(|line| (1..REDUCED_SIDE).map(move |next| (line, next)));
    let differences = pairs.map(|(line, next)| {
        let horizontal = at(next, line).abs_diff(at(next - 1, line));
        let vertical = at(line, next).abs_diff(at(line, next - 1));
        u32::from(horizontal) + u32::from(vertical)
    });
    f64::from(differences.sum::<u32>()) / (2.0 * f64::from(REDUCED_SIDE * (REDUCED_SIDE - 1)))
}
