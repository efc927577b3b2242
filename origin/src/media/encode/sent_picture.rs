//! The picture that a client sent as the thumbnail: decoded with limits and re-encoded, so that none of its metadata
//! survives.

use crate::media::MediaError;
use crate::media::plan::fit;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, Limits, RgbImage};
use std::fs;
use std::io::Cursor;
use std::path::Path;

/// A picture of 2 MB can claim any size. These limits bound the cost of decoding it.
const MAX_SIDE: u32 = 8192;
const MAX_MEMORY: u64 = 160 << 20;

/// The poster fits into the box of the largest rendition.
const POSTER_BOX: (u32, u32) = (1920, 1080);

const JPEG_QUALITY: u8 = 82;

/// Opens the picture, or says why it is rejected.
pub(super) fn open(path: &Path) -> Result<DynamicImage, MediaError> {
    let bytes = fs::read(path).map_err(|error| MediaError::io("reading the sent picture", &error))?;
    decode(&bytes).map_err(|error| MediaError::invalid_thumbnail(reason(&error), error.to_string()))
}

/// Returns what the owner is told.
const fn reason(error: &ImageError) -> &'static str {
    match error {
        ImageError::Limits(_) => "the picture has a side of more than 8,192 pixels, or too many pixels",
        _ => "the picture is damaged. Save it again as a JPEG, PNG or WebP",
    }
}

fn decode(bytes: &[u8]) -> image::ImageResult<DynamicImage> {
    let format = image::guess_format(bytes)?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(on_white(&picture))
}

/// Puts a white background behind transparent pixels, because JPEG has no transparency.
fn on_white(picture: &DynamicImage) -> DynamicImage {
    let rgba = picture.to_rgba8();
    let mut flat = RgbImage::new(rgba.width(), rgba.height());
    for (to, from) in flat.pixels_mut().zip(rgba.pixels()) {
        let [red, green, blue, alpha] = from.0.map(u16::from);
        let mix = |colour: u16| u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(255);
        to.0 = [mix(red), mix(green), mix(blue)];
    }
    DynamicImage::ImageRgb8(flat)
}

/// Writes the picture as the poster: within the poster's box, in either orientation, and never enlarged.
pub(super) fn write_poster(picture: &DynamicImage, path: &Path) -> Result<(), MediaError> {
    let (long, short) = POSTER_BOX;
    let (width, height) = (picture.width(), picture.height());
    let (max_width, max_height) = if width >= height { (long, short) } else { (short, long) };
    let (width, height) = fit(width, height, max_width, max_height);
    write_jpeg(&picture.resize_exact(width, height, FilterType::CatmullRom), path)
}

pub(super) fn write_jpeg(picture: &DynamicImage, path: &Path) -> Result<(), MediaError> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY)
        .encode_image(&picture.to_rgb8())
        .map_err(|error| MediaError::Permanent(format!("encoding a picture: {error}")))?;
    fs::write(path, bytes).map_err(|error| MediaError::io("writing a picture", &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::ImageFormat;

    fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn jpeg_png_and_webp_are_accepted() {
        let picture = DynamicImage::new_rgb8(30, 20);
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            let decoded = decode(&encoded(&picture, format)).unwrap();
            assert_eq!((decoded.width(), decoded.height()), (30, 20));
        }
    }

    #[test]
    fn garbage_truncated_pictures_and_other_formats_are_rejected() {
        let whole = encoded(&DynamicImage::new_rgb8(300, 200), ImageFormat::Png);
        for bytes in [&b""[..], b"GIF89a\x01\0\x01\0\0\0\0;", b"<svg/>", &whole[..whole.len() / 2]] {
            assert!(decode(bytes).is_err());
        }
    }

    #[test]
    fn a_picture_that_claims_an_enormous_size_is_rejected_before_it_is_decoded() {
        let mut bomb = encoded(&DynamicImage::new_rgb8(4, 4), ImageFormat::Png);
        bomb[16..24].copy_from_slice(&[0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF]);
        let crc = png_crc(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&crc.to_be_bytes());
        let error = decode(&bomb).unwrap_err();
        assert!(reason(&error).contains("8,192 pixels"), "{error}");
    }

    #[test]
    fn transparent_pixels_become_white() {
        let picture = decode(&encoded(&DynamicImage::new_rgba8(4, 4), ImageFormat::Png)).unwrap();
        assert!(picture.to_rgb8().pixels().all(|pixel| pixel.0 == [255; 3]));
    }

    fn png_crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
        })
    }
}
