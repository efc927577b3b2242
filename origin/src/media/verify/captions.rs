//! Checks the new subtitle tracks of an already processed video. Everything else was verified by its first job.

use super::media_playlist::bit_rate;
use super::{size, subtitles};
use crate::media::{MediaError, units};
use contract::MediaFile;
use contract::subtitles::SubtitleTrack;
use std::path::Path;

/// Verifies the files of these tracks. Returns each track with its bits per second.
pub fn check_captions<'a>(
    folder: &Path,
    tracks: &'a [SubtitleTrack],
    duration_ms: u64,
) -> Result<Vec<(&'a SubtitleTrack, u64)>, MediaError> {
    let seconds = units::seconds(duration_ms);
    let check = |track: &'a SubtitleTrack| {
        subtitles::check(folder, seconds, track.number)?;
        Ok((track, bit_rate(size(folder, MediaFile::Subtitles(track.number))?, seconds)))
    };
    tracks.iter().map(check).collect()
}
