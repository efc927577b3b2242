//! One track of a movie, while its boxes pass and afterwards.

use super::edit_list::Edit;
use super::fragments::Fragment;
use super::sample_entry::SampleEntry;
use super::sample_table::SampleTable;
use crate::bytes::{i32_be, u8_at, u32_be};
use crate::{Track, TrackKind};

#[derive(Debug, Default)]
pub(super) struct IsoTrack {
    pub(super) id: u32,
    pub(super) timescale: u32,
    pub(super) handler: [u8; 4],
    /// What it is for the viewer; settled when the movie header is complete.
    pub(super) role: TrackKind,
    pub(super) entry: SampleEntry,
    pub(super) samples: SampleTable,
    pub(super) edits: Vec<Edit>,
    /// Whether its media lies in another file.
    pub(super) external: bool,
    /// The track that holds this one's chapter titles or pictures.
    pub(super) chapters: Option<u32>,
    pub(super) fragments: Option<Span>,
    fragment_samples: u64,
    rotation: u16,
}

/// What the fragments of one track cover, in its ticks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) end: u64,
    /// All samples' durations together: more than the span where fragments overlap.
    pub(super) sum: u64,
    /// Where a fragment without a time of its own begins.
    next: u64,
}

impl IsoTrack {
    pub(super) fn kind(&self) -> TrackKind {
        match &self.handler {
            b"vide" => TrackKind::Video,
            b"soun" => TrackKind::Audio,
            _ => TrackKind::Other,
        }
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples.samples().saturating_add(self.fragment_samples)
    }

    /// `tkhd`: the track's number and how its pictures are turned.
    pub(super) fn read_header(&mut self, body: &[u8]) {
        let long = u8_at(body, 0) == Some(1);
        self.id = u32_be(body, if long { 20 } else { 12 }).unwrap_or(0);
        self.rotation = rotation(body, if long { 52 } else { 40 }).unwrap_or(0);
    }

    pub(super) fn absorb_fragment(&mut self, fragment: &Fragment) {
        if fragment.samples == 0 {
            return;
        }
        self.fragment_samples = self.fragment_samples.saturating_add(fragment.samples);
        let before = self
            .fragments
            .map_or(self.samples.duration(), |span| span.next);
        let start = fragment.starts_at.unwrap_or(before);
        let end = start.saturating_add(fragment.ticks);
        self.fragments = Some(match self.fragments {
            None => Span {
                start,
                end,
                sum: fragment.ticks,
                next: end,
            },
            Some(span) => Span {
                start: span.start.min(start),
                end: span.end.max(end),
                sum: span.sum.saturating_add(fragment.ticks),
                next: end,
            },
        });
    }

    /// What callers see of the track.
    pub(super) fn describe(&self) -> Track {
        let mut track = Track {
            kind: self.role,
            encrypted: self.entry.encrypted,
            ..Track::default()
        };
        match self.kind() {
            TrackKind::Video => {
                track.codec = self.entry.codec;
                track.set_size(self.entry.width, self.entry.height);
                if let Some((horizontal, vertical)) = self.entry.pixel_aspect {
                    track.apply_pixel_aspect(horizontal, vertical);
                }
                track.apply_rotation(self.rotation);
            }
            TrackKind::Audio => {
                track.codec = self.entry.codec;
                track.channels = self.entry.channels;
                track.sample_rate = self.entry.sample_rate;
            }
            TrackKind::Other => {}
        }
        track
    }
}

/// The quarter turn in a transformation matrix, from the signs of its first four numbers.
fn rotation(body: &[u8], at: usize) -> Option<u16> {
    let sign = |index: usize| i32_be(body, at + index * 4).map(i32::signum);
    // The third number of each row belongs to perspective.
    Some(match (sign(0)?, sign(1)?, sign(3)?, sign(4)?) {
        (0, 1, -1, 0) => 90,
        (-1, 0, 0, -1) => 180,
        (0, -1, 1, 0) => 270,
        _ => 0,
    })
}

/// `dref`: the first entry says with its lowest flag that the media is in this very file.
pub(super) fn is_external(body: &[u8]) -> bool {
    u32_be(body, 4).is_some_and(|count| count == 1)
        && u32_be(body, 16).is_some_and(|flags| flags & 1 == 0)
}
