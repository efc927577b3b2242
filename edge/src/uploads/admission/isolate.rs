//! The resources that the uploads of one isolate share: its memory, and the counts of uploads that hold no slot in the
//! database or have no length.

use super::memory_budget::{MemoryBudget, PERMIT_SECONDS, Permit};
use super::open_in_isolate::{OpenInIsolate, Place};
use crate::base::ids::ChannelId;
use crate::base::limits::{
    BUFFERED_SECOND_PARTS_BYTES, BUFFERED_UPLOADS_BYTES, HELD_FILES_BYTES, LEASE_SECONDS, MEMORY_OF_PREVIEW,
    OPEN_UPLOADS_RETRY_SECONDS, PREVIEWED_BYTES, PREVIEWS_BYTES, STREAMED_UPLOADS_BYTES, reserved_memory,
};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use contract::limits::MAX_UPLOADS_WITHOUT_LENGTH;

pub(crate) struct Isolate {
    /// The memory of uploads whose length is known.
    streamed: MemoryBudget,
    /// The memory of uploads of unknown length, each of which holds whole parts.
    buffered: MemoryBudget,
    /// The memory of small bodies that are judged before their upload is admitted.
    previews: MemoryBudget,
    /// Uploads without a slot, which can only succeed as replays after the daily limit is reached. The database has no
    /// rows for them, so without this count a channel could open any number.
    pub(super) slotless: OpenInIsolate,
    /// Uploads of unknown length. There is memory for only a few, and one channel must not take all of it.
    lengthless: OpenInIsolate,
}

impl Isolate {
    pub(crate) const fn new() -> Self {
        let held = HELD_FILES_BYTES;
        let second_parts = BUFFERED_SECOND_PARTS_BYTES;
        Self::with_memory((STREAMED_UPLOADS_BYTES, held), (BUFFERED_UPLOADS_BYTES, second_parts))
    }

    /// Creates an isolate with memory for uploads of known and of unknown length. Each pair is the memory to reserve
    /// and the memory to grow by.
    pub(crate) const fn with_memory(streamed: (usize, usize), buffered: (usize, usize)) -> Self {
        Self {
            streamed: MemoryBudget::new(streamed.0, streamed.1),
            buffered: MemoryBudget::new(buffered.0, buffered.1),
            // A form may hold its fields in addition to the body.
            previews: MemoryBudget::new(PREVIEWS_BYTES, PREVIEWS_BYTES / MEMORY_OF_PREVIEW * 2 * PREVIEWED_BYTES),
            slotless: OpenInIsolate::new(LEASE_SECONDS),
            lengthless: OpenInIsolate::new(PERMIT_SECONDS),
        }
    }

    /// Whether there is memory for an upload of this length now.
    pub(crate) fn has_memory(&self, content_length: Option<u64>, now: UnixSeconds) -> bool {
        self.budget(content_length).has(reserved_memory(content_length.is_some()), now)
    }

    /// Takes the memory for an upload of this length, and the channel's place for one of unknown length. Refuses it
    /// with 429 `too_many_uploads` or 503 `service_overloaded`.
    pub(crate) fn enter(
        &self,
        channel_id: ChannelId,
        content_length: Option<u64>,
        now: UnixSeconds,
    ) -> Result<(Permit<'_>, Option<Place<'_>>), Refusal> {
        let lengthless = match content_length {
            Some(_) => None,
            None => Some(self.enter_without_length(channel_id, now)?),
        };
        let permit = self.budget(content_length).take(reserved_memory(content_length.is_some()), now);
        Ok((permit.ok_or_else(Refusal::overloaded)?, lengthless))
    }

    /// Takes the memory for judging a small body, if there is any left.
    pub(crate) fn enter_preview(&self, now: UnixSeconds) -> Option<Permit<'_>> {
        self.previews.take(MEMORY_OF_PREVIEW, now)
    }

    fn enter_without_length(&self, channel_id: ChannelId, now: UnixSeconds) -> Result<Place<'_>, Refusal> {
        let place = self.lengthless.open(channel_id, MAX_UPLOADS_WITHOUT_LENGTH, now);
        place.ok_or_else(|| {
            let refusal = Refusal::new(ErrorCode::TooManyUploads).with_retry_after(OPEN_UPLOADS_RETRY_SECONDS);
            refusal.with_detail(
                "Another upload of your channel without `Content-Length` is in progress, and only one is accepted at a \
                 time. Send `Content-Length`, or wait until the other upload has ended.",
            )
        })
    }

    #[cfg(test)]
    pub(crate) fn streamed_bytes_in_use(&self, now: UnixSeconds) -> usize {
        self.streamed.in_use(now)
    }

    fn budget(&self, content_length: Option<u64>) -> &MemoryBudget {
        if content_length.is_some() { &self.streamed } else { &self.buffered }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixSeconds = UnixSeconds(0);

    #[test]
    fn an_isolate_has_memory_until_its_uploads_have_taken_it() {
        for length in [Some(1), None] {
            let one = reserved_memory(length.is_some());
            let isolate = Isolate::with_memory((one, 0), (one, 0));
            assert!(isolate.has_memory(length, NOW));
            let taken = isolate.enter(ChannelId(1), length, NOW);
            assert!(taken.is_ok() && !isolate.has_memory(length, NOW));
            drop(taken);
            assert!(isolate.has_memory(length, NOW));
        }
    }
}
