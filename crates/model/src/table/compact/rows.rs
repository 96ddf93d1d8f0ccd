//! Rows of a column in order.

use std::ops::Range;

use super::{BLOCK_ROWS, Block, CompactColumn, Integer};

impl<'a, T: Integer> IntoIterator for &'a CompactColumn<T> {
    type Item = Option<T>;
    type IntoIter = ColumnIter<'a, T>;

    fn into_iter(self) -> ColumnIter<'a, T> {
        self.iter()
    }
}

/// The rows of a column, in order.
#[derive(Clone, Debug)]
pub struct ColumnIter<'a, T: Integer> {
    numbers: NumbersIter<'a, T>,
}

impl<T: Integer> ColumnIter<'_, T> {
    /// The number of a row, unless it is absent.
    #[inline]
    fn unless_absent(&self, row: usize, number: T) -> Option<T> {
        self.numbers.numbers.column.is_valid(row).then_some(number)
    }
}

impl<T: Integer> Iterator for ColumnIter<'_, T> {
    type Item = Option<T>;

    #[inline]
    fn next(&mut self) -> Option<Option<T>> {
        let row = self.numbers.numbers.rows.start;
        let number = self.numbers.next()?;
        Some(self.unless_absent(row, number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.size_hint()
    }
}

impl<T: Integer> DoubleEndedIterator for ColumnIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Option<T>> {
        let number = self.numbers.next_back()?;
        Some(self.unless_absent(self.numbers.numbers.rows.end, number))
    }
}

impl<T: Integer> ExactSizeIterator for ColumnIter<'_, T> {}

/// The numbers of some rows of a column, 0 for rows without one.
#[derive(Clone, Debug)]
pub struct Numbers<'a, T: Integer> {
    pub(super) column: &'a CompactColumn<T>,
    pub(super) rows: Range<usize>,
}

impl<'a, T: Integer> Numbers<'a, T> {
    /// Numbers.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// One of them; nothing if there is no such number.
    #[inline(always)]
    pub fn get(&self, at: usize) -> Option<T> {
        (at < self.rows.len()).then(|| self.column.value(self.rows.start + at))
    }

    /// Some of them; those that are not there are left out.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let at = |place: usize| self.rows.start + place.min(self.rows.len());
        let rows = at(range.start)..at(range.end).max(at(range.start));
        Self {
            column: self.column,
            rows,
        }
    }

    /// All of them in order, or their absence.
    pub fn valid_iter(&self) -> ColumnIter<'a, T> {
        let numbers = self.iter();
        ColumnIter { numbers }
    }

    /// All of them in order.
    pub fn iter(&self) -> NumbersIter<'a, T> {
        self.clone().into_iter()
    }

    /// Whether a number is among them. Linear.
    pub fn contains(&self, number: T) -> bool {
        self.iter().any(|other| other == number)
    }

    /// How many come before the first that is not as asked, if all such numbers come first.
    pub fn partition_point(&self, mut is: impl FnMut(T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(&mut is) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl<'a, T: Integer> IntoIterator for Numbers<'a, T> {
    type Item = T;
    type IntoIter = NumbersIter<'a, T>;

    fn into_iter(self) -> NumbersIter<'a, T> {
        let block = self.column.block_of(self.rows.start);
        NumbersIter {
            numbers: self,
            block,
        }
    }
}

impl<'a, T: Integer> IntoIterator for &Numbers<'a, T> {
    type Item = T;
    type IntoIter = NumbersIter<'a, T>;

    fn into_iter(self) -> NumbersIter<'a, T> {
        self.iter()
    }
}

/// The numbers of some rows of a column, in order.
#[derive(Clone, Debug)]
pub struct NumbersIter<'a, T: Integer> {
    numbers: Numbers<'a, T>,
    /// The block of the next row.
    block: Block,
}

impl<T: Integer> Iterator for NumbersIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let row = self.numbers.rows.next()?;
        let (column, at) = (self.numbers.column, row % BLOCK_ROWS);
        if at == 0 {
            self.block = column.block_of(row);
        }
        if column.absent > 0 && column.is_null(row) {
            return Some(T::default());
        }
        Some(T::narrow(self.block.number(at, &column.bytes)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.numbers.rows.size_hint()
    }
}

impl<T: Integer> DoubleEndedIterator for NumbersIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let row = self.numbers.rows.next_back()?;
        Some(self.numbers.column.value(row))
    }
}

impl<T: Integer> ExactSizeIterator for NumbersIter<'_, T> {}
