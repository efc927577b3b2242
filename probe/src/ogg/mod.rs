//! Ogg with Theora, VP8 or OGM pictures.
//!
//! Declares no length; the granule positions of its pages tell it, page by page. Streams that follow one another
//! (chained files) add up.

mod page;
mod streams;

use crate::bytes::{head, tail, wide};
use crate::driver::{End, Step, Walk};
use crate::reconcile::reconcile;
use crate::time::millis;
use crate::{Container, DurationSource, Media, Refusal};
use page::{Page, Parsed};
use streams::Streams;

/// Enough of a stream's first packet for its clock and its picture size.
const IDENTIFICATION: usize = 64;
const CONTAINER: Container = Container::Ogg;

#[derive(Debug, Default)]
pub(crate) struct Ogg {
    streams: Streams,
}

impl Ogg {
    fn step_page(&mut self, page: &Page, window: &[u8]) -> Result<Step, Refusal> {
        if !page.begins_stream {
            self.streams.absorb(page)?;
            return Ok(Step::Skip(wide(page.header + page.body)));
        }
        let wanted = page.header + page.body.min(IDENTIFICATION);
        if window.len() < wanted {
            return Ok(Step::Need(wanted));
        }
        self.streams
            .begin(page.serial, tail(head(window, wanted), page.header))?;
        Ok(Step::Skip(wide(page.header + page.body)))
    }
}

impl Walk for Ogg {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<Step, Refusal> {
        match page::parse(window) {
            Parsed::Page(page) => self.step_page(&page, window),
            Parsed::Need(count) => Ok(Step::Need(count)),
            Parsed::Lost(passed) => Ok(Step::Skip(wide(passed))),
        }
    }

    fn proven(&self) -> u64 {
        self.streams.observed().map_or(0, |seen| seen.length())
    }

    fn finish(&mut self, end: End<'_>) -> Result<Media, Refusal> {
        let within_header = end.tail.starts_with(&page::MAGIC);
        if end.missing > 0 || within_header {
            return Err(Refusal::Truncated {
                container: CONTAINER,
                what: "a page ends beyond the end of the file",
            });
        }
        self.streams.judge()?;
        let source = DurationSource::GranulePositions;
        let (length, source) = reconcile(None, self.streams.observed(), CONTAINER, source)?;
        Ok(Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            tracks: self.streams.describe(),
            metadata_first: false,
        })
    }
}
