//! The keys that were valid when this isolate last used them. `request_rate` uses them to distinguish new keys from
//! known keys. For each request, only the database decides whether the key is valid.
//!
//! The memory is bounded and every entry expires. Entries are kept in two generations, and the older generation is
//! dropped as a whole, so no request has to search for the oldest entry.

use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::KeyedHash;
use std::collections::BTreeSet;
use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The keys of one generation. Two full generations take less than 0.5 MB.
const CAPACITY: usize = 2_000;
/// An entry lasts for one to two of these periods. Thanks to the long period, the programs of one office, which share
/// an address, are not counted as new keys. It does no harm, because an invalid key is removed when it is next used.
const GENERATION_SECONDS: u64 = 3_600;

pub(crate) struct RecentKeys(Mutex<Generations>);

struct Generations {
    current: BTreeSet<KeyedHash>,
    previous: BTreeSet<KeyedHash>,
    current_since: UnixSeconds,
}

impl RecentKeys {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Generations {
            current: BTreeSet::new(),
            previous: BTreeSet::new(),
            current_since: UnixSeconds(0),
        }))
    }

    /// Whether the key was recently found valid.
    pub(crate) fn contains(&self, key: &KeyedHash, now: UnixSeconds) -> bool {
        let mut generations = self.lock();
        generations.expire(now);
        generations.current.contains(key) || generations.previous.contains(key)
    }

    /// Adds a key that the database has just found valid.
    pub(crate) fn insert(&self, key: &KeyedHash, now: UnixSeconds) {
        let mut generations = self.lock();
        generations.expire(now);
        if generations.current.contains(key) {
            return;
        }
        if generations.current.len() >= CAPACITY {
            generations.turn(now);
        }
        generations.current.insert(key.clone());
    }

    /// Removes a key that the database has just found invalid.
    pub(crate) fn remove(&self, key: &KeyedHash) {
        let mut generations = self.lock();
        generations.current.remove(key);
        generations.previous.remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn expire(&mut self, now: UnixSeconds) {
        let age = now.seconds_since(self.current_since);
        if age >= 2 * GENERATION_SECONDS {
            self.current.clear();
        }
        if age >= GENERATION_SECONDS {
            self.turn(now);
        }
    }

    fn turn(&mut self, now: UnixSeconds) {
        self.previous = take(&mut self.current);
        self.current_since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::auth::hash::Pepper;

    const START: UnixSeconds = UnixSeconds(1_000_000);

    fn key(number: usize) -> KeyedHash {
        let pepper = Pepper::new("a pepper that is long enough to use").unwrap();
        pepper.hash(&number.to_le_bytes())
    }

    #[test]
    fn a_key_is_known_once_it_was_valid_and_until_it_is_found_invalid() {
        let keys = RecentKeys::new();
        assert!(!keys.contains(&key(1), START));
        keys.insert(&key(1), START);
        assert!(keys.contains(&key(1), START) && !keys.contains(&key(2), START));
        keys.remove(&key(1));
        assert!(!keys.contains(&key(1), START));
    }

    #[test]
    fn an_entry_lasts_for_at_least_one_generation_and_expires_after_two() {
        let keys = RecentKeys::new();
        keys.insert(&key(1), START);
        assert!(keys.contains(&key(1), START + GENERATION_SECONDS));
        assert!(!keys.contains(&key(1), START + 2 * GENERATION_SECONDS));
        keys.insert(&key(3), START + 2 * GENERATION_SECONDS);
        assert!(keys.contains(&key(3), START + (4 * GENERATION_SECONDS - 1)), "nothing was looked up in between");
        let later = START + 10 * GENERATION_SECONDS;
        keys.insert(&key(2), later);
        assert!(!keys.contains(&key(2), later + 2 * GENERATION_SECONDS), "nothing was looked up in between");
    }

    #[test]
    fn a_key_that_is_used_again_does_not_expire() {
        let keys = RecentKeys::new();
        for hour in 0..5 {
            keys.insert(&key(1), START + hour * GENERATION_SECONDS);
        }
        assert!(keys.contains(&key(1), START + 5 * GENERATION_SECONDS));
    }

    #[test]
    fn any_number_of_keys_takes_bounded_memory_and_the_newest_stay() {
        let keys = RecentKeys::new();
        for number in 0..3 * CAPACITY {
            keys.insert(&key(number), START);
        }
        let generations = keys.lock();
        assert!(generations.current.len() + generations.previous.len() <= 2 * CAPACITY);
        drop(generations);
        assert!((2 * CAPACITY..3 * CAPACITY).all(|number| keys.contains(&key(number), START)));
        assert!(!keys.contains(&key(0), START));
    }
}
