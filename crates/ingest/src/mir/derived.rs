//! The derived columns of a processed task-stats table, from the raw ones.
//!
//! Definitions are those of the grain-graphs prototype ("Grain Graphs: OpenMP Performance
//! Analysis Made Easy", `PPoPP` 2016, and its scripts), which reproduce published profiles row by
//! row. A value is absent where an operand is, and where a divisor is not positive. Every
//! function is linear in the rows but for sorting, whatever the shape of the program.

mod loops;
mod scatter;
mod siblings;

pub(crate) use loops::loop_owner;
pub use loops::{
    chunk_lineage, chunk_work_balance, chunk_work_cpu, chunk_work_cpu_balance, idle_join,
};
pub use scatter::sibling_scatter;
pub use siblings::{num_siblings, sibling_work_balance};

use std::fmt::Write as _;

use super::column::{Floats, Integers, Numbers};
use super::table::{Table, Tag};

/// The derived columns that are numbers, work apart, by the source's names.
pub const NUMBERS: [&str; 13] = [
    "mem_hier_util",
    "compute_int",
    "idle_join",
    "parent_joins_at",
    "chunk_work_balance",
    "chunk_work_cpu",
    "chunk_work_cpu_balance",
    "parent_overhead_cycles",
    "sync_cycles_per_child",
    "parallel_benefit",
    "sibling_work_balance",
    "sibling_scatter",
    "num_siblings",
];

/// The column of [`NUMBERS`] with this name.
pub fn numbers(table: &Table, work: &Integers, name: &str) -> Option<Numbers> {
    let loops = || idle_join(table);
    let sync = || sync_cycles_per_child(table);
    let floats = |column| Some(Numbers::Floats(column));
    let integers = |column| Some(Numbers::Integers(column));
    match name {
        "mem_hier_util" => floats(mem_hier_util(table, work)),
        "compute_int" => floats(compute_int(table)),
        "idle_join" => integers(loops()),
        "parent_joins_at" => integers(parent_joins_at(table)),
        "chunk_work_balance" => floats(chunk_work_balance(table, work, &loops())),
        "chunk_work_cpu" => integers(chunk_work_cpu(table, work, &loops())),
        "chunk_work_cpu_balance" => {
            let sums = chunk_work_cpu(table, work, &loops());
            floats(chunk_work_cpu_balance(table, &sums, &loops()))
        }
        "parent_overhead_cycles" => integers(parent_overhead_cycles(table)),
        "sync_cycles_per_child" => floats(sync_cycles_per_child(table)),
        "parallel_benefit" => floats(parallel_benefit(table, work, &sync())),
        "sibling_work_balance" => floats(sibling_work_balance(table, work)),
        "sibling_scatter" => floats(sibling_scatter(table)),
        "num_siblings" => integers(num_siblings(table)),
        _ => None,
    }
}

/// Whether a task has no children.
pub fn leaf(table: &Table) -> Vec<Option<bool>> {
    let rows = 0..table.len();
    rows.map(|row| Some(table.num_children.get(row)? == 0))
        .collect()
}

/// Execution without overhead; absent where overhead exceeds execution.
pub fn work_cycles(table: &Table) -> Integers {
    (0..table.len())
        .map(|row| {
            let (exec, overhead) = (table.exec_cycles.get(row)?, table.overhead_cycles.get(row)?);
            exec.checked_sub(overhead).filter(|&work| work >= 0)
        })
        .collect()
}

/// Cycles stalled on resources per cycle of work: high is bad.
pub fn mem_hier_util(table: &Table, work: &Integers) -> Floats {
    per(table, "PAPI_RES_STL_sum", |row| {
        work.get(row).map(|work| work as f64)
    })
}

/// Instructions per byte touched.
pub fn compute_int(table: &Table) -> Floats {
    let bytes = table.measured("mem_fp");
    per(table, "ins_count", |row| bytes?.get(row))
}

fn per(table: &Table, name: &str, divisor: impl Fn(usize) -> Option<f64>) -> Floats {
    let Some(dividend) = table.measured(name) else {
        return Floats::default();
    };
    (0..table.len())
        .map(|row| Some(dividend.get(row)? / divisor(row).filter(|&by| by > 0.0)?))
        .collect()
}

/// A task's place among all tasks: `R-` and the numbers of children from the outermost ancestor.
/// Its cost is the task's depth. Absent where a number is.
pub fn lineage(table: &Table, row: usize) -> Option<String> {
    let mut steps = vec![table.child_number.get(row)?];
    let mut at = row;
    while let Some(parent) = table.parent_row(at) {
        steps.push(table.child_number.get(parent)?);
        at = parent;
    }
    let mut text = "R".to_owned();
    for step in steps.iter().rev() {
        write!(text, "-{step}").ok()?;
    }
    Some(text)
}

/// The parent's `joins_at`.
pub fn parent_joins_at(table: &Table) -> Integers {
    of_parent(table, &table.joins_at)
}

/// The parent's tag.
pub fn parent_tag(table: &Table, row: usize) -> Tag {
    table
        .parent_row(row)
        .map_or(Tag::Absent, |parent| table.tag(parent))
}

/// The parent's overhead.
pub fn parent_overhead_cycles(table: &Table) -> Integers {
    of_parent(table, &table.overhead_cycles)
}

fn of_parent(table: &Table, column: &Integers) -> Integers {
    let rows = 0..table.len();
    rows.map(|row| column.get(table.parent_row(row)?)).collect()
}

/// What of the parent's overhead is not the creation of children, per child.
pub fn sync_cycles_per_child(table: &Table) -> Floats {
    let mut sums = vec![(0_i128, 0_u32); table.len()];
    for row in 0..table.len() {
        let sum = table.parent_row(row).and_then(|at| sums.get_mut(at));
        if let Some((creation, children)) = sum {
            *creation += i128::from(table.creation_cycles.get(row).unwrap_or(0));
            *children += 1;
        }
    }
    (0..table.len())
        .map(|row| {
            let parent = table.parent_row(row)?;
            let &(creation, children) = sums.get(parent)?;
            table.creation_cycles.get(row)?;
            let overhead = i128::from(table.overhead_cycles.get(parent)?);
            Some((overhead - creation) as f64 / f64::from(children))
        })
        .collect()
}

/// Work per cost of having the task: its creation and its share of the parent's other overhead.
/// Absent where that cost is not positive.
pub fn parallel_benefit(table: &Table, work: &Integers, sync: &Floats) -> Floats {
    (0..table.len())
        .map(|row| {
            let cost = table.creation_cycles.get(row)? as f64 + sync.get(row)?;
            Some(work.get(row)? as f64 / Some(cost).filter(|&cost| cost > 0.0)?)
        })
        .collect()
}

/// Whether nothing ended later on the same processor.
pub fn last_to_finish(table: &Table) -> Vec<Option<bool>> {
    let mut last = std::collections::HashMap::new();
    let key = |row| Some((table.cpu_id.get(row)?, table.exec_end_instant.get(row)?));
    for (cpu, end) in (0..table.len()).filter_map(key) {
        let latest = last.entry(cpu).or_insert(end);
        *latest = end.max(*latest);
    }
    (0..table.len())
        .map(|row| {
            let (cpu, end) = key(row)?;
            Some(last.get(&cpu) == Some(&end))
        })
        .collect()
}

/// Largest over mean of some rows; absent where one of them is, and where the mean is not
/// positive.
fn balance(column: &Integers, rows: &[u32]) -> Option<f64> {
    let mut sum = 0_i128;
    let mut largest = 0;
    for &row in rows {
        let value = column.get(row as usize)?;
        sum += i128::from(value);
        largest = largest.max(value);
    }
    (sum > 0).then(|| largest as f64 / (sum as f64 / rows.len() as f64))
}
