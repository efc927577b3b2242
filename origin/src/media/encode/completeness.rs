//! Checks that everything ffmpeg wrote is on the disk, down to the last byte.
//!
//! The `tee` muxer hides a full disk from ffmpeg: ffmpeg continues with the other outputs, or without a message, and
//! reports success. A truncated file is a transient error of this machine. Whether a complete file matches the plan is
//! decided by `verify`.

use super::folders::list;
use super::media_playlist::{MediaPlaylist, is_whole_playlist};
use super::whole_file::{is_whole_jpeg, is_whole_mp4, is_whole_webp};
use crate::media::MediaError;
use crate::media::files::{CANDIDATES, FRAMES, output};
use crate::media::plan::Plan;
use contract::MediaFile;
use std::fmt::Display;
use std::fs::{self, File};
use std::path::Path;

/// Checks all files that ffmpeg wrote.
pub(super) fn check(plan: &Plan, folder: &Path) -> Result<(), MediaError> {
    check_frames(folder)?;
    check_video(folder, MediaFile::Video)?;
    for rung in &plan.rungs {
        check_video(folder, MediaFile::Segments(rung.name))?;
        check_playlist(folder, rung.name)?;
    }
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

fn check_video(folder: &Path, name: MediaFile) -> Result<(), MediaError> {
    let is_whole = File::open(output(folder, name)).and_then(|file| is_whole_mp4(&file));
    let is_whole = is_whole.map_err(|error| not_written(&name, &error))?;
    require_whole(is_whole, &name)
}

/// Checks that the playlist has its last line, and that all bytes it lists exist.
fn check_playlist(folder: &Path, rung: u32) -> Result<(), MediaError> {
    let (name, segments) = (MediaFile::Playlist(rung), MediaFile::Segments(rung));
    let text = read(&output(folder, name))?;
    let text = String::from_utf8_lossy(&text);
    require_whole(is_whole_playlist(&text), &name)?;
    let listed = MediaPlaylist::parse(&text, rung).bytes;
    let metadata = fs::metadata(output(folder, segments)).map_err(|error| not_written(&segments, &error))?;
    require_whole(listed <= metadata.len(), &segments)
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
    Err(MediaError::Transient(format!("{name} is truncated. Check whether the disk is full.")))
}

fn not_written(name: &dyn Display, error: &std::io::Error) -> MediaError {
    MediaError::Transient(format!("{name} was not written: {error}"))
}
