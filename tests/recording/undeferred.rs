//! Constructs that make the creator wait for the tasks that they depend on, and tasks that run at once: their order is
//! part of the span.

use std::path::Path;
use std::process::Command;

use sheaf_answers::{Paths, RunInfo, WhatIf};
use sheaf_model::RunTables;
use sheaf_model::table::{FragmentRow, GrainKind, GrainRow, WaitKind, flags};
use sheaf_tests::ask;

use crate::launching::compile;
use crate::record;

/// A program whose single member of a team of two runs `body`.
fn source(body: &str) -> String {
    format!(
        r"#include <time.h>
static void busy(long ms) {{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long end = now.tv_sec * 1000000000L + now.tv_nsec + ms * 1000000L;
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec * 1000000000L + now.tv_nsec < end);
}}
int main(void) {{
    int x = 0;
    #pragma omp parallel
    #pragma omp single
    {{
{body}
    }}
    return x < 0;
}}
"
    )
}

/// Records a program on two threads, or one, and returns the answer of `paths` and the tables.
fn record_paths(store: &Path, program: &Path, threads: &str) -> (Paths, RunTables) {
    let run = record(store, &["--threads", threads], program, &[]).remove(0);
    let id = run.summary.meta.id.to_string();
    (ask(store, &["paths", &id]), run)
}

/// Milliseconds of a time in nanoseconds.
fn in_ms(time: i64) -> i64 {
    time / 1_000_000
}

/// Checks the span of a program with the given body, in milliseconds, and that nothing in it runs in parallel.
#[track_caller]
fn check_serial(body: &str, span: i64) -> RunTables {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "program", &source(body));
    check_serial_program(&folder.path().join("store"), &program, span)
}

#[track_caller]
fn check_serial_program(store: &Path, program: &Path, span: i64) -> RunTables {
    let (paths, run) = record_paths(store, program, "2");
    // The program computes for a fixed time; on a busy machine it takes longer.
    assert!(in_ms(paths.span) > span * 95 / 100, "{paths:?}");
    assert!(paths.parallelism.unwrap() < 1.1, "{paths:?}");
    let last = paths.last_finishers.as_ref().unwrap();
    assert!(last.work * 10 > paths.work * 9, "{paths:?}");
    let id = run.summary.meta.id.to_string();
    let info: RunInfo = ask(store, &["info", &id]);
    assert_eq!(info.parallelism, paths.parallelism, "{info:?}");
    let predicted: WhatIf = ask(store, &["what-if", &id, "--workers", "1,2,4"]);
    for row in &predicted.rows {
        assert!(row.parallelism.unwrap() < 1.1, "{row:?}");
        assert!(row.predicted > paths.span as f64 * 0.95, "{row:?}");
    }
    run
}

const TASKWAIT: &str = "
    #pragma omp task depend(out: x)
    busy(50);
    #pragma omp taskwait depend(in: x)
    busy(50);";

#[test]
fn the_creator_continues_behind_what_a_taskwait_depends_on() {
    let run = check_serial(TASKWAIT, 100);
    let tasks: Vec<_> = run
        .grains
        .rows()
        .filter(|it| it.kind == GrainKind::Task as i32)
        .collect();
    let [first, second] = tasks.as_slice() else {
        panic!("{tasks:?}");
    };
    let (empty, full) = if first.work < second.work {
        (first, second)
    } else {
        (second, first)
    };
    assert_eq!(empty.work, Some(0));
    let all = flags::UNDEFERRED | flags::MERGED | flags::HAS_DEPENDENCES;
    assert_eq!(empty.flags & all, all);
    assert!(in_ms(full.work.unwrap()) >= 49, "{full:?}");
    assert_eq!(run.dependences.len(), 1);
    // Such a wait collects nothing but what it depends on.
    let is_taskwait = |kind: i32| kind == WaitKind::Taskwait as i32;
    assert!(!run.waits.rows().any(|wait| is_taskwait(wait.kind)));
}

#[test]
fn a_taskwait_is_a_wait_on_one_thread_too() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "program", &source(TASKWAIT));
    let (paths, _) = record_paths(&folder.path().join("store"), &program, "1");
    assert!(paths.parallelism.unwrap() < 1.1, "{paths:?}");
}

/// The time of the wait is not work of the thread.
#[test]
fn waiting_for_a_task_of_another_thread_is_not_work() {
    let folder = tempfile::tempdir().unwrap();
    let body = "
    #pragma omp task depend(out: x)
    busy(60);
    busy(10);
    #pragma omp taskwait depend(in: x)
    busy(40);";
    let program = compile(folder.path(), "program", &source(body));
    let (paths, run) = record_paths(&folder.path().join("store"), &program, "2");
    assert!(in_ms(paths.span) >= 100, "{paths:?}");
    let grains: Vec<_> = run.grains.rows().collect();
    let is_empty = |grain: &&GrainRow| grain.flags & flags::MERGED != 0;
    let empty = grains.iter().find(is_empty).unwrap();
    let wait = empty.created.unwrap()..empty.start.unwrap();
    let of_creator = |fragment: &FragmentRow| Some(fragment.grain) == empty.parent;
    for fragment in run.fragments.rows().filter(of_creator) {
        let end = fragment.start + fragment.duration;
        assert!(end <= wait.start || fragment.start >= wait.end, "{run:?}");
    }
}

#[test]
fn tasks_that_a_taskwait_does_not_depend_on_run_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let body = "
    #pragma omp task
    busy(80);
    #pragma omp task depend(out: x)
    busy(10);
    #pragma omp taskwait depend(in: x)
    busy(60);";
    let program = compile(folder.path(), "program", &source(body));
    for threads in ["1", "2"] {
        let (paths, _) = record_paths(&folder.path().join("store"), &program, threads);
        assert!(paths.parallelism.unwrap() > 1.4, "{paths:?}");
    }
}

#[test]
fn an_undeferred_task_follows_what_it_depends_on() {
    let run = check_serial(
        "
    #pragma omp task depend(out: x)
    busy(50);
    #pragma omp task if(0) depend(in: x)
    busy(50);",
        100,
    );
    assert_eq!(run.summary.meta.grains, 2);
    assert_eq!(run.dependences.len(), 1);
}

#[test]
fn tasks_of_an_undeferred_taskloop_follow_each_other() {
    check_serial(
        "
    #pragma omp taskloop if(0) num_tasks(10)
    for (int i = 0; i < 10; i++) busy(10);",
        100,
    );
}

#[test]
fn a_target_region_on_the_host_follows_what_it_depends_on() {
    let run = check_serial(
        "
    #pragma omp task depend(out: x)
    { busy(30); x++; }
    #pragma omp target depend(in: x) map(tofrom: x)
    { busy(30); x++; }
    busy(40);",
        100,
    );
    assert_eq!(run.summary.meta.grains, 2);
}

#[test]
fn programs_of_gcc_have_the_same_order() {
    let folder = tempfile::tempdir().unwrap();
    let body = "
    #pragma omp task depend(out: x)
    busy(30);
    #pragma omp taskwait depend(in: x)
    busy(30);
    #pragma omp task if(0) depend(inout: x)
    busy(20);
    busy(20);";
    let (code, built) = (folder.path().join("gnu.c"), folder.path().join("gnu"));
    std::fs::write(&code, source(body)).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-fopenmp", "-O1", "-o"])
        .args([&built, &code]);
    assert!(gcc.status().unwrap().success());
    let run = check_serial_program(&folder.path().join("store"), &built, 100);
    // The two tasks, and the empty one of `taskwait`.
    assert_eq!(run.summary.meta.grains, 3);
    assert_eq!(run.dependences.len(), 2);
}
