//! The streams of an AVI file: their clocks, and how many units of each have been counted.
//!
//! A stream's duration is its units times scale divided by rate. A unit is one chunk, or a fixed number of bytes for
//! audio with a constant sample size. This module must not depend on where the chunks lie.

use super::index::{self, ChunkSum, IndexReader, IndexedStream, StreamIndex, stream_index};
use crate::bytes::{FourCc, array, i32_le, u16_le, u32_le};
use crate::codec::{from_video_fourcc, from_wave_format};
use crate::ends::{LeastTime, TrackEnds, least_time};
use crate::sound_bytes::{SoundAmount, SoundPace, outlasts};
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::{Codec, Container, FileRefusal, MediaTrack, TrackKind};

/// Chunk names identify a stream by two decimal digits.
const MAX_STREAMS: usize = 100;

/// After this many repetitions of a stream's chunk name, players expect all of its chunks to have that name.
const SETTLED: u32 = 5;
/// Players assume 25 frames a second if nothing declares another rate.
const DEFAULT_FRAME_MICROS: u32 = 40_000;
const MICROS_PER_SECOND: u32 = 1_000_000;
/// If the times of the chunks go back by more than this in the order of the file, players may play by the index at the
/// end. Their own limit is two seconds. The difference allows for rounding.
const POOR_INTERLEAVING: u64 = NANOS_PER_SECOND * 3 / 2;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct AviStream {
    track: MediaTrack,
    scale: u32,
    rate: u32,
    /// The start of the stream, in units.
    start: u32,
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
    has_format: bool,
    found: ChunkSum,
    /// The position and the size of its first chunk.
    first_chunk: Option<(u64, u32)>,
    /// The number of chunks up to the last nonempty chunk.
    full_chunks: u64,
    /// The number of nonempty chunks.
    filled_chunks: u64,
    blocks: u64,
    old_index: StreamIndex,
    open_index: StreamIndex,
}

/// A chunk in the media, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MediaChunk {
    /// A frame or sound of this stream.
    Frame(usize),
    /// A list, whose content is searched.
    List,
    /// The index at the end of the file.
    Index,
    /// Another index, a palette or filling.
    Skipped,
    /// No chunk begins here.
    Unknown,
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct AviStreams {
    list: Vec<AviStream>,
    micros_per_frame: u32,
    /// The position of the first chunk of any stream, with which players align the index at the end.
    first_chunk: Option<u64>,
    /// The first and the latest position in that index.
    first_in_index: Option<u32>,
    last_in_index: Option<u32>,
    /// Whether it lists a position twice in a row.
    has_repetitions: bool,
    /// The latest time of a chunk, and the longest step back from it to a chunk that follows, in nanoseconds.
    latest: u64,
    farthest_back: u64,
    /// The farthest position in any index.
    farthest_in_index: u64,
}

impl AviStreams {
    pub(super) fn read_main_header(&mut self, body: &[u8]) {
        self.micros_per_frame = u32_le(body, 0).unwrap_or(0);
    }

    pub(super) fn read_header(&mut self, body: &[u8]) {
        if self.list.len() >= MAX_STREAMS {
            return;
        }
        let number = |at| u32_le(body, at).unwrap_or(0);
        let kind = match body.get(..4).unwrap_or_default() {
            b"vids" | b"iavs" => TrackKind::Video,
            b"auds" => TrackKind::Audio,
            _ => TrackKind::Other,
        };
        let mut track = MediaTrack { kind, ..MediaTrack::default() };
        if kind == TrackKind::Video {
            track.codec = from_video_fourcc(array(body, 4).unwrap_or_default());
        }
        self.list.push(AviStream {
            track,
            scale: number(20),
            rate: number(24),
            start: number(28),
            declared_units: number(32),
            unit: if kind == TrackKind::Audio { number(44) } else { 0 },
            ..AviStream::default()
        });
    }

    /// Reads the format of the latest stream. Some players use the first of several formats, others the last.
    pub(super) fn read_format(&mut self, body: &[u8]) -> Result<(), FileRefusal> {
        let Some(stream) = self.list.last_mut() else {
            return Ok(());
        };
        if std::mem::replace(&mut stream.has_format, true) {
            return Err(FileRefusal::Ambiguous { container: Container::Avi, what: "a stream has two formats" });
        }
        match stream.track.kind {
            TrackKind::Video => read_picture(&mut stream.track, body),
            TrackKind::Audio => {
                stream.pace = SoundPace::of_wave(body);
                stream.is_uncompressed = is_uncompressed(body);
                read_sound(&mut stream.track, body);
                stream.set_block(u16_le(body, 12).map_or(0, u32::from));
            }
            TrackKind::Other => {}
        }
        Ok(())
    }

    /// Returns how players treat a chunk of this name. Two digits name the stream. Where a chunk is expected, any two
    /// characters may follow them; elsewhere, only the stream's usual two.
    pub(super) fn media_chunk(&self, kind: FourCc, is_expected: bool) -> MediaChunk {
        match kind {
            [b'L', b'I', b'S', b'T'] | [b'R', b'I', b'F', b'F'] => MediaChunk::List,
            [b'i', b'd', b'x', b'1'] => MediaChunk::Index,
            [b'J', b'U', b'N', b'K'] | [b'i', b'n', b'd', b'x'] => MediaChunk::Skipped,
            [b'i', b'x', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] if self.has(tens, ones) => MediaChunk::Skipped,
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', a @ ..0x80, b @ ..0x80] if self.has(tens, ones) => match [a, b] {
                [b'i', b'x'] | [b'p', b'c'] => MediaChunk::Skipped,
                usual if is_expected || self.is_usual(tens, ones, usual) => MediaChunk::Frame(stream_index(tens, ones)),
                _ => MediaChunk::Unknown,
            },
            _ => MediaChunk::Unknown,
        }
    }

    fn is_usual(&self, tens: u8, ones: u8, suffix: [u8; 2]) -> bool {
        let stream = self.list.get(stream_index(tens, ones));
        stream.is_some_and(|stream| stream.alike < SETTLED || stream.suffix == suffix)
    }

    fn has(&self, tens: u8, ones: u8) -> bool {
        stream_index(tens, ones) < self.list.len()
    }

    /// Counts a chunk of the media at this position. An empty video chunk repeats the previous frame, so it counts if a
    /// frame follows.
    pub(super) fn count(&mut self, stream: usize, [_, _, suffix @ ..]: FourCc, position: u64, size: u32) {
        self.first_chunk.get_or_insert(position);
        self.note_time(stream);
        if let Some(stream) = self.list.get_mut(stream) {
            stream.alike = if stream.suffix == suffix { stream.alike.saturating_add(1) } else { 0 };
            stream.suffix = suffix;
            stream.first_chunk.get_or_insert((position, size));
            stream.found.add(position, size);
            if size > 0 {
                stream.full_chunks = stream.found.chunks;
                stream.filled_chunks = stream.filled_chunks.saturating_add(1);
            }
            let blocks = u64::from(size).checked_next_multiple_of(u64::from(stream.block.max(1))).unwrap_or(0);
            stream.blocks = stream.blocks.saturating_add(blocks / u64::from(stream.block.max(1)));
        }
    }

    /// Notes the time of the next chunk of a stream.
    fn note_time(&mut self, stream: usize) {
        let Some(stream) = self.list.get(stream) else { return };
        let units = if stream.track.kind == TrackKind::Audio { stream.counted_units() } else { stream.found.chunks };
        let at = self.unit_nanos(stream, u64::from(stream.start).saturating_add(units));
        self.latest = self.latest.max(at);
        self.farthest_back = self.farthest_back.max(self.latest.saturating_sub(at));
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
        let Some([tens @ b'0'..=b'9', ones @ b'0'..=b'9', suffix @ ..]) = array::<4>(entry, 0) else { return };
        let (position, size) = (u32_le(entry, 8).unwrap_or(0), u32_le(entry, 12).unwrap_or(0));
        let Some(stream) = self.list.get_mut(stream_index(tens, ones)).filter(|_| suffix != *b"pc") else { return };
        let first = *self.first_in_index.get_or_insert(position);
        self.has_repetitions |= self.last_in_index.replace(position) == Some(position);
        self.farthest_in_index = self.farthest_in_index.max(u64::from(position));
        let shifted =
            self.first_chunk.unwrap_or(0).saturating_add(u64::from(position)).saturating_sub(u64::from(first));
        stream.old_index.add(shifted, size);
    }

    /// Reads an entry of an index of `OpenDML`: the position of a chunk's content, and its size with a flag.
    fn read_open_entry(&mut self, stream: usize, base: u64, entry: &[u8]) {
        let (offset, size) = (u32_le(entry, 0).unwrap_or(0), u32_le(entry, 4).unwrap_or(0) & 0x7FFF_FFFF);
        let position = base.saturating_add(u64::from(offset)).saturating_sub(8);
        self.farthest_in_index = self.farthest_in_index.max(position);
        if let Some(stream) = self.list.get_mut(stream) {
            stream.open_index.add(position, size);
        }
    }

    /// Refuses an index that misleads players. They ignore the one at the end if there are others.
    pub(super) fn check_index(&self, length: u64) -> Result<(), FileRefusal> {
        let indexed = |of: fn(&AviStream) -> StreamIndex| -> Vec<IndexedStream> {
            let pair = |stream: &AviStream| IndexedStream {
                index: of(stream),
                found: stream.found,
                first: stream.first_chunk,
            };
            self.list.iter().map(pair).collect()
        };
        let (open, old) = (indexed(|stream| stream.open_index), indexed(|stream| stream.old_index));
        let is_open_complete = index::is_complete(&open);
        let is_old_used = self.has_repetitions || self.farthest_back > POOR_INTERLEAVING;
        let misleads = index::misleads(&open, false) || index::misleads(&old, is_old_used);
        let what = match (self.farthest_in_index > length, misleads && !is_open_complete) {
            (true, _) => "its index names positions beyond its end",
            (_, true) => "its index, by which some players play it, lists something else than its frames",
            _ => return Ok(()),
        };
        Err(FileRefusal::Ambiguous { container: Container::Avi, what })
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

    /// Players store clocks in signed numbers.
    pub(super) fn require_plain_clocks(&self) -> Result<(), FileRefusal> {
        let is_plain = |number: u32| i32::try_from(number).is_ok();
        if self.list.iter().all(|stream| is_plain(stream.scale) && is_plain(stream.rate)) {
            return Ok(());
        }
        let what = "a track's clock is so fast that players use another one";
        Err(FileRefusal::Ambiguous { container: Container::Avi, what })
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
        let (start, units) = (u64::from(stream.start), stream.counted_units());
        let span = |units: u64| (at(start), at(start.saturating_add(units)));
        if units == 0 {
            return None;
        }
        match stream.track.kind {
            TrackKind::Video => {
                let frame = self.unit_nanos(stream, 1);
                let is_delayed = units > 1 && stream.filled_chunks < units;
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
            let start = self.unit_nanos(stream, u64::from(stream.start));
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
    /// Sets the length of a block of sound. Some writers of whole frames put the samples of a frame in place of a
    /// sample's size, or a length that says nothing.
    fn set_block(&mut self, block: u32) {
        self.block = block;
        match (self.track.codec, self.unit, block) {
            (Codec::Aac, 1.., 1024 | 4096) | (Codec::Mp3, 1.., 1152) => self.unit = 0,
            (Codec::Aac, 0, ..=4) | (Codec::Flac, 0, _) => self.block = 0,
            _ => {}
        }
    }

    /// If the header and the format differ in the size of a sample, players use either.
    fn counted_units(&self) -> u64 {
        match (self.track.kind, self.unit, self.block) {
            (TrackKind::Audio, 0, 1..) => self.blocks,
            (_, 0, _) => self.full_chunks,
            (_, unit, 0) => self.found.bytes / u64::from(unit),
            (_, unit, block) => self.found.bytes / u64::from(unit.min(block)),
        }
    }

    /// Returns the least time in nanoseconds for which the sound plays. Chunks of sound with a constant bit rate hold
    /// parts of frames.
    fn least_sound(&self) -> u64 {
        let packets = if self.unit == 0 { self.filled_chunks } else { 0 };
        self.pace.least(SoundAmount { packets, bytes: self.found.bytes, opus: 0 })
    }

    fn fewest_units(&self) -> u64 {
        if self.unit == 0 { self.counted_units() } else { self.found.bytes / u64::from(self.unit.max(self.block)) }
    }
}

/// Whether the name of a chunk of the media may begin with these two bytes.
pub(super) fn may_begin_chunk(pair: &[u8]) -> bool {
    match pair {
        [b'0'..=b'9', ones] => ones.is_ascii_digit(),
        [b'L' | b'R', second] => *second == b'I',
        [b'J', second] => *second == b'U',
        [b'i', second] => matches!(second, b'd' | b'n' | b'x'),
        _ => false,
    }
}

/// Reads a `BITMAPINFOHEADER`. A negative height means that the picture is stored top down.
fn read_picture(track: &mut MediaTrack, body: &[u8]) {
    let width = i32_le(body, 4).unwrap_or(0).unsigned_abs();
    let height = i32_le(body, 8).unwrap_or(0).unsigned_abs();
    track.set_size(width, height);
    if let Some(code) = array(body, 16) {
        let codec = from_video_fourcc(code);
        if codec != Codec::Unknown {
            track.codec = codec;
        }
    }
}

/// Whether a `WAVEFORMATEX` describes integers, floating-point numbers or G.711. Its long form has the format at the
/// end.
fn is_uncompressed(body: &[u8]) -> bool {
    let format = match u16_le(body, 0) {
        Some(0xFFFE) => u16_le(body, 24),
        format => format,
    };
    matches!(format, Some(1 | 3 | 6 | 7))
}

/// Reads a `WAVEFORMATEX`.
fn read_sound(track: &mut MediaTrack, body: &[u8]) {
    track.codec = from_wave_format(u16_le(body, 0).unwrap_or(0));
    track.channels = u16_le(body, 2).filter(|count| *count > 0);
    track.sample_rate = u32_le(body, 4).filter(|rate| *rate > 0);
}

#[cfg(test)]
mod tests;
