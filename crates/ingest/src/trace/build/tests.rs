//! Hand-made runs: a script of events in, the tables as text out.

mod damage;
mod dump;
mod encode;
mod script;

use sheaf_model::{Progress, Report, RunSummary, RunTables, names};

use super::processes::Process;
use super::records::Records;
use super::replay::{ProcessEvents, replay};
use super::sites::Sites;
use super::tally::Tally;
use crate::trace::{ThreadId, TraceProblem};
use crate::{NoModules, Symbols};

use script::Script;

/// Builds the tables of a script of events.
fn build_script(text: &str) -> (RunTables, Report) {
    let script = Script::parse(text);
    let mut records = Records::default();
    let (mut sites, mut tally) = (Sites::default(), Tally::default());
    for (number, process) in (0..).zip(&script.processes) {
        let events = ProcessEvents {
            process: number,
            first_thread: ThreadId(process.first_thread),
            shift: 0,
            threads: process
                .threads
                .iter()
                .map(|list| script::Source::new(list))
                .collect(),
        };
        replay(events, &mut records, &mut sites, &mut tally, |_| Ok(())).unwrap();
    }
    let processes: Vec<Process> = script
        .processes
        .iter()
        .map(|process| Process {
            header: process.header.clone(),
            program: "prog".to_owned(),
            rank: process.rank,
            number: process.number,
            shift: 0,
            is_complete: !script.is_killed,
            problems: script
                .is_killed
                .then_some(TraceProblem::NotFinalized {
                    started: 1,
                    finalized: 0,
                })
                .into_iter()
                .collect(),
        })
        .collect();
    let symbols = Symbols::new(NoModules);
    let replayed = super::Replayed {
        processes,
        records,
        sites,
        tally,
    };
    super::assemble(replayed, &symbols, &Progress::silent()).unwrap()
}

/// Compares the tables of `tests/data/build/NAME.events` with `NAME.tables`.
fn check(name: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/build");
    let script = std::fs::read_to_string(format!("{folder}/{name}.events")).unwrap();
    let (tables, report) = build_script(&script);
    let text = dump::dump(&tables, &report);
    let golden = format!("{folder}/{name}.tables");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(text, expected, "{name}:\n{text}");
}

macro_rules! golden {
    ($($name:ident,)*) => { $(#[test] fn $name() { check(stringify!($name)); })* };
}

golden! {
    cancel,
    cancelled_loop,
    chunks_dynamic,
    chunks_static,
    depend_waits,
    dependences,
    fork,
    killed,
    late_workers,
    nested_regions,
    ranks,
    taskgroup,
    taskloop,
    taskloop_alone,
    taskloop_unreported,
    tasks_in_chunks,
    team_of_one,
    undeferred,
    untied,
}

/// A folded task has no context. Its thread's time used to take the values of the thread's other grains with it.
#[test]
fn time_of_a_folded_task_takes_no_values_from_others() {
    let script = include_str!("../../../tests/data/build/taskloop.events");
    let reading = "31 1 create D R0\n";
    assert!(script.contains(reading));
    let read = script.replace(reading, &format!("31 1 used 1\n{reading}"));
    let [without, with] = [script, &read].map(|script| build_script(script).0.summary);
    assert_ne!(
        without.metrics.len(),
        with.metrics.len(),
        "the reading is used"
    );
    for name in [names::WORK, names::WAITING, names::GRAINS] {
        assert_eq!(sum(&without, name), sum(&with, name), "{name}");
    }
}

/// LLVM's runtime runs tasks of `target nowait` on threads of its own, in a team that it opens for them.
#[test]
fn helpers_that_run_tasks_are_no_workers() {
    let script = "process 100
0 0 initial I
2 1 initial H
3 1 parallel G H
4 1 member H0 G 2 0
4 2 member H1 G 2 1
10 0 create T I @10
20 2 switch H1 T
30 2 complete T H1
40 0 end I
";
    let (run, report) = build_script(script);
    let summary = &run.summary;
    assert_eq!((summary.meta.workers, summary.meta.grains), (Some(1), 1));
    let threads: Vec<i32> = summary.locations.rows().map(|row| row.thread).collect();
    let text = dump::dump(&run, &report);
    assert_eq!(threads, [0, -1], "{text}");
    assert!(text.contains("fragment 20+10 worker=1 end"), "{text}");
}

/// The graph of a run must have no cycle, whatever a trace claims.
#[test]
fn no_wait_depends_on_a_task_that_is_created_behind_it() {
    let script = "process 100
0 0 initial I
10 0 create W I taskwait depend @10
20 0 over W -
30 0 create A I depend @20
30 0 dep A out 64
31 0 dep W in 64
40 0 switch I A
50 0 complete A I
60 0 end I
";
    let (run, report) = build_script(script);
    assert!(run.dependences.is_empty(), "{:?}", run.dependences);
    let text = dump::dump(&run, &report);
    assert!(text.contains("report skipped_dependence_edges=1"), "{text}");
}

/// The recorder reads the processor time of a thread before it writes that the thread got a lock.
#[test]
fn time_without_a_processor_leaves_out_waits_for_locks() {
    let script = "process 300
0 0 initial I
100000 0 ask critical 7 @30
900000 0 used 100000
900010 0 get critical 7 @30
950000 0 give critical 7 @30
960000 0 used 0
1000000 0 end I
";
    let summary = build_script(script).0.summary;
    let sums = [names::WORK, names::LOCK_WAITING, names::OFF_CPU].map(|name| sum(&summary, name));
    // Work is that before the wait and behind it; of the latter, 960,000 − 900,010 had no processor.
    assert_eq!(sums, [199_990, 800_010, 59_990]);
}

fn sum(run: &RunSummary, name: &str) -> i64 {
    let metric = run.metrics.rows().position(|row| row.name == name);
    let metric = i32::try_from(metric.unwrap()).unwrap();
    let rows = run.values.rows().filter(|row| row.metric == metric);
    rows.filter_map(|row| row.sum).sum()
}
