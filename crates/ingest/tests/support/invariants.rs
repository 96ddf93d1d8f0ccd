//! What holds of the tables of every run read from traces.

use std::collections::HashSet;

use sheaf_model::table::{GrainKind, flags};
use sheaf_model::{RunTables, names, sketch};

pub(crate) fn check(run: &RunTables) {
    run.validate().unwrap();
    paths_are_unique(run);
    grains_are_sorted(run);
    fragments_fit(run);
    waits_fit(run);
    values_add_up(run);
    assert_eq!(run.summary.meta.id, run.content_id());
}

fn paths_are_unique(run: &RunTables) {
    let mut seen = HashSet::new();
    for grain in run.grains.rows() {
        if grain.flags & flags::SCHEDULE_DEPENDENT == 0 {
            assert!(
                seen.insert(grain.path_key),
                "two grains have one path: {grain:?}"
            );
        }
    }
}

fn grains_are_sorted(run: &RunTables) {
    let keys: Vec<_> = run
        .grains
        .rows()
        .map(|grain| (grain.context, grain.parent, grain.sequence, grain.index))
        .collect();
    assert!(keys.is_sorted(), "grains are not in order");
    for grain in run.grains.rows() {
        let is_root = grain.kind == GrainKind::Initial as i32;
        assert_eq!(grain.parent.is_none(), is_root, "an orphan: {grain:?}");
        if let (Some(start), Some(end)) = (grain.start, grain.end) {
            assert!(
                start <= end && grain.work.unwrap() <= end - start,
                "{grain:?}"
            );
            assert!(
                grain.created.is_none_or(|created| created <= start),
                "{grain:?}"
            );
        }
        let is_finished = grain.end.is_some() || grain.flags & flags::CANCELLED != 0;
        assert!(
            is_finished || !run.summary.meta.is_complete,
            "no end: {grain:?}"
        );
    }
}

fn fragments_fit(run: &RunTables) {
    let rows: Vec<_> = run.fragments.rows().collect();
    assert!(
        rows.is_sorted_by_key(|row| (row.grain, row.start)),
        "fragments are not in order"
    );
    let elapsed = run.summary.meta.elapsed.unwrap();
    let mut by_worker: Vec<_> = rows.iter().collect();
    by_worker.sort_by_key(|row| (row.location, row.start, row.duration));
    for pair in by_worker.windows(2) {
        let [a, b] = pair else { continue };
        let is_apart = a.location != b.location || a.start + a.duration <= b.start;
        assert!(is_apart, "fragments overlap: {a:?} {b:?}");
    }
    let mut work = vec![0; run.grains.len()];
    for row in &rows {
        assert!(row.duration >= 0 && row.start >= 0 && row.start + row.duration <= elapsed);
        work[usize::try_from(row.grain).unwrap()] += row.duration;
    }
    for (grain, work) in run.grains.rows().zip(&work) {
        assert_eq!(grain.work, Some(*work), "{grain:?}");
    }
    let workers = run.summary.meta.workers.unwrap();
    assert!(work.iter().sum::<i64>() <= workers * elapsed);
}

fn waits_fit(run: &RunTables) {
    for wait in run.waits.rows() {
        let grain = run.grains.row(usize::try_from(wait.grain).unwrap());
        assert!(wait.duration >= 0);
        assert!(grain.start.unwrap() <= wait.start, "{wait:?} {grain:?}");
        assert!(
            wait.start + wait.duration <= grain.end.unwrap(),
            "{wait:?} {grain:?}"
        );
    }
    for edge in run.dependences.rows() {
        let [before, after] = [edge.predecessor, edge.successor]
            .map(|row| run.grains.row(usize::try_from(row).unwrap()));
        assert_eq!(before.parent, after.parent);
        if let (Some(end), Some(start)) = (before.end, after.start) {
            assert!(end <= start, "{before:?} should end before {after:?}");
        }
    }
}

fn values_add_up(run: &RunTables) {
    let metric = |name: &str| {
        let mut rows = run.summary.metrics.rows();
        i32::try_from(rows.position(|metric| metric.name == name).unwrap()).unwrap()
    };
    let values = |of| {
        run.summary
            .values
            .rows()
            .filter(move |row| row.metric == of)
    };
    let totals = |of| {
        run.summary
            .totals
            .rows()
            .filter(move |row| row.metric == of)
    };
    for name in [names::WORK, names::WAITING, names::GRAINS] {
        let sum: i64 = values(metric(name)).filter_map(|row| row.sum).sum();
        let total: i64 = totals(metric(name)).filter_map(|row| row.sum).sum();
        assert_eq!(sum, total, "{name}");
    }
    let work: i64 = run.grains.rows().map(|grain| grain.work.unwrap()).sum();
    assert_eq!(
        totals(metric(names::WORK))
            .filter_map(|row| row.sum)
            .sum::<i64>(),
        work
    );
    for row in run.summary.totals.rows() {
        assert_eq!(row.sketch_counts.iter().sum::<i64>(), row.count);
        assert_eq!(
            row.sketch_buckets.first().copied(),
            row.min.map(sketch::bucket)
        );
        assert_eq!(
            row.sketch_buckets.last().copied(),
            row.max.map(sketch::bucket)
        );
        assert!(row.sketch_buckets.is_sorted());
        let square = i128::from(row.sum.unwrap()).pow(2);
        assert!(row.sum_squares.unwrap() * i128::from(row.count) >= square);
    }
    let grains = run
        .grains
        .rows()
        .filter(|grain| GrainKind::from_code(grain.kind).is_some_and(GrainKind::is_grain));
    assert_eq!(
        run.summary.meta.grains,
        i64::try_from(grains.count()).unwrap()
    );
}
