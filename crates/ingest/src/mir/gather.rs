//! Some rows of a table as a table.

use super::column::{Floats, Integers, Numbers};
use super::table::{NONE, Role, Table, Tag};

impl Table {
    /// The given rows in the given order, without the rows of their parents.
    pub(crate) fn gather(&self, rows: &[u32]) -> Self {
        let integers = |column: &Integers| -> Integers {
            let values = rows.iter().map(|&row| column.get(row as usize));
            if column.is_empty() {
                Integers::default()
            } else {
                values.collect()
            }
        };
        let mut wait_instants = Vec::new();
        let mut wait_ends = Vec::with_capacity(rows.len());
        for &row in rows {
            wait_instants.extend_from_slice(self.waits(row as usize));
            wait_ends.push(wait_instants.len());
        }
        let measured = self.measured.iter().map(|(name, numbers)| {
            let numbers = match numbers {
                Numbers::Integers(column) => Numbers::Integers(integers(column)),
                Numbers::Floats(column) => {
                    let values = rows.iter().map(|&row| column.get(row as usize));
                    Numbers::Floats(values.collect::<Floats>())
                }
            };
            (name.clone(), numbers)
        });
        Self {
            is_cut: self.is_cut,
            num_padding: 0,
            rows: rows.len(),
            task: integers(&self.task),
            parent: integers(&self.parent),
            parent_rows: Vec::new(),
            joins_at: integers(&self.joins_at),
            cpu_id: integers(&self.cpu_id),
            child_number: integers(&self.child_number),
            exec_cycles: integers(&self.exec_cycles),
            creation_cycles: integers(&self.creation_cycles),
            overhead_cycles: integers(&self.overhead_cycles),
            create_instant: integers(&self.create_instant),
            exec_end_instant: integers(&self.exec_end_instant),
            created: integers(&self.created),
            start: integers(&self.start),
            waiting: integers(&self.waiting),
            is_in_nanoseconds: self.is_in_nanoseconds,
            outline_function: integers(&self.outline_function),
            tag: values(&self.tag, rows, Tag::Absent),
            role: values(&self.role, rows, Role::Task),
            kind: values(&self.kind, rows, None),
            first_iteration: integers(&self.first_iteration),
            end_iteration: integers(&self.end_iteration),
            source_line: values(&self.source_line, rows, NONE),
            wait_instants,
            wait_ends,
            join_instant: integers(&self.join_instant),
            work_cycles: integers(&self.work_cycles),
            measured: measured.collect(),
            texts: self.texts.clone(),
        }
    }
}

fn values<T: Copy>(column: &[T], rows: &[u32], absent: T) -> Vec<T> {
    if column.is_empty() {
        return Vec::new();
    }
    let value = |&row: &u32| column.get(row as usize).copied().unwrap_or(absent);
    rows.iter().map(value).collect()
}
