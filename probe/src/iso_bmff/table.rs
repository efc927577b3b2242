//! A table inside a box, read entry by entry: only its place and the shape of its entries are kept.

use super::boxes::Extent;
use crate::bytes::{narrow, wide};
use crate::driver::Step;

/// The longest fixed part before the entries of any table that is read.
pub(super) const PREAMBLE: u64 = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    TimeToSample,
    SampleSizes,
    ChunkOffsets,
    /// `elst`, with 64-bit times or without.
    Edits {
        long: bool,
    },
    /// `trun` with a duration for each sample, at this place of an entry.
    RunDurations,
    SegmentReferences,
}

/// What a box's fixed part said of its entries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opened {
    pub(super) kind: TableKind,
    pub(super) preamble: u64,
    pub(super) entry_length: usize,
    pub(super) count: u64,
}

impl Opened {
    /// The table as far as its box reaches, whatever count it claims.
    pub(super) fn bounded(self, start: u64, extent: Extent) -> Table {
        let room = extent
            .length_from(start)
            .checked_div(wide(self.entry_length));
        Table {
            kind: self.kind,
            entry_length: self.entry_length,
            left: self.count.min(room.unwrap_or(0)),
            extent,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) kind: TableKind,
    pub(super) entry_length: usize,
    left: u64,
    extent: Extent,
}

impl Table {
    pub(super) fn entries_left(&self) -> bool {
        self.left > 0
    }

    /// The entries that lie whole in the window.
    pub(super) fn whole_entries<'a>(&self, window: &'a [u8]) -> &'a [u8] {
        let fitting = window.len().checked_div(self.entry_length).unwrap_or(0);
        let count = fitting.min(narrow(self.left));
        window
            .get(..count.saturating_mul(self.entry_length))
            .unwrap_or_default()
    }

    /// The step over what follows the entries in their box.
    pub(super) fn rest_from(&self, at: u64) -> Step {
        self.extent.skip_from(at)
    }

    pub(super) fn consume(&mut self, length: usize) {
        let count = length.checked_div(self.entry_length).unwrap_or(0);
        self.left = self.left.saturating_sub(wide(count));
    }
}
