//! What a history tests and what it does not, and how it says so: through the command line.

use std::collections::BTreeMap;

use sheaf_answers::{History, HistoryGroup, Verdict};
use sheaf_tests::{as_json, ask, find, number, reference, run, text};

use crate::made::{Made, MadeStore, noisy, store};

/// Eight versions with four runs each: `small` doubles at 1.5, which is 0.5 % of the total, and `big` takes a third
/// more at 1.7. `threads` says on how many threads a version ran.
fn small_and_big(threads: impl Fn(u32) -> u32) -> MadeStore {
    let mut runs = Vec::new();
    for version in 1..=8_u32 {
        for repeat in 0..4_u32 {
            let seed = u64::from(version * 1000 + repeat);
            let big = if version >= 7 { 1.2 } else { 0.9 };
            let small = if version >= 5 { 0.01 } else { 0.005 };
            runs.push(Made {
                params: vec![
                    ("version", format!("1.{version}")),
                    ("threads", threads(version).to_string()),
                ],
                times: vec![
                    ("big", noisy(seed, big, 0.01)),
                    ("small", noisy(seed + 300_000, small, 0.01)),
                ],
            });
        }
    }
    store(&runs, false)
}

/// The one row of a CSV text with this path and version, by column.
fn row_of<'a>(csv: &'a str, path: &str, version: &str) -> BTreeMap<&'a str, &'a str> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let version_at = header.iter().position(|name| *name == "version").unwrap();
    let mut rows = lines.filter(|cells| cells[0] == path && cells[version_at] == version);
    let row = rows
        .next()
        .unwrap_or_else(|| panic!("{path} {version}: {csv}"));
    header.into_iter().zip(row).collect()
}

#[test]
fn what_is_too_little_to_count_is_tested_shown_and_explained() {
    let made = small_and_big(|_| 2);
    let words = ["history", "--by", "version"];
    let history: History = ask(&made.path(), &words);
    let small = group(&history, "small");
    let reason = "significant, but below 1 % of the larger total";
    let change = &small.changes[0];
    assert_eq!(text(&change.version), "1.5");
    assert_eq!(change.verdict, Verdict::Inconclusive);
    assert!(as_json(&change.reason).contains(reason), "{change:?}");
    // All that was looked at is tested: three groups and the whole run.
    assert!(small.q.unwrap() <= 0.05);
    assert_eq!(history.tested, 3, "{history:?}");
    // What happened there can be looked into like any other change.
    let diffs = &history.diffs;
    let shown: Vec<String> = diffs.iter().map(|diff| text(&diff.version)).collect();
    assert_eq!(shown, ["1.5", "1.7"]);
    let found = find(&diffs[0].rows, |row| row.path == ["small"]);
    assert!(found.delta > Some(0.004), "{found:?}");
    let text = run(&made.path(), words).expect_code(0).stdout;
    let line = text.lines().find(|line| line.contains(reason)).unwrap();
    assert!(
        line.contains("small") && line.contains("inconclusive"),
        "{text}"
    );
    assert!(
        text.contains("3 groups tested for changes, q over all of them"),
        "{text}"
    );
    let csv = run(&made.path(), words.into_iter().chain(["--csv"]));
    let csv = csv.expect_code(0).stdout;
    let row = row_of(&csv, "small", "1.5");
    assert_eq!((row["verdict"], row["is_change"]), ("inconclusive", "true"));
    assert_eq!(row["reason"].trim_matches('"'), "significant");
    let row = row_of(&csv, "big", "1.7");
    assert_eq!((row["verdict"], row["newest_verdict"]), ("slower", ""));
    let row = row_of(&csv, "big", "1.8");
    assert_eq!((row["verdict"], row["newest_verdict"]), ("", "unchanged"));
}

#[test]
fn times_on_other_threads_have_no_p_and_take_no_part_in_the_correction() {
    let made = small_and_big(|version| if version < 5 { 2 } else { 4 });
    let words = ["history", "--by", "version", "--environment", ""];
    let history: History = ask(&made.path(), &words);
    let series = &history.series[0];
    let reason = "times with different numbers of threads are not tested (2 against 4)";
    for (at, point) in series.points.iter().enumerate() {
        assert_eq!(point.untested.is_some(), at == 4, "{point:?}");
    }
    assert!(as_json(&series.points[4].untested).contains(reason));
    // `small` doubles where the threads do, which says nothing; `big` changes among the last four.
    assert_eq!(group(&history, "small").changes, []);
    assert_eq!(text(&group(&history, "big").changes[0].version), "1.7");
    let text = run(&made.path(), words).expect_code(0).stdout;
    assert!(text.contains(&format!("  at 1.5: {reason}\n")), "{text}");
    let csv = run(&made.path(), words.into_iter().chain(["--csv"])).expect_code(0);
    assert_eq!(row_of(&csv.stdout, "small", "1.5")["verdict"], "untestable");

    // By threads nothing is left to test, in JSON, text and CSV alike.
    let made = small_and_big(|version| version);
    let words = ["history", "--by", "threads"];
    let history: History = ask(&made.path(), &words);
    assert_eq!(history.tested, 0);
    for name in ["(whole run)", "big", "small"] {
        let group = group(&history, name);
        let last = group.last.as_ref().unwrap();
        assert_eq!([group.p, group.q, last.p, last.q], [None; 4]);
        assert_eq!(last.verdict, Verdict::Untestable, "{group:?}");
        let reason = as_json(&last.reason);
        assert!(reason.contains("(7 against 8)"), "{reason}");
    }
    let text = run(&made.path(), words).expect_code(0).stdout;
    for printed in [
        "no group is tested for changes",
        "at 2, 3, 4, 5, 6, 7, 8: times with different numbers of threads are not tested\n",
        "0 groups tested",
        "a scaling study by `threads` compares efficiency and work inflation",
    ] {
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(printed.trim()), "{printed}: {text}");
    }
}

/// A group of the first series by the last name of its path.
fn group<'a>(history: &'a History, name: &str) -> &'a HistoryGroup {
    find(&history.series[0].groups, |group| group.path[0] == name)
}

#[test]
fn workers_that_follow_from_ranks_do_not_part_the_lulesh_runs() {
    let Some(folder) = reference("call-profiles/caliper-json-split/lulesh-weak-scaling8") else {
        return;
    };
    let store = tempfile::tempdir().unwrap();
    let store = store.path().join("store");
    run(&store, ["add".as_ref(), folder.as_os_str()]).expect_code(0);
    let history: History = ask(&store, &["history", "--by", "ranks"]);
    let series = &history.series;
    assert_eq!(series.len(), 1);
    let points = &series[0].points;
    let ranks: Vec<f64> = points.iter().map(|point| number(&point.version)).collect();
    assert_eq!(ranks, [1.0, 8.0, 27.0, 64.0, 125.0, 216.0, 343.0, 512.0]);
    let note = "what follows from `ranks` does not part series: `workers`";
    let notes = as_json(&history.notes);
    assert!(notes.contains(note), "{notes}");
}
