//! Waiting for locks: what grains waited for, and the lock that bounds a run.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::Array as _;
use sheaf_answers::LockBound;
use sheaf_grains::grain_graph::PathLengths;
use sheaf_model::{RunSummary, RunTables, names};

use super::names::text_at;

/// Whether the source of a run recorded locks.
pub(super) fn has_locks(summary: &RunSummary) -> bool {
    metric(summary, names::LOCK_WAITING).is_some()
}

fn metric(summary: &RunSummary, name: &str) -> Option<i32> {
    let row = (0..summary.metrics.len()).find(|&row| summary.metrics.name.value(row) == name)?;
    i32::try_from(row).ok()
}

/// The lock that was held longest by the grains of one rank: they had it one after the other, so that the
/// run took at least as long. One definition is one lock; of sections with a lock in common each counts
/// for itself, which makes the bound lower and never wrong. A definition that was held for longer than the run took
/// stands for several locks, and bounds nothing.
pub(super) fn longest_held(summary: &RunSummary) -> Option<LockBound> {
    let held = metric(summary, names::LOCK_HELD)?;
    let mut sums: BTreeMap<(i32, i32), i64> = BTreeMap::new();
    for row in summary.values.rows().filter(|row| row.metric == held) {
        let definition = definition(summary, row.context)?;
        let location = usize::try_from(row.location).ok()?;
        let rank = *summary.locations.rank.values().get(location)?;
        let sum = sums.entry((definition, rank)).or_default();
        *sum = sum.saturating_add(row.sum.unwrap_or(0));
    }
    let elapsed = summary.meta.elapsed.unwrap_or(i64::MAX);
    let bounds = sums.into_iter().filter(|&(_, sum)| sum <= elapsed);
    // Of equal sums the first definition.
    let longest = bounds.rev().max_by_key(|&(_, sum)| sum);
    let ((definition, _), held) = longest.filter(|&(_, held)| held > 0)?;
    Some(LockBound {
        definition: name(summary, definition)?,
        held,
    })
}

/// The span, or the time for which a lock was held where that is longer. At most the work: what a holder waits for is part
/// of that time and not of the work.
pub(super) fn bound(paths: PathLengths, lock: Option<&LockBound>) -> i64 {
    let held = lock.map_or(0, |lock| lock.held);
    paths.span.max(held.min(paths.work))
}

/// Work by [`bound`]: at least 1.
pub(super) fn bounded_parallelism(paths: PathLengths, lock: Option<&LockBound>) -> Option<f64> {
    let span = bound(paths, lock);
    PathLengths { span, ..paths }.parallelism()
}

fn definition(summary: &RunSummary, context: i32) -> Option<i32> {
    let context = usize::try_from(context).ok()?;
    summary.contexts.definition.values().get(context).copied()
}

fn name(summary: &RunSummary, definition: i32) -> Option<String> {
    let row = usize::try_from(definition).ok()?;
    text_at(&summary.definitions.name, row).map(str::to_owned)
}

/// How much of the lifetime of some grains is spent waiting for locks, and for which: that with most waiting in
/// the contexts of these grains.
pub(super) fn cause(tables: &RunTables, grains: &[u32]) -> Option<String> {
    let summary = &tables.summary;
    let waiting = metric(summary, names::LOCK_WAITING)?;
    let rows: BTreeSet<i32> = (grains.iter())
        .filter_map(|&row| i32::try_from(row).ok())
        .collect();
    let counters = tables.counters.rows();
    let waited: i128 = counters
        .filter(|row| row.metric == waiting && rows.contains(&row.grain))
        .filter_map(|row| row.value.map(i128::from))
        .sum();
    let (mut lifetime, mut contexts) = (0_i128, BTreeSet::new());
    for &row in grains {
        let row = tables.grains.row(row as usize);
        lifetime += i128::from(row.end?.saturating_sub(row.start?));
        contexts.insert(row.context);
    }
    let mut locks: BTreeMap<i32, i64> = BTreeMap::new();
    for row in summary.values.rows().filter(|row| row.metric == waiting) {
        let context = usize::try_from(row.context).ok()?;
        let parents = &summary.contexts.parent;
        let is_known = context < parents.len() && parents.is_valid(context);
        let parent = is_known.then(|| parents.value(context));
        if parent.is_some_and(|parent| contexts.contains(&parent)) {
            let sum = locks.entry(definition(summary, row.context)?).or_default();
            *sum = sum.saturating_add(row.sum.unwrap_or(0));
        }
    }
    let all: i128 = locks.values().copied().map(i128::from).sum();
    let (lock, most) = locks.into_iter().rev().max_by_key(|&(_, sum)| sum)?;
    if lifetime <= 0 || all <= 0 {
        return None;
    }
    let share = 100.0 * waited as f64 / lifetime as f64;
    let of_lock = 100.0 * most as f64 / all as f64;
    let name = name(summary, lock)?;
    Some(format!(
        "{share:.0} % of the lifetime of these grains is spent waiting for locks, {of_lock:.0} % of that for `{name}`"
    ))
}

#[cfg(test)]
mod tests {
    use sheaf_model::RunMeta;
    use sheaf_model::table::{ContextRow, DefinitionRow, LocationRow, MetricRow, Totals, ValueRow};

    use super::*;

    /// A run of 100 in which two definitions of locks were held for so long.
    fn run(held: [i64; 2]) -> RunSummary {
        let mut run = RunSummary::empty(RunMeta::new("p", "trace"));
        run.meta_mut().elapsed = Some(100);
        let definition = |name: &str| DefinitionRow {
            name: name.to_owned(),
            ..DefinitionRow::default()
        };
        run.definitions = ["a", "b"].map(definition).into_iter().collect();
        let context = |definition| ContextRow {
            definition,
            ..ContextRow::default()
        };
        run.contexts = [0, 1].map(context).into_iter().collect();
        run.locations = [LocationRow::default()].into_iter().collect();
        let metric = MetricRow {
            name: names::LOCK_HELD.to_owned(),
            ..MetricRow::default()
        };
        run.metrics = [metric].into_iter().collect();
        let value = |(context, sum)| ValueRow {
            context,
            sum: Some(sum),
            ..ValueRow::default()
        };
        run.values = (0..).zip(held).map(value).collect();
        run.totals = Totals::empty();
        run
    }

    #[test]
    fn a_definition_that_is_held_longer_than_the_run_bounds_nothing() {
        let longest = |held| longest_held(&run(held)).map(|lock| (lock.definition, lock.held));
        assert_eq!(longest([40, 90]), Some(("b".to_owned(), 90)));
        assert_eq!(longest([40, 110]), Some(("a".to_owned(), 40)));
        assert_eq!(longest([101, 110]), None);
    }

    #[test]
    fn parallelism_is_at_least_one() {
        let parallelism = |work, span, held| {
            let paths = PathLengths { work, span };
            let lock = LockBound {
                definition: "a".to_owned(),
                held,
            };
            bounded_parallelism(paths, Some(&lock))
        };
        assert_eq!(parallelism(120, 20, 40), Some(3.0));
        assert_eq!(parallelism(120, 20, 10), Some(6.0));
        // The holder waited for something else.
        assert_eq!(parallelism(60, 20, 90), Some(1.0));
    }
}
