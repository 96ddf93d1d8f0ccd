//! Order statistics over all pairs of two sorted samples.

/// Maximum number of pairs that are computed as a list.
const FEW: usize = 4_096;

/// A number for every pair of values of `a` and `b`, both ascending. It must not increase with `a` nor decrease
/// with `b`, as a difference b − a, or a ratio b / a of positive values.
pub(crate) struct Pairs<'a, F> {
    a: &'a [f64],
    b: &'a [f64],
    combine: F,
    /// All numbers, if they are few.
    all: Option<Vec<f64>>,
}

impl<'a, F: Fn(f64, f64) -> f64> Pairs<'a, F> {
    pub(crate) fn new(a: &'a [f64], b: &'a [f64], combine: F) -> Self {
        let mut pairs = Self {
            a,
            b,
            combine,
            all: None,
        };
        if pairs.len() <= FEW {
            let all = a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b)));
            pairs.all = Some(all.map(|(a, b)| (pairs.combine)(a, b)).collect());
        }
        pairs
    }

    pub(crate) fn len(&self) -> usize {
        self.a.len() * self.b.len()
    }

    /// The number with this rank, from 0, in ascending order; absent if there are fewer pairs.
    ///
    /// Bisects the range of floating-point numbers until there are as many pairs left as values: at most 64
    /// steps, one per bit, of O(m + n) (a variant of Johnson and Mizoguchi 1978).
    pub(crate) fn nth(&mut self, rank: usize) -> Option<f64> {
        if rank >= self.len() {
            return None;
        }
        if let Some(all) = &mut self.all {
            return Some(*all.select_nth_unstable_by(rank, f64::total_cmp).1);
        }
        let (a, b) = (self.a, self.b);
        let (least, greatest) = (*a.first()?, *a.last()?);
        // All pairs are above `low`, and more than `rank` are not above `high`.
        let mut low = key((self.combine)(greatest, *b.first()?)).saturating_sub(1);
        let mut high = key((self.combine)(least, *b.last()?));
        let (mut not_above_low, mut not_above_high) = (0, self.len());
        while not_above_high - not_above_low > a.len() + b.len() && high - 1 > low {
            let middle = low.midpoint(high);
            let count = self.not_above(middle).sum();
            if count > rank {
                (high, not_above_high) = (middle, count);
            } else {
                (low, not_above_low) = (middle, count);
            }
        }
        if high - 1 <= low {
            return Some(value(high));
        }
        let ranges = self.not_above(low).zip(self.not_above(high));
        let mut left: Vec<f64> = Vec::with_capacity(not_above_high - not_above_low);
        for (&a, (first, end)) in a.iter().zip(ranges) {
            left.extend(b[first..end].iter().map(|&b| (self.combine)(a, b)));
        }
        let at = rank - not_above_low;
        Some(*left.select_nth_unstable_by(at, f64::total_cmp).1)
    }

    /// For each value of `a`, ascending, how many pairs with it are not above a bound.
    fn not_above(&self, bound: i64) -> impl Iterator<Item = usize> {
        let mut end = 0;
        self.a.iter().map(move |&a| {
            while end < self.b.len() && key((self.combine)(a, self.b[end])) <= bound {
                end += 1;
            }
            end
        })
    }
}

/// An integer with the order of [`f64::total_cmp`].
fn key(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// The float of a key.
fn value(key: i64) -> f64 {
    let bits = key ^ ((key >> 63).cast_unsigned() >> 1).cast_signed();
    f64::from_bits(bits.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// As many as are wanted, ascending; of few different values with ties.
    fn values(random: &mut Random, number: usize, different: f64) -> Vec<f64> {
        let mut values: Vec<f64> = (0..number)
            .map(|_| 1.0 + (random.unit() * different).floor() / different)
            .collect();
        values.sort_by(f64::total_cmp);
        values
    }

    #[test]
    fn ranks_are_those_of_all_pairs() {
        let mut random = Random::new(7);
        for (m, n, different) in [
            (80, 90, 1e9),
            (300, 20, 7.0),
            (65, 64, 1.0),
            (1, 5_000, 50.0),
        ] {
            let (a, b) = (
                values(&mut random, m, different),
                values(&mut random, n, different),
            );
            for combine in [|a: f64, b: f64| b - a, |a: f64, b: f64| b / a] {
                let mut pairs = Pairs::new(&a, &b, combine);
                assert!(pairs.all.is_none(), "more than a few");
                let mut all: Vec<f64> = a
                    .iter()
                    .flat_map(|&a| b.iter().map(move |&b| combine(a, b)))
                    .collect();
                all.sort_by(f64::total_cmp);
                let last = all.len() - 1;
                for rank in [0, 1, last / 7, last / 2, last - last / 2, last - 1, last] {
                    let found = pairs.nth(rank).unwrap();
                    assert_eq!(found.to_bits(), all[rank].to_bits(), "{m} {n} {rank}");
                }
                assert_eq!(pairs.nth(last + 1), None);
            }
        }
    }

    #[test]
    fn keys_are_in_order() {
        let numbers = [
            f64::NEG_INFINITY,
            -2.5,
            -0.0,
            0.0,
            f64::MIN_POSITIVE,
            1.0,
            f64::INFINITY,
        ];
        assert!(numbers.map(key).is_sorted());
        for number in numbers {
            assert_eq!(value(key(number)).to_bits(), number.to_bits());
        }
    }
}
