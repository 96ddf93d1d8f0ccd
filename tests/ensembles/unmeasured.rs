//! What was not measured is never zero, through the command line.

use serde_json::json;
use sheaf_answers::{Diff, Gate, GateOutcome, History, Verdict};
use sheaf_tests::{as_json, ask, find, run};
use tempfile::TempDir;

/// Six runs of version 1, in which `half` occurs and was not measured, and six of version 2, in which it was.
fn made() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for version in [1, 2] {
        for repeat in 0..6 {
            let time = 10.0 + 0.1 * f64::from(repeat) + 0.01 * f64::from(version);
            let child = |name: &str, time: Option<f64>| {
                let metrics =
                    time.map_or(json!({}), |time| json!({"time": time, "time (inc)": time}));
                json!({"frame": {"name": name, "type": "function"}, "metrics": metrics, "children": []})
            };
            let half = (version == 2).then_some(time);
            let metrics = json!({"time": 1.0, "time (inc)": 1.0 + time + half.unwrap_or(0.0)});
            let root = json!([{"frame": {"name": "main", "type": "function"}, "metrics": metrics,
                "children": [child("solve", Some(time)), child("half", half)]}]);
            let file = folder.path().join(format!("v{version}r{repeat}.json"));
            std::fs::write(&file, root.to_string()).unwrap();
            let param = format!("version={version}");
            let words = ["add", file.to_str().unwrap(), "--param", &param];
            run(&folder.path().join("store"), words).expect_code(0);
        }
    }
    folder
}

#[test]
fn nothing_got_slower_or_appeared() {
    let made = made();
    let store = made.path().join("store");
    let diff: Diff = ask(&store, &["diff", "version=1", "version=2"]);
    let half = find(&diff.rows, |row| row.path == ["half"]);
    assert_eq!((half.a, half.verdict), (None, Verdict::Untestable));
    assert!(half.b > Some(10.0), "{half:?}");
    let delta = diff.totals.unwrap().delta;
    assert!((delta - 0.01).abs() < 1e-9, "{delta}");

    let words = ["diff", "version=1", "version=2", "--csv"];
    let table = run(&store, words).expect_code(0).stdout;
    let line = table
        .lines()
        .find(|line| line.starts_with("half,"))
        .unwrap();
    // No mean of the baseline, that of the candidate, no delta and no impact.
    let cells: Vec<&str> = line.split(',').collect();
    assert_eq!((cells[3], cells[5], cells[6]), ("", "", ""), "{line}");

    let words = [
        "gate",
        "--baseline",
        "version=1",
        "--candidate",
        "version=2",
    ];
    let gate: Gate = ask(&store, &words);
    let why = "the whole run is not judged: `time` was not measured in all runs of half";
    assert_eq!(gate.outcome, GateOutcome::Inconclusive);
    assert_eq!(gate.reasons.len(), 2);
    for (reason, expected) in gate.reasons.iter().zip(["1 group undecided", why]) {
        assert!(as_json(reason).contains(expected), "{reason:?}");
    }
    assert_eq!(gate.total, None);
    let table = run(&store, words.iter().chain(&["--csv"]))
        .expect_code(0)
        .stdout;
    let whole = table.lines().nth(1).unwrap();
    assert!(
        whole.starts_with("(whole run),") && whole.contains(why),
        "{whole}"
    );

    let history: History = ask(&store, &["history", "--by", "version"]);
    let series = &history.series[0];
    assert_eq!(series.events, []);
    let whole = find(&series.groups, |group| group.group == "total");
    assert_eq!(whole.values[0], None);
}
