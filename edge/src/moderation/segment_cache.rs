//! The segments of the blocklist that this isolate has read before.
//!
//! A segment never changes, so a kept segment is never stale. The memory is bounded: segments that do not fit are read
//! for each report.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct SegmentCache {
    max_bytes: usize,
    segments: Mutex<BTreeMap<String, Arc<Vec<u8>>>>,
}

impl SegmentCache {
    pub(crate) const fn new(max_bytes: usize) -> Self {
        Self { max_bytes, segments: Mutex::new(BTreeMap::new()) }
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Vec<u8>>> {
        self.lock().get(name).cloned()
    }

    /// Keeps a segment if there is room for it.
    pub(crate) fn keep(&self, name: &str, bytes: &Arc<Vec<u8>>) {
        let mut segments = self.lock();
        let used: usize = segments.values().map(|kept| kept.len()).sum();
        if used + bytes.len() <= self.max_bytes {
            segments.insert(name.to_owned(), Arc::clone(bytes));
        }
    }

    /// Drops the segments that the list no longer has.
    pub(crate) fn retain(&self, names: &[String]) {
        self.lock().retain(|name, _| names.contains(name));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Vec<u8>>>> {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_kept_while_there_is_room_and_the_list_has_them() {
        let cache = SegmentCache::new(10);
        for (name, length) in [("a", 6), ("b", 5), ("c", 4)] {
            cache.keep(name, &Arc::new(vec![0; length]));
        }
        let is_kept = |name: &str| cache.get(name).is_some();
        assert_eq!(["a", "b", "c"].map(is_kept), [true, false, true]);
        cache.retain(&["c".to_owned()]);
        assert_eq!(["a", "b", "c"].map(is_kept), [false, false, true]);
    }
}
