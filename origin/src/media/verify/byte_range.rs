//! A part of a file.

/// The bytes of one part. A range of no bytes is at the start of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByteRange {
    pub(super) offset: u64,
    pub(super) bytes: u64,
}

impl ByteRange {
    /// Returns the offset of the first byte after the part.
    pub(super) fn end(self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}
