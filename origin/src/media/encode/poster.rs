//! Chooses the poster among the extracted frames, and derives the thumbnails and the placeholder from it.

use super::folders;
use super::frame_score::{Luma, best, score};
use super::sent_picture::write_jpeg;
use crate::media::MediaError;
use crate::media::files::{CANDIDATES, FRAMES, MODERATION_POSTER, output};
use crate::media::plan::{SAMPLE_SIDE, fit};
use base64::Engine;
use contract::{MediaFile, THUMBNAIL_WIDTHS};
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat};
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// Frames are scored at this size, which is large enough to tell sharp from blurred, and fast.
const SCORED_SIDE: u32 = 256;

/// The maximum size of the picture from which the placeholder is computed.
const PLACEHOLDER_SIDE: u32 = 100;

/// Copies the best of the full-size candidates to `poster`. If a damaged source has none, copies the last small frame.
pub(super) fn choose(folder: &Path, poster: &Path) -> Result<(), MediaError> {
    let frame = match best_frame(&folder.join(CANDIDATES))? {
        Some(frame) => Some(frame),
        None => folders::list(&folder.join(FRAMES))?.pop(),
    };
    let frame = frame.ok_or_else(MediaError::no_frame)?;
    fs::copy(frame, poster).map_err(|error| MediaError::io("copying the poster", &error))?;
    Ok(())
}

/// Returns the frame that shows the most. Scores the few candidates at the same time.
fn best_frame(folder: &Path) -> Result<Option<PathBuf>, MediaError> {
    let mut frames = folders::list(folder)?;
    let scores = thread::scope(|scope| {
        let scores: Vec<_> = frames.iter().map(|frame| scope.spawn(|| score_of(frame))).collect();
        let scores = scores.into_iter().map(|score| score.join().unwrap_or_else(|panic| resume_unwind(panic)));
        scores.collect::<Result<Vec<_>, _>>()
    })?;
    Ok(best(&scores).map(|index| frames.swap_remove(index)))
}

fn score_of(frame: &Path) -> Result<f64, MediaError> {
    let luma = open_frame(frame)?.thumbnail(SCORED_SIDE, SCORED_SIDE).to_luma8();
    let width = usize::try_from(luma.width()).unwrap_or(0);
    Ok(score(Luma { width, pixels: luma.as_raw() }))
}

/// Writes the thumbnails beside the poster, and a small copy for moderation. Returns the placeholder.
pub(super) fn write_thumbnails(folder: &Path) -> Result<String, MediaError> {
    let poster = open_frame(&output(folder, MediaFile::Poster))?;
    let write = |width| write_small(&poster, (width, u32::MAX), &output(folder, MediaFile::Thumbnail(width)));
    thread::scope(|scope| {
        let writes = THUMBNAIL_WIDTHS.map(|width| scope.spawn(move || write(width)));
        write_moderation_poster(&poster, folder)?;
        writes.into_iter().try_for_each(|write| write.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    Ok(placeholder(&poster))
}

fn write_small(poster: &DynamicImage, (max_width, max_height): (u32, u32), path: &Path) -> Result<(), MediaError> {
    let (width, height) = fit(poster.width(), poster.height(), max_width, max_height);
    write_jpeg(&poster.resize_exact(width, height, FilterType::CatmullRom), path)
}

/// Writes the small copy for moderation of a picture that an earlier job made.
pub fn write_moderation_copy(picture: &Path, folder: &Path) -> Result<(), MediaError> {
    write_moderation_poster(&open_frame(picture)?, folder)
}

fn write_moderation_poster(poster: &DynamicImage, folder: &Path) -> Result<(), MediaError> {
    write_small(poster, (SAMPLE_SIDE, SAMPLE_SIDE), &folder.join(MODERATION_POSTER))
}

fn placeholder(poster: &DynamicImage) -> String {
    let small = poster.thumbnail(PLACEHOLDER_SIDE, PLACEHOLDER_SIDE).to_rgba8();
    let side = |length: u32| usize::try_from(length).unwrap_or(0);
    let hash = thumbhash::rgba_to_thumb_hash(side(small.width()), side(small.height()), small.as_raw());
    base64::engine::general_purpose::STANDARD.encode(hash)
}

/// Opens a JPEG that ffmpeg or this program wrote.
fn open_frame(path: &Path) -> Result<DynamicImage, MediaError> {
    let bytes = fs::read(path).map_err(|error| MediaError::io("reading a frame", &error))?;
    image::load_from_memory_with_format(&bytes, ImageFormat::Jpeg)
        .map_err(|error| MediaError::Undecided(format!("decoding one of our frames: {error}")))
}
