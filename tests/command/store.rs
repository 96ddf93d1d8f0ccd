//! The store through the command line: what is lost, damaged, foreign or open to others.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use sheaf_answers::{Compact, Runs, Verify};
use sheaf_tests::{ask, run};

use crate::sample_store;

fn segments(store: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(store.join("segments")).unwrap();
    let mut segments: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    segments
}

#[test]
fn a_lost_segment_fails_every_question_until_the_store_is_repaired() {
    let (_folder, store) = sample_store();
    let lost = segments(&store).remove(0);
    fs::remove_dir_all(&lost).unwrap();
    let name = lost.file_name().unwrap().to_str().unwrap().to_owned();
    for words in [&["runs"][..], &["stats"], &["info", "nested"], &["compact"]] {
        let outcome = run(&store, words).expect_code(8);
        assert!(outcome.stderr.contains(&name), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("verify --repair"),
            "{}",
            outcome.stderr
        );
    }
    let found: Verify = run(&store, ["verify", "--json"]).expect_code(8).read();
    assert_eq!(found.damaged[0].path, format!("segments/{name}"));
    run(&store, ["verify", "--repair"]).expect_code(8);
    run(&store, ["verify"]).expect_code(0);
    assert_eq!(ask::<Runs>(&store, &["runs"]).runs.len(), 1);
}

#[test]
fn damage_fails_a_question_unless_it_is_told_not_to_look_and_a_diff_always() {
    let (_folder, store) = sample_store();
    for segment in segments(&store) {
        let path = segment.join("locations.parquet");
        let mut bytes = fs::read(&path).unwrap();
        // Inside the magic bytes at the start, which decoders do not look at.
        bytes[0] ^= 1;
        fs::write(path, bytes).unwrap();
    }
    let outcome = run(&store, ["stats"]).expect_code(8);
    assert!(
        outcome.stderr.contains("locations.parquet"),
        "{}",
        outcome.stderr
    );
    run(&store, ["stats", "--no-verify"]).expect_code(0);
    let runs: Runs = ask(&store, &["runs", "--no-verify"]);
    let [a, b] = [0, 1].map(|at| runs.runs[at].run.as_str());
    run(&store, ["diff", a, b, "--no-verify"]).expect_code(8);
    run(
        &store,
        ["gate", "--baseline", a, "--candidate", b, "--no-verify"],
    )
    .expect_code(8);
    run(&store, ["export", a, "--as", "csv", "--no-verify"]).expect_code(8);
}

#[test]
fn a_compaction_prints_what_it_removes_and_leaves_the_rest() {
    let (folder, store) = sample_store();
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("thesis.txt"), "mine").unwrap();
    symlink(&precious, store.join("tmp/0123456789abcdef")).unwrap();
    let before = segments(&store);
    let plan: Compact = ask(&store, &["compact", "--dry-run"]);
    assert!(plan.is_dry_run);
    assert_eq!(segments(&store), before);
    let done: Compact = ask(&store, &["compact"]);
    assert_eq!(done.removed, plan.removed);
    assert_eq!(done.removed.len(), 2);
    assert!(done.foreign[0].ends_with("tmp/0123456789abcdef"));
    assert_eq!(
        fs::read_to_string(precious.join("thesis.txt")).unwrap(),
        "mine"
    );
    let text = run(&store, ["compact"]).expect_code(0).stdout;
    assert!(text.contains("not the store's and not touched"), "{text}");
}

#[test]
fn a_store_that_others_may_write_is_named_and_not_served() {
    let (_folder, store) = sample_store();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o777)).unwrap();
    let outcome = run(&store, ["verify"]).expect_code(0);
    assert!(
        outcome.stderr.contains("everybody may write to"),
        "{}",
        outcome.stderr
    );
    // A decision rests on the store: it is named here too, whatever the outcome is.
    let outcome = run(
        &store,
        ["gate", "--baseline", "nobody", "--candidate", "nobody"],
    );
    assert!(
        outcome.stderr.contains("everybody may write to"),
        "{}",
        outcome.stderr
    );
    let outcome = run(&store, ["serve", "--no-token"]).expect_code(2);
    assert!(
        outcome.stderr.contains("--allow-shared-store"),
        "{}",
        outcome.stderr
    );
    fs::set_permissions(&store, fs::Permissions::from_mode(0o755)).unwrap();
    let outcome = run(&store, ["verify"]).expect_code(0);
    assert!(
        !outcome.stderr.contains("may write to"),
        "{}",
        outcome.stderr
    );
}

/// Whoever may write a folder above the store can replace it, and whoever may write a segment can replace its tables.
#[test]
fn folders_above_the_store_and_files_of_segments_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let (_sample, sample) = sample_store();
    let store = folder.path().join("team/results/store");
    fs::create_dir_all(store.parent().unwrap()).unwrap();
    fs::rename(&sample, &store).unwrap();
    let segment = segments(&store).remove(0);
    let batches = store.join("notes/batches");
    let files = [
        segment.join("manifest.json"),
        store.join("store.json"),
        batches,
    ];
    for exposed in [folder.path().join("team"), segment]
        .into_iter()
        .chain(files)
    {
        let before = fs::metadata(&exposed).unwrap().permissions();
        fs::set_permissions(&exposed, fs::Permissions::from_mode(0o777)).unwrap();
        let outcome = run(&store, ["runs"]).expect_code(0);
        let warning = format!("everybody may write to `{}`", exposed.display());
        assert!(outcome.stderr.contains(&warning), "{}", outcome.stderr);
        fs::set_permissions(&exposed, before).unwrap();
    }
    let outcome = run(&store, ["verify"]).expect_code(0);
    assert!(
        !outcome.stderr.contains("may write to"),
        "{}",
        outcome.stderr
    );
}
