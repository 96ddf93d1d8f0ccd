//! Whether the problem grows with the parameter: by what runs had to do, not by how long it took them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::{DefinitionId, RunId, RunSummary};
use sheaf_statistics::scaling::{PowerLaw, Series};

use super::division::{Members, Point};
use super::question::RunAccount;

/// The inputs of the runs of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Inputs {
    /// Size ∝ p^x, with the exponent x of what grows most: tasks, or iterations of loops.
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
    accounts: &BTreeMap<RunId, RunAccount>,
) -> Inputs {
    let account = |point: &Point| accounts.get(&runs[point.representative].meta.id);
    let points: Option<Vec<(f64, &RunAccount)>> = (members.points.iter())
        .map(|point| Some((point.p, account(point)?)))
        .collect();
    let grows = points.and_then(|points| {
        let tasks = points.iter().map(|(p, it)| (*p, it.tasks as f64));
        let found = [exponent(tasks.collect()), loops(&points)];
        found.into_iter().flatten().max_by(f64::total_cmp)
    });
    match grows {
        Some(exponent) => Inputs::Grow(exponent),
        None if have_same_arguments(members, runs) => Inputs::Same,
        None => Inputs::Unknown,
    }
}

/// The exponent of the iterations of loops that all points show. Points at the beginning are left out if they have
/// no loop in common with the others: on one thread runtimes report no chunk of a static loop.
fn loops(points: &[(f64, &RunAccount)]) -> Option<f64> {
    let mut rest = points;
    while let Some(((_, first), others)) = rest.split_first() {
        let mut common: BTreeSet<DefinitionId> = first.iterations.keys().copied().collect();
        for (_, account) in others {
            common.retain(|id| account.iterations.contains_key(id));
        }
        if !common.is_empty() {
            let sum = |account: &RunAccount| -> i64 {
                let own = common.iter().filter_map(|id| account.iterations.get(id));
                own.fold(0, |sum, count| sum.saturating_add(*count))
            };
            let sums = rest.iter().map(|(p, account)| (*p, sum(account) as f64));
            return exponent(sums.collect());
        }
        rest = others;
    }
    None
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
