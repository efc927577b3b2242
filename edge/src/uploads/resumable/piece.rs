//! The bytes of one part while they stream into R2: straight into the part, or into a tail that becomes the part later.

use super::record::Record;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::object_store::{ObjectStore, ObjectWriter, Segment};
use crate::uploads::file::padding::pad;
use crate::uploads::file::store_context::{SegmentOf, StoringOf, WriterOf};
use contract::ObjectKey;

/// The destination of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The part with this number.
    Part(u16),
    /// An object of its own, with this key.
    Tail(String),
}

pub(super) struct Piece<P: Platform> {
    pub target: Target,
    writer: WriterOf<P>,
    /// The announced bytes, and those that were written.
    length: u64,
    written: u64,
    /// The offset in the file and the time at which the client began to send it.
    pub began_at: u64,
    pub began_at_ms: u64,
}

impl<P: Platform> Piece<P> {
    pub(super) fn new(target: Target, writer: WriterOf<P>, length: u64, began_at: (u64, u64)) -> Self {
        let (began_at, began_at_ms) = began_at;
        Self { target, writer, length, written: 0, began_at, began_at_ms }
    }

    /// Returns how many bytes the piece can still take, apart from those that are in the segment.
    pub(super) fn room(&self, segment: &SegmentOf<P>) -> usize {
        let left = self.length.saturating_sub(self.written + segment.length() as u64);
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Writes the bytes of a segment, and empties it.
    pub(super) async fn write(&mut self, segment: &mut SegmentOf<P>) -> Result<(), Refusal> {
        if segment.length() > 0 {
            self.writer.write(segment).await?;
            self.written += segment.length() as u64;
            segment.clear();
        }
        Ok(())
    }

    /// Ends the piece. Unless it is full, it is filled with zeros first, which nothing reads: the record tells how many
    /// bytes count.
    pub(super) async fn end(mut self, objects: &P::Objects) -> Result<StoringOf<P>, Refusal> {
        let missing = self.length - self.written;
        if missing > 0 {
            pad::<P>(&mut self.writer, objects.segment(crate::base::limits::SEGMENT_BYTES), missing).await?;
        }
        Ok(self.writer.finish())
    }
}

/// Returns the key of a new tail. No name is used twice.
pub(super) fn tail_key(record: &Record, number: u32) -> String {
    ObjectKey::SourceTail { tails_uuid: record.tails_uuid.as_str(), epoch: record.epoch, number }.path()
}
