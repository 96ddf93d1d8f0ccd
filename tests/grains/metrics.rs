//! Metrics against every value that the grain-graphs prototype published or wrote.

use std::path::Path;

use sheaf_grains::grain_graph::Structure;
use sheaf_grains::grain_metric::{
    Basis, COMPUTED, Column, Evaluation, Origin, Overlap, Width, by_name, computed_by_name,
    work_deviation,
};
use sheaf_ingest::{Hints, Input, NoModules, Symbols, read};
use sheaf_model::table::Grains;
use sheaf_model::{Progress, RunTables};

use crate::table::{Table, tasks};
use crate::{reference, run};

pub(crate) const FIB: &str = "task-stats/fib-45-12.task-stats.merged.csv.gz";
pub(crate) const FOR_LOOP: &str = "task-stats/for-loop-32-40-3.task-stats.merged.csv.gz";
const EXAMPLE: &str = "example/example.task-stats.processed.csv";

/// Columns of the prototype and our metrics.
const COLUMNS: [(&str, &str); 11] = [
    ("work_cycles", "work_ns"),
    ("exec_cycles", "execution_ns"),
    ("overhead_cycles", "overhead_ns"),
    ("creation_cycles", "creation_ns"),
    ("sync_cycles_per_child", "synchronisation_ns"),
    ("parallel_benefit", "parallel_benefit"),
    ("mem_hier_util", "mem_hier_util"),
    ("sibling_work_balance", "sibling_work_balance"),
    ("sibling_scatter", "sibling_scatter"),
    ("chunk_work_balance", "chunk_work_balance"),
    ("chunk_work_cpu_balance", "chunk_work_cpu_balance"),
];

/// R prints 15 digits.
fn is_close(ours: Option<f64>, theirs: Option<f64>) -> bool {
    match (ours, theirs) {
        (None, None) => true,
        (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * b.abs(),
        _ => false,
    }
}

/// Our computed values, even if the table states values under the same name.
fn computed(evaluation: &Evaluation<'_>, id: &str) -> Column {
    let name = format!("{COMPUTED}{id}");
    let is_stated = computed_by_name(&name).is_some();
    let column = evaluation.evaluate_by_name(if is_stated { &name } else { id });
    column.unwrap()
}

/// Compares the columns of a table that the prototype wrote; the number of values compared.
fn check_columns(folder: &Path, file: &str) -> usize {
    let tables = run(&folder.join(file));
    let structure = Structure::of(&tables);
    let evaluation = Evaluation::of(&tables, &structure);
    let theirs = Table::read(&folder.join(file));
    let tasks = tasks(&evaluation);
    let mut compared = 0;
    for (column, id) in COLUMNS {
        if !theirs.has(column) {
            continue;
        }
        let ours = computed(&evaluation, id);
        assert_eq!(ours.origin, Origin::Computed, "{id}");
        let theirs = theirs.by_task(column);
        assert_eq!(tasks.len(), theirs.len());
        for (row, task) in tasks.iter().enumerate() {
            let (ours, theirs) = (ours.get(row), theirs[task]);
            assert!(
                is_close(ours, theirs),
                "{file}: {id} of task {task}: {ours:?}, theirs {theirs:?}"
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn columns_of_published_profiles() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    // Nine columns of 8,192 tasks, ten of 385 rows, eight of 5 tasks.
    assert_eq!(check_columns(&folder, FIB), 9 * 8192);
    assert_eq!(check_columns(&folder, FOR_LOOP), 10 * 385);
    assert_eq!(check_columns(&folder, EXAMPLE), 8 * 5);
}

/// Raw tables, which state no derived column, give the same metrics as processed ones.
#[test]
fn raw_tables_give_the_metrics_of_processed_ones() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let processed = Table::read(&folder.join(EXAMPLE));
    let raw = run(&folder.join("example/example.mir-task-stats.csv"));
    let structure = Structure::of(&raw);
    let evaluation = Evaluation::of(&raw, &structure);
    let tasks = tasks(&evaluation);
    for (column, id) in COLUMNS.iter().filter(|(column, _)| processed.has(column)) {
        let ours = evaluation.evaluate_by_name(id).unwrap();
        assert_eq!(ours.origin, Origin::Computed, "{id}");
        let theirs = processed.by_task(column);
        for (row, task) in tasks.iter().enumerate() {
            assert!(is_close(ours.get(row), theirs[task]), "{id} of task {task}");
        }
    }
    // Task 5, step by step: (500 - 110) / 3 is 130, and 100 / (30 + 130) is 0.625.
    let benefit = evaluation.evaluate_by_name("parallel_benefit").unwrap();
    let fifth = tasks.iter().position(|task| *task == 5).unwrap();
    assert_eq!(benefit.get(fifth), Some(0.625));
}

/// The run with the work of the reference run that a merged table holds.
fn reference_run(tables: &RunTables, merged: &Table) -> RunTables {
    let structure = Structure::of(tables);
    let evaluation = Evaluation::of(tables, &structure);
    let theirs = merged.by_task("work_cycles_right");
    let work = tasks(&evaluation)
        .iter()
        .map(|task| theirs[task].map(|work| format!("{work}").parse::<i64>().unwrap()))
        .collect();
    let mut reference = tables.clone();
    reference.grains = Grains {
        work,
        ..reference.grains
    };
    reference
}

#[test]
fn work_deviation_of_published_profiles() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    // The prototype drops what has no key: members of teams, book-keeping.
    for (file, with_value, rows) in [(FIB, 8192, 8192), (FOR_LOOP, 96, 385)] {
        let tables = run(&folder.join(file));
        let merged = Table::read(&folder.join(file));
        let reference = reference_run(&tables, &merged);
        let ours = work_deviation(&tables, &[&reference]);
        let structure = Structure::of(&tables);
        let tasks = tasks(&Evaluation::of(&tables, &structure));
        let theirs = merged.by_task("work_deviation");
        for (ours, task) in ours.values.iter().zip(&tasks) {
            let theirs = theirs[task];
            assert!(
                is_close(ours, theirs),
                "{file}: task {task}: {ours:?}, theirs {theirs:?}"
            );
        }
        assert_eq!(ours.values.iter().flatten().count(), with_value);
        assert_eq!(tasks.len(), rows);
        // Of a cohort the median counts: of three equal runs the same.
        let cohort = work_deviation(&tables, &[&reference; 3]);
        assert_eq!(cohort.values, ours.values);
        assert_eq!(cohort.missing.len(), 3);
    }
}

const OPTIMISTIC: Width = Width::Median(Overlap::Optimistic);
const CONSERVATIVE: Width = Width::Median(Overlap::Conservative);

/// Compares parallelism per task; tasks that are not in the table have none.
fn check_parallelism(folder: &Path, profile: &str, table: &str, overlap: &str) -> usize {
    let tables = run(&folder.join(profile));
    let structure = Structure::of(&tables);
    let evaluation = Evaluation::of(&tables, &structure);
    let theirs = Table::read(&folder.join(table));
    let tasks = tasks(&evaluation);
    let mut compared = 0;
    for statistic in ["min", "median", "max"] {
        let id = format!("inst_par_logical_{overlap}_median_{statistic}");
        let ours = evaluation.evaluate(by_name(&id).unwrap()).unwrap();
        let theirs = theirs.by_task(&format!("inst_par_{statistic}"));
        for (row, task) in tasks.iter().enumerate() {
            let theirs = theirs.get(task).copied().flatten();
            assert_eq!(ours.get(row), theirs, "{id} of task {task}");
            compared += usize::from(theirs.is_some());
        }
    }
    compared
}

#[test]
fn instantaneous_parallelism_of_tasks() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let example = "example/example.mir-task-stats.csv";
    let check = |profile, table, overlap| check_parallelism(&folder, profile, table, overlap);
    let compared = [
        check(example, "example/example.inst-par.any.csv", "optimistic"),
        check(
            example,
            "example/example.inst-par.within.csv",
            "conservative",
        ),
        check(
            FIB,
            "oracle/fib-45-12.inst-par.any.independent.csv.gz",
            "optimistic",
        ),
        check(
            FIB,
            "oracle/fib-45-12.inst-par.within.independent.csv.gz",
            "conservative",
        ),
    ];
    assert_eq!(compared, [3 * 5, 3 * 4, 3 * 8192, 3 * 7809]);
}

#[test]
fn instantaneous_parallelism_along_the_run() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let example = "example/example.mir-task-stats.csv";
    let tables = [
        (
            example,
            "example/example.inst-par-raw.any.csv",
            OPTIMISTIC,
            200.0,
            13,
        ),
        (
            example,
            "example/example.inst-par-raw.within.csv",
            CONSERVATIVE,
            200.0,
            13,
        ),
        (
            FIB,
            "oracle/fib-45-12.inst-par-profile.any.independent.csv.gz",
            OPTIMISTIC,
            48322.0,
            2995,
        ),
        (
            FIB,
            "oracle/fib-45-12.inst-par-profile.within.independent.csv.gz",
            CONSERVATIVE,
            48322.0,
            2995,
        ),
    ];
    for (profile, table, width, length, intervals) in tables {
        let run = run(&folder.join(profile));
        let structure = Structure::of(&run);
        let ours = Evaluation::of(&run, &structure);
        let ours = ours.parallelism(Basis::Logical, width).unwrap();
        assert_eq!((ours.width, ours.intervals), (length, intervals), "{table}");
        let theirs = Table::read(&folder.join(table)).numbers("count");
        let ours: Vec<Option<f64>> = ours.counts().map(|count| Some(f64::from(count))).collect();
        assert_eq!(ours, theirs, "{table}");
    }
}

/// A run that the prototype drew, with all columns of its table on the nodes.
#[test]
fn grain_graphs_give_what_their_tables_give() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let drawn = [
        (FIB, "graphml/fib-45-12.reduced.graphml.gz"),
        (FOR_LOOP, "graphml/for-loop-32-40-3.reduced.graphml.gz"),
        (EXAMPLE, "example/example.reduced.graphml"),
    ];
    let mut compared = 0;
    for (table, graph) in drawn {
        let tables = run(&folder.join(graph));
        let structure = Structure::of(&tables);
        let evaluation = Evaluation::of(&tables, &structure);
        let theirs = Table::read(&folder.join(table));
        let tasks = tasks(&evaluation);
        for (column, id) in COLUMNS.iter().filter(|(column, _)| theirs.has(column)) {
            let ours = computed(&evaluation, id);
            assert_eq!(ours.origin, Origin::Computed, "{id}");
            let theirs = theirs.by_task(column);
            for (row, task) in tasks.iter().enumerate() {
                let (ours, theirs) = (ours.get(row), theirs[task]);
                assert!(
                    is_close(ours, theirs),
                    "{graph}: {id} of task {task}: {ours:?}, theirs {theirs:?}"
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 9 * 8192 + 10 * 385 + 8 * 5);
}

/// Times in nanoseconds beside measures in cycles change no ratio.
#[test]
fn a_known_clock_changes_no_ratio() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let bytes = std::fs::read(folder.join(FOR_LOOP)).unwrap();
    let [ticks, nanos] = [None, Some(2.1e9)].map(|clock_hz| {
        let hints = Hints {
            clock_hz,
            ..Hints::NONE.clone()
        };
        let mut input = Input::new(FOR_LOOP, &bytes);
        input.hints = &hints;
        let inputs = [input];
        let symbols = Symbols::new(NoModules);
        let mut reading = read(&inputs, &symbols, &Progress::silent()).unwrap();
        reading.runs.remove(0).tables
    });
    let [in_ticks, in_nanos] = [&ticks, &nanos].map(Structure::of);
    let (a, b) = (
        Evaluation::of(&ticks, &in_ticks),
        Evaluation::of(&nanos, &in_nanos),
    );
    let mut compared = 0;
    for (_, id) in COLUMNS {
        let [a, b] = [&a, &b].map(|evaluation| evaluation.evaluate(by_name(id).unwrap()).unwrap());
        for row in 0..ticks.grains.len() {
            let (Some(a), Some(b)) = (a.get(row), b.get(row)) else {
                assert_eq!(a.get(row).is_some(), b.get(row).is_some(), "{id}");
                continue;
            };
            let factor = if id.ends_with("_ns") { 1.0 / 2.1 } else { 1.0 };
            // Times are rounded to whole nanoseconds.
            let is_close = (a * factor - b).abs() <= 1.0 + 1e-2 * b.abs();
            assert!(is_close, "{id} of row {row}: {a} ticks, {b} ns");
            compared += 1;
        }
    }
    assert!(compared > 3000, "{compared} values");
}
