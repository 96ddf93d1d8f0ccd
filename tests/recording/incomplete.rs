//! Runs whose program aborted decide nothing.

use std::path::Path;

use serde_json::Value;
use sheaf_tests::{Outcome, program, run};

const WHOLE: &str = "version = 1";
const ABORTED: &str = "version = 2";

/// Eight whole runs of `abort`, and eight that end at task 100 of 200.
fn recorded(store: &Path) {
    let program = program("abort");
    for (version, stop, code) in [("version=1", "0", 0), ("version=2", "100", 3)] {
        let program = program.to_str().unwrap();
        let options = ["record", "--quiet", "--threads", "1", "--repeat", "8"];
        let rest = ["--param", version, "--", program, "200", stop, "2000"];
        let words = options.iter().chain(&rest);
        run(store, words.copied()).expect_code(code);
    }
}

fn gate(store: &Path, candidate: &str, more: &[&str]) -> Outcome {
    let words = ["gate", "--baseline", WHOLE, "--candidate", candidate];
    let asked = ["--strict", "--fail-on", "slower,structure"];
    let words = words.iter().chain(&asked).chain(more);
    run(store, words.copied())
}

#[track_caller]
fn notes(answer: &Value) -> String {
    let notes = answer["notes"].as_array().unwrap().iter();
    let notes: Vec<&str> = notes.filter_map(Value::as_str).collect();
    notes.join("\n")
}

#[test]
fn incomplete_runs_decide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    recorded(store);

    let failed = gate(store, ABORTED, &["--json"]).expect_code(1).json();
    let reason = "8 of 8 candidate runs are incomplete";
    assert_eq!(failed["reasons"], serde_json::json!([reason]), "{failed}");
    assert_eq!(failed["incomplete"], reason);
    let verdicts = failed["diff"]["rows"].as_array().unwrap().iter();
    assert!(verdicts.clone().count() > 0);
    for row in verdicts {
        assert_eq!(row["verdict"], "untestable", "{row}");
    }
    for form in ["text", "markdown", "junit"] {
        let report = gate(store, ABORTED, &["--format", form]).expect_code(1);
        assert!(report.stdout.contains(reason), "{}", report.stdout);
    }
    let some = gate(store, "version = 2 or repeat > 6", &["--json"]);
    let some = some.expect_code(1).json();
    assert_eq!(some["incomplete"], "8 of 10 candidate runs are incomplete");

    // Cohorts are those of the questions that they are for.
    let cohorts = |lens: &str| {
        let answer = run(store, ["runs", "--lens", lens, "--json"]);
        let answer = answer.expect_code(0).json();
        assert_eq!(answer["runs"].as_array().unwrap().len(), 16);
        answer["cohorts"].as_array().unwrap().len()
    };
    assert_eq!(cohorts("by version"), 1);
    assert_eq!(cohorts("where exists incomplete | by version"), 2);

    let refused = run(store, ["diff", WHOLE, ABORTED]).expect_code(2);
    let expected = "all 8 runs of `version = 2` are incomplete: abort-version=2-t1-r1";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    assert!(
        refused
            .stderr
            .contains("`and exists incomplete` in the expression includes them")
    );

    let left_out = "8 of 16 runs are incomplete and left out: abort-version=2-t1-r1";
    for words in [
        &["stats", "--json", "--by", "version"][..],
        &["noise", "--json", "--by", "version"],
        &["history", "--json", "--by", "version"],
        &["scale", "--json", "--by", "version"],
    ] {
        let answer = run(store, words).expect_code(0).json();
        assert!(notes(&answer).contains(left_out), "{answer}");
        let text = answer.to_string();
        assert!(!text.contains("\"version\":2"), "{words:?}: {answer}");
    }
}

#[test]
fn where_incomplete_brings_incomplete_runs_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    recorded(store);
    let stats = |condition: &str| {
        let words = ["stats", "--json", "--by", "version", "--where", condition];
        let answer = run(store, words).expect_code(0).json();
        let rows = answer["rows"].as_array().unwrap().iter();
        let runs = rows.filter_map(|row| row["runs"].as_u64()).max();
        (runs, notes(&answer).contains("left out"))
    };
    assert_eq!(stats("incomplete"), (Some(8), false));
    assert_eq!(stats("exists incomplete"), (Some(8), false));
    assert_eq!(stats("version > 0"), (Some(8), true));
    let candidate = "version = 2 and exists incomplete";
    let words = ["diff", "--json", WHOLE, candidate];
    let diff = run(store, words).expect_code(0).json();
    assert_eq!(diff["b"]["runs"].as_array().unwrap().len(), 8, "{diff}");
    // Runs that are all there is are described, with a warning.
    let only = ["stats", "--json", "--where", ABORTED];
    let only = run(store, only).expect_code(0).json();
    assert!(notes(&only).contains("ended early"), "{only}");
}
