//! Searches the contents of skipped boxes for structural boxes, which define tracks and times.
//!
//! Players enter some boxes at any place in a file, and the private boxes of other programs are unknown. A structural
//! box is recognised by its name together with a plausible size, so that pictures and texts are not mistaken for one.
//! This module must not depend on what the boxes contain, except for handlers, which metadata may also have.

use super::grammar::{STRUCTURES, is_structure};
use super::handler;
use crate::bytes::{FourCc, array, tail, u32_be, u64_be, wide};
use crate::names::{NAME, NameSearch};

/// A long header of a handler, and its body up to its kind.
const HANDLER: usize = 28;

/// Bytes that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Searched {
    /// The position of their end.
    pub(super) until: u64,
    /// Whether a name alone counts as a box. Sample descriptions are short, and the start of their boxes depends on
    /// their kind.
    pub(super) by_name: bool,
}

impl Searched {
    /// Returns the position of the first structural box in the window, of which `left` bytes are searched.
    pub(super) fn find(self, window: &[u8], left: u64) -> Option<usize> {
        if self.by_name { next_name(window) } else { next_box(window, left) }
    }

    /// Returns the number of searched positions in a window: all at the end, otherwise only where a whole header fits.
    pub(super) fn passed(self, window: usize, left: u64) -> usize {
        if wide(window) >= left { window } else { (window + 1).saturating_sub(self.lookahead()) }
    }

    /// Returns the number of bytes that show whether a box begins.
    pub(super) fn lookahead(self) -> usize {
        if self.by_name { NAME } else { HANDLER }
    }
}

static NAMES: NameSearch = NameSearch::new(STRUCTURES);

fn next_name(bytes: &[u8]) -> Option<usize> {
    NAMES.next(bytes, is_structure)
}

/// Returns the position of the next structural box that fits into `left` bytes.
fn next_box(bytes: &[u8], left: u64) -> Option<usize> {
    let mut from = 0;
    while let Some(offset) = next_name(tail(bytes, from + NAME)) {
        let at = from + offset;
        if is_box(tail(bytes, at), left.saturating_sub(wide(at))) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Whether a box that fits into this many bytes begins here. Metadata has its own handler, which players assign to a
/// track only if it is a media handler.
fn is_box(start: &[u8], left: u64) -> bool {
    let (header, fits) = match u32_be(start, 0) {
        Some(0) => (8, true),
        Some(1) => (16, u64_be(start, 8).is_some_and(|size| (16..=left).contains(&size))),
        size => (8, size.is_some_and(|size| (8..=left).contains(&u64::from(size)))),
    };
    let name: Option<FourCc> = array(start, NAME);
    fits && (name != Some(*b"hdlr") || handler::is_media(tail(start, header)))
}
