//! What is said of structures names what was compared, and the lists of changes and of groups agree.

use std::sync::Arc;

use sheaf_model::RunSummary;

use super::ensembles::{compare_runs, summary};
use super::*;
use sheaf_synthetic::testing;

/// A run on so many workers and ranks.
fn run_of(text: &str, name: &str, workers: Option<i64>, ranks: i64) -> Vec<Arc<RunSummary>> {
    let runs = testing::runs(&text.replace("NAME", name));
    let on = |run: &Arc<RunSummary>| {
        let mut run = RunSummary::clone(run);
        (run.meta_mut().workers, run.meta_mut().ranks) = (workers, ranks);
        Arc::new(run)
    };
    runs.iter().map(on).collect()
}

#[track_caller]
fn check_same(text: &str, sides: [(Option<i64>, i64); 2], expected: &str) {
    let [a, b] = [0, 1].map(|at: usize| {
        let (workers, ranks) = sides[at];
        run_of(text, ["a", "b"][at], workers, ranks)
    });
    let structure = compare_runs("level context", &a, &b).structure;
    assert_eq!(structure.verdict, StructureVerdict::Same);
    assert_eq!(structure.reason.text(), expected);
}

#[test]
fn the_same_is_said_of_what_was_compared() {
    let profile = "run NAME\n main work_ns 5\n main/f work_ns 9";
    let paths = "every run has the same call paths; how often they were called is not compared";
    check_same(profile, [(None, 1); 2], paths);
    let ranks = "the sides ran with different numbers of ranks (2 against 4)";
    check_same(
        profile,
        [(None, 2), (None, 4)],
        &format!("{paths}; {ranks}"),
    );
    let tasks = "def f kind=task\nrun NAME\n main work_ns 5\n main/f work_ns 9 ; grains 7";
    let grains = "every run has the same contexts with the same numbers of grains";
    check_same(tasks, [(Some(4), 1); 2], grains);
    let chunks = "def f kind=task\ndef l kind=loop\nrun NAME\n main work_ns 5\n main/f work_ns 9 ; grains 7\n \
                  main/l work_ns 5 ; grains 3";
    let counted = format!(
        "{grains}; members of teams, chunks of loops and executions of regions are not counted"
    );
    check_same(chunks, [(Some(4), 1); 2], &counted);
    let workers = "the sides ran with different numbers of workers (2 against 8)";
    check_same(
        chunks,
        [(Some(2), 1), (Some(8), 1)],
        &format!("{counted}; {workers}"),
    );
}

/// Kinds with both names, and the groups that appeared and vanished.
fn told(a: &str, b: &str, said: Option<(&str, &str)>) -> String {
    let entry = |(a, b): (&str, &str)| Correspondence {
        a: a.to_owned(),
        b: b.to_owned(),
        is_same: true,
    };
    let mapping = Mapping {
        entries: said.into_iter().map(entry).collect(),
    };
    let runs = [summary(1, a), summary(2, b)];
    let lens: sheaf_model::Lens = "level definition".parse().unwrap();
    let progress = sheaf_model::Progress::silent();
    let state = sheaf_analysis::partial(&lens, &runs, &progress).unwrap();
    let side = |at: usize| DiffSelection::new(at.to_string(), vec![runs[at].meta.id]);
    let options = DiffOptions::default();
    let sides = [side(0), side(1)];
    let structure = finish_diff(&lens, state, &sides, &options, mapping, &progress)
        .unwrap()
        .answer
        .structure;
    let changes = structure.changes.iter().map(|change| {
        format!(
            "{} {:?}",
            named(change),
            [change.contexts_a, change.contexts_b]
        )
    });
    let groups = format!(
        "{} appeared, {} vanished",
        structure.appeared, structure.vanished
    );
    changes
        .chain([structure.reason.text().to_owned(), groups])
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn what_both_sides_have_neither_appeared_nor_vanished() {
    // `old` is `new`, said the user; and it was called from elsewhere too, where nothing is now.
    let before = "main 10; main/old 40; main/io 9; main/io/old 20; main/x 5";
    let after = "main 10; main/new 40; main/io 9";
    let expected = "Renamed old new [1, 1]\nVanished x - [1, 0]\nVanished old new [1, 0]\n\
                    definitions: 1 renamed, 1 vanished, 1 in fewer contexts\n0 appeared, 1 vanished";
    let found = told(before, after, Some(("old", "new")));
    let mut lines: Vec<&str> = found.lines().collect();
    let mut expected: Vec<&str> = expected.lines().collect();
    lines.sort_unstable();
    expected.sort_unstable();
    assert_eq!(lines, expected);
    let back = told(after, before, Some(("old", "new")));
    assert!(
        back.contains("1 renamed, 1 appeared, 1 in more contexts"),
        "{back}"
    );
    // What is gone below what both sides have is told by itself.
    let before = "main 10; main/f 40; main/io 9; main/io/f 5; main/io/f/x 20";
    let found = told(before, "main 10; main/f 40; main/io 9", None);
    assert!(found.contains("Vanished f f [1, 0]"), "{found}");
    assert!(found.contains("Vanished x - [1, 0]"), "{found}");
    assert!(found.ends_with("0 appeared, 1 vanished"), "{found}");
}

#[test]
fn sentences_count_the_definitions_that_rows_show() {
    let (before, after) = (
        "main 10; main/f 40",
        "main 10; main/f 40; main/g 5; main/g/h 9; main/g/h/f 1",
    );
    let found = told(before, after, None);
    let said = "definitions: 2 appeared (1 below another)\n2 appeared, 0 vanished";
    assert!(found.ends_with(said), "{found}");
    let back = told(after, before, None);
    let said = "definitions: 2 vanished (1 below another)\n0 appeared, 2 vanished";
    assert!(back.ends_with(said), "{back}");
    // Below several, and one that stands by itself.
    let after = "main 10; main/f 40; main/g 5; main/g/h 9; main/g/i 9; main/j 1";
    let found = told(before, after, None);
    let said = "definitions: 4 appeared (2 below others)\n4 appeared, 0 vanished";
    assert!(found.ends_with(said), "{found}");
}

#[test]
fn names_are_told_apart_from_scores() {
    let before = "main 10; main/sort_range 10; main/sort_range/leaf 40; main/io 20";
    let alike = |after: &str| {
        let (a, b) = ([summary(1, before)], [summary(2, after)]);
        let changes = compare_runs("level context", &a, &b).structure.changes;
        let renamed = changes
            .iter()
            .find(|change| change.kind == ChangeKind::Renamed);
        let renamed = renamed.unwrap();
        assert_eq!(renamed.score, Some(1.0));
        renamed.name_similarity.unwrap()
    };
    let near = alike("main 10; main/sort_ranges 10; main/sort_ranges/leaf 40; main/io 20");
    assert!(near > 0.9, "{near}");
    let far = alike("main 10; main/quick 10; main/quick/leaf 40; main/io 20");
    assert!(far < 0.3, "{far}");
    let same = compare_runs(
        "level context",
        &[summary(1, before)],
        &[summary(2, "main 10; main/io 20")],
    );
    assert!(
        same.structure
            .changes
            .iter()
            .all(|change| change.name_similarity.is_none())
    );
}
