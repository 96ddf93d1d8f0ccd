//! Hostile names from a file, in everything that a command shows: no character that cannot be seen leaves.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sheaf_answers::{Add, Stats};
use sheaf_model::is_invisible;
use sheaf_tests::{ask, run};
use tempfile::TempDir;

/// A name that turns the direction of writing, one that clears the terminal, one without width, one that ends a
/// line, one that is markup.
const NAMES: [&str; 5] = [
    "main\u{202e}cexe.txt",
    "\u{1b}[2Jcleared\u{7}",
    "in\u{200b}visible\u{feff}",
    "line\u{2028}end\u{85}",
    "<script>alert(1)</script>",
];

/// A Caliper profile of a chain of calls with these names, and a parameter whose name and value are hostile.
fn profile(path: &Path, factor: u32) {
    let mut text = String::from(
        "__rec=node,id=12,attr=10,data=276,parent=3\n\
         __rec=node,id=13,attr=8,data=region,parent=12\n\
         __rec=node,id=14,attr=10,data=65,parent=5\n\
         __rec=node,id=15,attr=8,data=sum#time.duration,parent=14\n\
         __rec=node,id=16,attr=10,data=512,parent=3\n\
         __rec=node,id=17,attr=8,data=site\u{202e}\u{1b}[31m,parent=16\n",
    );
    let mut values = String::new();
    for (node, name) in (20..).zip(NAMES) {
        let below = if node == 20 {
            String::new()
        } else {
            format!(",parent={}", node - 1)
        };
        writeln!(text, "__rec=node,id={node},attr=13,data={name}{below}").unwrap();
        writeln!(
            values,
            "__rec=ctx,ref={node},attr=15,data={}",
            node * factor
        )
        .unwrap();
    }
    writeln!(values, "__rec=globals,attr=17,data=here\u{202e}\u{7}").unwrap();
    fs::write(path, text + &values).unwrap();
}

pub(crate) fn store() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    for (number, factor) in (0..4).zip([1, 1, 2, 2]) {
        let file = folder
            .path()
            .join(format!("run{number}\u{202e}\u{1b}[2J.cali"));
        profile(&file, factor);
        let version = format!("version={factor}");
        let added = run(
            &store,
            [
                "add".as_ref(),
                "--param".as_ref(),
                version.as_ref(),
                file.as_os_str(),
            ],
        );
        check(&["add"], &added.expect_code(0));
    }
    (folder, store)
}

#[track_caller]
fn check(words: &[&str], outcome: &sheaf_tests::Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        let bad = |character: &char| is_invisible(*character) && !"\n\t".contains(*character);
        let found: Vec<char> = text.chars().filter(bad).collect();
        assert_eq!(found, [], "{words:?}: {text}");
    }
}

#[test]
fn hostile_names_never_leave_unescaped() {
    let (_folder, store) = store();
    let (before, after) = ("version = 1", "version = 2");
    let gate = ["gate", "--baseline", before, "--candidate", after];
    let questions: [&[&str]; 14] = [
        &["runs"],
        &["runs", "--csv"],
        &["stats", "--level", "context"],
        &["stats", "--level", "context", "--csv"],
        &["stats", "--level", "module", "--csv"],
        &["diff", before, after, "--level", "context"],
        &["diff", before, after, "--csv"],
        &["noise"],
        &["noise", "--csv"],
        &["scale", "--by", "version"],
        &["history", "--by", "version", "--csv"],
        &["similar", "--csv"],
        &["runs", "--where", "name = 'no\u{202e}\u{1b}ne'"],
        &["info", "no\u{202e}\u{1b}run"],
    ];
    for words in questions {
        check(words, &run(&store, words));
    }
    for form in ["text", "markdown", "junit", "csv", "json"] {
        let words = [&gate[..], &["--format", form]].concat();
        check(&words, &run(&store, &words));
    }
    let stats = run(&store, ["stats", "--level", "context", "--csv"]).expect_code(0);
    assert!(
        stats.stdout.contains(r"main\u{202e}cexe.txt"),
        "{}",
        stats.stdout
    );
}

/// Programs get the exact names: JSON escapes what cannot be seen, and its readers undo that.
#[test]
fn programs_get_names_as_the_file_has_them() {
    let (_folder, store) = store();
    let words = ["stats", "--level", "context", "--json"];
    let stats = run(&store, words);
    check(&words, &stats);
    let stats: Stats = stats.expect_code(0).read();
    let paths = stats.rows.iter().map(|row| row.path.names());
    assert_eq!(paths.max_by_key(Vec::len).unwrap(), NAMES);
}

/// Answers that are streamed, and exports in JSON, escape them too; what is read back is the same run.
#[test]
fn grains_and_chrome_exports_escape_names() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let trace = folder.path().join("trace.json");
    let event = serde_json::json!({"ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1,
        "name": NAMES[0], "args": {"id": 1, "detail": NAMES[1]}});
    fs::write(
        &trace,
        serde_json::json!({"traceEvents": [event]}).to_string(),
    )
    .unwrap();
    let add = |store: &Path, file: &Path| {
        let mut added: Add = ask(store, &["add", file.to_str().unwrap()]);
        added.files[0].runs.remove(0)
    };
    let id = add(&store, &trace);
    for form in [&["--json"][..], &["--csv"], &[]] {
        let words = [&["grains", &id], form].concat();
        check(&words, &run(&store, &words).expect_code(0));
    }
    let words = ["export", &id, "--as", "chrome"];
    let exported = run(&store, words).expect_code(0);
    check(&words, &exported);
    fs::write(&trace, &exported.stdout).unwrap();
    assert_eq!(add(&folder.path().join("other"), &trace), id);
}
