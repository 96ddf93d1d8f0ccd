//! Rows of grains in tables that are sorted by grain.

use std::ops::Range;

/// Rows of each grain in a table that is sorted by grain.
pub(super) struct Ranges {
    starts: Vec<usize>,
}

impl Ranges {
    pub(super) fn new(grains: impl ExactSizeIterator<Item = i32>, num_grains: usize) -> Self {
        let mut starts = Vec::with_capacity(num_grains + 1);
        let rows = grains.len();
        for (row, grain) in grains.enumerate() {
            let grain = usize::try_from(grain).unwrap_or(0).min(num_grains);
            while starts.len() <= grain {
                starts.push(row);
            }
        }
        starts.resize(num_grains + 1, rows);
        Self { starts }
    }

    pub(super) fn of(&self, grain: i32) -> Range<usize> {
        let at = usize::try_from(grain).unwrap_or(usize::MAX);
        let start = self.starts.get(at).copied().unwrap_or(0);
        let end = self.starts.get(at.saturating_add(1)).copied();
        start..end.unwrap_or(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_grains_are_found() {
        let ranges = Ranges::new([0, 0, 2].into_iter(), 4);
        let found: Vec<_> = (-1..5).map(|grain| ranges.of(grain)).collect();
        assert_eq!(found, [0..0, 0..2, 2..2, 2..3, 3..3, 3..3]);
    }
}
