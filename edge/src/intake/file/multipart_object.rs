//! An unfinished object, as the list of its parts.

use super::store_context::StoreContext;
use crate::ports::object_store::{ObjectStore, PartAddress, StoredPart};
use crate::ports::platform::Platform;
use crate::refusal::Refusal;

/// R2's limit on the parts of one object.
const MAX_PARTS: u16 = 10_000;

pub(super) struct MultipartObject {
    key: String,
    id: String,
    parts: Vec<StoredPart>,
}

impl MultipartObject {
    pub(super) async fn start<P: Platform>(context: &StoreContext<'_, P>) -> Result<Self, Refusal> {
        let key = context.video_key();
        let id = context.objects().start_multipart(&key).await?;
        Ok(Self { key, id, parts: Vec::new() })
    }

    /// Returns R2's id of the multipart upload.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the address of the next part.
    pub(super) fn next_part(&self) -> Result<PartAddress<'_>, Refusal> {
        Ok(PartAddress { key: &self.key, multipart_id: &self.id, number: self.next_number()? })
    }

    /// Records the entity tag of the next part, which is stored.
    pub(super) fn add(&mut self, etag: String) -> Result<(), Refusal> {
        let number = self.next_number()?;
        self.parts.push(StoredPart { number, etag });
        Ok(())
    }

    fn next_number(&self) -> Result<u16, Refusal> {
        let number = u16::try_from(self.parts.len() + 1).ok().filter(|number| *number <= MAX_PARTS);
        number.ok_or_else(|| Refusal::internal("the configured maximum size needs more parts than R2 allows"))
    }

    pub(super) async fn complete<P: Platform>(&self, context: &StoreContext<'_, P>) -> Result<(), Refusal> {
        Ok(context.objects().complete(&self.key, &self.id, &self.parts).await?)
    }
}
