//! Other runtimes than the one the programs were built with.

use std::collections::BTreeSet;
use std::process::Command;

use sheaf_answers::Grains;
use sheaf_model::table::GrainKind;
use sheaf_tests::{intel_runtime, llvm15_runtime, program};

use crate::{paths, record};

#[track_caller]
fn check(runtime: &std::path::Path) {
    let folder = tempfile::tempdir().unwrap();
    let fib = program("fib");
    let own = record(folder.path(), &["--threads", "2"], &fib, &["14", "0"]);
    let options = ["--threads", "2", "--runtime", runtime.to_str().unwrap()];
    let other = record(folder.path(), &options, &fib, &["14", "0"]);
    let tasks = paths(&own[0], GrainKind::Task);
    assert!(tasks.len() > 100);
    assert_eq!(
        tasks,
        paths(&other[0], GrainKind::Task),
        "{} tasks",
        tasks.len()
    );
    let of = |run: &sheaf_model::RunTables| run.summary.meta.params.get("runtime_hash").cloned();
    assert!(of(&own[0]).is_some(), "{:?}", own[0].summary.meta.params);
    assert_ne!(of(&own[0]), of(&other[0]), "both runs used one runtime");
}

#[test]
fn llvm_15() {
    check(&llvm15_runtime());
}

#[test]
fn intel() {
    check(&intel_runtime());
}

/// Programs of GCC need the runtime and the recorder first: what users preload is loaded behind them.
#[test]
fn what_users_preload_replaces_no_library_of_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let fib = program("gcc/fib");
    let own = record(folder.path(), &["--threads", "2"], &fib, &["12", "0"]);
    let options = ["--threads", "2", "--env", "LD_PRELOAD=libm.so.6"];
    let other = record(folder.path(), &options, &fib, &["12", "0"]);
    let tasks = paths(&own[0], GrainKind::Task);
    assert!(tasks.len() > 100);
    assert_eq!(tasks, paths(&other[0], GrainKind::Task));
}

/// Tasks of GCC that are created by tasks inside of a barrier: the runtime reports the address of the barrier.
#[test]
fn tasks_of_gcc_have_their_own_places() {
    let folder = tempfile::tempdir().unwrap();
    let code = folder.path().join("nested.c");
    let source = "static void work(void) { for (volatile int i = 0; i < 20000; i++) {} }
int main(void) {
#pragma omp parallel
#pragma omp single nowait
    for (int i = 0; i < 64; i++) {
#pragma omp task
        {
#pragma omp task
            work();
#pragma omp task
            work();
#pragma omp taskwait
        }
    }
    return 0;
}
";
    std::fs::write(&code, source).unwrap();
    let program = folder.path().join("nested");
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "-fopenmp", "-o"])
        .args([&program, &code]);
    assert!(gcc.status().unwrap().success());
    let store = folder.path().join("store");
    for run in record(&store, &["--threads", "1,2,4"], &program, &[]) {
        let definitions = run.summary.definitions.rows();
        let tasks = definitions.filter(|row| row.kind == "task");
        let lines: BTreeSet<_> = tasks.filter_map(|row| row.line).collect();
        // Each construct has its own line or that of its first statement.
        let is_close = lines.len() == 3
            && (lines.iter().zip([6, 8, 10])).all(|(line, of)| (of..of + 2).contains(line));
        assert!(is_close, "{lines:?}");
        assert_eq!(paths(&run, GrainKind::Task).len(), 3 * 64);
    }
}

/// Three sections in a region, after other work, and three that are a region.
const SECTIONS: &str = "static void work(void) { for (volatile int i = 0; i < 20000; i++) {} }
static void inside(void) {
#pragma omp parallel
    {
        work();
#pragma omp sections
        {
#pragma omp section
            work();
#pragma omp section
            work();
#pragma omp section
            work();
        }
    }
}
static void combined(void) {
#pragma omp parallel sections
    {
#pragma omp section
        work();
#pragma omp section
        work();
#pragma omp section
        work();
    }
}
int main(void) {
    inside();
    combined();
    return 0;
}
";

/// Sections of both compilers, in a region and combined with it. Clang's are divided between the members; GCC's are handed
/// out one by one.
#[test]
fn sections_are_grains_of_a_kind_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let clang = super::launching::compile(folder.path(), "clang", SECTIONS);
    let code = folder.path().join("clang.c");
    let gcc = folder.path().join("gcc");
    let mut compiler = Command::new("gcc");
    compiler
        .args(["-g", "-O1", "-fno-inline", "-fopenmp", "-o"])
        .args([&gcc, &code]);
    assert!(compiler.status().unwrap().success());
    let store = folder.path().join("store");
    for (program, threads, expected) in [
        (&clang, "1", vec![(0, 3)]),
        (&clang, "2", vec![(0, 2), (2, 1)]),
        (&clang, "4", vec![(0, 1), (1, 1), (2, 1)]),
        (&gcc, "2", vec![(0, 1), (1, 1), (2, 1)]),
    ] {
        let runs = record(&store, &["--threads", threads], program, &[]);
        let definitions: Vec<_> = runs[0].summary.definitions.rows().collect();
        let kinds = definitions.iter().filter(|row| row.kind == "sections");
        assert_eq!(kinds.clone().count(), 2, "{definitions:?}");
        assert!(
            kinds.clone().all(|row| row.line.is_some()),
            "{definitions:?}"
        );
        assert!(
            definitions.iter().all(|row| row.kind != "loop"),
            "{definitions:?}"
        );
        let chunks = runs[0].grains.rows();
        let chunks = chunks.filter(|row| row.kind == GrainKind::Chunk as i32);
        let mut ranges: Vec<_> = chunks
            .map(|row| (row.first_iteration.unwrap(), row.iterations.unwrap()))
            .collect();
        ranges.sort_unstable();
        let twice = expected.iter().flat_map(|range| [*range, *range]);
        assert_eq!(ranges, twice.collect::<Vec<_>>(), "{program:?} {threads}");
    }
    let run = sheaf_tests::run(
        &store,
        [
            "grains",
            "--where",
            "kind = 'section'",
            "--json",
            "gcc-t2-r1",
        ],
    );
    let grains: Grains = run.expect_code(0).read();
    assert_eq!(grains.total, 6, "{grains:?}");
}
