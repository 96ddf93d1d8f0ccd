//! Lists of ids with weights, and how much two of them have in common.

use std::cmp::Ordering;

/// Ids with the number of their occurrences, or another weight, in ascending order of the ids.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Features {
    counts: Vec<(u128, u64)>,
}

impl Features {
    /// Sums the weights of equal ids; ids with weight 0 are dropped.
    pub fn of(weights: impl IntoIterator<Item = (u128, u64)>) -> Self {
        let mut counts: Vec<(u128, u64)> = weights.into_iter().collect();
        counts.sort_unstable_by_key(|(id, _)| *id);
        counts.dedup_by(|next, kept| {
            let is_equal = next.0 == kept.0;
            if is_equal {
                kept.1 = kept.1.saturating_add(next.1);
            }
            is_equal
        });
        counts.retain(|(_, count)| *count > 0);
        counts.shrink_to_fit();
        Self { counts }
    }

    /// The sum of several lists, such as all rounds.
    pub fn merged<'a>(lists: impl IntoIterator<Item = &'a Self>) -> Self {
        Self::of(
            lists
                .into_iter()
                .flat_map(|list| list.counts.iter().copied()),
        )
    }

    /// Distinct ids, ascending, with their weights.
    pub fn counts(&self) -> &[(u128, u64)] {
        &self.counts
    }

    /// Sum of all weights.
    pub fn total(&self) -> u128 {
        self.counts
            .iter()
            .map(|(_, count)| u128::from(*count))
            .sum()
    }

    /// Sum over ids of the smaller weight. Linear, as all measures below.
    pub fn shared(&self, other: &Self) -> u128 {
        let mut sum = 0;
        self.for_each_pair(other, |a, b| sum += u128::from(a.min(b)));
        sum
    }

    /// Sum over ids of the smaller weight divided by the sum of the larger one (weighted Jaccard). 1 for equal
    /// lists, also two empty ones; 0 if no id is in both. Unlike the cosine, it separates large trees.
    pub fn min_max(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        ratio(shared, self.total() + other.total() - shared)
    }

    /// Sum of products of weights: the kernel as the literature defines it.
    pub fn dot(&self, other: &Self) -> f64 {
        let (mut sum, mut rest) = (0_u128, 0.0);
        self.for_each_pair(other, |a, b| {
            // The product of two 64-bit numbers fits; the sum of many may not.
            let product = u128::from(a) * u128::from(b);
            match sum.checked_add(product) {
                Some(both) => sum = both,
                None => rest += product as f64,
            }
        });
        sum as f64 + rest
    }

    /// The normalised kernel: the cosine of the angle between the lists. For comparison with the literature: it
    /// approaches 1 for any two large trees, because squares give most weight to the few most frequent ids.
    pub fn cosine(&self, other: &Self) -> f64 {
        if self == other {
            return 1.0;
        }
        let norms = self.dot(self) * other.dot(other);
        if norms > 0.0 {
            self.dot(other) / norms.sqrt()
        } else {
            0.0
        }
    }

    /// Calls `both` with the two weights of each id that is in both lists.
    fn for_each_pair(&self, other: &Self, mut both: impl FnMut(u64, u64)) {
        let mut a = self.counts.iter().peekable();
        let mut b = other.counts.iter().peekable();
        while let (Some((a_id, a_count)), Some((b_id, b_count))) = (a.peek(), b.peek()) {
            match a_id.cmp(b_id) {
                Ordering::Less => drop(a.next()),
                Ordering::Greater => drop(b.next()),
                Ordering::Equal => {
                    both(*a_count, *b_count);
                    a.next();
                    b.next();
                }
            }
        }
    }
}

/// `part` / `all`; 1 if both are 0.
pub(super) fn ratio(part: u128, all: u128) -> f64 {
    if all == 0 {
        1.0
    } else {
        part as f64 / all as f64
    }
}
