//! What is said of the structure of two sides.

use std::sync::Arc;

use sheaf_model::{Lens, Progress, RunSummary};

use super::ensembles::{compare_runs, summary};
use super::*;

/// A run on so many workers.
fn on(workers: i64, number: u8, lines: &str) -> Arc<RunSummary> {
    let mut run = (*summary(number, lines)).clone();
    run.meta_mut().workers = Some(workers);
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

/// What happened between two runs, a line each, and how the work was matched.
fn told(a: &str, b: &str, mapping: Mapping) -> String {
    let runs = [summary(1, a), summary(2, b)];
    let lens: Lens = "level context".parse().unwrap();
    let state = sheaf_analysis::partial(&lens, &runs, &Progress::silent()).unwrap();
    let select = |at: usize| DiffSelection::new(at.to_string(), vec![runs[at].meta.id]);
    let answer = finish_diff(
        &lens,
        state,
        &[select(0), select(1)],
        &DiffOptions::default(),
        mapping,
        &Progress::silent(),
    )
    .unwrap()
    .answer;
    let totals = answer.totals.unwrap();
    let deltas: Vec<f64> = answer.rows.iter().filter_map(|row| row.delta).collect();
    assert_eq!(exact_sum(&deltas), totals.delta);
    let mut lines: Vec<String> = answer
        .structure
        .changes
        .iter()
        .map(|change| {
            format!(
                "{} {:?}",
                named(change),
                [change.contexts_a, change.contexts_b]
            )
        })
        .collect();
    for row in answer.rows.iter().filter(|row| row.group_a.is_some()) {
        lines.push(format!(
            "row {} {:?}",
            row.path.join("/"),
            row.matched_by.unwrap()
        ));
    }
    let work = answer.structure.matched_work;
    let sums = [
        work.context,
        work.definition,
        work.normalised,
        work.template,
        work.confirmed,
        work.inferred,
        work.unmatched,
    ];
    lines.push(sums.map(|share| format!("{share:.2}")).join(" "));
    for possible in &answer.structure.possible_matches {
        let [a, b] = [&possible.path_a, &possible.path_b].map(|path| path.join("/"));
        let renamed = possible.renamed.iter().map(|names| names.join("="));
        lines.push(format!(
            "? {a} {b} {:?} -{:?} +{:?} {:?}",
            [possible.contexts_a, possible.contexts_b],
            possible.deleted,
            possible.inserted,
            renamed.collect::<Vec<_>>()
        ));
    }
    lines.join("\n")
}

fn check_told(a: &str, b: &str, expected: &str) {
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(told(a, b, Mapping::default()), expected.join("\n"));
}

const PROGRAM: &str = "main 10; main/sort 10; main/sort/leaf 40; main/sort/merge 20; main/io 20";

#[test]
fn a_rename_is_one_row_with_both_names() {
    check_told(
        PROGRAM,
        "main 10; main/order 10; main/order/leaf 40; main/order/merge 20; main/io 20",
        "Renamed sort order [1, 1]
         row main/sort → order Inferred
         row main/sort → order/leaf Definition
         row main/sort → order/merge Definition
         0.30 0.60 0.00 0.00 0.00 0.10 0.00",
    );
}

#[test]
fn a_wrapper_takes_nothing_apart() {
    check_told(
        PROGRAM,
        "main 10; main/sort 10; main/sort/w 10; main/sort/w/leaf 40; main/sort/w/merge 20; main/io 20",
        "Wrapped - w [0, 1]
         row main/sort/w/leaf Definition
         row main/sort/w/merge Definition
         0.38 0.57 0.00 0.00 0.00 0.00 0.05",
    );
}

#[test]
fn what_is_called_from_elsewhere_moved() {
    check_told(
        PROGRAM,
        "main 10; main/sort 10; main/sort/leaf 40; main/io 20; main/io/merge 20",
        "Moved merge merge [1, 1]
         row main/sort → io/merge Definition
         0.80 0.20 0.00 0.00 0.00 0.00 0.00",
    );
}

#[test]
fn what_compilers_add_to_names_does_not_matter() {
    check_told(
        PROGRAM,
        "main 10; main/sort 10; main/sort/leaf.constprop.0 40; main/sort/merge 20; main/io 20",
        "Renamed leaf leaf.constprop.0 [1, 1]
         row main/sort/leaf → leaf.constprop.0 Normalised
         0.60 0.00 0.40 0.00 0.00 0.00 0.00",
    );
}

#[test]
fn what_has_nothing_in_common_appears_and_vanishes() {
    check_told(
        PROGRAM,
        "main 10; main/sort 10; main/sort/leaf 40; main/sort/merge 20; main/net 15; main/net/send 5",
        "Appeared - net [0, 2]
         Vanished io - [1, 0]
         0.80 0.00 0.00 0.00 0.00 0.00 0.20",
    );
}

#[test]
fn the_user_knows_better() {
    let after = "main 10; main/sort 10; main/sort/leaf 40; main/sort/merge 20; main/net 20";
    let said = |a: &str, b: &str, is_same: bool| Mapping {
        entries: vec![Correspondence {
            a: a.to_owned(),
            b: b.to_owned(),
            is_same,
        }],
    };
    let expected =
        "Renamed io net [1, 1]\nrow main/io → net Confirmed\n0.80 0.00 0.00 0.00 0.20 0.00 0.00";
    assert_eq!(told(PROGRAM, after, said("io", "net", true)), expected);
    // Whichever version is the baseline.
    assert_eq!(told(PROGRAM, after, said("net", "io", true)), expected);
    let renamed = PROGRAM.replace("sort", "order");
    let rejected = told(PROGRAM, &renamed, said("sort", "order", false));
    assert!(!rejected.contains("Renamed"), "{rejected}");
}

#[test]
fn runs_with_the_definition_are_counted() {
    let (flat, deep) = ("main 1; main/f 9", "main 1; main/f 9; main/f/g 1");
    let runs = |first: u8, lines: [&str; 3]| -> Vec<_> {
        (first..)
            .zip(lines)
            .map(|(number, lines)| summary(number, lines))
            .collect()
    };
    let (a, b) = (runs(1, [flat; 3]), runs(100, [flat, deep, deep]));
    let change = compare_runs("level context", &a, &b)
        .structure
        .changes
        .remove(0);
    assert_eq!(change.kind, ChangeKind::Appeared);
    assert_eq!([change.runs_a, change.runs_b], [0, 2]);
}

#[test]
fn what_takes_a_place_may_be_what_was_there() {
    let before = "main 10; main/copy 10; main/copy/read 20; main/copy/write 20; main/io 5";
    let after = "main 10; main/flush 10; main/flush/read 20; main/flush/sync 1; main/flush/write 20; main/io 5";
    // The user said that it is not; then nothing is suggested either.
    let rejected = Mapping {
        entries: vec![Correspondence {
            a: "copy".to_owned(),
            b: "flush".to_owned(),
            is_same: false,
        }],
    };
    assert!(!told(before, after, rejected).contains('?'));
    // Both names are on both sides, so that neither can be the other's new one.
    let both = "; main/io/copy 1; main/io/flush 1";
    let found = told(
        &format!("{before}{both}"),
        &format!("{after}{both}"),
        Mapping::default(),
    );
    let expected = "? main/copy main/flush [3, 4] -[] +[\"sync\"] [\"copy=flush\"]";
    assert_eq!(found.lines().last(), Some(expected), "{found}");
    let back = told(
        &format!("{after}{both}"),
        &format!("{before}{both}"),
        Mapping::default(),
    );
    let expected = "? main/flush main/copy [4, 3] -[\"sync\"] +[] [\"flush=copy\"]";
    assert_eq!(back.lines().last(), Some(expected), "{back}");
}

#[test]
fn template_arguments_are_the_last_that_is_forgiven() {
    check_told(
        "main 10; main/sort<int>::leaf 90",
        "main 10; main/sort<long>::leaf 90",
        "Renamed sort<int>::leaf sort<long>::leaf [1, 1]
         row main/sort<int>::leaf → sort<long>::leaf Template
         0.10 0.00 0.00 0.90 0.00 0.00 0.00",
    );
    // Two instances of one side could be either.
    let found = told(
        "main 10; main/f<int> 40; main/g 50",
        "main 10; main/f<long> 20; main/f<char> 20; main/g 50",
        Mapping::default(),
    );
    assert!(!found.contains("Template"), "{found}");
    let found = told(
        "main 10; main/f<int> 40; main/f<bool> 50",
        "main 10; main/f<long> 40; main/f<bool> 50",
        Mapping::default(),
    );
    assert!(!found.contains("Template"), "{found}");
}
