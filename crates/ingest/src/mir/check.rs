//! Derived columns: compared with their definitions where the source has them, filled in where
//! it has not.

use sheaf_model::Report;

use super::column::{Integers, Numbers};
use super::parents::place;
use super::table::{Table, Tag};
use super::{derived, fields};

/// Relative difference up to which floats are equal: R prints 15 digits.
const TOLERANCE: f64 = 1e-12;

/// Columns that problems of grains are found by: computed where the source lacks them. What else
/// is derived repeats the structure, and is kept only where the source has it.
const FILLED: [&str; 6] = [
    "mem_hier_util",
    "parallel_benefit",
    "sibling_work_balance",
    "sibling_scatter",
    "chunk_work_balance",
    "chunk_work_cpu_balance",
];

/// Fills in and compares all derived columns of a table.
pub(crate) fn check(table: &mut Table, report: &mut Report) {
    instants(table, report);
    let given = table.work_cycles.clone();
    let computed = work(table, report);
    if !given.is_empty() {
        let pair = [given, computed].map(Numbers::Integers);
        compare(table, "work_cycles", &pair[0], &pair[1], report);
    }
    numbers(table, report);
    texts(table, report);
}

/// Instants of the parent's own execution time.
pub(crate) fn instants(table: &mut Table, report: &mut Report) {
    // The zero of what no task created is no time.
    let created = (0..table.len()).map(|row| {
        let created = table.create_instant.get(row);
        let is_created = table.parent.get(row).is_some_and(|parent| parent != 0)
            || table.parent_row(row).is_some();
        created.filter(|_| is_created)
    });
    table.create_instant = created.collect();
    join_instants(table, report);
}

/// Fills in work where it is absent, and returns what it is by its definition.
pub(crate) fn work(table: &mut Table, report: &mut Report) -> Integers {
    let computed = derived::work_cycles(table);
    let given = std::mem::take(&mut table.work_cycles);
    let rows = 0..table.len();
    table.work_cycles = rows
        .map(|row| given.get(row).or(computed.get(row)))
        .collect();
    let is_lacking = |row: &usize| table.work_cycles.get(*row).is_none();
    let mut lacking = (0..table.len()).filter(is_lacking);
    let count = lacking.clone().count();
    // A table without the columns lacks work as a whole, which is no fault of its rows.
    if count < table.len() {
        report.add("skipped_work", count as u64, || {
            Some(place(table, lacking.next()?))
        });
    }
    computed
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

fn numbers(table: &mut Table, report: &mut Report) {
    let work = table.work_cycles.clone();
    // Where siblings ran says nothing of loops, whose members are everywhere.
    let is_asked = |name: &str, has_loops: bool| !(has_loops && name == "sibling_scatter");
    for name in derived::NUMBERS {
        let given = table.measured(name);
        let is_filled = FILLED.contains(&name) && is_asked(name, table.has_loops());
        if given.is_none() && !is_filled {
            continue;
        }
        let Some(computed) = derived::numbers(table, &work, name) else {
            continue;
        };
        match table.measured(name) {
            Some(given) => compare(table, name, given, &computed, report),
            None if computed.is_absent() => {}
            None => {
                table.measured.push((name.to_owned(), computed));
                table.filled.push(name);
            }
        }
    }
}

fn compare(table: &Table, name: &str, given: &Numbers, computed: &Numbers, report: &mut Report) {
    for row in 0..table.len() {
        let (given, computed) = (given.get(row), computed.get(row));
        let is_equal = match (given, computed) {
            (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()),
            (None, None) => true,
            _ => false,
        };
        if !is_equal {
            differs(table, name, row, report);
        }
    }
}

/// The source's value stands: it was computed from rows that may be missing here.
fn differs(table: &Table, name: &str, row: usize, report: &mut Report) {
    report.add(&format!("read_differing_{name}"), 1, || {
        Some(place(table, row))
    });
}

/// Columns of texts and of truth values; absent ones are not compared.
fn texts(table: &Table, report: &mut Report) {
    let given = &table.given;
    let logical = |given: &[Option<bool>], name, computed: fn(&Table) -> Vec<Option<bool>>| {
        if given.is_empty() {
            return Vec::new();
        }
        let rows = given.iter().zip(computed(table)).enumerate();
        let differing = rows.filter(|(_, (given, computed))| *given != computed);
        differing.map(|(row, _)| (name, row)).collect()
    };
    let mut differing: Vec<(&str, usize)> = logical(&given.leaf, "leaf", derived::leaf);
    let last = derived::last_to_finish;
    differing.extend(logical(&given.last_to_finish, "last_to_finish", last));
    let loops = if given.chunk_lineage.is_empty() {
        Integers::default()
    } else {
        derived::idle_join(table)
    };
    for row in 0..table.len() {
        if let Some(Some(lineage)) = given.lineage.get(row) {
            let before = match table.parent_row(row) {
                Some(parent) => given.lineage.get(parent).copied().flatten(),
                None => Some(fields::lineage_root()),
            };
            if before.map(|before| before.whole) != Some(lineage.before)
                || table.child_number.get(row) != Some(lineage.last)
            {
                differing.push(("lineage", row));
            }
        }
        if let Some(Some([construct, first])) = given.chunk_lineage.get(row) {
            let computed = (loops.get(row), table.first_iteration.get(row));
            if computed != (Some(*construct), Some(*first)) {
                differing.push(("chunk_lineage", row));
            }
        }
        if let Some(&tag) = given.parent_tag.get(row)
            && tag != Tag::Absent
            && tag != derived::parent_tag(table, row)
        {
            differing.push(("parent_tag", row));
        }
    }
    for (name, row) in differing {
        differs(table, name, row, report);
    }
}
