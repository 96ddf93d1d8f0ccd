//! Other runtimes than the one the programs were built with.

use std::collections::BTreeSet;
use std::process::Command;

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
        let lines: BTreeSet<_> = tasks.map(|row| row.line).collect();
        // As GCC's line table has them: it gives both inner constructs the line of their block.
        assert_eq!(lines, BTreeSet::from([Some(4), Some(6)]));
        assert_eq!(paths(&run, GrainKind::Task).len(), 3 * 64);
    }
}
