//! Box headers: a size, a kind, and how far the box reaches.
//!
//! Sizes are kept as `u64` throughout: a 64-bit size must not be cut on a 32-bit target.

use crate::bytes::{array, narrow, u32_be, u64_be};
use crate::driver::Step;

pub(super) type Kind = [u8; 4];

/// The shortest header: size and kind.
pub(super) const SHORTEST: u64 = 8;
const LONG: u64 = 16;

/// How far a box reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// To this position of the file.
    Until(u64),
    /// To the end of the file, from this position on.
    ToTheEnd(u64),
}

impl Extent {
    pub(super) fn ends_by(self, at: u64) -> bool {
        matches!(self, Self::Until(end) if end <= at)
    }

    pub(super) fn is_bounded(self) -> bool {
        matches!(self, Self::Until(_))
    }

    /// The position of the end, or the largest there is.
    pub(super) fn end(self) -> u64 {
        match self {
            Self::Until(end) => end,
            Self::ToTheEnd(_) => u64::MAX,
        }
    }

    pub(super) fn length_from(self, at: u64) -> u64 {
        self.end().saturating_sub(at)
    }

    /// A child that claims to reach beyond its parent ends with it.
    pub(super) fn within(self, parent: Option<Self>) -> Self {
        match (self, parent) {
            (_, None | Some(Self::ToTheEnd(_))) => self,
            (own, Some(Self::Until(limit))) => Self::Until(own.end().min(limit)),
        }
    }

    /// The step over everything from `at` to the end.
    pub(super) fn skip_from(self, at: u64) -> Step {
        match self {
            Self::Until(end) => Step::Skip(end.saturating_sub(at)),
            Self::ToTheEnd(_) => Step::Done,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct BoxHeader {
    pub(super) kind: Kind,
    /// The length of the header itself.
    pub(super) length: u64,
    /// The length of the whole box; `None` reaches to the end of the file.
    size: Option<u64>,
}

/// A size that is smaller than the header which says it.
#[derive(Debug)]
pub(super) struct Unreadable;

impl BoxHeader {
    pub(super) fn extent(&self, at: u64) -> Extent {
        match self.size {
            Some(size) => Extent::Until(at.saturating_add(size)),
            None => Extent::ToTheEnd(at),
        }
    }

    /// The length of the header and so much of the body, when it fits into memory.
    pub(super) fn in_memory(&self, body: u64) -> Option<usize> {
        usize::try_from(self.length.saturating_add(body)).ok()
    }
}

/// How many bytes the header takes that starts here; at least eight are needed to tell.
pub(super) fn header_length(window: &[u8]) -> usize {
    let long = u32_be(window, 0) == Some(1);
    narrow(if long { LONG } else { SHORTEST })
}

/// The header at the start of the window, once all of it is there.
pub(super) fn header(window: &[u8]) -> Result<Option<BoxHeader>, Unreadable> {
    let (Some(size), Some(kind)) = (u32_be(window, 0), array(window, 4)) else {
        return Ok(None);
    };
    let (length, size) = match size {
        0 => (SHORTEST, None),
        1 => match u64_be(window, 8) {
            Some(size) => (LONG, Some(size)),
            None => return Ok(None),
        },
        size => (SHORTEST, Some(u64::from(size))),
    };
    if size.is_some_and(|size| size < length) {
        return Err(Unreadable);
    }
    Ok(Some(BoxHeader { kind, length, size }))
}
