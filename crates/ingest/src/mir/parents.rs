//! From task numbers to rows: parents, in whatever order rows come, and repairs.

use sheaf_model::Report;

use super::table::{NONE, Table};
use rustc_hash::FxHashMap;

/// Fills in the rows of parents and returns the rows whose place in the program is not known:
/// their parent is missing, or they were their own ancestor. Both become tasks without parent.
pub(crate) fn resolve(table: &mut Table, report: &mut Report) -> Vec<u32> {
    let rows = rows_by_task(table);
    let mut displaced = Vec::new();
    table.parent_rows = Vec::with_capacity(table.len());
    for row in 0..table.len() {
        let parent = table.parent.get(row).filter(|&parent| parent != 0);
        let found = parent.map(|parent| rows.get(&parent).copied());
        if found == Some(None) {
            displaced.push(u32::try_from(row).unwrap_or(NONE));
            report.add("repaired_missing_parents", 1, || {
                Some(format!("{}, parent {}", place(table, row), parent?))
            });
        }
        table.parent_rows.push(found.flatten().unwrap_or(NONE));
    }
    break_cycles(table, report, &mut displaced);
    displaced
}

fn rows_by_task(table: &Table) -> FxHashMap<i64, u32> {
    let mut rows = FxHashMap::default();
    rows.reserve(table.len());
    for (row, task) in (0..).zip(table.task.iter()) {
        if let Some(task) = task {
            rows.entry(task).or_insert(row);
        }
    }
    rows
}

/// `task 12`.
pub(crate) fn place(table: &Table, row: usize) -> String {
    match table.task.get(row) {
        Some(task) => format!("task {task}"),
        None => format!("row {}", row + 1),
    }
}

/// Takes the parent from one row of every cycle: the row with the smallest task number.
fn break_cycles(table: &mut Table, report: &mut Report, displaced: &mut Vec<u32>) {
    const UNSEEN: u32 = 0;
    // The number of the way on which a row was met first.
    let mut state = vec![UNSEEN; table.len()];
    for start in 0..table.len() {
        let way = u32::try_from(start).unwrap_or(NONE - 1) + 1;
        let mut at = Some(start);
        while let Some(row) = at {
            match state.get_mut(row) {
                Some(seen) if *seen == UNSEEN => *seen = way,
                Some(seen) if *seen == way => {
                    let least = least_on_cycle(table, row);
                    if let Some(parent) = table.parent_rows.get_mut(least) {
                        *parent = NONE;
                    }
                    displaced.push(u32::try_from(least).unwrap_or(NONE));
                    report.add("repaired_cycles_of_parents", 1, || {
                        Some(place(table, least))
                    });
                    break;
                }
                _ => break,
            }
            at = table.parent_row(row);
        }
    }
}

fn least_on_cycle(table: &Table, start: usize) -> usize {
    let mut least = start;
    let mut at = start;
    while let Some(parent) = table.parent_row(at) {
        if table.task.get(parent) < table.task.get(least) {
            least = parent;
        }
        at = parent;
        if at == start {
            break;
        }
    }
    least
}
