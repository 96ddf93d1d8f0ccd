//! The cache that keeps what questions have in common, up to a number of bytes.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values by key. Together they take at most `max_bytes`; to keep within that, the values that were not used for
/// longest are removed.
///
/// Callers state the bytes of each value. A value that is larger than the cache is kept until the next one comes, so
/// that a question that repeats is fast even then.
#[derive(Debug)]
pub(crate) struct BoundedCache<K, V> {
    entries: Mutex<Entries<K, V>>,
    max_bytes: usize,
}

#[derive(Debug)]
struct Entries<K, V> {
    by_key: BTreeMap<K, Entry<V>>,
    /// Keys by the time of their last use.
    by_use: BTreeMap<u64, K>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    bytes: usize,
    used: u64,
}

impl<K: Ord + Clone, V: Clone> BoundedCache<K, V> {
    /// An empty cache of at most `max_bytes`.
    pub(crate) fn new(max_bytes: usize) -> Self {
        let entries = Mutex::new(Entries {
            by_key: BTreeMap::new(),
            by_use: BTreeMap::new(),
            bytes: 0,
            clock: 0,
        });
        Self { entries, max_bytes }
    }

    /// Returns a copy of the value of `key`, which counts as a use.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let mut entries = self.lock();
        let Entries {
            by_key,
            by_use,
            clock,
            ..
        } = &mut *entries;
        let entry = by_key.get_mut(key)?;
        *clock += 1;
        if let Some(key) = by_use.remove(&entry.used) {
            by_use.insert(*clock, key);
        }
        entry.used = *clock;
        Some(entry.value.clone())
    }

    /// Keeps a value of `bytes` in the place of the one that `key` had, and removes others if the cache is full.
    pub(crate) fn put(&self, key: K, value: V, bytes: usize) {
        let mut entries = self.lock();
        entries.remove(&key);
        entries.shrink(self.max_bytes.saturating_sub(bytes), 0);
        entries.insert(key, value, bytes);
    }

    /// Returns a copy of the value of `key`, which counts as a use. If there is none, keeps the one that `make` returns;
    /// it has no bytes until they are measured.
    pub(crate) fn get_or_put(&self, key: K, make: impl FnOnce() -> V) -> V {
        let mut entries = self.lock();
        let (value, bytes) = match entries.remove(&key) {
            Some(entry) => (entry.value, entry.bytes),
            None => (make(), 0),
        };
        entries.insert(key, value.clone(), bytes);
        value
    }

    /// Replaces the bytes of all values, for values that grow, and removes others than the newest if the cache is too
    /// full. Returns the bytes of those that stay. Cost: linear in the values.
    pub(crate) fn measure(&self, bytes_of: impl Fn(&V) -> usize) -> usize {
        let mut entries = self.lock();
        let mut sum = 0;
        for entry in entries.by_key.values_mut() {
            entry.bytes = bytes_of(&entry.value);
            sum += entry.bytes;
        }
        entries.bytes = sum;
        entries.shrink(self.max_bytes, 1);
        entries.bytes
    }

    fn lock(&self) -> MutexGuard<'_, Entries<K, V>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Ord + Clone, V> Entries<K, V> {
    /// Adds a value of a key that has none, as the newest.
    fn insert(&mut self, key: K, value: V, bytes: usize) {
        self.clock += 1;
        let used = self.clock;
        self.bytes += bytes;
        self.by_use.insert(used, key.clone());
        self.by_key.insert(key, Entry { value, bytes, used });
    }

    fn remove(&mut self, key: &K) -> Option<Entry<V>> {
        let entry = self.by_key.remove(key)?;
        self.by_use.remove(&entry.used);
        self.bytes -= entry.bytes;
        Some(entry)
    }

    /// Removes the oldest values until they have at most `max_bytes`, but leaves `min_values`.
    fn shrink(&mut self, max_bytes: usize, min_values: usize) {
        while self.bytes > max_bytes && self.by_use.len() > min_values {
            let Some((_, oldest)) = self.by_use.pop_first() else {
                break;
            };
            self.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn keys(cache: &BoundedCache<u8, u32>) -> Vec<u8> {
        cache.lock().by_use.values().copied().collect()
    }

    #[test]
    fn the_value_that_was_not_used_for_longest_is_removed_first() {
        let cache = BoundedCache::new(10);
        for key in 1..=3 {
            cache.put(key, u32::from(key), 3);
        }
        assert_eq!(cache.get(&1), Some(1));
        cache.put(4, 4, 3);
        assert_eq!(keys(&cache), [3, 1, 4]);
        cache.put(5, 5, 7);
        assert_eq!(keys(&cache), [4, 5]);
        assert_eq!(cache.get(&1), None);
    }

    #[test]
    fn a_value_replaces_that_of_its_key() {
        let cache = BoundedCache::new(10);
        cache.put(1, 1, 6);
        cache.put(1, 2, 10);
        assert_eq!(cache.get(&1), Some(2));
        assert_eq!(cache.lock().bytes, 10);
    }

    #[test]
    fn a_value_larger_than_the_cache_stays_until_the_next() {
        let cache = BoundedCache::new(10);
        cache.put(1, 1, 1);
        cache.put(2, 2, usize::MAX);
        assert_eq!(keys(&cache), [2]);
        cache.put(3, 3, 1);
        assert_eq!(keys(&cache), [3]);
        assert_eq!(cache.lock().bytes, 1);
    }

    #[test]
    fn values_that_grew_remove_others_but_not_the_newest() {
        let cache = BoundedCache::new(10);
        let made = [1, 2, 1, 3].map(|key| cache.get_or_put(key, || 10 * u32::from(key)));
        assert_eq!(made, [10, 20, 10, 30]);
        assert_eq!(cache.measure(|_| 5), 10);
        assert_eq!(keys(&cache), [1, 3]);
        assert_eq!(cache.measure(|_| 11), 11);
        assert_eq!(keys(&cache), [3]);
        assert_eq!(cache.get_or_put(3, || 0), 30);
    }

    proptest! {
        /// The bound holds after each step, the bytes are those of the values, and the newest value is there.
        #[test]
        fn the_bound_holds(steps in vec((0..20_u8, 0..=40_usize, any::<bool>()), 0..200)) {
            let cache = BoundedCache::new(40);
            for (step, (key, bytes, is_read)) in (0..).zip(steps) {
                if is_read {
                    let before = keys(&cache);
                    let is_there = cache.get(&key).is_some();
                    prop_assert_eq!(is_there, before.contains(&key));
                    continue;
                }
                cache.put(key, step, bytes);
                prop_assert_eq!(cache.get(&key), Some(step));
                let entries = cache.lock();
                prop_assert!(entries.bytes <= 40);
                let sum: usize = entries.by_key.values().map(|entry| entry.bytes).sum();
                prop_assert_eq!(sum, entries.bytes);
                prop_assert_eq!(entries.by_use.len(), entries.by_key.len());
            }
        }
    }
}
