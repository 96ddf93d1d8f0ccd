//! What is said of the structure of two sides.

use std::sync::Arc;

use sheaf_model::RunSummary;

use super::ensembles::{compare_runs, summary};
use super::*;

/// A run on so many workers.
fn on(workers: i64, number: u8, lines: &str) -> Arc<RunSummary> {
    let mut run = (*summary(number, lines)).clone();
    run.meta.workers = Some(workers);
    Arc::new(run)
}

/// The verdict on runs of the baseline against runs of the candidate, workers and contexts each.
fn check(a: &[(i64, &str)], b: &[(i64, &str)], expected: StructureVerdict) {
    let runs = |first: u8, runs: &[(i64, &str)]| -> Vec<_> {
        let numbered = (first..).zip(runs);
        numbered
            .map(|(number, (workers, lines))| on(*workers, number, lines))
            .collect()
    };
    let (a, b) = (runs(1, a), runs(100, b));
    for (a, b) in [(&a, &b), (&b, &a)] {
        let structure = compare_runs("level context", a, b).structure;
        assert_eq!(structure.verdict, expected, "{}", structure.reason);
    }
}

#[test]
fn equal_contexts_are_the_same_structure_whatever_the_threads() {
    let lines = "main 1; main/f 9";
    check(&[(1, lines)], &[(8, lines)], StructureVerdict::Same);
}

#[test]
fn a_context_of_one_side_is_a_change() {
    let (before, after) = ("main 1; main/f 9", "main 1; main/f 9; main/f/f 1");
    check(&[(4, before)], &[(4, after)], StructureVerdict::Changed);
    check(
        &[(4, before); 3],
        &[(4, after); 3],
        StructureVerdict::Changed,
    );
}

#[test]
fn contexts_on_other_threads_depend_on_them() {
    let (one, eight) = ("main 1; main/f 9", "main 1; main/f 9; main/f/f 1");
    check(
        &[(1, one)],
        &[(8, eight)],
        StructureVerdict::ThreadCountDependent,
    );
    // A definition that only one side has is more than that.
    let other = "main 1; main/f 9; main/g 1";
    check(&[(1, one)], &[(8, other)], StructureVerdict::Changed);
}

#[test]
fn what_differs_among_runs_of_a_side_is_no_change() {
    let (flat, deep) = ("main 1; main/f 9", "main 1; main/f 9; main/f/f 1");
    check(
        &[(4, flat), (4, flat)],
        &[(4, flat), (4, deep)],
        StructureVerdict::Varies,
    );
    check(
        &[(4, flat), (4, deep)],
        &[(4, flat), (4, deep)],
        StructureVerdict::Varies,
    );
}

#[test]
fn hardly_anything_in_common_is_another_program() {
    check(
        &[(4, "main 1; main/f 90")],
        &[(4, "main 1; main/g 90")],
        StructureVerdict::Different,
    );
}
