//! Path sets: equal over thread counts where the program is deterministic, different where not.

use sheaf_answers::{Grains, Record};
use sheaf_model::table::GrainKind;
use sheaf_tests::{ask, program, run};

use crate::{paths, record};

/// Records on 1, 2, 4 and 8 threads and compares the task paths; returns how many there are.
#[track_caller]
fn check_equal_paths(name: &str, args: &[&str]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let runs = record(
        folder.path(),
        &["--threads", "1,2,4,8"],
        &program(name),
        args,
    );
    assert_eq!(runs.len(), 4);
    let expected = paths(&runs[0], GrainKind::Task);
    for run in &runs[1..] {
        let found = paths(run, GrainKind::Task);
        let missing = expected.difference(&found).count();
        let extra = found.difference(&expected).count();
        assert_eq!(
            (missing, extra),
            (0, 0),
            "{name}: {missing} paths missing, {extra} more"
        );
    }
    let tasks = runs[0]
        .grains
        .rows()
        .filter(|grain| grain.kind == GrainKind::Task as i32)
        .count();
    assert_eq!(tasks, expected.len(), "{name}: two tasks have one path");
    expected.len()
}

#[test]
fn recursive_tasks() {
    assert!(check_equal_paths("fib", &["16", "0"]) > 1000);
}

#[test]
fn recursive_tasks_compiled_with_gcc() {
    assert!(check_equal_paths("gcc/fib", &["16", "0"]) > 1000);
}

#[test]
fn merge_sort() {
    assert!(check_equal_paths("sort", &["200000"]) > 10);
}

#[test]
fn queens() {
    assert!(check_equal_paths("nqueens", &["8"]) > 10);
}

#[test]
fn tasks_of_a_single_creator() {
    assert!(check_equal_paths("sparselu_task", &["8", "16"]) > 10);
}

#[test]
fn matrix_and_transform() {
    assert!(check_equal_paths("strassen", &["512"]) > 1);
    assert!(check_equal_paths("fft", &["14"]) > 1);
}

#[test]
fn unbalanced_tree() {
    assert!(check_equal_paths("uts", &[]) > 100);
}

#[test]
fn dependent_tasks() {
    assert!(check_equal_paths("depend", &[]) > 10);
}

#[test]
fn chunks_of_dynamic_loops() {
    let folder = tempfile::tempdir().unwrap();
    let threads = ["--threads", "2,4"];
    let runs = record(folder.path(), &threads, &program("imbalance"), &[]);
    let two = paths(&runs[0], GrainKind::Chunk);
    assert!(two.len() > 100, "{} chunks", two.len());
    assert_eq!(two, paths(&runs[1], GrainKind::Chunk));
}

#[test]
fn branch_and_bound_differs() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--threads", "2,4,8", "--repeat", "3"];
    let runs = record(folder.path(), &options, &program("floorplan"), &[]);
    let sets: std::collections::BTreeSet<_> =
        runs.iter().map(|run| paths(run, GrainKind::Task)).collect();
    assert!(
        sets.len() > 1,
        "the shape of branch and bound depends on timing; nine runs agree"
    );
}

/// Paths of tasks and chunks as `grains` prints them.
#[track_caller]
fn printed(store: &std::path::Path, id: &str) -> Vec<String> {
    let grains: Grains = ask(store, &["grains", id, "--limit", "0"]);
    let mut paths: Vec<String> = grains.rows.iter().map(|row| row.path.join("/")).collect();
    paths.sort_unstable();
    paths
}

/// Which thread runs a `single` or a chunk is chance; neither is in a key, nor in the path that people read.
#[test]
fn paths_as_printed_are_the_same_in_every_run() {
    for (name, args) in [
        ("sparselu_task", &["8", "16"][..]),
        ("fft", &["14"]),
        ("imbalance", &["4096", "64", "dynamic"]),
        ("sparselu_for", &["6", "16"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let program = program(name);
        let words = [
            "record",
            "--json",
            "--quiet",
            "--threads",
            "2,4",
            "--repeat",
            "4",
            "--",
        ];
        let command = [program.to_str().unwrap()];
        let words = words.iter().chain(&command).chain(args).copied();
        let recorded: Record = run(folder.path(), words).expect_code(0).read();
        let runs = recorded.runs.iter();
        let all: Vec<Vec<String>> = runs.map(|run| printed(folder.path(), &run.run)).collect();
        let mut distinct = all[0].clone();
        distinct.dedup();
        assert_eq!(
            distinct.len(),
            all[0].len(),
            "{name}: two grains have one path"
        );
        for other in &all[1..] {
            assert!(
                *other == all[0],
                "{name}: {:?} {:?}",
                &all[0][..3],
                &other[..3]
            );
        }
    }
}
