//! Page headers of Ogg.

use crate::bytes::{array, tail, u8_at, u32_le};

pub(super) const MAGIC: [u8; 4] = *b"OggS";
const FIXED: usize = 27;

#[derive(Debug)]
pub(super) struct Page {
    pub(super) serial: u32,
    pub(super) begins_stream: bool,
    /// The position at the end of the last packet that ends here; negative where none does.
    pub(super) granule: i64,
    /// How many packets end on this page.
    pub(super) packets: u64,
    pub(super) header: usize,
    pub(super) body: usize,
}

pub(super) enum Parsed {
    Page(Page),
    Need(usize),
    /// No page begins within so many bytes.
    Lost(usize),
}

pub(super) fn parse(window: &[u8]) -> Parsed {
    match window.get(..MAGIC.len()) {
        None => return Parsed::Need(MAGIC.len()),
        Some(start) if start != MAGIC => return Parsed::Lost(lost(window)),
        Some(_) => {}
    }
    let Some(segments) = u8_at(window, FIXED - 1) else {
        return Parsed::Need(FIXED);
    };
    let header = FIXED + usize::from(segments);
    match window.get(FIXED..header) {
        Some(lacing) => Parsed::Page(read(window, lacing, header)),
        None => Parsed::Need(header),
    }
}

fn read(window: &[u8], lacing: &[u8], header: usize) -> Page {
    Page {
        serial: u32_le(window, 14).unwrap_or(0),
        begins_stream: u8_at(window, 5).is_some_and(|flags| flags & 2 != 0),
        granule: array(window, 6).map_or(-1, i64::from_le_bytes),
        // A packet ends where a segment is not full.
        packets: lacing.iter().map(|length| u64::from(*length < 255)).sum(),
        header,
        body: lacing.iter().map(|length| usize::from(*length)).sum(),
    }
}

/// How far it is to the next byte that may begin a page.
fn lost(window: &[u8]) -> usize {
    let ahead = tail(window, 1);
    1 + memchr::memchr(b'O', ahead).unwrap_or(ahead.len())
}
