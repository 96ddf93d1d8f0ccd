//! Derived columns of loop chunks.

use super::balance;
use crate::mir::column::{Floats, Integers};
use crate::mir::table::{NONE, Role, Table};

/// The tag of the task that creates the teams of loops.
const IDLE_TASK: &str = "idle_task";

fn is_idle_task(table: &Table, row: usize) -> bool {
    table.text(table.tag(row)) == Some(IDLE_TASK)
}

/// The task that a chunk's loop belongs to whatever team runs it: its parent if that is an idle
/// task, else the parent's parent.
pub(crate) fn loop_owner(table: &Table, row: usize) -> Option<usize> {
    let parent = table.parent_row(row)?;
    if is_idle_task(table, parent) {
        Some(parent)
    } else {
        table.parent_row(parent)
    }
}

/// Number of the loop that a chunk or its book-keeping is of: its own `joins_at` where its parent
/// is an idle task, else its parent's. Other rows have their own.
pub fn idle_join(table: &Table) -> Integers {
    let of_row = |row| match (table.role(row), table.parent_row(row)) {
        (Role::Chunk | Role::Bookkeeping, Some(parent)) if !is_idle_task(table, parent) => {
            table.joins_at.get(parent)
        }
        _ => table.joins_at.get(row),
    };
    (0..table.len()).map(of_row).collect()
}

/// A chunk's place in the program: loop and first iteration.
pub fn chunk_lineage(table: &Table, idle_join: &Integers, row: usize) -> Option<String> {
    let first = table.first_iteration.get(row)?;
    Some(format!("{}-{first}", idle_join.get(row)?))
}

/// The rows of chunks, by loop, then by processor.
fn chunks(table: &Table, idle_join: &Integers) -> Vec<u32> {
    let is_chunk = |row: &u32| table.role(*row as usize) == Role::Chunk;
    let len = u32::try_from(table.len()).unwrap_or(NONE);
    let mut rows: Vec<u32> = (0..len).filter(is_chunk).collect();
    rows.sort_by_key(|&row| {
        let row = row as usize;
        (idle_join.get(row), table.cpu_id.get(row))
    });
    rows
}

/// A column with one value per loop.
fn per_loop(
    table: &Table,
    idle_join: &Integers,
    mut value: impl FnMut(&[u32]) -> Option<f64>,
) -> Floats {
    let mut column = Floats::absent(table.len());
    let key = |row: u32| idle_join.get(row as usize);
    for set in chunks(table, idle_join).chunk_by(|&a, &b| key(a) == key(b)) {
        if let Some(value) = value(set) {
            for &row in set {
                column.set(row as usize, value);
            }
        }
    }
    column
}

/// Largest over mean work of the chunks of a loop; absent where a chunk's work is.
pub fn chunk_work_balance(table: &Table, work: &Integers, idle_join: &Integers) -> Floats {
    per_loop(table, idle_join, |set| balance(work, set))
}

/// Work of those chunks of a loop that ran on the chunk's processor.
pub fn chunk_work_cpu(table: &Table, work: &Integers, idle_join: &Integers) -> Integers {
    let mut column: Integers = (0..table.len()).map(|_| None).collect();
    let key = |row: u32| (idle_join.get(row as usize), table.cpu_id.get(row as usize));
    for set in chunks(table, idle_join).chunk_by(|&a, &b| key(a) == key(b)) {
        let mut works = set.iter().map(|&row| work.get(row as usize));
        let sum = works.try_fold(0_i64, |sum, work| Some(sum.saturating_add(work?)));
        if let Some(sum) = sum {
            for &row in set {
                column.set(row as usize, sum);
            }
        }
    }
    column
}

/// Largest over mean of the different sums per processor of a loop; processors without a chunk
/// are not counted.
pub fn chunk_work_cpu_balance(
    table: &Table,
    chunk_work_cpu: &Integers,
    idle_join: &Integers,
) -> Floats {
    let mut rows: Vec<u32> = Vec::new();
    per_loop(table, idle_join, |set| {
        let sum = |&row: &u32| chunk_work_cpu.get(row as usize);
        rows.clear();
        rows.extend_from_slice(set);
        rows.sort_unstable_by_key(sum);
        rows.dedup_by_key(|row| sum(row));
        balance(chunk_work_cpu, &rows)
    })
}
