//! The indexes of an AVI file: the index at its end, and the `OpenDML` indexes that each stream's header lists.
//!
//! Players play the chunks in the order of the file, or by the index: if the header says so, or if the file or the
//! index suggests that the streams follow one another. So an index must list exactly the chunks that are there. This
//! module must not depend on where the indexes lie.

use super::HEADER;
use crate::bytes::{FourCc, array, narrow, tail, u8_at, u16_le, u32_le, u64_le, wide};
use std::cmp::Ordering;

/// The most indexes that a file may name. Files of less than a gigabyte have one for each stream.
const MOST_INDEXES: usize = 64;
/// The fixed part of an index of `OpenDML`.
pub(super) const FIXED: usize = 24;
/// The name, the flags, the position and the size of a chunk.
const OLD_ENTRY: usize = 16;
/// The position and the size of a chunk.
const OPEN_ENTRY: usize = 8;
/// The position and the size of an index, and the time that it covers.
const NAMED: usize = 16;
/// The chunks of a stream in their order, as an index lists them or as the media holds them. Two sums are equal if the
/// chunks have the same positions and sizes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ChunkSum {
    pub(super) chunks: u64,
    pub(super) bytes: u64,
    /// The blocks of sound, even begun ones, in all chunks.
    pub(super) blocks: u64,
    mixed: u64,
}

impl ChunkSum {
    pub(super) fn add(&mut self, position: u64, size: u32, block: u32) {
        self.chunks = self.chunks.saturating_add(1);
        self.bytes = self.bytes.saturating_add(u64::from(size));
        self.blocks = self.blocks.saturating_add(u64::from(size.div_ceil(block.max(1))));
        // The finaliser of SplitMix64: sums of other positions and sizes differ.
        let mut mixed =
            self.mixed.wrapping_add(position).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(size));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.mixed = mixed ^ mixed >> 31;
    }
}

/// The place where players look for the index at the end: behind the media list, and from there from chunk to chunk.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct IndexSearch {
    next: Option<u64>,
    is_found: bool,
}

impl IndexSearch {
    pub(super) fn begin(&mut self, media_end: Option<u64>) {
        self.next = media_end;
    }

    /// Follows players past a chunk at this position, whose content the prober skips up to `end`. Returns whether
    /// players may find an index in the skipped bytes.
    pub(super) fn may_find_within(&mut self, kind: FourCc, at: u64, size: u32, end: u64) -> bool {
        let Some(next) = self.next else { return false };
        match at.cmp(&next) {
            Ordering::Less => end > next,
            // Players read other bytes as the header of a chunk, so they may continue at any position.
            Ordering::Greater => !self.is_found && kind != *b"LIST" && kind != *b"RIFF",
            Ordering::Equal => {
                let continues = !self.is_found || matches!(&kind, b"idx1" | b"LIST");
                self.is_found |= &kind == b"idx1" && u64::from(size) >= wide(OLD_ENTRY);
                let padded = u64::from(size).saturating_add(u64::from(size & 1));
                self.next = continues.then(|| at.saturating_add(wide(HEADER)).saturating_add(padded));
                false
            }
        }
    }
}

/// An index that is being read.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct IndexReader {
    /// The bytes of the chunk and the entries that have not been read.
    pub(super) left: u64,
    pub(super) entries: u64,
    /// For `OpenDML`: the stream, and the base of the entries' positions.
    pub(super) open: Option<(usize, u64)>,
}

impl IndexReader {
    /// Returns a reader of the index at the end of the file, whose chunk has this size.
    pub(super) fn of_old(size: u32) -> Self {
        Self { left: u64::from(size), entries: u64::from(size) / wide(OLD_ENTRY), open: None }
    }

    /// Reads the fixed part of an index of `OpenDML`, in a chunk of this size. `None` if it lists no chunks, or more
    /// than fit.
    pub(super) fn of_open(fixed: &[u8], size: u32) -> Option<Self> {
        let (words, subkind, kind) = (u16_le(fixed, 0)?, u8_at(fixed, 2)?, u8_at(fixed, 3)?);
        let entries = u64::from(u32_le(fixed, 4)?);
        let stream = match array(fixed, 8)? {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', _, _] => stream_index(tens, ones),
            _ => return None,
        };
        let left = u64::from(size).checked_sub(wide(FIXED))?;
        let fits = entries.saturating_mul(wide(OPEN_ENTRY)) <= left;
        (words == 2 && subkind == 0 && kind == 1 && fits).then_some(Self {
            left,
            entries,
            open: Some((stream, u64_le(fixed, 12)?)),
        })
    }

    pub(super) fn entry_length(&self) -> usize {
        if self.open.is_some() { OPEN_ENTRY } else { OLD_ENTRY }
    }
}

/// The positions of the indexes that the headers name and that have not been found yet.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct NamedIndexes {
    positions: Vec<u64>,
    /// Whether a header names indexes in a way that is not read.
    is_unread: bool,
}

impl NamedIndexes {
    /// Returns the length of a list of indexes with this fixed part.
    pub(super) fn length(fixed: &[u8]) -> usize {
        FIXED + NAMED * narrow(u64::from(u32_le(fixed, 4).unwrap_or(0))).min(MOST_INDEXES)
    }

    /// Reads the list in a stream's header, in a chunk of this size.
    pub(super) fn read(&mut self, list: &[u8], size: u32) {
        let count = u32_le(list, 4).map_or(0, |count| narrow(u64::from(count)));
        let is_list = array(list, 0) == Some([4, 0, 0, 0]);
        let fits = wide(FIXED + NAMED * count.min(MOST_INDEXES)) <= u64::from(size);
        if count == 0 {
            return;
        }
        self.is_unread |= !is_list || !fits || self.positions.len() + count > MOST_INDEXES;
        // Players find nothing at the beginning of the file, and then read no further.
        let named = tail(list, FIXED).chunks_exact(NAMED).take(count).filter_map(|entry| u64_le(entry, 0));
        self.is_unread |= named.clone().skip_while(|position| *position > 0).any(|position| position > 0);
        self.positions.extend(named.filter(|position| *position > 0).take(MOST_INDEXES));
    }

    /// Whether an index is expected at this position.
    pub(super) fn is_at(&self, position: u64) -> bool {
        self.positions.contains(&position)
    }

    /// Whether an index was expected at this position. It no longer is.
    pub(super) fn take(&mut self, position: u64) -> bool {
        let at = self.positions.iter().position(|named| *named == position);
        at.map(|at| self.positions.swap_remove(at)).is_some()
    }

    /// Whether all indexes were found.
    pub(super) fn are_read(&self) -> bool {
        self.positions.is_empty() && !self.is_unread
    }
}

/// Returns the stream that two characters name. In an index, players do not require them to be digits.
pub(super) fn stream_index(tens: u8, ones: u8) -> usize {
    let digit = |character: u8| i32::from(character) - i32::from(b'0');
    usize::try_from(digit(tens) * 10 + digit(ones)).unwrap_or(usize::MAX)
}
