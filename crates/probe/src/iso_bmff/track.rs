//! One track of a movie, while its boxes are read and afterwards.
//!
//! This module must not depend on the other tracks.

use super::contradiction::Contradiction;
use super::edit_list::Edit;
use super::fragments::Fragment;
use super::sample_entry::SampleEntry;
use super::sample_table::SampleTable;
use crate::bytes::{array, head, i32_be, narrow, tail, u8_at, u16_be, u32_be};
use crate::sound_bytes::SoundAmount;
use crate::{MediaTrack, TrackKind};

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct IsoTrack {
    pub(super) id: u32,
    pub(super) timescale: u32,
    /// Whether its `mdhd` is of a version that players cannot read.
    pub(super) has_unknown_version: bool,
    pub(super) handler: [u8; 4],
    /// The role for the viewer, set when the movie header is complete.
    pub(super) role: TrackKind,
    pub(super) entry: SampleEntry,
    pub(super) samples: SampleTable,
    pub(super) edits: Vec<Edit>,
    /// Whether its edit list has more edits than it declares.
    pub(super) has_surplus_edits: bool,
    /// The number of its data references, and a bit for each that points to another file.
    pub(super) references: u32,
    pub(super) external: u64,
    /// The track that holds this track's chapter titles or pictures.
    pub(super) chapters: Option<u32>,
    pub(super) fragments: Option<FragmentSpan>,
    /// The span before the last fragment.
    pub(super) earlier_fragments: Option<FragmentSpan>,
    fragment_samples: u64,
    /// The number of samples before the last fragment.
    earlier_samples: u64,
    /// In track ticks: the duration of the last sample of the last fragment.
    last_sample: u64,
    /// Whether a fragment with samples does not say when it begins.
    pub(super) has_untimed_fragment: bool,
    /// The time of the samples without bytes in fragments, in track ticks.
    pub(super) empty_in_fragments: u64,
    /// The size of the largest sample in any fragment.
    pub(super) largest_in_fragments: u32,
    rotation: u16,
}

/// The time covered by the fragments of one track, in track ticks.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct FragmentSpan {
    pub(super) start: u64,
    pub(super) end: u64,
    /// The total duration of the samples, which is longer than the span if fragments overlap.
    pub(super) sum: u64,
    pub(super) sound: SoundAmount,
    /// The start of a fragment that declares no start time.
    next: u64,
}

impl IsoTrack {
    pub(super) fn kind(&self) -> TrackKind {
        match (&self.handler, self.entry.content) {
            // No player shows text, time codes or measurements as pictures.
            (b"vide", _) if self.entry.is_data() => TrackKind::Other,
            (b"vide", _) => TrackKind::Video,
            (b"soun", _) => TrackKind::Audio,
            // Players use the sample description if they do not know the handler.
            (_, content) => content,
        }
    }

    /// Whether some players might play a track that is neither picture nor sound for others.
    pub(super) fn may_be_media(&self) -> bool {
        self.kind() != TrackKind::Other || self.entry.may_be_media
    }

    /// Whether the handler and the description contradict each other: one says picture and the other sound, or the
    /// handler says picture and the description data, which some players then read as pictures.
    pub(super) fn is_contradictory(&self) -> bool {
        let content = self.entry.content;
        let is_other = content != TrackKind::Other && self.kind() != TrackKind::Other && self.kind() != content;
        is_other || &self.handler == b"vide" && self.entry.is_data()
    }

    /// Whether its samples are in another file.
    pub(super) fn is_external(&self) -> bool {
        let used = u32::from(self.entry.reference).saturating_sub(1).min(63);
        self.references > 0 && (self.external.count_ones() >= self.references || self.external >> used & 1 == 1)
    }

    /// Returns what is wrong with the sample tables, if anything is.
    pub(super) fn contradiction(&self) -> Option<Contradiction> {
        let is_described = self.samples.are_described_by(self.entry.descriptions);
        let has_several_formats = self.entry.formats_differ && self.samples.have_other_descriptions();
        let tables = self.samples.contradiction().or((!is_described).then_some(Contradiction::UnknownDescription));
        let formats = has_several_formats.then_some(Contradiction::SeveralFormats);
        tables.or(formats).or(self.plays_briefly_for_some().then_some(Contradiction::NegativeDuration))
    }

    /// Whether some players take a duration for negative although the track is not far too long anyway.
    fn plays_briefly_for_some(&self) -> bool {
        let seconds = self.samples.duration().checked_div(u64::from(self.timescale));
        self.samples.has_negative_duration() && seconds.is_some_and(|seconds| seconds < 3_600)
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples.samples().saturating_add(self.fragment_samples)
    }

    /// `tkhd`: the track's id and the rotation of its pictures.
    pub(super) fn read_header(&mut self, body: &[u8]) {
        let long = u8_at(body, 0) == Some(1);
        self.id = u32_be(body, if long { 20 } else { 12 }).unwrap_or(0);
        self.rotation = rotation(body, if long { 52 } else { 40 }).unwrap_or(0);
    }

    pub(super) fn begin_fragment(&mut self) {
        self.earlier_fragments = self.fragments;
        self.earlier_samples = self.fragment_samples;
    }

    pub(super) fn drop_last_fragment(&mut self) {
        self.fragments = self.earlier_fragments;
    }

    /// Adds samples of a fragment. Returns whether they follow other samples of the track in the same fragment, if
    /// there are any. Encoders round the times by up to a quarter of a second.
    pub(super) fn absorb_fragment(&mut self, fragment: &Fragment) -> bool {
        if fragment.samples == 0 {
            return true;
        }
        let is_first = self.fragment_samples == self.earlier_samples;
        self.fragment_samples = self.fragment_samples.saturating_add(fragment.samples);
        self.largest_in_fragments = self.largest_in_fragments.max(fragment.largest);
        self.has_untimed_fragment |= fragment.starts_at.is_none();
        self.empty_in_fragments = self.empty_in_fragments.saturating_add(fragment.empty_ticks);
        self.last_sample = fragment.last_sample;
        let before = self.fragments.map_or(self.samples.duration(), |span| span.next);
        let decoded = fragment.starts_at.unwrap_or(before);
        let is_in_order = is_first || decoded.saturating_add(u64::from(self.timescale / 4)) >= before;
        let next = decoded.saturating_add(fragment.ticks);
        let (first, last) = fragment.shown.unwrap_or((0, 0));
        let (start, end) = (decoded.saturating_add_signed(first), decoded.saturating_add_signed(last));
        let mut sound = self.fragments.map_or_else(SoundAmount::default, |span| span.sound);
        sound.add(SoundAmount { packets: fragment.samples, bytes: fragment.bytes, opus: 0 });
        self.fragments = Some(match self.fragments {
            None => FragmentSpan { start, end, sum: fragment.ticks, sound, next },
            Some(span) => FragmentSpan {
                start: span.start.min(start),
                end: span.end.max(end),
                sum: span.sum.saturating_add(fragment.ticks),
                sound,
                next,
            },
        });
        is_in_order
    }

    /// Returns the sound in its samples.
    pub(super) fn sound(&self) -> SoundAmount {
        let mut sound = self.samples.sound(self.entry.block, self.entry.packed);
        sound.add(self.fragments.map_or_else(SoundAmount::default, |span| span.sound));
        sound
    }

    /// Returns how long the samples of its fragments before the last one last on average, in track ticks.
    pub(super) fn usual_sample(&self) -> u64 {
        let others = self.fragments.map_or(0, |span| span.sum.saturating_sub(self.last_sample));
        others.checked_div(self.fragment_samples.saturating_sub(1)).unwrap_or(0)
    }

    pub(super) fn last_sample(&self) -> u64 {
        self.last_sample
    }

    /// Describes the track for callers.
    pub(super) fn describe(&self) -> MediaTrack {
        let mut track = MediaTrack { kind: self.role, encrypted: self.entry.encrypted, ..MediaTrack::default() };
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

/// Returns the rotation in a transformation matrix, in quarter turns, from the signs of its first four values.
fn rotation(body: &[u8], at: usize) -> Option<u16> {
    let sign = |index: usize| i32_be(body, at + index * 4).map(i32::signum);
    // The third value of each row is for perspective.
    Some(match (sign(0)?, sign(1)?, sign(3)?, sign(4)?) {
        (0, 1, -1, 0) => 90,
        (-1, 0, 0, -1) => 180,
        (0, -1, 1, 0) => 270,
        _ => 0,
    })
}

/// The bytes of an `alis` box before its items.
const ALIAS_ITEMS: usize = 162;
/// The kinds of the item that holds a path, and of the one that ends the list.
const PATH: u16 = 2;
const LAST_ITEM: u16 = u16::MAX;

/// Whether one of the items of an alias is a path.
fn names_path(mut items: &[u8]) -> bool {
    while let (Some(kind), Some(length)) = (u16_be(items, 0), u16_be(items, 2)) {
        if matches!(kind, PATH | LAST_ITEM) {
            return kind == PATH;
        }
        items = tail(items, 4 + usize::from(length).next_multiple_of(2));
    }
    false
}

/// `dref`: returns the number of references and a bit for each of the first 64 that points to another file. The lowest
/// flag of an entry says that the media is in the same file.
pub(super) fn references(body: &[u8]) -> (u32, u64) {
    let count = u32_be(body, 4).unwrap_or(0).min(64);
    let mut entries = tail(body, 8);
    let mut external = 0;
    for index in 0..count {
        let (Some(size), Some(flags)) = (u32_be(entries, 0), u32_be(entries, 8)) else {
            return (index, external);
        };
        // Some players open the file that an alias names, although its flag says that the media is in this file.
        let is_alias =
            array(entries, 4) == Some(*b"alis") && names_path(tail(head(entries, narrow(size.into())), ALIAS_ITEMS));
        external |= u64::from(flags & 1 == 0 || is_alias) << index;
        entries = tail(entries, narrow(u64::from(size.max(8))));
    }
    (count, external)
}
