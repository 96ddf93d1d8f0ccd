//! Gates of programs whose every function is small, and gates on structure alone.

use sheaf_answers::{Gate, GateState};
use sheaf_tests::run;

use crate::made::{Made, MadeStore, noisy, store};

const NAMES: usize = 120;

/// Six runs of either version, of which the second takes 40 % more in every one of many functions.
fn many(names: &[String]) -> MadeStore {
    let mut runs = Vec::new();
    for (version, time) in [(1_u32, 1.0), (2, 1.4)] {
        for repeat in 0..6_u32 {
            let seed = u64::from(version * 10_000 + repeat * 1000);
            let of = |(at, name)| (name, noisy(seed + at, time, 0.01));
            runs.push(Made {
                params: vec![
                    ("version", version.to_string()),
                    ("repeat", repeat.to_string()),
                ],
                times: (0..)
                    .zip(names.iter().map(String::as_str))
                    .map(of)
                    .collect(),
            });
        }
    }
    store(&runs, false)
}

#[test]
fn a_run_that_cannot_be_judged_does_not_pass() {
    let names: Vec<String> = (0..NAMES).map(|at| format!("f{at}")).collect();
    let made = many(&names);
    let (one, other) = ("version = 1 and repeat = 0", "version = 2 and repeat = 0");
    let single = ["gate", "--baseline", one, "--candidate", other];
    let gate = |more: &[&str], code| {
        let words = [&single[..], more].concat();
        run(&made.path(), words).expect_code(code).stdout
    };
    let why = "the whole run is not judged: 1 against 1 runs cannot reach 5 %; 4 runs per side can";
    let text = gate(&["--strict"], 4);
    assert!(
        text.starts_with(&format!("Gate inconclusive: {why}\n")),
        "{text}"
    );
    assert!(
        text.contains("4 runs per side can judge the whole run"),
        "{text}"
    );
    assert_eq!(gate(&[], 0), text.replace(", strict", ""));
    let markdown = gate(&["--format", "markdown"], 0);
    let begin = format!("### Performance gate: inconclusive\n\n{why}.\n");
    assert!(markdown.starts_with(&begin), "{markdown}");
    let junit = gate(&["--format", "junit"], 0);
    assert_eq!(junit.matches("<skipped").count(), 1, "{junit}");
    assert!(junit.contains("skipped=\"1\""), "{junit}");
    assert!(
        junit.contains("<skipped message=\"whole run not judged: "),
        "{junit}"
    );
    let junit = gate(&["--format", "junit", "--strict"], 4);
    assert_eq!(
        junit.matches("<failure type=\"inconclusive\"").count(),
        1,
        "{junit}"
    );
    let csv = gate(&["--csv"], 0);
    assert!(
        csv.lines()
            .nth(1)
            .unwrap()
            .starts_with("(whole run),total,undecided,"),
        "{csv}"
    );
    let all = [
        "gate",
        "--baseline",
        "version = 1",
        "--candidate",
        "version = 2",
    ];
    let text = run(&made.path(), all).expect_code(1).stdout;
    assert!(
        text.starts_with("Gate failed: the whole run is slower\n"),
        "{text}"
    );
}

#[test]
fn a_gate_on_structure_says_nothing_of_times() {
    let names: Vec<String> = (0..3).map(|at| format!("f{at}")).collect();
    let made = many(&names);
    let sides = [
        "gate",
        "--baseline",
        "version = 1",
        "--candidate",
        "version = 2",
    ];
    let gate = |more: &[&str]| {
        let words = [&sides[..], &["--fail-on", "structure"], more].concat();
        run(&made.path(), words).expect_code(0).stdout
    };
    let begin = "Gate passed: the structure did not change: every run has the same call paths; how often they were \
                 called is not compared; what is slower was not asked\n";
    let text = gate(&[]);
    assert!(text.starts_with(begin), "{text}");
    for part in [
        "fails on a change of structure alone\n",
        "whole run not asked: ",
        "· not asked\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let markdown = gate(&["--format", "markdown"]);
    assert!(
        markdown.contains("<summary>Not asked: 4</summary>"),
        "{markdown}"
    );
    let junit = gate(&["--format", "junit"]);
    assert!(
        junit.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\""),
        "{junit}"
    );
    for text in [text, markdown, junit] {
        for wrong in ["nothing that matters", "passed: typical", "worse and"] {
            assert!(!text.contains(wrong), "{wrong}: {text}");
        }
    }
    let answer: Gate = serde_json::from_str(&gate(&["--json"])).unwrap();
    assert_eq!(answer.total.unwrap().state, GateState::NotAsked);
    assert_eq!(answer.groups[0].state, GateState::NotAsked);
    // Both causes.
    let words = [&sides[..], &["--fail-on", "slower,structure"]].concat();
    let text = run(&made.path(), words).expect_code(1).stdout;
    let both = "fails on a change of structure, and on slower: more than 5 % worse and";
    assert!(text.contains(both), "{text}");
}
