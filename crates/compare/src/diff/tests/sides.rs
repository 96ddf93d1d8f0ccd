//! What each side has of its own: an order of creation, lines of definitions.

use std::sync::Arc;

use sheaf_model::{Lens, Progress, RunSummary};

use super::ensembles::{compare_runs, summary};
use super::*;

/// A run whose children of `main` are created in the order of the given names.
fn ordered(number: u8, lines: &str, order: &[&str]) -> (Arc<RunSummary>, Vec<Option<u32>>) {
    let run = summary(number, lines);
    let names: Vec<&str> = lines
        .split(';')
        .map(|line| line.trim().split_once(' ').unwrap().0)
        .map(|path| path.rsplit('/').next().unwrap())
        .collect();
    let place = |name: &&str| order.iter().position(|other| other == name);
    let places = names.iter().map(place);
    let places = places.map(|place| place.map(|place| u32::try_from(place).unwrap()));
    (run, places.collect())
}

type Ordered = (Arc<RunSummary>, Vec<Option<u32>>);

/// What happened between runs whose order of creation is known, with the verdict.
fn told_of_orders(a: &[Ordered], b: &[Ordered]) -> String {
    let lens: Lens = "level context".parse().unwrap();
    let all: Vec<_> = a.iter().chain(b).map(|(run, _)| Arc::clone(run)).collect();
    let state = sheaf_analysis::partial(&lens, &all, &Progress::silent()).unwrap();
    let select = |name: &str, runs: &[Ordered]| DiffSelection {
        orders: runs
            .iter()
            .map(|(run, order)| (run.meta.id, order.clone()))
            .collect(),
        ..DiffSelection::new(name, runs.iter().map(|(run, _)| run.meta.id).collect())
    };
    let sides = [select("a", a), select("b", b)];
    let (options, mapping) = (DiffOptions::default(), Mapping::default());
    let answer = finish_diff(&lens, state, &sides, &options, mapping, &Progress::silent())
        .unwrap()
        .answer;
    let changes = answer.structure.changes.iter().map(named);
    let rows = answer
        .rows
        .iter()
        .filter(|row| row.structure.contains(&ChangeKind::Reordered));
    let rows = rows.map(|row| format!("row {}", row.path.join("/")));
    let verdict = format!(
        "{:?}: {}",
        answer.structure.verdict, answer.structure.reason
    );
    changes
        .chain(rows)
        .chain([verdict])
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn another_order_of_creation_is_a_change() {
    let lines = "main 10; main/a 1; main/b 2; main/c 3";
    let (there, back) = (["a", "b", "c"], ["b", "c", "a"]);
    let run = |number, order: &[&str]| ordered(number, lines, order);
    let changed = "Reordered a a\nrow main/a\nChanged: definitions: 1 reordered";
    assert_eq!(told_of_orders(&[run(1, &there)], &[run(2, &back)]), changed);
    assert_eq!(told_of_orders(&[run(2, &back)], &[run(1, &there)]), changed);
    // A swap is told the same way round, whichever comes first.
    let (swapped, back) = ([run(2, &["b", "a", "c"])], [run(1, &there)]);
    let found = told_of_orders(&back, &swapped);
    assert!(found.starts_with("Reordered"), "{found}");
    assert_eq!(found, told_of_orders(&swapped, &back));
}

#[test]
fn an_order_that_varies_says_nothing() {
    let lines = "main 10; main/a 1; main/b 2; main/c 3";
    let run = |number, order: &[&str]| ordered(number, lines, order);
    let (there, other) = (["a", "b", "c"], ["c", "b", "a"]);
    let same =
        "Same: every run has the same call paths; how often they were called is not compared";
    let varying = [run(1, &there), run(2, &other)];
    assert_eq!(told_of_orders(&varying, &[run(3, &other)]), same);
    assert_eq!(told_of_orders(&[run(1, &there)], &[run(2, &[])]), same);
    assert_eq!(
        told_of_orders(&[run(1, &there)], &[run(2, &["a", "c"])]),
        same
    );
    // A renamed one keeps its place.
    let renamed = lines.replace("main/b", "main/bb_row");
    let before = ordered(
        1,
        &lines.replace("main/b", "main/b_row"),
        &["a", "b_row", "c"],
    );
    let found = told_of_orders(&[before], &[ordered(2, &renamed, &["bb_row", "c", "a"])]);
    assert!(
        found.contains("Reordered a a") && !found.contains("Reordered b"),
        "{found}"
    );
}

/// A run whose definition `f` is at a line.
fn at_line(number: u8, line: i32) -> Arc<RunSummary> {
    let mut run = (*summary(number, "main 1; main/f 9; main/g 5")).clone();
    let mut rows: Vec<_> = run.definitions.rows().collect();
    for row in rows.iter_mut().filter(|row| row.name == "f") {
        (row.name, row.line) = (format!("f:{line} (task)"), Some(line));
    }
    run.definitions = rows.into_iter().collect();
    Arc::new(run)
}

#[test]
fn each_side_has_its_own_lines() {
    let (a, b) = ([at_line(1, 100)], [at_line(2, 105), at_line(3, 105)]);
    for level in ["level definition", "level context"] {
        for (a, b, lines) in [(&a[..], &b[..], [100, 105]), (&b[..], &a[..], [105, 100])] {
            let answer = compare_runs(level, a, b);
            let row = answer.rows.iter().find(|row| row.line_a.is_some()).unwrap();
            let [from, to] = lines;
            assert_eq!(*row.path.last().unwrap(), format!("f:{from}→{to} (task)"));
            assert_eq!([row.line_a, row.line_b], [Some(from), Some(to)]);
            let names = paths(row).map(|path| path.last().unwrap().as_str());
            assert_eq!(
                names,
                [format!("f:{from} (task)"), format!("f:{to} (task)")]
            );
            assert_eq!(answer.structure.verdict, StructureVerdict::Same);
            let other = answer
                .rows
                .iter()
                .find(|row| row.path.last().unwrap() == "g")
                .unwrap();
            assert_eq!([other.line_a, other.line_b], [None; 2]);
            assert_eq!((&other.path_a, &other.path_b), (&None, &None));
        }
    }
}
