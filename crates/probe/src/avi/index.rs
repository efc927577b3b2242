//! The indexes of an AVI file: the index at its end, and the `OpenDML` indexes that each stream's header lists.
//!
//! Players play the chunks in the order of the file. But if that order or the index suggests that the streams follow
//! one another, they play by the index. So an index must list exactly the chunks that are there, or give players no
//! reason to use it. This module must not depend on where the indexes lie.

use crate::bytes::{array, narrow, tail, u8_at, u16_le, u32_le, u64_le, wide};

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

/// The chunks of a stream, as an index lists them or as the media holds them. Two sums are equal if the chunks have the
/// same positions and sizes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ChunkSum {
    pub(super) chunks: u64,
    pub(super) bytes: u64,
    mixed: u64,
}

impl ChunkSum {
    pub(super) fn add(&mut self, position: u64, size: u32) {
        self.chunks = self.chunks.saturating_add(1);
        self.bytes = self.bytes.saturating_add(u64::from(size));
        // The finaliser of SplitMix64: sums of other positions and sizes differ.
        let mut mixed = position.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(size));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.mixed = self.mixed.wrapping_add(mixed ^ mixed >> 31);
    }
}

/// The entries of one stream in one kind of index.
#[derive(Debug, Default, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct StreamIndex {
    pub(super) sum: ChunkSum,
    first: (u64, u32),
    last: (u64, u32),
    /// Whether its chunks overlap or go back, so that players ignore their order.
    is_disordered: bool,
}

impl StreamIndex {
    pub(super) fn add(&mut self, position: u64, size: u32) {
        if self.sum.chunks == 0 {
            self.first = (position, size);
        } else {
            self.is_disordered |= position < self.last.0.saturating_add(u64::from(self.last.1));
        }
        self.last = (position, size);
        self.sum.add(position, size);
    }

    fn is_empty(&self) -> bool {
        self.sum.chunks == 0
    }
}

/// The chunks of one stream and what an index says about them.
pub(super) struct IndexedStream {
    pub(super) index: StreamIndex,
    pub(super) found: ChunkSum,
    /// The position and size of its first chunk.
    pub(super) first: Option<(u64, u32)>,
}

/// Whether the index lists exactly the chunks in the file.
pub(super) fn is_complete(streams: &[IndexedStream]) -> bool {
    streams.iter().all(|stream| stream.index.sum == stream.found)
}

/// Whether some players use the index although it differs from the file. They do if one stream seems to end before
/// another begins, if chunks seem to overlap, or for another reason that the caller knows.
pub(super) fn misleads(streams: &[IndexedStream], is_used: bool) -> bool {
    let listed = || streams.iter().filter(|stream| !stream.index.is_empty());
    let is_apart = listed().map(|stream| stream.index.first.0).max() > listed().map(|stream| stream.index.last.0).min();
    let is_plain = |stream: &IndexedStream| {
        let IndexedStream { index, found, first } = stream;
        !index.is_disordered
            && index.sum.chunks <= found.chunks
            && index.sum.bytes <= found.bytes
            && first.is_none_or(|first| first == index.first)
    };
    listed().next().is_some() && !is_complete(streams) && (is_apart || is_used || !listed().all(is_plain))
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
        let (words, kind, entries) = (u16_le(fixed, 0)?, u8_at(fixed, 3)?, u64::from(u32_le(fixed, 4)?));
        let stream = match array(fixed, 8)? {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', _, _] => stream_index(tens, ones),
            _ => return None,
        };
        let left = u64::from(size).checked_sub(wide(FIXED))?;
        let fits = entries.saturating_mul(wide(OPEN_ENTRY)) <= left;
        (words == 2 && kind == 1 && fits).then_some(Self { left, entries, open: Some((stream, u64_le(fixed, 12)?)) })
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
        let is_list = u16_le(list, 0) == Some(4) && u8_at(list, 3) == Some(0);
        let fits = wide(FIXED + NAMED * count.min(MOST_INDEXES)) <= u64::from(size);
        if count == 0 {
            return;
        }
        self.is_unread |= !is_list || !fits || self.positions.len() + count > MOST_INDEXES;
        // Players find nothing at the beginning of the file.
        let named = tail(list, FIXED).chunks_exact(NAMED).take(count).filter_map(|entry| u64_le(entry, 0));
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

/// Returns the stream that two digits name.
pub(super) fn stream_index(tens: u8, ones: u8) -> usize {
    usize::from(tens.saturating_sub(b'0')) * 10 + usize::from(ones.saturating_sub(b'0'))
}
