//! Bounds the memory of concurrent uploads in an isolate. When the budget is used up, a new upload is asked to retry.
//! Otherwise the isolate would run out of memory, which would end all of them.
//!
//! The platform cancels requests without notice, so a permit that is not kept alive expires.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::isolate::{Quota, QuotaShare};

/// A permit that was not kept alive for this long belongs to a cancelled request.
pub(super) const PERMIT_SECONDS: u64 = 60;

pub(crate) struct MemoryBudget {
    reserved: Quota,
    /// Separate from the reserved memory, so that files held by other uploads never block a new upload.
    growth: Quota,
}

/// Permission to use part of the budget. Dropping it returns the bytes.
pub(crate) struct Permit<'a> {
    reserved: QuotaShare<'a>,
    growth: QuotaShare<'a>,
}

impl MemoryBudget {
    /// Returns a budget: all permits together may reserve `bytes`, and then grow by `growth_bytes`.
    pub(crate) const fn new(bytes: usize, growth_bytes: usize) -> Self {
        Self { reserved: Quota::new(bytes, PERMIT_SECONDS), growth: Quota::new(growth_bytes, PERMIT_SECONDS) }
    }

    /// Whether `bytes` can be reserved.
    pub(crate) fn has(&self, bytes: usize, now: UnixSeconds) -> bool {
        self.reserved.has(bytes, now)
    }

    /// Returns a permit for `bytes`, if that much can be reserved.
    pub(crate) fn take(&self, bytes: usize, now: UnixSeconds) -> Option<Permit<'_>> {
        Some(Permit { reserved: self.reserved.take(bytes, now)?, growth: self.growth.take(0, now)? })
    }

    #[cfg(test)]
    pub(crate) fn in_use(&self, now: UnixSeconds) -> usize {
        self.reserved.in_use(now) + self.growth.in_use(now)
    }
}

impl Permit<'_> {
    /// Takes more memory if there is enough left. Returns whether there was.
    pub(crate) fn grow(&self, bytes: usize, now: UnixSeconds) -> bool {
        self.growth.grow(bytes, now)
    }

    /// Gives back memory that the permit has grown by.
    pub(crate) fn shrink(&self, bytes: usize, now: UnixSeconds) {
        self.growth.shrink(bytes, now);
    }

    /// Keeps the permit from expiring. An expired permit is counted again, because its memory was never freed.
    pub(crate) fn keep_alive(&self, now: UnixSeconds) {
        self.reserved.renew(now);
        self.growth.renew(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> UnixSeconds {
        UnixSeconds(seconds)
    }

    #[test]
    fn bytes_are_unavailable_until_their_permit_is_dropped() {
        let budget = MemoryBudget::new(10, 0);
        let first = budget.take(6, at(0)).unwrap();
        assert!(budget.take(5, at(0)).is_none());
        let second = budget.take(4, at(0));
        assert!(second.is_some() && budget.take(1, at(0)).is_none());
        drop(first);
        assert!(budget.take(6, at(0)).is_some());
    }

    #[test]
    fn the_permit_of_a_silent_request_expires() {
        let budget = MemoryBudget::new(10, 0);
        let silent = budget.take(10, at(0)).unwrap();
        assert!(budget.take(1, at(PERMIT_SECONDS - 1)).is_none());
        assert!(budget.take(1, at(PERMIT_SECONDS)).is_some());
        drop(silent);
    }

    #[test]
    fn a_permit_that_is_kept_alive_does_not_expire() {
        let budget = MemoryBudget::new(10, 0);
        let living = budget.take(10, at(0)).unwrap();
        living.keep_alive(at(PERMIT_SECONDS - 1));
        assert!(budget.take(1, at(PERMIT_SECONDS)).is_none());
    }

    #[test]
    fn dropping_an_expired_permit_does_not_release_another_ones_bytes() {
        let budget = MemoryBudget::new(10, 0);
        let silent = budget.take(10, at(0)).unwrap();
        let next = budget.take(10, at(PERMIT_SECONDS)).unwrap();
        drop(silent);
        assert!(budget.take(1, at(PERMIT_SECONDS)).is_none());
        drop(next);
        assert!(budget.take(10, at(PERMIT_SECONDS)).is_some());
    }

    #[test]
    fn permits_grow_only_into_what_is_left_to_grow_by_and_never_take_the_place_of_a_new_one() {
        let budget = MemoryBudget::new(10, 4);
        let (first, second) = (budget.take(3, at(0)).unwrap(), budget.take(3, at(0)).unwrap());
        assert!(first.grow(4, at(0)) && !second.grow(1, at(0)));
        assert!(budget.has(4, at(0)) && !budget.has(5, at(0)));
        first.shrink(2, at(0));
        assert!(second.grow(2, at(0)) && !first.grow(1, at(0)));
        drop(second);
        assert!(first.grow(2, at(0)));
        assert_eq!(budget.in_use(at(0)), 7);
    }

    #[test]
    fn an_expired_permit_that_is_kept_alive_counts_again() {
        let budget = MemoryBudget::new(10, 0);
        let silent = budget.take(6, at(0)).unwrap();
        let next = budget.take(4, at(PERMIT_SECONDS)).unwrap();
        silent.keep_alive(at(PERMIT_SECONDS));
        assert!(budget.take(1, at(PERMIT_SECONDS)).is_none());
        drop((silent, next));
        assert!(budget.take(10, at(PERMIT_SECONDS)).is_some());
    }
}
