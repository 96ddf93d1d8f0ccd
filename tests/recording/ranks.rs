//! Several processes of one launch are one run with ranks.

use std::collections::BTreeSet;
use std::path::Path;

use sheaf_answers::{Noise, Record};
use sheaf_model::ParamValue;
use sheaf_tests::{ask, program, run};

use crate::tables;

#[test]
fn weak_scaling_stencil() {
    let folder = tempfile::tempdir().unwrap();
    let stencil = program("mpi/stencil");
    let mut work_per_rank = Vec::new();
    for ranks in [1, 2, 4] {
        let run = record_ranks(folder.path(), &stencil, ranks);
        assert_eq!(run.summary.meta.ranks, i64::from(ranks));
        let stated = ParamValue::Number(f64::from(ranks));
        assert_eq!(run.summary.meta.params.get("ranks"), Some(&stated));
        let mut found: Vec<i32> = run.summary.locations.rows().map(|row| row.rank).collect();
        found.dedup();
        assert_eq!(found, (0..ranks).collect::<Vec<_>>());
        run.validate().unwrap();
        if ranks == 2 {
            check_paths(folder.path(), &run.summary.meta.id.to_string());
        }
        work_per_rank.push(run.grains.len() / usize::try_from(ranks).unwrap());
    }
    assert_eq!(
        work_per_rank[0], work_per_rank[1],
        "every rank does the same: weak scaling"
    );
    assert_eq!(
        work_per_rank[0], work_per_rank[2],
        "every rank does the same: weak scaling"
    );
}

/// Every grain has its own path, and the same paths are in every rank behind the outermost grain.
fn check_paths(store: &Path, run: &str) {
    let table = sheaf_tests::run(store, ["grains", run, "--csv"]).expect_code(0);
    let mut lines = table.stdout.lines();
    assert!(lines.next().unwrap().starts_with("path,"));
    let mut paths: [BTreeSet<&str>; 2] = Default::default();
    let mut count = 0;
    for line in lines {
        let (outer, inner) = line.split_once(" / ").unwrap();
        let rank = usize::from(outer == "stencil[rank 1]");
        assert!(rank == 1 || outer == "stencil[0]", "{line}");
        paths[rank].insert(inner.split_once(',').unwrap().0);
        count += 1;
    }
    assert_eq!(paths[0], paths[1]);
    assert_eq!(count, 2 * paths[0].len());
}

fn record_ranks(store: &Path, stencil: &Path, ranks: i32) -> sheaf_model::RunTables {
    let count = ranks.to_string();
    let mpirun = [
        "mpirun",
        "--allow-run-as-root",
        "--oversubscribe",
        "-n",
        &count,
    ];
    let mut words = vec!["record", "--json", "--quiet", "--threads", "2", "--"];
    words.extend(mpirun);
    words.extend([stencil.to_str().unwrap(), "--weak"]);
    let answer: Record = run(store, words).expect_code(0).read();
    assert_eq!(answer.runs.len(), 1, "one launch is one run: {answer:?}");
    tables(store, &answer.runs[0].run)
}

/// Programs that a script starts one after the other are runs of their own, and no repeats of each other.
#[test]
fn programs_of_one_script_are_no_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let (fib, tree) = (program("fib"), program("imbalance"));
    let (fib, tree) = (fib.display(), tree.display());
    let script = crate::launching::script(
        folder.path(),
        "all",
        &format!("{fib} 8 0\n{tree}\n{fib} 8 0"),
    );
    let all = crate::record(&store, &["--repeat", "2"], &script, &[]);
    let numbers = all.iter().map(|run| {
        let meta = &run.summary.meta;
        let param = |name: &str| match meta.params.get(name) {
            Some(ParamValue::Number(number)) => format!("{number}"),
            _ => "none".to_owned(),
        };
        format!("{} {} {}", meta.program, param("repeat"), param("process"))
    });
    let numbers: BTreeSet<String> = numbers.collect();
    let expected = [
        "fib 1 1",
        "fib 1 2",
        "fib 2 1",
        "fib 2 2",
        "imbalance 1 none",
        "imbalance 2 none",
    ];
    assert_eq!(numbers, expected.map(str::to_owned).into());
    let noise: Noise = ask(&store, &["noise"]);
    let repeats: Vec<usize> = noise
        .cohorts
        .iter()
        .map(|cohort| cohort.runs.len())
        .collect();
    assert_eq!(repeats, [2, 2, 2]);
}
