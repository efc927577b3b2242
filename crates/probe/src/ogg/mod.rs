//! Ogg with Theora, VP8 or OGM video.
//!
//! Ogg declares no duration. It is computed from the granule positions, page by page. Chained files are refused: some
//! players play only the first. This module must not depend on other containers.
//!
//! If the checksum of a page is wrong, players search the page for other pages. Computing the checksum of every page
//! would cost much more than the search, so any file with a page inside another page is refused.

mod identify;
mod packets;
mod page;
mod streams;

use crate::bytes::wide;
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::final_duration;
use crate::structures::StructureCount;
use crate::time::millis;
use crate::{Container, DurationSource, FileRefusal, Media};
use page::{OggPage, PageParse};
use streams::OggStreams;

/// The number of bytes in which players look for the next page: the length of the longest page.
const MAX_GAP: u64 = 65_307;
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
    fn read_page(&mut self, page: &OggPage<'_>, at: u64) -> Result<WalkStep, FileRefusal> {
        let ambiguous = |what| Err(FileRefusal::Ambiguous { container: CONTAINER, what });
        if at < self.page_end {
            return ambiguous("a page begins inside of another one");
        }
        if at.saturating_sub(self.page_end) > MAX_GAP {
            return ambiguous("a page lies so far behind the others that players do not find it");
        }
        self.structures.add()?;
        page.packets().try_for_each(|_| self.structures.add())?;
        self.streams.absorb(page)?;
        self.page_end = at.saturating_add(wide(page.length()));
        Ok(WalkStep::Skip(1))
    }
}

impl Walk for Ogg {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        match page::parse(window) {
            PageParse::Page(page) => self.read_page(&page, at),
            PageParse::Need(count) => Ok(WalkStep::Need(count)),
            PageParse::NoPage(passed) => Ok(WalkStep::Skip(wide(passed))),
        }
    }

    fn proven(&self) -> u64 {
        self.streams.observed().map_or(0, |seen| seen.length())
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        if end.tail.starts_with(b"OggS") {
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

    const EMPTY: [u8; 27] = *b"OggS\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF0123\0\0\0\0\0\0\0\0\0";

    #[test]
    fn a_page_is_searched_for_others() {
        assert_eq!(within_page(&[9; 5]).as_deref(), Ok("Skip(5)"));
        assert_eq!(within_page(b"...OggS\0").as_deref(), Ok("Skip(3)"));
        assert_eq!(within_page(b"OggS\0").as_deref(), Ok("Need(27)"));
        assert_eq!(within_page(&EMPTY), Err("ambiguous"));
    }

    #[test]
    fn a_page_begins_where_players_look_for_it() {
        let at = |at| step_text(Ogg { page_end: 100, ..Ogg::default() }.step(at, &EMPTY));
        assert_eq!([at(100), at(100 + MAX_GAP)], [const { Err("no_tracks") }; 2], "a page of media");
        assert_eq!(at(101 + MAX_GAP), Err("ambiguous"));
    }

    #[test]
    fn a_file_ends_at_the_end_of_its_last_page_or_later() {
        let ended = |tail: &[u8]| {
            let mut ogg = Ogg { page_end: 100, ..Ogg::default() };
            ogg.finish(FileEnd { length: 110, missing: 0, tail }).map(drop).map_err(|refusal| refusal.kind().name())
        };
        assert_eq!(ended(b"OggS\0."), Err("truncated"));
        assert_eq!([ended(&[]), ended(b"....")], [Err("no_tracks"); 2]);
    }
}
