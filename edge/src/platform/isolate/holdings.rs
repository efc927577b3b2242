//! Values that the running requests of an isolate hold, such as an amount of memory or the place of an open upload.
//!
//! The platform cancels requests without notice, so a value that is neither dropped nor renewed expires.

use crate::base::unix_seconds::UnixSeconds;
use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) struct Holdings<T> {
    /// The time for which a value is held unless it is renewed.
    seconds: u64,
    entries: Mutex<Entries<T>>,
}

struct Entries<T> {
    active: Vec<Entry<T>>,
    /// The last number that was assigned. Numbers are never reused.
    last_number: u64,
}

struct Entry<T> {
    number: u64,
    value: T,
    ends_at: UnixSeconds,
}

/// A held value. Dropping it gives the value up.
pub(crate) struct Holding<'a, T> {
    holdings: &'a Holdings<T>,
    number: u64,
    value: Cell<T>,
    ends_at: Cell<UnixSeconds>,
}

impl<T: Copy> Holdings<T> {
    pub(crate) const fn new(seconds: u64) -> Self {
        Self { seconds, entries: Mutex::new(Entries { active: Vec::new(), last_number: 0 }) }
    }

    /// Adds a value if there is room for it among the held values.
    pub(crate) fn add(
        &self,
        value: T,
        now: UnixSeconds,
        fits: impl FnOnce(&mut dyn Iterator<Item = T>) -> bool,
    ) -> Option<Holding<'_, T>> {
        let mut entries = self.live(now);
        if !fits(&mut entries.values()) {
            return None;
        }
        entries.last_number += 1;
        let (number, ends_at) = (entries.last_number, now + self.seconds);
        entries.put(Entry { number, value, ends_at });
        Some(Holding { holdings: self, number, value: Cell::new(value), ends_at: Cell::new(ends_at) })
    }

    /// Calls `check` with the held values.
    pub(crate) fn check<R>(&self, now: UnixSeconds, check: impl FnOnce(&mut dyn Iterator<Item = T>) -> R) -> R {
        check(&mut self.live(now).values())
    }

    /// Removes the expired values and returns the others.
    fn live(&self, now: UnixSeconds) -> MutexGuard<'_, Entries<T>> {
        let mut entries = self.lock();
        entries.active.retain(|entry| entry.ends_at > now);
        entries
    }
}

impl<T> Holdings<T> {
    fn lock(&self) -> MutexGuard<'_, Entries<T>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Copy> Entries<T> {
    fn values(&self) -> impl Iterator<Item = T> {
        self.active.iter().map(|entry| entry.value)
    }

    fn put(&mut self, entry: Entry<T>) {
        self.active.retain(|other| other.number != entry.number);
        self.active.push(entry);
    }
}

impl<T: Copy> Holding<'_, T> {
    pub(crate) fn value(&self) -> T {
        self.value.get()
    }

    /// Replaces the value, if there is room for the new one among the values that others hold.
    pub(crate) fn replace(
        &self,
        value: T,
        now: UnixSeconds,
        fits: impl FnOnce(&mut dyn Iterator<Item = T>) -> bool,
    ) -> bool {
        let mut entries = self.holdings.live(now);
        let mut others = entries.active.iter().filter(|entry| entry.number != self.number).map(|entry| entry.value);
        if !fits(&mut others) {
            return false;
        }
        self.value.set(value);
        entries.put(self.entry());
        true
    }

    /// Keeps the value from expiring. An expired value is held again, because it is still in use.
    pub(crate) fn renew(&self, now: UnixSeconds) {
        self.ends_at.set(now + self.holdings.seconds);
        self.holdings.lock().put(self.entry());
    }

    fn entry(&self) -> Entry<T> {
        Entry { number: self.number, value: self.value.get(), ends_at: self.ends_at.get() }
    }
}

impl<T> Drop for Holding<'_, T> {
    fn drop(&mut self) {
        self.holdings.lock().active.retain(|entry| entry.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: UnixSeconds = UnixSeconds(1_000);
    const SECONDS: u64 = 60;

    fn held(holdings: &Holdings<u32>, now: UnixSeconds) -> Vec<u32> {
        holdings.check(now, |values| values.collect())
    }

    #[test]
    fn a_value_is_held_until_it_is_dropped() {
        let holdings = Holdings::new(SECONDS);
        let one = holdings.add(1, START, |_| true);
        let two = holdings.add(2, START, |others| others.sum::<u32>() == 1);
        assert!(holdings.add(3, START, |others| others.count() < 2).is_none());
        drop(one);
        assert_eq!(held(&holdings, START), [2]);
        drop(two);
        assert!(held(&holdings, START).is_empty());
    }

    #[test]
    fn a_value_expires_unless_it_is_renewed() {
        let holdings = Holdings::new(SECONDS);
        let renewed = holdings.add(1, START, |_| true).unwrap();
        let _silent = holdings.add(2, START, |_| true);
        renewed.renew(START + 1);
        assert_eq!(held(&holdings, START + (SECONDS - 1)), [2, 1]);
        assert_eq!(held(&holdings, START + SECONDS), [1]);
        assert!(held(&holdings, START + (SECONDS + 1)).is_empty());
    }

    #[test]
    fn an_expired_value_that_is_renewed_is_held_again_and_dropping_it_removes_no_other() {
        let holdings = Holdings::new(SECONDS);
        let silent = holdings.add(1, START, |_| true).unwrap();
        let next = holdings.add(2, START + SECONDS, |others| others.count() == 0);
        assert!(next.is_some());
        silent.renew(START + SECONDS);
        assert_eq!(held(&holdings, START + SECONDS), [2, 1]);
        drop(silent);
        assert_eq!(held(&holdings, START + SECONDS), [2]);
    }

    #[test]
    fn a_value_is_replaced_only_if_it_fits_beside_those_of_others() {
        let holdings = Holdings::new(SECONDS);
        let (one, two) = (holdings.add(1, START, |_| true).unwrap(), holdings.add(2, START, |_| true).unwrap());
        assert!(one.replace(5, START, |others| others.collect::<Vec<_>>() == [2]));
        assert!(!two.replace(9, START, |others| others.sum::<u32>() < 5));
        assert_eq!((one.value(), two.value()), (5, 2));
        assert_eq!(held(&holdings, START), [2, 5]);
    }
}
