//! Ogg with Theora, VP8 or OGM video.
//!
//! Ogg declares no duration. It is computed from the granule positions, page by page. The durations of chained files
//! are added. This module must not depend on other containers.

mod page;
mod streams;

use crate::bytes::{head, tail, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::final_duration;
use crate::structures::StructureCount;
use crate::time::millis;
use crate::{Container, DurationSource, FileRefusal, Media};
use page::{OggPage, PageParse};
use streams::OggStreams;

/// Enough of a stream's first packet for its clock and picture size.
const IDENTIFICATION: usize = 64;
const CONTAINER: Container = Container::Ogg;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Ogg {
    streams: OggStreams,
    structures: StructureCount,
}

impl Ogg {
    fn step_page(&mut self, page: &OggPage, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if !page.begins_stream {
            self.streams.absorb(page)?;
            return Ok(WalkStep::Skip(wide(page.header + page.body)));
        }
        let wanted = page.header + page.body.min(IDENTIFICATION);
        if window.len() < wanted {
            return Ok(WalkStep::Need(wanted));
        }
        self.streams.begin(page.serial, tail(head(window, wanted), page.header))?;
        Ok(WalkStep::Skip(wide(page.header + page.body)))
    }
}

impl Walk for Ogg {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        match page::parse(window) {
            PageParse::Page(page) => {
                let step = self.step_page(&page, window)?;
                if !matches!(step, WalkStep::Need(_)) {
                    self.structures.add()?;
                }
                Ok(step)
            }
            PageParse::Need(count) => Ok(WalkStep::Need(count)),
            PageParse::NoPage(passed) => Ok(WalkStep::Skip(wide(passed))),
        }
    }

    fn proven(&self) -> u64 {
        self.streams.observed().map_or(0, |seen| seen.length())
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        let within_header = end.tail.starts_with(&page::MAGIC);
        if end.missing > 0 || within_header {
            return Err(FileRefusal::Truncated {
                container: CONTAINER,
                what: "a page ends beyond the end of the file",
            });
        }
        self.streams.require_video()?;
        let source = DurationSource::GranulePositions;
        let (length, source) = final_duration(None, self.streams.observed(), CONTAINER, source)?;
        Ok(Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            tracks: self.streams.describe(),
            metadata_first: false,
        })
    }
}
