//! The number of bytes of a body that are read at once.
//!
//! A client that fills the buffer sends faster than the Worker reads. With a larger buffer its upload needs fewer calls
//! of the runtime, and a tenth less CPU time (docs/benchmarks.md). The large buffers of an isolate share a quota. Under
//! a crowd of uploads, the rest keep small buffers.

use super::quota::{Quota, QuotaShare};
use crate::base::limits::{LARGE_READ_BYTES, LARGE_READ_MEMORY, READ_BYTES};
use crate::base::unix_seconds::UnixSeconds;

/// The size of the next read of one body.
pub(crate) struct ReadSize<'a> {
    quota: &'a Quota,
    bytes: u32,
    /// `None` while the reads are small.
    share: Option<QuotaShare<'a>>,
}

impl<'a> ReadSize<'a> {
    /// Returns the size for the first read. A small body gets no larger buffer than it needs.
    pub(crate) fn new(quota: &'a Quota, content_length: Option<u64>) -> Self {
        let length = content_length.and_then(|length| u32::try_from(length).ok());
        Self { quota, bytes: length.unwrap_or(READ_BYTES).clamp(1, READ_BYTES), share: None }
    }

    pub(crate) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Adapts the size to what a read returned.
    pub(crate) fn adapt(&mut self, read_bytes: usize, now: UnixSeconds) {
        if let Some(share) = &self.share {
            share.renew(now);
        } else if read_bytes >= READ_BYTES as usize {
            self.share = self.quota.take(LARGE_READ_MEMORY, now);
            self.bytes = if self.share.is_some() { LARGE_READ_BYTES } else { READ_BYTES };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixSeconds = UnixSeconds(1_000);
    const SHARE_SECONDS: u64 = 60;
    const FULL: usize = READ_BYTES as usize;

    fn quota(large_reads: usize) -> Quota {
        Quota::new(large_reads * LARGE_READ_MEMORY, SHARE_SECONDS)
    }

    fn adapted(quota: &Quota, read_bytes: usize) -> ReadSize<'_> {
        let mut size = ReadSize::new(quota, None);
        size.adapt(read_bytes, NOW);
        size
    }

    #[test]
    fn a_small_body_is_read_at_once_and_a_large_one_in_pieces() {
        let quota = quota(1);
        let first = |length| ReadSize::new(&quota, length).bytes();
        assert_eq!((first(Some(0)), first(Some(700)), first(Some(u64::MAX))), (1, 700, READ_BYTES));
        assert_eq!(first(None), READ_BYTES);
    }

    #[test]
    fn only_a_client_that_fills_the_buffer_gets_a_large_one() {
        let quota = quota(1);
        assert_eq!(adapted(&quota, FULL - 1).bytes(), READ_BYTES);
        assert_eq!(adapted(&quota, FULL).bytes(), LARGE_READ_BYTES);
    }

    #[test]
    fn the_large_buffers_are_bounded_and_given_back() {
        let quota = quota(1);
        let first = adapted(&quota, FULL);
        assert_eq!(adapted(&quota, FULL).bytes(), READ_BYTES);
        drop(first);
        assert_eq!(adapted(&quota, FULL).bytes(), LARGE_READ_BYTES);
    }

    #[test]
    fn a_body_that_is_being_read_keeps_its_share_and_one_that_was_cancelled_loses_it() {
        let quota = quota(1);
        let mut reading = adapted(&quota, FULL);
        reading.adapt(1, NOW + (SHARE_SECONDS - 1));
        let at = |now| {
            let mut other = ReadSize::new(&quota, None);
            other.adapt(FULL, now);
            other.bytes()
        };
        assert_eq!(at(NOW + SHARE_SECONDS), READ_BYTES);
        assert_eq!(at(NOW + 2 * SHARE_SECONDS), LARGE_READ_BYTES);
    }
}
