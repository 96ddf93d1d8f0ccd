//! Runs whose program aborted decide nothing.

use std::path::Path;

use sheaf_answers::{Diff, Gate, Runs, Similar, Stats, Verdict, WhatIf};
use sheaf_tests::{Outcome, as_json, ask, program, run};

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

#[test]
fn incomplete_runs_decide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    recorded(store);

    let failed: Gate = gate(store, ABORTED, &["--json"]).expect_code(1).read();
    let reason = "8 of 8 candidate runs are incomplete";
    assert_eq!(failed.reasons.len(), 1, "{failed:?}");
    assert!(as_json(&failed.reasons).contains(reason), "{failed:?}");
    assert!(as_json(&failed.incomplete).contains(reason), "{failed:?}");
    assert!(!failed.diff.rows.is_empty());
    for row in &failed.diff.rows {
        assert_eq!(row.verdict, Verdict::Untestable, "{row:?}");
    }
    for form in ["text", "markdown", "junit"] {
        let report = gate(store, ABORTED, &["--format", form]).expect_code(1);
        assert!(report.stdout.contains(reason), "{}", report.stdout);
    }
    let some = gate(store, "version = 2 or repeat > 6", &["--json"]);
    let some = as_json(&some.expect_code(1).read::<Gate>().incomplete);
    assert!(
        some.contains("8 of 10 candidate runs are incomplete"),
        "{some}"
    );

    // Likeness decides nothing, so incomplete runs are part of it, and the answer says that some are.
    let similar: Similar = ask(store, &["similar"]);
    let notes = as_json(&similar.notes);
    let expected = "the source of 8 runs ended early, so values are too low";
    assert_eq!(
        (similar.runs.len(), notes.matches(expected).count()),
        (16, 1),
        "{notes}"
    );

    // Cohorts are those of the questions that they are for.
    let cohorts = |lens: &str| {
        let answer: Runs = ask(store, &["runs", "--lens", lens]);
        assert_eq!(answer.runs.len(), 16);
        answer.cohorts.len()
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
        let text = run(store, words).expect_code(0).stdout;
        assert!(text.contains(left_out), "{words:?}: {text}");
        assert!(!text.contains("\"version\":2"), "{words:?}: {text}");
    }
}

#[test]
fn incomplete_runs_are_left_out_of_predictions() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    recorded(store);
    let answer: WhatIf = ask(store, &["what-if", "version > 0"]);
    assert_eq!(answer.runs.len(), 8);
    let notes = as_json(&answer.notes);
    let left_out = "8 of 16 runs are incomplete and left out: abort-version=2-t1-r1";
    assert!(notes.contains(left_out), "{notes}");
    assert!(!notes.contains("exists incomplete"), "{notes}");
    let refused = run(store, ["what-if", ABORTED]).expect_code(2);
    assert!(
        refused.stderr.contains("it is incomplete"),
        "{}",
        refused.stderr
    );
}

#[test]
fn where_incomplete_brings_incomplete_runs_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path();
    recorded(store);
    let stats = |condition: &str| {
        let words = ["stats", "--by", "version", "--where", condition];
        let answer: Stats = ask(store, &words);
        let runs = answer.rows.iter().map(|row| row.runs).max();
        (runs, as_json(&answer.notes).contains("left out"))
    };
    assert_eq!(stats("incomplete"), (Some(8), false));
    assert_eq!(stats("exists incomplete"), (Some(8), false));
    assert_eq!(stats("version > 0"), (Some(8), true));
    let candidate = "version = 2 and exists incomplete";
    let diff: Diff = ask(store, &["diff", WHOLE, candidate]);
    assert_eq!(diff.b.runs.len(), 8, "{diff:?}");
    // Runs that are all there is are described, with a warning.
    let only: Stats = ask(store, &["stats", "--where", ABORTED]);
    let notes = as_json(&only.notes);
    assert!(notes.contains("ended early"), "{notes}");
}
