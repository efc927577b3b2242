//! Checks that everything ffmpeg wrote is on the disk, down to the last byte.
//!
//! ffmpeg may continue with its other outputs when one of them fails, and report success. A file is truncated because
//! the disk was full, or because ffmpeg could not make it from this source. Whether a complete file matches the plan is
//! decided by `verify`.

use super::folders::list;
use super::whole_file::{is_whole_jpeg, is_whole_mp4, is_whole_webp};
use crate::media::MediaError;
use crate::media::files::{CANDIDATES, FRAMES, KEPT_PICTURES, LOW_SOUND, output};
use crate::media::plan::Plan;
use crate::media::step_files::made_renditions;
use contract::MediaFile;
use std::fmt::Display;
use std::fs::{self, File};
use std::path::Path;

/// Checks all files that ffmpeg wrote.
pub(super) fn check(plan: &Plan, folder: &Path) -> Result<(), MediaError> {
    for (_, file) in made_renditions(plan, folder) {
        check_video(&file)?;
    }
    if plan.makes_low_sound() {
        check_video(&folder.join(LOW_SOUND))?;
    }
    if plan.keeps_small_pictures() {
        check_video(&folder.join(KEPT_PICTURES))?;
    }
    if !plan.makes_evidence() {
        return Ok(());
    }
    check_frames(folder)?;
    check_picture(folder, MediaFile::Storyboard, is_whole_jpeg)?;
    check_picture(folder, MediaFile::Preview, is_whole_webp)
}

fn check_frames(folder: &Path) -> Result<(), MediaError> {
    let frames = list(&folder.join(FRAMES))?;
    if frames.is_empty() {
        return Err(MediaError::no_frame());
    }
    for frame in frames.iter().chain(&list(&folder.join(CANDIDATES))?) {
        require_whole(is_whole_jpeg(&read(frame)?), &frame.display())?;
    }
    Ok(())
}

fn check_video(path: &Path) -> Result<(), MediaError> {
    let is_whole = File::open(path).and_then(|file| is_whole_mp4(&file));
    let is_whole = is_whole.map_err(|error| not_written(&path.display(), &error))?;
    require_whole(is_whole, &path.display())
}

/// Accepts a missing picture: a source that ends too early has no preview, and `verify` rejects it for its length.
fn check_picture(folder: &Path, name: MediaFile, is_whole: fn(&[u8]) -> bool) -> Result<(), MediaError> {
    match fs::read(output(folder, name)) {
        Ok(bytes) if !bytes.is_empty() => require_whole(is_whole(&bytes), &name),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, MediaError> {
    fs::read(path).map_err(|error| not_written(&path.display(), &error))
}

fn require_whole(is_whole: bool, name: &dyn Display) -> Result<(), MediaError> {
    if is_whole {
        return Ok(());
    }
    Err(MediaError::Undecided(format!("{name} is truncated. Check whether the disk is full.")))
}

fn not_written(name: &dyn Display, error: &std::io::Error) -> MediaError {
    MediaError::Undecided(format!("{name} was not written: {error}"))
}
