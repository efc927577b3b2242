//! Ogg with Theora, VP8 or OGM video.
//!
//! Ogg declares no duration. It is computed from the granule positions, page by page. Chained files are refused: some
//! players play only the first. This module must not depend on other containers.
//!
//! If the checksum of a page is wrong, players search the page for other pages. Computing the checksum of every page
//! would cost much more than the search, so any file with a page inside another page is refused.

mod page;
mod streams;

use crate::bytes::{head, narrow, tail, wide};
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
    /// The end of the last page.
    page_end: u64,
}

impl Ogg {
    fn step_page(&mut self, page: &OggPage, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let wanted = page.header + page.body.min(IDENTIFICATION);
        if page.begins_stream && window.len() < wanted {
            return Ok(WalkStep::Need(wanted));
        }
        self.structures.add()?;
        if page.begins_stream {
            self.streams.begin(page.serial, tail(head(window, wanted), page.header))?;
        } else {
            self.streams.absorb(page)?;
        }
        self.page_end = at.saturating_add(wide(page.header + page.body));
        Ok(WalkStep::Skip(1))
    }

    /// Searches the rest of a page for the beginning of another one.
    fn search_page(&self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let left = narrow(self.page_end.saturating_sub(at));
        match page::distance_to_page(window).min(left) {
            0 if window.len() < page::MAGIC.len() => Ok(WalkStep::Need(page::MAGIC.len())),
            0 => Err(FileRefusal::Ambiguous { container: CONTAINER, what: "a page begins inside of another one" }),
            distance => Ok(WalkStep::Skip(wide(distance))),
        }
    }
}

impl Walk for Ogg {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if at < self.page_end {
            return self.search_page(at, window);
        }
        match page::parse(window) {
            PageParse::Page(page) => self.step_page(&page, at, window),
            PageParse::Need(count) => Ok(WalkStep::Need(count)),
            PageParse::NoPage(passed) => Ok(WalkStep::Skip(wide(passed))),
        }
    }

    fn proven(&self) -> u64 {
        self.streams.observed().map_or(0, |seen| seen.length())
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        let is_within_header = end.tail.starts_with(b"OggS");
        if end.length < self.page_end || is_within_header {
            return Err(FileRefusal::Truncated {
                container: CONTAINER,
                what: "a page ends beyond the end of the file",
            });
        }
        self.streams.require_video()?;
        self.streams.settle()?;
        let source = DurationSource::GranulePositions;
        let (length, source) = final_duration(None, self.streams.observed(), CONTAINER, source)?;
        let media = Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            least_ms: millis(length),
            longest_track: None,
            shortest_video_ms: None,
            tracks: self.streams.describe(),
            metadata_first: false,
        };
        Ok(media.with_least(self.streams.least()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::tests::step_text;

    /// Returns the next step of a walk that has reached position 90 of the file. Its page ends at position 100.
    fn within_page(window: &[u8]) -> Result<String, &'static str> {
        let mut ogg = Ogg { page_end: 100, ..Ogg::default() };
        step_text(ogg.step(90, window))
    }

    #[test]
    fn a_page_is_searched_for_others_up_to_its_end() {
        assert_eq!(within_page(&[9; 5]).as_deref(), Ok("Skip(5)"));
        assert_eq!(within_page(&[9; 20]).as_deref(), Ok("Skip(10)"));
        assert_eq!(within_page(b"...OggS\0").as_deref(), Ok("Skip(3)"));
        assert_eq!(within_page(b"OggS").as_deref(), Ok("Need(5)"));
        assert_eq!(within_page(b"OggS\0"), Err("ambiguous"));
        assert_eq!(within_page(b"..........OggS\0").as_deref(), Ok("Skip(10)"), "the next page");
    }

    #[test]
    fn the_beginning_of_a_stream_is_read_in_one_piece() {
        let page = |flags, body| OggPage { serial: 1, begins_stream: flags, granule: 0, packets: 1, header: 28, body };
        let step = |page: &OggPage, available: usize| step_text(Ogg::default().step_page(page, 0, &vec![0; available]));
        assert_eq!(step(&page(true, 9), 36).as_deref(), Ok("Need(37)"));
        assert_eq!(step(&page(true, 9), 37).as_deref(), Ok("Skip(1)"));
        assert_eq!(step(&page(true, 999), 91).as_deref(), Ok("Need(92)"));
        assert_eq!(step(&page(true, 999), 92).as_deref(), Ok("Skip(1)"));
        assert_eq!(step(&page(false, 999), 28), Err("no_tracks"), "a page of media");
        let mut ogg = Ogg::default();
        ogg.step_page(&page(true, 9), 1_000, &[0; 37]).expect("a page");
        assert_eq!((ogg.page_end, ogg.proven()), (1_037, 0));
    }

    #[test]
    fn a_file_ends_at_the_end_of_its_last_page_or_later() {
        let ended = |length: u64, tail: &[u8]| {
            let mut ogg = Ogg { page_end: 100, ..Ogg::default() };
            ogg.finish(FileEnd { length, missing: 0, tail }).map(drop).map_err(|refusal| refusal.kind().name())
        };
        assert_eq!([ended(99, &[]), ended(110, b"OggS\0.")], [Err("truncated"); 2]);
        assert_eq!([ended(100, &[]), ended(110, b"....")], [Err("no_tracks"); 2]);
    }
}
