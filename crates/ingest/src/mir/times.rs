//! Work, and instants in the parent's own execution time.

use sheaf_model::Report;

use super::column::Integers;
use super::parents::place;
use super::table::Table;

/// Fills in when the wait that collects each task ended, and removes the creation times of tasks
/// that no task created. Both are instants in the parent's own execution time.
pub(crate) fn fill_in_instants(table: &mut Table, report: &mut Report) {
    // The zero of what no task created is not a time.
    let created = (0..table.len()).map(|row| {
        let created = table.create_instant.get(row);
        let is_created = table.parent.get(row).is_some_and(|parent| parent != 0)
            || table.parent_row(row).is_some();
        created.filter(|_| is_created)
    });
    table.create_instant = created.collect();
    join_instants(table, report);
}

/// Fills in work where it is absent: execution without overhead. It stays absent if overhead
/// exceeds execution.
pub(crate) fn fill_in_work(table: &mut Table, report: &mut Report) {
    let of_row = |row| {
        let stated = table.work_cycles.get(row);
        let (exec, overhead) = (table.exec_cycles.get(row), table.overhead_cycles.get(row));
        stated.or_else(|| exec?.checked_sub(overhead?).filter(|&work| work >= 0))
    };
    let work: Integers = (0..table.len()).map(of_row).collect();
    let is_lacking = |row: &usize| work.get(*row).is_none();
    let mut lacking = (0..table.len()).filter(is_lacking);
    let count = lacking.clone().count();
    // A table without the columns lacks work as a whole, which is not a fault of its rows.
    if count < table.len() {
        report.add("skipped_work", count as u64, || {
            Some(place(table, lacking.next()?))
        });
    }
    table.work_cycles = work;
}

/// When the wait that collects each task ended, from its parent's list of waits.
fn join_instants(table: &mut Table, report: &mut Report) {
    let mut gaps = Gaps::default();
    let mut instants = Integers::default();
    for row in 0..table.len() {
        let (Some(parent), Some(joins_at)) = (table.parent_row(row), table.joins_at.get(row))
        else {
            continue;
        };
        let at = usize::try_from(joins_at).ok();
        if let Some(&instant) = at.and_then(|at| table.waits(parent).get(at)) {
            instants.set(row, instant);
        }
        gaps.add(parent, joins_at);
    }
    table.join_instant = instants;
    gaps.report(table, report);
}

/// Waits that collect nothing, between those that do.
#[derive(Default)]
struct Gaps(Vec<(usize, i64)>);

impl Gaps {
    fn add(&mut self, parent: usize, joins_at: i64) {
        self.0.push((parent, joins_at));
    }

    fn report(mut self, table: &Table, report: &mut Report) {
        self.0.sort_unstable();
        self.0.dedup();
        for waits in self.0.chunk_by(|a, b| a.0 == b.0) {
            let expected = (0..).zip(waits);
            let first = expected.map(|(expected, &(parent, found))| (parent, expected, found));
            for (parent, expected, found) in first {
                if expected != found {
                    report.add("read_gaps_of_joins_at", 1, || {
                        Some(format!("{}, wait {expected}", place(table, parent)))
                    });
                    break;
                }
            }
        }
    }
}
