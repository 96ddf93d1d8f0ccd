//! From a table of tasks to the tables of a run.

use sheaf_model::table::{GrainKind, flags};
use sheaf_model::{Report, RunMeta, RunTables, TimeUnit};

use super::column::{Integers, Numbers};
use super::definitions::Definitions;
use super::parents::place;
use super::table::{NONE, Role, Table};
use super::{columns, loops};
use crate::measure::Value;
use crate::profile::{LocationIdx, MetricIdx};
use crate::program::{Grain, GrainIdx, Program};
use crate::{Error, Format, Hints};

/// Columns of grains that are measures besides those in [`Table::measured`].
const KEPT: [&str; 5] = [
    "task",
    "exec_cycles",
    "overhead_cycles",
    "create_instant",
    "join_instant",
];

fn kept<'a>(table: &'a Table, name: &str) -> &'a Integers {
    match name {
        "task" => &table.task,
        "exec_cycles" => &table.exec_cycles,
        "overhead_cycles" => &table.overhead_cycles,
        "create_instant" => &table.create_instant,
        _ => &table.join_instant,
    }
}

/// A table that is to become a run.
pub(crate) struct Source<'a> {
    pub(crate) table: &'a Table,
    /// Rows whose place in the program is not known.
    pub(crate) displaced: &'a [u32],
    /// Place of each row among the children of its parent, from 0, where the table has none.
    pub(crate) order: &'a [i64],
    pub(crate) format: Format,
}

/// Makes the run: a grain per row, in the order of rows. Workers that `meta` states count more than those of rows.
pub(crate) fn tables(
    source: &Source<'_>,
    mut meta: RunMeta,
    hints: &Hints,
    report: &mut Report,
) -> Result<RunTables, Error> {
    let table = source.table;
    describe(table, &mut meta, hints);
    // Their work is missing everywhere above them.
    meta.is_complete &= report.count("skipped_rows") == 0;
    let mut program = Program::new(meta);
    let metrics = metrics(table, &mut program);
    let mut rows = Rows::new(source);
    for row in 0..table.len() {
        let grain = rows.grain(row, &mut program);
        let grain = program.grain(grain);
        if let Some(parent) = table.parent_row(row) {
            program.set_parent(grain, at(parent));
        }
        if table.role(row) == Role::Chunk {
            let owner = loops::loop_owner(table, row).map(at);
            program.set_path_parent(grain, owner);
        }
        for (metric, values) in &metrics {
            if let Some(value) = values.value(row) {
                program.measure(grain, *metric, value);
            }
        }
    }
    report.add("read_book_keeping", count(table, Role::Bookkeeping), || {
        None
    });
    report.add("read_chunks", count(table, Role::Chunk), || None);
    let place = |grain: GrainIdx| place(table, grain.0 as usize);
    let tables = program.finish(hints.clock_hz);
    tables.map_err(|error| error.refusal(source.format, place))
}

/// Rows that become grains.
struct Rows<'a> {
    source: &'a Source<'a>,
    definitions: Definitions,
    locations: Locations,
    flags: Vec<i32>,
    /// Number of the loop of each row; empty where there are none.
    loops: Integers,
}

impl<'a> Rows<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        let table = source.table;
        let mut flags = vec![0; table.len()];
        for &row in source.displaced {
            if let Some(flags) = flags.get_mut(row as usize) {
                *flags = flags::SCHEDULE_DEPENDENT;
            }
        }
        let loops = if table.has_loops() {
            loops::loop_numbers(table)
        } else {
            Integers::default()
        };
        Self {
            source,
            definitions: Definitions::default(),
            locations: Locations::default(),
            flags,
            loops,
        }
    }

    fn grain(&mut self, row: usize, program: &mut Program) -> Grain {
        let table = self.source.table;
        let role = table.role(row);
        let given_kind = table.kind.get(row).copied().flatten();
        let first_iteration = table.first_iteration.get(row);
        let end_iteration = table.end_iteration.get(row);
        Grain {
            definition: self.definitions.of(table, row, program),
            kind: given_kind.unwrap_or(kind(role)),
            flags: self.flags.get(row).copied().unwrap_or(0),
            sequence: self.loops.get(row).filter(|_| role == Role::Chunk),
            index: index(self.source, row),
            joined_by: table.joins_at.get(row),
            first_iteration,
            iterations: iterations(first_iteration, end_iteration),
            location: self.locations.of(table.cpu_id.get(row), program),
            created: table.created.get(row),
            start: table.start.get(row),
            end: table.exec_end_instant.get(row),
            work: table.work_cycles.get(row),
            creation: table.creation_cycles.get(row),
            waiting: table.waiting.get(row),
        }
    }
}

fn at(row: usize) -> GrainIdx {
    GrainIdx(u32::try_from(row).unwrap_or(NONE))
}

fn count(table: &Table, role: Role) -> u64 {
    table.role.iter().filter(|&&found| found == role).count() as u64
}

/// Book-keeping is not a grain but carries its time.
fn kind(role: Role) -> GrainKind {
    match role {
        Role::Task => GrainKind::Task,
        Role::Chunk => GrainKind::Chunk,
        Role::Bookkeeping => GrainKind::Implicit,
    }
}

fn iterations(first: Option<i64>, end: Option<i64>) -> Option<i64> {
    end?.checked_sub(first?)
}

fn index(source: &Source<'_>, row: usize) -> i64 {
    let number = source.table.child_number.get(row);
    let number = number.and_then(|number| number.checked_sub(1));
    let order = source.order.get(row).copied();
    number.filter(|&number| number >= 0).or(order).unwrap_or(0)
}

fn describe(table: &Table, meta: &mut RunMeta, hints: &Hints) {
    meta.time_unit = if table.is_in_nanoseconds {
        TimeUnit::Nanoseconds
    } else {
        TimeUnit::Ticks
    };
    meta.is_complete = !table.is_cut;
    meta.elapsed = table.exec_end_instant.iter().flatten().max();
    let mut cpus: Vec<i64> = table.cpu_id.iter().flatten().collect();
    cpus.sort_unstable();
    cpus.dedup();
    let seen = i64::try_from(cpus.len()).ok().filter(|&seen| seen > 0);
    meta.workers = hints.workers.or(meta.workers).or(seen);
    let lacks = [
        ("start", "the source holds ends of tasks only"),
        (
            "created",
            "the source counts creation in the parent's own execution time",
        ),
        ("fragments", "the source holds no times of fragments"),
        (
            "waits",
            "the source holds ends of waits in own execution time only",
        ),
    ];
    if table.work_cycles.is_absent() {
        let why = "the source holds no times of execution and overhead";
        meta.lacks.insert("work".to_owned(), why.to_owned());
    }
    let is_given = |what| match what {
        "start" => !table.start.is_absent(),
        "created" => !table.created.is_absent(),
        _ => false,
    };
    for (what, why) in lacks.into_iter().filter(|(what, _)| !is_given(what)) {
        meta.lacks.insert(what.to_owned(), why.to_owned());
    }
}

/// A column of measured values.
enum Values<'a> {
    Integers(&'a Integers),
    Numbers(&'a Numbers),
}

impl Values<'_> {
    fn value(&self, row: usize) -> Option<Value> {
        match self {
            Self::Integers(values) => values.get(row).map(Value::Integer),
            Self::Numbers(Numbers::Integers(values)) => values.get(row).map(Value::Integer),
            Self::Numbers(Numbers::Floats(values)) => values.get(row).map(Value::Float),
        }
    }
}

fn metrics<'a>(table: &'a Table, program: &mut Program) -> Vec<(MetricIdx, Values<'a>)> {
    let own = KEPT
        .iter()
        .map(|name| (*name, Values::Integers(kept(table, name))));
    let further = table.measured.iter();
    let further = further.map(|(name, numbers)| (name.as_str(), Values::Numbers(numbers)));
    let all: Vec<(&str, Values<'a>)> = own.chain(further).collect();
    all.into_iter()
        .filter(|(_, values)| match values {
            Values::Integers(values) => !values.is_absent(),
            Values::Numbers(values) => !values.is_absent(),
        })
        .map(|(name, values)| {
            let is_integer = !matches!(values, Values::Numbers(Numbers::Floats(_)));
            let mut spec = columns::spec(name, is_integer);
            if table.is_in_nanoseconds && matches!(values, Values::Integers(_)) {
                columns::in_nanoseconds(&mut spec);
            }
            (program.metric(spec), values)
        })
        .collect()
}

/// Workers that tasks ended on, by processor.
#[derive(Default)]
struct Locations(Vec<Option<LocationIdx>>);

impl Locations {
    fn of(&mut self, cpu: Option<i64>, program: &mut Program) -> Option<LocationIdx> {
        const DIRECT: usize = 1 << 16;
        let cpu = i32::try_from(cpu?).ok()?;
        let at = usize::try_from(cpu).ok()?;
        if at >= DIRECT {
            return Some(program.location(0, cpu, Some(cpu)));
        }
        if at >= self.0.len() {
            self.0.resize(at + 1, None);
        }
        let slot = self.0.get_mut(at)?;
        Some(*slot.get_or_insert_with(|| program.location(0, cpu, Some(cpu))))
    }
}
