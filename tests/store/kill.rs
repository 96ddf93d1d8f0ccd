//! Kills importers and recorders at random moments: what is visible is whole, or not there.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use sheaf_answers::Runs;
use sheaf_tests::{grainsheaf, program, run};

use crate::{entries, record_study};

const KILLS: u32 = 25;

/// A small generator, so that the moments are the same in every test run.
struct Moments(u64);

impl Moments {
    fn below(&mut self, limit: Duration) -> Duration {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        limit.mul_f64((self.0 >> 40) as f64 / f64::from(1 << 24))
    }
}

#[test]
fn killed_add_leaves_a_sound_store() {
    let folder = tempfile::tempdir().unwrap();
    let traces = entries(&record_study(folder.path(), 4));
    let words = || {
        ["add".into()]
            .into_iter()
            .chain(traces.iter().map(|path| path.as_os_str().to_owned()))
    };
    let complete = folder.path().join("complete");
    let start = Instant::now();
    run(&complete, words()).expect_code(0);
    let duration = start.elapsed();
    let expected = run_ids(&complete);
    let mut moments = Moments(1);
    for kill in 0..KILLS {
        let store = folder.path().join(format!("store-{kill}"));
        let mut child = grainsheaf(&store)
            .args(words())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(moments.below(duration));
        child.kill().unwrap();
        child.wait().unwrap();
        if !store.join("store.json").exists() {
            continue;
        }
        check_sound(&store);
        let found = run_ids(&store);
        assert!(
            found.is_empty() || found == expected,
            "half an import is visible: {found:?}"
        );
        run(&store, words()).expect_code(0);
        run(&store, ["compact"]).expect_code(0);
        assert_eq!(run_ids(&store), expected);
        check_sound(&store);
    }
}

#[test]
fn killed_record_leaves_a_sound_store() {
    let folder = tempfile::tempdir().unwrap();
    let fib = program("fib");
    let words = [
        "record",
        "--quiet",
        "--threads",
        "1,2",
        "--repeat",
        "3",
        "--",
        fib.to_str().unwrap(),
        "12",
        "0",
    ];
    let start = Instant::now();
    run(&folder.path().join("complete"), words).expect_code(0);
    let duration = start.elapsed();
    let mut moments = Moments(2);
    let store = folder.path().join("store");
    let mut seen = BTreeSet::new();
    for _ in 0..KILLS {
        let mut child = grainsheaf(&store)
            .args(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(moments.below(duration));
        child.kill().unwrap();
        child.wait().unwrap();
        if store.join("store.json").exists() {
            check_sound(&store);
            let found = run_ids(&store);
            assert!(found.is_superset(&seen), "a published run is gone");
            seen = found;
        }
    }
    run(&store, ["compact"]).expect_code(0);
    check_sound(&store);
    assert_eq!(run_ids(&store), seen);
}

#[track_caller]
fn check_sound(store: &std::path::Path) {
    run(store, ["verify"]).expect_code(0);
}

fn run_ids(store: &std::path::Path) -> BTreeSet<String> {
    let answer: Runs = run(store, ["runs", "--json"]).read();
    answer.runs.into_iter().map(|run| run.run).collect()
}
