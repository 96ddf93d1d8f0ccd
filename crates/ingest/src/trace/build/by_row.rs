//! Items in the order of the rows that they belong to, in little more memory than the items take.

use crate::buckets::Buckets;

/// Rows that are sorted at once: so many that the allocator gives the memory of their items back to the system.
const ROWS_AT_ONCE: u32 = 1 << 19;

/// Items by range of rows; within a range the last comes first.
pub(super) struct ByRow<T, R> {
    parts: Vec<Vec<T>>,
    row: R,
}

impl<T, R: Fn(&T) -> Option<u32>> ByRow<T, R> {
    /// Distributes a list by the row of each item, which is asked for three times; items without a row are left
    /// out. The list gives its memory back while the ranges grow.
    pub(super) fn new(mut items: Vec<T>, num_rows: usize, row: R) -> Self {
        let mut sizes = vec![0; num_rows / ROWS_AT_ONCE as usize + 1];
        for row in items.iter().filter_map(&row) {
            sizes[(row / ROWS_AT_ONCE) as usize] += 1;
        }
        let mut parts: Vec<Vec<_>> = sizes.into_iter().map(Vec::with_capacity).collect();
        let portion = items.len() / 32 + 1;
        while let Some(item) = items.pop() {
            if let Some(row) = row(&item) {
                parts[(row / ROWS_AT_ONCE) as usize].push(item);
            }
            if items.len().is_multiple_of(portion) {
                items.shrink_to_fit();
            }
        }
        Self { parts, row }
    }

    /// Gives all items by row, those of one row as they were in the list.
    pub(super) fn take(self, mut take: impl FnMut(&T)) {
        for mut part in self.parts {
            part.reverse();
            let row = |at: u32| Some((self.row)(&part[at as usize])? % ROWS_AT_ONCE);
            let order = Buckets::new(part.len(), ROWS_AT_ONCE as usize, row);
            for &at in order.items() {
                take(&part[at as usize]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_by_row_then_as_they_were() {
        let rows = [
            Some(700_000),
            None,
            Some(1),
            Some(0),
            Some(700_000),
            Some(1),
        ];
        for count in 0..=rows.len() {
            let items: Vec<(Option<u32>, u32)> = rows.into_iter().zip(0..).take(count).collect();
            let mut expected = items.clone();
            expected.retain(|(row, _)| row.is_some());
            expected.sort_unstable();
            let mut found = Vec::new();
            ByRow::new(items, 700_001, |item| item.0).take(|item| found.push(*item));
            assert_eq!(found, expected);
        }
    }
}
