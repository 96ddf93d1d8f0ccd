//! Gates through the command line: outcomes, exit statuses, reports, and that they repeat byte by byte.

use sheaf_answers::{Diff, Gate, GateOutcome, GateState, ShareOf, Verdict};
use sheaf_tests::{as_json, ask, run, sample};

use crate::made::{Made, MadeStore, noisy, store};

/// Function names that try to be markup.
const HOSTILE: &str = "<b>&|`\"x\u{1b}]]> @all #1";

/// Versions 1 and 2 with six runs each, version 3 with one; `solve` takes half as long again in 2.
fn versions(is_backwards: bool) -> MadeStore {
    let mut runs = Vec::new();
    for (version, repeats, solve) in [(1_u32, 6_u32, 1.0), (2, 6, 1.5), (3, 1, 1.0)] {
        for repeat in 0..repeats {
            let seed = u64::from(version * 100 + repeat);
            runs.push(Made {
                params: vec![
                    ("version", version.to_string()),
                    ("repeat", repeat.to_string()),
                    ("threads", if version == 3 { 4 } else { 2 }.to_string()),
                ],
                times: vec![
                    ("solve", noisy(seed, solve, 0.02)),
                    (HOSTILE, noisy(seed + 7_000, 0.5, 0.02)),
                ],
            });
        }
    }
    store(&runs, is_backwards)
}

fn words<'a>(baseline: &'a str, candidate: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["gate", "--baseline", baseline, "--candidate", candidate];
    words.extend(more);
    words
}

/// Baseline, candidate, more options, exit status, a part of the text.
type Case<'a> = (&'a str, &'a str, &'a [&'a str], i32, &'a str);

fn check(cases: &[Case<'_>]) {
    let made = versions(false);
    for (baseline, candidate, more, code, printed) in cases {
        let outcome = run(&made.path(), words(baseline, candidate, more)).expect_code(*code);
        let all = outcome.stdout + &outcome.stderr;
        assert!(all.contains(printed), "{printed}: {all}");
    }
}

#[test]
fn outcomes_have_their_exit_statuses() {
    let failed = "Gate failed: the whole run is slower; 1 group slower";
    let lax: &[&str] = &["--max-regression", "90%"];
    check(&[
        ("version=2", "version=1", &[], 0, "Gate passed"),
        ("version=2", "version=1", &["--strict"], 0, "Gate passed"),
        ("version=1", "version=2", &[], 1, failed),
        ("version=1", "version=2", lax, 0, "Gate passed"),
    ]);
    // One run per side, and other numbers of threads.
    let (a, b) = ("version=1 and repeat=1", "version=2 and repeat=1");
    check(&[
        (a, b, &[], 0, "4 runs per side can"),
        (a, b, &["--strict"], 4, "Gate inconclusive"),
        (
            "version=1",
            "version=3",
            &["--strict"],
            4,
            "Gate inconclusive",
        ),
        ("version=1", "version=3", &[], 0, "Gate inconclusive"),
    ]);
    let threads = sample("threads");
    let refused = run(&threads, words("threads=1", "threads=2", &["--strict"])).expect_code(4);
    let why = "different numbers of workers (1 against 2)";
    assert!(refused.stdout.contains(why), "{}", refused.stdout);
    // The same numbers in other proportions.
    let mixed = words(
        "(threads = 1 and repeat > 1) or (threads = 8 and repeat = 1)",
        "(threads = 1 and repeat = 1) or (threads = 8 and repeat > 1)",
        &["--strict"],
    );
    let refused = run(&threads, mixed).expect_code(4);
    let why = "workers (1 in 4 runs, 8 in 1 run against 1 in 1 run, 8 in 4 runs)";
    assert!(refused.stdout.contains(why), "{}", refused.stdout);
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let (one, two) = ("version=1", "version=2");
    let junit: &[&str] = &["--format", "junit", "--csv"];
    let shared = "6 of 12 runs of the baseline are the candidate's";
    let nothing = "there is nothing to compare";
    check(&[
        (
            one,
            "version=9",
            &[],
            2,
            "`version == 9` selects none of 13 runs",
        ),
        (one, "vresion=2", &[], 2, "did you mean `version`"),
        (one, one, &[], 2, nothing),
        ("version=1 and repeat=1", one, &[], 2, nothing),
        // Runs of both sides count for the candidate.
        ("version < 3", two, &[], 1, shared),
        (
            one,
            two,
            &["--max-regression", "much"],
            2,
            "expected a share",
        ),
        (one, two, &["--metric", "tmie"], 2, "did you mean `time`"),
        (one, two, junit, 2, "exclude each other"),
    ]);
}

#[test]
fn reports_repeat_byte_by_byte_whatever_the_order_of_import() {
    let (forth, back) = (versions(false), versions(true));
    for form in ["text", "markdown", "junit", "json"] {
        let report = |made: &MadeStore| {
            let more = ["--format", form];
            run(&made.path(), words("version=1", "version=2", &more))
                .expect_code(1)
                .stdout
        };
        assert_eq!(report(&forth), report(&back), "{form}");
        assert_eq!(report(&forth), report(&forth), "{form}");
    }
}

#[test]
fn the_json_holds_the_whole_comparison() {
    let made = versions(false);
    let gate: Gate = run(&made.path(), words("version=1", "version=2", &["--json"]))
        .expect_code(1)
        .read();
    assert_eq!(gate.schema, "gate/1");
    assert_eq!(gate.outcome, GateOutcome::Failed);
    let first = &gate.groups[0];
    assert_eq!(first.path, ["solve"]);
    assert_eq!(first.state, GateState::Failed);
    let row = &gate.diff.rows[usize::try_from(first.row).unwrap()];
    assert_eq!(row.group, first.group);
    assert!((row.ratio.unwrap() - 1.5).abs() < 0.03, "{row:?}");
    assert_eq!(row.verdict, Verdict::Slower);
    let total = gate.total.as_ref().unwrap();
    assert_eq!(total.state, GateState::Failed);
    let environment = &gate.diff.environment;
    assert_eq!(environment.len(), 1, "{environment:?}");
    // The rows are those of the diff but for tests that a gate leaves out.
    let diff: Diff = ask(&made.path(), &["diff", "version=1", "version=2"]);
    assert_eq!(gate.diff.totals, diff.totals);
    let csv = run(&made.path(), words("version=1", "version=2", &["--csv"]))
        .expect_code(1)
        .stdout;
    assert!(
        csv.starts_with("path,group,state,limit,regression,share,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 5, "{csv}");
    // The whole run first, in numbers of the JSON.
    let whole: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    let totals = gate.diff.totals.as_ref().unwrap();
    let ci = total.ci.unwrap();
    assert_eq!(whole[..3], ["(whole run)", "total", "failed"]);
    let number = |at: usize| whole[at].parse::<f64>().ok();
    for (at, value) in [
        (3, gate.limits.max_regression),
        (4, total.regression),
        (7, totals.a),
        (8, totals.b),
        (9, totals.delta),
        (10, total.ratio),
        (11, ci[0]),
        (12, ci[1]),
        (13, total.p),
    ] {
        let written = number(at).unwrap();
        let is_equal = (written - value).abs() <= value.abs() * 1e-15;
        assert!(is_equal, "column {at}: {written}, {value}");
    }
    assert_eq!(gate.limits.share_of, ShareOf::GreaterTotal);
    assert_eq!(gate.diff.impact_of, ShareOf::BaselineTotal);
    for row in &gate.diff.rows {
        let share = row.delta.unwrap() / totals.a;
        let impact = row.impact.unwrap();
        assert!((impact - share).abs() <= share.abs() * 1e-14, "{row:?}");
    }
}

#[test]
fn markdown_and_xml_keep_names_harmless() {
    let made = versions(false);
    let report = |form: &str| {
        let file = made.file(&format!("report.{form}"));
        let path = file.display().to_string();
        let more = ["--format", form, "-o", &path];
        // A second time over the first.
        for _ in 0..2 {
            let outcome = run(&made.path(), words("version=1", "version=2", &more)).expect_code(1);
            assert_eq!(outcome.stdout, "");
            assert!(
                outcome.stderr.starts_with("gate failed: "),
                "{}",
                outcome.stderr
            );
        }
        std::fs::read_to_string(file).unwrap()
    };
    let markdown = report("markdown");
    assert!(
        markdown.starts_with("### Performance gate: failed\n"),
        "{markdown}"
    );
    let name = "| ``<b>&\\|`\"x\\u{1b}]]> @all #1`` |";
    assert!(markdown.contains(name), "{markdown}");
    let xml = report("junit");
    let name = "name=\"&lt;b&gt;&amp;|`&quot;x\\u{1b}]]&gt; @all #1\"";
    assert!(xml.contains(name), "{xml}");
    let (mut open, mut cases, mut failures) = (Vec::new(), 0, 0);
    for (is_end, name) in tags(&xml) {
        if is_end {
            assert_eq!(open.pop().as_deref(), Some(name.as_str()), "{xml}");
        } else {
            cases += usize::from(name == "testcase");
            failures += usize::from(name == "failure");
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let counts = format!("tests=\"{cases}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\"");
    assert!(xml.contains(&counts), "{counts}: {xml}");
    assert_eq!((cases, failures), (6, 2));
}

/// Begins and ends of elements, in order; an empty element is both.
fn tags(text: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for piece in text.split('<').skip(1) {
        let (tag, content) = piece.split_once('>').unwrap();
        assert!(!content.contains('>'), "a bare mark in {piece}");
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(|c| c.is_alphabetic())
            .collect();
        if tag.starts_with('?') {
            continue;
        }
        found.push((tag.starts_with('/'), name.clone()));
        if tag.ends_with('/') {
            found.push((true, name));
        }
    }
    found
}

#[test]
fn the_sample_of_two_versions_is_told() {
    let sample = sample("versions");
    let gate: Gate = run(&sample, words("version = 1", "version = 2", &["--json"]))
        .expect_code(1)
        .read();
    // The work moved into new tasks, so that the run as a whole shows what no group does.
    assert!(as_json(&gate.reasons[0]).contains("the whole run is slower"));
    assert!(gate.structure_change.is_some());
    run(
        &sample,
        words("version = 2", "version = 1", &["--fail-on", "structure"]),
    )
    .expect_code(1);
}

/// Values of a run that is on both sides are not independent, so nothing is tested; the differences stay.
#[test]
fn sides_with_runs_in_common_are_not_tested() {
    let answer: Diff = ask(
        &sample("versions"),
        &["diff", "version = 1", "version >= 1"],
    );
    let notes = as_json(&answer.notes);
    assert!(
        notes.contains("both sides have runs in common (7)"),
        "{notes}"
    );
    for row in &answer.rows {
        assert!(row.p.is_none() && row.ci.is_none(), "{row:?}");
        assert_ne!(row.verdict, Verdict::Slower, "{row:?}");
    }
    assert!(answer.totals.unwrap().delta > 0.0);
}

#[test]
fn a_group_has_one_q_in_diffs_and_gates() {
    let names = ["great", "f", "g", "h", "i", "least"];
    let mut runs = Vec::new();
    for version in [1, 2_u32] {
        for repeat in 0..6_u32 {
            let time = |at: usize, name: &'static str| {
                // Shares of 0.3 %, which can fail no gate, and of less than is tested.
                let share = [1.0, 0.003, 0.003, 0.003, 0.003, 0.0001][at];
                let seed = u64::from(version * 100 + repeat * 10) + at as u64;
                let is_slower = version == 2 && at < 2;
                (
                    name,
                    noisy(seed, share, 0.01) * if is_slower { 1.2 } else { 1.0 },
                )
            };
            runs.push(Made {
                params: vec![
                    ("version", version.to_string()),
                    ("repeat", repeat.to_string()),
                ],
                times: (0..).zip(names).map(|(at, name)| time(at, name)).collect(),
            });
        }
    }
    let made = store(&runs, false);
    let q = |diff: &Diff| -> Vec<_> {
        let rows = diff.rows.iter();
        rows.map(|row| (row.path.clone(), row.p, row.q)).collect()
    };
    let diff: Diff = ask(&made.path(), &["diff", "version=1", "version=2"]);
    assert_eq!(diff.tested, 5, "{:?}", q(&diff));
    for least in ["0.2%", "1%", "5%"] {
        let more = ["--json", "--min-share", least];
        let gate = run(&made.path(), words("version=1", "version=2", &more)).expect_code(1);
        assert_eq!(q(&gate.read::<Gate>().diff), q(&diff), "{least}");
    }
    // What can fail a gate is tested, however small.
    let more = ["--json", "--min-share", "0.01%"];
    let gate = run(&made.path(), words("version=1", "version=2", &more)).expect_code(1);
    assert_eq!(gate.read::<Gate>().diff.tested, 6);
}
