//! Collects the values of a movie's boxes as they are read.
//!
//! Stores sums and extremes instead of tables, and a limited number of tracks and edits. This module must not derive a
//! verdict: `duration` does.

use super::boxes::BoxEnd;
use super::contradiction::Contradiction;
use super::edit_list;
use super::fragments::{Fragment, TrackDefaults};
use super::sample_entry;
use super::sample_table;
use super::table::{TableKind, TableLayout};
use super::track::{self, IsoTrack};
use crate::bytes::{FourCc, u8_at, u16_be, u32_be, u64_be, wide};
use crate::{DurationSource, FileRefusal};

/// More tracks than any camera, recorder or packager writes.
const MAX_TRACKS: usize = 64;
/// The limit allows several edits for every second of a publishable video. All edits together take about 16 KiB.
const MAX_EDITS: usize = 1024;

/// The longest time by which samples may be shown before others that are stored earlier, or before they are decoded.
/// Players may delay the others by as much.
pub(super) const MAX_REORDERING: u64 = 10 * crate::time::NANOS_PER_SECOND;

/// A duration in nanoseconds, and how it was obtained.
pub(super) type SourcedDuration = (u64, DurationSource);

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Movie {
    /// Ticks per second from `mvhd`, used by edit lists and `mehd`.
    pub(super) timescale: u32,
    pub(super) tracks: Vec<IsoTrack>,
    /// The duration by the tables of the movie header, once the header is complete.
    pub(super) tables: Option<SourcedDuration>,
    pub(super) defaults: Vec<TrackDefaults>,
    /// The total duration of all fragments as `mehd` declares it.
    pub(super) fragments_declared: Option<u64>,
    /// The total duration of all fragments as the segment index declares it, in nanoseconds.
    pub(super) index_declared: Option<u64>,
    index_timescale: u32,
    /// The end of the last fragment listed in the segment index.
    pub(super) index_end: u64,
    fragment: Fragment,
    pub(super) fragmentation: Fragmentation,
    /// Whether `mvhd` was read, whose clock edit lists use.
    has_clock: bool,
    /// The reason why the file cannot be judged, if some players would read it differently.
    pub(super) contradiction: Option<Contradiction>,
    /// Whether the whole movie header was read.
    pub(super) complete: bool,
    /// Whether media data came before the end of the movie header.
    pub(super) media_first: bool,
    /// The start of the payload of a media box that extends to the end of the file. Such a box declares no end.
    pub(super) unsized_media_from: Option<u64>,
    /// The end of the file's first box, and the start and end of the movie header.
    pub(super) file_type_end: u64,
    pub(super) place: (u64, u64),
    /// The farthest position at which samples of a fragment before the last one begin.
    farthest_media: u64,
    edits: usize,
    /// The number of further edits that the current list declares.
    declared_edits: u64,
    last_fragment: FragmentPlace,
}

/// Players store the ticks per second in signed numbers, and treat a negative number as one tick per second.
pub(super) const FASTEST_CLOCK: u32 = i32::MAX.unsigned_abs();

/// The positions of the last fragment's header and media.
#[derive(Debug, Default, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct FragmentPlace {
    at: u64,
    end: u64,
    /// The lowest and the highest position in the file at which samples of the fragment begin.
    media_at: Option<u64>,
    farthest: u64,
}

impl FragmentPlace {
    /// Whether the fragment has samples before this position.
    fn has_media_before(self, position: u64) -> bool {
        self.media_at.is_some_and(|at| at < position)
    }
}

/// The progress of movie fragments.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Fragmentation {
    #[default]
    None,
    /// The last fragment's media data has not arrived yet.
    AwaitingMedia,
    Complete,
}

/// Whether a position is in the boxes that describe the movie, where no sample is: before the end of the first box, or
/// in the movie header.
fn is_header((first_end, (start, end)): (u64, (u64, u64)), at: u64) -> bool {
    at < first_end || (start..end).contains(&at)
}

impl Movie {
    pub(super) fn is_fragmented(&self) -> bool {
        self.fragmentation != Fragmentation::None
    }

    /// Whether the media of the last fragment may still be missing.
    pub(super) fn is_awaiting_media(&self) -> bool {
        self.fragmentation == Fragmentation::AwaitingMedia
            && !self.last_fragment.has_media_before(self.last_fragment.end)
    }

    /// Prepares for the children of a box that was entered.
    pub(super) fn open(&mut self, kind: FourCc) -> Result<(), FileRefusal> {
        match &kind {
            b"trak" if self.tracks.len() >= MAX_TRACKS => Err(too_large("more than 64 tracks")),
            b"trak" => {
                self.tracks.push(IsoTrack::default());
                Ok(())
            }
            b"moof" => {
                self.fragmentation = Fragmentation::AwaitingMedia;
                Ok(())
            }
            b"traf" => {
                self.fragment = Fragment::default();
                Ok(())
            }
            _ if self.edits > MAX_EDITS => Err(too_large("more than 1024 edits")),
            _ => Ok(()),
        }
    }

    pub(super) fn media_begins(&mut self, top_level: bool, end: BoxEnd, header: u64) {
        if !top_level {
            return;
        }
        self.media_first |= !self.complete;
        if self.is_fragmented() {
            self.fragmentation = Fragmentation::Complete;
        }
        if let BoxEnd::OfFile(at) = end {
            self.unsized_media_from = Some(at.saturating_add(header));
        }
    }

    pub(super) fn absorb_leaf(&mut self, kind: FourCc, body: &[u8]) {
        match &kind {
            b"mvhd" => {
                (self.timescale, self.has_clock) = (timescale(body).unwrap_or(0), true);
                self.require(self.timescale > 0, Contradiction::NoClock);
                self.require(self.timescale <= FASTEST_CLOCK, Contradiction::FastClock);
            }
            b"mehd" => self.fragments_declared = duration_by_version(body, 4),
            b"trex" => self.add_defaults(body),
            b"tfhd" => {
                let is_whole = self.fragment.read_header(body, &self.defaults);
                self.require(is_whole, Contradiction::ShortFragmentHeader);
            }
            b"tfdt" => {
                self.require(
                    self.fragment.has_header && self.fragment.samples == 0,
                    Contradiction::DisorderedFragments,
                );
                self.fragment.starts_at = number_by_version(body, 4);
                let is_known = self.fragment.starts_at.is_some() && u8_at(body, 0) <= Some(1);
                self.require(is_known, Contradiction::UnknownVersion);
            }
            _ => {
                if let Some(track) = self.tracks.last_mut() {
                    absorb_track_leaf(track, kind, body);
                }
            }
        }
    }

    /// Notes that the file cannot be judged unless the condition holds.
    pub(super) fn require(&mut self, holds: bool, otherwise: Contradiction) {
        if !holds {
            self.contradiction = self.contradiction.or(Some(otherwise));
        }
    }

    fn add_defaults(&mut self, body: &[u8]) {
        let Some(defaults) = TrackDefaults::read(body) else { return };
        let is_new = self.defaults.iter().all(|known| known.track_id != defaults.track_id);
        self.require(is_new && self.defaults.len() < MAX_TRACKS, Contradiction::SeveralDefaults);
        if self.defaults.len() < MAX_TRACKS {
            self.defaults.push(defaults);
        }
    }

    pub(super) fn open_table(&mut self, kind: FourCc, body: &[u8], end: u64) -> Option<TableLayout> {
        match &kind {
            b"elst" => {
                self.require(self.has_clock, Contradiction::EditsBeforeClock);
                let layout = edit_list::open(body);
                self.declared_edits = layout.map_or(0, |layout| layout.count);
                layout
            }
            b"trun" => {
                self.require(self.fragment.has_header, Contradiction::DisorderedFragments);
                let media_at = self.fragment.media_position(body, self.last_fragment.at);
                let first = self.last_fragment.media_at.into_iter().chain(media_at).min();
                self.last_fragment.media_at = first;
                self.last_fragment.farthest = self.last_fragment.farthest.max(media_at.unwrap_or(0));
                self.require(
                    !media_at.is_some_and(|at| is_header((self.file_type_end, self.place), at)),
                    Contradiction::SamplesInHeader,
                );
                self.fragment.open_run(body)
            }
            b"sidx" => self.open_index(body, end),
            _ => sample_table::open(&mut self.tracks.last_mut()?.samples, kind, body),
        }
    }

    pub(super) fn absorb_entries(&mut self, kind: TableKind, length: usize, entries: &[u8]) {
        let entries = entries.chunks_exact(length.max(1));
        match kind {
            TableKind::RunSamples { flags } => entries.for_each(|entry| self.fragment.add_sample(flags, entry)),
            TableKind::SegmentReferences => entries.for_each(|entry| self.absorb_reference(entry)),
            TableKind::Edits { long } => {
                entries.for_each(|entry| self.absorb_edit(entry, long));
            }
            TableKind::ChunkOffsets => {
                let header = (self.file_type_end, self.place);
                if let Some(track) = self.tracks.last_mut() {
                    entries.for_each(|entry| track.samples.absorb_chunk(entry, |at| is_header(header, at)));
                }
            }
            _ => {
                if let Some(track) = self.tracks.last_mut() {
                    entries.for_each(|entry| track.samples.absorb(kind, entry));
                }
            }
        }
    }

    /// Adds an edit. After the declared number of edits, only reserved space may follow.
    fn absorb_edit(&mut self, entry: &[u8], long: bool) {
        if self.declared_edits == 0 {
            let is_empty = entry.iter().all(|byte| *byte == 0);
            if let Some(track) = self.tracks.last_mut() {
                track.has_surplus_edits |= !is_empty;
            }
            return;
        }
        self.declared_edits -= 1;
        self.edits = self.edits.saturating_add(1);
        if let Some(track) = self.tracks.last_mut().filter(|_| self.edits <= MAX_EDITS) {
            track.edits.push(edit_list::read(entry, long));
        }
    }

    /// Begins a fragment. If the file ends before its media, it does not count.
    pub(super) fn begin_fragment(&mut self, at: u64, end: u64) {
        self.farthest_media = self.farthest_media();
        self.last_fragment = FragmentPlace { at, end, ..FragmentPlace::default() };
        self.tracks.iter_mut().for_each(IsoTrack::begin_fragment);
    }

    /// Returns the farthest position at which samples of fragments begin.
    pub(super) fn farthest_media(&self) -> u64 {
        self.farthest_media.max(self.last_fragment.farthest)
    }

    /// Completes a movie whose last fragment has no media box. The fragment counts if its samples begin before
    /// `length`, the end of the file: players read samples at their positions, in any box.
    pub(super) fn finish_fragments(&mut self, length: u64) {
        if self.fragmentation != Fragmentation::AwaitingMedia {
            return;
        }
        if !self.last_fragment.has_media_before(length) {
            self.tracks.iter_mut().for_each(IsoTrack::drop_last_fragment);
            self.last_fragment.farthest = 0;
        }
        if self.tracks.iter().any(|track| track.fragments.is_some()) {
            self.fragmentation = Fragmentation::Complete;
        }
    }

    /// Completes a track whose boxes have all been read.
    pub(super) fn close_track(&mut self) {
        if let Some(track) = self.tracks.last_mut() {
            track.samples.settle();
        }
    }

    /// Adds a finished `traf` to the track that it names.
    pub(super) fn close_fragment(&mut self) {
        let fragment = std::mem::take(&mut self.fragment);
        let id = fragment.track_id;
        let has_track = self.tracks.iter().any(|track| track.id == id);
        let has_defaults = self.defaults.iter().any(|defaults| defaults.track_id == id);
        self.require(fragment.samples == 0 || has_track && has_defaults, Contradiction::FragmentOfNoTrack);
        if let Some(track) = self.tracks.iter_mut().find(|track| track.id == fragment.track_id) {
            let is_described = (1..=track.entry.descriptions).contains(&fragment.description);
            let has_other_format = track.entry.formats_differ && fragment.description > 1;
            let is_in_order = track.absorb_fragment(&fragment);
            let clock = u64::from(track.timescale);
            self.require(is_in_order, Contradiction::DisorderedFragments);
            self.require(is_described || fragment.samples == 0, Contradiction::UnknownDescription);
            self.require(!has_other_format || fragment.samples == 0, Contradiction::SeveralFormats);
            let earliest = crate::time::nanos(fragment.earliest, clock).unwrap_or(0);
            self.require(earliest <= MAX_REORDERING, Contradiction::ShownLongBefore);
        }
    }

    /// Opens the segment index. Its sizes are counted from its own end.
    fn open_index(&mut self, body: &[u8], end: u64) -> Option<TableLayout> {
        let long = u8_at(body, 0)? == 1;
        self.index_timescale = u32_be(body, 8)?;
        let counted_at = if long { 30 } else { 22 };
        if self.index_declared.is_some() {
            // Only the first index covers the whole file; later ones subdivide it.
            return None;
        }
        self.index_declared = Some(0);
        let first = if long { u64_be(body, 20)? } else { u64::from(u32_be(body, 16)?) };
        self.index_end = end.saturating_add(first);
        Some(TableLayout {
            kind: TableKind::SegmentReferences,
            preamble: wide(counted_at) + 2,
            entry_length: 12,
            count: u64::from(u16_be(body, counted_at)?),
        })
    }

    fn absorb_reference(&mut self, entry: &[u8]) {
        let size = u32_be(entry, 0).unwrap_or(0) & 0x7FFF_FFFF;
        let ticks = u64::from(u32_be(entry, 4).unwrap_or(0));
        let nanos = crate::time::nanos(ticks, u64::from(self.index_timescale)).unwrap_or(0);
        self.index_end = self.index_end.saturating_add(u64::from(size));
        self.index_declared = self.index_declared.map(|sum| sum.saturating_add(nanos));
    }
}

fn absorb_track_leaf(track: &mut IsoTrack, kind: FourCc, body: &[u8]) {
    match &kind {
        b"tkhd" => track.read_header(body),
        b"mdhd" => {
            track.timescale = timescale(body).unwrap_or(0);
            track.has_unknown_version = u8_at(body, 0).is_none_or(|version| version > 1);
        }
        b"hdlr" => track.handler = crate::bytes::array(body, 8).unwrap_or_default(),
        b"stsd" => {
            let encrypted = track.entry.encrypted;
            track.entry = sample_entry::read(body);
            track.entry.encrypted |= encrypted;
        }
        b"dref" => (track.references, track.external) = track::references(body),
        // The encryption scheme of the samples. Players then decrypt them, even if the format does not say so.
        b"schm" => track.entry.encrypted = true,
        b"chap" => track.chapters = u32_be(body, 0),
        _ => {}
    }
}

/// Reads the ticks per second from `mvhd` or `mdhd`. They follow two times of 32 or 64 bits each, depending on the
/// box's version.
fn timescale(body: &[u8]) -> Option<u32> {
    match u8_at(body, 0)? {
        1 => u32_be(body, 20),
        _ => u32_be(body, 12),
    }
}

/// Reads a 32-bit or 64-bit number, depending on the box's version.
fn number_by_version(body: &[u8], at: usize) -> Option<u64> {
    match u8_at(body, 0)? {
        1 => u64_be(body, at),
        _ => u32_be(body, at).map(u64::from),
    }
}

/// Reads a 32-bit or 64-bit duration, depending on the box's version. All ones mean "unknown".
fn duration_by_version(body: &[u8], at: usize) -> Option<u64> {
    let unknown = if u8_at(body, 0) == Some(1) { u64::MAX } else { u64::from(u32::MAX) };
    number_by_version(body, at).filter(|duration| *duration != unknown)
}

fn too_large(what: &'static str) -> FileRefusal {
    FileRefusal::MetadataTooLarge { what }
}
