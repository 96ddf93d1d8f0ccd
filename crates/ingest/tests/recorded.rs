//! Records real programs and checks what must hold of every run's tables.
//!
//! Needs the recorder library (`cargo build -p sheaf-recorder`), clang 19 with its OpenMP runtime,
//! GCC and make.

mod support;

use std::collections::BTreeSet;

use sheaf_model::RunTables;
use sheaf_model::table::{GrainKind, flags};
use support::programs::{Compiler, read_all, record, record_killed, traces};

const THREADS: [u32; 4] = [1, 2, 4, 8];

/// Path keys of tasks and chunks of taskloops; chunks of loops depend on the team.
fn paths(run: &RunTables) -> BTreeSet<i64> {
    let is_compared = |kind| {
        matches!(
            GrainKind::from_code(kind),
            Some(GrainKind::Task | GrainKind::TaskloopChunk)
        )
    };
    run.grains
        .rows()
        .filter(|grain| is_compared(grain.kind))
        .map(|grain| grain.path_key)
        .collect()
}

fn num_dependent(run: &RunTables) -> usize {
    run.grains
        .rows()
        .filter(|grain| grain.flags & flags::SCHEDULE_DEPENDENT != 0)
        .count()
}

/// Records on every number of threads; paths must be the same.
fn check_equal_paths(compiler: Compiler, program: &str, arguments: &str) {
    let mut reference = None;
    for threads in THREADS {
        let run = record(compiler, program, arguments, threads);
        support::invariants::check(&run.tables);
        assert_eq!(num_dependent(&run.tables), 0, "{program} on {threads}");
        for kind in [
            "repaired_orphan_tasks",
            "repaired_unfinished_tasks",
            "repaired_equal_paths",
        ] {
            assert_eq!(run.report.count(kind), 0, "{program} on {threads}: {kind}");
        }
        let found = paths(&run.tables);
        assert!(!found.is_empty(), "{program} has tasks");
        let expected = reference.get_or_insert_with(|| found.clone());
        assert_eq!(
            found.symmetric_difference(expected).count(),
            0,
            "{program} {arguments} on {threads} threads: {} paths, {} on one",
            found.len(),
            expected.len()
        );
    }
}

macro_rules! equal_paths {
    ($($name:ident: $program:literal, $arguments:literal;)*) => {
        mod clang_has_equal_paths {
            use super::*;
            $(#[test] fn $name() { check_equal_paths(Compiler::Clang, $program, $arguments); })*
        }
        mod gcc_has_equal_paths {
            use super::*;
            $(#[test] fn $name() { check_equal_paths(Compiler::Gcc, $program, $arguments); })*
        }
    };
}

equal_paths! {
    fib: "fib", "16 0";
    sort: "sort", "65536 4096 4096";
    nqueens: "nqueens", "8 3";
    sparselu_task: "sparselu_task", "10 8";
    strassen: "strassen", "256 32";
    fft: "fft", "12 256";
    uts: "uts", "50 1000";
    depend: "depend", "10 16";
    taskloop: "taskloop", "4000 16 3 40";
}

#[test]
fn tasks_of_a_loop_are_ranked_over_its_chunks() {
    let reference = paths(&record(Compiler::Clang, "sparselu_for", "10 8", 1).tables);
    for threads in THREADS {
        let run = record(Compiler::Clang, "sparselu_for", "10 8", threads);
        support::invariants::check(&run.tables);
        assert_eq!(paths(&run.tables), reference, "{threads} threads");
    }
}

#[test]
fn floorplan_prunes_by_schedule() {
    let sets: Vec<_> = [1, 2, 4, 8, 8]
        .map(|threads| {
            let run = record(Compiler::Clang, "floorplan", "12 12", threads);
            support::invariants::check(&run.tables);
            paths(&run.tables)
        })
        .into();
    assert!(
        sets.iter().any(|set| *set != sets[0]),
        "all runs explored the same nodes"
    );
}

#[test]
fn loops_have_chunks() {
    for (schedule, threads) in [("dynamic", 2), ("guided", 4), ("static", 2), ("dynamic", 1)] {
        let arguments = format!("4096 64 {schedule}");
        let run = record(Compiler::Clang, "imbalance", &arguments, threads);
        support::invariants::check(&run.tables);
        let chunks: Vec<_> = run
            .tables
            .grains
            .rows()
            .filter(|grain| grain.kind == GrainKind::Chunk as i32)
            .collect();
        assert!(!chunks.is_empty(), "{schedule} on {threads}");
        let iterations: i64 = chunks.iter().filter_map(|chunk| chunk.iterations).sum();
        assert_eq!(
            iterations % 4096,
            0,
            "{schedule} on {threads}: {} chunks",
            chunks.len()
        );
    }
}

#[test]
fn loop_programs_hold_the_invariants() {
    for compiler in [Compiler::Clang, Compiler::Gcc] {
        for threads in THREADS {
            let run = record(compiler, "stencil", "128 128 5 16", threads);
            support::invariants::check(&run.tables);
            let run = record(compiler, "imbalance", "1024 16 dynamic", threads);
            support::invariants::check(&run.tables);
        }
    }
}

#[test]
fn compilers_agree_on_definitions() {
    let names = |compiler| -> BTreeSet<String> {
        let run = record(compiler, "sort", "65536 4096 4096", 2);
        run.tables
            .summary
            .definitions
            .rows()
            .map(|row| row.name)
            .collect()
    };
    assert_eq!(names(Compiler::Clang), names(Compiler::Gcc));
}

#[test]
fn a_killed_program_leaves_a_run() {
    let run = record_killed("fib", "40 0");
    support::invariants::check(&run.tables);
    assert!(!run.tables.summary.meta.is_complete);
    assert!(run.report.count("repaired_unfinished_tasks") > 0);
    assert_eq!(run.report.count("repaired_orphan_tasks"), 0);
}

#[test]
fn runs_do_not_depend_on_the_order_of_files() {
    let mut files: Vec<Vec<u8>> = Vec::new();
    for threads in [1, 2] {
        files.extend(traces(Compiler::Clang, "fib", "12 0", threads));
    }
    let ids = |files: &[Vec<u8>]| -> Vec<_> {
        read_all(files)
            .iter()
            .map(|run| run.tables.summary.meta.id)
            .collect()
    };
    let forth = ids(&files);
    files.reverse();
    assert_eq!(forth, ids(&files));
    assert_eq!(forth.len(), 2);
}

#[test]
fn metadata_names_what_ran() {
    let run = record(Compiler::Gcc, "fib", "12 0", 2);
    let params = &run.tables.summary.meta.params;
    let text = |name: &str| {
        params
            .get(name)
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    assert_eq!(
        (text("threads").as_str(), text("arguments").as_str()),
        ("2", "12 0")
    );
    assert!(
        text("compiler").starts_with("GNU C"),
        "{}",
        text("compiler")
    );
    assert!(
        text("compiler_flags").contains("-fopenmp"),
        "{}",
        text("compiler_flags")
    );
    assert!(
        text("runtime").starts_with("libomp.so"),
        "{}",
        text("runtime")
    );
    assert_eq!(text("runtime_hash").len(), 16);
    assert_eq!(run.tables.summary.meta.program, "fib");
}
