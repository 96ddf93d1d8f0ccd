//! Where runs come from: their files, names and times of import; how one run is named; rules of a store about its parameters.

use std::fs;
use std::path::Path;

use sheaf_answers::{Noise, ParameterRules, RunInfo, Runs, Verify};
use sheaf_tests::{ask, find, run, word};

use crate::{run_of, sample, sample_store};

const PROFILE: &str = "cprofile/profile.pstats";
const CALLS: &str = "cprofile/calls.pstats";
const GRAPH: &str = "taskflow/nested.tfp";

/// Copies a sample to a place below a folder.
fn copy(name: &str, folder: &Path, to: &str) {
    let to = folder.join(to);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(sample(name), to).unwrap();
}

/// Names of a store's runs and of their sources.
#[track_caller]
fn names(store: &Path) -> Vec<String> {
    let runs = ask::<Runs>(store, &["runs"]).runs.into_iter();
    runs.map(|run| format!("{} {}", run.name, run.source.unwrap().file))
        .collect()
}

#[track_caller]
fn add(store: &Path, paths: &[&Path]) {
    let words = paths.iter().map(|path| path.as_os_str());
    run(store, ["add".as_ref()].into_iter().chain(words)).expect_code(0);
}

#[test]
fn runs_know_their_files_and_when_they_were_imported() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    copy(PROFILE, folder.path(), "secret/exp/a/profile.pstats");
    add(&store, &[&folder.path().join("secret/exp")]);
    let answer: Runs = ask(&store, &["runs"]);
    let source = answer.runs[0].source.as_ref().unwrap();
    assert_eq!(source.file, "exp/a/profile.pstats");
    assert_eq!(source.files, 1);
    assert_eq!(source.bytes, fs::metadata(sample(PROFILE)).unwrap().len());
    assert_eq!(source.format, "cprofile");
    assert_eq!(source.reader, env!("CARGO_PKG_VERSION"));
    let time = source.imported.as_deref().unwrap();
    assert!(time.len() == 20 && time.ends_with('Z'), "{time}");
    let id = run_of(&store, "cprofile");
    let info: RunInfo = ask(&store, &["info", &id]);
    assert_eq!(info.run.source.as_ref(), Some(source));
    let text = run(&store, ["info", &id]).expect_code(0).stdout;
    for line in [
        "source            exp/a/profile.pstats, 741 B",
        &format!("read by           grainsheaf {}", env!("CARGO_PKG_VERSION")),
        &format!("imported          {time}"),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let has_line = |line: &str| line.split_whitespace().eq(words.iter().copied());
        assert!(text.lines().any(has_line), "{line}: {text}");
    }
    // The segment has no time: an import at another time gives the same bytes.
    for segment in fs::read_dir(store.join("segments")).unwrap() {
        let manifest = fs::read_to_string(segment.unwrap().path().join("manifest.json")).unwrap();
        assert!(manifest.contains("exp/a/profile.pstats"), "{manifest}");
        assert!(!manifest.contains("secret") && !manifest.contains(&time[..10]));
    }
    fs::remove_dir_all(store.join("notes/batches")).unwrap();
    let source = ask::<RunInfo>(&store, &["info", &id]).run.source.unwrap();
    assert_eq!(source.file, "exp/a/profile.pstats");
    assert_eq!(source.imported, None);
}

#[test]
fn several_files_of_a_run_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let database = sample("hpctoolkit-3");
    add(&store, &[&database]);
    let answer: Runs = ask(&store, &["runs"]);
    let sources = answer.runs.iter().map(|run| run.source.as_ref().unwrap());
    let sources: Vec<_> = sources.collect();
    for source in &sources {
        assert!(source.file.starts_with("hpctoolkit-3"), "{source:?}");
        let folder = database.parent().unwrap().join(&source.file);
        assert!(folder.is_dir(), "{source:?}");
        assert!(source.files > 0 && source.bytes > 0, "{source:?}");
    }
    assert!(sources.iter().any(|source| source.files > 1), "{answer:?}");
}

#[test]
fn runs_of_equal_files_are_named_by_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    copy(PROFILE, folder.path(), "exp/run1/profile.pstats");
    copy(CALLS, folder.path(), "exp/run2/profile.pstats");
    copy(GRAPH, folder.path(), "exp/graph.tfp");
    let exp = folder.path().join("exp");
    let store = folder.path().join("store");
    add(&store, &[&exp]);
    let id: String = run_of(&store, "taskflow").chars().take(8).collect();
    let expected = [
        format!("graph-{id} exp/graph.tfp"),
        "run1 exp/run1/profile.pstats".to_owned(),
        "run2 exp/run2/profile.pstats".to_owned(),
    ];
    assert_eq!(names(&store), expected);
    // The same by file, in another order.
    let named = folder.path().join("named");
    let files = ["run2/profile.pstats", "run1/profile.pstats"].map(|name| exp.join(name));
    add(&named, &[&files[0], &files[1]]);
    let expected = ["run1 run1/profile.pstats", "run2 run2/profile.pstats"];
    assert_eq!(names(&named), expected);
    // A name that is given wins.
    let given = folder.path().join("given");
    fs::write(
        exp.join("grainsheaf.toml"),
        "[[files]]\nmatch = 'run1/*'\nname = 'first'\n",
    )
    .unwrap();
    add(&given, &[&exp]);
    assert_eq!(names(&given)[0], "first exp/run1/profile.pstats");
    // A file that is alone keeps its name.
    let alone = folder.path().join("alone");
    add(&alone, &[&files[1]]);
    assert!(names(&alone)[0].starts_with("profile-"));
}

/// Every command about one run takes `@new` and expressions, and refuses several runs by name.
#[test]
fn one_run_is_named_by_its_import() {
    let (_folder, store) = sample_store();
    let commands: [&[&str]; 9] = [
        &["info", "RUN"],
        &["grains", "RUN"],
        &["problems", "RUN"],
        &["tree", "RUN"],
        &["loops", "RUN"],
        &["scheduling", "RUN"],
        &["parallelism", "RUN"],
        &["export", "RUN", "--as", "csv"],
        &["diff", "RUN", "RUN"],
    ];
    // The last import is that of the task graph.
    for selector in ["@new", "run = @new", "format = taskflow and grains > 1"] {
        for command in commands {
            let words = command.iter().map(|word| word.replace("RUN", selector));
            let outcome = run(&store, words);
            assert_eq!(
                outcome.code,
                Some(0),
                "{command:?} {selector}: {}",
                outcome.stderr
            );
        }
    }
    run(&store, ["diff", "--level", "grain", "@new", "run = @new"]).expect_code(0);
    // Without dependences all tasks could run at once: no path says anything.
    let refused = run(&store, ["paths", "@new"]).expect_code(2).stderr;
    assert!(
        refused.contains("a profile holds no dependences"),
        "{refused}"
    );
    let what_if = run(&store, ["what-if", "@new", "--workers", "4"]);
    let refused = what_if.expect_code(2).stderr;
    assert!(
        refused.contains("a profile holds no dependences"),
        "{refused}"
    );
    // Both runs again are one import.
    let files = [PROFILE, GRAPH].map(sample);
    add(&store, &[&files[0], &files[1]]);
    for selector in ["@new", "run = @new"] {
        for command in commands.iter().filter(|command| command[0] != "diff") {
            let words = command.iter().map(|word| word.replace("RUN", selector));
            let printed = run(&store, words).expect_code(2).stderr;
            let expected = format!(
                "error: `{selector}` names 2 runs, and one is needed: `nested-9addc0f6` (9addc0f6), \
                 `profile-4d6cb4e5` (4d6cb4e5); use a run id"
            );
            assert!(printed.contains(&expected), "{command:?}: {printed}");
        }
    }
}

/// The role of a parameter, `null` without one.
fn role(store: &Path, name: &str) -> String {
    let runs: Runs = ask(store, &["runs"]);
    word(&find(&runs.parameters, |parameter| parameter.name == name).role)
}

#[test]
fn a_store_says_which_parameters_are_incidental() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    // Two runs of each of two configurations; every run has a node, and the command tells configurations apart.
    for (number, name) in [PROFILE, CALLS, "cprofile/python2.pstats", GRAPH]
        .iter()
        .enumerate()
    {
        let words = [
            "add".to_owned(),
            sample(name).display().to_string(),
            format!("--param=node_number={number}"),
            format!("--param=command={}", number / 2),
        ];
        run(&store, words).expect_code(0);
    }
    let by = || ask::<Noise>(&store, &["noise", "--where", "format = cprofile"]).by;
    let is_column = |name: &str| {
        let table = run(&store, ["runs", "--where", "format = cprofile"]).expect_code(0);
        table.stdout.lines().next().unwrap().contains(name)
    };
    assert_eq!(by(), ["node_number"]);
    assert!(is_column("node_number") && !is_column("command"));
    let set = ["set", "--incidental", "node*", "--configuration", "command"];
    let rules: ParameterRules = ask(&store, &set);
    assert_eq!(rules.schema, "parameter-rules/1");
    assert_eq!(rules.incidental, ["node*"]);
    assert_eq!(rules.configuration, ["command"]);
    assert_eq!(by(), ["command"]);
    assert!(!is_column("node_number") && is_column("command"));
    assert_eq!(role(&store, "node_number"), "incidental");
    assert_eq!(role(&store, "command"), "configuration");
    let text = run(&store, ["set", "--forget", "node*"]);
    let expected = "incidental     –\nconfiguration  command\n";
    assert_eq!(text.expect_code(0).stdout, expected);
    assert_eq!(by(), ["command", "node_number"]);
    for words in [
        &["set"][..],
        &["set", "@new", "--incidental", "a"],
        &["set", "--incidental", "a*b"],
        &["set", "--forget", "unknown"],
    ] {
        let refused = run(&store, words).expect_code(2);
        assert!(!refused.stderr.is_empty());
    }
    run(&store, ["verify"]).expect_code(0);
    fs::write(store.join("notes/incidental.toml"), "incidental = 3\n").unwrap();
    let found: Verify = run(&store, ["verify", "--json"]).expect_code(8).read();
    let reason = &found.damaged[0].reason;
    assert!(
        reason.contains("at line 1, column 14") && reason.contains("; mend the line"),
        "{reason}"
    );
}

/// Each figure of a run has its unit, that of the total included.
#[test]
fn units_cover_the_total() {
    let (_folder, store) = sample_store();
    let info = |format: &str| -> RunInfo {
        let id = run_of(&store, format);
        ask(&store, &["info", &id])
    };
    let graph = info("taskflow");
    assert!(graph.run.total.is_some());
    assert_eq!(graph.units["total"], "ns");
    let profile = info("cprofile");
    let has_unit = profile.units.contains_key("total");
    assert_eq!(has_unit, profile.run.total.is_some(), "{profile:?}");
}

/// Columns of parameters that identify a launch are left out, but for the number of the repeat.
#[test]
fn repeats_have_a_column_and_launches_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    for (number, name) in [PROFILE, CALLS].iter().enumerate() {
        let words = [
            "add".to_owned(),
            sample(name).display().to_string(),
            format!("--param=repeat={number}"),
            format!("--param=launchdate={number}"),
        ];
        run(&store, words).expect_code(0);
    }
    let table = run(&store, ["runs"]).expect_code(0).stdout;
    let head = table.lines().next().unwrap();
    assert!(
        head.contains("repeat") && !head.contains("launchdate"),
        "{head}"
    );
    assert_eq!(role(&store, "launchdate"), "incidental");
    assert_eq!(role(&store, "repeat"), "null");
}

/// A gate on `@new` must not judge the runs of the import before one that failed.
#[test]
fn new_is_no_earlier_import_than_the_last() {
    let (folder, store) = sample_store();
    let cut = folder.path().join("cut.cali");
    std::fs::write(&cut, "no profile").unwrap();
    run(&store, ["add", cut.to_str().unwrap()]).expect_code(3);
    let refused = run(&store, ["info", "@new"]).expect_code(2).stderr;
    let expected = "`@new` means the runs of the last import, which added none";
    assert!(refused.contains(expected), "{refused}");
    add(&store, &[&sample(GRAPH)]);
    run(&store, ["info", "@new"]).expect_code(0);
}
