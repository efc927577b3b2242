//! The permitted parents of elements, and the ends of the open elements.
//!
//! A known element in a wrong place is refused, because some players read it there. This module must not depend on what
//! the elements contain.

use super::element::{ElementHeader, ElementId};
use super::ids;
use crate::bytes::wide;

/// No element that is read is nested deeper than this.
const MAX_DEPTH: usize = 8;

/// The treatment of an element in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Known,
    /// An element that is skipped everywhere.
    Skipped,
    /// An unknown element, and its end.
    Unknown {
        end: Option<u64>,
    },
    /// An element that belongs elsewhere.
    Foreign,
    /// An element that ends after its parent.
    TooLong,
    /// A number or a text of a length that it cannot have.
    Impossible,
}

#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct OpenElement {
    id: ElementId,
    /// The end of the element, or of its parent if the writer did not know its size.
    end: Option<u64>,
    is_endless: bool,
    /// A bit for each element in it that may come only once.
    seen: u32,
}

/// The open elements, outermost first.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Scopes {
    open: Vec<OpenElement>,
}

impl Scopes {
    /// Closes every element that ends at or before `at`, or has an unknown size and cannot contain `id`.
    pub(super) fn close_before(&mut self, at: u64, id: ElementId) {
        while let Some(last) = self.open.last() {
            let has_ended = last.end.is_some_and(|end| end <= at);
            let is_left = last.is_endless && !ids::is_child(Some(last.id), id) && ids::is_known(id);
            if !has_ended && !is_left {
                return;
            }
            self.open.pop();
        }
    }

    pub(super) fn place(&self, header: &ElementHeader, at: u64) -> Place {
        if !ids::is_possible(header.id, header.size) {
            return Place::Impossible;
        }
        let is_child = ids::is_child(self.open.last().map(|open| open.id), header.id);
        if !is_child && ids::is_known(header.id) {
            return Place::Foreign;
        }
        let end = header.size.map(|size| at.saturating_add(wide(header.length)).saturating_add(size));
        let is_too_long = self.limit().zip(end).is_some_and(|(limit, end)| end > limit);
        match (is_child || ids::is_skipped(header.id), is_too_long) {
            (false, _) => Place::Unknown { end: end.filter(|_| !is_too_long) },
            (true, true) => Place::TooLong,
            (true, false) if is_child => Place::Known,
            (true, false) => Place::Skipped,
        }
    }

    /// Whether an element that may come only once is already in the same parent.
    pub(super) fn is_repeated(&mut self, id: ElementId) -> bool {
        let Some((parent, bit)) = self.open.last_mut().zip(ids::single(id)) else {
            return false;
        };
        let is_second = parent.seen & bit != 0;
        parent.seen |= bit;
        is_second
    }

    /// Opens an element. Returns whether it is nested too deep.
    pub(super) fn open(&mut self, header: &ElementHeader, at: u64) -> bool {
        let end = header.size.map(|size| at.saturating_add(wide(header.length)).saturating_add(size));
        self.open.push(OpenElement { id: header.id, end: end.or(self.limit()), is_endless: end.is_none(), seen: 0 });
        self.open.len() > MAX_DEPTH
    }

    /// Leaves everything inside the segment, or everything if no segment is open.
    pub(super) fn leave_to_segment(&mut self) {
        while self.open.last().is_some_and(|open| open.id != ids::SEGMENT) {
            self.open.pop();
        }
    }

    /// Whether the next element is at the top of a segment.
    pub(super) fn is_at_top(&self) -> bool {
        matches!(self.open.as_slice(), [segment] if segment.id == ids::SEGMENT)
    }

    pub(super) fn is_at_root(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a segment is open that was written without a size, as live recorders do.
    pub(super) fn is_segment_endless(&self) -> bool {
        self.open.first().is_some_and(|open| open.id == ids::SEGMENT && open.is_endless)
    }

    fn limit(&self) -> Option<u64> {
        self.open.last().and_then(|open| open.end)
    }
}

#[cfg(test)]
mod tests;
