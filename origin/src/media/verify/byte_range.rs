//! A part of a file.

/// The bytes of one part. A range of no bytes is at the start of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::media) struct ByteRange {
    pub(in crate::media) offset: u64,
    pub(in crate::media) bytes: u64,
}

impl ByteRange {
    /// Returns the offset of the first byte after the part.
    pub(in crate::media) fn end(self) -> u64 {
        self.offset.saturating_add(self.bytes)
    }
}
