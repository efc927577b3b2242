//! The resources that the uploads of one isolate share: its memory, and the count of uploads that hold no slot in the
//! database.

use super::memory_budget::{MemoryBudget, Permit};
use super::slotless_uploads::SlotlessUploads;
use crate::limits::{
    BUFFERED_SECOND_PARTS_BYTES, BUFFERED_UPLOADS_BYTES, HELD_FILES_BYTES, STREAMED_UPLOADS_BYTES, reserved_memory,
};
use crate::refusal::Refusal;
use crate::unix_seconds::UnixSeconds;

pub(crate) struct Isolate {
    /// The memory of uploads whose length is known.
    streamed: MemoryBudget,
    /// The memory of uploads of unknown length. Each of them holds whole parts.
    buffered: MemoryBudget,
    pub(super) slotless: SlotlessUploads,
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
            slotless: SlotlessUploads::new(),
        }
    }

    /// Whether there is memory for an upload of this length now.
    pub(crate) fn has_memory(&self, content_length: Option<u64>, now: UnixSeconds) -> bool {
        self.budget(content_length).has(reserved_memory(content_length.is_some()), now)
    }

    /// Takes the memory for an upload of this length, or refuses it with 503 `service_overloaded`.
    pub(super) fn take_memory(&self, content_length: Option<u64>, now: UnixSeconds) -> Result<Permit<'_>, Refusal> {
        let permit = self.budget(content_length).take(reserved_memory(content_length.is_some()), now);
        permit.ok_or_else(Refusal::overloaded)
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
            let taken = isolate.take_memory(length, NOW);
            assert!(taken.is_ok() && !isolate.has_memory(length, NOW));
            drop(taken);
            assert!(isolate.has_memory(length, NOW));
        }
    }
}
