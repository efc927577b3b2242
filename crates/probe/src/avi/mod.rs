//! AVI, including the additional RIFF chunks of `OpenDML`.
//!
//! Walks from chunk to chunk, enters the lists, and reads the stream headers. From the media list on, it searches for
//! chunks as ffmpeg does. The counts in the headers give a provisional verdict; the final duration comes from the
//! counted chunks alone. This module must not depend on other containers.

mod header;
mod index;
mod media;
mod streams;

use crate::bytes::wide;
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration, least_within};
use crate::structures::StructureCount;
use crate::time::{NANOS_PER_SECOND, millis};
use crate::{Container, DurationSource, FileRefusal, Media};
use index::{IndexReader, IndexSearch, NamedIndexes};
use streams::AviStreams;

const HEADER: usize = 8;
const LIST_HEADER: usize = 12;
const CONTAINER: Container = Container::Avi;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Avi {
    streams: AviStreams,
    /// The farthest end that any list declares.
    declared_end: u64,
    /// The end of the latest list, and of the latest one of texts.
    list_end: u64,
    texts_end: u64,
    index_search: IndexSearch,
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
}

impl Avi {
    /// Refuses several files in one: some players stop at the end of the first file, others continue.
    fn check_single_header(&mut self) -> Result<(), FileRefusal> {
        self.headers = self.headers.saturating_add(1);
        if self.headers > 1 {
            return Err(ambiguous("it is several files in one"));
        }
        Ok(())
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
        let step = self.step_header(at, window)?;
        if !matches!(step, WalkStep::Need(_)) {
            self.structures.add()?;
        }
        Ok(step)
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
        if self.declared_end > end.length.saturating_add(1) || end.missing > 1 {
            return Err(FileRefusal::Truncated {
                container: CONTAINER,
                what: "a chunk ends beyond the end of the file",
            });
        }
        self.streams.require_video()?;
        self.streams.check_index()?;
        if !self.named_indexes.are_read() {
            return Err(ambiguous("it names an index that is not there"));
        }
        let counted = self.streams.counted();
        if counted > self.streams.counted_for_all_players().saturating_add(NANOS_PER_SECOND) {
            return Err(ambiguous("only some players would play its longest track"));
        }
        if self.streams.have_hidden_sound() {
            return Err(ambiguous("its sound plays for longer than its clock says"));
        }
        if self.streams.have_stretched_sound() {
            return Err(ambiguous("its sound has too few bytes for its clock"));
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

fn ambiguous(what: &'static str) -> FileRefusal {
    FileRefusal::Ambiguous { container: CONTAINER, what }
}

/// Chunks are padded to an even length.
fn skip_chunk(size: u32) -> WalkStep {
    WalkStep::Skip(wide(HEADER).saturating_add(u64::from(size)).saturating_add(u64::from(size & 1)))
}

#[cfg(test)]
mod tests;
