//! The tables of recordings against their statistics.

use sheaf_ingest::dag_recorder::Statistics;
use sheaf_ingest::{Hints, Input, NoModules, Reading, Symbols, read};
use sheaf_model::table::flags;
use sheaf_model::{Progress, TimeUnit};

use super::Recording;
use crate::comparison::Comparison;

pub(super) fn reading(recording: &Recording, hints: &Hints) -> Reading {
    let mut input = Input::new(&recording.name, &recording.bytes);
    input.hints = hints;
    read(&[input], &Symbols::new(NoModules), &Progress::silent()).unwrap()
}

pub(super) fn compare(comparison: &mut Comparison, recording: &Recording, reference: &Statistics) {
    let name = &recording.name;
    let reading = reading(recording, Hints::NONE);
    let Some(run) = reading.runs.first() else {
        comparison.differs(format!("{name}: {:?}", reading.refused));
        return;
    };
    let (tables, summary) = (&run.tables, &run.tables.summary);
    let mut figure = |what: &str, ours: i64, reference: i64| {
        comparison.exact(&format!("{name}: {what}"), ours, reference);
    };
    let count = |rows: usize| i64::try_from(rows).unwrap();
    let whole = |count: u64| i64::try_from(count).unwrap();
    let [_, waits, _, _, _, tasks] = reference.kinds.map(whole);
    figure("grains", summary.meta.grains, tasks - 1);
    figure("rows of grains", count(tables.grains.len()), tasks);
    figure(
        "fragments",
        count(tables.fragments.len()),
        whole(reference.leaves),
    );
    let collapsed = tables
        .grains
        .rows()
        .filter(|row| row.flags & flags::COLLAPSED != 0);
    figure(
        "collapsed",
        i64::from(collapsed.count() > 0),
        i64::from(reference.collapsed > 0),
    );
    if reference.collapsed == 0 {
        figure("waits", count(tables.waits.len()), waits);
    }
    let work: i64 = tables.grains.work.iter().flatten().sum();
    figure("work of grains", work, reference.work);
    let metric = summary
        .metrics
        .rows()
        .position(|row| row.name == "work_ticks");
    let metric = i32::try_from(metric.unwrap()).unwrap();
    let values = summary.values.rows().filter(|row| row.metric == metric);
    figure(
        "work of workers",
        values.filter_map(|row| row.sum).sum(),
        reference.work,
    );
    let totals = summary.totals.rows().filter(|row| row.metric == metric);
    figure(
        "work of contexts",
        totals.filter_map(|row| row.sum).sum(),
        reference.work,
    );
    figure("elapsed", summary.meta.elapsed.unwrap(), reference.elapsed);
    figure("workers", summary.meta.workers.unwrap(), reference.workers);
    let dependent = tables
        .grains
        .rows()
        .filter(|row| row.flags & flags::SCHEDULE_DEPENDENT != 0);
    figure(
        "paths that depend on the schedule",
        count(dependent.count()),
        0,
    );
    let in_ticks = summary.meta.time_unit == TimeUnit::Ticks;
    comparison.exact(&format!("{name}: in ticks"), in_ticks, true);
    compare_nanoseconds(comparison, recording, reference);
}

/// With the clock's rate times are nanoseconds, and fragments still follow each other.
fn compare_nanoseconds(comparison: &mut Comparison, recording: &Recording, reference: &Statistics) {
    const HZ: f64 = 2_596_000_000.0;
    let name = &recording.name;
    let hints = Hints {
        clock_hz: Some(HZ),
        workers: Some(77),
        ..Hints::default()
    };
    let reading = reading(recording, &hints);
    let tables = &reading.runs[0].tables;
    let meta = &tables.summary.meta;
    comparison.exact(&format!("{name}: workers said"), meta.workers, Some(77));
    let elapsed = (reference.elapsed as f64 * 1e9 / HZ).round();
    comparison.close(
        &format!("{name}: ns"),
        meta.elapsed.unwrap() as f64,
        elapsed,
        0.0,
    );
    let sum: i64 = tables.fragments.duration.values().iter().sum();
    if reference.collapsed == 0 {
        let work: i64 = tables.grains.work.iter().flatten().sum();
        comparison.exact(&format!("{name}: ns of fragments"), sum, work);
    }
}
