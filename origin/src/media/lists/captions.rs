//! Replaces the subtitle tracks in the lists of an already processed video.
//!
//! Everything else in these two files stays as the first job wrote it, because that job verified what they list.

use super::{dash_manifest, master_playlist, write_text};
use crate::media::MediaError;
use crate::media::verify::{mismatch, size};
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

/// Writes the lists with these verified tracks. Returns the files of the tracks and the lists with their sizes in
/// bytes.
pub fn replace_tracks(
    folder: &Path,
    lists: &TrackLists,
    verified: &[(&SubtitleTrack, u64)],
) -> Result<Vec<(MediaFile, u64)>, MediaError> {
    let tracks: Vec<SubtitleTrack> = verified.iter().map(|(track, _)| (*track).clone()).collect();
    let files_of =
        |track: &SubtitleTrack| [MediaFile::Subtitles(track.number), MediaFile::SubtitlePlaylist(track.number)];
    let mut files: Vec<MediaFile> = tracks.iter().flat_map(files_of).collect();
    let playlist = master_playlist::with_subtitles(&lists.master_playlist, &tracks);
    if master_playlist::subtitle_tracks(&playlist) != tracks {
        return Err(mismatch(MediaFile::MasterPlaylist, "it does not list the subtitles"));
    }
    write_text(folder, MediaFile::MasterPlaylist, &playlist)?;
    files.push(MediaFile::MasterPlaylist);
    if let Some(manifest) = &lists.dash_manifest {
        write_text(folder, MediaFile::DashManifest, &dash_manifest::with_subtitles(manifest, verified))?;
        files.push(MediaFile::DashManifest);
    }
    files.into_iter().map(|file| size(folder, file).map(|bytes| (file, bytes))).collect()
}
