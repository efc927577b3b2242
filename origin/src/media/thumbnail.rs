//! The pictures that stand for the video: poster, thumbnails and the placeholder's hash.
//!
//! Pictures that people sent are decoded with limits and written anew, so nothing of their metadata survives.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use base64::Engine;
use contract::{MediaFile, THUMBNAIL_WIDTHS};
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};

use super::MediaError;
use super::files::{self, output};
use super::ladder::fit;
use super::score::{Luma, best, score};
use super::stills::SAMPLE_SIDE;

/// A picture of 2 MB can claim to be of any size; this bounds what decoding it takes.
const LONGEST_SIDE: u32 = 8192;
const MOST_MEMORY: u64 = 160 << 20;

/// The poster fits where the largest rendition does.
const POSTER_BOX: (u32, u32) = (1920, 1080);

const QUALITY: u8 = 82;

/// Scores are compared on small pictures: enough to tell sharp from blurred, and quick.
const SCORED_SIDE: u32 = 256;

/// The placeholder's hash is made from at most this.
const HASHED_SIDE: u32 = 100;

/// Opens the picture that was sent, or says why it is none.
pub fn open_sent(path: &Path) -> Result<DynamicImage, MediaError> {
    let bytes =
        fs::read(path).map_err(|error| MediaError::trouble("reading the sent picture", &error))?;
    decode_sent(&bytes).map_err(|error| MediaError::picture(error.to_string()))
}

fn decode_sent(bytes: &[u8]) -> image::ImageResult<DynamicImage> {
    let format = image::guess_format(bytes)?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(on_white(&picture))
}

/// JPEG has no transparency: what shines through is white.
fn on_white(picture: &DynamicImage) -> DynamicImage {
    let rgba = picture.to_rgba8();
    let mut flat = RgbImage::new(rgba.width(), rgba.height());
    for (to, from) in flat.pixels_mut().zip(rgba.pixels()) {
        let [red, green, blue, alpha] = from.0.map(u16::from);
        let mix =
            |colour: u16| u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(255);
        to.0 = [mix(red), mix(green), mix(blue)];
    }
    DynamicImage::ImageRgb8(flat)
}

/// Makes a picture into the poster's file: in its box, either way round, never larger than it was.
pub(super) fn write_poster(picture: &DynamicImage, to: &Path) -> Result<(), MediaError> {
    let (long, short) = POSTER_BOX;
    let (width, height) = (picture.width(), picture.height());
    let (across, down) = if width >= height {
        (long, short)
    } else {
        (short, long)
    };
    let (width, height) = fit(width, height, across, down);
    write_jpeg(
        &picture.resize_exact(width, height, FilterType::CatmullRom),
        to,
    )
}

/// The frame that shows most, of those in a folder.
pub(super) fn choose(folder: &Path) -> Result<Option<PathBuf>, MediaError> {
    let frames = list(folder)?;
    let mut scores = Vec::new();
    for frame in &frames {
        let luma = open_frame(frame)?
            .thumbnail(SCORED_SIDE, SCORED_SIDE)
            .to_luma8();
        let width = usize::try_from(luma.width()).unwrap_or(0);
        scores.push(score(Luma {
            width,
            pixels: luma.as_raw(),
        }));
    }
    Ok(best(&scores).and_then(|index| frames.get(index).cloned()))
}

/// The files of a folder in the order of their numbers.
pub(super) fn list(folder: &Path) -> Result<Vec<PathBuf>, MediaError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| MediaError::trouble("listing frames", &error))?;
    let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    files.sort();
    Ok(files)
}

/// Writes the thumbnails beside the poster, and a small copy for moderation; answers the placeholder's hash.
pub(super) fn write_thumbnails(folder: &Path) -> Result<String, MediaError> {
    let poster = open_frame(&output(folder, MediaFile::Poster))?;
    let small = |across, down, to: &Path| {
        let (width, height) = fit(poster.width(), poster.height(), across, down);
        write_jpeg(
            &poster.resize_exact(width, height, FilterType::CatmullRom),
            to,
        )
    };
    for width in THUMBNAIL_WIDTHS {
        small(
            width,
            u32::MAX,
            &output(folder, MediaFile::Thumbnail(width)),
        )?;
    }
    small(SAMPLE_SIDE, SAMPLE_SIDE, &folder.join(files::JUDGED_POSTER))?;
    Ok(placeholder(&poster))
}

fn placeholder(poster: &DynamicImage) -> String {
    let small = poster.thumbnail(HASHED_SIDE, HASHED_SIDE).to_rgba8();
    let side = |length: u32| usize::try_from(length).unwrap_or(0);
    let hash =
        thumbhash::rgba_to_thumb_hash(side(small.width()), side(small.height()), small.as_raw());
    base64::engine::general_purpose::STANDARD.encode(hash)
}

/// A JPEG that ffmpeg or this file wrote.
fn open_frame(path: &Path) -> Result<DynamicImage, MediaError> {
    let bytes = fs::read(path).map_err(|error| MediaError::trouble("reading a frame", &error))?;
    image::load_from_memory_with_format(&bytes, ImageFormat::Jpeg)
        .map_err(|error| MediaError::Transient(format!("a frame of ours is broken: {error}")))
}

fn write_jpeg(picture: &DynamicImage, to: &Path) -> Result<(), MediaError> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, QUALITY)
        .encode_image(&picture.to_rgb8())
        .map_err(|error| MediaError::Permanent(format!("encoding a picture: {error}")))?;
    fs::write(to, bytes).map_err(|error| MediaError::trouble("writing a picture", &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn jpeg_png_and_webp_are_pictures() {
        let picture = DynamicImage::new_rgb8(30, 20);
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            let read = decode_sent(&encoded(&picture, format)).unwrap();
            assert_eq!((read.width(), read.height()), (30, 20));
        }
    }

    #[test]
    fn garbage_half_a_picture_and_other_formats_are_none() {
        let whole = encoded(&DynamicImage::new_rgb8(300, 200), ImageFormat::Png);
        for bytes in [
            &b""[..],
            b"GIF89a\x01\0\x01\0\0\0\0;",
            b"<svg/>",
            &whole[..whole.len() / 2],
        ] {
            assert!(decode_sent(bytes).is_err());
        }
    }

    #[test]
    fn a_picture_that_claims_a_monstrous_size_is_refused_before_it_is_decoded() {
        let mut bomb = encoded(&DynamicImage::new_rgb8(4, 4), ImageFormat::Png);
        bomb[16..24].copy_from_slice(&[0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF]);
        let crc = png_crc(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&crc.to_be_bytes());
        assert!(decode_sent(&bomb).is_err());
    }

    #[test]
    fn what_shines_through_is_white() {
        let picture =
            decode_sent(&encoded(&DynamicImage::new_rgba8(4, 4), ImageFormat::Png)).unwrap();
        assert!(picture.to_rgb8().pixels().all(|pixel| pixel.0 == [255; 3]));
    }

    fn png_crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
                (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
            })
        })
    }
}
