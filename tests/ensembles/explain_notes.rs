//! `explain`: what swapped sides, limits, clauses of a lens and common runs change, and what is refused.

use sheaf_answers::{Cause, ExplainedBy, Explanation, Verdict};
use sheaf_tests::{ask, run, sample, workspace_root};

use super::add;
use super::explain::of_view;

/// Definitions of the runtimes have other names and other places in the answer when the sides are swapped.
#[test]
fn intervals_are_mirrored_when_sides_are_swapped() {
    let store = sample("runtimes");
    let [a, b] = ["runtime == llvm", "runtime == gnu-on-llvm"];
    let key = |cause: &Cause| (cause.by.as_str(), cause.kind, cause.delta.abs().to_bits());
    let intervals = |words: [&str; 3], sign: f64| {
        let answer: Explanation = ask(&store, &words);
        let signed = |[low, high]: [f64; 2]| {
            if sign > 0.0 {
                [low, high]
            } else {
                [-high, -low]
            }
        };
        let found = answer
            .causes
            .iter()
            .map(|it| (key(it), it.interval.map(signed)));
        found.collect::<Vec<_>>()
    };
    let there = intervals(["explain", a, b], 1.0);
    let back = intervals(["explain", b, a], -1.0);
    assert!(there.iter().any(|(_, interval)| interval.is_some()));
    assert_eq!(there, back);
}

#[test]
fn a_limit_holds_for_data_and_is_noted() {
    let store = sample("versions");
    let words = ["explain", "version == 1", "version == 2"];
    let all: Explanation = ask(&store, &words);
    let first: Explanation = ask(&store, &[&words[..], &["--limit", "2"]].concat());
    for by in [ExplainedBy::Workers, ExplainedBy::Path] {
        assert_eq!(of_view(&first, by), of_view(&all, by)[..2]);
    }
    let note = format!(
        "{} of {} causes are not shown; those that are shown do not add up to the difference",
        all.causes.len() - 4,
        all.causes.len()
    );
    assert_eq!(first.notes.last().unwrap().text, note);
    let csv = run(&store, [&words[..], &["--limit", "2", "--csv"]].concat());
    let csv = csv.expect_code(0);
    assert_eq!(csv.stdout.lines().count(), 1 + 4);
    assert!(csv.stderr.contains(&note), "{}", csv.stderr);
}

#[test]
fn clauses_that_choose_a_part_are_noted() {
    let lens = "by version | focus \"sort\" | diff \"version == 1\" to \"version == 2\"";
    let answer: Explanation = ask(&sample("versions"), &["explain", "--lens", lens]);
    let notes: Vec<&str> = answer.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        notes,
        [
            "an explanation is about whole runs; `by version`, `focus \"sort\"` of the lens do not matter"
        ]
    );
}

#[test]
fn runs_on_both_sides_are_noted() {
    let store = sample("versions");
    let answer: Explanation = ask(&store, &["explain", "version == 1", "version > 0"]);
    let [note] = answer.notes.as_slice() else {
        panic!("{:?}", answer.notes)
    };
    assert!(
        note.text.contains("both sides have runs in common (7)"),
        "{}",
        note.text
    );
    let is_untestable = |cause: &Cause| {
        cause.verdict == Verdict::Untestable && cause.reason.text() == "7 runs are on both sides"
    };
    assert!(answer.causes.iter().all(is_untestable));
}

#[test]
fn questions_without_two_sides_are_refused() {
    let store = sample("versions");
    let failed = run(&store, ["explain", "--lens", "level module"]);
    assert!(failed.expect_code(2).stderr.contains("compares nothing"));
    let failed = run(&store, ["explain", "version == 9", "version == 1"]);
    assert!(failed.expect_code(2).stderr.contains("version == 9"));
    let profile = workspace_root().join("data/samples/cprofile");
    let temporary = tempfile::tempdir().unwrap();
    let mixed = temporary.path().join("store");
    add(&mixed, &profile, &[]);
    let graph = workspace_root().join("data/samples/graphml");
    add(&mixed, &graph, &[]);
    let failed = run(
        &mixed,
        ["explain", "format == cprofile", "format == graphml"],
    );
    let reason = "it is a call profile, and run `";
    assert!(failed.expect_code(2).stderr.contains(reason));
}

/// Runs of the candidate do not count for the baseline of a gate, nor for the causes below it.
#[test]
fn causes_of_a_gate_are_those_of_its_runs() {
    let store = sample("versions");
    let sides = ["version == 1 and repeat != 2", "repeat == 2"];
    let gate = [
        "gate",
        "--baseline",
        "version == 1",
        "--candidate",
        sides[1],
        "--format",
        "markdown",
    ];
    let printed = run(&store, gate).stdout;
    let expected = run(&store, ["explain", sides[0], sides[1]]).stdout;
    let headline = expected
        .lines()
        .find(|line| line.starts_with("By workers"))
        .unwrap();
    assert!(printed.contains(headline), "{headline}\n{printed}");
}
