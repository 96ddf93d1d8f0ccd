//! Commands follow definitions that were renamed, and what they say of it can be asked for.

use std::path::Path;
use std::process::Command;

use sheaf_answers::{ChangeKind, Diff, Gate, History, Mapping, Runs, Similar, Verdict};
use sheaf_tests::{Service, as_json, ask, find, grainsheaf, run, sample, text, word};

use crate::made::{Made, MadeStore, noisy, store};

/// Nine versions with three runs each, on two numbers of threads; the one function is called `first`, then
/// `second`, then `third`, and takes half as long again from version 6 on.
fn versions() -> MadeStore {
    let mut runs = Vec::new();
    for version in 1..=9_u32 {
        for repeat in 0..3_u32 {
            for threads in [2_u32, 4] {
                let seed = u64::from(version * 1000 + repeat * 10 + threads);
                let name = ["first", "second", "third"][(version as usize - 1) / 3];
                let time = if version >= 6 { 0.45 } else { 0.3 };
                runs.push(Made {
                    params: vec![
                        ("version", format!("1.{version}")),
                        ("repeat", repeat.to_string()),
                        ("threads", threads.to_string()),
                    ],
                    times: vec![
                        ("still", noisy(seed, 0.5, 0.01)),
                        (name, noisy(seed + 300_000, time, 0.01)),
                    ],
                });
            }
        }
    }
    store(&runs, true)
}

/// What a shell prints for a command, with the binary under test as `grainsheaf`.
fn pasted(command: &str) -> String {
    let program = grainsheaf(Path::new("none")).get_program().to_owned();
    let folder = Path::new(&program).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", command])
        .env("PATH", std::env::join_paths(folders).unwrap())
        .env("NO_COLOR", "1")
        .env_remove("GRAINSHEAF_STORE")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}\n{error}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_history_is_of_one_function_under_three_names() {
    let made = versions();
    // Siblings without anything below them are renamed only where somebody says so, or names are alike.
    for pair in ["first = second", "second = third"] {
        run(&made.path(), ["match", "--confirm", pair]).expect_code(0);
    }
    let words = ["history", "--by", "version"];
    let history: History = ask(&made.path(), &words);
    let names = history.renames[0].names.iter();
    let names: Vec<&str> = names.map(|name| name.name.as_str()).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!(history.series.len(), 2);
    for series in &history.series {
        let name = "first → second → third";
        let group = find(&series.groups, |group| group.path[0] == name);
        for value in &group.values {
            assert_eq!(value.as_ref().unwrap().runs, 3);
        }
        assert_eq!(text(&group.changes[0].version), "1.6");
        let newest = &group.names[2];
        assert_eq!(text(newest.version.as_ref().unwrap()), "1.7");
        assert_eq!(word(&newest.matched_by), "confirmed");
        let events = series.events.iter();
        let events: Vec<_> = events.map(|event| (event.kind, event.point)).collect();
        assert_eq!(events, [(ChangeKind::Renamed, 3), (ChangeKind::Renamed, 6)]);
        for event in &series.events {
            assert_eq!(event.group.as_ref(), Some(&group.group));
            let change = event.change.as_ref().unwrap();
            assert_eq!(word(&change.matched_by), "confirmed");
        }
    }
    let csv = run(&made.path(), ["history", "--by", "version", "--csv"])
        .expect_code(0)
        .stdout;
    let renamed = |line: &&str| line.contains(",renamed,") && line.contains(",confirmed,");
    assert_eq!(csv.lines().filter(renamed).count(), 4, "{csv}");
    // Without the mapping there are three functions.
    let pair = [
        "match",
        "--reject",
        "first = second",
        "--reject",
        "second = third",
    ];
    run(&made.path(), pair).expect_code(0);
    let separate: History = ask(&made.path(), &words);
    assert_eq!(separate.renames, []);
    assert_eq!(separate.series[0].events.len(), 4);
}

#[test]
fn what_changed_at_a_point_is_a_command_and_an_address() {
    let made = versions();
    let words = ["history", "--by", "version"];
    let text = run(&made.path(), words).expect_code(0).stdout;
    let commands: Vec<&str> = text
        .lines()
        .filter_map(|line| line.find("grainsheaf --store").map(|at| &line[at..]))
        .collect();
    assert!(commands.len() >= 6, "{text}");
    for command in &commands {
        assert!(pasted(command).contains("Groups"), "{command}");
    }
    let service = Service::start(&made.path(), &[]);
    let history: History = service.read("/api/v1/history?lens=by%20version");
    let mut links = Vec::new();
    for series in &history.series {
        let changes = series.groups.iter().flat_map(|group| &group.changes);
        links.extend(changes.map(|change| change.diff.as_ref().unwrap()));
        let events = series.events.iter();
        links.extend(events.map(|event| event.diff.as_ref().unwrap()));
    }
    for link in &links {
        let diff: Diff = service.read(&link.href);
        assert_eq!(diff.schema, "diff/1");
        assert_eq!(diff.lens, link.lens);
        let words = ["diff", "--lens", &link.lens, "--json"];
        let same: Diff = run(&made.path(), words).expect_code(0).read();
        assert_eq!(same, diff);
    }
    assert!(links.len() >= 6, "{links:?}");
}

#[test]
fn several_metrics_are_one_answer() {
    let sample = sample("versions");
    let words = [
        "history", "--by", "version", "--metric", "work_ns", "--metric", "grains",
    ];
    let history: History = ask(&sample, &words);
    let metrics = history.series.iter();
    let metrics: Vec<&str> = metrics.map(|one| one.metric.as_str()).collect();
    assert_eq!(metrics, ["work_ns", "grains"]);
    let one: History = ask(&sample, &words[..5]);
    assert_eq!(history.series[0].points, one.series[0].points);
    let all: History = ask(&sample, &["history", "--by", "version", "--metric", "all"]);
    assert_eq!(all.series.len(), 3);
    let wrong = run(
        &sample,
        [
            "history", "--by", "version", "--metric", "work_ns", "--metric", "wrk_ns",
        ],
    );
    assert!(wrong.expect_code(2).stderr.contains("did you mean"));
}

#[test]
fn runs_that_name_the_same_function_differently_are_alike() {
    let made = versions();
    let similar =
        |measure: &str| -> Similar { ask(&made.path(), &["similar", "--measure", measure]) };
    let before = similar("structure");
    assert_eq!(before.structures, 3);
    for pair in ["first = second", "second = third"] {
        run(&made.path(), ["match", "--confirm", pair]).expect_code(0);
    }
    for measure in ["structure", "wl", "work", "metrics"] {
        let after = similar(measure);
        assert_eq!(after.structures, 1, "{measure}");
        let notes = as_json(&after.notes);
        assert!(notes.contains("(confirmed)"), "{notes}");
    }
    // Half of the work, more or less: it is not all in common for the names.
    let work = similar("work");
    let values = work.matrix.iter().flatten().flatten();
    let smallest = values.copied().fold(1.0, f64::min);
    assert!(smallest > 0.8, "{smallest}");
}

/// Notes of `match` on the mapping.
fn mapping_notes(made: &MadeStore) -> String {
    as_json(&ask::<Mapping>(&made.path(), &["match"]).notes)
}

/// Notes of a diff of two versions.
fn diff_notes(made: &MadeStore, a: &str, b: &str) -> String {
    let [a, b] = [a, b].map(|version| format!("version = {version}"));
    as_json(&ask::<Diff>(&made.path(), &["diff", &a, &b]).notes)
}

#[test]
fn what_a_mapping_cannot_mean_is_refused_or_told() {
    let made = versions();
    let say = |words: &[&str]| run(&made.path(), [&["match"], words].concat());
    // Three versions, one function: a chain is no contradiction.
    say(&["--confirm", "first = second", "--confirm", "second = third"]).expect_code(0);
    assert_eq!(mapping_notes(&made), "[]");
    let refused = say(&["--reject", "first = third"]).expect_code(2).stderr;
    assert!(refused.contains("the same through another"), "{refused}");
    assert!(refused.contains("grainsheaf match --forget"), "{refused}");
    let refused = say(&["--pin", "third = still"]).expect_code(2).stderr;
    assert!(
        refused.contains("cannot both be the same as another"),
        "{refused}"
    );
    // What it says, pasted, clears the way.
    let command = refused
        .split('`')
        .find(|part| part.starts_with("grainsheaf match"));
    let store = made.path().display().to_string();
    pasted(&format!(
        "export GRAINSHEAF_STORE='{store}'; {}",
        command.unwrap()
    ));
    say(&["--pin", "third = still"]).expect_code(0);
    let again = [
        "--forget",
        "third = still",
        "--confirm",
        "first = second",
        "--confirm",
        "second = third",
    ];
    say(&again).expect_code(0);
    // Nothing of what was refused is kept.
    let kept: Mapping = say(&["--json"]).expect_code(0).read();
    assert_eq!(kept.pairs.len(), 2);
    say(&["--forget", "first = second", "--forget", "second = third"]).expect_code(0);
    let printed = say(&["--pin", "first = still"]).expect_code(0).stdout;
    assert!(
        printed.contains("every run with `first` has `still` too"),
        "{printed}"
    );
    let notes = diff_notes(&made, "1.1", "1.2");
    assert!(notes.contains("changes nothing here"), "{notes}");
    say(&["--forget", "first = still", "--confirm", "second = third"]).expect_code(0);
    // It concerns other versions.
    assert!(!diff_notes(&made, "1.1", "1.2").contains("mapping"));

    let file = made.path().join("notes/mapping.toml");
    let pair = |section: &str, a: &str, b: &str| format!("[[{section}]]\na = '{a}'\nb = '{b}'\n");
    let text = pair("same", "gone", "first") + &pair("same", "first", "second");
    std::fs::write(&file, text + &pair("different", "second", "first")).unwrap();
    for notes in [mapping_notes(&made), diff_notes(&made, "1.1", "1.5")] {
        assert!(notes.contains("no run has a definition `gone`"), "{notes}");
        assert!(
            notes.contains("to be the same and to be different; the last statement counts"),
            "{notes}"
        );
    }
    let diff: Diff = ask(&made.path(), &["diff", "version = 1.1", "version = 1.5"]);
    let second = find(&diff.rows, |row| row.path == ["second"]);
    assert_eq!(second.verdict, Verdict::Appeared);
}

/// Ids of the runs that an expression selects.
fn selected(made: &MadeStore, expression: &str) -> Vec<String> {
    let runs: Runs = ask(&made.path(), &["runs", "--where", expression]);
    runs.runs.into_iter().map(|run| run.run).collect()
}

/// Five runs of a branch.
fn branch(name: &str) -> MadeStore {
    let run = |repeat: u64| Made {
        params: vec![("branch", name.to_owned()), ("repeat", repeat.to_string())],
        times: vec![("f", noisy(name.len() as u64 * 1000 + repeat, 0.5, 0.01))],
    };
    store(&(0..5).map(run).collect::<Vec<_>>(), false)
}

#[test]
fn the_newest_runs_can_be_named() {
    let (made, other) = (branch("main"), branch("topic"));
    assert_eq!(selected(&made, "branch=main").len(), 5);
    assert_eq!(selected(&made, "run=@new").len(), 1);
    let files: Vec<String> = (0..5)
        .map(|number| {
            other
                .file(&format!("run-{number:03}.json"))
                .display()
                .to_string()
        })
        .collect();
    let words = [
        &["add", "--param", "branch=topic"][..],
        &files.iter().map(String::as_str).collect::<Vec<_>>(),
    ]
    .concat();
    run(&made.path(), &words).expect_code(0);
    let new = selected(&made, "run = @new");
    assert_eq!(new.len(), 5);
    assert_eq!(selected(&made, "branch = topic"), new);
    assert_eq!(selected(&made, "run != @new and branch = main").len(), 5);
    let gate = || -> Gate {
        let sides = ["--baseline", "branch=main", "--candidate", "run=@new"];
        let limit = ["--max-regression", "5%"];
        ask(&made.path(), &[&["gate"], &sides[..], &limit].concat())
    };
    let before = gate();
    assert_eq!(before.diff.b.runs.len(), 5);
    // Compaction puts old and new runs together, and a build that is repeated adds nothing.
    run(&made.path(), ["compact"]).expect_code(0);
    assert_eq!(gate(), before);
    run(&made.path(), &words).expect_code(0);
    assert_eq!(gate(), before);
    let diff: Diff = ask(&made.path(), &["diff", "branch=main", "@new"]);
    assert_eq!(diff.b.runs.len(), 5);
    // An import that was refused is the last one, so that nothing is decided by the runs before it.
    let broken = made.file("broken.json");
    std::fs::write(&broken, "no profile").unwrap();
    run(&made.path(), ["add", &broken.display().to_string()]).expect_code(3);
    let refused = run(&made.path(), ["runs", "--where", "run=@new"]).expect_code(2);
    let expected = "the last import, which added none";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    run(&made.path(), &words).expect_code(0);
    assert_eq!(selected(&made, "run=@new"), new);
    run(&made.path(), [&["remove".to_owned()], &new[..]].concat()).expect_code(0);
    let gone = run(&made.path(), ["runs", "--where", "run=@new"])
        .expect_code(2)
        .stderr;
    assert!(
        gone.contains("import `@new` are not in the store any more"),
        "{gone}"
    );
    std::fs::remove_dir_all(made.path().join("notes/batches")).unwrap();
    let none = run(&made.path(), ["diff", "branch=main", "@new"])
        .expect_code(2)
        .stderr;
    assert!(none.contains("holds no note of one"), "{none}");
}
