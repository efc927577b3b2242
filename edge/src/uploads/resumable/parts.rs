//! The parts of the object that the file becomes.

use super::changes::{Checkpoint, record_multipart};
use super::part_numbers::{SavedPart, next_number};
use super::record::Record;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::object_store::{ByteRange, ObjectStore, PartAddress};
use crate::uploads::file::store_context::{StoringOf, WriterOf};
use contract::{ErrorCode, ObjectKey};

pub(super) struct Parts<'a, P: Platform> {
    platform: &'a P,
    record: &'a Record,
    multipart_id: Option<String>,
    stored: Vec<SavedPart>,
    /// The number of parts stored since the last checkpoint.
    pub unsaved: u64,
    in_flight: Option<InFlight<P>>,
    total: u64,
}

/// A part whose bytes R2 has and is still storing, and the checkpoint that is true once the part is stored.
struct InFlight<P: Platform> {
    number: u16,
    storing: StoringOf<P>,
    checkpoint: Checkpoint,
}

impl<'a, P: Platform> Parts<'a, P> {
    pub(super) fn new(platform: &'a P, record: &'a Record, part_bytes: u64) -> Result<Self, Refusal> {
        Ok(Self {
            platform,
            record,
            multipart_id: record.multipart_id.clone(),
            stored: record.parts()?,
            unsaved: 0,
            in_flight: None,
            total: record.length.div_ceil(part_bytes),
        })
    }

    pub(super) fn stored(&self) -> &[SavedPart] {
        &self.stored
    }

    /// Opens the next part, of exactly this length. Returns its number and its writer.
    pub(super) async fn open(&mut self, length: u64) -> Result<(u16, WriterOf<P>), Refusal> {
        let (id, number) = (self.start().await?, self.next_number()?);
        let key = self.video_key();
        let address = PartAddress { key: &key, multipart_id: &id, number };
        Ok((number, self.platform.objects().open_part(address, length)?))
    }

    /// Stores the bytes of a full tail as the next part.
    pub(super) async fn copy(&mut self, tail: &str, length: u64) -> Result<(), Refusal> {
        let (id, number) = (self.start().await?, self.next_number()?);
        let key = self.video_key();
        let address = PartAddress { key: &key, multipart_id: &id, number };
        let etag = self.platform.objects().copy_to_part(tail, ByteRange { start: 0, length }, address).await?;
        self.add(number, etag);
        Ok(())
    }

    /// Lets a complete part be stored while the next one arrives.
    pub(super) fn send(&mut self, number: u16, storing: StoringOf<P>, checkpoint: Checkpoint) {
        self.in_flight = Some(InFlight { number, storing, checkpoint });
    }

    /// Waits for the part in flight. Returns the checkpoint that is true then, if there was such a part.
    pub(super) async fn settle(&mut self) -> Result<Option<Checkpoint>, Refusal> {
        let Some(InFlight { number, storing, checkpoint }) = self.in_flight.take() else { return Ok(None) };
        let etag = storing.await?;
        self.add(number, etag);
        Ok(Some(checkpoint))
    }

    fn add(&mut self, number: u16, etag: String) {
        self.stored.push(SavedPart(number, self.record.epoch, etag));
        self.unsaved += 1;
    }

    /// Starts the multipart upload unless an earlier request did, and returns its id. The id is recorded before the
    /// first part is stored.
    async fn start(&mut self) -> Result<String, Refusal> {
        if let Some(id) = &self.multipart_id {
            return Ok(id.clone());
        }
        let (objects, key) = (self.platform.objects(), self.video_key());
        let id = objects.start_multipart(&key).await?;
        if record_multipart(self.platform.database(), self.record, &id).await? {
            self.multipart_id = Some(id.clone());
            return Ok(id);
        }
        objects.abort(&key, &id).await?;
        Err(Refusal::new(ErrorCode::UploadSuperseded))
    }

    fn next_number(&self) -> Result<u16, Refusal> {
        let in_flight = self.in_flight.as_ref().map(|part| (part.number, self.record.epoch));
        let last = in_flight.or_else(|| self.stored.last().map(|part| (part.0, part.1)));
        let begun = self.stored.len() as u64 + u64::from(in_flight.is_some());
        let number = next_number(last, self.record.epoch, self.total.saturating_sub(begun));
        number.ok_or_else(|| Refusal::internal("the upload was interrupted too often"))
    }

    fn video_key(&self) -> String {
        ObjectKey::SourceVideo { upload_uuid: self.record.upload_uuid.as_str() }.path()
    }
}
