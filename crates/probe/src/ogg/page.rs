//! Reads Ogg page headers.
//!
//! This module must not depend on the streams that the pages belong to.

use crate::bytes::{array, positions, tail, u8_at, u32_le};

/// The beginning of a page, with the only version of its format.
pub(super) const MAGIC: [u8; 5] = *b"OggS\0";
const FIXED: usize = 27;

#[derive(Debug)]
pub(super) struct OggPage {
    pub(super) serial: u32,
    pub(super) begins_stream: bool,
    /// The position at the end of the last packet that ends on this page; negative if none does.
    pub(super) granule: i64,
    /// The number of packets that end on this page.
    pub(super) packets: u64,
    pub(super) header: usize,
    pub(super) body: usize,
}

pub(super) enum PageParse {
    Page(OggPage),
    Need(usize),
    /// No page begins within this many bytes.
    NoPage(usize),
}

pub(super) fn parse(window: &[u8]) -> PageParse {
    match window.get(..MAGIC.len()) {
        None => return PageParse::Need(MAGIC.len()),
        Some(start) if start != MAGIC => return PageParse::NoPage(1 + distance_to_page(tail(window, 1))),
        Some(_) => {}
    }
    let Some(segments) = u8_at(window, FIXED - 1) else {
        return PageParse::Need(FIXED);
    };
    let header = FIXED + usize::from(segments);
    match window.get(FIXED..header) {
        Some(lacing) => PageParse::Page(read(window, lacing, header)),
        None => PageParse::Need(header),
    }
}

fn read(window: &[u8], lacing: &[u8], header: usize) -> OggPage {
    OggPage {
        serial: u32_le(window, 14).unwrap_or(0),
        begins_stream: u8_at(window, 5).is_some_and(|flags| flags & 2 != 0),
        granule: array(window, 6).map(i64::from_le_bytes).unwrap_or_default(),
        // A packet ends in a segment of fewer than 255 bytes.
        packets: lacing.iter().map(|length| u64::from(*length < 255)).sum(),
        header,
        body: lacing.iter().map(|length| usize::from(*length)).sum(),
    }
}

/// Returns the position of the first bytes in the window that may be the beginning of a page. Without such bytes, it is
/// the length of the window.
pub(super) fn distance_to_page(window: &[u8]) -> usize {
    let may_begin = |at: &usize| {
        let candidate = tail(window, *at);
        candidate.starts_with(&MAGIC) || MAGIC.starts_with(candidate)
    };
    positions(b'O', window).find(may_begin).unwrap_or(window.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of this version with one packet of one byte.
    fn page(version: u8) -> Vec<u8> {
        let mut bytes = b"OggS".to_vec();
        bytes.push(version);
        bytes.extend([0; FIXED - 6]);
        bytes.extend([1, 1, 0]);
        bytes
    }

    #[test]
    fn a_page_has_the_only_version_of_its_format() {
        assert!(matches!(parse(&page(0)), PageParse::Page(OggPage { packets: 1, body: 1, .. })));
        assert!(matches!(parse(&page(1)), PageParse::NoPage(_)));
    }

    #[test]
    fn a_page_has_flags_a_position_a_stream_and_packets() {
        let mut bytes = page(0);
        bytes[14..18].copy_from_slice(&[4, 3, 2, 1]);
        bytes.splice(26.., [5, 255, 1, 0, 255, 255]);
        for (flags, begins_stream) in [(0, false), (2, true), (5, false), (7, true)] {
            for granule in [-1, 0, 0x0102_0304_0506_0708_i64] {
                bytes[5] = flags;
                bytes[6..14].copy_from_slice(&granule.to_le_bytes());
                let PageParse::Page(page) = parse(&bytes) else { panic!("no page") };
                assert_eq!((page.begins_stream, page.granule, page.serial), (begins_stream, granule, 0x0102_0304));
                assert_eq!((page.packets, page.header, page.body), (2, 32, 766));
            }
        }
    }

    #[test]
    fn a_page_is_read_when_its_whole_header_is_there() {
        for (available, needed) in [(0, 5), (4, 5), (5, 27), (26, 27), (27, 28)] {
            let parsed = parse(&page(0)[..available]);
            assert!(matches!(parsed, PageParse::Need(count) if count == needed), "{available} bytes");
        }
        assert!(matches!(parse(b"OggX...OggS"), PageParse::NoPage(7)));
    }

    #[test]
    fn a_page_may_begin_in_the_last_bytes() {
        assert_eq!(distance_to_page(b"...OggS\x01.OggS\0"), 9);
        assert_eq!(distance_to_page(b"...OggX.Og"), 8);
        assert_eq!(distance_to_page(b"...Ogg."), 7);
    }
}
