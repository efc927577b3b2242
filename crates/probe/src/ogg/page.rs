//! Reads Ogg pages.
//!
//! This module must not depend on the streams that the pages belong to.

use crate::bytes::{array, head, positions, tail, u8_at, u32_le};

/// The beginning of a page, with the only version of its format.
pub(super) const MAGIC: [u8; 5] = *b"OggS\0";
const FIXED: usize = 27;

#[derive(Debug)]
pub(super) struct OggPage<'a> {
    pub(super) serial: u32,
    /// Whether the first part of this page belongs to a packet that began on an earlier one.
    pub(super) continues: bool,
    pub(super) begins_stream: bool,
    pub(super) ends_stream: bool,
    /// The position at the end of the last packet that ends on this page; negative if none does.
    pub(super) granule: i64,
    pub(super) lacing: &'a [u8],
    pub(super) body: &'a [u8],
}

pub(super) enum PageParse<'a> {
    Page(OggPage<'a>),
    Need(usize),
    /// No page begins within this many bytes.
    NoPage(usize),
}

pub(super) fn parse(window: &[u8]) -> PageParse<'_> {
    match window.get(..MAGIC.len()) {
        None => return PageParse::Need(MAGIC.len()),
        Some(start) if start != MAGIC => return PageParse::NoPage(1 + distance_to_page(tail(window, 1))),
        Some(_) => {}
    }
    let Some(segments) = u8_at(window, FIXED - 1) else {
        return PageParse::Need(FIXED);
    };
    let header = FIXED + usize::from(segments);
    let Some(lacing) = window.get(FIXED..header) else {
        return PageParse::Need(header);
    };
    let end = header + length(lacing);
    match window.get(header..end) {
        Some(body) => PageParse::Page(read(window, lacing, body)),
        None => PageParse::Need(end),
    }
}

fn read<'a>(window: &[u8], lacing: &'a [u8], body: &'a [u8]) -> OggPage<'a> {
    let has = |flag| u8_at(window, 5).is_some_and(|flags| flags & flag != 0);
    OggPage {
        serial: u32_le(window, 14).unwrap_or(0),
        continues: has(1),
        begins_stream: has(2),
        ends_stream: has(4),
        granule: array(window, 6).map(i64::from_le_bytes).unwrap_or_default(),
        lacing,
        body,
    }
}

fn length(lacing: &[u8]) -> usize {
    lacing.iter().map(|length| usize::from(*length)).sum()
}

impl<'a> OggPage<'a> {
    pub(super) fn length(&self) -> usize {
        FIXED + self.lacing.len() + self.body.len()
    }

    /// Returns the packets, or the parts of them that lie on this page, and whether each ends here.
    pub(super) fn packets(&self) -> impl Iterator<Item = (&'a [u8], bool)> {
        let mut rest = self.body;
        // A packet ends in a segment of fewer than 255 bytes.
        self.lacing.split_inclusive(|length| *length < 255).map(move |lacing| {
            let count = length(lacing);
            let part = head(rest, count);
            rest = tail(rest, count);
            (part, lacing.last().is_some_and(|length| *length < 255))
        })
    }
}

/// Returns the position of the first bytes in the window that may be the beginning of a page. Without such bytes, it is
/// the length of the window.
fn distance_to_page(window: &[u8]) -> usize {
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
        assert!(matches!(parse(&page(0)), PageParse::Page(OggPage { lacing: [1], body: [0], .. })));
        assert!(matches!(parse(&page(1)), PageParse::NoPage(_)));
    }

    #[test]
    fn a_page_has_flags_a_position_a_stream_and_packets() {
        let mut bytes = page(0);
        bytes[14..18].copy_from_slice(&[4, 3, 2, 1]);
        bytes.splice(26.., [5, 255, 1, 0, 255, 255]);
        bytes.extend(vec![8; 766]);
        for flags in 0..8 {
            for granule in [-1, 0, 0x0102_0304_0506_0708_i64] {
                bytes[5] = flags;
                bytes[6..14].copy_from_slice(&granule.to_le_bytes());
                let PageParse::Page(page) = parse(&bytes) else { panic!("no page") };
                let read =
                    u8::from(page.continues) | u8::from(page.begins_stream) << 1 | u8::from(page.ends_stream) << 2;
                assert_eq!((read, page.granule, page.serial, page.length()), (flags, granule, 0x0102_0304, 798));
                let packets: Vec<_> = page.packets().map(|(part, is_end)| (part.len(), is_end)).collect();
                assert_eq!(packets, [(256, true), (0, true), (510, false)]);
            }
        }
    }

    #[test]
    fn a_page_is_read_when_all_of_it_is_there() {
        let mut bytes = page(0);
        bytes[FIXED] = 2;
        bytes.push(0);
        for (available, needed) in [(0, 5), (4, 5), (5, 27), (26, 27), (27, 28), (28, 30), (29, 30)] {
            let parsed = parse(&bytes[..available]);
            assert!(matches!(parsed, PageParse::Need(count) if count == needed), "{available} bytes");
        }
        assert!(matches!(parse(&bytes), PageParse::Page(_)));
        assert!(matches!(parse(b"OggX...OggS"), PageParse::NoPage(7)));
    }

    #[test]
    fn a_page_may_begin_in_the_last_bytes() {
        assert_eq!(distance_to_page(b"...OggS\x01.OggS\0"), 9);
        assert_eq!(distance_to_page(b"...OggX.Og"), 8);
        assert_eq!(distance_to_page(b"...Ogg."), 7);
    }
}
