//! Cancelled constructs: the member that cancels leaves its construct without a report and waits for the others.

use std::path::Path;
use std::process::Command;

use sheaf_answers::{Paths, RunInfo};
use sheaf_model::table::{GrainKind, WaitKind};
use sheaf_tests::ask;

use crate::launching::compile;
use crate::record;

/// A program in which one member cancels a loop or its section at once, and the other computes for 100 ms or more.
const SOURCE: &str = r#"#include <string.h>
#include <time.h>
static void busy(long ms) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long end = now.tv_sec * 1000000000L + now.tv_nsec + ms * 1000000L;
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec * 1000000000L + now.tv_nsec < end);
}
int main(int count, char **words) {
    if (count > 1 && !strcmp(words[1], "loop")) {
        #pragma omp parallel
        #pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 60; i++) {
            busy(2);
            if (i == 2) {
                #pragma omp cancel for
            }
        }
    } else {
        #pragma omp parallel
        #pragma omp sections
        {
            #pragma omp section
            {
                busy(5);
                #pragma omp cancel sections
            }
            #pragma omp section
            busy(100);
        }
    }
    return 0;
}
"#;

/// Checks that the path of last finishers is the work of the member that computes to the end, and that the other has no
/// work meanwhile.
#[track_caller]
fn check(folder: &Path, program: &Path, construct: &str) {
    let store = folder.join("store");
    let options = ["--threads", "2", "--env", "OMP_CANCELLATION=true"];
    let run = record(&store, &options, program, &[construct]).remove(0);
    let is_barrier = |kind: i32| kind != WaitKind::Taskwait as i32;
    for wait in run.waits.rows().filter(|wait| is_barrier(wait.kind)) {
        let waiter = run.grains.rows().nth(wait.grain.try_into().unwrap());
        let kind = waiter.map(|grain| grain.kind);
        assert_eq!(kind, Some(GrainKind::Implicit as i32), "{wait:?}");
    }
    let id = run.summary.meta.id.to_string();
    let paths: Paths = ask(&store, &["paths", &id]);
    let last = paths.last_finishers.as_ref().unwrap();
    // On a busy machine the first iterations take longer; the wrong path had less than a tenth of the work.
    assert!(last.work * 4 > paths.work * 3, "{paths:?}");
    let info: RunInfo = ask(&store, &["info", &id]);
    assert!(info.no_work > info.delay, "{info:?}");
}

#[test]
fn cancelled_constructs_end_with_their_last_member() {
    let folder = tempfile::tempdir().unwrap();
    let clang = compile(folder.path(), "program", SOURCE);
    let (code, gcc) = (folder.path().join("program.c"), folder.path().join("gnu"));
    let mut compiler = Command::new("gcc");
    compiler
        .args(["-g", "-fopenmp", "-O1", "-o"])
        .args([&gcc, &code]);
    assert!(compiler.status().unwrap().success());
    for program in [clang, gcc] {
        for construct in ["loop", "sections"] {
            check(folder.path(), &program, construct);
        }
    }
}
