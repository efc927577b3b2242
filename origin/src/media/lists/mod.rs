//! Writes the files that players read first: the master playlist and the DASH manifest.
//!
//! In: a [`Plan`] and [`VerifiedOutputs`]. Out: the two lists, which name only what was verified, and every output with
//! its size. Must not examine media.

mod captions;
mod dash_manifest;
mod master_playlist;

pub use captions::{TrackLists, replace_tracks};
pub use master_playlist::{has_closed_captions, subtitle_tracks};

use super::encode::Subtitles;
use super::files::output;
use super::plan::Plan;
use super::verify::{BitRates, SoundRendition, VerifiedOutputs, bit_rate, list_files, size};
use super::{MediaContext, MediaError};
use contract::MediaFile;
use contract::subtitles::SubtitleTrack;
use dash_manifest::Manifest;
use master_playlist::{Choices, Sounds};
use std::fs;
use std::path::Path;

/// Writes both lists. Returns every output of the job with its size in bytes.
pub fn write_lists(
    context: &MediaContext<'_>,
    plan: &Plan,
    verified: &VerifiedOutputs,
    subtitles: &Subtitles,
) -> Result<Vec<(MediaFile, u64)>, MediaError> {
    write_master_playlist(context.folder, verified, subtitles)?;
    write_manifest(context.folder, plan, verified, subtitles)?;
    list_files(context.folder, plan, subtitles)
}

fn write_master_playlist(folder: &Path, verified: &VerifiedOutputs, subtitles: &Subtitles) -> Result<(), MediaError> {
    let bit_rates =
        |sound: &Option<SoundRendition>| -> Option<BitRates> { sound.as_ref().map(|sound| sound.bit_rates) };
    let sounds = Sounds { usual: bit_rates(&verified.sound), low: bit_rates(&verified.low_sound) };
    let has_closed_captions = subtitles.has_closed_captions;
    let choices = Choices { sounds, subtitles: &subtitles.tracks, has_closed_captions };
    write_text(folder, MediaFile::MasterPlaylist, &master_playlist::format(&verified.renditions, choices))
}

fn write_manifest(
    folder: &Path,
    plan: &Plan,
    verified: &VerifiedOutputs,
    subtitles: &Subtitles,
) -> Result<(), MediaError> {
    let sounds: Vec<&SoundRendition> = verified.sound.iter().chain(&verified.low_sound).collect();
    let manifest = Manifest {
        rate: plan.rate,
        renditions: &verified.renditions,
        sounds: &sounds,
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
