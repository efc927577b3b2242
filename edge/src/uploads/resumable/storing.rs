//! Stores the bytes of one request: checks and hashes them, cuts them into parts, and writes checkpoints.

use super::arrival::{Arrival, too_long};
use super::changes::{Checkpoint, Save, refuse, save};
use super::checker::Checker;
use super::part_numbers::MOST_UNSAVED;
use super::parts::Parts;
use super::piece::{Piece, Target, tail_key};
use super::record::Record;
use super::refusal::StoredRefusal;
use crate::base::limits::SEGMENT_BYTES;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use crate::platform::object_store::{ByteRange, ObjectStore, Segment};
use crate::uploads::file::store_context::SegmentOf;
use crate::uploads::pace::{Arrived, PacedBody};
use crate::uploads::slot::lease::Lease;
use contract::ErrorCode;
use futures_util::{Stream, StreamExt};
use std::pin::Pin;

/// If a client sends a part within this time, sending another part again costs it little.
const FAST_PART_MS: u64 = 500;

/// The time between two checkpoints of a fast upload.
const CHECKPOINT_MS: u64 = 1_000;

struct Storing<'a, P: Platform> {
    platform: &'a P,
    record: &'a Record,
    part_bytes: u64,
    /// `None` if the state at the beginning of the request could not be read.
    checker: Option<Checker>,
    /// The number of bytes of the file that have arrived.
    received: u64,
    /// The number of bytes of the body that are still to come, if the client announced its length.
    ahead: Option<u64>,
    is_fast: bool,
    segment: SegmentOf<P>,
    piece: Option<Piece<P>>,
    /// The number of tails that this request has begun.
    tails: u32,
    parts: Parts<'a, P>,
    /// The latest checkpoint whose bytes are all stored.
    reached: Checkpoint,
    /// The number of bytes in the latest checkpoint that was written, and the time at which it was.
    saved: u64,
    saved_at_ms: u64,
    /// Tails that no later checkpoint needs.
    obsolete: Vec<String>,
}

/// Stores the body of a request that has taken the record over, and returns how much of the file is stored then. The
/// bytes that have arrived are stored even if the client disconnects or is too slow.
pub(super) async fn store<P, Body, Chunk>(
    platform: &P,
    record: &Record,
    arrival: &Arrival,
    body: Pin<&mut Body>,
) -> Result<u64, Refusal>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let mut storing = Storing::new(platform, record, arrival)?;
    let taken = storing.take_body(arrival, body).await;
    if let Err(refusal) = &taken
        && let Some(stored) = StoredRefusal::of(refusal)
    {
        refuse(platform.database(), record, &stored, platform.now()).await?;
        return Err(refusal.clone());
    }
    let saved = storing.finish().await;
    match (taken, saved) {
        (Ok(()), saved) => saved,
        (Err(refusal), saved) => {
            if let Err(error) = saved {
                tracing::warn!(code = error.code.as_str(), cause = error.cause, "bytes of an upload were not saved");
            }
            Err(refusal)
        }
    }
}

impl<'a, P: Platform> Storing<'a, P> {
    fn new(platform: &'a P, record: &'a Record, arrival: &Arrival) -> Result<Self, Refusal> {
        let Record { received, tail, checked, .. } = record.clone();
        let restored = || checked.as_deref().and_then(Checker::restore);
        let part_bytes = record.request()?.part_bytes;
        Ok(Self {
            platform,
            record,
            part_bytes,
            checker: if received == 0 { Some(Checker::default()) } else { restored() },
            received,
            ahead: arrival.content_length,
            is_fast: record.is_fast(),
            segment: platform.objects().segment(SEGMENT_BYTES),
            piece: None,
            tails: 0,
            parts: Parts::new(platform, record, part_bytes)?,
            reached: Checkpoint { received, tail, checked },
            saved: received,
            saved_at_ms: platform.now_ms(),
            obsolete: Vec::new(),
        })
    }

    async fn take_body<Body, Chunk>(&mut self, arrival: &Arrival, body: Pin<&mut Body>) -> Result<(), Refusal>
    where
        Body: Stream<Item = Result<Chunk, PlatformError>>,
        Chunk: AsRef<[u8]>,
    {
        let lease = Lease::new(self.platform, &self.record.upload_uuid, true);
        let mut body = PacedBody::new(self.platform, body, arrival.content_length, arrival.pace);
        loop {
            match body.next_or_silence().await? {
                Arrived::Chunk(Some(chunk)) => {
                    lease.keep().await?;
                    self.take(chunk.as_ref()).await?;
                    body.progress(chunk.as_ref().len());
                }
                Arrived::Chunk(None) => break,
                // The connection may be dead. The client's next request should learn what is stored.
                Arrived::Silence => self.checkpoint(false).await?,
            }
        }
        if self.ahead.is_some_and(|ahead| ahead > 0) {
            return Err(Refusal::malformed(
                "The request body is incomplete. Get the current offset with `HEAD`, and continue the upload there.",
            ));
        }
        Ok(())
    }

    async fn take(&mut self, mut bytes: &[u8]) -> Result<(), Refusal> {
        if bytes.len() as u64 > self.record.length - self.received {
            return Err(too_long(self.record));
        }
        while !bytes.is_empty() {
            let room = self.room().await?;
            let (now, later) = bytes.split_at(bytes.len().min(room));
            if let Some(checker) = &mut self.checker {
                checker.feed(now)?;
            }
            self.segment.append(now);
            self.received += now.len() as u64;
            self.ahead = self.ahead.map(|ahead| ahead.saturating_sub(now.len() as u64));
            bytes = later;
        }
        Ok(())
    }

    /// Makes room in the segment, and returns how many bytes it can take.
    async fn room(&mut self) -> Result<usize, Refusal> {
        if let Some(piece) = self.piece.as_mut().filter(|piece| piece.room(&self.segment) == 0) {
            piece.write(&mut self.segment).await?;
            self.end_piece().await?;
        }
        if self.piece.is_none() {
            self.piece = Some(self.open_piece().await?);
        }
        let Some(piece) = &mut self.piece else { return Err(Refusal::internal("no piece is open")) };
        if self.segment.length() == self.segment.capacity() {
            piece.write(&mut self.segment).await?;
        }
        Ok(piece.room(&self.segment).min(self.segment.capacity() - self.segment.length()))
    }

    /// Opens the piece for the rest of the current part, which begins with the bytes of the stored tail. A part can be
    /// opened only if the client has announced enough bytes to fill it.
    async fn open_piece(&mut self) -> Result<Piece<P>, Refusal> {
        let tail_bytes = self.received % self.part_bytes;
        let part_bytes = self.part_bytes.min(self.record.length - (self.received - tail_bytes));
        let missing = part_bytes - tail_bytes;
        let began_at = (self.received, self.platform.now_ms());
        let mut piece = if self.is_fast && self.ahead.is_some_and(|ahead| ahead >= missing) {
            let (number, writer) = self.parts.open(part_bytes).await?;
            Piece::new(Target::Part(number), writer, part_bytes, began_at)
        } else {
            let key = tail_key(self.record, self.tails);
            self.tails += 1;
            let length = tail_bytes + missing.min(self.ahead.unwrap_or(missing));
            let writer = self.platform.objects().open_object(&key, length)?;
            Piece::new(Target::Tail(key), writer, length, began_at)
        };
        if let Some(tail) = self.reached.tail.clone().filter(|_| tail_bytes > 0) {
            self.copy_tail(&tail, tail_bytes, &mut piece).await?;
        }
        Ok(piece)
    }

    /// Copies the first bytes of a stored tail into the piece.
    async fn copy_tail(&mut self, tail: &str, length: u64, piece: &mut Piece<P>) -> Result<(), Refusal> {
        let mut bytes = self.platform.objects().read(tail, ByteRange { start: 0, length }).await?;
        while let Some(chunk) = bytes.next().await {
            for bytes in chunk?.chunks(self.segment.capacity()) {
                self.segment.append(bytes);
                piece.write(&mut self.segment).await?;
            }
        }
        Ok(())
    }

    /// Stores the bytes of the open piece. The bytes of an incomplete part are lost: R2 takes a part only as a whole.
    async fn end_piece(&mut self) -> Result<(), Refusal> {
        let Some(piece) = self.piece.take() else { return Ok(()) };
        let is_part_complete = self.received == self.record.length || self.received.is_multiple_of(self.part_bytes);
        match piece.target.clone() {
            Target::Part(number) if is_part_complete => {
                self.judge_speed(&piece);
                let (storing, checkpoint) = (piece.end(self.platform.objects()).await?, self.here(None));
                self.settle().await?;
                self.parts.send(number, storing, checkpoint);
                self.checkpoint_if_due().await
            }
            Target::Part(_) => {
                self.is_fast = false;
                Ok(())
            }
            Target::Tail(key) => {
                self.judge_speed(&piece);
                piece.end(self.platform.objects()).await?.await?;
                self.settle().await?;
                if is_part_complete {
                    return self.make_part(key).await;
                }
                self.reach(self.here(Some(key)));
                Ok(())
            }
        }
    }

    /// Updates whether the client is fast, unless the piece is too short to tell.
    fn judge_speed(&mut self, piece: &Piece<P>) {
        let sent = self.received - piece.began_at;
        let took_ms = self.platform.now_ms().saturating_sub(piece.began_at_ms);
        if sent >= self.part_bytes / 2 {
            self.is_fast = took_ms.saturating_mul(self.part_bytes) <= FAST_PART_MS.saturating_mul(sent);
        }
    }

    /// Makes a part of a full tail.
    async fn make_part(&mut self, tail: String) -> Result<(), Refusal> {
        let start = (self.received - 1) / self.part_bytes * self.part_bytes;
        self.parts.copy(&tail, self.received - start).await?;
        self.obsolete.push(tail);
        self.reach(self.here(None));
        self.checkpoint_if_due().await
    }

    /// Returns the checkpoint that is true once all bytes that have arrived are stored. This tail holds the last of
    /// them.
    fn here(&self, tail: Option<String>) -> Checkpoint {
        let checked = self.checker.as_ref().and_then(Checker::save);
        Checkpoint { received: self.received, tail, checked }
    }

    fn reach(&mut self, checkpoint: Checkpoint) {
        let old = std::mem::replace(&mut self.reached, checkpoint);
        self.obsolete.extend(old.tail);
    }

    /// Waits for the part that R2 is storing.
    async fn settle(&mut self) -> Result<(), Refusal> {
        if let Some(checkpoint) = self.parts.settle().await? {
            self.reach(checkpoint);
        }
        Ok(())
    }

    /// Writes a checkpoint after each part of a slow upload, because the client would take long to send the part again.
    /// A fast upload would spend its time waiting for the database.
    async fn checkpoint_if_due(&mut self) -> Result<(), Refusal> {
        let is_time = self.platform.now_ms().saturating_sub(self.saved_at_ms) >= CHECKPOINT_MS;
        let is_due = is_time || !self.is_fast || self.parts.unsaved + 1 >= MOST_UNSAVED;
        if is_due { self.checkpoint(false).await } else { Ok(()) }
    }

    /// Writes the checkpoint that is reached. If another request has taken the record over, the tails of this one are
    /// of no use.
    async fn checkpoint(&mut self, is_last: bool) -> Result<(), Refusal> {
        self.settle().await?;
        if self.reached.received == self.saved && !is_last {
            return Ok(());
        }
        let (database, now) = (self.platform.database(), self.platform.now());
        let Self { reached: checkpoint, is_fast, .. } = &*self;
        let new = Save { parts: self.parts.stored(), checkpoint, is_fast: *is_fast, is_last };
        let is_ours = save(database, self.record, new, now).await?;
        if is_ours {
            (self.saved, self.saved_at_ms) = (self.reached.received, self.platform.now_ms());
            self.parts.unsaved = 0;
        } else {
            self.obsolete.extend(self.reached.tail.take());
            self.obsolete.retain(|tail| self.record.tail.as_ref() != Some(tail));
        }
        self.delete_obsolete().await;
        if is_ours { Ok(()) } else { Err(Refusal::new(ErrorCode::UploadSuperseded)) }
    }

    /// Deletes tails. If that fails, they are garbage once the upload ends.
    async fn delete_obsolete(&mut self) {
        let keys = std::mem::take(&mut self.obsolete);
        if keys.is_empty() {
            return;
        }
        if let Err(error) = self.platform.objects().delete(&keys).await {
            tracing::warn!(%error, upload = %self.record.upload_uuid, "tails of an upload could not be deleted yet");
        }
    }

    /// Stores the bytes that have arrived, writes the last checkpoint, and returns how much of the file is stored. If
    /// the open piece cannot be stored, the checkpoint covers the parts before it.
    async fn finish(&mut self) -> Result<u64, Refusal> {
        let ended = self.write_and_end_piece().await;
        self.checkpoint(true).await?;
        ended.map(|()| self.saved)
    }

    async fn write_and_end_piece(&mut self) -> Result<(), Refusal> {
        if let Some(piece) = &mut self.piece {
            piece.write(&mut self.segment).await?;
        }
        self.end_piece().await
    }
}
