//! Reads box headers: the size, the kind, and where the box ends.
//!
//! Sizes are `u64` throughout, so that a 64-bit size is not truncated on a 32-bit target. This module must not depend
//! on what any kind of box means.

use crate::bytes::{FourCc, array, narrow, u32_be, u64_be};
use crate::driver::WalkStep;

/// The shortest header: a size and a kind.
pub(super) const SHORTEST_HEADER: u64 = 8;
const LONG_HEADER: u64 = 16;

/// The end of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum BoxEnd {
    /// The box ends at this position in the file.
    At(u64),
    /// The box ends at the end of the file. The value is the position of its start.
    OfFile(u64),
}

impl BoxEnd {
    pub(super) fn ends_by(self, at: u64) -> bool {
        matches!(self, Self::At(end) if end <= at)
    }

    pub(super) fn is_bounded(self) -> bool {
        matches!(self, Self::At(_))
    }

    /// Returns the position of the end; `u64::MAX` for the end of the file.
    pub(super) fn position(self) -> u64 {
        match self {
            Self::At(end) => end,
            Self::OfFile(_) => u64::MAX,
        }
    }

    pub(super) fn length_from(self, at: u64) -> u64 {
        self.position().saturating_sub(at)
    }

    /// Limits the end of a child to the end of its parent.
    pub(super) fn within(self, parent: Option<Self>) -> Self {
        match (self, parent) {
            (_, None | Some(Self::OfFile(_))) => self,
            (own, Some(Self::At(limit))) => Self::At(own.position().min(limit)),
        }
    }

    /// Returns the step from `at` to the end of the box.
    pub(super) fn skip_from(self, at: u64) -> WalkStep {
        match self {
            Self::At(end) => WalkStep::Skip(end.saturating_sub(at)),
            Self::OfFile(_) => WalkStep::Done,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct BoxHeader {
    pub(super) kind: FourCc,
    /// The length of the header itself.
    pub(super) length: u64,
    /// The length of the whole box. `None` means that it extends to the end of the file.
    size: Option<u64>,
}

/// The box declares a size smaller than its own header.
#[derive(Debug)]
pub(super) struct ImpossibleSize;

impl BoxHeader {
    pub(super) fn end(&self, at: u64) -> BoxEnd {
        match self.size {
            Some(size) => BoxEnd::At(at.saturating_add(size)),
            None => BoxEnd::OfFile(at),
        }
    }

    /// Returns the length of the header plus `body` bytes, if it fits in memory.
    pub(super) fn in_memory(&self, body: u64) -> Option<usize> {
        usize::try_from(self.length.saturating_add(body)).ok()
    }
}

/// Returns the length of the header at the start of the window. Needs at least eight bytes.
pub(super) fn header_length(window: &[u8]) -> usize {
    let long = u32_be(window, 0) == Some(1);
    narrow(if long { LONG_HEADER } else { SHORTEST_HEADER })
}

/// Parses the header at the start of the window. Returns `None` if bytes are missing.
pub(super) fn header(window: &[u8]) -> Result<Option<BoxHeader>, ImpossibleSize> {
    let (Some(size), Some(kind)) = (u32_be(window, 0), array(window, 4)) else {
        return Ok(None);
    };
    let (length, size) = match size {
        0 => (SHORTEST_HEADER, None),
        1 => match u64_be(window, 8) {
            Some(size) => (LONG_HEADER, Some(size)),
            None => return Ok(None),
        },
        size => (SHORTEST_HEADER, Some(u64::from(size))),
    };
    if size.is_some_and(|size| size < length) {
        return Err(ImpossibleSize);
    }
    Ok(Some(BoxHeader { kind, length, size }))
}
