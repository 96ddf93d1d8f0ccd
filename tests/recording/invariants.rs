//! What must hold of every recording, whatever the program.

use std::collections::BTreeMap;

use sheaf_model::RunTables;
use sheaf_model::table::{GrainKind, flags};
use sheaf_tests::program;

use crate::record;

#[track_caller]
fn check(name: &str, args: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for run in record(folder.path(), &["--threads", "1,2,4"], &program(name), args) {
        check_run(name, &run);
    }
}

#[track_caller]
fn check_run(name: &str, run: &RunTables) {
    run.validate().unwrap();
    let meta = &run.summary.meta;
    assert!(
        meta.is_complete,
        "{name} is incomplete: {:?}",
        meta.warnings
    );
    let mut work = 0;
    for grain in run.grains.rows() {
        assert_eq!(
            grain.flags & flags::INCOMPLETE,
            0,
            "{name}: a grain has no end"
        );
        let (start, end) = (grain.start.unwrap(), grain.end.unwrap());
        assert!(
            start <= end && (0..=end - start).contains(&grain.work.unwrap()),
            "{name}: {grain:?}"
        );
        assert!(
            grain.parent.is_some() || grain.kind == GrainKind::Initial as i32,
            "{name}: orphan"
        );
        work += grain.work.unwrap();
    }
    let elapsed = meta.elapsed.unwrap();
    assert!(
        work <= meta.workers.unwrap() * elapsed,
        "{name}: more work than workers x elapsed"
    );
    check_fragments(name, run);
    let listed: i64 = run
        .summary
        .totals
        .rows()
        .filter_map(|row| {
            let metric = run
                .summary
                .metrics
                .row(usize::try_from(row.metric).unwrap());
            (metric.name == "work_ns").then_some(row.sum).flatten()
        })
        .sum();
    assert_eq!(listed, work, "{name}: totals and grains disagree");
}

/// Fragments of one worker never overlap, and a grain's work is the sum of its fragments.
#[track_caller]
fn check_fragments(name: &str, run: &RunTables) {
    let mut by_worker: BTreeMap<i32, Vec<(i64, i64)>> = BTreeMap::new();
    let mut work = vec![0; run.grains.len()];
    for fragment in run.fragments.rows() {
        let interval = (fragment.start, fragment.start + fragment.duration);
        by_worker
            .entry(fragment.location)
            .or_default()
            .push(interval);
        work[usize::try_from(fragment.grain).unwrap()] += fragment.duration;
    }
    for (worker, mut intervals) in by_worker {
        intervals.sort_unstable();
        for pair in intervals.windows(2) {
            assert!(
                pair[0].1 <= pair[1].0,
                "{name}: worker {worker} does two things: {pair:?}"
            );
        }
    }
    let expected: Vec<i64> = run.grains.rows().map(|grain| grain.work.unwrap()).collect();
    assert_eq!(work, expected, "{name}: work is not the sum of fragments");
}

#[test]
fn tasks() {
    check("fib", &["16", "0"]);
    check("sort", &["200000"]);
    check("nqueens", &["8"]);
    check("floorplan", &[]);
    check("uts", &[]);
}

#[test]
fn loops() {
    check("imbalance", &[]);
    check("sparselu_for", &["8", "16"]);
    check("stencil", &[]);
}

#[test]
fn taskloops_groups_and_dependences() {
    check("taskloop", &[]);
    check("depend", &[]);
    check("strassen", &["512"]);
    check("fft", &["14"]);
}

#[test]
fn programs_compiled_with_gcc() {
    check("gcc/fib", &["16", "0"]);
    check("gcc/sparselu_task", &["8", "16"]);
    check("gcc/imbalance", &[]);
    check("gcc/depend", &[]);
}

#[test]
fn dependence_edges_follow_the_clauses() {
    let folder = tempfile::tempdir().unwrap();
    let runs = record(
        folder.path(),
        &["--threads", "1,4"],
        &program("depend"),
        &[],
    );
    let edges = |run: &RunTables| -> Vec<(i64, i64)> {
        let key = |grain: i32| run.grains.path_key.value(usize::try_from(grain).unwrap());
        let edges = run.dependences.rows();
        let mut edges: Vec<_> = edges
            .map(|edge| (key(edge.predecessor), key(edge.successor)))
            .collect();
        edges.sort_unstable();
        edges
    };
    assert!(edges(&runs[0]).len() > 10);
    assert_eq!(
        edges(&runs[0]),
        edges(&runs[1]),
        "edges depend on the thread count"
    );
}

#[test]
fn source_lines_point_into_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let runs = record(
        folder.path(),
        &["--threads", "2"],
        &program("sort"),
        &["200000"],
    );
    let definitions: Vec<_> = runs[0].summary.definitions.rows().collect();
    let tasks: Vec<_> = definitions
        .iter()
        .filter(|found| found.kind == "task")
        .collect();
    assert!(!tasks.is_empty());
    for task in tasks {
        assert!(
            task.file
                .as_deref()
                .is_some_and(|file| file.ends_with("sort.c")),
            "{task:?}"
        );
        assert!(task.line.is_some_and(|line| line > 0), "{task:?}");
        assert!(task.function.is_some(), "{task:?}");
    }
}
