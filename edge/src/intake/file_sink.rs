//! Where the file's bytes go: counted, judged, hashed, cut into equal parts and sent to the object store, one part on
//! its way while the next one fills.
//!
//! Holds two parts at the most, whatever the file's size.

use super::reservation::{RENEW_AFTER_SECONDS, renew};
use super::verdict::Judge;
use crate::error::ApiError;
use crate::platform::{Digest, ObjectStore, PartBuffer, Platform, StoredPart};
use contract::ErrorCode;
use contract::limits::LEASE_SECONDS;
use probe::Media;

/// R2's own bound on the parts of an object.
const MAX_PARTS: u16 = 10_000;

type Buffer<P> = <<P as Platform>::Objects as ObjectStore>::Buffer;
type Sending<P> = <<P as Platform>::Objects as ObjectStore>::Sending;

/// What is known of a file that arrived whole and is a video.
pub struct ReceivedFile {
    pub media: Media,
    pub size_bytes: u64,
    pub sha256: String,
}

pub struct FileSink<'a, P: Platform> {
    platform: &'a P,
    upload_uuid: &'a str,
    key: &'a str,
    max_bytes: u64,
    judge: Judge,
    digest: P::Digest,
    size_bytes: u64,
    /// The part that fills; its capacity is a whole part, or less for a file that is known to be smaller.
    buffer: Buffer<P>,
    capacity: usize,
    destination: Destination<P>,
    lease_renewed_at_unix: u64,
}

/// What has become of the bytes that are through the buffer.
enum Destination<P: Platform> {
    /// Nothing yet: a file that fits into one part is put at once.
    Nothing,
    Multipart {
        id: String,
        parts: Vec<StoredPart>,
        sending: Option<Sending<P>>,
    },
    /// The file repeats a finished upload: it is only hashed. An unfinished object may be left to abort.
    HashOnly { abandoned: Option<String> },
}

impl<'a, P: Platform> FileSink<'a, P> {
    pub fn new(
        platform: &'a P,
        upload_uuid: &'a str,
        key: &'a str,
        max_bytes: u64,
        capacity: usize,
    ) -> Self {
        Self {
            platform,
            upload_uuid,
            key,
            max_bytes,
            judge: Judge::default(),
            digest: platform.digest(),
            size_bytes: 0,
            buffer: platform.objects().buffer(capacity),
            capacity,
            destination: Destination::Nothing,
            lease_renewed_at_unix: platform.now_unix(),
        }
    }

    /// From now on the file is only hashed.
    pub fn stop_storing(&mut self) {
        let abandoned = match &self.destination {
            Destination::Multipart { id, .. } => Some(id.clone()),
            Destination::Nothing => None,
            Destination::HashOnly { .. } => return,
        };
        self.destination = Destination::HashOnly { abandoned };
    }

    /// R2's name of an object that has begun and is not complete.
    pub fn unfinished_object(&self) -> Option<&str> {
        match &self.destination {
            Destination::Multipart { id, .. } => Some(id),
            Destination::HashOnly { abandoned } => abandoned.as_deref(),
            Destination::Nothing => None,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.size_bytes == 0
    }

    /// Takes the file's next bytes, or refuses it at the first byte that proves it unfit.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), ApiError> {
        self.size_bytes += bytes.len() as u64;
        if self.size_bytes > self.max_bytes {
            return Err(too_large(self.max_bytes));
        }
        if !self.is_only_hashed() {
            self.judge.feed(bytes)?;
        }
        while !bytes.is_empty() {
            // A full part waits for the byte after it: the last part is never empty, and a lone one is put.
            if self.buffer.length() == self.capacity {
                self.pass_part_on().await?;
            }
            let (now, later) =
                bytes.split_at(bytes.len().min(self.capacity - self.buffer.length()));
            self.buffer.append(now);
            bytes = later;
        }
        Ok(())
    }

    /// Keeps the slot while bytes arrive.
    pub async fn keep_alive(&mut self) -> Result<(), ApiError> {
        let now = self.platform.now_unix();
        let due = now >= self.lease_renewed_at_unix + RENEW_AFTER_SECONDS;
        if due && !self.is_only_hashed() {
            self.renew(None).await?;
        }
        Ok(())
    }

    /// After the last byte: what was received, hashed to the end. The object is not stored yet.
    pub async fn close(mut self) -> Result<(ReceivedFile, ObjectToStore<'a, P>), ApiError> {
        let media = std::mem::take(&mut self.judge).finish()?;
        self.digest.update(&self.buffer).await?;
        let sha256 = self.digest.finish().await?;
        let received = ReceivedFile {
            media,
            size_bytes: self.size_bytes,
            sha256,
        };
        let object = ObjectToStore {
            platform: self.platform,
            upload_uuid: self.upload_uuid,
            key: self.key,
            last: self.buffer,
            destination: self.destination,
            lease_renewed_at_unix: self.lease_renewed_at_unix,
        };
        Ok((received, object))
    }

    /// After the last byte of a file that was only hashed: the hash. What it repeats was judged when it first came.
    pub async fn into_hash(mut self) -> Result<String, ApiError> {
        self.digest.update(&self.buffer).await?;
        Ok(self.digest.finish().await?)
    }

    fn is_only_hashed(&self) -> bool {
        matches!(self.destination, Destination::HashOnly { .. })
    }

    async fn pass_part_on(&mut self) -> Result<(), ApiError> {
        self.digest.update(&self.buffer).await?;
        if matches!(self.destination, Destination::Nothing) {
            self.start_multipart().await?;
        }
        let Destination::Multipart { id, parts, sending } = &mut self.destination else {
            self.buffer.clear();
            return Ok(());
        };
        let spare = arrived(parts, sending.take()).await?;
        let spare = spare.unwrap_or_else(|| self.platform.objects().buffer(self.capacity));
        let full = std::mem::replace(&mut self.buffer, spare);
        let number = next_number(parts)?;
        *sending = Some(
            self.platform
                .objects()
                .send_part(self.key, id, number, full),
        );
        Ok(())
    }

    /// The name of the unfinished object goes on record before its first part: the sweep must be able to abort it.
    async fn start_multipart(&mut self) -> Result<(), ApiError> {
        let id = self.platform.objects().start_multipart(self.key).await?;
        self.destination = Destination::Multipart {
            id: id.clone(),
            parts: Vec::new(),
            sending: None,
        };
        self.renew(Some(&id)).await
    }

    async fn renew(&mut self, multipart_id: Option<&str>) -> Result<(), ApiError> {
        let now = self.platform.now_unix();
        self.lease_renewed_at_unix = now;
        let held = renew(
            self.platform.database(),
            self.upload_uuid,
            multipart_id,
            now,
        )
        .await?;
        if held {
            Ok(())
        } else {
            Err(ApiError::new(ErrorCode::UploadTooSlow))
        }
    }
}

/// The rest of a file that is good: what is still to be stored of it.
pub struct ObjectToStore<'a, P: Platform> {
    platform: &'a P,
    upload_uuid: &'a str,
    key: &'a str,
    last: Buffer<P>,
    destination: Destination<P>,
    lease_renewed_at_unix: u64,
}

impl<P: Platform> ObjectToStore<'_, P> {
    /// Makes the object whole, under a lease that is young: the sweep cannot be at it at the same time.
    pub async fn store(self) -> Result<(), ApiError> {
        let (objects, now) = (self.platform.objects(), self.platform.now_unix());
        if now >= self.lease_renewed_at_unix + RENEW_AFTER_SECONDS
            && !renew(self.platform.database(), self.upload_uuid, None, now).await?
        {
            return Err(ApiError::new(ErrorCode::UploadTooSlow));
        }
        match self.destination {
            Destination::Nothing => objects.put(self.key, &self.last).await?,
            Destination::Multipart {
                id,
                mut parts,
                sending,
            } => {
                arrived(&mut parts, sending).await?;
                let number = next_number(&parts)?;
                let (last, _) = objects.send_part(self.key, &id, number, self.last).await?;
                parts.push(last);
                objects.complete(self.key, &id, &parts).await?;
            }
            Destination::HashOnly { .. } => {}
        }
        Ok(())
    }
}

/// Waits for the part on its way, notes it, and gives its buffer back, emptied.
async fn arrived<Sending, B: PartBuffer>(
    parts: &mut Vec<StoredPart>,
    sending: Option<Sending>,
) -> Result<Option<B>, ApiError>
where
    Sending: Future<Output = Result<(StoredPart, B), crate::platform::PlatformError>>,
{
    let Some(sending) = sending else {
        return Ok(None);
    };
    let (part, mut buffer) = sending.await?;
    parts.push(part);
    buffer.clear();
    Ok(Some(buffer))
}

fn next_number(parts: &[StoredPart]) -> Result<u16, ApiError> {
    let number = u16::try_from(parts.len() + 1).unwrap_or(u16::MAX);
    if number > MAX_PARTS {
        return Err(ApiError::internal(
            "the configured size needs more parts than R2 takes",
        ));
    }
    Ok(number)
}

pub fn too_large(max_bytes: u64) -> ApiError {
    let detail = format!("The video is larger than the {max_bytes} bytes that the service takes.");
    ApiError::new(ErrorCode::ContentFileTooLarge)
        .with_field("file")
        .with_detail(detail)
}

// The sweep may remove what an upload stored once its lease is over, so a renewal must leave time for R2's answer.
const _: () = assert!(LEASE_SECONDS > 2 * RENEW_AFTER_SECONDS);
