//! Noise and history through the command line.

use sheaf_answers::{ChangeKind, Diff, Gate, History, Noise, Verdict};
use sheaf_tests::{as_json, ask, find, run, sample, text};

use crate::made::{Made, MadeStore, noisy, store};

/// Twelve versions with three runs each; `step` takes a third more from 1.6 on, `new` comes with 1.3.
fn versions(name_of: impl Fn(u32) -> String) -> MadeStore {
    let mut runs = Vec::new();
    for version in 1..=12_u32 {
        for repeat in 0..3_u32 {
            let seed = u64::from(version * 1000 + repeat);
            let step = if version >= 6 { 0.4 } else { 0.3 };
            let mut times = vec![
                ("still", noisy(seed, 0.5, 0.01)),
                ("step", noisy(seed + 300_000, step, 0.01)),
            ];
            if version >= 3 {
                times.push(("new", noisy(seed + 600_000, 0.1, 0.01)));
            }
            runs.push(Made {
                params: vec![
                    ("version", name_of(version)),
                    ("repeat", repeat.to_string()),
                    ("build", (100 + version).to_string()),
                ],
                times,
            });
        }
    }
    store(&runs, true)
}

/// Groups with the versions at which they change.
fn changes(history: &History) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for group in history.series.iter().flat_map(|series| &series.groups) {
        if group.group != "total" {
            let changes = group.changes.iter();
            found.extend(changes.map(|change| (group.path[0].clone(), text(&change.version))));
        }
    }
    found
}

#[test]
fn a_history_says_when_what_changed_and_how_to_look() {
    let made = versions(|version| format!("1.{version}"));
    let history: History = ask(&made.path(), &["history", "--by", "version"]);
    assert_eq!(history.schema, "history/1");
    assert_eq!(changes(&history), [("step".to_owned(), "1.6".to_owned())]);
    let last: Vec<String> = history.versions[8..].iter().map(text).collect();
    assert_eq!(last, ["1.9", "1.10", "1.11", "1.12"]);
    let event = &history.series[0].events[0];
    assert_eq!(event.path, ["new"]);
    assert_eq!(event.verdict, Some(Verdict::Appeared));
    // What changed at a place is a diff that can be asked for.
    let diffs = &history.diffs;
    assert_eq!(diffs.len(), 2, "{diffs:?}");
    let lens = diffs[1].link.lens.as_str();
    assert_eq!(event.diff.as_ref().unwrap().lens, diffs[0].link.lens);
    let diff: Diff = ask(&made.path(), &["diff", "--lens", lens]);
    assert_eq!(diff.rows[0].path, ["step"]);
    assert_eq!(diff.rows[0].delta, diffs[1].rows[0].delta);
    let text = run(&made.path(), ["history", "--by", "version"])
        .expect_code(0)
        .stdout;
    assert!(
        text.contains("12 versions by version (1.1 … 1.12)"),
        "{text}"
    );
    assert!(text.contains(" diff --lens '"), "{text}");
    let csv = run(&made.path(), ["history", "--by", "version", "--csv"])
        .expect_code(0)
        .stdout;
    assert!(
        csv.starts_with("path,group,version,place,metric,runs,median,"),
        "{csv}"
    );
    assert_eq!(
        csv.lines()
            .filter(|line| line.starts_with("step,") && line.contains(",true,"))
            .count(),
        1,
        "{csv}"
    );
}

#[test]
fn the_order_is_asked_for_where_names_do_not_say_it() {
    let made = versions(|version| format!("name{}", (version * 5) % 13));
    let check = |words: &[&str], code: i32, printed: &str| {
        let words = [&["history", "--by", "version"], words].concat();
        let outcome = run(&made.path(), &words).expect_code(code);
        assert!(
            (outcome.stdout.clone() + &outcome.stderr).contains(printed),
            "{printed}: {}",
            outcome.stderr
        );
        outcome.stdout
    };
    check(&[], 2, "give an order");
    check(&["--order", "git"], 2, "is no order");
    check(&["--order", "biuld"], 2, "did you mean `build`");
    check(&["--order", "list", "x,y"], 2, "no run has the version `x`");
    let folder = made.path();
    let folder = folder.parent().unwrap().display().to_string();
    check(&["--order", "git", &folder], 2, "cannot ask git");
    let by_build = check(&["--order", "build", "--json"], 0, "");
    // The sixth build is named `name4`.
    let found = changes(&serde_json::from_str(&by_build).unwrap());
    assert_eq!(found, [("step".to_owned(), "name4".to_owned())]);
    let outcome = run(&made.path(), ["history", "--by", "vresion"]).expect_code(2);
    assert!(
        outcome.stderr.contains("did you mean `version`"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn commits_are_ordered_by_ancestry() {
    let folder = tempfile::tempdir().unwrap();
    let git = |words: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(folder.path());
        command
            .args(["-c", "user.name=n", "-c", "user.email=e@localhost"])
            .args(words);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet", "--initial-branch=main"]);
    let commits: Vec<String> = (0..12)
        .map(|number| {
            git(&[
                "commit",
                "--quiet",
                "--allow-empty",
                "-m",
                &number.to_string(),
            ]);
            git(&["rev-parse", "--short=12", "HEAD"])
        })
        .collect();
    let made = versions(|version| commits[version as usize - 1].clone());
    let folder = folder.path().display().to_string();
    let words = ["history", "--by", "version", "--order", "git", &folder];
    let history = ask(&made.path(), &words);
    assert_eq!(changes(&history), [("step".to_owned(), commits[5].clone())]);
}

/// Ten repeats on two threads and three on four: `calm` varies by 1 %, `wild` by 40 %.
fn repeats() -> MadeStore {
    let mut runs = Vec::new();
    for threads in [2_u32, 4] {
        for repeat in 0..(if threads == 2 { 10_u32 } else { 3 }) {
            let seed = u64::from(threads * 1000 + repeat);
            runs.push(Made {
                params: vec![
                    ("threads", threads.to_string()),
                    ("repeat", repeat.to_string()),
                ],
                times: vec![
                    ("calm", noisy(seed, 1.0, 0.01)),
                    ("wild", noisy(seed + 500_000, 1.0, 0.4)),
                ],
            });
        }
    }
    store(&runs, false)
}

#[test]
fn noise_of_repeats_gives_limits_to_gates() {
    let made = repeats();
    let outcome = run(&made.path(), ["noise", "--json"]).expect_code(0);
    let noise: Noise = outcome.read();
    assert_eq!(noise.schema, "noise/1");
    assert_eq!(noise.by, ["threads"]);
    let [two, four] = noise.cohorts.as_slice() else {
        panic!("{noise:?}");
    };
    // All 126 ways to divide ten runs, either half as the candidate.
    let check = two.check.as_ref().unwrap();
    assert_eq!((check.gates, check.is_all), (252, true));
    assert_eq!(check.holds, Some(true), "{check:?}");
    assert!(!four.check.as_ref().unwrap().can_fail);
    assert_eq!(noise.repeats_needed, Some(8));
    let threshold = |name: &str| {
        let group = find(&two.groups, |group| group.path == [name]);
        group.threshold.unwrap()
    };
    assert!(
        threshold("calm") < 0.05 && threshold("wild") > 0.2,
        "{two:?}"
    );
    let notes = as_json(&noise.notes);
    assert!(
        notes.contains("too few repeats in 1 of 2 configurations"),
        "{notes}"
    );

    let file = made.file("noise.json");
    std::fs::write(&file, &outcome.stdout).unwrap();
    let file = file.display().to_string();
    let gate = |more: &[&str], code| {
        let words = ["gate", "--baseline", "repeat < 5 and threads = 2"];
        let words = [
            &words[..],
            &["--candidate", "repeat >= 5 and threads = 2"],
            more,
        ]
        .concat();
        run(&made.path(), &words).expect_code(code)
    };
    let limits: Gate = gate(&["--thresholds", &file, "--json"], 0).read();
    let limit = |name: &str| find(&limits.groups, |group| group.path == [name]).limit;
    assert!((limit("calm") - 0.05).abs() < 1e-12 && limit("wild") >= threshold("wild"));
    let refused = gate(&["--thresholds", &file, "--level", "module"], 2).stderr;
    assert!(
        refused.contains("thresholds are of level `definition`"),
        "{refused}"
    );
    let missing = gate(&["--thresholds", "none.json"], 2).stderr;
    assert!(missing.contains("cannot read thresholds"), "{missing}");
}

#[test]
fn the_samples_are_told() {
    let noise: Noise = ask(&sample("threads"), &["noise"]);
    assert_eq!(noise.cohorts.len(), 4);
    let notes = as_json(&noise.notes);
    assert!(
        notes.contains("two halves can fail a gate from 8 repeats on"),
        "{notes}"
    );
    let history: History = ask(&sample("versions"), &["history", "--by", "version"]);
    assert_eq!(history.series.len(), 1);
    assert_eq!(history.diffs.len(), 1);
    let events = &history.series[0].events;
    let kinds: Vec<ChangeKind> = events.iter().map(|event| event.kind).collect();
    assert_eq!(
        kinds,
        [ChangeKind::Appeared, ChangeKind::Renamed],
        "{events:?}"
    );
}

#[test]
fn what_makes_no_sense_is_refused_with_what_does() {
    let store = sample("versions");
    let history = ["history", "--by", "version"];
    let gate = [
        "gate",
        "--baseline",
        "version=1",
        "--candidate",
        "version=2",
    ];
    let refusals: [(&[&str], &[&str], &str); 9] = [
        (
            &history,
            &["--order", "bogus"],
            "parameter `bogus` is in none of the runs; known are `",
        ),
        (
            &history,
            &["--environment", "threads,bogus"],
            "parameter `bogus` is in none of the runs; known are `",
        ),
        (
            &history,
            &["--alpha", "0"],
            "alpha `0` is out of range; give a share of false alarms",
        ),
        (
            &history,
            &["--alpha", "100%"],
            "alpha `1` is out of range; give",
        ),
        (
            &["noise"],
            &["--alpha", "0%"],
            "alpha `0` is out of range; give",
        ),
        (&gate, &["--alpha", "0"], "alpha `0` is out of range; give"),
        (
            &gate,
            &["--max-regression", "1100%"],
            "max_regression `11` is out of range; give",
        ),
        (
            &gate,
            &["--min-share", "101%"],
            "expected a share of at most `100%`",
        ),
        (
            &["similar"],
            &["--threshold", "1.5"],
            "threshold `1.5` is not between 0 and 1",
        ),
    ];
    for (question, more, printed) in refusals {
        let outcome = run(&store, question.iter().chain(more)).expect_code(2);
        assert!(
            outcome.stderr.contains(printed),
            "{printed}: {}",
            outcome.stderr
        );
    }
}
