//! Items in the order of a number that each has: times of millions of fragments.

use std::panic::resume_unwind;

/// Numbers of fewer are compared.
const FEW: usize = 1 << 14;
/// Bits that a pass sorts by.
const DIGIT: u32 = 11;

/// Items by ascending key, those of equal keys in their own order.
pub(crate) enum Ordered {
    /// Key less the smallest key, and below it the item: neighbours in memory, where a list of items would lead to a key
    /// anywhere for each comparison.
    Packed {
        sorted: Vec<u64>,
        smallest: u64,
        item_bits: u32,
    },
    /// Keys too far apart for that.
    Pairs(Vec<(u64, u32)>),
}

impl Ordered {
    /// Orders the items `0..len`, which have their key in the same order of calls. Linear if keys and items have 64
    /// bits together, as times of a run do.
    pub(crate) fn by(len: u32, key: impl Fn(u32) -> u64) -> Self {
        let smallest = (0..len).map(&key).min().unwrap_or(0);
        let largest = (0..len).map(&key).max().unwrap_or(0);
        let item_bits = u32::BITS - len.leading_zeros();
        if (largest - smallest).leading_zeros() < item_bits {
            let mut pairs: Vec<(u64, u32)> = (0..len).map(|item| (key(item), item)).collect();
            pairs.sort_unstable();
            return Self::Pairs(pairs);
        }
        let pack = |item: u32| ((key(item) - smallest) << item_bits) | u64::from(item);
        let mut sorted: Vec<u64> = (0..len).map(pack).collect();
        sort_above(&mut sorted, item_bits);
        Self::Packed {
            sorted,
            smallest,
            item_bits,
        }
    }

    /// Two orders, which are made side by side.
    pub(crate) fn both(
        first: impl FnOnce() -> Self + Send,
        second: impl FnOnce() -> Self,
    ) -> (Self, Self) {
        std::thread::scope(|scope| {
            let first = scope.spawn(first);
            let second = second();
            let first = first.join();
            (first.unwrap_or_else(|panic| resume_unwind(panic)), second)
        })
    }

    /// Keys with their items, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let len = match self {
            Self::Packed { sorted, .. } => sorted.len(),
            Self::Pairs(pairs) => pairs.len(),
        };
        (0..len).filter_map(|at| self.get(at))
    }

    #[inline]
    fn get(&self, at: usize) -> Option<(u64, u32)> {
        match self {
            Self::Packed {
                sorted,
                smallest,
                item_bits,
            } => {
                let packed = *sorted.get(at)?;
                let item = packed & ((1 << item_bits) - 1);
                let item = u32::try_from(item).unwrap_or(u32::MAX);
                Some((smallest + (packed >> item_bits), item))
            }
            Self::Pairs(pairs) => pairs.get(at).copied(),
        }
    }
}

/// A time as a key.
pub(crate) fn time_key(time: i64) -> u64 {
    time.abs_diff(i64::MIN)
}

/// Sorts numbers; many of them by their digits, in time linear in their number.
pub(crate) fn sort(numbers: &mut Vec<u64>) {
    sort_above(numbers, 0);
}

/// The same for numbers whose lowest bits are in order already, among numbers that differ in these alone.
fn sort_above(numbers: &mut Vec<u64>, sorted_bits: u32) {
    if numbers.len() < FEW {
        numbers.sort_unstable();
        return;
    }
    let all = numbers.iter().fold(0, |all, number| all | number);
    let mut other = vec![0; numbers.len()];
    let mut shift = sorted_bits;
    while shift < u64::BITS && all >> shift != 0 {
        let digit =
            |number: u64| usize::try_from((number >> shift) & ((1 << DIGIT) - 1)).unwrap_or(0);
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
        let ordered = Ordered::by(len, key);
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
    fn times_keep_their_order_as_keys() {
        let times = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(times.map(time_key).is_sorted());
    }
}
