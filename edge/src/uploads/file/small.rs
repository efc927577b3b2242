//! Stores a file from a body of known length that is too small for a streamed part. The file is held until it ends,
//! because R2 must know its length.
//!
//! If memory is short, the file streams into an object of another name, padded with zeros to its maximum length. When
//! the file has ended, R2 copies the real bytes from there. That takes three more operations, but no upload is refused
//! because others are in progress.

use super::padding::pad;
use super::store_context::{SegmentOf, StoreContext, WriterOf};
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::object_store::{ByteRange, ObjectStore, ObjectWriter, Segment};

pub(super) struct SmallStore<'a, P: Platform> {
    context: StoreContext<'a, P>,
    bytes: u64,
    max_bytes: u64,
    place: Place<P>,
}

/// The current place of the bytes.
enum Place<P: Platform> {
    Memory(Vec<SegmentOf<P>>),
    PaddedObject(WriterOf<P>),
}

impl<'a, P: Platform> SmallStore<'a, P> {
    pub(super) fn new(context: StoreContext<'a, P>, max_bytes: u64) -> Self {
        Self { context, bytes: 0, max_bytes, place: Place::Memory(Vec::new()) }
    }

    /// Whether there is a padded object to clean up.
    pub(super) fn has_padded_object(&self) -> bool {
        matches!(self.place, Place::PaddedObject(_))
    }

    /// Takes the bytes of a full segment and leaves it empty.
    pub(super) async fn take(&mut self, segment: &mut SegmentOf<P>) -> Result<(), Refusal> {
        self.bytes += segment.length() as u64;
        if let Place::Memory(held) = &mut self.place
            && self.context.grow_memory(segment.capacity())
        {
            let empty = self.context.objects().segment(segment.capacity());
            held.push(std::mem::replace(segment, empty));
            return Ok(());
        }
        self.writer().await?.write(segment).await?;
        segment.clear();
        Ok(())
    }

    /// Frees the memory that holds the file, if any of it is held.
    pub(super) async fn free_memory(&mut self) -> Result<(), Refusal> {
        match &self.place {
            Place::Memory(held) if !held.is_empty() => self.writer().await.map(drop),
            _ => Ok(()),
        }
    }

    /// Returns the writer of the padded object. Moves the bytes in memory there first.
    async fn writer(&mut self) -> Result<&mut WriterOf<P>, Refusal> {
        if let Place::Memory(held) = &mut self.place {
            let held = std::mem::take(held);
            let mut writer = self.context.objects().open_object(&self.context.padded_key(), self.max_bytes)?;
            for segment in held {
                writer.write(&segment).await?;
                self.context.shrink_memory(segment.capacity());
            }
            self.place = Place::PaddedObject(writer);
        }
        match &mut self.place {
            Place::PaddedObject(writer) => Ok(writer),
            Place::Memory(_) => Err(Refusal::internal("the file is still in memory")),
        }
    }

    /// Stores the file, which ends with these bytes.
    pub(super) async fn finish(mut self, last: SegmentOf<P>) -> Result<(), Refusal> {
        self.bytes += last.length() as u64;
        match self.place {
            Place::Memory(mut held) => {
                held.push(last);
                Ok(self.context.objects().put(&self.context.video_key(), &held).await?)
            }
            Place::PaddedObject(mut writer) => {
                writer.write(&last).await?;
                pad::<P>(&mut writer, last, self.max_bytes - self.bytes).await?;
                writer.finish().await?;
                replace_padded_object(&self.context, self.bytes).await
            }
        }
    }
}

/// Copies the file out of the padded object, and deletes that object before the upload is committed. If the deletion
/// fails, the upload is refused and everything is removed.
async fn replace_padded_object<P: Platform>(context: &StoreContext<'_, P>, bytes: u64) -> Result<(), Refusal> {
    let (objects, padded_key) = (context.objects(), context.padded_key());
    objects.copy_to_object(&padded_key, ByteRange { start: 0, length: bytes }, &context.video_key()).await?;
    Ok(objects.delete(&[padded_key]).await?)
}
