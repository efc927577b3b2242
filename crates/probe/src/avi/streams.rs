//! The streams of an AVI file: their clocks, and how many units of each have been counted.
//!
//! A stream's duration is its units times scale divided by rate. A unit is one chunk, or a fixed number of bytes for
//! audio with a constant sample size. This module must not depend on where the chunks lie.

mod chunks;
mod formats;

use super::ambiguous;
use super::index::{ChunkSum, IndexReader, stream_index};
use crate::bytes::{FourCc, array, u32_le};
use crate::ends::{LeastTime, TrackEnds, least_time};
use crate::sound_bytes::{SoundAmount, SoundPace, outlasts};
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::{Codec, Container, FileRefusal, MediaTrack, TrackKind};

pub(super) use chunks::{MediaChunk, may_begin_chunk};

/// Players assume 25 frames a second if nothing declares another rate.
const DEFAULT_FRAME_MICROS: u32 = 40_000;
const MICROS_PER_SECOND: u32 = 1_000_000;
/// Players ignore a later start of a stream.
const LATEST_START: u64 = 3_600 * NANOS_PER_SECOND;
/// Shorter chunks are no frames of DV.
const SHORTEST_DV: u32 = 120_000;
/// The lengths of a frame of DV, in nanoseconds.
const DV_FRAMES: [u64; 2] = [33_366_667, 40_000_000];

/// Whether a stream's format was read.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
enum StreamFormat {
    #[default]
    Missing,
    /// It was read, and players store the data that may follow it.
    Extensible,
    Complete,
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct AviStream {
    track: MediaTrack,
    scale: u32,
    rate: u32,
    /// The start of the stream, in units of the size in its header.
    start: u32,
    header_unit: u32,
    declared_units: u32,
    /// The bytes in one unit. Zero means that each chunk is one unit.
    unit: u32,
    /// The characters after the stream's digits in its latest chunk, and how many chunks before it had the same ones.
    suffix: [u8; 2],
    alike: u32,
    /// The length of one block of sound. Zero means that it is unknown.
    block: u32,
    /// The bounds of the sound by its bytes.
    pace: SoundPace,
    is_uncompressed: bool,
    format: StreamFormat,
    /// Whether each chunk is a frame of DV, which has its own clock.
    is_dv: bool,
    found: ChunkSum,
    /// The nonempty chunks.
    filled: ChunkSum,
    /// The chunks up to the last nonempty chunk.
    full: ChunkSum,
    old_index: ChunkSum,
    open_index: ChunkSum,
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct AviStreams {
    list: Vec<AviStream>,
    micros_per_frame: u32,
    /// The position of the latest packet, as players divide the chunks.
    latest_data: u64,
    /// The kind of the latest stream, which players also give to one of an unknown kind.
    latest_kind: TrackKind,
    /// The position of the first chunk of any stream, with which players align the index at the end.
    first_chunk: Option<u64>,
    /// The first position that the index at the end lists.
    first_in_index: Option<u32>,
    /// The number of indexes at the end. Players read only some of several.
    old_indexes: u32,
}

impl AviStreams {
    /// Counts a chunk of the media at this position. An empty video chunk repeats the previous frame, so it counts if a
    /// frame follows.
    pub(super) fn count(&mut self, stream: usize, [_, _, suffix @ ..]: FourCc, position: u64, size: u32) {
        self.first_chunk.get_or_insert(position);
        if let Some(stream) = self.list.get_mut(stream).filter(|stream| !stream.is_dv || size >= SHORTEST_DV) {
            stream.alike = if stream.suffix == suffix { stream.alike.saturating_add(1) } else { 0 };
            stream.suffix = suffix;
            stream.found.add(position, size, stream.block);
            if size > 0 {
                self.latest_data = position.saturating_add(8).saturating_add(stream.last_read(size));
                stream.full = stream.found;
                stream.filled.add(position, size, stream.block);
            }
        }
    }

    pub(super) fn begin_old_index(&mut self) {
        self.old_indexes = self.old_indexes.saturating_add(1);
    }

    /// Whether the stream of this `OpenDML` index exists.
    pub(super) fn hold(&self, reader: &IndexReader) -> bool {
        reader.open.is_some_and(|(stream, _)| stream < self.list.len())
    }

    pub(super) fn read_index_entry(&mut self, reader: &IndexReader, entry: &[u8]) {
        match reader.open {
            Some((stream, base)) => self.read_open_entry(stream, base, entry),
            None => self.read_old_entry(entry),
        }
    }

    /// Reads an entry of the index at the end: the name of a chunk, flags, its position and its size. Players know
    /// where the first chunk is, and shift the other positions accordingly.
    fn read_old_entry(&mut self, entry: &[u8]) {
        let [tens, ones, suffix @ ..] = array::<4>(entry, 0).unwrap_or_default();
        let (position, size) = (u32_le(entry, 8).unwrap_or(0), u32_le(entry, 12).unwrap_or(0));
        let Some(stream) = self.list.get_mut(stream_index(tens, ones)).filter(|_| suffix != *b"pc") else { return };
        let first = *self.first_in_index.get_or_insert(position);
        let shifted =
            self.first_chunk.unwrap_or(0).saturating_add(u64::from(position)).saturating_sub(u64::from(first));
        stream.old_index.add(shifted, size, stream.block);
    }

    /// Reads an entry of an index of `OpenDML`: the position of a chunk's content, and its size with a flag.
    fn read_open_entry(&mut self, stream: usize, base: u64, entry: &[u8]) {
        let (offset, size) = (u32_le(entry, 0).unwrap_or(0), u32_le(entry, 4).unwrap_or(0) & 0x7FFF_FFFF);
        let position = base.saturating_add(u64::from(offset)).saturating_sub(8);
        if let Some(stream) = self.list.get_mut(stream) {
            stream.open_index.add(position, size, stream.block);
        }
    }

    /// Refuses an index that lists something else than the chunks. Players ignore the one at the end if there are
    /// others.
    pub(super) fn check_index(&self) -> Result<(), FileRefusal> {
        let lists = |of: fn(&AviStream) -> ChunkSum| {
            let is_listed = |stream: &AviStream| self.is_listed(stream, of(stream));
            self.list.iter().any(|stream| of(stream).chunks > 0).then(|| self.list.iter().all(is_listed))
        };
        let is_right = lists(|stream| stream.open_index)
            .unwrap_or_else(|| lists(|stream| stream.old_index) != Some(false) && self.old_indexes <= 1);
        if !is_right {
            return Err(ambiguous("its index, by which some players play it, lists something else than its frames"));
        }
        Ok(())
    }

    /// Whether an index lists the chunks of a stream. It may omit the empty ones if they last at most a second, and
    /// streams that are neither pictures nor sound.
    fn is_listed(&self, stream: &AviStream, index: ChunkSum) -> bool {
        let omitted = stream.units(stream.found).saturating_sub(stream.units(stream.filled));
        index == stream.found
            || index == stream.filled && self.unit_nanos(stream, omitted) <= NANOS_PER_SECOND
            || index.chunks == 0 && stream.track.kind == TrackKind::Other
    }

    pub(super) fn require_video(&self) -> Result<(), FileRefusal> {
        let has = |kind| self.list.iter().any(|stream| stream.track.kind == kind);
        let container = Container::Avi;
        match (has(TrackKind::Video), has(TrackKind::Audio)) {
            (true, _) => Ok(()),
            (false, true) => Err(FileRefusal::AudioOnly { container }),
            (false, false) => Err(FileRefusal::NoTracks { container }),
        }
    }

    /// Refuses streams that players play with another clock or start, or not at all. Players store clocks in signed
    /// numbers, and play 25 or 29.97 frames of DV a second whatever the header says.
    pub(super) fn require_plain_streams(&self) -> Result<(), FileRefusal> {
        let is_plain = |number: u32| i32::try_from(number).is_ok();
        if !self.list.iter().all(|stream| is_plain(stream.scale) && is_plain(stream.rate)) {
            return Err(ambiguous("a track's clock is so fast that players use another one"));
        }
        let is_usual = |frame: u64| DV_FRAMES.iter().any(|usual| frame.abs_diff(*usual) <= usual / 100);
        let is_alone = self.list.len() == 1;
        if self.list.iter().any(|stream| stream.is_dv && !(is_alone && is_usual(self.unit_nanos(stream, 1)))) {
            return Err(ambiguous("its DV does not have 25 or 29.97 frames a second, or is beside other streams"));
        }
        let has_format = |stream: &AviStream| stream.is_dv || stream.format != StreamFormat::Missing;
        if self.list.iter().any(|stream| stream.track.kind != TrackKind::Other && !has_format(stream)) {
            return Err(ambiguous("the format of a stream is missing"));
        }
        if self.list.iter().any(|stream| self.unit_nanos(stream, stream.start()) > LATEST_START) {
            return Err(ambiguous("a stream begins so late that some players begin it at once"));
        }
        Ok(())
    }

    /// Returns the duration of the longest stream according to the headers.
    pub(super) fn declared(&self) -> Option<u64> {
        self.longest(|stream| u64::from(stream.declared_units))
    }

    /// Returns the duration of the longest stream according to the counted chunks.
    pub(super) fn counted(&self) -> u64 {
        self.longest(AviStream::counted_units).unwrap_or(0)
    }

    /// Returns the duration of the longest stream that every player can decode. Only some players can decode sound of
    /// an unknown format, and some count blocks if the header declares another sample size than the format.
    pub(super) fn counted_for_all_players(&self) -> u64 {
        let is_known =
            |stream: &AviStream| stream.track.kind == TrackKind::Video || stream.track.codec != Codec::Unknown;
        self.longest(|stream| if is_known(stream) { stream.fewest_units() } else { 0 }).unwrap_or(0)
    }

    /// Whether the sound of a stream plays for longer than its clock says.
    pub(super) fn have_hidden_sound(&self) -> bool {
        self.list.iter().any(|stream| outlasts(stream.least_sound(), self.counted_nanos(stream)))
    }

    /// Whether uncompressed sound has too few bytes for its clock. Players that follow the clock leave gaps in it.
    pub(super) fn have_stretched_sound(&self) -> bool {
        let mut uncompressed = self.list.iter().filter(|stream| stream.is_uncompressed);
        uncompressed.any(|stream| {
            let least = stream.least_sound();
            least > 0 && outlasts(self.counted_nanos(stream), least)
        })
    }

    fn counted_nanos(&self, stream: &AviStream) -> u64 {
        self.unit_nanos(stream, stream.counted_units())
    }

    /// Returns the playing time without the last frame of each stream. One empty chunk delays the pictures, because the
    /// sound begins with a frame that only starts the decoder.
    pub(super) fn least(&self) -> Option<LeastTime> {
        let ends: Vec<_> = self.list.iter().filter_map(|stream| self.ends(stream)).collect();
        least_time(ends.into_iter())
    }

    fn ends(&self, stream: &AviStream) -> Option<TrackEnds> {
        let at = |units| i64::try_from(self.unit_nanos(stream, units)).unwrap_or(i64::MAX);
        let (start, units) = (stream.start(), stream.counted_units());
        let span = |units: u64| (at(start), at(start.saturating_add(units)));
        if units == 0 {
            return None;
        }
        match stream.track.kind {
            TrackKind::Video => {
                let frame = self.unit_nanos(stream, 1);
                let is_delayed = units > 1 && stream.filled.chunks < units;
                let span = span(units.saturating_sub(u64::from(is_delayed)));
                Some(TrackEnds::of_pictures(stream.track.codec, span, frame, frame))
            }
            TrackKind::Audio => Some(TrackEnds::of_sound(span(units), None, &stream.track)),
            TrackKind::Other => None,
        }
    }

    pub(super) fn describe(&self) -> Vec<MediaTrack> {
        let describe = |stream: &AviStream| {
            let mut track = stream.track.clone();
            if track.kind == TrackKind::Video {
                track.frame_rate = rate(1, self.unit_nanos(stream, 1));
            }
            track
        };
        self.list.iter().map(describe).collect()
    }

    /// Returns the time from the start of the first stream to the end of the last one.
    fn longest(&self, units: impl Fn(&AviStream) -> u64) -> Option<u64> {
        let span = |stream: &AviStream| {
            let length = self.unit_nanos(stream, units(stream));
            let start = self.unit_nanos(stream, stream.start());
            (length > 0).then(|| (start, start.saturating_add(length)))
        };
        let spans = self.list.iter().filter(|stream| stream.track.kind != TrackKind::Other).filter_map(span);
        let (start, end) = spans.reduce(|whole, next| (whole.0.min(next.0), whole.1.max(next.1)))?;
        Some(end.saturating_sub(start))
    }

    /// Returns the time of this many units. A stream without a clock, even of sound, has that of the pictures.
    fn unit_nanos(&self, stream: &AviStream, units: u64) -> u64 {
        let (scale, rate) = match (stream.scale, stream.rate, self.micros_per_frame) {
            (scale @ 1.., rate @ 1.., _) => (scale, rate),
            (.., 0) => (DEFAULT_FRAME_MICROS, MICROS_PER_SECOND),
            (.., micros) => (micros, MICROS_PER_SECOND),
        };
        scaled(units, u64::from(scale).saturating_mul(NANOS_PER_SECOND), u64::from(rate)).unwrap_or(0)
    }
}

impl AviStream {
    fn counted_units(&self) -> u64 {
        self.units(self.full)
    }

    /// Returns the units in these chunks. If the header and the format give different sizes of a sample, the smaller
    /// one counts, because players differ in the one that they use.
    fn units(&self, sum: ChunkSum) -> u64 {
        match (self.track.kind, self.unit, self.block) {
            // Players don't know the blocks of some codecs, and count chunks.
            (TrackKind::Audio, 0, 1..) => sum.blocks.max(sum.chunks),
            (_, 0, _) => sum.chunks,
            (_, unit, 0) => sum.bytes / u64::from(unit),
            (_, unit, block) => sum.bytes / u64::from(unit.min(block)),
        }
    }

    /// Returns the size of a unit for players, who use the block instead if both are known.
    fn played_unit(&self) -> u32 {
        if self.unit > 0 && self.block > 0 { self.block } else { self.unit }
    }

    /// Returns the start of the stream in units. Players multiply it by the size in the header, and divide it by the
    /// one that they use.
    fn start(&self) -> u64 {
        u64::from(self.start).saturating_mul(self.header_unit.max(1).into()) / u64::from(self.played_unit().max(1))
    }

    /// Returns the offset of the last packet into which players divide a chunk of this size.
    fn last_read(&self, size: u32) -> u64 {
        let piece = match self.played_unit() {
            0 | 1 => u32::MAX,
            unit @ ..32 => 1024 * unit,
            unit => unit,
        };
        u64::from(size.saturating_sub(1) / piece * piece)
    }

    /// Returns the least time in nanoseconds for which the sound plays. Chunks of sound with a constant bit rate hold
    /// parts of frames.
    fn least_sound(&self) -> u64 {
        let packets = if self.unit == 0 { self.filled.chunks } else { 0 };
        self.pace.least(SoundAmount { packets, bytes: self.found.bytes, opus: 0 })
    }

    fn fewest_units(&self) -> u64 {
        if self.unit == 0 { self.counted_units() } else { self.found.bytes / u64::from(self.unit.max(self.block)) }
    }
}

#[cfg(test)]
mod tests;
