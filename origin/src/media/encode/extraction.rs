//! Extracts additional frames for moderation from an encoded video.
//!
//! The frames come from the rung that is also the source of all samples. This module must not choose the frames.

use super::arguments::extraction_argv;
use super::folders;
use super::whole_file::is_whole_jpeg;
use crate::media::files::{DISTINCT_FRAMES, KEPT_PICTURES, output, rung_file};
use crate::media::plan::Plan;
use crate::media::process::run_ffmpeg;
use crate::media::{MediaContext, MediaError, limits};
use contract::MediaFile;
use std::fs;
use std::path::PathBuf;

/// Writes the frames with these numbers as JPEGs. The numbers must be in ascending order. Returns the paths in the same
/// order.
pub fn extract_frames(context: &MediaContext<'_>, plan: &Plan, numbers: &[u64]) -> Result<Vec<PathBuf>, MediaError> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let file = file_to_read(context, plan);
    let argv = extraction_argv(plan, &file, context.tools.threads, numbers);
    let context = MediaContext { source: &file, ..*context };
    run_ffmpeg(&context, &argv, limits::encode_time(plan.duration_ms), |_| {})?;
    let folder = context.folder.join(DISTINCT_FRAMES);
    folders::reject_links(&folder)?;
    let frames = folders::list(&folder)?;
    let are_whole = frames.iter().all(|frame| fs::read(frame).is_ok_and(|bytes| is_whole_jpeg(&bytes)));
    if frames.len() == numbers.len() && are_whole {
        return Ok(frames);
    }
    let (written, expected) = (frames.len(), numbers.len());
    Err(MediaError::Undecided(format!("{written} of {expected} further frames were extracted")))
}

fn file_to_read(context: &MediaContext<'_>, plan: &Plan) -> PathBuf {
    match plan.picture_rung() {
        _ if plan.keeps_small_pictures() => context.folder.join(KEPT_PICTURES),
        Some((index, rung)) if index != plan.progressive_rung() => rung_file(context.folder, rung.name.into()),
        _ => output(context.folder, MediaFile::Video),
    }
}
