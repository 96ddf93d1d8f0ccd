//! Values by rank and worker of small ensembles, computed by hand.

use std::fmt::Write as _;

use sheaf_answers::{LocatedValues, LocationKind, LocationOrder};
use sheaf_model::{Lens, Progress};
use sheaf_synthetic::testing::{runs, short};

use super::{LocationsQuestion, locations};

/// A line per group and run, then the notes.
fn check(text: &str, lens: &str, question: LocationsQuestion, expected: &str) {
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(answer(text, lens, question), expected.join("\n"));
}

fn answer(text: &str, lens: &str, question: LocationsQuestion) -> String {
    let lens: Lens = lens.parse().unwrap();
    let answer = match locations(&lens, &question, &runs(text), &Progress::silent()) {
        Ok(answer) => answer,
        Err(error) => return error.to_string(),
    };
    let mut lines = Vec::new();
    for group in &answer.groups {
        for values in &group.runs {
            let run = &answer.runs[usize::try_from(values.run).unwrap()];
            let columns: Vec<String> = run
                .columns
                .iter()
                .map(|column| match column.last {
                    Some(last) => format!("{}-{}", column.first.text(), last.text()),
                    None => column.first.text(),
                })
                .collect();
            lines.push(print(
                &group.path.names().join("/"),
                &run.name,
                &columns,
                values,
            ));
        }
    }
    lines.extend(answer.notes.iter().map(|note| format!("({note})")));
    lines.join("\n")
}

fn print(path: &str, run: &str, columns: &[String], values: &LocatedValues) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
    let mut line = format!("{path} {run}:");
    for (column, value) in columns.iter().zip(&values.values) {
        write!(line, " {column}={}", number(*value)).unwrap();
    }
    write!(
        line,
        " total {} mean {} excess {} imbalance {} max@{} min@{} absent {}",
        number(values.total),
        number(values.spread.mean),
        short(values.excess),
        number(values.imbalance),
        values.max_at.text(),
        values.min_at.text(),
        values.absent
    )
    .unwrap();
    line
}

const TWO_RUNS: &str = "
    run a
      main work_ns 4@0 4@1 4@2 4@3
      main/f work_ns 10@0 10@1 30@2.0 10@2.1 0@3
      main/g work_ns 6@1
    run b
      main work_ns 1@0 3@1
";

#[test]
fn ranks_are_sorted_by_what_the_slowest_has_beyond_its_share() {
    check(
        TWO_RUNS,
        "scope exclusive",
        LocationsQuestion::default(),
        "
        f a: 0=10 1=10 2=40 3=0 total 60 mean 15 excess 25 imbalance 0.625 max@2 min@3 absent 0
        g a: 0=- 1=6 2=- 3=- total 6 mean 1.5 excess 4.5 imbalance 0.75 max@1 min@0 absent 3
        main a: 0=4 1=4 2=4 3=4 total 16 mean 4 excess 0 imbalance 0 max@0 min@0 absent 0
        main b: 0=1 1=3 total 4 mean 2 excess 1 imbalance 0.333 max@1 min@0 absent 0
        ",
    );
}

#[test]
fn workers_are_apart_and_callees_count_for_callers() {
    let question = LocationsQuestion {
        by: LocationKind::Workers,
        order: LocationOrder::Value,
        limit: Some(1),
        ..LocationsQuestion::default()
    };
    check(
        TWO_RUNS,
        "scope inclusive",
        question,
        "
        main a: 0.0=14 1.0=20 2.0=34 2.1=10 3.0=4 total 82 mean 16.4 excess 17.6 imbalance 0.518 max@2.0 min@3.0 absent 0
        main b: 0.0=1 1.0=3 total 4 mean 2 excess 1 imbalance 0.333 max@1.0 min@0.0 absent 0
        ",
    );
}

#[test]
fn neighbours_share_columns() {
    let question = LocationsQuestion {
        columns: Some(3),
        ..LocationsQuestion::default()
    };
    check(
        TWO_RUNS,
        "scope exclusive",
        question,
        "
        f a: 0-1=10 2-3=20 total 60 mean 15 excess 25 imbalance 0.625 max@2 min@3 absent 0
        g a: 0-1=6 2-3=- total 6 mean 1.5 excess 4.5 imbalance 0.75 max@1 min@0 absent 3
        main a: 0-1=4 2-3=4 total 16 mean 4 excess 0 imbalance 0 max@0 min@0 absent 0
        main b: 0=1 1=3 total 4 mean 2 excess 1 imbalance 0.333 max@1 min@0 absent 0
        ",
    );
    let none = LocationsQuestion {
        columns: Some(0),
        ..LocationsQuestion::default()
    };
    let error = answer(TWO_RUNS, "", none);
    assert!(error.starts_with("columns `0` is out of range"), "{error}");
}

#[test]
fn means_are_never_added_up() {
    check(
        "
        metric ipc ratio intensive float higher_is_better
        run a
          main ipc 1*1@0 2*1@1
          main/f ipc 9*3@0
        ",
        "metric ipc",
        LocationsQuestion::default(),
        "
        main a: 0=1 1=2 total - mean 1.5 excess 0.5 imbalance 0.25 max@1 min@0 absent 0
        f a: 0=3 1=- total - mean 3 excess 0 imbalance 0 max@0 min@0 absent 1
        ",
    );
}

#[test]
fn runs_without_values_by_location_are_counted() {
    check(
        "
        run a ~no-values ~ranks=0,1
          main work_ns 4@0
        run b
          main work_ns 4@0 8@1
        ",
        "",
        LocationsQuestion::default(),
        "
        main b: 0=4 1=8 total 12 mean 6 excess 2 imbalance 0.25 max@1 min@0 absent 0
        (no values by ranks in 1 run)
        ",
    );
}
