//! Numbers of intervals, each once, in ascending order.

/// All numbers are marked if there are at most so many per mark. Their counts then take no more memory than bits and counts
/// of fewer marks would take in the worst case.
const DENSE: u64 = 4;

/// Ascending numbers with their places.
#[derive(Debug)]
pub(super) enum Marks {
    /// All numbers up to this one: more than would be marked, but a place takes no time.
    All(u64),
    /// A bit per number, if that takes less memory than a list.
    Bits {
        words: Vec<u64>,
        /// Marks before each word.
        before: Vec<u32>,
    },
    /// The numbers.
    List(Vec<u64>),
}

impl Marks {
    /// No marks, of `count` that are to come, about, and are numbers up to `last`. All these are marked if they are few.
    pub(super) fn up_to(last: u64, count: usize) -> Self {
        if last / DENSE <= count as u64 {
            return Self::All(last);
        }
        let words = usize::try_from(last / 64).unwrap_or(usize::MAX);
        if words <= count {
            Self::Bits {
                words: vec![0; words + 1],
                before: Vec::new(),
            }
        } else {
            Self::List(Vec::with_capacity(2 * count))
        }
    }

    /// Whether all numbers are marked.
    pub(super) fn are_all(&self) -> bool {
        matches!(self, Self::All(_))
    }

    /// Marks a number.
    #[inline]
    pub(super) fn mark(&mut self, number: u64) {
        match self {
            Self::All(_) => (),
            Self::Bits { words, .. } => {
                if let Some(word) = words.get_mut(word_of(number)) {
                    *word |= 1 << (number % 64);
                }
            }
            Self::List(numbers) => numbers.push(number),
        }
    }

    /// The marks, once all are there. Linear if they are dense enough for bits, else n log n.
    pub(super) fn finish(mut self) -> Self {
        match &mut self {
            Self::All(_) => (),
            Self::Bits { words, before } => {
                let mut sum = 0;
                before.extend(words.iter().map(|word| {
                    sum += word.count_ones();
                    sum - word.count_ones()
                }));
            }
            Self::List(numbers) => {
                numbers.sort_unstable();
                numbers.dedup();
            }
        }
        self
    }

    /// Number of marks.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::All(last) => usize::try_from(*last).map_or(usize::MAX, |last| last + 1),
            Self::Bits { words, .. } => words.iter().map(|word| word.count_ones() as usize).sum(),
            Self::List(numbers) => numbers.len(),
        }
    }

    /// Number of the marks before a number, which is the place of a number that is marked.
    #[inline]
    pub(super) fn place(&self, number: u64) -> u32 {
        match self {
            Self::All(_) => u32::try_from(number).unwrap_or(u32::MAX),
            Self::Bits { words, before } => {
                let at = word_of(number);
                let below = (1_u64 << (number % 64)) - 1;
                let own = words.get(at).map_or(0, |word| (word & below).count_ones());
                before.get(at).copied().unwrap_or(0) + own
            }
            Self::List(numbers) => {
                let place = numbers.partition_point(|&mark| mark < number);
                u32::try_from(place).unwrap_or(u32::MAX)
            }
        }
    }

    /// The first mark after a number.
    #[inline]
    fn next(&self, number: u64) -> Option<u64> {
        match self {
            Self::All(last) => Some(number + 1).filter(|next| next <= last),
            Self::Bits { words, .. } => {
                let number = number + 1;
                let mut at = word_of(number);
                let mut word = words.get(at)? & (u64::MAX << (number % 64));
                while word == 0 {
                    at += 1;
                    word = *words.get(at)?;
                }
                Some(at as u64 * 64 + u64::from(word.trailing_zeros()))
            }
            Self::List(numbers) => {
                let place = numbers.partition_point(|&mark| mark <= number);
                numbers.get(place).copied()
            }
        }
    }

    /// Differences of each two neighbours from a mark on.
    pub(super) fn lengths(&self, from: u64) -> impl Iterator<Item = u64> + '_ {
        let mut last = from;
        std::iter::from_fn(move || {
            let next = self.next(last)?;
            Some(next - std::mem::replace(&mut last, next))
        })
    }
}

fn word_of(number: u64) -> usize {
    usize::try_from(number / 64).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Bits, lists and all numbers against a set.
        #[test]
        fn marks_are_a_set(numbers in prop::collection::vec(0..600_u64, 0..80)) {
            let marked: BTreeSet<u64> = numbers.iter().copied().collect();
            for count in [0, 100, 150] {
                let mut marks = Marks::up_to(600, count);
                for &number in &numbers {
                    marks.mark(number);
                }
                let marks = marks.finish();
                prop_assert_eq!(matches!(marks, Marks::List(_)), count == 0);
                prop_assert_eq!(marks.are_all(), count == 150);
                let all = (0..=600).collect();
                let expected = if marks.are_all() { &all } else { &marked };
                prop_assert_eq!(marks.len(), expected.len());
                for number in 0..=600 {
                    let place = marks.place(number) as usize;
                    prop_assert_eq!(place, expected.range(..number).count());
                }
                for &number in expected {
                    let behind: Vec<u64> = expected.range(number..).copied().collect();
                    let lengths = behind.windows(2).map(|two| two[1] - two[0]);
                    prop_assert_eq!(
                        marks.lengths(number).collect::<Vec<_>>(),
                        lengths.collect::<Vec<_>>()
                    );
                }
            }
        }
    }
}
