//! An amount that the requests of an isolate share: bytes of memory, or responses that are held open.

use super::holdings::{Holding, Holdings};
use crate::base::unix_seconds::UnixSeconds;

pub(crate) struct Quota {
    amount: usize,
    shares: Holdings<usize>,
}

/// The part of a quota that one request uses. Dropping it gives the part back.
pub(crate) struct QuotaShare<'a> {
    quota: &'a Quota,
    holding: Holding<'a, usize>,
}

impl Quota {
    /// Returns a quota whose shares expire after `share_seconds` unless they are renewed.
    pub(crate) const fn new(amount: usize, share_seconds: u64) -> Self {
        Self { amount, shares: Holdings::new(share_seconds) }
    }

    /// Whether this amount is left.
    pub(crate) fn has(&self, amount: usize, now: UnixSeconds) -> bool {
        self.in_use(now) + amount <= self.amount
    }

    pub(crate) fn in_use(&self, now: UnixSeconds) -> usize {
        self.shares.check(now, |shares| shares.sum())
    }

    /// Takes a share, if that much is left. A share of zero is always available, and can grow.
    pub(crate) fn take(&self, amount: usize, now: UnixSeconds) -> Option<QuotaShare<'_>> {
        let fits =
            |others: &mut dyn Iterator<Item = usize>| amount == 0 || others.sum::<usize>() + amount <= self.amount;
        let holding = self.shares.add(amount, now, fits)?;
        Some(QuotaShare { quota: self, holding })
    }
}

impl QuotaShare<'_> {
    /// Adds to the share, if that much is left. Returns whether it was.
    #[must_use]
    pub(crate) fn grow(&self, amount: usize, now: UnixSeconds) -> bool {
        let grown = self.holding.value() + amount;
        self.holding.replace(grown, now, |others| others.sum::<usize>() + grown <= self.quota.amount)
    }

    /// Gives some of the share back.
    pub(crate) fn shrink(&self, amount: usize, now: UnixSeconds) {
        self.holding.replace(self.holding.value().saturating_sub(amount), now, |_| true);
    }

    /// Keeps the share from expiring.
    pub(crate) fn renew(&self, now: UnixSeconds) {
        self.holding.renew(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: UnixSeconds = UnixSeconds(1_000);

    fn share(quota: &Quota, now: UnixSeconds) -> QuotaShare<'_> {
        quota.take(0, now).unwrap()
    }

    #[test]
    fn shares_grow_until_the_quota_is_used_up() {
        let quota = Quota::new(10, 5);
        let (one, other) = (share(&quota, START), share(&quota, START));
        assert!(one.grow(4, START) && other.grow(4, START) && one.grow(2, START));
        assert!(!one.grow(1, START) && !other.grow(1, START));
    }

    #[test]
    fn a_share_that_is_dropped_gives_all_of_it_back() {
        let quota = Quota::new(10, 5);
        let (one, other) = (share(&quota, START), share(&quota, START));
        assert!(one.grow(5, START) && one.grow(5, START) && !other.grow(1, START));
        drop(one);
        assert!(other.grow(10, START));
    }

    #[test]
    fn a_failed_attempt_to_grow_uses_nothing() {
        let quota = Quota::new(10, 5);
        let (one, other) = (share(&quota, START), share(&quota, START));
        assert!(!one.grow(11, START));
        assert!(other.grow(10, START));
    }

    #[test]
    fn the_share_of_a_cancelled_request_expires() {
        let quota = Quota::new(10, 5);
        let cancelled = share(&quota, START);
        assert!(cancelled.grow(10, START));
        let next = share(&quota, START + 4);
        assert!(!next.grow(1, START + 4));
        assert!(next.grow(10, START + 5));
        assert!(!cancelled.grow(1, START + 5));
        drop(cancelled);
        assert!(!share(&quota, START + 5).grow(1, START + 5));
    }
}
