//! How many uploads an isolate may hold at once, counted in bytes: above it, a new one is asked to come back instead
//! of all of them dying of memory.
//!
//! A platform that cancels a request never tells it, so a share that is not kept alive goes back by itself.

use std::sync::{Mutex, PoisonError};

/// A share that nobody has kept alive for so long belongs to a request that is gone.
const SHARE_SECONDS: u64 = 60;

pub struct MemoryBudget {
    bytes: usize,
    shares: Mutex<Vec<Share>>,
}

struct Share {
    number: u64,
    bytes: usize,
    ends_at_unix: u64,
}

/// A share of the budget; it goes back when this is dropped.
pub struct Permit<'a> {
    budget: &'a MemoryBudget,
    number: u64,
}

impl MemoryBudget {
    pub const fn new(bytes: usize) -> Self {
        Self {
            bytes,
            shares: Mutex::new(Vec::new()),
        }
    }

    /// A share of so many bytes, if they are left.
    pub fn take(&self, bytes: usize, now_unix: u64) -> Option<Permit<'_>> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        shares.retain(|share| share.ends_at_unix > now_unix);
        let used: usize = shares.iter().map(|share| share.bytes).sum();
        if used + bytes > self.bytes {
            return None;
        }
        let number = shares.iter().map(|share| share.number).max().unwrap_or(0) + 1;
        shares.push(Share {
            number,
            bytes,
            ends_at_unix: now_unix + SHARE_SECONDS,
        });
        Some(Permit {
            budget: self,
            number,
        })
    }
}

impl Permit<'_> {
    /// Says that the request still runs.
    pub fn keep_alive(&self, now_unix: u64) {
        let mut shares = self
            .budget
            .shares
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for share in shares
            .iter_mut()
            .filter(|share| share.number == self.number)
        {
            share.ends_at_unix = now_unix + SHARE_SECONDS;
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut shares = self
            .budget
            .shares
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        shares.retain(|share| share.number != self.number);
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
}
