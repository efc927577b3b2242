//! MPEG transport and program streams.
//!
//! Neither declares a length: it is the span of the presentation times, from the first frame's start to the last
//! one's end, over a clock of 33 bits that wraps after 26.5 hours. A clock that starts anew adds to the length.

mod clock;
mod pes;
mod program;
mod sections;
mod stream;
mod transport;

pub(crate) use program::ProgramStream;
pub(crate) use transport::{Packets, TransportStream};

use crate::time::nanos;
use crate::{Container, DurationSource, Media, Refusal, TrackKind};
use stream::Stream;

/// Ticks per second of every time stamp.
const CLOCK: u64 = 90_000;

/// The last word on the streams of either kind.
fn verdict(container: Container, streams: &mut [Stream]) -> Result<Media, Refusal> {
    let has = |kind| streams.iter().any(|stream| stream.kind() == kind);
    match (has(TrackKind::Video), has(TrackKind::Audio)) {
        (true, _) => {}
        (false, true) => return Err(Refusal::AudioOnly { container }),
        (false, false) => return Err(Refusal::NoTracks { container }),
    }
    streams.iter_mut().for_each(Stream::finish);
    let source = DurationSource::Timestamps;
    let seen = clock::observed(streams);
    let (length, source) = crate::reconcile::reconcile(None, seen, container, source)?;
    Ok(Media {
        container,
        duration_ms: crate::time::millis(length),
        duration_source: source,
        tracks: streams
            .iter()
            .map(|stream| stream.describe(length))
            .collect(),
        metadata_first: false,
    })
}

fn proven(streams: &[Stream]) -> u64 {
    crate::timeline::proven(streams.iter().map(Stream::timeline), ticks_to_nanos)
}

fn ticks_to_nanos(ticks: u64) -> u64 {
    nanos(ticks, CLOCK).unwrap_or(0)
}
