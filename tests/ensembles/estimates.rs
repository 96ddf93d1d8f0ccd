//! Counters whose values are estimates are marked from the file to every answer.

use std::fmt::Write as _;
use std::path::PathBuf;

use sheaf_answers::{Diff, Gate, Stats, Verdict};
use sheaf_tests::{as_json, ask, run};

use super::add;

/// Runs of TAU with cycles, the second version's counters in turns.
fn store() -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    for version in [1, 2] {
        for repeat in 0..5 {
            let folder = temporary.path().join(format!("v{version}-r{repeat}"));
            for (metric, value) in [("TIME", 1000 * version + repeat), ("PAPI_TOT_CYC", 9000)] {
                let folder = folder.join(format!("MULTI__{metric}"));
                std::fs::create_dir_all(&folder).unwrap();
                let multiplexing = if version == 2 { "on" } else { "off" };
                let mut text = format!("1 templated_functions_MULTI_{metric}\n");
                let attributes = [
                    ("TAU_PAPI_MULTIPLEXING", multiplexing.to_owned()),
                    ("version", version.to_string()),
                    ("repeat", repeat.to_string()),
                ];
                text.push_str("# Name Calls <metadata>");
                for (name, value) in attributes {
                    let _ = write!(
                        text,
                        "<attribute><name>{name}</name><value>{value}</value></attribute>"
                    );
                }
                let row = format!("\"main\" 1 0 {value} {value} 0 GROUP=\"A\" ");
                let _ = write!(text, "</metadata>\n{row}\n0 aggregates\n0 userevents\n");
                std::fs::write(folder.join("profile.0.0.0"), text).unwrap();
            }
            add(&store, &folder, &[]);
        }
    }
    (temporary, store)
}

#[test]
fn estimated_counters_are_marked_in_every_answer() {
    let (_temporary, store) = store();
    let cycles = "papi_tot_cyc_cycles";
    let reason =
        "is estimated in 5 runs: counters took turns on the hardware (TAU_PAPI_MULTIPLEXING)";
    let note = format!("`{cycles}` {reason}");

    let stats: Stats = ask(&store, &["stats", "--metric", cycles]);
    let notes = as_json(&stats.notes);
    assert!(notes.contains(&note), "{notes}");
    let rows = &stats.rows;
    assert!(!rows.is_empty() && rows.iter().all(|row| row.estimated));
    let text = run(&store, ["stats", "--metric", cycles])
        .expect_code(0)
        .stdout;
    assert!(text.contains("inclusive, estimated\n"), "{text}");

    let time: Stats = ask(&store, &["stats", "--metric", "time_us"]);
    assert!(time.rows.iter().all(|row| !row.estimated));
    assert!(!as_json(&time.notes).contains("estimated"));

    let sides = ["version = 1", "version = 2"];
    let diff = |words: &[&str]| run(&store, [&["diff", sides[0], sides[1]], words].concat());
    let answer: Diff = diff(&["--metric", cycles, "--json"]).expect_code(0).read();
    assert_eq!(answer.estimated, 5);
    let notes = as_json(&answer.notes);
    assert!(notes.contains(&note), "{notes}");
    // Equal values of an exact metric are called equal; those of an estimate lie within the interval.
    let reasons = as_json(&answer.rows);
    assert_eq!(answer.rows[0].verdict, Verdict::Unchanged);
    assert!(!reasons.contains("values are equal"), "{reasons}");
    let calls: Diff = diff(&["--metric", "calls", "--json"]).expect_code(0).read();
    assert_eq!(calls.estimated, 0);
    let text = diff(&["--metric", cycles]).expect_code(0).stdout;
    assert!(
        text.contains("exclusive, estimated in 5 runs; differences"),
        "{text}"
    );

    let gate = [
        "gate",
        "--baseline",
        sides[0],
        "--candidate",
        sides[1],
        "--metric",
        cycles,
    ];
    let answer: Gate = ask(&store, &gate);
    assert_eq!(answer.diff.estimated, 5);
    let text = run(&store, gate).expect_code(0).stdout;
    assert!(text.contains("estimated in 5 runs; fails on"), "{text}");
    assert!(text.contains(reason), "{text}");
}
