//! How often each id occurs, and what two such lists share.

use std::cmp::Ordering;

/// Ids with how often each occurs, or with another weight, in ascending order of the ids.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Features {
    counts: Vec<(u128, u64)>,
}

impl Features {
    /// Sums the weights of equal ids; ids without weight are left out.
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

    /// All features of several lists in one: of all rounds, say.
    pub fn merged<'a>(lists: impl IntoIterator<Item = &'a Self>) -> Self {
        Self::of(
            lists
                .into_iter()
                .flat_map(|list| list.counts.iter().copied()),
        )
    }

    /// Different ids, ascending, with their weights.
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
        self.pairs(other, |a, b| sum += u128::from(a.min(b)));
        sum
    }

    /// Sum over ids of the smaller weight by the sum of the greater (weighted Jaccard): 1 for equal lists,
    /// two empty ones included, 0 where no id is in both. It tells trees apart where the cosine does
    /// not.
    pub fn min_max(&self, other: &Self) -> f64 {
        let shared = self.shared(other);
        let all = self.total() + other.total() - shared;
        ratio(shared, all)
    }

    /// Twice the sum of smaller weights by the sum of all (Dice).
    pub fn dice(&self, other: &Self) -> f64 {
        ratio(2 * self.shared(other), self.total() + other.total())
    }

    /// Sum of products of weights: the kernel as the literature gives it.
    pub fn dot(&self, other: &Self) -> f64 {
        let (mut sum, mut rest) = (0_u128, 0.0);
        self.pairs(other, |a, b| {
            // The product of two 64-bit numbers fits; the sum of many may not.
            let product = u128::from(a) * u128::from(b);
            match sum.checked_add(product) {
                Some(both) => sum = both,
                None => rest += product as f64,
            }
        });
        sum as f64 + rest
    }

    /// The kernel, normalised: the cosine of the angle between the lists. For compatibility: it nears 1 for
    /// any two large trees, since squares let the few most frequent ids decide.
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

    /// As [`min_max`](Self::min_max), of shares of the total weight in place of weights: how much of the
    /// work is in common.
    pub fn min_max_of_shares(&self, other: &Self) -> f64 {
        if self == other {
            return 1.0;
        }
        let (a_total, b_total) = (self.total() as f64, other.total() as f64);
        let mut shared = 0.0;
        self.pairs(other, |a, b| {
            shared += (a as f64 / a_total).min(b as f64 / b_total);
        });
        shared / (2.0 - shared)
    }

    /// Weights of the ids that are in both.
    fn pairs(&self, other: &Self, mut both: impl FnMut(u64, u64)) {
        let (mut a, mut b) = (
            self.counts.iter().peekable(),
            other.counts.iter().peekable(),
        );
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

/// 1 for two lists of nothing.
pub(super) fn ratio(part: u128, all: u128) -> f64 {
    if all == 0 {
        1.0
    } else {
        part as f64 / all as f64
    }
}
