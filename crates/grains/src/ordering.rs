//! Items in the order of a number that each has: times of millions of grains or fragments.

/// Numbers of fewer are compared.
const FEW: usize = 1 << 14;
/// Bits that a pass sorts by.
const DIGIT: u32 = 11;
/// Items of a bucket on average; few in tests, whose lists are short.
const BUCKET: usize = if cfg!(test) { 1 << 6 } else { 1 << 15 };
/// Maximum number of buckets.
const MAX_BUCKETS: usize = 1 << 12;

/// Items by ascending key, those of equal keys in their own order.
///
/// The items are held in buckets of neighbouring keys, and each bucket is sorted when the iteration comes to it. So an
/// item takes four bytes, and the keys of one bucket at a time are in memory.
pub(crate) struct Ordered<K> {
    key: K,
    /// Items by bucket, those of a bucket in their own order.
    items: Vec<u32>,
    /// First item of each bucket, and after them the number of items.
    first: Vec<usize>,
    smallest: u64,
    /// Bits of keys that buckets do not distinguish.
    shift: u32,
}

impl<K: Fn(u32) -> u64> Ordered<K> {
    /// Orders items, which are given with their keys in their own order. Linear if the keys of a bucket and the places in
    /// it have 64 bits together, as times of a run do.
    pub(crate) fn of(items: impl Iterator<Item = (u64, u32)> + Clone, key: K) -> Self {
        let (mut len, mut smallest, mut largest) = (0, u64::MAX, 0);
        for (key, _) in items.clone() {
            len += 1;
            smallest = smallest.min(key);
            largest = largest.max(key);
        }
        let buckets = (len / BUCKET).next_power_of_two().min(MAX_BUCKETS);
        let bits = u64::BITS - largest.saturating_sub(smallest).leading_zeros();
        let shift = bits.saturating_sub(buckets.trailing_zeros());
        let bucket = |key: u64| bucket(key - smallest, shift);
        let mut first = vec![0; buckets + 2];
        for (key, _) in items.clone() {
            if let Some(count) = first.get_mut(bucket(key) + 2) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let mut sorted = vec![0; len];
        for (key, item) in items {
            // The place after a bucket's first moves on until it is the next bucket's first.
            if let Some(next) = first.get_mut(bucket(key) + 1) {
                if let Some(slot) = sorted.get_mut(*next) {
                    *slot = item;
                }
                *next += 1;
            }
        }
        first.truncate(buckets + 1);
        Self {
            key,
            items: sorted,
            first,
            smallest,
            shift,
        }
    }

    /// Keys with their items, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let mut sorted = SortedBucket::default();
        let mut next = 0;
        std::iter::from_fn(move || {
            loop {
                if let Some(found) = sorted.next() {
                    return Some(found);
                }
                let bounds = *self.first.get(next)?..*self.first.get(next + 1)?;
                sorted.fill(self.items.get(bounds)?, next, self);
                next += 1;
            }
        })
    }
}

/// Number of the bucket of a key, counted from the smallest key.
fn bucket(key: u64, shift: u32) -> usize {
    // Without a bit to distinguish them, all keys are in one bucket.
    let high = key.checked_shr(shift).unwrap_or(0);
    usize::try_from(high).unwrap_or(usize::MAX)
}

/// The items of a bucket in order, in memory that all buckets share.
#[derive(Default)]
struct SortedBucket<'a> {
    items: &'a [u32],
    /// Key less the smallest key of the bucket, and below it the place among the items: neighbours in memory, where a
    /// list of items would lead to a key anywhere for each comparison.
    packed: Vec<u64>,
    /// Keys too far apart for that.
    pairs: Vec<(u64, u32)>,
    smallest: u64,
    place_bits: u32,
    at: usize,
}

impl<'a> SortedBucket<'a> {
    fn fill<K: Fn(u32) -> u64>(&mut self, items: &'a [u32], bucket: usize, all: &Ordered<K>) {
        self.at = 0;
        self.packed.clear();
        self.pairs.clear();
        self.items = items;
        self.place_bits = usize::BITS - items.len().leading_zeros();
        let below = (bucket as u64).checked_shl(all.shift).unwrap_or(0);
        self.smallest = all.smallest.saturating_add(below);
        if all.shift + self.place_bits > u64::BITS {
            let pairs = items.iter().map(|&item| ((all.key)(item), item));
            self.pairs.extend(pairs);
            self.pairs.sort_unstable();
            return;
        }
        let pack = |(place, &item): (u64, &u32)| {
            (((all.key)(item) - self.smallest) << self.place_bits) | place
        };
        self.packed.extend((0..).zip(items).map(pack));
        sort_above(&mut self.packed, self.place_bits);
    }

    #[inline]
    fn next(&mut self) -> Option<(u64, u32)> {
        let at = self.at;
        self.at += 1;
        let Some(&packed) = self.packed.get(at) else {
            return self.pairs.get(at).copied();
        };
        let place = packed & ((1 << self.place_bits) - 1);
        let item = *self.items.get(usize::try_from(place).ok()?)?;
        Some((self.smallest + (packed >> self.place_bits), item))
    }
}

/// A time as a key.
pub(crate) fn time_key(time: i64) -> u64 {
    time.abs_diff(i64::MIN)
}

/// How often an item is looked at, at most on average, to sort the events of all windows of time.
const LOOKS: u128 = 4;

/// Events that are best sorted at once, if items in blocks of neighbours are looked at for each window of time that meets
/// their block: more of them if many blocks overlap. `spans` are the lengths of time of the blocks, and `length` is that of
/// all together.
pub(crate) fn at_once(events: u64, spans: impl ExactSizeIterator<Item = u64>, length: u64) -> u64 {
    let blocks = spans.len() as u128;
    let sum: u128 = spans.map(u128::from).sum();
    let looks = u128::from(length) * blocks * LOOKS;
    let share = (u128::from(events) * sum).checked_div(looks).unwrap_or(0);
    u64::try_from(share).unwrap_or(events)
}

/// Sorts numbers; many of them by their digits, in time linear in their number.
pub(crate) fn sort<T: Copy + Ord + Into<u64>>(numbers: &mut Vec<T>) {
    sort_above(numbers, 0);
}

/// The same for numbers whose lowest bits are in order already, among numbers that differ in these alone, or need not be
/// in order.
pub(crate) fn sort_above<T: Copy + Ord + Into<u64>>(numbers: &mut Vec<T>, sorted_bits: u32) {
    let Some(&first) = numbers.first().filter(|_| numbers.len() >= FEW) else {
        numbers.sort_unstable();
        return;
    };
    let all = numbers.iter().fold(0, |all, &number| all | number.into());
    let mut other = vec![first; numbers.len()];
    let mut shift = sorted_bits;
    while shift < u64::BITS && all >> shift != 0 {
        let digit = |number: T| {
            let number: u64 = number.into();
            usize::try_from((number >> shift) & ((1 << DIGIT) - 1)).unwrap_or(0)
        };
        let mut places = [0_usize; 1 << DIGIT];
        for &number in numbers.iter() {
            places[digit(number)] += 1;
        }
        let mut sum = 0;
        for place in &mut places {
            sum += std::mem::replace(place, sum);
        }
        for &number in numbers.iter() {
            let place = &mut places[digit(number)];
            other[*place] = number;
            *place += 1;
        }
        std::mem::swap(numbers, &mut other);
        shift += DIGIT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys with many equal ones, in `0..=range` from `smallest`.
    fn check(len: u32, smallest: u64, range: u64) {
        let key = |item: u32| {
            let hash = u64::from(item)
                .wrapping_add(1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let far = hash >> 20;
            smallest
                + if range == u64::MAX {
                    hash
                } else {
                    far % (range + 1)
                }
        };
        let mut expected: Vec<(u64, u32)> = (0..len).map(|item| (key(item), item)).collect();
        expected.sort_unstable();
        let ordered = Ordered::of((0..len).map(|item| (key(item), item)), key);
        assert_eq!(
            ordered.iter().collect::<Vec<_>>(),
            expected,
            "{len} from {smallest}"
        );
    }

    #[test]
    fn items_come_by_key_then_as_they_were() {
        for len in [0, 1, 2, 100, 20_000] {
            for range in [0, 5, 1 << 30, u64::MAX] {
                check(len, 0, range);
            }
            check(len, u64::MAX - 5, 5);
        }
    }

    #[test]
    fn few_of_many_items_come_by_key() {
        let key = |item: u32| u64::from(item % 7) << 61;
        let items = (0..1000).filter(|item| item % 3 != 0);
        let items = items.map(|item| (key(item), item));
        let mut expected: Vec<(u64, u32)> = items.clone().collect();
        expected.sort_unstable();
        let ordered = Ordered::of(items, key);
        assert_eq!(ordered.iter().collect::<Vec<_>>(), expected);
        // A second time from the same buckets.
        assert_eq!(ordered.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn times_keep_their_order_as_keys() {
        let times = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(times.map(time_key).is_sorted());
    }
}
