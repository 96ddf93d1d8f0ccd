//! Import order, repetition and the number of threads change nothing.

use sheaf_answers::{Add, FileStatus};
use sheaf_tests::{grainsheaf, run};

use crate::{content, entries, record_study};

#[test]
fn order_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let mut inputs = entries(&record_study(folder.path(), 3));
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    for input in &inputs {
        run(&one, ["add".as_ref(), input.as_os_str()]).expect_code(0);
    }
    inputs.reverse();
    let words = ["add".into()]
        .into_iter()
        .chain(inputs.iter().map(|path| path.as_os_str().to_owned()));
    let added = grainsheaf(&two)
        .args(words)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    assert!(added.status.success());
    for question in [
        &["runs", "--json"][..],
        &["stats", "--json", "--by", "threads", "--metric", "all"],
        &["diff", "--json", "threads = 1", "threads = 2"],
        &["similar", "--json"],
        &["similar", "--json", "--measure", "metrics", "--projection"],
        &["scale", "--json", "--by", "threads"],
    ] {
        let answer = run(&one, question).expect_code(0).stdout;
        // When runs were imported is the one thing that differs.
        assert_eq!(
            without_times(&answer),
            without_times(&run(&two, question).expect_code(0).stdout),
            "{question:?}"
        );
        for threads in ["1", "2", "8"] {
            let mut command = grainsheaf(&two);
            let output = command
                .args(question)
                .env("RAYON_NUM_THREADS", threads)
                .output()
                .unwrap();
            assert_eq!(
                without_times(&answer),
                without_times(&String::from_utf8(output.stdout).unwrap()),
                "{threads} threads"
            );
        }
    }
    run(&one, ["compact"]).expect_code(0);
    run(&two, ["compact"]).expect_code(0);
    // Which runs came last is the one thing that the order of imports decides, and the log counts
    // the changes that there were.
    let kept = |store| {
        let mut files = content(store);
        files.retain(|(name, _)| !name.starts_with("notes/batches") && !name.starts_with("log"));
        files
    };
    let (one, two) = (kept(&one), kept(&two));
    let names = |files: &[(std::path::PathBuf, Vec<u8>)]| -> Vec<_> {
        files.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&one), names(&two));
    assert!(
        one == two,
        "the stores have the same files with different bytes"
    );
}

/// An answer without the times of imports.
fn without_times(answer: &str) -> String {
    let mut parts = answer.split(r#","imported":""#);
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        text.push_str(part.split_once('"').unwrap().1);
    }
    text
}

#[test]
fn importing_twice_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let traces = record_study(folder.path(), 1);
    let store = folder.path().join("store");
    let words = || {
        entries(&traces)
            .into_iter()
            .map(std::path::PathBuf::into_os_string)
    };
    run(&store, ["add".into()].into_iter().chain(words())).expect_code(0);
    let before = content(&store);
    let again = run(
        &store,
        ["add".into(), "--json".into()].into_iter().chain(words()),
    );
    for file in again.expect_code(0).read::<Add>().files {
        assert_eq!(file.status, FileStatus::Present);
    }
    assert!(before == content(&store));
}
