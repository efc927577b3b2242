//! How long a movie plays, by what its tables and fragments say: the definition, and nothing else.
//!
//! The headers `mvhd`, `tkhd` and `mdhd` have no say in it, so patching them changes nothing.

use super::edit_list;
use super::movie::{Fragmentation, Movie};
use super::track::IsoTrack;
use crate::reconcile::{Declared, Observed, reconcile};
use crate::time::{millis, nanos, rate};
use crate::{Container, DurationSource, Media, Refusal, Track, TrackKind};

/// A length in nanoseconds and where it comes from.
pub(super) type Told = (u64, DurationSource);

/// Draws the conclusions that stand once the movie header is complete, so that nobody has to draw them again
/// for every box and every fragment that follows; refuses a movie without moving pictures.
pub(super) fn settle(movie: &mut Movie, container: Container) -> Result<(), Refusal> {
    let roles: Vec<_> = movie
        .tracks
        .iter()
        .map(|track| role(movie, track))
        .collect();
    for (track, role) in movie.tracks.iter_mut().zip(roles) {
        track.role = role;
    }
    movie.tables = by_tables(movie);
    judge_tracks(movie, container)
}

fn judge_tracks(movie: &Movie, container: Container) -> Result<(), Refusal> {
    let has = |kind| movie.tracks.iter().any(|track| track.role == kind);
    if !has(TrackKind::Video) {
        return Err(if has(TrackKind::Audio) {
            Refusal::AudioOnly { container }
        } else {
            Refusal::NoTracks { container }
        });
    }
    if played_tracks(movie).all(|track| track.external) {
        return Err(Refusal::Unsupported {
            container,
            what: "its media lies in another file",
        });
    }
    Ok(())
}

/// The length before any fragment has been seen, from the tables or, failing these, from a declaration.
pub(super) fn declared(movie: &Movie) -> Option<Told> {
    let promised = declared_fragments(movie).map(|length| (length, DurationSource::Declared));
    match (movie.tables, promised) {
        (Some(told), Some(promised)) => Some(if told.0 >= promised.0 { told } else { promised }),
        (told, promised) => told.or(promised),
    }
}

/// What the tables and the fragments seen so far prove.
pub(super) fn proven(movie: &Movie) -> u64 {
    let tables = movie.tables.map_or(0, |(length, _)| length);
    by_fragments(movie).map_or(tables, |span| tables.max(span.length()))
}

/// The last word.
pub(super) fn verdict(movie: &Movie, container: Container, length: u64) -> Result<Media, Refusal> {
    check_reach(movie, container, length)?;
    let tables = movie.tables;
    let told = match by_fragments(movie) {
        Some(span) if tables.is_none_or(|(length, _)| length < span.length()) => {
            check_promise(movie, container, span)?;
            (span.length(), DurationSource::Fragments)
        }
        _ => tables.ok_or(Refusal::DurationUnknown { container })?,
    };
    Ok(media(movie, container, told))
}

pub(super) fn media(movie: &Movie, container: Container, (length, source): Told) -> Media {
    let describe = |track| describe(track, length);
    Media {
        container,
        duration_ms: millis(length),
        duration_source: source,
        tracks: movie.tracks.iter().map(describe).collect(),
        metadata_first: !movie.media_first && declared(movie).is_some(),
    }
}

fn describe(track: &IsoTrack, length: u64) -> Track {
    let mut told = track.describe();
    if told.kind == TrackKind::Video {
        let media = media_length(track).filter(|media| *media > 0 && track.fragments.is_none());
        told.frame_rate = rate(track.samples(), media.unwrap_or(length));
    }
    told
}

/// What a track is for the viewer: pictures of chapters and cover art are no film.
fn role(movie: &Movie, track: &IsoTrack) -> TrackKind {
    let kind = track.kind();
    let is_chapters = movie
        .tracks
        .iter()
        .any(|other| other.chapters == Some(track.id));
    let is_cover = track.entry.codec.is_still_picture() && track.samples() == 1;
    if kind == TrackKind::Video && (is_chapters || is_cover) {
        TrackKind::Other
    } else {
        kind
    }
}

fn played_tracks(movie: &Movie) -> impl Iterator<Item = &IsoTrack> {
    movie
        .tracks
        .iter()
        .filter(|track| track.role != TrackKind::Other)
}

fn media_length(track: &IsoTrack) -> Option<u64> {
    nanos(track.samples.duration(), u64::from(track.timescale))
}

/// The longest track by its edit list, or by its sample table where it has none.
fn by_tables(movie: &Movie) -> Option<Told> {
    played_tracks(movie)
        .filter_map(|track| played_length(movie, track))
        .filter(|(length, _)| *length > 0)
        .max_by_key(|(length, _)| *length)
}

fn played_length(movie: &Movie, track: &IsoTrack) -> Option<Told> {
    let media = media_length(track).filter(|media| *media > 0)?;
    let edited = edit_list::played(&track.edits, movie.timescale, media, track.timescale);
    Some(match edited {
        Some(length) => (length, DurationSource::EditList),
        None => (media, DurationSource::SampleTable),
    })
}

/// From the earliest start to the latest end, and no less than all samples of the fullest track:
/// fragments that lie upon each other hide nothing.
fn by_fragments(movie: &Movie) -> Option<Observed> {
    let spans = played_tracks(movie).filter_map(|track| {
        let span = track.fragments?;
        let scale = u64::from(track.timescale);
        // Samples in the movie header come before every fragment.
        let before = track.samples.duration();
        let start = if before > 0 { 0 } else { span.start };
        Some((
            nanos(start, scale)?,
            nanos(span.end, scale)?,
            nanos(span.sum.saturating_add(before), scale)?,
        ))
    });
    let whole = spans
        .reduce(|(start, end, sum), next| (start.min(next.0), end.max(next.1), sum.max(next.2)));
    let (start, end, sum) = whole?;
    let length = end.saturating_sub(start).max(sum);
    let end = start.saturating_add(length);
    (length > 0).then_some(Observed {
        start,
        last: end,
        end,
        latest: end,
    })
}

fn declared_fragments(movie: &Movie) -> Option<u64> {
    let by_header = movie
        .fragments_declared
        .and_then(|ticks| nanos(ticks, u64::from(movie.timescale)));
    by_header
        .or(movie.index_declared)
        .filter(|length| *length > 0)
}

/// Fragments that stop long before the end that `mehd` declares are a cut file.
fn check_promise(movie: &Movie, container: Container, span: Observed) -> Result<(), Refusal> {
    let promised = declared_fragments(movie).map(Declared::from_zero);
    reconcile(promised, Some(span), container, DurationSource::Fragments).map(|_| ())
}

/// What no box size tells: samples that lie behind the end of the file.
fn check_reach(movie: &Movie, container: Container, length: u64) -> Result<(), Refusal> {
    let truncated = |what| Err(Refusal::Truncated { container, what });
    if played_tracks(movie)
        .any(|track| track.samples.last_chunk >= length && track.samples.samples() > 0)
    {
        return truncated("its samples lie beyond the end of the file");
    }
    let wanted =
        played_tracks(movie).fold(0, |sum: u64, track| sum.saturating_add(track.samples.bytes));
    if let Some(start) = movie.endless_media_from
        && !movie.is_fragmented()
        && wanted > length.saturating_sub(start)
    {
        return truncated("it holds less media data than its samples take");
    }
    if movie.fragmentation == Fragmentation::Waiting {
        return truncated("its last fragment has no media data");
    }
    if movie.is_fragmented() && movie.index_end > length {
        return truncated("it ends before the end that its segment index declares");
    }
    Ok(())
}
