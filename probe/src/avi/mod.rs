//! AVI, with `OpenDML`'s further RIFF chunks.
//!
//! Walks from chunk to chunk, opens the lists, reads the stream headers, and counts the frames and sound bytes
//! that are really there. The headers' counts make a provisional verdict and decide nothing.

mod streams;

use crate::bytes::{array, u32_le, wide};
use crate::driver::{End, Step, Walk};
use crate::reconcile::{Declared, Observed, reconcile};
use crate::time::millis;
use crate::{Container, DurationSource, Media, Refusal};
use streams::Streams;

const HEADER: usize = 8;
const LIST_HEADER: usize = 12;
/// Stream headers and formats are shorter than this; palettes behind them do not matter.
const LEAF: u32 = 128;
const CONTAINER: Container = Container::Avi;

#[derive(Debug, Default)]
pub(crate) struct Avi {
    streams: Streams,
    /// The farthest end that a list declares.
    declared_end: u64,
    in_media: bool,
    /// Whether the headers told a length before the media began.
    announced: bool,
    /// Where the RIFF chunk ends that began last.
    riff_end: Option<u64>,
}

type Kind = [u8; 4];

impl Avi {
    fn step_chunk(
        &mut self,
        kind: Kind,
        size: u32,
        at: u64,
        window: &[u8],
    ) -> Result<Step, Refusal> {
        match &kind {
            b"RIFF" | b"LIST" => self.step_list(kind, size, at, window),
            b"avih" | b"strh" | b"strf" => Ok(self.read_leaf(kind, size, window)),
            _ if self.in_media && self.is_junk(kind, at) => Ok(Step::Skip(1)),
            _ => {
                if self.in_media {
                    self.streams.count(kind, size);
                }
                Ok(skip_chunk(size))
            }
        }
    }

    /// Bytes that are no chunk. Players go on behind them, and even behind the end that the file declares,
    /// so frames are counted there too; but there only what is a frame for certain.
    fn is_junk(&self, kind: Kind, at: u64) -> bool {
        let is_past_end = self.riff_end.is_some_and(|end| at >= end);
        let is_certain =
            streams::stream_index(kind).is_some() || &kind == b"idx1" || &kind == b"JUNK";
        let is_readable = kind.iter().all(|byte| (b' '..=b'~').contains(byte));
        !is_certain && (is_past_end || !is_readable)
    }

    fn step_list(
        &mut self,
        kind: Kind,
        size: u32,
        at: u64,
        window: &[u8],
    ) -> Result<Step, Refusal> {
        let Some(list): Option<Kind> = array(window, HEADER) else {
            return Ok(Step::Need(LIST_HEADER));
        };
        let is_known = size != 0 && size != u32::MAX;
        match &list {
            b"AVI " | b"AVIX" | b"movi" if is_known => {
                let end = at
                    .saturating_add(wide(HEADER))
                    .saturating_add(u64::from(size));
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
            self.announced = self.streams.declared().is_some();
            self.streams.judge()?;
        }
        Ok(Step::Skip(wide(LIST_HEADER)))
    }

    fn read_leaf(&mut self, kind: Kind, size: u32, window: &[u8]) -> Step {
        let wanted = HEADER.saturating_add(usize::try_from(size.min(LEAF)).unwrap_or(0));
        let Some(body) = window.get(HEADER..wanted) else {
            return Step::Need(wanted);
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
    fn step(&mut self, at: u64, window: &[u8]) -> Result<Step, Refusal> {
        match array(window, 0).zip(u32_le(window, 4)) {
            Some((kind, size)) => self.step_chunk(kind, size, at, window),
            None => Ok(Step::Need(HEADER)),
        }
    }

    fn is_known(&self) -> bool {
        self.in_media && self.announced
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.streams.declared()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        self.streams.counted()
    }

    fn finish(&mut self, end: End<'_>) -> Result<Media, Refusal> {
        // One byte of padding at the very end is often left out.
        if self.declared_end > end.length.saturating_add(1) || end.missing > 1 {
            return Err(Refusal::Truncated {
                container: CONTAINER,
                what: "a chunk ends beyond the end of the file",
            });
        }
        self.streams.judge()?;
        let counted = self.streams.counted();
        let seen = (counted > 0).then_some(Observed {
            start: 0,
            last: counted,
            end: counted,
            latest: counted,
        });
        let declared = self.streams.declared().map(Declared::from_zero);
        let source = DurationSource::FrameCount;
        let (length, source) = reconcile(declared, seen, CONTAINER, source)?;
        Ok(self.media(length, source))
    }
}

/// Chunks begin at even places.
fn skip_chunk(size: u32) -> Step {
    Step::Skip(
        wide(HEADER)
            .saturating_add(u64::from(size))
            .saturating_add(u64::from(size & 1)),
    )
}
