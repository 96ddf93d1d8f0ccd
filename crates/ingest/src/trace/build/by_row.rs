//! Items in the order of the rows that they belong to, in little more memory than the items take.

use super::fragment_list::FragmentList;
use super::records::{Fragment, Slot};
use crate::buckets::Buckets;
use crate::run_tables::GrainRows;

/// Items that are sorted at once: so many that the allocator gives their memory back to the system, and few enough
/// to be held twice. A range of rows ends after the block of rows that reaches it.
const ITEMS_AT_ONCE: usize = 1 << 20;
/// Few, since a task that creates many others has many fragments: those of a block are sorted at once.
const ROWS_OF_BLOCK: u32 = 1 << 4;

/// Items by range of rows; within a range the last comes first.
pub(super) struct ByRow<T, R> {
    parts: Vec<Part<Vec<T>>>,
    row: R,
}

/// A range of rows, and a list of its items.
struct Part<L> {
    first_row: u32,
    num_rows: u32,
    items: L,
}

impl<T: Copy, R: Fn(&T) -> Option<u32>> ByRow<T, R> {
    /// Distributes a list by the row of each item, which is asked for three times; items without a row are left
    /// out. The list gives its memory back while the ranges grow.
    pub(super) fn new(mut items: Vec<T>, num_rows: usize, row: R) -> Self {
        let mut sizes = vec![0; num_rows / ROWS_OF_BLOCK as usize + 1];
        for row in items.iter().filter_map(&row) {
            sizes[(row / ROWS_OF_BLOCK) as usize] += 1;
        }
        let (mut parts, part_of_block) = make_parts(&sizes, Vec::with_capacity);
        drop(sizes);
        let portion = items.len() / 32 + 1;
        while let Some(item) = items.pop() {
            if let Some(row) = row(&item) {
                let part = part_of_block[(row / ROWS_OF_BLOCK) as usize];
                parts[part as usize].items.push(item);
            }
            if items.len().is_multiple_of(portion) {
                items.shrink_to_fit();
            }
        }
        Self { parts, row }
    }

    /// All items by row, those of one row as they were in the list.
    pub(super) fn items(self) -> impl Iterator<Item = T> {
        let Self { parts, row } = self;
        parts.into_iter().flat_map(move |mut part| {
            part.items.reverse();
            part.items_by(&row)
        })
    }
}

impl<T: Copy> Part<Vec<T>> {
    fn items_by(self, row: &dyn Fn(&T) -> Option<u32>) -> impl Iterator<Item = T> + use<T> {
        let Self {
            first_row,
            num_rows,
            items,
        } = self;
        let row = |at: u32| Some(row(&items[at as usize])? - first_row);
        let order = Buckets::new(items.len(), num_rows as usize, row);
        order.into_items().map(move |at| items[at as usize])
    }
}

/// All fragments by the row of their grain, those of one row as they were in the list, in little more memory than the
/// list takes.
pub(super) fn fragments_by_row(
    fragments: FragmentList,
    order: &GrainRows,
) -> impl Iterator<Item = Fragment> {
    let row = |grain: Slot| u32::try_from(order.row(grain)?).ok();
    let mut sizes = vec![0; order.grains.len() / ROWS_OF_BLOCK as usize + 1];
    for row in fragments.grains().filter_map(row) {
        sizes[(row / ROWS_OF_BLOCK) as usize] += 1;
    }
    let (mut parts, part_of_block) = make_parts(&sizes, |_| FragmentList::default());
    for fragment in fragments {
        if let Some(row) = row(fragment.grain) {
            let part = part_of_block[(row / ROWS_OF_BLOCK) as usize];
            parts[part as usize].items.push(&fragment);
        }
    }
    parts.into_iter().flat_map(move |part| {
        let mut items: Vec<Fragment> = Vec::with_capacity(part.items.len());
        items.extend(part.items);
        let part = Part {
            first_row: part.first_row,
            num_rows: part.num_rows,
            items,
        };
        part.items_by(&|fragment| row(fragment.grain))
    })
}

/// Empty ranges of rows for blocks of these sizes, and the range of each block.
fn make_parts<L>(sizes: &[usize], list: impl Fn(usize) -> L) -> (Vec<Part<L>>, Vec<u32>) {
    let mut parts: Vec<Part<L>> = Vec::new();
    let mut part_of_block = Vec::with_capacity(sizes.len());
    let (mut first, mut size) = (0, 0);
    for (block, &items) in (1..).zip(sizes) {
        part_of_block.push(u32::try_from(parts.len()).unwrap_or(u32::MAX));
        size += items;
        if size >= ITEMS_AT_ONCE || block as usize == sizes.len() {
            parts.push(Part {
                first_row: first * ROWS_OF_BLOCK,
                num_rows: (block - first) * ROWS_OF_BLOCK,
                items: list(size),
            });
            (first, size) = (block, 0);
        }
    }
    (parts, part_of_block)
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
            let found = ByRow::new(items, 700_001, |item| item.0).items();
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn ranges_end_where_they_are_full() {
        let (parts, part_of_block) = make_parts(
            &[1, ITEMS_AT_ONCE, 0, 2 * ITEMS_AT_ONCE, 5, 5],
            Vec::<u8>::with_capacity,
        );
        let ranges: Vec<_> = parts.iter().map(|it| (it.first_row, it.num_rows)).collect();
        let two_blocks = 2 * ROWS_OF_BLOCK;
        let expected = [0, two_blocks, 2 * two_blocks].map(|first| (first, two_blocks));
        assert_eq!(ranges, expected);
        assert_eq!(part_of_block, [0, 0, 1, 1, 2, 2]);
        assert_eq!(parts[0].items.capacity(), ITEMS_AT_ONCE + 1);
    }
}
