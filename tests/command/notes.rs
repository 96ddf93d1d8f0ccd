//! Notes of a store: what several processes write at once, what links and damage do, which import `@new` is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Output, Stdio};

use serde::de::DeserializeOwned;
use sheaf_answers::{Add, Corrected, Diff, FileStatus, RunInfo, Runs, Stats, Verify};
use sheaf_tests::{as_json, ask, find, grainsheaf, run, text};

use crate::{run_of, sample, sample_store};

/// Variables that identify a job, none of which the machine that tests may lend to them.
const JOBS: [&str; 10] = [
    "GRAINSHEAF_BATCH",
    "CI_JOB_ID",
    "BUILD_TAG",
    "SLURM_JOB_ID",
    "PBS_JOBID",
    "LSB_JOBID",
    "GITHUB_RUN_ID",
    "CI_PIPELINE_ID",
    "BUILDKITE_BUILD_ID",
    "CIRCLE_WORKFLOW_ID",
];

/// Runs a command as a job that these variables identify.
fn as_job(store: &Path, job: &[(&str, &str)], words: &[&str]) -> Output {
    let mut command = grainsheaf(store);
    for name in JOBS {
        command.env_remove(name);
    }
    command
        .envs(job.iter().copied())
        .args(words)
        .output()
        .unwrap()
}

#[track_caller]
fn read<T: DeserializeOwned>(output: &Output) -> T {
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Adds a sample as a job; returns the id of the import.
#[track_caller]
fn add(store: &Path, job: &[(&str, &str)], name: &str) -> String {
    let file = sample(name).display().to_string();
    let answer: Add = read(&as_job(store, job, &["add", "--json", &file]));
    answer.batch.unwrap()
}

/// Formats of the runs that an expression selects, and the printed text.
#[track_caller]
fn selected(store: &Path, job: &[(&str, &str)], expression: &str) -> (Vec<String>, String) {
    let output = as_job(store, job, &["runs", "--json", "--where", expression]);
    let answer: Runs = read(&output);
    let formats = answer.runs.into_iter().map(|run| run.format);
    (formats.collect(), stderr(&output))
}

const PROFILE: &str = "cprofile/profile.pstats";
const GRAPH: &str = "taskflow/nested.tfp";

#[test]
fn nine_matches_at_once_keep_nine() {
    let (_folder, store) = sample_store();
    let id = run_of(&store, "cprofile");
    let selection = format!("run = {id}");
    let words = ["stats", "--level", "definition", "--where", &selection];
    let answer: Stats = ask(&store, &words);
    let mut names: Vec<String> = Vec::new();
    for row in &answer.rows {
        let name = (*row.path.names().last().unwrap()).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let pairs: Vec<String> = names
        .iter()
        .flat_map(|a| {
            names
                .iter()
                .filter(move |b| a < *b)
                .map(move |b| format!("{a} = {b}"))
        })
        .take(9)
        .collect();
    assert_eq!(pairs.len(), 9, "{names:?}");
    let start = |pair: &String| {
        grainsheaf(&store)
            .args(["match", "--reject", pair])
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = pairs.iter().map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let text = fs::read_to_string(store.join("notes/mapping.toml")).unwrap();
    assert_eq!(text.matches("[[different]]").count(), 9, "{text}");
}

#[test]
fn nine_imports_at_once_are_nine_batches() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    add(&store, &[], PROFILE);
    let start = |number: u32| {
        let job = number.to_string();
        let mut command = grainsheaf(&store);
        command
            .env("GRAINSHEAF_BATCH", job)
            .arg("add")
            .arg(sample(GRAPH))
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..9).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(
        fs::read_dir(store.join("notes/batches")).unwrap().count(),
        11,
        "ten and the lock"
    );
    for number in 0..9 {
        let job = number.to_string();
        let (formats, printed) = selected(&store, &[("GRAINSHEAF_BATCH", &job)], "run = @new");
        assert_eq!(formats, ["taskflow"]);
        assert!(
            printed.contains(&format!("added with GRAINSHEAF_BATCH={number}")),
            "{printed}"
        );
    }
}

#[test]
fn planted_links_are_not_followed() {
    let (folder, store) = sample_store();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let victim = outside.join("victim");
    fs::write(&victim, "precious").unwrap();
    // The names that were used while a note was written.
    for pid in 1..40_000 {
        symlink(&victim, store.join(format!("notes/newest.txt.{pid}"))).unwrap();
    }
    symlink(&victim, store.join("notes/mapping.toml")).unwrap();
    fs::remove_dir_all(store.join("notes/batches")).unwrap();
    symlink(&outside, store.join("notes/batches")).unwrap();
    let file = sample("taskflow/escaped.json").display().to_string();
    let output = as_job(&store, &[], &["add", "--json", &file]);
    assert_eq!(read::<Add>(&output).files[0].status, FileStatus::Added);
    assert!(
        stderr(&output).contains("links are not followed"),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    let found: Verify = run(&store, ["verify", "--json"]).expect_code(8).read();
    let damaged = as_json(&found.damaged);
    assert!(
        damaged.contains("notes/mapping.toml") && damaged.contains("\"notes/batches\""),
        "{damaged}"
    );
}

#[test]
fn an_import_whose_note_fails_reports_its_runs() {
    let (_folder, store) = sample_store();
    fs::remove_dir_all(store.join("notes/batches")).unwrap();
    fs::write(store.join("notes/batches"), "in the way").unwrap();
    let file = sample("taskflow/escaped.json").display().to_string();
    let output = as_job(&store, &[], &["add", "--json", &file]);
    let answer: Add = read(&output);
    assert_eq!(answer.files[0].status, FileStatus::Added);
    assert_eq!(answer.batch, None);
    assert!(answer.warnings[0].contains("the runs are in the store"));
    assert!(stderr(&output).contains("warning:"), "{}", stderr(&output));
    let output = as_job(&store, &[], &["add", &file]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 input already present"));
}

#[test]
fn verify_names_damaged_notes_and_the_cure() {
    let (_folder, store) = sample_store();
    run(&store, ["verify"]).expect_code(0);
    let notes = store.join("notes");
    fs::write(notes.join("mapping.toml"), "[[same]]\na = 'f'\n").unwrap();
    let batch = fs::read_dir(notes.join("batches")).unwrap();
    let batch = batch.map(|it| it.unwrap().path()).max().unwrap();
    let text = fs::read_to_string(&batch).unwrap();
    fs::write(&batch, &text[..text.len() / 2]).unwrap();
    fs::write(notes.join("newest.txt"), "no id\n").unwrap();
    let found: Verify = run(&store, ["verify", "--json"]).expect_code(8).read();
    assert!(!found.ok);
    let of = |path: &str| &find(&found.damaged, |file| file.path.contains(path)).reason;
    assert!(
        of("notes/mapping.toml").contains("at line 1, column 1; mend the line, or remove the file")
    );
    assert!(of("notes/batches/").contains("its end is missing; remove the file"));
    assert!(of("notes/newest.txt").contains("line 1 is no id of a run; remove the file"));
    let new = as_job(&store, &[], &["runs", "--where", "run = @new"]);
    assert_eq!(new.status.code(), Some(8), "{}", stderr(&new));
}

#[test]
fn new_belongs_to_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let (one, two) = ([("GITHUB_RUN_ID", "1")], [("GITHUB_RUN_ID", "2")]);
    let first = add(&store, &one, PROFILE);
    let second = add(&store, &two, GRAPH);
    assert_ne!(first, second);
    for (job, format, id) in [(&one, "cprofile", &first), (&two, "taskflow", &second)] {
        let (formats, printed) = selected(&store, job, "run = @new");
        assert_eq!(formats, [format]);
        let expected = format!(
            "`@new` is @{id} (1 run), added with {}={}\n",
            job[0].0, job[0].1
        );
        assert_eq!(printed, expected);
    }
    // Others have the newest of all, and read so.
    let (formats, printed) = selected(&store, &[], "run = @new");
    assert_eq!(formats, ["taskflow"]);
    assert_eq!(
        printed,
        format!("`@new` is @{second} (1 run), the newest import of the store\n")
    );
    let (_, printed) = selected(&store, &[("CI_JOB_ID", "7")], "run = @new");
    assert!(
        printed.contains("none was added with CI_JOB_ID=7"),
        "{printed}"
    );
    // A name that the user chose means its own imports or none.
    let chosen = [("GRAINSHEAF_BATCH", "nightly"), ("GITHUB_RUN_ID", "1")];
    let none = as_job(&store, &chosen, &["runs", "--where", "run = @new"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(
        stderr(&none).contains("GRAINSHEAF_BATCH=nightly"),
        "{}",
        stderr(&none)
    );
    let quiet = as_job(&store, &one, &["runs", "--quiet", "--where", "run = @new"]);
    assert_eq!(stderr(&quiet), "");
}

#[test]
fn imports_are_named_by_their_id() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let none = as_job(&store, &[], &["runs", "--where", "run = @new"]);
    assert_eq!(none.status.code(), Some(2));
    let first = add(&store, &[], PROFILE);
    let second = add(&store, &[], GRAPH);
    assert_eq!(
        add(&store, &[], GRAPH),
        second,
        "the same again is the same import"
    );
    for (expression, formats) in [
        (format!("run = @{first}"), &["cprofile"][..]),
        (format!("run = @{}", &first[..6]), &["cprofile"]),
        (format!("run != @{first}"), &["taskflow"]),
        (
            format!("run in (@{first}, @{second})"),
            &["taskflow", "cprofile"],
        ),
        (
            format!("run = @{first} or run = @new"),
            &["taskflow", "cprofile"],
        ),
    ] {
        let (mut found, _) = selected(&store, &[], &expression);
        found.sort_by(|a, b| b.cmp(a));
        assert_eq!(found, formats, "{expression}");
    }
    let diff = as_job(
        &store,
        &[],
        &[
            "diff",
            "--json",
            &format!("@{first}"),
            &format!("run = @{first}"),
        ],
    );
    assert_eq!(read::<Diff>(&diff).schema, "diff/1");
    let info = as_job(&store, &[], &["info", "--json", &format!("@{first}")]);
    assert_eq!(read::<RunInfo>(&info).run.format, "cprofile");
    let unknown = as_job(&store, &[], &["runs", "--where", "run = @b000000000000"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        stderr(&unknown).contains("no import `@b000000000000`"),
        "{}",
        stderr(&unknown)
    );
    let text = as_job(
        &store,
        &[],
        &["add", &sample(PROFILE).display().to_string()],
    );
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("selects its runs"), "{text}");
}

#[test]
fn notes_of_imports_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    add(&store, &[], PROFILE);
    let batches = store.join("notes/batches");
    let is_note = |name: &String| !name.starts_with('.');
    let names = || {
        let names = fs::read_dir(&batches)
            .unwrap()
            .map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(is_note).collect();
        names.sort();
        names
    };
    let text = fs::read(batches.join(&names()[0])).unwrap();
    for number in 2..=1100 {
        fs::write(
            batches.join(format!("{number:010}-b{number:012x}.txt")),
            &text,
        )
        .unwrap();
    }
    let newest = add(&store, &[], GRAPH);
    let names = names();
    assert_eq!(names.len(), 1000);
    assert_eq!(names[999], format!("0000001101-{newest}.txt"));
    assert!(names[0].starts_with("0000000102-"), "{}", names[0]);
}

#[test]
fn the_note_of_earlier_versions_is_read() {
    let (_folder, store) = sample_store();
    let id = run_of(&store, "cprofile");
    fs::remove_dir_all(store.join("notes/batches")).unwrap();
    fs::write(store.join("notes/newest.txt"), format!("{id}\n")).unwrap();
    assert_eq!(selected(&store, &[], "run = @new").0, ["cprofile"]);
    run(&store, ["verify"]).expect_code(0);
}

/// Parameters of a run are corrected, compared by their new values, and come back with `--forget`.
#[test]
fn set_corrects_parameters() {
    let (_folder, store) = sample_store();
    let id = run_of(&store, "cprofile");
    let answer: Corrected = ask(&store, &["set", &id, "machine=n1", "threads=64"]);
    assert_eq!(answer.run.as_ref(), Some(&id));
    let params = answer.params.unwrap();
    assert_eq!(text(&params["machine"]), "n1");
    assert_eq!(text(&params["threads"]), "64");
    let change = &answer.runs[0].changes["threads"];
    assert_eq!(change.after.as_ref().map(text).as_deref(), Some("64"));
    let words = ["runs", "--where", "threads = 64 and machine = n1"];
    let found: Runs = ask(&store, &words);
    assert_eq!(found.runs[0].run, id);
    let forgotten = run(&store, ["set", &id, "--forget", "threads"]).expect_code(0);
    let again = run(&store, ["set", &id, "--forget", "threads"]).expect_code(2);
    let expected = "no run of these has a corrected parameter `threads`";
    assert!(again.stderr.contains(expected), "{}", again.stderr);
    let printed = &forgotten.stdout;
    assert!(printed.contains("1 run corrected"), "{printed}");
    let info: RunInfo = ask(&store, &["info", &id]);
    assert!(!info.run.params.contains_key("threads"), "{info:?}");
    assert_eq!(text(&info.run.params["machine"]), "n1");
    for words in [["set", "nobody", "a=1"], ["set", &id, "a"]] {
        let refused = run(&store, words).expect_code(2);
        assert!(!refused.stderr.is_empty());
    }
}
