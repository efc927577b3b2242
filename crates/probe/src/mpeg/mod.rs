//! MPEG transport and program streams.
//!
//! Neither declares a duration. It is the span of the presentation times, from the start of the first frame to the end
//! of the last, on a 33-bit clock that wraps after 26.5 hours. A clock that restarts is refused, because players differ
//! in what they make of it.
//! This module must not depend on other containers.

mod clock;
mod pes;
mod program;
mod sections;
mod stream;
mod transport;

pub(crate) use program::ProgramStream;
pub(crate) use transport::{PacketLayout, TransportStream};

use crate::ends::least_time;
use crate::time::{NANOS_PER_SECOND, nanos};
use crate::timeline::combined_span;
use crate::{Container, DurationSource, FileRefusal, Media, TrackKind};
use stream::ElementaryStream;

/// Ticks per second of all timestamps.
const CLOCK: u64 = 90_000;

/// The most by which a stream of an unknown type may outlast picture and sound. A shorter stream is ignored, because
/// measurements of some cameras have another clock, or none.
const LONGEST_REST: u64 = NANOS_PER_SECOND;

/// Returns the final verdict on the streams of either kind of file.
fn final_media(container: Container, streams: &mut [ElementaryStream]) -> Result<Media, FileRefusal> {
    let has = |kind| streams.iter().any(|stream| stream.kind() == kind && stream.is_certain());
    match (has(TrackKind::Video), has(TrackKind::Audio)) {
        (true, _) => {}
        (false, true) => return Err(FileRefusal::AudioOnly { container }),
        (false, false) => return Err(FileRefusal::NoTracks { container }),
    }
    if let Some(what) = streams.iter().find_map(ElementaryStream::contradiction) {
        return Err(FileRefusal::Ambiguous { container, what });
    }
    streams.iter_mut().for_each(ElementaryStream::finish);
    let source = DurationSource::Timestamps;
    let span = |is_counted: &dyn Fn(&ElementaryStream) -> bool| {
        let counted = streams.iter().filter(|stream| is_counted(stream)).map(ElementaryStream::timeline);
        combined_span(counted, u64::MAX, ticks_to_nanos)
    };
    let observed = span(&ElementaryStream::is_played);
    let is_long = |stream: &ElementaryStream| ticks_to_nanos(stream.length()) > LONGEST_REST;
    let possible = span(&|stream| stream.is_played() || stream.may_be_played() && is_long(stream));
    let possible = possible.map_or(0, |span| span.length());
    if observed.is_some_and(|span| possible > span.length().saturating_add(LONGEST_REST)) {
        let what = "a stream of an unknown type, which only some players play, lasts longer than the others";
        return Err(FileRefusal::Ambiguous { container, what });
    }
    let (length, source) = crate::reconcile::final_duration(None, observed, container, source)?;
    let played = streams.iter().filter(|stream| stream.is_played() && stream.timeline().frames() > 0);
    let ends: Option<Vec<_>> = played.map(ElementaryStream::ends).collect();
    let media = Media {
        container,
        duration_ms: crate::time::millis(length),
        duration_source: source,
        least_ms: crate::time::millis(length),
        longest_track: None,
        shortest_video_ms: None,
        tracks: streams.iter().map(|stream| stream.describe(length)).collect(),
        metadata_first: false,
    };
    let media = media.with_least(ends.and_then(|ends| least_time(ends.into_iter())));
    // Recordings of broadcasts begin with the end of another program, whose pictures have their own stream.
    Ok(Media { shortest_video_ms: None, ..media })
}

fn proven(streams: &[ElementaryStream]) -> u64 {
    let played = streams.iter().filter(|stream| stream.is_played());
    crate::timeline::proven(played.map(ElementaryStream::timeline), ticks_to_nanos)
}

fn ticks_to_nanos(ticks: u64) -> u64 {
    nanos(ticks, CLOCK).unwrap_or(0)
}
