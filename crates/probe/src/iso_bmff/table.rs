//! A table inside a box, read entry by entry. Only its position and the layout of its entries are stored.
//!
//! This module must not depend on what the entries mean.

use super::boxes::BoxEnd;
use crate::bytes::{narrow, wide};
use crate::driver::WalkStep;

/// The longest fixed part before the entries of any table that is read.
pub(super) const PREAMBLE: u64 = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum TableKind {
    TimeToSample,
    SampleSizes,
    /// `stz2`: sizes of 4, 8 or 16 bits. An entry of 4 bits holds two of them.
    CompactSizes {
        bits: u8,
    },
    /// `ctts`: how much later samples are shown.
    CompositionOffsets,
    /// `stsc`: how many samples each chunk holds.
    ChunkSamples,
    ChunkOffsets,
    /// `elst`; `long` if its times have 64 bits.
    Edits {
        long: bool,
    },
    /// `trun`; the flags say which fields its entries have.
    RunSamples {
        flags: u32,
    },
    SegmentReferences,
}

/// The layout of a table, read from the fixed part of its box.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableLayout {
    pub(super) kind: TableKind,
    pub(super) preamble: u64,
    pub(super) entry_length: usize,
    pub(super) count: u64,
}

impl TableLayout {
    /// Whether the box has room for as many entries as it declares. Some players read on after its end.
    pub(super) fn fits(self, start: u64, end: BoxEnd) -> bool {
        let room = end.length_from(start).checked_div(wide(self.entry_length)).unwrap_or(u64::MAX);
        self.count <= room
    }

    /// Creates the table. Its number of entries is limited by the size of its box, even if it declares more.
    pub(super) fn bounded(self, start: u64, end: BoxEnd) -> Table {
        let room = end.length_from(start).checked_div(wide(self.entry_length)).unwrap_or(0);
        let left = match self.kind {
            // Some players read as many edits as the box has room for.
            TableKind::Edits { .. } => room,
            _ => self.count.min(room),
        };
        Table { kind: self.kind, entry_length: self.entry_length, left, end }
    }
}

#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Table {
    pub(super) kind: TableKind,
    pub(super) entry_length: usize,
    left: u64,
    end: BoxEnd,
}

impl Table {
    pub(super) fn entries_left(&self) -> bool {
        self.left > 0
    }

    /// Returns the complete entries in the window.
    pub(super) fn whole_entries<'a>(&self, window: &'a [u8]) -> &'a [u8] {
        let fitting = window.len().checked_div(self.entry_length).unwrap_or(0);
        let count = fitting.min(narrow(self.left));
        window.get(..count.saturating_mul(self.entry_length)).unwrap_or_default()
    }

    /// Returns the step over the rest of the box, after the entries.
    pub(super) fn rest_from(&self, at: u64) -> WalkStep {
        self.end.skip_from(at)
    }

    pub(super) fn consume(&mut self, length: usize) {
        let count = length.checked_div(self.entry_length).unwrap_or(0);
        self.left = self.left.saturating_sub(wide(count));
    }
}
