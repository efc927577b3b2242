//! Stores a large file from a body of known length. All parts but the last stream into R2 as their bytes arrive. The
//! last one, the tail, fits into the segment in which bytes are collected.
//!
//! If more than usual follows the file, such as a picture, the file ends before its last streamed part is full. The
//! part is filled with zeros, and R2 then copies the real bytes into a new object of the same name.

use super::multipart_object::MultipartObject;
use super::padding::pad;
use super::part_plan::PartPlan;
use super::store_context::{SegmentOf, StoreContext, StoringOf, WriterOf};
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::object_store::{ByteRange, ObjectStore, ObjectWriter, Segment};

pub(super) struct StreamedStore<'a, P: Platform> {
    context: StoreContext<'a, P>,
    plan: PartPlan,
    /// The number of bytes taken so far.
    position: u64,
    object: Option<MultipartObject>,
    /// The part that is streaming into R2.
    part: Option<WriterOf<P>>,
    /// The part before it. R2 has its bytes and stores them while the next part streams.
    storing: Option<StoringOf<P>>,
}

impl<'a, P: Platform> StreamedStore<'a, P> {
    pub(super) fn new(context: StoreContext<'a, P>, plan: PartPlan) -> Self {
        Self { context, plan, position: 0, object: None, part: None, storing: None }
    }

    pub(super) fn multipart_id(&self) -> Option<&str> {
        self.object.as_ref().map(MultipartObject::id)
    }

    /// Returns the most bytes that the next segment may have: a segment lies in one part.
    pub(super) fn room(&self) -> usize {
        let left = self.plan.left_in_part(self.position).and_then(|left| usize::try_from(left).ok());
        left.unwrap_or(usize::MAX)
    }

    /// Takes the bytes of a segment, which lie in one streamed part, and leaves it empty.
    pub(super) async fn take(&mut self, segment: &mut SegmentOf<P>) -> Result<(), Refusal> {
        if self.plan.begins_part(self.position) {
            self.open_part().await?;
        }
        let part = self.part.as_mut().ok_or_else(|| Refusal::internal("no streamed part is open"))?;
        part.write(segment).await?;
        self.position += segment.length() as u64;
        segment.clear();
        if self.position.is_multiple_of(self.plan.part_bytes()) { self.close_part().await } else { Ok(()) }
    }

    async fn open_part(&mut self) -> Result<(), Refusal> {
        if self.object.is_none() {
            let object = self.object.insert(MultipartObject::start(&self.context).await?);
            self.context.lease.record(object.id()).await?;
        }
        if let Some(object) = &mut self.object {
            self.part = Some(self.context.objects().open_part(object.next_part()?, self.plan.part_bytes())?);
        }
        Ok(())
    }

    /// Ends the open part. At most one part is being stored while the next one streams.
    async fn close_part(&mut self) -> Result<(), Refusal> {
        let storing = self.part.take().map(ObjectWriter::finish);
        self.await_part().await?;
        self.storing = storing;
        Ok(())
    }

    /// Waits until the part that is being stored is stored.
    async fn await_part(&mut self) -> Result<(), Refusal> {
        if let (Some(storing), Some(object)) = (self.storing.take(), &mut self.object) {
            object.add(storing.await?);
        }
        Ok(())
    }

    /// Stores the last bytes and completes the object.
    pub(super) async fn finish(mut self, mut last: SegmentOf<P>) -> Result<(), Refusal> {
        if self.plan.left_in_part(self.position).is_some() {
            self.take(&mut last).await?;
        }
        if self.position < self.plan.streamed_bytes() {
            return self.finish_short(last).await;
        }
        self.await_part().await?;
        let object = self.object.as_mut().ok_or_else(no_object)?;
        // The file may end with a streamed part.
        if last.length() > 0 {
            let (etag, _) = self.context.objects().send_part(object.next_part()?, last).await?;
            object.add(etag);
        }
        object.complete(&self.context).await
    }

    /// Completes the object of a file that is shorter than its streamed parts.
    async fn finish_short(mut self, empty: SegmentOf<P>) -> Result<(), Refusal> {
        let missing = self.plan.left_in_part(self.position).filter(|_| self.part.is_some());
        if let (Some(missing), Some(part)) = (missing, &mut self.part) {
            pad::<P>(part, empty, missing).await?;
        }
        self.close_part().await?;
        self.await_part().await?;
        let object = self.object.as_ref().ok_or_else(no_object)?;
        object.complete(&self.context).await?;
        if missing.is_some() { self.rewrite().await } else { Ok(()) }
    }

    /// Replaces the padded object with one that has only the file's bytes.
    async fn rewrite(&self) -> Result<(), Refusal> {
        let (context, key) = (&self.context, self.context.video_key());
        let mut object = MultipartObject::start(context).await?;
        context.lease.record(object.id()).await?;
        let mut start = 0;
        while start < self.position {
            let length = self.plan.part_bytes().min(self.position - start);
            let etag = context.objects().copy_to_part(&key, ByteRange { start, length }, object.next_part()?).await?;
            object.add(etag);
            start += length;
        }
        object.complete(context).await
    }
}

fn no_object() -> Refusal {
    Refusal::internal("a streamed file has no object")
}
