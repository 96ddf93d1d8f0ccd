//! Commands follow definitions that were renamed, and what they say of it can be asked for.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sheaf_tests::{Service, grainsheaf, run, workspace_root};

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

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap()
}

#[test]
fn a_history_is_of_one_function_under_three_names() {
    let made = versions();
    // Siblings without anything below them are renamed only where somebody says so, or names are alike.
    for pair in ["first = second", "second = third"] {
        run(&made.path(), ["match", "--confirm", pair]).expect_code(0);
    }
    let words = ["history", "--by", "version", "--json"];
    let history = run(&made.path(), words).expect_code(0).json();
    let names: Vec<&Value> = list(&history["renames"][0], "names")
        .iter()
        .map(|name| &name["name"])
        .collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!(list(&history, "series").len(), 2);
    for series in list(&history, "series") {
        let group = list(series, "groups")
            .iter()
            .find(|group| group["path"][0] == "first → second → third")
            .unwrap();
        assert!(list(group, "values").iter().all(|value| value["runs"] == 3));
        assert_eq!(
            group["changes"][0]["version"],
            "1.6".parse::<f64>().unwrap()
        );
        assert_eq!(group["names"][2]["version"], "1.7".parse::<f64>().unwrap());
        assert_eq!(group["names"][2]["matched_by"], "confirmed");
        let events = list(series, "events");
        let told: Vec<_> = events
            .iter()
            .map(|event| {
                (
                    event["kind"].as_str().unwrap(),
                    event["point"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(told, [("renamed", 3), ("renamed", 6)]);
        for event in events {
            assert_eq!(event["group"], group["group"]);
            assert_eq!(event["change"]["matched_by"], "confirmed");
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
    let apart = run(&made.path(), words).expect_code(0).json();
    assert_eq!(apart["renames"], serde_json::json!([]));
    assert_eq!(list(&apart["series"][0], "events").len(), 4);
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
    let answer = service.get("/api/v1/history?lens=by%20version");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let history: Value = serde_json::from_str(&answer.text()).unwrap();
    let mut asked = 0;
    for series in list(&history, "series") {
        let changes = list(series, "groups")
            .iter()
            .flat_map(|group| list(group, "changes"));
        for place in changes.chain(list(series, "events")) {
            let href = place["diff"]["href"].as_str().unwrap();
            let diff = service.get(href);
            assert_eq!(diff.status, 200, "{href}");
            let diff: Value = serde_json::from_str(&diff.text()).unwrap();
            assert_eq!(diff["schema"], "diff/1");
            assert_eq!(diff["lens"], place["diff"]["lens"]);
            let command = place["diff"]["command"].as_str().unwrap();
            let store = made.path().display().to_string();
            let command = command.replacen("diff", &format!("--store '{store}' --json diff"), 1);
            let same: Value = serde_json::from_str(&pasted(&command)).unwrap();
            assert_eq!(same, diff);
            asked += 1;
        }
    }
    assert!(asked >= 6, "{asked}");
}

#[test]
fn several_metrics_are_one_answer() {
    let sample = workspace_root().join("data/ensembles/versions");
    let words = [
        "history", "--by", "version", "--json", "--metric", "work_ns", "--metric", "grains",
    ];
    let history = run(&sample, words).expect_code(0).json();
    let metrics: Vec<&Value> = list(&history, "series")
        .iter()
        .map(|one| &one["metric"])
        .collect();
    assert_eq!(metrics, ["work_ns", "grains"]);
    let one = run(&sample, &words[..6]).expect_code(0).json();
    assert_eq!(
        list(&history["series"][0], "points"),
        list(&one["series"][0], "points")
    );
    let all = run(
        &sample,
        ["history", "--by", "version", "--json", "--metric", "all"],
    );
    assert_eq!(list(&all.expect_code(0).json(), "series").len(), 3);
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
    let similar = |measure: &str| -> Value {
        let words = ["similar", "--json", "--measure", measure];
        run(&made.path(), words).expect_code(0).json()
    };
    let before = similar("structure");
    assert_eq!(before["structures"], 3);
    for pair in ["first = second", "second = third"] {
        run(&made.path(), ["match", "--confirm", pair]).expect_code(0);
    }
    for measure in ["structure", "wl", "work", "metrics"] {
        let after = similar(measure);
        assert_eq!(after["structures"], 1, "{measure}");
        assert!(
            after["notes"].to_string().contains("(confirmed)"),
            "{}",
            after["notes"]
        );
    }
    // Half of the work, more or less: it is not all in common for the names.
    let work = similar("work");
    let rows = list(&work, "matrix").iter();
    let least = rows
        .flat_map(|row| row.as_array().unwrap())
        .filter_map(Value::as_f64)
        .fold(1.0, f64::min);
    assert!(least > 0.8, "{least}");
}

/// What `match` and `diff` say of the mapping.
fn notes_of(made: &MadeStore, words: &[&str]) -> String {
    run(&made.path(), words).expect_code(0).json()["notes"].to_string()
}

#[test]
fn what_a_mapping_cannot_mean_is_refused_or_told() {
    let made = versions();
    let say = |words: &[&str]| run(&made.path(), [&["match"], words].concat());
    // Three versions, one function: a chain is no contradiction.
    say(&["--confirm", "first = second", "--confirm", "second = third"]).expect_code(0);
    assert_eq!(notes_of(&made, &["match", "--json"]), "[]");
    let refused = say(&["--reject", "first = third"]).expect_code(2).stderr;
    assert!(refused.contains("the same by way of another"), "{refused}");
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
    let kept = say(&["--json"]).expect_code(0).json();
    assert_eq!(list(&kept, "pairs").len(), 2);
    say(&["--forget", "first = second", "--forget", "second = third"]).expect_code(0);
    let told = say(&["--pin", "first = still"]).expect_code(0).stdout;
    assert!(
        told.contains("every run with `first` has `still` too"),
        "{told}"
    );
    let diff = ["diff", "--json", "version = 1.1", "version = 1.2"];
    let notes = notes_of(&made, &diff);
    assert!(notes.contains("changes nothing here"), "{notes}");
    say(&["--forget", "first = still", "--confirm", "second = third"]).expect_code(0);
    // It concerns other versions.
    assert!(!notes_of(&made, &diff).contains("mapping"));

    let file = made.path().join("notes/mapping.toml");
    let pair = |section: &str, a: &str, b: &str| format!("[[{section}]]\na = '{a}'\nb = '{b}'\n");
    let text = pair("same", "gone", "first") + &pair("same", "first", "second");
    std::fs::write(&file, text + &pair("different", "second", "first")).unwrap();
    let diff = ["diff", "--json", "version = 1.1", "version = 1.5"];
    for notes in [
        notes_of(&made, &["match", "--json"]),
        notes_of(&made, &diff),
    ] {
        assert!(notes.contains("no run has a definition `gone`"), "{notes}");
        assert!(
            notes.contains("to be the same and to be different; the last counts"),
            "{notes}"
        );
    }
    let grains = run(
        &made.path(),
        ["diff", "--json", "version = 1.1", "version = 1.5"],
    );
    let verdicts = list(&grains.expect_code(0).json(), "rows").to_vec();
    assert!(
        verdicts
            .iter()
            .any(|row| row["path"][0] == "second" && row["verdict"] == "appeared")
    );
}

/// Names of the runs that an expression selects.
fn selected(made: &MadeStore, expression: &str) -> Vec<String> {
    let words = ["runs", "--json", "--where", expression];
    let runs = run(&made.path(), words).expect_code(0).json();
    let names = list(&runs, "runs").iter();
    names
        .map(|run| run["run"].as_str().unwrap().to_owned())
        .collect()
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
    let gate = |more: &[&str]| {
        let words = [
            "gate",
            "--baseline",
            "branch=main",
            "--candidate",
            "run=@new",
            "--max-regression",
            "5%",
            "--json",
        ];
        run(&made.path(), [&words[..], more].concat())
            .expect_code(0)
            .json()
    };
    let before = gate(&[]);
    assert_eq!(list(&before["diff"]["b"], "runs").len(), 5);
    // Compaction puts old and new runs together, and a build that is repeated adds nothing.
    run(&made.path(), ["compact"]).expect_code(0);
    assert_eq!(gate(&[]), before);
    run(&made.path(), &words).expect_code(0);
    assert_eq!(gate(&[]), before);
    let diff = run(&made.path(), ["diff", "--json", "branch=main", "@new"])
        .expect_code(0)
        .json();
    assert_eq!(list(&diff["b"], "runs").len(), 5);
    // What is refused changes nothing; what is removed is told.
    let broken = made.file("broken.json");
    std::fs::write(&broken, "no profile").unwrap();
    run(&made.path(), ["add", &broken.display().to_string()]).expect_code(3);
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
