//! A chain of tasks a million deep, a fork a million wide.

use sheaf_model::table::{FragmentRow, GrainKind, GrainRow, LocationRow, WaitRow};
use sheaf_model::{RunMeta, RunSummary, RunTables};

use crate::grain_graph::Structure;
use crate::timeline::{Timeline, Workers};

const COUNT: i32 = 1_000_000;

/// One worker that runs tasks of one unit one after the other; `parent` says who created a task.
fn run(parent: impl Fn(i32) -> i32, created: impl Fn(i32) -> i64) -> RunTables {
    let mut summary = RunSummary::empty(RunMeta::new("program", "text"));
    let location = LocationRow {
        rank: 0,
        thread: 0,
        core: None,
        numa_node: None,
    };
    summary.locations = std::iter::once(location).collect();
    let mut run = RunTables::without_grains(summary);
    let grains = (0..COUNT).map(|row| GrainRow {
        path_key: i64::from(row),
        parent: (row > 0).then(|| parent(row)),
        kind: if row == 0 {
            GrainKind::Initial
        } else {
            GrainKind::Task
        } as i32,
        index: i64::from(row),
        joined_by: (row > 0).then_some(0),
        location: Some(0),
        created: (row > 0).then(|| created(row)),
        start: Some(i64::from(row)),
        end: Some(i64::from(row) + 1),
        work: Some(1),
        ..GrainRow::default()
    });
    run.grains = grains.collect();
    let fragment = |row| FragmentRow {
        grain: row,
        location: 0,
        start: i64::from(row),
        duration: 1,
        ended_by: 1,
    };
    run.fragments = (0..COUNT).map(fragment).collect();
    let wait = WaitRow {
        grain: 0,
        kind: 0,
        start: 1,
        duration: 0,
        line: None,
    };
    run.waits = std::iter::once(wait).collect();
    run
}

fn check(run: &RunTables, ready: i64) {
    let structure = Structure::of(run);
    let timeline = Timeline::of(run, &structure).unwrap();
    let balance = timeline.balance();
    let count = i64::from(COUNT);
    assert_eq!((balance.work, balance.imbalance()), (count, 0));
    // The one worker is never idle.
    assert_eq!(balance.delay, Ok(0));
    let delays = timeline.delays(run).unwrap();
    assert_eq!(delays.total.unwrap().sum, ready);
    let all: i128 = (1..7).map(|layer| timeline.steps().area(layer)).sum();
    assert_eq!(all, i128::from(ready));
    assert_eq!(
        Workers::of(run, timeline.balance().elapsed)
            .unwrap()
            .busy(0),
        count
    );
    let parts = timeline.steps().resample(0, count, 7).parts;
    assert!(
        parts
            .iter()
            .all(|part| (part.min[0], part.max[0]) == (1, 1))
    );
    assert!(timeline.gaps(run).unwrap().creation.is_some());
}

#[test]
fn a_chain_a_million_deep() {
    let run = run(|row| row - 1, i64::from);
    check(&run, 0);
    let structure = Structure::of(&run);
    let timeline = Timeline::of(&run, &structure).unwrap();
    assert_eq!(timeline.last_finish().unwrap().fragments.len(), 1_000_000);
}

#[test]
fn a_fork_a_million_wide() {
    // All are created at once; the k-th starts k − 1 later.
    let count = i64::from(COUNT);
    check(&run(|_| 0, |_| 1), (count - 1) * (count - 2) / 2);
}
