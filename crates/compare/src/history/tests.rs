//! Histories: order, series, change points corrected over groups, the last version, events.

use std::fmt::Write as _;

mod limits;
mod renamed;
mod unmeasured;

use super::*;
use sheaf_answers::Verdict;
use sheaf_synthetic::testing::runs;

/// Noise of about one in a hundred that follows from the numbers.
fn noise(version: usize, repeat: usize, group: usize) -> f64 {
    let mixed = (version * 7919 + repeat * 104_729 + group * 1_299_709 + 17) % 1_009;
    1.0 + 0.01 * (mixed as f64 / 1_009.0 * 2.0 - 1.0)
}

/// `count` versions with `repeats` runs each; `step` takes a third more from version 6 on, `last` twice as
/// long in the last one, `new` occurs from version 3 on.
fn versions(count: usize, repeats: usize, more: &str) -> Vec<Arc<RunSummary>> {
    let mut text = String::new();
    // Ids follow from names.
    let of = more.replace('=', "");
    for version in 1..=count {
        for repeat in 0..repeats {
            let _ = writeln!(
                text,
                "run {of}v{version}r{repeat} version=1.{version} {more}"
            );
            let mut group = |name: &str, work: f64, number: usize| {
                let work = work * noise(version, repeat, number);
                let _ = writeln!(text, "  main/{name} work_ns {work:.0}");
            };
            group("still", 5e8, 1);
            group("step", if version >= 6 { 4e8 } else { 3e8 }, 2);
            group("last", if version == count { 4e8 } else { 2e8 }, 3);
            if version >= 3 {
                group("new", 1e8, 4);
            }
        }
    }
    runs(&text)
}

fn lens() -> Lens {
    Lens {
        by: vec!["version".to_owned()],
        ..Lens::default()
    }
}

fn follow(runs: &[Arc<RunSummary>], order: &HistoryOrder) -> History {
    history(
        &lens(),
        runs,
        order,
        &HistoryOptions::default(),
        &Mapping::default(),
        &Progress::silent(),
    )
    .unwrap()
}

/// `step@5 Slower; last …`, with the verdict on the last version where it is not unchanged.
fn told(series: &HistorySeries) -> String {
    let mut said = Vec::new();
    for row in series.groups.iter().filter(|row| row.group != WHOLE_RUN) {
        for change in &row.changes {
            let version = &change.version;
            said.push(format!("{} {:?} at {version}", row.path[0], change.verdict));
        }
        if let Some(last) = &row.last
            && last.verdict != Verdict::Unchanged
        {
            said.push(format!("{} {:?} now", row.path[0], last.verdict));
        }
    }
    let events = series.events.iter().map(|event| {
        let what = format!("{:?}", event.kind).to_lowercase();
        format!("{} {what} at {}", event.path[0], event.version)
    });
    said.extend(events);
    said.join("; ")
}

#[test]
fn changes_are_found_where_they_are() {
    let answer = follow(&versions(12, 3, ""), &HistoryOrder::Versions);
    let names: Vec<String> = answer.versions.iter().map(ToString::to_string).collect();
    assert_eq!(names[8..], ["1.9", "1.10", "1.11", "1.12"]);
    let [series] = answer.series.as_slice() else {
        panic!("{answer:?}");
    };
    assert_eq!(
        told(series),
        "step Slower at 1.6; last Slower at 1.12; last Slower now; new appeared at 1.3"
    );
    let step = series
        .groups
        .iter()
        .find(|row| row.path == ["step"])
        .unwrap();
    assert!((step.changes[0].after / step.changes[0].before - 4.0 / 3.0).abs() < 0.02);
    assert_eq!(step.last.as_ref().unwrap().since, 5);
    assert!(step.q.unwrap() <= 0.05 && step.q >= step.p);
    let new = series
        .groups
        .iter()
        .find(|row| row.path == ["new"])
        .unwrap();
    let whole = series
        .groups
        .iter()
        .find(|row| row.group == WHOLE_RUN)
        .unwrap();
    assert!(
        whole.changes.iter().any(|change| change.point == 5),
        "{whole:?}"
    );
    // Absent is not zero.
    assert_eq!(new.values[1], None);
    assert_eq!(new.values[2].as_ref().unwrap().runs, 3);
    assert!(new.changes.is_empty());
}

#[test]
fn the_newest_regression_shows_at_once() {
    // One run of the last version against three each of those before.
    let mut all = versions(8, 3, "");
    all.extend(
        versions(9, 3, "")
            .into_iter()
            .filter(|run| run.meta.name == "v9r0"),
    );
    all.retain(|run| run.meta.params["version"] != ParamValue::Number(1.8));
    let answer = follow(&all, &HistoryOrder::Versions);
    let row = |name: &str| {
        let rows = &answer.series[0].groups;
        rows.iter()
            .find(|row| row.path == [name])
            .unwrap()
            .last
            .as_ref()
            .unwrap()
    };
    assert_eq!([row("last").runs_before, row("last").runs], [21, 1]);
    // 1 against 21 runs cannot reach 5 %.
    assert_eq!(row("last").verdict, Verdict::Untestable);
    let answer = follow(&versions(4, 5, ""), &HistoryOrder::Versions);
    let told = told(&answer.series[0]);
    assert!(told.contains("last Slower now"), "{told}");
}

#[test]
fn environments_are_series_of_their_own_and_import_order_does_not_matter() {
    let mut all = versions(8, 2, "threads=2");
    all.extend(versions(8, 2, "threads=4"));
    let forth = follow(&all, &HistoryOrder::Versions);
    let names: Vec<&str> = forth
        .series
        .iter()
        .map(|series| series.name.as_str())
        .collect();
    assert_eq!(names, ["threads=2", "threads=4"]);
    all.reverse();
    assert_eq!(follow(&all, &HistoryOrder::Versions), forth);
    let together = HistoryOptions {
        environment: Some(Vec::new()),
        ..HistoryOptions::default()
    };
    let order = HistoryOrder::Versions;
    let (mapping, silent) = (Mapping::default(), Progress::silent());
    let answer = history(&lens(), &all, &order, &together, &mapping, &silent).unwrap();
    assert_eq!(answer.series.len(), 1);
    assert_eq!(answer.series[0].points[0].runs.len(), 4);
}

#[test]
fn the_order_is_the_one_given() {
    let all = versions(3, 1, "");
    let list = |names: &[&str]| HistoryOrder::List(names.iter().map(ToString::to_string).collect());
    let answer = follow(&all, &list(&["1.3", "1.1", "9"]));
    let names: Vec<String> = answer.versions.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["1.3", "1.1"]);
    assert!(
        answer
            .notes
            .iter()
            .any(|note| note.text == "1 of 3 listed versions have no run"),
        "{:?}",
        answer.notes
    );
    let left_out = "left out for having no place in the order of `version`: 1 run".to_owned();
    assert!(
        Note::texts(&answer.notes).contains(&left_out),
        "{:?}",
        answer.notes
    );
    let text = "run a version=main build=2\n  main work_ns 1\nrun b version=dev build=10\n  main work_ns 2\n";
    let two = runs(text);
    let ask = |order: &HistoryOrder| {
        history(
            &lens(),
            &two,
            order,
            &HistoryOptions::default(),
            &Mapping::default(),
            &Progress::silent(),
        )
    };
    assert_eq!(
        ask(&HistoryOrder::Versions).unwrap_err().to_string(),
        "the order of `version` is unknown: `dev` is not a version such as `1.10`; give an order"
    );
    let answer = ask(&HistoryOrder::Parameter("build".to_owned())).unwrap();
    let names: Vec<String> = answer.versions.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["main", "dev"]);
    let error = ask(&HistoryOrder::Parameter("biuld".to_owned()))
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean `build`"), "{error}");
    let none = history(
        &Lens::default(),
        &two,
        &HistoryOrder::Versions,
        &HistoryOptions::default(),
        &Mapping::default(),
        &Progress::silent(),
    );
    assert_eq!(
        none.unwrap_err().to_string(),
        "a history is by one parameter, not by none"
    );
}

#[test]
fn short_series_say_that_they_are_short() {
    let answer = follow(&versions(5, 1, ""), &HistoryOrder::Versions);
    assert!(
        answer.series[0]
            .groups
            .iter()
            .all(|row| row.changes.is_empty())
    );
    assert_eq!(
        Note::texts(&answer.notes),
        ["1 of 1 series are too short to show a change; 4 runs on either side of a change can"]
    );
}

/// What is said of a question that cannot be answered.
fn refused(order: &HistoryOrder, options: &HistoryOptions) -> String {
    let runs = versions(4, 2, "threads=2");
    let outcome = history(
        &lens(),
        &runs,
        order,
        options,
        &Mapping::default(),
        &Progress::silent(),
    );
    outcome.unwrap_err().to_string()
}

#[test]
fn what_no_run_has_is_refused_with_what_they_have() {
    let known = "`bogus` is in none of the runs; known are `format`, `name`, `program`, `ranks`, \
                 `threads`, `time_unit`, `version`, `workers`";
    let order = HistoryOrder::Parameter("bogus".to_owned());
    let message = refused(&order, &HistoryOptions::default());
    assert!(message.contains(known), "{message}");
    let options = HistoryOptions {
        environment: Some(vec!["threads".to_owned(), "bogus".to_owned()]),
        ..HistoryOptions::default()
    };
    let message = refused(&HistoryOrder::Versions, &options);
    assert!(message.contains(known), "{message}");
    let options = HistoryOptions {
        alpha: 0.0,
        ..HistoryOptions::default()
    };
    let message = refused(&HistoryOrder::Versions, &options);
    assert!(
        message.starts_with("alpha `0` is out of range"),
        "{message}"
    );
}
