//! Sources of metadata of runs: recordings, options of the command line, names, and files next to the runs.

use std::fs;
use std::path::{Path, PathBuf};

use sheaf_answers::{Run, Runs};
use sheaf_tests::{Outcome, as_json, ask, program, run, text};

use super::{entries, record_study};

/// The runs of a store, in order of name.
#[track_caller]
fn runs(store: &Path) -> Vec<Run> {
    ask::<Runs>(store, &["runs"]).runs
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// `grainsheaf add` of what is in `folder`, with `folder` left out of what it says.
#[track_caller]
fn add(store: &Path, folder: &Path, words: &[&str], code: i32) -> Outcome {
    let path = folder.to_str().unwrap();
    let words = words.iter().map(|word| word.replace("DIR", path));
    let mut outcome = run(store, ["add".to_owned()].into_iter().chain(words)).expect_code(code);
    outcome.stdout = outcome.stdout.replace(path, "DIR");
    outcome.stderr = outcome.stderr.replace(path, "DIR");
    outcome
}

/// Lines of outcomes, without findings.
fn outcomes(printed: &str) -> String {
    let lines = printed.split_inclusive('\n');
    let is_outcome = |line: &&str| !line.starts_with(' ') && !line.starts_with("import b");
    lines.filter(is_outcome).collect()
}

#[test]
fn kept_traces_are_added_as_they_were_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let traces = folder.path().join("traces");
    let fib = program("fib");
    let failing = format!("{} 10 0; exit 3", fib.display());
    let record = |options: &str, command: &[&str]| {
        let mut all = words(&format!("record --quiet {options} --keep-traces"));
        all.push(traces.to_str().unwrap().to_owned());
        all.push("--".to_owned());
        all.extend(command.iter().map(|word| (*word).to_owned()));
        run(&folder.path().join("recorded"), all)
    };
    let fib = fib.to_str().unwrap();
    record(
        "--threads 1,2 --reference --param version=1.20",
        &[fib, "10", "0"],
    )
    .expect_code(0);
    let failed = record("--name failed", &["sh", "-c", &failing]).expect_code(3);
    // Its trace was closed: a status other than 0 is a parameter of a complete run.
    assert!(!failed.stdout.contains("! incomplete"), "{}", failed.stdout);

    let again = folder.path().join("again");
    add(&again, &traces, &["DIR"], 0);
    let (recorded, added) = (runs(&folder.path().join("recorded")), runs(&again));
    assert_eq!(recorded.len(), 3);
    for run in &recorded {
        let source = run.source.as_ref().unwrap();
        assert_eq!((source.file.as_str(), source.files), ("recorded", 1));
    }
    for run in &added {
        let source = run.source.as_ref().unwrap();
        assert!(source.file.starts_with("traces/"), "{source:?}");
    }
    let without_source = |runs: &[Run]| -> Vec<Run> {
        let runs = runs.iter().cloned();
        runs.map(|run| Run {
            source: None,
            ..run
        })
        .collect()
    };
    assert_eq!(without_source(&recorded), without_source(&added));

    let failed = &recorded[0];
    assert_eq!(failed.name, "failed");
    assert!(failed.is_complete);
    // It is the status of the shell, not of the program.
    assert!(!failed.params.contains_key("exit_status"));
    let done = &recorded[1];
    assert!(done.is_complete);
    assert_eq!(text(&done.params["version"]), "1.20");
    assert!(done.reference_elapsed_ns.is_some());
    for name in [
        "branch",
        "command",
        "commit",
        "compiler",
        "cores",
        "cpu",
        "dirty",
        "exit_status",
        "host",
        "kernel",
        "runtime",
        "runtime_hash",
        "runtime_library",
        "runtime_version",
        "started",
        "threads",
    ] {
        // A build server may have no branch checked out.
        let is_free = name == "branch";
        assert!(is_free || done.params.contains_key(name), "{name}");
    }
    run(&again, ["verify"]).expect_code(0);
}

/// Folders `gcc` and `clang` with a trace each, whose names say something.
fn named_traces(folder: &Path) -> PathBuf {
    let kept = record_study(folder, 1);
    let runs = folder.join("runs");
    for (from, to) in entries(&kept)
        .iter()
        .zip(["clang/fib-08-1.gstrace", "gcc/fib-16-2.gstrace"])
    {
        let to = runs.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let trace = entries(from)
            .into_iter()
            .find(|path| path.extension().is_some_and(|end| end == "gstrace"));
        fs::copy(trace.unwrap(), to).unwrap();
    }
    runs
}

#[test]
fn names_and_files_beside_say_what_traces_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let traces = named_traces(folder.path());
    let store = folder.path().join("store");
    fs::write(
        traces.join("grainsheaf.toml"),
        "[params]\nversion = \"1.20\"\nbuilt = 2026-01-31\nwhere = 'outer'\n\
         [[files]]\nmatch = \"gcc/*\"\nname = \"the one of gcc\"\nparams = { opt = 3 }\n",
    )
    .unwrap();
    fs::write(
        traces.join("gcc/grainsheaf.toml"),
        "params = { where = 'inner' }\n",
    )
    .unwrap();
    let words = [
        "DIR",
        "--params-from",
        "{compiler}/{program}-{width:int}-{}.gstrace",
        "--params-from",
        "{nothing}.cali",
        "--param",
        "site=here",
    ];
    let outcome = add(&store, &traces, &words, 0);
    assert_eq!(
        outcomes(&outcome.stdout),
        "+ added    DIR/clang/fib-08-1.gstrace, trace: 1 run\n\
         + added    DIR/gcc/fib-16-2.gstrace, trace: 1 run\n\
         2 runs added, 0 inputs already present, 0 inputs refused\n"
    );
    assert_eq!(
        outcome.stderr,
        "warning: `{nothing}.cali` matches no name; a pattern is about the whole name of a file, and \
         about the folders above it as far as it holds `/`\n"
    );
    let found = runs(&store);
    let shown: Vec<String> = [
        "compiler", "width", "version", "built", "where", "opt", "site",
    ]
    .iter()
    .map(|name| {
        format!(
            "{name} {} {}",
            as_json(&found[0].params.get(*name)),
            as_json(&found[1].params.get(*name))
        )
    })
    .collect();
    assert_eq!(
        shown,
        [
            "compiler \"clang\" \"gcc\"",
            "width 8 16",
            "version \"1.20\" \"1.20\"",
            "built \"2026-01-31T00:00:00.000000000Z\" \"2026-01-31T00:00:00.000000000Z\"",
            "where \"outer\" \"inner\"",
            "opt null 3",
            "site \"here\" \"here\"",
        ]
    );
    assert_eq!(found[1].name, "the one of gcc");
    let condition = "built > 2026-01-30 and width > 8";
    let later: Runs = ask(&store, &["runs", "--where", condition]);
    assert_eq!(later.runs.len(), 1);
}

#[test]
fn what_is_refused_shows_and_the_rest_is_in() {
    let folder = tempfile::tempdir().unwrap();
    let traces = named_traces(folder.path());
    let store = folder.path().join("store");
    fs::write(
        traces.join("gcc/grainsheaf.toml"),
        "params = { a = 1 }\n\nparam-from = 1\n",
    )
    .unwrap();
    fs::write(traces.join("notes.gstrace"), "nothing\n").unwrap();
    let words = ["DIR/**/*.gstrace", "DIR/*.cali"];
    let outcome = add(&store, &traces, &words, 3);
    let printed = outcomes(&outcome.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "+ added    DIR/clang/fib-08-1.gstrace, trace: 1 run",
            "! refused  DIR/gcc/fib-16-2.gstrace, trace: unknown key `param-from`; did you mean `params-from`? \
             at line 3, column 1: DIR/gcc/grainsheaf.toml",
        ]
    );
    assert_eq!(
        lines.last(),
        Some(&"1 run added, 0 inputs already present, 3 inputs refused")
    );
    assert_eq!(runs(&store).len(), 1);

    let wrong = add(&store, &traces, &["DIR", "--params-from", "{a}{b}.x"], 2);
    assert!(
        wrong
            .stderr
            .contains("two fields need some text between them at character 4\n  {a}{b}.x\n     ^"),
        "{}",
        wrong.stderr
    );
    let wrong = add(
        &store,
        &traces,
        &["DIR", "--params", "DIR/gcc/grainsheaf.toml"],
        2,
    );
    assert!(wrong.stderr.contains("column"), "{}", wrong.stderr);
}
