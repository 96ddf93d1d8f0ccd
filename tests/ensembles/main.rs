//! Ensembles of files that other tools wrote, through the command line alone.

mod decisions;
mod estimates;
mod examples;
mod explain;
mod explain_notes;
mod extremes;
mod grain_diff;
mod histories;
mod history_limits;
mod made;
mod oracles;
mod renames;
mod scaling;
mod similar;
mod structure;
mod studies;
mod tables;
mod unmeasured;
mod what_if;
mod what_if_notes;
mod whole_runs;

use std::collections::BTreeSet;
use std::path::Path;

use sheaf_answers::{Add, Diff, FileStatus, Runs, Stats, Verdict};
use sheaf_tests::{ask, number, reference, run};

fn add(store: &Path, input: &Path, more: &[&str]) -> Add {
    let input = input.display().to_string();
    ask(store, &[&["add", &input], more].concat())
}

/// Paths of contexts, each once.
fn paths(stats: &Stats) -> BTreeSet<Vec<&str>> {
    stats.rows.iter().map(|row| row.path.names()).collect()
}

#[test]
fn recordings_of_four_runtimes_are_one_ensemble() {
    let Some(folder) = reference("dag-recorder") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let pattern = "{variant}/{runtime}-w{workers:int}.dag";
    let input = folder.display().to_string();
    let words = ["add", "--json", &input, "--params-from", pattern];
    // The text dumps beside the small recordings are refused with a hint; the rest is in.
    let added: Add = run(&store, words).expect_code(3).read();
    let count = |status| {
        let files = added.files.iter();
        files.filter(|file| file.status == status).count()
    };
    let counts = (count(FileStatus::Added), count(FileStatus::Refused));
    assert_eq!(counts, (55, 4));
    let runs: Runs = ask(&store, &["runs", "--where", "variant = 'sort'"]);
    assert_eq!(runs.runs.len(), 8);

    // Whole programs of every runtime have the same contexts; collapsed ones lack what was dropped.
    for variant in ["fib", "sort", "sparselu", "strassen"] {
        let stats = |runtime: &str| -> Stats {
            let selection = format!("variant = '{variant}' and runtime = '{runtime}'");
            ask(
                &store,
                &["stats", "--level", "context", "--where", &selection],
            )
        };
        let first = stats("mth");
        assert!(!first.rows.is_empty());
        for runtime in ["omp", "tbb", "serial"] {
            let other = stats(runtime);
            assert_eq!(paths(&other), paths(&first), "{variant}, {runtime}");
        }
    }

    let by = ["--by", "runtime,workers", "--where", "variant = 'sort'"];
    let cohorts: Stats = ask(
        &store,
        &[&["stats", "--level", "definition"], &by[..]].concat(),
    );
    let found: BTreeSet<String> = cohorts
        .rows
        .iter()
        .map(|row| format!("{:?}", row.cohort))
        .collect();
    assert_eq!(found.len(), 8, "{found:?}");

    let diff: Diff = ask(
        &store,
        &[
            "diff",
            "variant = 'sort' and runtime = 'mth' and workers = 2",
            "variant = 'sort' and runtime = 'omp' and workers = 2",
        ],
    );
    for row in &diff.rows {
        let is_matched = !matches!(row.verdict, Verdict::Appeared | Verdict::Vanished);
        assert!(is_matched, "{row:?}");
    }
}

#[test]
fn weak_scaling_of_lulesh_has_45_paths_and_33_names() {
    let Some(folder) = reference("call-profiles/caliper-json-split/lulesh-weak-scaling8") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    let pattern = "{}-{ranks:int}core{}.json";
    let one = "{}-{ranks:int}core.json";
    let added = add(
        &store,
        &folder,
        &["--params-from", pattern, "--params-from", one],
    );
    assert_eq!(added.files.len(), 8);
    let count = |level: &str, selection: &str| {
        let stats: Stats = ask(&store, &["stats", "--level", level, "--where", selection]);
        let mut found = paths(&stats);
        // What ran outside any region is a root of its own, not a call path.
        found.retain(|path| path.iter().all(|name| *name != "(no path)"));
        found.len()
    };
    assert_eq!(count("context", "ranks >= 1"), 45);
    assert_eq!(count("context", "ranks = 1"), 29);
    assert_eq!(count("definition", "ranks >= 1"), 33);
    let ranks: Stats = ask(&store, &["stats", "--by", "ranks", "--level", "module"]);
    let mut cohorts: Vec<f64> = ranks
        .rows
        .iter()
        .map(|row| number(&row.cohort["ranks"]))
        .collect();
    cohorts.sort_by(f64::total_cmp);
    cohorts.dedup();
    assert_eq!(cohorts.len(), 8, "{cohorts:?}");
}
