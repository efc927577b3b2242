//! The readers of single boxes, the walk over them, and what follows from a movie's values.

mod contradictions;
mod durations;
mod readers;
mod values;
mod walk;

use super::boxes::BoxEnd;
use super::duration::complete_header;
use super::fragments::Fragment;
use super::movie::Movie;
use super::sample_table;
use super::table::TableKind;
use super::track::IsoTrack;
use crate::{Container, FileRefusal};
use fixtures::boxes::words;

const MP4: Container = Container::Mp4;

/// Returns a track with samples of 40 ms each, on a clock of a thousand ticks.
fn track(handler: [u8; 4], id: u32, samples: u32) -> IsoTrack {
    track_of(handler, id, samples, 40)
}

/// Returns a track with samples of `ticks` each, on a clock of a thousand ticks.
fn track_of(handler: [u8; 4], id: u32, samples: u32, ticks: u32) -> IsoTrack {
    let mut track = IsoTrack::default();
    (track.handler, track.id, track.timescale) = (handler, id, 1_000);
    (track.entry.descriptions, track.entry.may_be_media) = (1, handler != *b"text");
    for (kind, body) in [(*b"stsz", [0, 1, samples]), (*b"stco", [0, 1, 0])] {
        sample_table::open(&mut track.samples, kind, &words(&body));
    }
    track.samples.absorb(TableKind::ChunkSamples, &words(&[1, samples, 1]));
    track.samples.absorb(TableKind::TimeToSample, &words(&[samples, ticks]));
    track
}

/// Returns a movie after the end of its header.
fn completed(tracks: Vec<IsoTrack>) -> (Movie, Result<(), FileRefusal>) {
    let mut movie = Movie::default();
    (movie.timescale, movie.tracks, movie.complete) = (1_000, tracks, true);
    let result = complete_header(&mut movie, MP4);
    (movie, result)
}

/// Returns a movie whose header is complete and accepted.
fn movie(tracks: Vec<IsoTrack>) -> Movie {
    let (movie, result) = completed(tracks);
    result.expect("a video");
    movie
}

/// Adds a fragment of a second to the first track.
fn add_fragment(movie: &mut Movie, start: u64) {
    movie.open(*b"moof").expect("a fragment");
    let mut fragment = Fragment::default();
    (fragment.track_id, fragment.starts_at, fragment.samples) = (1, Some(start), 25);
    fragment.add(1_000);
    movie.tracks[0].absorb_fragment(&fragment);
    movie.media_begins(true, BoxEnd::At(10), 8);
}
