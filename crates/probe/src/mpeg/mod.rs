//! MPEG transport and program streams.
//!
//! Neither declares a duration. It is the span of the presentation times, from the start of the first frame to the end
//! of the last, on a 33-bit clock that wraps after 26.5 hours. After a restart of the clock, the durations are added.
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
use crate::time::nanos;
use crate::timeline::combined_span;
use crate::{Container, DurationSource, FileRefusal, Media, TrackKind};
use stream::ElementaryStream;

/// Ticks per second of all timestamps.
const CLOCK: u64 = 90_000;

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
    let observed = combined_span(streams.iter().map(ElementaryStream::timeline), u64::MAX, ticks_to_nanos);
    let (length, source) = crate::reconcile::final_duration(None, observed, container, source)?;
    let played = streams.iter().filter(|stream| stream.timeline().frames() > 0);
    let ends: Option<Vec<_>> = played.map(ElementaryStream::ends).collect();
    let media = Media {
        container,
        duration_ms: crate::time::millis(length),
        duration_source: source,
        least_ms: crate::time::millis(length),
        longest_track: None,
        tracks: streams.iter().map(|stream| stream.describe(length)).collect(),
        metadata_first: false,
    };
    Ok(media.with_least(ends.and_then(|ends| least_time(ends.into_iter()))))
}

fn proven(streams: &[ElementaryStream]) -> u64 {
    crate::timeline::proven(streams.iter().map(ElementaryStream::timeline), ticks_to_nanos)
}

fn ticks_to_nanos(ticks: u64) -> u64 {
    nanos(ticks, CLOCK).unwrap_or(0)
}
