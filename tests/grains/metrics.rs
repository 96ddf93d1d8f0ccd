//! Metrics against every value that the grain-graphs prototype published or wrote.

use std::path::Path;

use sheaf_analysis::grain_graph::Structure;
use sheaf_analysis::grain_metric::{
    Basis, Evaluation, Origin, Overlap, Width, by_name, work_deviation,
};
use sheaf_ingest::{Hints, Input, NoModules, Symbols, read};
use sheaf_model::table::Grains;
use sheaf_model::{Progress, RunTables};

use crate::table::{Table, tasks};
use crate::{reference, run};

const FIB: &str = "task-stats/fib-45-12.task-stats.merged.csv.gz";
const FOR_LOOP: &str = "task-stats/for-loop-32-40-3.task-stats.merged.csv.gz";
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
        let ours = evaluation.evaluate(by_name(id).unwrap()).unwrap();
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
                is_close(*ours, theirs),
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
            let ours = evaluation.evaluate(by_name(id).unwrap()).unwrap();
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

/// Least, median and greatest value of a metric, and how many there are.
fn range(evaluation: &Evaluation<'_>, id: &str) -> String {
    let column = match evaluation.evaluate(by_name(id).unwrap()) {
        Ok(column) => column,
        Err(absent) => return format!("{id}: {absent}"),
    };
    let mut values: Vec<f64> = column.values.iter().flatten().collect();
    values.sort_by(f64::total_cmp);
    let at = |at: usize| {
        values
            .get(at)
            .map_or("-".to_owned(), |value| format!("{value:.4}"))
    };
    let count = values.len();
    format!(
        "{id}: {count} values, {} {} {}",
        at(0),
        at(count / 2),
        at(count.wrapping_sub(1))
    )
}

fn check_ranges(profile: &str, ids: &[&str], expected: &[&str]) {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let tables = run(&folder.join(profile));
    let structure = Structure::of(&tables);
    let evaluation = Evaluation::of(&tables, &structure).with_cores_per_socket(4);
    let found: Vec<String> = ids.iter().map(|id| range(&evaluation, id)).collect();
    assert_eq!(found, expected, "{profile}");
}

#[test]
fn where_the_papers_forms_differ_from_the_tools_for_tasks() {
    let ids = [
        "parallel_benefit",
        "parallel_benefit_of_execution",
        "sibling_work_balance",
        "sibling_chain_balance",
        "mem_hier_util",
        "memory_hierarchy_utilisation",
        "sibling_scatter",
        "sibling_scatter_socket",
        "inst_par_logical_optimistic_median_min",
        "inst_par_logical_conservative_median_min",
        "inst_par_logical_instant_min",
        "inst_par_real_instant_min",
    ];
    check_ranges(
        FIB,
        &ids,
        &[
            "parallel_benefit: 8191 values, 0.0011 6.5523 12917.5083",
            "parallel_benefit_of_execution: 8191 values, 0.0059 75.2224 13923.3882",
            "sibling_work_balance: 8192 values, 1.0000 1.2316 1.9994",
            "sibling_chain_balance: 8192 values, 0.5000 0.6225 1.9303",
            "mem_hier_util: 8192 values, 0.0003 0.2574 0.8589",
            "memory_hierarchy_utilisation: 8192 values, 1.1642 3.8856 3250.1022",
            "sibling_scatter: 8190 values, 0.0000 0.0000 47.0000",
            "sibling_scatter_socket: 8190 values, 0.0000 0.0000 1.0000",
            "inst_par_logical_optimistic_median_min: 8192 values, 1.0000 923.0000 1789.0000",
            "inst_par_logical_conservative_median_min: 7809 values, 1.0000 1133.0000 1738.0000",
            "inst_par_logical_instant_min: 8192 values, 1.0000 900.0000 1736.0000",
            "inst_par_real_instant_min: the source holds ends of tasks only",
        ],
    );
}

#[test]
fn where_the_papers_forms_differ_from_the_tools_for_a_loop() {
    // Of 48 members 32 ran a chunk: the tool, which does not count idle workers, finds the loops
    // balanced. It has no scatter of members, which are on every core.
    let ids = [
        "parallel_benefit",
        "parallel_benefit_of_execution",
        "chunk_work_balance",
        "chunk_work_cpu_balance",
        "chunk_work_thread_balance",
        "chunk_chain_balance",
        "sibling_scatter",
        "inst_par_logical_optimistic_median_min",
    ];
    check_ranges(
        FOR_LOOP,
        &ids,
        &[
            "parallel_benefit: 384 values, 0.0000 26.4638 532488.3876",
            "parallel_benefit_of_execution: 384 values, 0.0000 559.2099 6013515.3610",
            "chunk_work_balance: 96 values, 1.0031 1.0037 1.0040",
            "chunk_work_cpu_balance: 96 values, 1.0031 1.0037 1.0040",
            "chunk_work_thread_balance: 96 values, 1.5046 1.5056 1.5060",
            "chunk_chain_balance: 96 values, 1.0036 1.0041 1.0045",
            "sibling_scatter: 144 values, 14.0000 14.0000 14.0000",
            "inst_par_logical_optimistic_median_min: 385 values, 1.0000 32.0000 63.0000",
        ],
    );
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
