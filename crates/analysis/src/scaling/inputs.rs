//! Whether the problem grows with the parameter: by what runs had to do, not by how long it took them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::table::{DefinitionRow, MetricRow};
use sheaf_model::{DefinitionId, RunId, RunSummary, names};
use sheaf_statistics::scaling::{PowerLaw, Series};

use super::division::{Members, Point};
use super::question::TimeBreakdown;

/// The inputs of the runs of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Inputs {
    /// Size ∝ p^x: by the numbers of tasks and iterations, weighted by the work that they are.
    Grow(f64),
    /// The runs have the same arguments and ranks.
    Same,
    /// The runs do not show their inputs.
    Unknown,
}

/// The inputs of a series, by the runs that stand for its points.
pub(super) fn inputs(
    members: &Members,
    runs: &[Arc<RunSummary>],
    accounts: &BTreeMap<RunId, TimeBreakdown>,
) -> Inputs {
    let account = |point: &Point| accounts.get(&runs[point.representative].meta.id);
    let points: Option<Vec<(f64, &TimeBreakdown)>> = (members.points.iter())
        .map(|point| Some((point.p, account(point)?)))
        .collect();
    let last = members
        .points
        .last()
        .map(|point| &runs[point.representative]);
    let grows = points.and_then(|points| {
        let work = last.map(|run| Work::of(run)).unwrap_or_default();
        weighted(&points, &work).or_else(|| {
            let tasks = points.iter().map(|(p, it)| (*p, it.tasks as f64));
            let found = [exponent(tasks.collect()), loops(&points)];
            found.into_iter().flatten().max_by(f64::total_cmp)
        })
    });
    match grows {
        Some(exponent) => Inputs::Grow(exponent),
        None if have_same_arguments(members, runs) => Inputs::Same,
        None => Inputs::Unknown,
    }
}

/// Work of a run in tasks, and in loops by their definitions.
#[derive(Default)]
struct Work {
    tasks: f64,
    loops: BTreeMap<DefinitionId, f64>,
}

impl Work {
    fn of(run: &RunSummary) -> Self {
        let is_work = |metric: MetricRow| names::is_work(&metric.name);
        let metric = run.metrics.rows().position(is_work);
        let metric = metric.and_then(|row| i32::try_from(row).ok());
        let definitions: Vec<DefinitionRow> = run.definitions.rows().collect();
        let mut work = Self::default();
        for total in run.totals.rows().filter(|row| Some(row.metric) == metric) {
            let context = usize::try_from(total.context).unwrap_or(usize::MAX);
            let definition = run.contexts.definition.values().get(context);
            let definition =
                definition.and_then(|&row| definitions.get(usize::try_from(row).ok()?));
            let (Some(definition), Some(sum)) = (definition, total.sum) else {
                continue;
            };
            match definition.kind.as_str() {
                "task" => work.tasks += sum as f64,
                "loop" => *work.loops.entry(DefinitionId(definition.id)).or_default() += sum as f64,
                _ => {}
            }
        }
        work
    }
}

/// The exponent of the work that the numbers of tasks and iterations let expect, if each of them costs what it costs at
/// the last point: what grows and holds little work does not decide. Absent if no work of tasks and loops is known.
fn weighted(points: &[(f64, &TimeBreakdown)], work: &Work) -> Option<f64> {
    let (points, common) = with_common_loops(points);
    let (_, last) = points.last()?;
    let size = |account: &TimeBreakdown| {
        let loops = common.iter().filter_map(|id| {
            let iterations = *account.iterations.get(id)? as f64 / *last.iterations.get(id)? as f64;
            Some(iterations * work.loops.get(id)?)
        });
        let tasks = if last.tasks > 0 {
            work.tasks * account.tasks as f64 / last.tasks as f64
        } else {
            0.0
        };
        loops.filter(|size| size.is_finite()).sum::<f64>() + tasks
    };
    exponent(
        points
            .iter()
            .map(|(p, account)| (*p, size(account)))
            .collect(),
    )
}

/// The points that have loops in common, and these loops. Points at the beginning are left out if they have no loop in
/// common with the others: on one thread runtimes report no chunk of a static loop. All points, where none has loops.
fn with_common_loops<'a, 'b>(
    points: &'a [(f64, &'b TimeBreakdown)],
) -> (&'a [(f64, &'b TimeBreakdown)], BTreeSet<DefinitionId>) {
    let mut rest = points;
    while let Some(((_, first), others)) = rest.split_first() {
        let mut common: BTreeSet<DefinitionId> = first.iterations.keys().copied().collect();
        for (_, account) in others {
            common.retain(|id| account.iterations.contains_key(id));
        }
        if !common.is_empty() {
            return (rest, common);
        }
        rest = others;
    }
    (points, BTreeSet::new())
}

/// The exponent of the iterations of loops that all points show, whatever their work.
fn loops(points: &[(f64, &TimeBreakdown)]) -> Option<f64> {
    let (points, common) = with_common_loops(points);
    let sum = |account: &TimeBreakdown| -> i64 {
        let own = common.iter().filter_map(|id| account.iterations.get(id));
        own.fold(0, |sum, count| sum.saturating_add(*count))
    };
    exponent(
        points
            .iter()
            .map(|(p, account)| (*p, sum(account) as f64))
            .collect(),
    )
}

/// The exponent of a quantity that is positive at two or more points; absent if a point lacks it.
fn exponent(values: Vec<(f64, f64)>) -> Option<f64> {
    let is_known = values.len() > 1 && values.iter().all(|(_, value)| *value > 0.0);
    let series = Series::new(values.into_iter().filter(|_| is_known)).ok()?;
    PowerLaw::fit(&series).map(|law| law.exponent)
}

/// Whether all runs were started with the same arguments, on as many ranks.
fn have_same_arguments(members: &Members, runs: &[Arc<RunSummary>]) -> bool {
    let places = members.points.iter().flat_map(|point| &point.runs);
    let mut inputs = places.map(|&run| {
        let meta = &runs[run].meta;
        (meta.params.get("arguments"), meta.ranks)
    });
    let first = inputs.next();
    first.is_some_and(|(arguments, _)| arguments.is_some())
        && inputs.all(|other| Some(other) == first)
}
