//! Checks the sizes of the pictures.

use super::mismatch::{mismatch, not_written};
use crate::media::MediaError;
use crate::media::files::output;
use crate::media::plan::{Plan, fit};
use contract::{MediaFile, THUMBNAIL_WIDTHS};
use std::path::Path;

pub(super) fn check(plan: &Plan, folder: &Path) -> Result<(), MediaError> {
    let board = &plan.stills.storyboard;
    let side = |cells: u64, length: u32| u32::try_from(cells).unwrap_or(u32::MAX).saturating_mul(length);
    let board_size = (side(board.columns, board.width), side(board.rows, board.height));
    check_size(folder, MediaFile::Storyboard, Some(board_size))?;
    check_size(folder, MediaFile::Preview, Some(plan.stills.preview_size))?;
    check_thumbnails(folder)
}

/// Checks the pictures that stand for the video.
pub(super) fn check_thumbnails(folder: &Path) -> Result<(), MediaError> {
    let (width, height) = check_size(folder, MediaFile::Poster, None)?;
    for nominal_width in THUMBNAIL_WIDTHS {
        let expected = fit(width, height, nominal_width, u32::MAX);
        check_size(folder, MediaFile::Thumbnail(nominal_width), Some(expected))?;
    }
    Ok(())
}

fn check_size(folder: &Path, name: MediaFile, expected: Option<(u32, u32)>) -> Result<(u32, u32), MediaError> {
    let size = image::image_dimensions(output(folder, name)).map_err(|error| not_written(name, &error))?;
    if expected.is_some_and(|expected| expected != size) {
        return Err(mismatch(name, &format!("{size:?} instead of {expected:?}")));
    }
    Ok(size)
}
