//! Computes how long a movie plays from its tables and fragments.
//!
//! The headers `mvhd`, `tkhd` and `mdhd` are not used, so forging them changes nothing. This module must not read
//! boxes: `movie` does.

use super::edit_list;
use super::movie::{Fragmentation, Movie, SourcedDuration};
use super::track::IsoTrack;
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration};
use crate::time::{millis, nanos, rate};
use crate::{Container, DurationSource, FileRefusal, Media, MediaTrack, TrackKind};

/// Derives the track roles and the table duration once the movie header is complete, so that they are not computed
/// again for every later box and fragment. Refuses a movie without video.
pub(super) fn complete_header(movie: &mut Movie, container: Container) -> Result<(), FileRefusal> {
    let roles: Vec<_> = movie.tracks.iter().map(|track| role(movie, track)).collect();
    for (track, role) in movie.tracks.iter_mut().zip(roles) {
        track.role = role;
    }
    movie.tables = by_tables(movie);
    require_playable_video(movie, container)
}

fn require_playable_video(movie: &Movie, container: Container) -> Result<(), FileRefusal> {
    let has = |kind| movie.tracks.iter().any(|track| track.role == kind);
    if !has(TrackKind::Video) {
        return Err(if has(TrackKind::Audio) {
            FileRefusal::AudioOnly { container }
        } else {
            FileRefusal::NoTracks { container }
        });
    }
    if played_tracks(movie).all(|track| track.external) {
        return Err(FileRefusal::Unsupported { container, what: "its media is stored in another file" });
    }
    Ok(())
}

/// Returns the duration before any fragment was seen: the longer of the tables' and the declared fragments' duration.
pub(super) fn declared(movie: &Movie) -> Option<SourcedDuration> {
    let fragments = declared_fragments(movie).map(|length| (length, DurationSource::Declared));
    match (movie.tables, fragments) {
        (Some(tables), Some(fragments)) => Some(if tables.0 >= fragments.0 { tables } else { fragments }),
        (tables, fragments) => tables.or(fragments),
    }
}

/// Returns the duration that the tables and the fragments seen so far prove.
pub(super) fn proven(movie: &Movie) -> u64 {
    let tables = movie.tables.map_or(0, |(length, _)| length);
    by_fragments(movie).map_or(tables, |span| tables.max(span.length()))
}

/// Returns the final verdict.
pub(super) fn final_media(movie: &Movie, container: Container, length: u64) -> Result<Media, FileRefusal> {
    check_reach(movie, container, length)?;
    let tables = movie.tables;
    let duration = match by_fragments(movie) {
        Some(span) if tables.is_none_or(|(length, _)| length < span.length()) => {
            check_declared_fragments(movie, container, span)?;
            (span.length(), DurationSource::Fragments)
        }
        _ => tables.ok_or(FileRefusal::DurationUnknown { container })?,
    };
    Ok(media(movie, container, duration))
}

pub(super) fn media(movie: &Movie, container: Container, (length, source): SourcedDuration) -> Media {
    let describe = |track| describe(track, length);
    Media {
        container,
        duration_ms: millis(length),
        duration_source: source,
        tracks: movie.tracks.iter().map(describe).collect(),
        metadata_first: !movie.media_first && declared(movie).is_some(),
    }
}

fn describe(track: &IsoTrack, length: u64) -> MediaTrack {
    let mut description = track.describe();
    if description.kind == TrackKind::Video {
        let media = media_length(track).filter(|media| *media > 0 && track.fragments.is_none());
        description.frame_rate = rate(track.samples(), media.unwrap_or(length));
    }
    description
}

/// Returns the role of a track for the viewer. Chapter pictures and cover art are not video.
fn role(movie: &Movie, track: &IsoTrack) -> TrackKind {
    let kind = track.kind();
    let is_chapters = movie.tracks.iter().any(|other| other.chapters == Some(track.id));
    let is_cover = track.entry.codec.is_still_picture() && track.samples() == 1;
    if kind == TrackKind::Video && (is_chapters || is_cover) { TrackKind::Other } else { kind }
}

fn played_tracks(movie: &Movie) -> impl Iterator<Item = &IsoTrack> {
    movie.tracks.iter().filter(|track| track.role != TrackKind::Other)
}

fn media_length(track: &IsoTrack) -> Option<u64> {
    nanos(track.samples.duration(), u64::from(track.timescale))
}

/// Returns the duration of the longest track by its edit list, or by its sample table if it has no edit list.
fn by_tables(movie: &Movie) -> Option<SourcedDuration> {
    played_tracks(movie)
        .filter_map(|track| played_length(movie, track))
        .filter(|(length, _)| *length > 0)
        .max_by_key(|(length, _)| *length)
}

fn played_length(movie: &Movie, track: &IsoTrack) -> Option<SourcedDuration> {
    let media = media_length(track).filter(|media| *media > 0)?;
    let edited = edit_list::played(&track.edits, movie.timescale, media, track.timescale);
    Some(match edited {
        Some(length) => (length, DurationSource::EditList),
        None => (media, DurationSource::SampleTable),
    })
}

/// Returns the span from the earliest start to the latest end of all fragments, but at least the sum of one track's
/// samples, so that overlapping fragments cannot hide duration.
fn by_fragments(movie: &Movie) -> Option<ObservedSpan> {
    let spans = played_tracks(movie).filter_map(|track| {
        let span = track.fragments?;
        let scale = u64::from(track.timescale);
        // Samples in the movie header precede all fragments.
        let before = track.samples.duration();
        let start = if before > 0 { 0 } else { span.start };
        Some((nanos(start, scale)?, nanos(span.end, scale)?, nanos(span.sum.saturating_add(before), scale)?))
    });
    let whole = spans.reduce(|(start, end, sum), next| (start.min(next.0), end.max(next.1), sum.max(next.2)));
    let (start, end, sum) = whole?;
    let length = end.saturating_sub(start).max(sum);
    let end = start.saturating_add(length);
    (length > 0).then_some(ObservedSpan { start, last: end, end, latest: end })
}

fn declared_fragments(movie: &Movie) -> Option<u64> {
    let by_header = movie.fragments_declared.and_then(|ticks| nanos(ticks, u64::from(movie.timescale)));
    by_header.or(movie.index_declared).filter(|length| *length > 0)
}

/// Refuses fragments that stop long before the end that `mehd` or `sidx` declares: the file is truncated.
fn check_declared_fragments(movie: &Movie, container: Container, span: ObservedSpan) -> Result<(), FileRefusal> {
    let declared = declared_fragments(movie).map(DeclaredLength::from_zero);
    final_duration(declared, Some(span), container, DurationSource::Fragments).map(|_| ())
}

/// Refuses truncated files whose box sizes do not show it: samples that lie past the end of the file.
fn check_reach(movie: &Movie, container: Container, length: u64) -> Result<(), FileRefusal> {
    let truncated = |what| Err(FileRefusal::Truncated { container, what });
    if played_tracks(movie).any(|track| track.samples.last_chunk >= length && track.samples.samples() > 0) {
        return truncated("its samples lie beyond the end of the file");
    }
    let wanted = played_tracks(movie).fold(0, |sum: u64, track| sum.saturating_add(track.samples.bytes));
    if let Some(start) = movie.unsized_media_from
        && !movie.is_fragmented()
        && wanted > length.saturating_sub(start)
    {
        return truncated("it holds less media data than its samples need");
    }
    if movie.fragmentation == Fragmentation::AwaitingMedia {
        return truncated("its last fragment has no media data");
    }
    if movie.is_fragmented() && movie.index_end > length {
        return truncated("it ends before the end declared by its segment index");
    }
    Ok(())
}
