//! Fills a stream of announced length with zeros after its last byte. They never become part of the stored file.

use super::store_context::{SegmentOf, WriterOf};
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::object_store::{ObjectWriter, Segment};

/// Writes this many zeros, using the memory of a segment that is no longer needed.
pub(crate) async fn pad<P: Platform>(
    writer: &mut WriterOf<P>,
    mut segment: SegmentOf<P>,
    mut missing: u64,
) -> Result<(), Refusal> {
    const ZEROS: [u8; 1024] = [0; 1024];
    while missing > 0 {
        segment.clear();
        while missing > 0 && segment.length() < segment.capacity() {
            let room = ZEROS.len().min(segment.capacity() - segment.length());
            let count = usize::try_from(missing).unwrap_or(usize::MAX).min(room);
            segment.append(ZEROS.get(..count).unwrap_or_default());
            missing -= count as u64;
        }
        writer.write(&segment).await?;
    }
    Ok(())
}
