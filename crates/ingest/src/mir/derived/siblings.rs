//! What siblings have in common: tasks of one parent that one wait collects.

use crate::buckets::Buckets;
use crate::mir::column::{Floats, Integers};
use crate::mir::table::{NONE, Table};

/// Rows in order of sets of siblings.
pub(super) struct Siblings {
    rows: Vec<u32>,
    /// Where each set ends in `rows`.
    ends: Vec<usize>,
}

impl Siblings {
    pub(super) fn of(table: &Table) -> Self {
        // One bucket per parent, and one more for tasks without: those differ in the parent's
        // number where rows are missing.
        let without = u32::try_from(table.len()).unwrap_or(NONE);
        let families = Buckets::new(table.len(), table.len() + 1, |row| {
            let parent = table.parent_row(row as usize);
            Some(parent.map_or(without, |at| u32::try_from(at).unwrap_or(without)))
        });
        let key = |row: u32| {
            let row = row as usize;
            (table.parent.get(row), table.joins_at.get(row))
        };
        let mut siblings = Self {
            rows: Vec::with_capacity(table.len()),
            ends: Vec::new(),
        };
        for parent in 0..=table.len() {
            let begin = siblings.rows.len();
            siblings.rows.extend_from_slice(families.get(parent));
            let family = siblings.rows.get_mut(begin..).unwrap_or_default();
            family.sort_by_key(|&row| key(row));
            let mut end = begin;
            for set in family.chunk_by(|&a, &b| key(a) == key(b)) {
                end += set.len();
                siblings.ends.push(end);
            }
        }
        siblings
    }

    pub(super) fn sets(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .filter_map(|(start, &end)| self.rows.get(start..end))
    }

    /// A column with one value per set.
    pub(super) fn column(
        &self,
        table: &Table,
        mut value: impl FnMut(&[u32]) -> Option<f64>,
    ) -> Floats {
        let mut column = Floats::absent(table.len());
        for set in self.sets() {
            if let Some(value) = value(set) {
                for &row in set {
                    column.set(row as usize, value);
                }
            }
        }
        column
    }
}

/// Number of tasks with the same parent and wait, itself included.
pub fn num_siblings(table: &Table) -> Integers {
    let mut column = Integers::default();
    for set in Siblings::of(table).sets() {
        let count = i64::try_from(set.len()).unwrap_or(i64::MAX);
        for &row in set {
            column.set(row as usize, count);
        }
    }
    column
}

/// Largest over mean work of the siblings; absent where a sibling's work is.
pub fn sibling_work_balance(table: &Table, work: &Integers) -> Floats {
    Siblings::of(table).column(table, |set| super::balance(work, set))
}
