//! Makes the HLS renditions out of the MP4 files that ffmpeg wrote: CMAF segments and their playlists.
//!
//! In: a [`Plan`], and one MP4 for each rung. Out: for each rung and for the sound, one file of segments and its
//! playlists. Copies samples and changes none, except that those of a copied source lose their metadata first. Must not
//! start a process.
//!
//! ffmpeg's own HLS muxer needs edit lists, which players ignore: sound would lead by the delay of the encoder's
//! reordered frames, and a copied rung would be shifted against the encoded ones. Here, all tracks begin at zero.

mod error;
mod fragment;
mod metadata;
mod playlist;
mod segmenting;
mod timeline;
mod track;
mod writer;

use super::files::{output, rung_file};
use super::plan::Plan;
use super::{MediaContext, MediaError};
use contract::MediaFile;
use error::invalid;
use playlist::SegmentList;
use segmenting::{SegmentLayout, divide_sound, divide_video};
use std::fs;
use std::path::Path;
use track::{Track, read_tracks};
use writer::write_segments;

/// Writes the segments and playlists of all renditions.
pub fn write_renditions(context: &MediaContext<'_>, plan: &Plan) -> Result<(), MediaError> {
    if plan.copy_video {
        let progressive = output(context.folder, MediaFile::Video);
        metadata::remove(&progressive, &read_track(&progressive, true)?)?;
    }
    for (index, rung) in plan.rungs.iter().enumerate() {
        write_video(context.folder, plan, index, rung.name)?;
    }
    if plan.sound.is_some() { write_sound(context.folder, plan) } else { Ok(()) }
}

fn write_video(folder: &Path, plan: &Plan, index: usize, rung: u32) -> Result<(), MediaError> {
    let source = if index == 0 { output(folder, MediaFile::Video) } else { rung_file(folder, rung) };
    let track = read_track(&source, true)?;
    let starts = plan.segments.starts_in(track.samples.len());
    let layout = divide_video(&track, &starts);
    let layout = layout.ok_or_else(|| invalid(&source, &"a segment does not begin with a keyframe"))?;
    let list = write_list(folder, &source, &track, &layout, (MediaFile::Segments(rung), MediaFile::Playlist(rung)))?;
    let keyframes = list.keyframe_playlist(&local_name(MediaFile::Segments(rung)));
    write_text(folder, MediaFile::KeyframePlaylist(rung), &keyframes)
}

fn write_sound(folder: &Path, plan: &Plan) -> Result<(), MediaError> {
    let source = output(folder, MediaFile::Video);
    let track = read_track(&source, false)?;
    let starts = plan.segments.starts.iter().map(|frame| plan.rate.seconds_at(*frame));
    let layout = divide_sound(&track, &starts.collect::<Vec<_>>());
    write_list(folder, &source, &track, &layout, (MediaFile::SoundSegments, MediaFile::SoundPlaylist)).map(drop)
}

/// Returns the only track of this kind, on the timeline of the renditions.
fn read_track(source: &Path, is_video: bool) -> Result<Track, MediaError> {
    let track = read_tracks(source)?.into_iter().find(|track| track.is_video() == is_video);
    let mut track = track.ok_or_else(|| invalid(source, &"a track is missing"))?;
    timeline::normalise(&mut track);
    Ok(track)
}

fn write_list(
    folder: &Path,
    source: &Path,
    track: &Track,
    layout: &[SegmentLayout],
    (segments, playlist): (MediaFile, MediaFile),
) -> Result<SegmentList, MediaError> {
    let list = write_segments(source, track, layout, &output(folder, segments))?;
    write_text(folder, playlist, &list.media_playlist(&local_name(segments)))?;
    Ok(list)
}

fn write_text(folder: &Path, file: MediaFile, text: &str) -> Result<(), MediaError> {
    fs::write(output(folder, file), text).map_err(|error| MediaError::io("writing a playlist", &error))
}

/// Returns the name of a file as its playlist, which is in the same folder, refers to it.
fn local_name(file: MediaFile) -> String {
    let name = file.to_string();
    name.rsplit('/').next().unwrap_or_default().to_owned()
}
