//! AVI, including the additional RIFF chunks of `OpenDML`.
//!
//! Walks from chunk to chunk, enters the lists, and reads the stream headers. From the media list on, it searches for
//! chunks as ffmpeg does: everything that is named like a frame is counted, wherever it lies, and other bytes are
//! searched one by one. The counts in the headers give a provisional verdict; the final duration comes from the counted
//! chunks alone. This module must not depend on other containers.

mod index;
mod streams;

use crate::bytes::{FourCc, array, narrow, tail, u32_le, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration, least_within};
use crate::structures::StructureCount;
use crate::time::{NANOS_PER_SECOND, millis};
use crate::{Container, DurationSource, FileRefusal, Media};
use index::{IndexReader, NamedIndexes};
use streams::{AviStreams, MediaChunk};

const HEADER: usize = 8;
const LIST_HEADER: usize = 12;
/// Stream headers and formats are shorter than this. The palettes that may follow them are not needed.
const LEAF: u32 = 128;
/// The longest chunk before the media. Players expect the media in a longer one.
const LONGEST_HEADER: u32 = 1_000_000;
const CONTAINER: Container = Container::Avi;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Avi {
    streams: AviStreams,
    /// The farthest end that any list declares.
    declared_end: u64,
    /// The end of the first media list, behind which players look for the index. Zero if it is not declared.
    media_end: u64,
    in_media: bool,
    /// Whether the headers declared a length before the media list began.
    declared_before_media: bool,
    structures: StructureCount,
    /// The end of the stream's list whose header has not come yet.
    header_until: u64,
    /// The number of file headers that were seen.
    headers: u32,
    /// The expected position of the next chunk of the media.
    expected_at: u64,
    /// The index that is being read.
    index: Option<IndexReader>,
    named_indexes: NamedIndexes,
    /// Whether players skip the last chunk without looking into it.
    in_skipped_chunk: bool,
}

impl Avi {
    fn step_header(&mut self, kind: FourCc, size: u32, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        match &kind {
            b"RIFF" | b"LIST" => self.step_list(size, at, window),
            b"avih" | b"strh" | b"strf" => self.read_leaf(kind, size, at, window),
            b"indx" => Ok(self.read_named_indexes(size, window)),
            _ if size > LONGEST_HEADER => Err(FileRefusal::Ambiguous {
                container: CONTAINER,
                what: "a chunk before the media is so long that some players expect media in it",
            }),
            _ => Ok(skip_chunk(size)),
        }
    }

    fn step_list(&mut self, size: u32, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(list): Option<FourCc> = array(window, HEADER) else {
            return Ok(WalkStep::Need(LIST_HEADER));
        };
        let is_known = size != 0 && size != u32::MAX;
        let end = if is_known { at.saturating_add(wide(HEADER)).saturating_add(u64::from(size)) } else { 0 };
        if matches!(&list, b"AVI " | b"movi") {
            self.declared_end = self.declared_end.max(end);
        }
        if &list == b"AVI " {
            self.check_single_header()?;
        }
        match &list {
            b"INFO" | b"ncdt" => return Ok(skip_chunk(size)),
            b"strl" if is_known => self.header_until = at.saturating_add(u64::from(size)),
            b"strl" => self.header_until = u64::MAX,
            b"movi" => {
                self.in_media = true;
                self.media_end = end;
                self.expected_at = at.saturating_add(wide(LIST_HEADER));
                self.declared_before_media = self.streams.declared().is_some();
                self.streams.require_video()?;
                self.streams.require_plain_clocks()?;
            }
            _ => {}
        }
        Ok(WalkStep::Skip(wide(LIST_HEADER)))
    }

    /// Continues at the next chunk of the media, wherever it is.
    fn step_media(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        self.in_skipped_chunk = false;
        // A byte of padding follows a chunk of odd length, unless the writer forgot it. Nine bytes show which.
        let longest = HEADER + 1;
        let may_begin = window.windows(2).enumerate().filter(|(_, pair)| streams::may_begin_chunk(pair));
        for (offset, _) in may_begin {
            let Some(start) = window.get(offset..offset + longest) else { break };
            let position = at.saturating_add(wide(offset));
            let is_expected = position <= self.expected_at.saturating_add(1);
            let chunk = self.chunk_at(start, is_expected);
            let is_padding = position == self.expected_at && self.chunk_at(tail(start, 1), true) != MediaChunk::Unknown;
            if chunk == MediaChunk::Unknown || is_padding {
                continue;
            }
            return if offset > 0 { Ok(WalkStep::Skip(wide(offset))) } else { self.take_chunk(chunk, at, window) };
        }
        // The last bytes may be the beginning of a chunk.
        Ok(match (window.len() + 1).saturating_sub(longest) {
            0 => WalkStep::Need(longest),
            searched => WalkStep::Skip(wide(searched)),
        })
    }

    fn chunk_at(&self, start: &[u8], is_expected: bool) -> MediaChunk {
        array(start, 0).map_or(MediaChunk::Unknown, |kind| self.streams.media_chunk(kind, is_expected))
    }

    fn take_chunk(&mut self, chunk: MediaChunk, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let needed = match chunk {
            MediaChunk::List => LIST_HEADER,
            MediaChunk::Skipped if self.named_indexes.is_at(at) => HEADER + index::FIXED,
            _ => 0,
        };
        if window.len() < needed {
            return Ok(WalkStep::Need(needed));
        }
        self.structures.add()?;
        let (kind, size) = (array(window, 0).unwrap_or_default(), u32_le(window, 4).unwrap_or(0));
        let length = match chunk {
            MediaChunk::List => {
                self.note_list(size, at, window)?;
                wide(LIST_HEADER)
            }
            MediaChunk::Index => {
                self.index = Some(IndexReader::of_old(size));
                wide(HEADER)
            }
            MediaChunk::Skipped if self.named_indexes.take(at) => {
                let fixed = tail(window, HEADER);
                let Some(reader) = IndexReader::of_open(fixed, size) else {
                    let what = "an index that some players use is not one of chunks";
                    return Err(FileRefusal::Ambiguous { container: CONTAINER, what });
                };
                self.index = Some(reader);
                wide(HEADER + index::FIXED)
            }
            _ => wide(HEADER).saturating_add(u64::from(size)),
        };
        if matches!(chunk, MediaChunk::Frame(_))
            && at < self.media_end
            && at.saturating_add(length) > self.media_end.saturating_add(1)
        {
            let what = "a frame ends after the list that holds it, where players look for the index";
            return Err(FileRefusal::Ambiguous { container: CONTAINER, what });
        }
        match chunk {
            MediaChunk::Frame(stream) => self.streams.count(stream, kind, at, size),
            _ => self.in_skipped_chunk = chunk == MediaChunk::Skipped,
        }
        self.expected_at = at.saturating_add(length).saturating_add(self.index.map_or(0, |index| index.left));
        Ok(WalkStep::Skip(length))
    }

    fn step_index(&mut self, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(mut reader) = self.index.take() else { return Ok(WalkStep::Skip(0)) };
        let length = reader.entry_length();
        if reader.entries == 0 {
            return Ok(WalkStep::Skip(reader.left));
        }
        if window.len() < length {
            self.index = Some(reader);
            return Ok(WalkStep::Need(length));
        }
        let mut read = 0;
        for entry in window.chunks_exact(length).take(narrow(reader.entries)) {
            self.structures.add()?;
            self.streams.read_index_entry(&reader, entry);
            read += 1;
        }
        let step = read * wide(length);
        reader.entries -= read;
        reader.left = reader.left.saturating_sub(step);
        self.index = Some(reader);
        Ok(WalkStep::Skip(step))
    }

    /// Notes the end of another RIFF chunk or media list. Its content is searched like everything else.
    fn note_list(&mut self, size: u32, at: u64, window: &[u8]) -> Result<(), FileRefusal> {
        let list: FourCc = array(window, HEADER).unwrap_or_default();
        if window.starts_with(b"RIFF") && &list == b"AVI " {
            self.check_single_header()?;
        }
        // Nothing after the declared end of the file is media.
        let is_within = window.starts_with(b"RIFF") || self.declared_end == 0 || at < self.declared_end;
        if matches!(&list, b"AVIX" | b"movi") && size != 0 && size != u32::MAX && is_within {
            let end = at.saturating_add(wide(HEADER)).saturating_add(u64::from(size));
            self.declared_end = self.declared_end.max(end);
        }
        Ok(())
    }

    /// Refuses several files in one: some players stop at the end of the first file, others continue.
    fn check_single_header(&mut self) -> Result<(), FileRefusal> {
        self.headers = self.headers.saturating_add(1);
        if self.headers > 1 {
            return Err(FileRefusal::Ambiguous { container: CONTAINER, what: "it is several files in one" });
        }
        Ok(())
    }

    /// Refuses a second stream header in a list, or one outside of a list: some players count it as another stream.
    fn check_stream_header(&mut self, at: u64) -> Result<(), FileRefusal> {
        if at >= std::mem::take(&mut self.header_until) {
            let what = "a stream has two headers, or a header is in no stream's list";
            return Err(FileRefusal::Ambiguous { container: CONTAINER, what });
        }
        Ok(())
    }

    fn read_named_indexes(&mut self, size: u32, window: &[u8]) -> WalkStep {
        let body = tail(window, HEADER);
        let present = usize::try_from(size).unwrap_or(usize::MAX);
        let wanted = if body.len() < index::FIXED { index::FIXED } else { NamedIndexes::length(body) }.min(present);
        match body.get(..wanted) {
            Some(list) => {
                self.named_indexes.read(list, size);
                skip_chunk(size)
            }
            None => WalkStep::Need(HEADER + wanted),
        }
    }

    fn read_leaf(&mut self, kind: FourCc, size: u32, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let wanted = HEADER.saturating_add(usize::try_from(size.min(LEAF)).unwrap_or(0));
        let Some(body) = window.get(HEADER..wanted) else {
            return Ok(WalkStep::Need(wanted));
        };
        match &kind {
            b"avih" => self.streams.read_main_header(body),
            b"strh" => {
                self.check_stream_header(at)?;
                self.streams.read_header(body);
            }
            _ => self.streams.read_format(body)?,
        }
        Ok(skip_chunk(size))
    }

    fn media(&self, length: u64, source: DurationSource) -> Media {
        Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            least_ms: millis(length),
            longest_track: None,
            shortest_video_ms: None,
            tracks: self.streams.describe(),
            metadata_first: self.streams.declared().is_some(),
        }
    }
}

impl Walk for Avi {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if self.index.is_some() {
            return self.step_index(window);
        }
        if self.in_media {
            return self.step_media(at, window);
        }
        match array(window, 0).zip(u32_le(window, 4)) {
            Some((kind, size)) => {
                let step = self.step_header(kind, size, at, window)?;
                if !matches!(step, WalkStep::Need(_)) {
                    self.structures.add()?;
                }
                Ok(step)
            }
            None => Ok(WalkStep::Need(HEADER)),
        }
    }

    fn is_known(&self) -> bool {
        self.declared_before_media
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.streams.declared()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        self.streams.counted()
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        // Many writers omit the last padding byte.
        let is_cut = end.missing > 1 && !self.in_skipped_chunk;
        if self.declared_end > end.length.saturating_add(1) || is_cut {
            return Err(FileRefusal::Truncated {
                container: CONTAINER,
                what: "a chunk ends beyond the end of the file",
            });
        }
        self.streams.require_video()?;
        self.streams.check_index(end.length)?;
        if !self.named_indexes.are_read() {
            return Err(FileRefusal::Ambiguous { container: CONTAINER, what: "it names an index that is not there" });
        }
        let counted = self.streams.counted();
        if counted > self.streams.counted_for_all_players().saturating_add(NANOS_PER_SECOND) {
            return Err(FileRefusal::Ambiguous {
                container: CONTAINER,
                what: "only some players would play its longest track",
            });
        }
        if self.streams.have_hidden_sound() {
            let what = "its sound plays for longer than its clock says";
            return Err(FileRefusal::Ambiguous { container: CONTAINER, what });
        }
        if self.streams.have_stretched_sound() {
            let what = "its sound has too few bytes for its clock";
            return Err(FileRefusal::Ambiguous { container: CONTAINER, what });
        }
        let observed = (counted > 0).then_some(ObservedSpan {
            start: 0,
            last: counted,
            end: counted,
            known: counted,
            latest: counted,
        });
        let declared = self.streams.declared().map(DeclaredLength::from_zero);
        let source = DurationSource::FrameCount;
        let (length, source) = final_duration(declared, observed, CONTAINER, source)?;
        Ok(self.media(length, source).with_least(least_within(self.streams.least(), length, observed)))
    }
}

/// Chunks are padded to an even length.
fn skip_chunk(size: u32) -> WalkStep {
    WalkStep::Skip(wide(HEADER).saturating_add(u64::from(size)).saturating_add(u64::from(size & 1)))
}

#[cfg(test)]
mod tests;
