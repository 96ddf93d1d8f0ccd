//! Histories of programs whose definitions are renamed, wrapped and moved.

use std::fmt::Write as _;

use super::*;
use crate::diff::Correspondence;
use sheaf_answers::{HistoryEvent, HistoryGroup, MatchedBy};

/// `count` versions with three runs each; `name` says what the definition is called in a version, which calls
/// `part` and takes a third more from version 6 on; it is not there where it has no name.
fn program(count: usize, name: impl Fn(usize) -> String) -> Vec<Arc<RunSummary>> {
    let mut text = "def main kind=function\n".to_owned();
    for version in 1..=count {
        for repeat in 0..3 {
            let name = name(version);
            let _ = writeln!(text, "run v{version:02}r{repeat} version=1.{version}");
            let mut group = |path: &str, work: f64, number: usize| {
                let work = work * noise(version, repeat, number);
                let _ = writeln!(text, "  {path} work_ns {work:.0} ; calls_count {number}");
            };
            group("main/still", 5e8, 1);
            if name.is_empty() {
                continue;
            }
            let step = if version >= 6 { 4e8 } else { 3e8 };
            group(&format!("main/{name}"), step, 2);
            group(&format!("main/{name}/part"), 1e8, 3);
            group(&format!("main/{name}/part/leaf"), 1e8, 4);
        }
    }
    runs(&text)
}

fn ask(runs: &[Arc<RunSummary>], lens: &Lens, mapping: &Mapping) -> History {
    let order = HistoryOrder::Versions;
    let options = HistoryOptions::default();
    history(lens, runs, &order, &options, mapping, &Progress::silent()).unwrap()
}

fn said(pairs: &[(&str, &str, bool)]) -> Mapping {
    let entry = |&(a, b, is_same): &(&str, &str, bool)| Correspondence {
        a: a.to_owned(),
        b: b.to_owned(),
        is_same,
    };
    Mapping {
        entries: pairs.iter().map(entry).collect(),
    }
}

/// Paths of the rows but the whole run, in order, with the versions in which they occur.
fn rows(series: &HistorySeries) -> Vec<String> {
    let occurs = |row: &HistoryGroup| {
        let values = row.values.iter();
        values
            .map(|value| if value.is_some() { 'x' } else { '.' })
            .collect::<String>()
    };
    let mut rows: Vec<String> = series
        .groups
        .iter()
        .filter(|row| row.group != WHOLE_RUN)
        .map(|row| format!("{} {}", row.path.join("/"), occurs(row)))
        .collect();
    rows.sort_unstable();
    rows
}

fn events(series: &HistorySeries) -> Vec<String> {
    let event = |event: &HistoryEvent| {
        let how = event.change.as_ref().and_then(|change| change.matched_by);
        let how = how.map_or(String::new(), |how| format!(" {how:?}"));
        let version = &event.version;
        let last = event.path.last().map_or("", String::as_str);
        format!("{version} {:?} {last}{how}", event.kind)
    };
    series.events.iter().map(event).collect()
}

fn renamed_at_five(version: usize) -> String {
    if version < 5 { "old" } else { "new" }.to_owned()
}

#[test]
fn a_renamed_definition_is_one_series() {
    let answer = ask(&program(12, renamed_at_five), &lens(), &Mapping::default());
    let [series] = answer.series.as_slice() else {
        panic!("{answer:?}");
    };
    assert_eq!(
        rows(series),
        [
            "leaf xxxxxxxxxxxx",
            "old → new xxxxxxxxxxxx",
            "part xxxxxxxxxxxx",
            "still xxxxxxxxxxxx"
        ]
    );
    assert_eq!(events(series), ["1.5 Renamed new Inferred"]);
    assert!(
        told(series).starts_with("old → new Slower at 1.6"),
        "{}",
        told(series)
    );
    let row = series
        .groups
        .iter()
        .find(|row| row.path == ["old → new"])
        .unwrap();
    let names: Vec<_> = row
        .names
        .iter()
        .map(|name| (name.name.as_str(), name.version.clone(), name.matched_by))
        .collect();
    assert_eq!(
        names,
        [
            ("old", Some(ParamValue::Number(1.1)), None),
            (
                "new",
                Some(ParamValue::Number(1.5)),
                Some(MatchedBy::Inferred)
            )
        ]
    );
    assert!(row.names[1].score.unwrap() > 0.9);
    // The same values as if it had had its newest name from the beginning.
    let always = ask(
        &program(12, |_| "new".to_owned()),
        &lens(),
        &Mapping::default(),
    );
    let plain = |row: &&HistoryGroup| row.path == ["new"];
    let of_new = always.series[0].groups.iter().find(plain).unwrap();
    assert_eq!(
        (&row.values, row.p, row.q),
        (&of_new.values, of_new.p, of_new.q)
    );
    assert_eq!((&row.group, &row.changes), (&of_new.group, &of_new.changes));
}

#[test]
fn at_context_level_all_that_is_below_comes_along() {
    let lens: Lens = "level context | by version".parse().unwrap();
    let answer = ask(&program(8, renamed_at_five), &lens, &Mapping::default());
    assert_eq!(
        rows(&answer.series[0]),
        [
            "main/old → new xxxxxxxx",
            "main/old → new/part xxxxxxxx",
            "main/old → new/part/leaf xxxxxxxx",
            "main/still xxxxxxxx"
        ]
    );
    assert_eq!(events(&answer.series[0]), ["1.5 Renamed new Inferred"]);
}

#[test]
fn names_are_chained_and_may_come_back() {
    let chain = |version: usize| ["a", "b", "c"][(version - 1) / 3].to_owned();
    let answer = ask(&program(9, chain), &lens(), &Mapping::default());
    assert!(rows(&answer.series[0]).contains(&"a → b → c xxxxxxxxx".to_owned()));
    assert_eq!(
        events(&answer.series[0]),
        ["1.4 Renamed b Inferred", "1.7 Renamed c Inferred"]
    );
    let back = |version: usize| if (4..7).contains(&version) { "b" } else { "a" }.to_owned();
    let answer = ask(&program(9, back), &lens(), &Mapping::default());
    // It is called after the newest version.
    let row = answer.series[0]
        .groups
        .iter()
        .find(|row| row.path == ["a → b"])
        .unwrap();
    let a = ask(
        &program(9, |_| "a".to_owned()),
        &lens(),
        &Mapping::default(),
    );
    let always = a.series[0]
        .groups
        .iter()
        .find(|row| row.path == ["a"])
        .unwrap();
    assert_eq!((&row.group, &row.values), (&always.group, &always.values));
}

#[test]
fn what_the_mapping_says_holds() {
    let all = program(8, renamed_at_five);
    let rejected = ask(&all, &lens(), &said(&[("old", "new", false)]));
    let found = rows(&rejected.series[0]);
    assert!(found.contains(&"old xxxx....".to_owned()), "{found:?}");
    assert!(found.contains(&"new ....xxxx".to_owned()), "{found:?}");
    assert!(rejected.renames.is_empty());
    let confirmed = ask(&all, &lens(), &said(&[("new", "old", true)]));
    assert_eq!(events(&confirmed.series[0]), ["1.5 Renamed new Confirmed"]);
    let new = &confirmed.renames[0].names[1];
    assert_eq!(
        (new.matched_by, new.score),
        (Some(MatchedBy::Confirmed), Some(1.0))
    );
    // The ends of a chain are said to be different: the weaker link gives way.
    let chain = |version: usize| ["a", "b", "c"][(version - 1) / 3].to_owned();
    let ends = ask(&program(9, chain), &lens(), &said(&[("a", "c", false)]));
    assert_eq!(ends.renames.len(), 1, "{:?}", ends.renames);
    let note = "are not followed as one: the mapping file says that";
    assert!(
        ends.notes.iter().any(|one| one.text.contains(note)),
        "{:?}",
        ends.notes
    );
    // What has been away for a version is not inferred, but may be said.
    let gap = |version: usize| {
        ["old", "", "new"][usize::from(version >= 4) + usize::from(version > 4)].to_owned()
    };
    let all: Vec<_> = program(8, gap);
    let found = ask(&all, &lens(), &said(&[("old", "new", true)]));
    assert!(
        rows(&found.series[0]).contains(&"old → new xxx.xxxx".to_owned()),
        "{:?}",
        rows(&found.series[0])
    );
}

#[test]
fn what_occurs_together_is_never_one() {
    let mut all = program(8, renamed_at_five);
    // One more run of version 7 has both.
    all.extend(runs(
        "def main kind=function\nrun w version=1.7\n  main/old work_ns 5\n  main/new work_ns 6\n",
    ));
    let answer = ask(&all, &lens(), &Mapping::default());
    assert!(answer.renames.is_empty());
    // The groups are two; no event says that one was renamed to the other.
    assert_eq!(
        events(&answer.series[0]),
        [
            "1.5 Appeared new",
            "1.5 Vanished old",
            "1.7 Appeared old",
            "1.8 Vanished old"
        ]
    );
    let note = "1.7 has both";
    assert!(
        answer.notes.iter().any(|one| one.text.contains(note)),
        "{:?}",
        answer.notes
    );
}

#[test]
fn wrappers_and_moves_stand_at_their_version() {
    let mut text = String::new();
    for version in 1..=4 {
        let _ = writeln!(text, "run v{version} version={version}");
        let step = if version >= 3 {
            "main/wrap/step"
        } else {
            "main/step"
        };
        let away = if version >= 4 { "main/other" } else { step };
        for line in [
            "main/other work_ns 5".to_owned(),
            format!("{step} work_ns 7"),
            format!("{step}/x work_ns 7"),
            format!("{away}/moved work_ns 3"),
            format!("{away}/moved/y work_ns 3"),
        ] {
            let _ = writeln!(text, "  {line}");
        }
    }
    let answer = ask(&runs(&text), &lens(), &Mapping::default());
    assert_eq!(
        events(&answer.series[0]),
        ["3 Wrapped wrap", "4 Moved moved"]
    );
}

#[test]
fn several_metrics_are_series_of_their_own_under_one_correction() {
    let all = program(12, renamed_at_five);
    let options = HistoryOptions {
        more_metrics: vec!["calls_count".to_owned()],
        ..HistoryOptions::default()
    };
    let order = HistoryOrder::Versions;
    let (mapping, silent) = (Mapping::default(), Progress::silent());
    let both = history(&lens(), &all, &order, &options, &mapping, &silent).unwrap();
    let names: Vec<&str> = both.series.iter().map(|one| one.metric.as_str()).collect();
    assert_eq!(names, ["work_ns", "calls_count"]);
    let one = ask(&all, &lens(), &mapping);
    assert_eq!(both.series[0].points, one.series[0].points);
    assert_eq!(both.tested, 2 * one.tested);
    let p = |answer: &History| {
        let rows = answer.series[0].groups.iter();
        rows.filter(|row| row.path == ["old → new"])
            .map(|row| row.p)
            .next()
            .unwrap()
    };
    assert_eq!(p(&both), p(&one));
    let every = HistoryOptions {
        more_metrics: vec!["all".to_owned()],
        ..options
    };
    let every = history(&lens(), &all, &order, &every, &mapping, &silent).unwrap();
    assert_eq!(every.series.len(), 2);
    let mut turned = all;
    turned.reverse();
    assert_eq!(ask(&turned, &lens(), &mapping), one);
}

/// Two tasks, and from version 4 on another before them, whose number they move up by.
#[test]
fn constructs_keep_their_series_when_others_come_before_them() {
    let tasks = [("new", 10, 48), ("first", 14, 12), ("second", 18, 30)];
    let mut definitions =
        "def main kind=program\ndef leaf kind=task function=leaf line=4\n".to_owned();
    let mut text = String::new();
    for version in 1..=6 {
        let present = if version < 4 { &tasks[1..] } else { &tasks[..] };
        for (ordinal, (name, line, _)) in present.iter().enumerate() {
            let line = if version < 4 { line - 4 } else { *line };
            let _ = writeln!(
                definitions,
                "def {name}{version} kind=task function=run ordinal={ordinal} line={line} file=a.c name={name}"
            );
        }
        for repeat in 0..2 {
            let _ = writeln!(text, "run v{version}r{repeat} version=1.{version}");
            let mut group = |path: &str, grains: i32| {
                let work = f64::from(grains) * 1e7 * noise(version, repeat, 1);
                let _ = writeln!(text, "  {path} work_ns {work:.0} ; grains {grains}");
            };
            group("main", 1);
            for (name, _, grains) in present {
                group(&format!("main/{name}{version}"), *grains);
            }
            group(&format!("main/first{version}/leaf"), 24);
        }
    }
    let answer = ask(&runs(&(definitions + &text)), &lens(), &Mapping::default());
    let of_tasks = |row: &String| !row.starts_with("main");
    let rows: Vec<String> = rows(&answer.series[0])
        .into_iter()
        .filter(of_tasks)
        .collect();
    assert_eq!(
        rows,
        ["first xxxxxx", "leaf xxxxxx", "new ...xxx", "second xxxxxx"]
    );
    assert_eq!(events(&answer.series[0]), ["1.4 Appeared new"]);
    let is_note = |note: &Note| {
        note.text
            .starts_with("constructs of `run` have other numbers")
    };
    assert_eq!(answer.notes.iter().filter(|note| is_note(note)).count(), 1);
}

/// Chunks do not count, so only iterations distinguish the loops.
#[test]
fn loops_keep_their_series_by_their_iterations() {
    let loops = [("new", 28), ("first", 24), ("second", 36)];
    let mut definitions = "def main kind=program\n".to_owned();
    let mut text = String::new();
    for version in 1..=4 {
        let present = if version < 3 { &loops[1..] } else { &loops[..] };
        for (ordinal, (name, _)) in present.iter().enumerate() {
            let _ = writeln!(
                definitions,
                "def {name}{version} kind=loop function=run ordinal={ordinal} line={} file=a.c name={name}",
                10 + 4 * ordinal
            );
        }
        for repeat in 0..2 {
            let _ = writeln!(text, "run v{version}r{repeat} version=1.{version}");
            for (name, count) in present {
                let work = f64::from(*count) * 1e7 * noise(version, repeat, 1);
                let _ = writeln!(text, "  main/{name}{version} work_ns {work:.0}");
            }
        }
    }
    let all = runs(&(definitions + &text));
    let iterations = |run: &Arc<RunSummary>| {
        let count = |row: usize| {
            let definition = usize::try_from(run.contexts.definition.value(row)).unwrap();
            let name = run.definitions.name.value(definition);
            let found = loops.iter().find(|(known, _)| *known == name);
            found.map(|(_, count)| i64::from(*count))
        };
        (run.meta.id, (0..run.contexts.len()).map(count).collect())
    };
    let options = HistoryOptions {
        iterations: all.iter().map(iterations).collect(),
        ..HistoryOptions::default()
    };
    let (order, mapping) = (HistoryOrder::Versions, Mapping::default());
    let answer = history(
        &lens(),
        &all,
        &order,
        &options,
        &mapping,
        &Progress::silent(),
    )
    .unwrap();
    let of_loops = |row: &String| !row.starts_with("main");
    let rows: Vec<String> = rows(&answer.series[0])
        .into_iter()
        .filter(of_loops)
        .collect();
    assert_eq!(rows, ["first xxxx", "new ..xx", "second xxxx"]);
}
