//! The perceptual hashes of a frame: PDQ of what is inside its borders, and of a sharp picture in a blurred background.
//!
//! `docs/moderation.md` explains the choice of hash with measurements; `examples/moderation_matrix` repeats them.
//! Any change to these steps invalidates the blocklist, because its hashes were computed in the same way.

use crate::moderation::border::{Region, region_inside_borders};
use crate::moderation::inset::sharp_inset;
use crate::moderation::pdq::pdq;
use contract::PictureHash;
use image::imageops::crop_imm;
use image::{GrayImage, ImageFormat, ImageReader, ImageResult, Limits};
use std::io::Cursor;

/// Frames are at most 512 pixels long. An image near this limit is not a frame.
const MAX_SIDE_PIXELS: u32 = 4096;
const MAX_DECODER_BYTES: u64 = 64 * 1024 * 1024;

/// Very small frames retain less detail. This threshold distinguishes them from a plain colour.
const MIN_SMALL_QUALITY: u32 = 12;

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

/// Returns the hash of a picture and, if it is a sharp picture in a blurred background, the hash of that picture too. A
/// picture with too little detail to be recognised has no hash.
///
/// The whole picture always counts, because the region of a picture inside could be forged, or found by mistake.
pub fn picture_hashes(picture: &GrayImage) -> Vec<PictureHash> {
    let whole = inside_borders(picture);
    let inset = sharp_inset(&whole).map(|region| inside_borders(&cut(&whole, region)));
    let pictures = [Some(whole), inset].into_iter().flatten();
    pictures.filter_map(|picture| hash_with_quality(&picture, PictureHash::MIN_QUALITY)).collect()
}

/// Returns the hash of a frame whose sides are a few dozen pixels long. It is comparable only with such hashes of the
/// same video.
pub fn small_picture_hash(picture: &GrayImage) -> Option<PictureHash> {
    hash_with_quality(&inside_borders(picture), MIN_SMALL_QUALITY)
}

fn hash_with_quality(picture: &GrayImage, min_quality: u32) -> Option<PictureHash> {
    let pdq = pdq(picture)?;
    (pdq.quality >= min_quality).then_some(pdq.hash)
}

fn inside_borders(picture: &GrayImage) -> GrayImage {
    cut(picture, region_inside_borders(picture))
}

fn cut(picture: &GrayImage, Region { x, y, width, height }: Region) -> GrayImage {
    crop_imm(picture, x, y, width, height).to_image()
}
