//! An unfinished object, as the list of its parts.

use super::store_context::StoreContext;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::object_store::{ObjectStore, PartAddress, StoredPart};

/// R2's limit on the parts of one object.
const MAX_PARTS: u16 = 10_000;

pub(super) struct MultipartObject {
    key: String,
    id: String,
    /// The number of parts whose numbers have been given out.
    begun: u16,
    parts: Vec<StoredPart>,
}

impl MultipartObject {
    pub(super) async fn start<P: Platform>(context: &StoreContext<'_, P>) -> Result<Self, Refusal> {
        let key = context.video_key();
        let id = context.objects().start_multipart(&key).await?;
        Ok(Self { key, id, begun: 0, parts: Vec::new() })
    }

    /// Returns R2's id of the multipart upload.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the address of the next part.
    pub(super) fn next_part(&mut self) -> Result<PartAddress<'_>, Refusal> {
        if self.begun == MAX_PARTS {
            return Err(Refusal::internal("the configured maximum size needs more parts than R2 allows"));
        }
        self.begun += 1;
        Ok(PartAddress { key: &self.key, multipart_id: &self.id, number: self.begun })
    }

    /// Records the entity tag of the first part without one, which is stored now.
    pub(super) fn add(&mut self, etag: String) {
        let number = self.parts.last().map_or(1, |part| part.number + 1);
        self.parts.push(StoredPart { number, etag });
    }

    pub(super) async fn complete<P: Platform>(&self, context: &StoreContext<'_, P>) -> Result<(), Refusal> {
        Ok(context.objects().complete(&self.key, &self.id, &self.parts).await?)
    }
}
