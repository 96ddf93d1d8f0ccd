//! Numbers of intervals, each once, in ascending order.

/// Words of the bits that one sum stands for.
const BLOCK: usize = 8;

/// Ascending numbers with their places.
#[derive(Debug)]
pub(super) enum Marks {
    /// A bit per number, if that takes less memory than a list.
    Bits {
        words: Vec<u64>,
        /// Marks before each block of words.
        before: Vec<u32>,
    },
    /// The numbers.
    List(Vec<u64>),
}

impl Marks {
    /// Marks the numbers that `each` calls its argument with, up to `last`; there are about `count` of them. Linear if
    /// they are dense enough for bits, else n log n.
    ///
    /// # Errors
    /// Those of `each`.
    pub(super) fn of<E>(
        last: u64,
        count: usize,
        each: impl FnOnce(&mut dyn FnMut(u64)) -> Result<(), E>,
    ) -> Result<Self, E> {
        let words = usize::try_from(last / 64).unwrap_or(usize::MAX);
        if words <= count {
            let mut words = vec![0_u64; words + 1];
            each(&mut |number| {
                if let Some(word) = words.get_mut(word_of(number)) {
                    *word |= 1 << (number % 64);
                }
            })?;
            Ok(Self::of_bits(words))
        } else {
            let mut numbers = Vec::with_capacity(2 * count);
            each(&mut |number| numbers.push(number))?;
            numbers.sort_unstable();
            numbers.dedup();
            Ok(Self::List(numbers))
        }
    }

    fn of_bits(words: Vec<u64>) -> Self {
        let mut sum = 0;
        let sums = words.chunks(BLOCK).map(|block| {
            let ones = block.iter().map(|word| word.count_ones()).sum::<u32>();
            sum += ones;
            sum - ones
        });
        let before = sums.collect();
        Self::Bits { words, before }
    }

    /// Number of marks.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bits { words, .. } => words.iter().map(|word| word.count_ones() as usize).sum(),
            Self::List(numbers) => numbers.len(),
        }
    }

    /// Number of the marks before a number, which is the place of a number that is marked.
    #[inline]
    pub(super) fn place(&self, number: u64) -> u32 {
        match self {
            Self::Bits { words, before } => {
                let at = word_of(number);
                let first = at - at % BLOCK;
                let sum = before.get(at / BLOCK).copied().unwrap_or(0);
                let words_before = words.get(first..at).unwrap_or_default();
                let ones: u32 = words_before.iter().map(|word| word.count_ones()).sum();
                let below = (1_u64 << (number % 64)) - 1;
                let own = words.get(at).map_or(0, |word| (word & below).count_ones());
                sum + ones + own
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
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Bits and lists against a set.
        #[test]
        fn marks_are_a_set(numbers in prop::collection::vec(0..3000_u64, 0..80)) {
            let expected: BTreeSet<u64> = numbers.iter().copied().collect();
            for count in [0, 1000] {
                let add = |mark: &mut dyn FnMut(u64)| -> Result<(), Infallible> {
                    for &number in &numbers {
                        mark(number);
                    }
                    Ok(())
                };
                let marks = Marks::of(3000, count, add).unwrap();
                prop_assert_eq!(matches!(marks, Marks::List(_)), count == 0);
                prop_assert_eq!(marks.len(), expected.len());
                for number in 0..=3000 {
                    let place = marks.place(number) as usize;
                    prop_assert_eq!(place, expected.range(..number).count());
                }
                for &number in &expected {
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
