//! Loops that chunks belong to.

use super::column::Integers;
use super::table::{Role, Table};

/// The tag of the task that creates the teams of loops.
const IDLE_TASK: &str = "idle_task";

fn is_idle_task(table: &Table, row: usize) -> bool {
    table.text(table.tag(row)) == Some(IDLE_TASK)
}

/// Row of the task that a chunk's loop belongs to, whatever team runs it: the chunk's parent if
/// that is an idle task, else the parent's parent.
pub(crate) fn loop_owner(table: &Table, row: usize) -> Option<usize> {
    let parent = table.parent_row(row)?;
    if is_idle_task(table, parent) {
        Some(parent)
    } else {
        table.parent_row(parent)
    }
}

/// Number of the loop of each row. A chunk or its book-keeping has its own `joins_at` if its
/// parent is an idle task, else its parent's. Other rows have their own.
pub(crate) fn loop_numbers(table: &Table) -> Integers {
    let of_row = |row| match (table.role(row), table.parent_row(row)) {
        (Role::Chunk | Role::Bookkeeping, Some(parent)) if !is_idle_task(table, parent) => {
            table.joins_at.get(parent)
        }
        _ => table.joins_at.get(row),
    };
    (0..table.len()).map(of_row).collect()
}
