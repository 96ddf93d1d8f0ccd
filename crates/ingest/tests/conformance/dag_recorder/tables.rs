//! The tables of recordings against the totals of an independent program.

use serde_json::Value;
use sheaf_ingest::{Hints, Input, NoModules, ReadOutcome, Run, Symbols, read};
use sheaf_model::table::flags;
use sheaf_model::{Progress, TimeUnit};

use super::Recording;
use crate::comparison::Comparison;

pub(super) fn reading(recording: &Recording, hints: &Hints) -> ReadOutcome {
    let mut input = Input::new(&recording.name, &recording.bytes);
    input.hints = hints;
    read(&[input], &Symbols::new(NoModules), &Progress::silent()).unwrap()
}

#[expect(clippy::too_many_lines, reason = "one comparison per figure")]
pub(super) fn compare(
    comparison: &mut Comparison,
    recording: &Recording,
    run: &Run,
    figures: &Value,
) {
    let name = &recording.name;
    let (tables, summary) = (&run.tables, &run.tables.summary);
    let reference = |what: &str| figures[what].as_i64().unwrap();
    let count = |rows: usize| i64::try_from(rows).unwrap();
    let mut figure = |what: &str, ours: i64, reference: i64| {
        comparison.exact(&format!("{name}: {what}"), ours, reference);
    };
    let (tasks, collapsed) = (reference("n_tasks_materialized"), reference("n_collapsed"));
    let (work, elapsed) = (reference("T1"), reference("elapsed"));
    let read_nodes = i64::try_from(run.report.count("read_nodes")).unwrap();
    figure("nodes", read_nodes, reference("n_nodes"));
    let findings = run.report.findings.iter();
    let repairs = findings.filter(|finding| !finding.kind.starts_with("read_"));
    figure("repairs", count(repairs.count()), 0);
    figure("grains", summary.meta.grains, tasks - 1);
    figure("rows of grains", count(tables.grains.len()), tasks);
    figure(
        "fragments",
        count(tables.fragments.len()),
        reference("n_leaf_nodes"),
    );
    let is_collapsed = |flags: &i32| *flags & flags::COLLAPSED != 0;
    let num_collapsed = tables
        .grains
        .flags
        .values()
        .iter()
        .filter(is_collapsed)
        .count();
    figure(
        "collapsed",
        i64::from(num_collapsed > 0),
        i64::from(collapsed > 0),
    );
    if collapsed == 0 {
        let waits = figures["logical_nodes"]["wait_tasks"].as_i64().unwrap();
        figure("waits", count(tables.waits.len()), waits);
    } else {
        let stated = summary.meta.lacks["folded"]
            .split(' ')
            .rev()
            .nth(1)
            .unwrap();
        figure("span", stated.parse().unwrap(), reference("T_inf_recorded"));
    }
    figure(
        "work of grains",
        tables.grains.work.iter().flatten().sum(),
        work,
    );
    let metric = summary
        .metrics
        .rows()
        .position(|row| row.name == "work_ticks");
    let metric = i32::try_from(metric.unwrap()).unwrap();
    let values = summary.values.rows().filter(|row| row.metric == metric);
    figure(
        "work of workers",
        values.filter_map(|row| row.sum).sum(),
        work,
    );
    let totals = summary.totals.rows().filter(|row| row.metric == metric);
    figure(
        "work of contexts",
        totals.filter_map(|row| row.sum).sum(),
        work,
    );
    figure("elapsed", summary.meta.elapsed.unwrap(), elapsed);
    figure(
        "workers",
        summary.meta.workers.unwrap(),
        reference("n_workers"),
    );
    let is_dependent = |flags: &i32| *flags & flags::SCHEDULE_DEPENDENT != 0;
    let num_dependent = tables
        .grains
        .flags
        .values()
        .iter()
        .filter(is_dependent)
        .count();
    figure("paths that depend on the schedule", count(num_dependent), 0);
    let in_ticks = summary.meta.time_unit == TimeUnit::Ticks;
    comparison.exact(&format!("{name}: in ticks"), in_ticks, true);
    compare_nanoseconds(comparison, recording, elapsed, collapsed);
}

/// With the clock's rate times are nanoseconds, and fragments still follow each other.
fn compare_nanoseconds(
    comparison: &mut Comparison,
    recording: &Recording,
    elapsed: i64,
    collapsed: i64,
) {
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
    comparison.exact(&format!("{name}: given workers"), meta.workers, Some(77));
    let expected = (elapsed as f64 * 1e9 / HZ).round();
    comparison.close(
        &format!("{name}: ns"),
        meta.elapsed.unwrap() as f64,
        expected,
        0.0,
    );
    if collapsed == 0 {
        let sum: i64 = tables.fragments.duration.values().iter().sum();
        let work: i64 = tables.grains.work.iter().flatten().sum();
        comparison.exact(&format!("{name}: ns of fragments"), sum, work);
    }
}
