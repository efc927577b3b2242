//! Proves that the outputs match the plan, by examining them as if a stranger had written them.
//!
//! In: a [`Plan`], and the files that the encode wrote. Out: [`VerifiedOutputs`], the master playlist and the DASH
//! manifest, which list only what was verified. Trusts only ffprobe, our own prober and the files. A mismatch is a
//! permanent error. A video that ends too early is rejected, because the rest of its source could not be decoded. A
//! missing or unreadable file is a transient error. Must not depend on how the outputs were produced.

mod byte_range;
mod captions;
mod codec_name;
mod dash_manifest;
mod master_playlist;
mod media_playlist;
mod mismatch;
mod pictures;
mod rendition;
mod segment_index;
mod subtitles;
mod video;

pub use captions::{TrackLists, check_captions};
pub use master_playlist::subtitle_tracks;
pub use rendition::{BitRates, Rendition};

use super::encode::Subtitles;
use super::files::output;
use super::plan::{Plan, Rung};
use super::source::{Loudness, measure_loudness};
use super::units::milliseconds;
use super::{MediaContext, MediaError};
use contract::subtitles::SubtitleTrack;
use contract::{MediaFile, VideoCodec};
use dash_manifest::Manifest;
use master_playlist::{Choices, Sounds};
use media_playlist::bit_rate;
use mismatch::{mismatch, not_written};
use rendition::SoundRendition;
use std::fs;
use std::path::Path;
use std::thread::{self, ScopedJoinHandle};
use video::Content;

/// The measurements of the outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedOutputs {
    pub duration_ms: u64,
    pub width: u32,
    pub height: u32,
    /// Those in H.264 first.
    pub renditions: Vec<Rendition>,
    /// The loudness of the progressive file. `None` without sound.
    pub loudness: Option<Loudness>,
    /// Every output with its size in bytes.
    pub files: Vec<(MediaFile, u64)>,
}

/// Verifies all outputs, and writes the master playlist and the DASH manifest.
pub fn check_outputs(
    context: &MediaContext<'_>,
    plan: &Plan,
    subtitles: &Subtitles,
) -> Result<VerifiedOutputs, MediaError> {
    let Some(top) = plan.rungs.first() else {
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
    write_master_playlist(context.folder, &renditions, [&sound, &low_sound], subtitles)?;
    let sounds: Vec<_> = sound.into_iter().chain(low_sound).collect();
    write_manifest(context.folder, plan, &renditions, &sounds, subtitles)?;
    pictures::check(plan, context.folder)?;
    Ok(VerifiedOutputs {
        duration_ms: milliseconds(seconds),
        width: top.width,
        height: top.height,
        renditions,
        loudness,
        files: list_files(plan, subtitles, context.folder)?,
    })
}

/// Verifies the poster and the thumbnails alone. Returns them with their sizes in bytes.
pub fn check_thumbnails(context: &MediaContext<'_>) -> Result<Vec<(MediaFile, u64)>, MediaError> {
    pictures::check_thumbnails(context.folder)?;
    MediaFile::THUMBNAILS.into_iter().map(|file| size(context.folder, file).map(|bytes| (file, bytes))).collect()
}

/// Returns all renditions of the pictures, those in H.264 first.
fn planned_renditions(plan: &Plan) -> impl Iterator<Item = (&Rung, VideoCodec)> {
    let in_h264 = plan.rungs.iter().map(|rung| (rung, VideoCodec::H264));
    let second = plan.second.iter().flat_map(|second| second.rungs.iter().map(|rung| (rung, second.codec.into())));
    in_h264.chain(second)
}

fn join<T>(check: ScopedJoinHandle<'_, Result<T, MediaError>>) -> Result<T, MediaError> {
    check.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn check_loudness(context: &MediaContext<'_>, plan: &Plan) -> Result<Option<Loudness>, MediaError> {
    if plan.sound.is_none() {
        return Ok(None);
    }
    let file = output(context.folder, MediaFile::Video);
    let context = MediaContext { source: &file, ..*context };
    // Our files have the video in stream 0 and the sound in stream 1.
    let loudness = measure_loudness(&context, video::DEMUXER, 1, "anull")?;
    loudness.map(Some).ok_or_else(|| mismatch(MediaFile::Video, "its sound is empty"))
}

fn write_master_playlist(
    folder: &Path,
    renditions: &[Rendition],
    [usual, low]: [&Option<SoundRendition>; 2],
    subtitles: &Subtitles,
) -> Result<(), MediaError> {
    let bit_rates = |sound: &Option<SoundRendition>| sound.as_ref().map(|sound| sound.bit_rates);
    let sounds = Sounds { usual: bit_rates(usual), low: bit_rates(low) };
    let has_closed_captions = subtitles.has_closed_captions;
    let choices = Choices { sounds, subtitles: &subtitles.tracks, has_closed_captions };
    write_text(folder, MediaFile::MasterPlaylist, &master_playlist::format(renditions, choices))
}

fn write_manifest(
    folder: &Path,
    plan: &Plan,
    renditions: &[Rendition],
    sounds: &[SoundRendition],
    subtitles: &Subtitles,
) -> Result<(), MediaError> {
    let manifest = Manifest {
        rate: plan.rate,
        renditions,
        sounds,
        subtitles: &subtitle_bit_rates(plan, subtitles, folder)?,
        has_closed_captions: subtitles.has_closed_captions,
    };
    write_text(folder, MediaFile::DashManifest, &manifest.format())
}

fn write_text(folder: &Path, file: MediaFile, text: &str) -> Result<(), MediaError> {
    fs::write(output(folder, file), text).map_err(|error| MediaError::io("writing an output", &error))
}

/// Returns each subtitle track with its bits per second.
fn subtitle_bit_rates<'a>(
    plan: &Plan,
    subtitles: &'a Subtitles,
    folder: &Path,
) -> Result<Vec<(&'a SubtitleTrack, u64)>, MediaError> {
    let rate = |track: &'a SubtitleTrack| {
        let bytes = size(folder, MediaFile::Subtitles(track.number))?;
        Ok((track, bit_rate(bytes, plan.playing_seconds)))
    };
    subtitles.tracks.iter().map(rate).collect()
}

fn list_files(plan: &Plan, subtitles: &Subtitles, folder: &Path) -> Result<Vec<(MediaFile, u64)>, MediaError> {
    let subtitle_tracks = u32::try_from(subtitles.tracks.len()).unwrap_or(u32::MAX);
    let files = MediaFile::all(plan.rendition_names(), subtitle_tracks).into_iter();
    let files = files.filter(|file| plan.sound.is_some() || !file.is_sound());
    let files = files.filter(|file| plan.has_low_sound() || !file.is_low_sound());
    files.map(|file| size(folder, file).map(|bytes| (file, bytes))).collect()
}

/// Returns the size of an output, which must not be empty.
fn size(folder: &Path, name: MediaFile) -> Result<u64, MediaError> {
    match fs::metadata(output(folder, name)) {
        Ok(metadata) if metadata.len() > 0 => Ok(metadata.len()),
        Ok(_) => Err(not_written(name, &"the file is empty")),
        Err(error) => Err(not_written(name, &error)),
    }
}
