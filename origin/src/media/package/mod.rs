//! Makes the HLS renditions out of the MP4 files that ffmpeg wrote: CMAF segments and their playlists.
//!
//! In: a [`Plan`], and one MP4 for each rendition. Out: for each rendition and for the sound, one file of segments and
//! its playlists. Copies samples and changes none, except that those of a copied source lose their metadata first. Must
//! not start a process.
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

use super::files::{LOW_SOUND, output};
use super::plan::Plan;
use super::step_files::made_renditions;
use super::{MediaContext, MediaError};
use contract::{MediaFile, RenditionName};
use error::invalid;
use playlist::{SegmentList, target_seconds_in};
use segmenting::{divide_sound, divide_video};
use std::fs;
use std::path::Path;
use track::{Track, read_tracks};
use writer::write_segments;

/// Writes the segments and playlists of all renditions.
pub fn write_renditions(context: &MediaContext<'_>, plan: &Plan) -> Result<(), MediaError> {
    if plan.copies_video() {
        let progressive = output(context.folder, MediaFile::Video);
        metadata::remove(&progressive, &read_track(&progressive, true)?)?;
    }
    let folder = context.folder;
    let mut renditions = Vec::new();
    for (name, source) in made_renditions(plan, folder) {
        renditions.push(write_video(folder, plan, &source, name)?);
    }
    if plan.sound.is_some() && plan.makes_evidence() {
        let files = (MediaFile::SoundSegments, MediaFile::SoundPlaylist);
        renditions.push(write_sound(folder, plan, &output(folder, MediaFile::Video), files)?);
    }
    if plan.makes_low_sound() {
        let files = (MediaFile::LowSoundSegments, MediaFile::LowSoundPlaylist);
        renditions.push(write_sound(folder, plan, &folder.join(LOW_SOUND), files)?);
    }
    let earlier = plan.earlier_rungs().map(|rung| MediaFile::Playlist(rung.name.into())).next();
    write_playlists(folder, &renditions, earlier)
}

/// A file of segments, and the playlist that is to list them.
struct Packaged {
    segments: MediaFile,
    playlist: MediaFile,
    list: SegmentList,
}

/// All playlists have the same target duration, which RFC 8216 requires of renditions that are played together. So a
/// second step takes over that of an earlier playlist.
fn write_playlists(folder: &Path, renditions: &[Packaged], earlier: Option<MediaFile>) -> Result<(), MediaError> {
    let target = match earlier {
        Some(playlist) => target_seconds_in(&read_text(folder, playlist)?)
            .ok_or_else(|| invalid(&output(folder, playlist), &"it has no target duration"))?,
        None => renditions.iter().map(|rendition| rendition.list.target_seconds()).fold(1.0, f64::max),
    };
    for Packaged { segments, playlist, list } in renditions {
        write_text(folder, *playlist, &list.media_playlist(&segments.local_name(), target))?;
    }
    Ok(())
}

fn write_video(folder: &Path, plan: &Plan, source: &Path, name: RenditionName) -> Result<Packaged, MediaError> {
    let track = read_track(source, true)?;
    let starts = plan.segments.starts_in(track.samples.len());
    let layout = divide_video(&track, &starts);
    let layout = layout.ok_or_else(|| invalid(source, &"a segment does not begin with a keyframe"))?;
    let (segments, playlist) = (MediaFile::Segments(name), MediaFile::Playlist(name));
    let list = write_segments(source, &track, &layout, &output(folder, segments))?;
    write_text(folder, MediaFile::KeyframePlaylist(name), &list.keyframe_playlist(&segments.local_name()))?;
    Ok(Packaged { segments, playlist, list })
}

fn write_sound(
    folder: &Path,
    plan: &Plan,
    source: &Path,
    (segments, playlist): (MediaFile, MediaFile),
) -> Result<Packaged, MediaError> {
    let track = read_track(source, false)?;
    let starts = plan.segments.starts.iter().map(|frame| plan.rate.seconds_at(*frame));
    let layout = divide_sound(&track, &starts.collect::<Vec<_>>());
    let list = write_segments(source, &track, &layout, &output(folder, segments))?;
    Ok(Packaged { segments, playlist, list })
}

/// Returns the only track of this kind, on the timeline of the renditions.
fn read_track(source: &Path, is_video: bool) -> Result<Track, MediaError> {
    let track = read_tracks(source)?.into_iter().find(|track| track.is_video() == is_video);
    let mut track = track.ok_or_else(|| invalid(source, &"a track is missing"))?;
    timeline::normalise(&mut track);
    Ok(track)
}

fn read_text(folder: &Path, file: MediaFile) -> Result<String, MediaError> {
    fs::read_to_string(output(folder, file)).map_err(|error| MediaError::io("reading a playlist", &error))
}

fn write_text(folder: &Path, file: MediaFile, text: &str) -> Result<(), MediaError> {
    fs::write(output(folder, file), text).map_err(|error| MediaError::io("writing a playlist", &error))
}
