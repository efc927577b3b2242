//! Proves that the outputs match the plan, by examining them as if a stranger had written them.
//!
//! In: a [`Plan`], and the files that the encode wrote. Out: [`VerifiedOutputs`], which has what the lists of the files
//! say. Writes nothing. Trusts only ffprobe, our own prober and the files. A mismatch is a permanent error. A video
//! that ends too early is rejected, because the rest of its source could not be decoded. A missing or unreadable file
//! is a transient error. Must not depend on how the outputs were produced.

mod byte_range;
mod captions;
mod codec_name;
mod media_playlist;
mod mismatch;
mod pictures;
mod rendition;
mod segment_index;
mod subtitles;
mod video;

pub(super) use byte_range::ByteRange;
pub use captions::check_captions;
pub(super) use media_playlist::bit_rate;
pub(super) use mismatch::mismatch;
pub(super) use rendition::SoundRendition;
#[cfg(test)]
pub(super) use rendition::examples;
pub use rendition::{BitRates, Rendition};
pub(super) use segment_index::SegmentIndex;

use super::encode::Subtitles;
use super::files::output;
use super::plan::{Plan, Rung};
use super::source::{Loudness, measure_loudness};
use super::units::milliseconds;
use super::{MediaContext, MediaError};
use contract::limits::{VIDEO_DURATION_MS, counted_duration_ms};
use contract::{MediaFile, VideoCodec};
use mismatch::not_written;
use std::fs;
use std::path::Path;
use std::thread::{self, ScopedJoinHandle};
use video::Content;

/// The measurements of the outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedOutputs {
    pub duration_ms: u64,
    /// The size of the largest rung, also if it is not made yet.
    pub width: u32,
    pub height: u32,
    /// Those in H.264 first.
    pub renditions: Vec<Rendition>,
    pub(super) sound: Option<SoundRendition>,
    /// The sound for poor connections.
    pub(super) low_sound: Option<SoundRendition>,
    /// The loudness of the progressive file. `None` without sound, or if an earlier step wrote the file.
    pub loudness: Option<Loudness>,
}

/// Verifies all outputs except the lists of them, which are made of what this returns.
pub fn check_outputs(
    context: &MediaContext<'_>,
    plan: &Plan,
    subtitles: &Subtitles,
) -> Result<VerifiedOutputs, MediaError> {
    let (Some(largest), Some(top)) = (plan.rungs.first(), plan.rungs.get(plan.progressive_rung())) else {
        return Err(MediaError::Permanent("the plan has no rendition".into()));
    };
    // In parallel, because most of the time of a check is spent on starting a process.
    let (seconds, renditions, sound, low_sound, loudness) = thread::scope(|scope| {
        let video = scope.spawn(|| video::check(context, plan, Content::PicturesAndSound(top), MediaFile::Video));
        let loudness = scope.spawn(|| check_loudness(context, plan));
        let check_sound = |files| scope.spawn(move || rendition::check_sound(context, plan, files));
        let sound = plan.sound.as_ref().map(|_| check_sound((MediaFile::SoundPlaylist, MediaFile::SoundSegments)));
        let low = plan.has_low_sound();
        let low = low.then(|| check_sound((MediaFile::LowSoundPlaylist, MediaFile::LowSoundSegments)));
        let rungs = planned_renditions(plan);
        let check = |(rung, codec)| scope.spawn(move || rendition::check(context, plan, rung, codec));
        let rungs: Vec<_> = rungs.map(check).collect();
        let seconds = join(video)?.seconds;
        let renditions = rungs.into_iter().map(join).collect::<Result<Vec<_>, _>>()?;
        Ok((seconds, renditions, sound.map(join).transpose()?, low.map(join).transpose()?, join(loudness)?))
    })?;
    subtitles
        .tracks
        .iter()
        .try_for_each(|track| subtitles::check(context.folder, plan.playing_seconds, track.number))?;
    pictures::check(plan, context.folder)?;
    Ok(VerifiedOutputs {
        duration_ms: counted_duration_ms(milliseconds(seconds), plan.duration_ms, *VIDEO_DURATION_MS.end()),
        width: largest.width,
        height: largest.height,
        renditions,
        sound,
        low_sound,
        loudness,
    })
}

/// Verifies the poster and the thumbnails alone. Returns them with their sizes in bytes.
pub fn check_thumbnails(context: &MediaContext<'_>) -> Result<Vec<(MediaFile, u64)>, MediaError> {
    pictures::check_thumbnails(context.folder)?;
    MediaFile::THUMBNAILS.into_iter().map(|file| size(context.folder, file).map(|bytes| (file, bytes))).collect()
}

/// Returns all renditions of the pictures, those in H.264 first.
fn planned_renditions(plan: &Plan) -> impl Iterator<Item = (&Rung, VideoCodec)> {
    let in_h264 = plan.available_rungs().map(|rung| (rung, VideoCodec::H264));
    let second =
        plan.second_ladder().into_iter().flat_map(|second| second.rungs.iter().map(|rung| (rung, second.codec.into())));
    in_h264.chain(second)
}

fn join<T>(check: ScopedJoinHandle<'_, Result<T, MediaError>>) -> Result<T, MediaError> {
    check.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn check_loudness(context: &MediaContext<'_>, plan: &Plan) -> Result<Option<Loudness>, MediaError> {
    if plan.sound.is_none() || !plan.makes_progressive() {
        return Ok(None);
    }
    let file = output(context.folder, MediaFile::Video);
    let context = MediaContext { source: &file, ..*context };
    // Our files have the video in stream 0 and the sound in stream 1.
    let loudness = measure_loudness(&context, video::DEMUXER, (1, plan.playing_seconds), "anull")?;
    loudness.map(Some).ok_or_else(|| mismatch(MediaFile::Video, "its sound is empty"))
}

/// Returns every output with its size in bytes. Fails if one is missing or empty.
pub(super) fn list_files(
    folder: &Path,
    plan: &Plan,
    subtitles: &Subtitles,
) -> Result<Vec<(MediaFile, u64)>, MediaError> {
    let subtitle_tracks = u32::try_from(subtitles.tracks.len()).unwrap_or(u32::MAX);
    let files = MediaFile::all(plan.rendition_names(), subtitle_tracks).into_iter();
    let files = files.filter(|file| plan.sound.is_some() || !file.is_sound());
    let files = files.filter(|file| plan.has_low_sound() || !file.is_low_sound());
    files.map(|file| size(folder, file).map(|bytes| (file, bytes))).collect()
}

/// Returns the size of an output, which must not be empty.
pub(super) fn size(folder: &Path, name: MediaFile) -> Result<u64, MediaError> {
    match fs::metadata(output(folder, name)) {
        Ok(metadata) if metadata.len() > 0 => Ok(metadata.len()),
        Ok(_) => Err(not_written(name, &"the file is empty")),
        Err(error) => Err(not_written(name, &error)),
    }
}
