//! Checks the new subtitle tracks of an already processed video, and writes them into its playlist and its manifest.
//!
//! Everything else in these two files stays as the first job wrote it, because that job verified what they list.

use super::media_playlist::bit_rate;
use super::mismatch::mismatch;
use super::{dash_manifest, master_playlist, size, subtitles, write_text};
use crate::media::{MediaError, units};
use contract::MediaFile;
use contract::subtitles::SubtitleTrack;
use std::path::Path;

/// The lists of the tracks, as the first job wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackLists {
    pub master_playlist: String,
    /// A video that was processed long ago has none.
    pub dash_manifest: Option<String>,
}

/// Verifies the files of these tracks and writes the lists. Returns all of them with their sizes in bytes.
pub fn check_captions(
    folder: &Path,
    lists: &TrackLists,
    tracks: &[SubtitleTrack],
    duration_ms: u64,
) -> Result<Vec<(MediaFile, u64)>, MediaError> {
    let seconds = units::seconds(duration_ms);
    let mut files = Vec::new();
    let mut rates = Vec::new();
    for track in tracks {
        subtitles::check(folder, seconds, track.number)?;
        let webvtt = MediaFile::Subtitles(track.number);
        rates.push((track, bit_rate(size(folder, webvtt)?, seconds)));
        files.extend([webvtt, MediaFile::SubtitlePlaylist(track.number)]);
    }
    let playlist = master_playlist::with_subtitles(&lists.master_playlist, tracks);
    if master_playlist::subtitle_tracks(&playlist) != tracks {
        return Err(mismatch(MediaFile::MasterPlaylist, "it does not list the subtitles"));
    }
    write_text(folder, MediaFile::MasterPlaylist, &playlist)?;
    files.push(MediaFile::MasterPlaylist);
    if let Some(manifest) = &lists.dash_manifest {
        write_text(folder, MediaFile::DashManifest, &dash_manifest::with_subtitles(manifest, &rates))?;
        files.push(MediaFile::DashManifest);
    }
    files.into_iter().map(|file| size(folder, file).map(|bytes| (file, bytes))).collect()
}
