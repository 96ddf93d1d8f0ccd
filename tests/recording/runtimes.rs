//! Other runtimes than the one the programs were built with.

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
