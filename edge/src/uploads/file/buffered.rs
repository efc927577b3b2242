//! Stores a file from a body of unknown length. Each part is collected in memory before it is sent. While memory is
//! free, the next part is filled during that time. A file that fits into one part is stored as a whole at its end.

use super::multipart_object::MultipartObject;
use super::store_context::{SegmentOf, SendingOf, StoreContext};
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::object_store::{ObjectStore, Segment};

pub(super) struct BufferedStore<'a, P: Platform> {
    context: StoreContext<'a, P>,
    object: Option<MultipartObject>,
    in_flight: Option<SendingOf<P>>,
}

impl<'a, P: Platform> BufferedStore<'a, P> {
    pub(super) fn new(context: StoreContext<'a, P>) -> Self {
        Self { context, object: None, in_flight: None }
    }

    pub(super) fn multipart_id(&self) -> Option<&str> {
        self.object.as_ref().map(MultipartObject::id)
    }

    /// Sends a full part, and leaves an empty segment for the next one.
    pub(super) async fn take(&mut self, segment: &mut SegmentOf<P>) -> Result<(), Refusal> {
        if self.object.is_none() {
            let object = self.object.insert(MultipartObject::start(&self.context).await?);
            self.context.lease.record(object.id()).await?;
        }
        let spare = match self.await_part().await? {
            Some(spare) => Some(spare),
            None => self.second_segment(),
        };
        let objects = self.context.objects();
        let waits = spare.is_none();
        let full = std::mem::replace(segment, spare.unwrap_or_else(|| objects.segment(0)));
        if let Some(object) = &mut self.object {
            self.in_flight = Some(objects.send_part(object.next_part()?, full));
        }
        if waits && let Some(emptied) = self.await_part().await? {
            *segment = emptied;
        }
        Ok(())
    }

    /// Returns memory for another part, if it is free.
    fn second_segment(&self) -> Option<SegmentOf<P>> {
        let part_bytes = self.context.parts.smallest;
        self.context.grow_memory(part_bytes).then(|| self.context.objects().segment(part_bytes))
    }

    /// Waits for the part in flight, and returns the memory of that second part.
    pub(super) async fn free_memory(&mut self) -> Result<(), Refusal> {
        if self.await_part().await?.is_some() {
            self.context.shrink_memory(self.context.parts.smallest);
        }
        Ok(())
    }

    /// Stores the last bytes and completes the object.
    pub(super) async fn finish(mut self, last: SegmentOf<P>) -> Result<(), Refusal> {
        let objects = self.context.objects();
        self.await_part().await?;
        let Some(mut object) = self.object else {
            return Ok(objects.put(&self.context.video_key(), &[last]).await?);
        };
        let (etag, _) = objects.send_part(object.next_part()?, last).await?;
        object.add(etag);
        object.complete(&self.context).await
    }

    /// Waits for the part in flight, records it, and returns its segment, emptied.
    async fn await_part(&mut self) -> Result<Option<SegmentOf<P>>, Refusal> {
        let (Some(sending), Some(object)) = (self.in_flight.take(), &mut self.object) else {
            return Ok(None);
        };
        let (etag, mut segment) = sending.await?;
        object.add(etag);
        segment.clear();
        Ok(Some(segment))
    }
}
