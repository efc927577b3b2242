//! AVI, including the additional RIFF chunks of `OpenDML`.
//!
//! Walks from chunk to chunk, enters the lists, reads the stream headers, and counts the frames and audio bytes that
//! are present. The counts in the headers give a provisional verdict; the final duration comes from the counted chunks
//! alone. This module must not depend on other containers.

mod streams;

use crate::bytes::{FourCc, array, u32_le, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration};
use crate::time::millis;
use crate::{Container, DurationSource, FileRefusal, Media};
use streams::AviStreams;

const HEADER: usize = 8;
const LIST_HEADER: usize = 12;
/// Stream headers and formats are shorter than this. The palettes that may follow them are not needed.
const LEAF: u32 = 128;
const CONTAINER: Container = Container::Avi;

#[derive(Debug, Default)]
pub(crate) struct Avi {
    streams: AviStreams,
    /// The farthest end that any list declares.
    declared_end: u64,
    in_media: bool,
    /// Whether the headers declared a length before the media list began.
    declared_before_media: bool,
    /// Where the most recent RIFF chunk ends.
    riff_end: Option<u64>,
}

impl Avi {
    fn step_chunk(&mut self, kind: FourCc, size: u32, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        match &kind {
            b"RIFF" | b"LIST" => self.step_list(kind, size, at, window),
            b"avih" | b"strh" | b"strf" => Ok(self.read_leaf(kind, size, window)),
            _ if self.in_media && self.is_junk(kind, at) => Ok(WalkStep::Skip(1)),
            _ => {
                if self.in_media {
                    self.streams.count(kind, size);
                }
                Ok(skip_chunk(size))
            }
        }
    }

    /// Whether the bytes are not a chunk. Players continue after such bytes, and even past the declared end of the
    /// file, so frames are counted there too. Past the declared end, only chunks with a known name count as chunks.
    fn is_junk(&self, kind: FourCc, at: u64) -> bool {
        let is_past_end = self.riff_end.is_some_and(|end| at >= end);
        let is_certain = streams::stream_index(kind).is_some() || &kind == b"idx1" || &kind == b"JUNK";
        let is_readable = kind.iter().all(|byte| (b' '..=b'~').contains(byte));
        !is_certain && (is_past_end || !is_readable)
    }

    fn step_list(&mut self, kind: FourCc, size: u32, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(list): Option<FourCc> = array(window, HEADER) else {
            return Ok(WalkStep::Need(LIST_HEADER));
        };
        let is_known = size != 0 && size != u32::MAX;
        match &list {
            b"AVI " | b"AVIX" | b"movi" if is_known => {
                let end = at.saturating_add(wide(HEADER)).saturating_add(u64::from(size));
                self.declared_end = self.declared_end.max(end);
                if &kind == b"RIFF" {
                    self.riff_end = Some(end);
                }
            }
            b"AVI " | b"AVIX" | b"movi" | b"hdrl" | b"strl" | b"rec " => {}
            _ => return Ok(skip_chunk(size)),
        }
        if &list == b"movi" && !self.in_media {
            self.in_media = true;
            self.declared_before_media = self.streams.declared().is_some();
            self.streams.require_video()?;
        }
        Ok(WalkStep::Skip(wide(LIST_HEADER)))
    }

    fn read_leaf(&mut self, kind: FourCc, size: u32, window: &[u8]) -> WalkStep {
        let wanted = HEADER.saturating_add(usize::try_from(size.min(LEAF)).unwrap_or(0));
        let Some(body) = window.get(HEADER..wanted) else {
            return WalkStep::Need(wanted);
        };
        match &kind {
            b"avih" => self.streams.read_main_header(body),
            b"strh" => self.streams.read_header(body),
            _ => self.streams.read_format(body),
        }
        skip_chunk(size)
    }

    fn media(&self, length: u64, source: DurationSource) -> Media {
        Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            tracks: self.streams.describe(),
            metadata_first: self.streams.declared().is_some(),
        }
    }
}

impl Walk for Avi {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        match array(window, 0).zip(u32_le(window, 4)) {
            Some((kind, size)) => self.step_chunk(kind, size, at, window),
            None => Ok(WalkStep::Need(HEADER)),
        }
    }

    fn is_known(&self) -> bool {
        self.in_media && self.declared_before_media
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.streams.declared()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        self.streams.counted()
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        // Many writers omit the last padding byte.
        if self.declared_end > end.length.saturating_add(1) || end.missing > 1 {
            return Err(FileRefusal::Truncated {
                container: CONTAINER,
                what: "a chunk ends beyond the end of the file",
            });
        }
        self.streams.require_video()?;
        let counted = self.streams.counted();
        let observed = (counted > 0).then_some(ObservedSpan { start: 0, last: counted, end: counted, latest: counted });
        let declared = self.streams.declared().map(DeclaredLength::from_zero);
        let source = DurationSource::FrameCount;
        let (length, source) = final_duration(declared, observed, CONTAINER, source)?;
        Ok(self.media(length, source))
    }
}

/// Chunks are padded to an even length.
fn skip_chunk(size: u32) -> WalkStep {
    WalkStep::Skip(wide(HEADER).saturating_add(u64::from(size)).saturating_add(u64::from(size & 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_chunks_are_skipped_within_the_file_and_unreadable_ones_nowhere() {
        let avi = Avi { in_media: true, riff_end: Some(1_000), ..Avi::default() };
        for (kind, within, past_end) in [
            (b"00dc", false, false),
            (b"idx1", false, false),
            (b"JUNK", false, false),
            (b"ix00", false, true),
            (b"\0\0\0\0", true, true),
            (b"ab\x7Fc", true, true),
        ] {
            assert_eq!((avi.is_junk(*kind, 999), avi.is_junk(*kind, 1_000)), (within, past_end), "{kind:?}");
        }
    }

    #[test]
    fn chunks_are_padded_to_an_even_length() {
        assert!(matches!(skip_chunk(10), WalkStep::Skip(18)));
        assert!(matches!(skip_chunk(11), WalkStep::Skip(20)));
    }
}
