//! Records small programs, one per feature of OpenMP, and checks what the traces say.

mod harness;

use harness::{Recording, Setup, openmp_library, record, record_with};
use sheaf_ingest::trace::{
    CounterState, DispatchKind, EventKind, SyncKind, TaskFlags, ThreadStream, TraceProblem,
    WorkKind,
};

/// Records `program`, which must end normally and leave one complete trace.
fn check(program: &str, verify: impl Fn(&Recording<'_>)) {
    check_with(program, &Setup::default(), verify);
}

fn check_with(program: &str, setup: &Setup<'_>, verify: impl Fn(&Recording<'_>)) {
    let run = record_with(program, setup);
    assert!(run.status.success(), "{:?}: {}", run.status, run.stderr);
    assert_eq!(run.traces.len(), 1, "{}", run.stderr);
    let recording = Recording::read(&run.traces[0]);
    recording.check_complete();
    verify(&recording);
}

fn task_flags(recording: &Recording<'_>) -> Vec<TaskFlags> {
    recording.pick(|kind| match kind {
        EventKind::TaskCreate { flags, .. } => Some(*flags),
        _ => None,
    })
}

fn chunks(recording: &Recording<'_>, wanted: DispatchKind) -> Vec<(i64, u64)> {
    recording.pick(|event| match *event {
        EventKind::Dispatch {
            kind,
            start,
            iterations,
            ..
        } if kind == wanted => Some((start, iterations)),
        _ => None,
    })
}

fn works(recording: &Recording<'_>, wanted: impl Fn(WorkKind) -> bool) -> usize {
    recording.count(|event| matches!(event, EventKind::WorkBegin(work) if wanted(work.kind)))
}

fn syncs(recording: &Recording<'_>, wanted: SyncKind) -> usize {
    recording.count(|event| matches!(event, EventKind::SyncBegin(sync) if sync.kind == wanted))
}

#[test]
fn parallel_region() {
    check("parallel", |recording| {
        let members = recording.pick(|kind| match *kind {
            EventKind::ImplicitBegin {
                region: Some(region),
                team_size,
                index,
                ..
            } => Some((region, team_size, index)),
            _ => None,
        });
        assert_eq!(members.len(), 3);
        let mut indices: Vec<u32> = members.iter().map(|member| member.2).collect();
        indices.sort_unstable();
        assert_eq!(indices, [0, 1, 2]);
        assert!(
            members
                .iter()
                .all(|member| member.0 == members[0].0 && member.1 == 3)
        );
        assert_eq!(syncs(recording, SyncKind::BarrierExplicit), 3);
        let exclusions = recording.count(|kind| matches!(kind, EventKind::MutexAcquired(_)));
        assert_eq!(exclusions, 3);
        assert_eq!(
            recording.count(|kind| matches!(kind, EventKind::MaskedBegin { .. })),
            1
        );
        assert_eq!(recording.trace.threads.len(), 3);
    });
}

#[test]
fn nested_regions() {
    check("nested", |recording| {
        let regions = recording.count(|kind| matches!(kind, EventKind::ParallelBegin { .. }));
        assert_eq!(regions, 9);
        assert_eq!(recording.created().len(), 12);
    });
}

#[test]
fn team_of_one() {
    check("team_of_one", |recording| {
        assert_eq!(recording.created().len(), 5);
        assert!(
            task_flags(recording)
                .into_iter()
                .all(TaskFlags::is_undeferred)
        );
    });
}

#[test]
fn tasks_and_taskwait() {
    check("fib", |recording| {
        assert_eq!(recording.created().len(), 3192);
        assert_eq!(syncs(recording, SyncKind::Taskwait), 1596);
        let sites = recording.pick(|kind| match kind {
            EventKind::TaskCreate { site, .. } => *site,
            _ => None,
        });
        for site in &sites {
            let place = recording.trace.header.locate(*site).expect("a place");
            assert!(
                place.mapping.path.ends_with("/program"),
                "{}",
                place.mapping.path
            );
        }
        assert_eq!(sites.len(), 3192);
    });
}

#[test]
fn undeferred_tasks() {
    check("undeferred", |recording| {
        let flags = task_flags(recording);
        assert_eq!(flags.len(), 10);
        assert!(
            flags
                .iter()
                .all(|flags| flags.is_explicit() && flags.is_undeferred())
        );
    });
}

#[test]
fn final_tasks() {
    check("final", |recording| {
        let flags = task_flags(recording);
        assert_eq!(flags.len(), 126);
        assert!(flags.iter().any(|flags| flags.is_final()));
    });
}

#[test]
fn untied_tasks() {
    check("untied", |recording| {
        let flags = task_flags(recording);
        assert_eq!(flags.len(), 127);
        assert!(flags.iter().all(|flags| flags.is_untied()));
    });
}

#[test]
fn taskgroup() {
    check("taskgroup", |recording| {
        assert_eq!(recording.created().len(), 8);
        assert_eq!(syncs(recording, SyncKind::Taskgroup), 1);
    });
}

#[test]
fn taskloop_of_many_chunks() {
    check("taskloop", |recording| {
        let mut chunks = chunks(recording, DispatchKind::TaskloopChunk);
        assert_eq!(chunks.len(), 200);
        chunks.sort_unstable();
        let mut next = 0;
        for (start, iterations) in chunks {
            assert_eq!(start, next);
            next += iterations.cast_signed();
        }
        assert_eq!(next, 1000);
        assert!(
            recording.created().len() >= 200,
            "chunks and the helpers that split"
        );
        assert_eq!(works(recording, |kind| kind == WorkKind::Taskloop), 1);
    });
}

#[test]
fn dependences() {
    check("depend", |recording| {
        let items = recording.count(|kind| matches!(kind, EventKind::Dependence { .. }));
        assert_eq!(items, 3 + 2 + 20);
        let addresses = recording.pick(|kind| match kind {
            EventKind::Dependence { address, .. } => Some(*address),
            _ => None,
        });
        assert_eq!(addresses[0], addresses[1]);
        let many = &addresses[5..];
        assert!(
            many.windows(2).all(|pair| pair[1] == pair[0] + 4),
            "{many:x?}"
        );
    });
}

#[test]
fn loops_of_every_schedule() {
    check("loops", |recording| {
        assert_eq!(works(recording, WorkKind::is_loop), 10);
        let counts = recording.pick(|event| match event {
            EventKind::WorkBegin(work) if work.kind.is_loop() => Some(work.count),
            _ => None,
        });
        assert_eq!(counts.iter().filter(|&&count| count == 100).count(), 8);
        let chunks = chunks(recording, DispatchKind::LoopChunk);
        let iterations: u64 = chunks.iter().map(|chunk| chunk.1).sum();
        // Static 100, dynamic 100, guided 100, decreasing 50; and of the loop with static
        // chunks of 7 the runtime reports only the first chunk of each thread.
        assert_eq!(iterations, 350 + 14);
    });
}

#[test]
fn sections_and_single() {
    check("sections", |recording| {
        assert_eq!(works(recording, |kind| kind == WorkKind::Sections), 2);
        assert_eq!(works(recording, |kind| kind == WorkKind::SingleExecutor), 1);
        assert_eq!(works(recording, |kind| kind == WorkKind::SingleOther), 1);
    });
}

#[test]
fn locks() {
    check("locks", |recording| {
        let acquired = recording.count(|kind| matches!(kind, EventKind::MutexAcquired(_)));
        let released = recording.count(|kind| matches!(kind, EventKind::MutexReleased(_)));
        assert_eq!(acquired, released);
        assert_eq!(acquired, 2 + 2 + 4, "locks, nestable locks, ordered");
        let again = recording.count(|kind| matches!(kind, EventKind::NestLockBegin { .. }));
        assert_eq!(again, 2);
    });
}

#[test]
fn cancelled_taskgroup() {
    let setup = Setup {
        env: &[("OMP_CANCELLATION", "true")],
        ..Setup::default()
    };
    check_with("cancel", &setup, |recording| {
        assert_eq!(recording.created().len(), 51);
        let activated = recording
            .count(|kind| matches!(kind, EventKind::Cancel { flags, .. } if flags.is_activated()));
        assert_eq!(activated, 1);
    });
}

#[test]
fn ends_without_finalize() {
    for way in ["exit", "_exit", "abort", "kill"] {
        let run = record_with(
            "ends",
            &Setup {
                args: &[way],
                ..Setup::default()
            },
        );
        assert!(!run.status.success(), "{way}");
        assert_eq!(run.traces.len(), 1, "{way}");
        let recording = Recording::read(&run.traces[0]);
        recording.check();
        let not_finalized = TraceProblem::NotFinalized {
            started: 1,
            finalized: 0,
        };
        assert_eq!(recording.trace.problems, [not_finalized], "{way}");
        assert!(!recording.trace.complete);
        assert_eq!(recording.created().len(), 1000, "{way}");
        let first = recording.trace.header.start_ns;
        let last = recording.events.iter().map(|event| event.time_ns).max();
        let length = last.expect("events") - first;
        assert!(
            (1_000..60_000_000_000).contains(&length),
            "{way}: {length} ns"
        );
    }
}

#[test]
fn forked_child_has_its_own_trace() {
    let run = record("forks");
    assert!(run.status.success());
    assert_eq!(
        run.traces.len(),
        2,
        "parent and first child; the second only executes"
    );
    let parent = Recording::read(&run.traces[0]);
    parent.check_complete();
    assert_eq!(parent.created().len(), 10);
    let child = Recording::read(&run.traces[1]);
    child.check();
    assert_eq!(child.created().len(), 5);
    assert_eq!(
        child.trace.header.forked_from,
        Some(parent.trace.header.process_id)
    );
    assert!(child.trace.header.first_thread.0 > 0);
    assert_eq!(child.trace.header.runtimes, parent.trace.header.runtimes);
}

#[test]
fn tail_call() {
    check("tail_call", |recording| {
        assert_eq!(syncs(recording, SyncKind::Taskwait), 1);
        assert_eq!(recording.created().len(), 2);
    });
}

#[test]
fn several_chunks_and_bytes_per_event() {
    let setup = Setup {
        args: &["300000", "2"],
        ..Setup::default()
    };
    check_with("many_tasks", &setup, |recording| {
        assert_eq!(recording.created().len(), 300_000);
        let bytes: usize = recording
            .trace
            .threads
            .iter()
            .map(ThreadStream::len_bytes)
            .sum();
        assert!(bytes <= 12 * recording.events.len(), "{bytes} bytes");
    });
}

#[test]
fn two_runtimes_in_one_process() {
    let copy = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("second-runtime-{}.so", std::process::id()));
    std::fs::copy(openmp_library(), &copy).expect("a copy of the runtime");
    let args = [copy.to_str().expect("a plain path")];
    let env = [("KMP_DUPLICATE_LIB_OK", "TRUE")];
    let setup = Setup {
        args: &args,
        env: &env,
        ..Setup::default()
    };
    check_with("two_runtimes", &setup, |recording| {
        let header = &recording.trace.header;
        assert_eq!(header.runtimes.len(), 2);
        assert_ne!(header.runtimes[0].library, header.runtimes[1].library);
        assert_eq!(
            header.runtimes[0].library_hash,
            header.runtimes[1].library_hash
        );
        let mut used: Vec<u16> = recording
            .trace
            .threads
            .iter()
            .map(|thread| thread.runtime)
            .collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used, [0, 1]);
    });
    std::fs::remove_file(copy).expect("the copy goes away");
}

#[test]
fn program_compiled_by_gcc() {
    check_with(
        "fib",
        &Setup {
            gcc: true,
            ..Setup::default()
        },
        |recording| {
            assert_eq!(recording.created().len(), 3192);
        },
    );
    check_with(
        "depend",
        &Setup {
            gcc: true,
            ..Setup::default()
        },
        |_| {},
    );
}

#[test]
fn stops_where_the_file_must_not_grow() {
    let setup = Setup {
        args: &["300000", "1"],
        prelude: "ulimit -f 1024",
        ..Setup::default()
    };
    let run = record_with("many_tasks", &setup);
    assert!(
        run.status.success(),
        "the program itself is not disturbed: {}",
        run.stderr
    );
    let recording = Recording::read(&run.traces[0]);
    recording.check();
    let problems = &recording.trace.problems;
    assert!(
        problems
            .iter()
            .any(|problem| matches!(problem, TraceProblem::Stopped { streams: 1..=2, .. })),
        "{problems:?}"
    );
    assert!(recording.created().len() > 1000);
}

#[test]
fn says_when_nothing_can_be_recorded() {
    let setup = Setup {
        env: &[("GRAINSHEAF_TRACE_DIR", "/proc/none")],
        ..Setup::default()
    };
    let run = record_with("fib", &setup);
    assert!(run.status.success());
    assert_eq!(run.stdout, "987\n");
    assert!(
        run.stderr.contains("cannot create the trace"),
        "{}",
        run.stderr
    );
}

#[test]
fn header_says_what_was_run() {
    let env = [
        ("OMP_NUM_THREADS", "2"),
        ("PMI_RANK", "3"),
        ("PMI_SIZE", "8"),
    ];
    let args = ["10", "two words"];
    let setup = Setup {
        args: &args,
        env: &env,
        ..Setup::default()
    };
    check_with("many_tasks", &setup, |recording| {
        let header = &recording.trace.header;
        assert_eq!(header.command[1..], ["10", "two words"]);
        assert_eq!((header.rank, header.rank_count), (Some(3), Some(8)));
        let threads = ("OMP_NUM_THREADS".to_owned(), "2".to_owned());
        assert!(header.environment.contains(&threads));
        assert!(
            header
                .executable
                .as_ref()
                .is_some_and(|path| path.ends_with("/program"))
        );
        let runtime = &header.runtimes[0];
        assert_eq!(runtime.callbacks.len(), 20);
        assert!(runtime.callbacks.iter().all(|(_, result)| *result == 5));
        assert!(runtime.library_hash.is_some() && runtime.library_bytes.is_some());
        assert!(header.end_ns.is_some_and(|end| end > header.start_ns));
        let program = header.mappings[0]
            .iter()
            .find(|one| one.path.ends_with("/program"));
        assert!(program.is_some_and(|one| one.build_id.is_some()));
        let names: Vec<&str> = header.other.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["processors", "load", "mpi_calls", "usage"] {
            assert!(names.contains(&name), "{name} in {names:?}");
        }
    });
}

#[test]
fn counters_can_be_switched_off() {
    let setup = Setup {
        env: &[("GRAINSHEAF_COUNTERS", "off")],
        ..Setup::default()
    };
    check_with("fib", &setup, |recording| {
        let CounterState::Absent { reason } = &recording.trace.header.counters else {
            panic!("counters although switched off");
        };
        assert!(reason.contains("GRAINSHEAF_COUNTERS"));
        assert_eq!(
            recording.count(|kind| matches!(kind, EventKind::Counter { .. })),
            0
        );
    });
}

#[test]
fn bindings_agree_with_the_header() {
    let run = record("bindings");
    assert!(run.status.success());
    assert_eq!(
        run.traces.len(),
        0,
        "a program that never starts the runtime has no trace"
    );
}
