//! How many uploads an isolate may hold at once, counted in bytes: above it, a new one is asked to come back instead
//! of all of them dying of memory.
//!
//! A platform that cancels a request never tells it, so a share that is not kept alive goes back by itself.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A share that nobody has kept alive for so long belongs to a request that is gone.
const SHARE_SECONDS: u64 = 60;

pub struct MemoryBudget {
    bytes: usize,
    shares: Mutex<Shares>,
}

struct Shares {
    held: Vec<Share>,
    /// Counts on for ever: a number that was given once names no other share later.
    last_number: u64,
}

#[derive(Clone, Copy)]
struct Share {
    number: u64,
    bytes: usize,
    ends_at_unix: u64,
}

/// A share of the budget; it goes back when this is dropped.
pub struct Permit<'a> {
    budget: &'a MemoryBudget,
    number: u64,
    bytes: usize,
}

impl MemoryBudget {
    pub const fn new(bytes: usize) -> Self {
        Self {
            bytes,
            shares: Mutex::new(Shares {
                held: Vec::new(),
                last_number: 0,
            }),
        }
    }

    /// A share of so many bytes, if they are left.
    pub fn take(&self, bytes: usize, now_unix: u64) -> Option<Permit<'_>> {
        let mut shares = self.lock();
        shares.held.retain(|share| share.ends_at_unix > now_unix);
        let used: usize = shares.held.iter().map(|share| share.bytes).sum();
        if used + bytes > self.bytes {
            return None;
        }
        shares.last_number += 1;
        let permit = Permit {
            budget: self,
            number: shares.last_number,
            bytes,
        };
        shares.hold(permit.share(now_unix));
        Some(permit)
    }

    fn lock(&self) -> MutexGuard<'_, Shares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shares {
    fn hold(&mut self, share: Share) {
        self.held.retain(|held| held.number != share.number);
        self.held.push(share);
    }
}

impl Permit<'_> {
    /// Says that the request still runs. One that was taken for gone is counted again: its memory was never free.
    pub fn keep_alive(&self, now_unix: u64) {
        self.budget.lock().hold(self.share(now_unix));
    }

    fn share(&self, now_unix: u64) -> Share {
        Share {
            number: self.number,
            bytes: self.bytes,
            ends_at_unix: now_unix + SHARE_SECONDS,
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let number = self.number;
        self.budget
            .lock()
            .held
            .retain(|share| share.number != number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_not_there_until_it_comes_back() {
        let budget = MemoryBudget::new(10);
        let first = budget.take(6, 0).unwrap();
        assert!(budget.take(5, 0).is_none());
        let second = budget.take(4, 0);
        assert!(second.is_some() && budget.take(1, 0).is_none());
        drop(first);
        assert!(budget.take(6, 0).is_some());
    }

    #[test]
    fn the_share_of_a_silent_request_goes_back_by_itself() {
        let budget = MemoryBudget::new(10);
        let silent = budget.take(10, 0).unwrap();
        assert!(budget.take(1, SHARE_SECONDS - 1).is_none());
        assert!(budget.take(1, SHARE_SECONDS).is_some());
        drop(silent);
    }

    #[test]
    fn the_share_of_a_living_request_stays() {
        let budget = MemoryBudget::new(10);
        let living = budget.take(10, 0).unwrap();
        living.keep_alive(SHARE_SECONDS - 1);
        assert!(budget.take(1, SHARE_SECONDS).is_none());
    }

    #[test]
    fn a_request_that_was_taken_for_gone_takes_nobody_elses_share_with_it() {
        let budget = MemoryBudget::new(10);
        let silent = budget.take(10, 0).unwrap();
        let next = budget.take(10, SHARE_SECONDS).unwrap();
        drop(silent);
        assert!(budget.take(1, SHARE_SECONDS).is_none());
        drop(next);
        assert!(budget.take(10, SHARE_SECONDS).is_some());
    }

    #[test]
    fn a_request_that_was_taken_for_gone_and_goes_on_is_counted_again() {
        let budget = MemoryBudget::new(10);
        let silent = budget.take(6, 0).unwrap();
        let next = budget.take(4, SHARE_SECONDS).unwrap();
        silent.keep_alive(SHARE_SECONDS);
        assert!(budget.take(1, SHARE_SECONDS).is_none());
        drop((silent, next));
        assert!(budget.take(10, SHARE_SECONDS).is_some());
    }
}
