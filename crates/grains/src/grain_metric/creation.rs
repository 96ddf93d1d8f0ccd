//! What creating a grain costs where the source does not measure it, from what creators did next.

use std::collections::BTreeMap;

use arrow::array::Array;
use sheaf_model::Direction;
use sheaf_model::table::GrainKind;

use super::{AbsenceReason, Evaluation, GrainMetric, Need, RATIO, TIME, Values};
use crate::aggregation::Propagation;

const OURS: &str =
    "after Grain Graphs (PPoPP 2016), section 3.2, for sources without creation costs";
const NEEDS: &[Need] = &[Need::Parents, Need::Created, Need::Fragments];

pub(super) const METRICS: [GrainMetric; 2] = [
    GrainMetric {
        id: "creation_estimate_ns",
        definition: "What creating a grain of the definition costs: the time from a creation of one to the next event of its creator, as short as in the quickest hundredth of them.",
        citation: OURS,
        needs: NEEDS,
        compute: |evaluation| Ok(Values::Integers(estimates(evaluation))),
        ..TIME
    },
    GrainMetric {
        id: "parallel_benefit_of_creation",
        direction: Direction::HigherIsBetter,
        propagation: Propagation::Minimum,
        definition: "Execution time by the estimated cost of the grain's creation; waiting is left out.",
        citation: OURS,
        needs: NEEDS,
        compute: benefit,
        ..RATIO
    },
];

fn benefit(evaluation: &Evaluation<'_>) -> Result<Values, AbsenceReason> {
    let execution = evaluation.execution()?;
    let both = execution.into_iter().zip(estimates(evaluation));
    let values = both.map(|(time, cost)| {
        let cost = cost.filter(|&cost| cost > 0)?;
        Some(time? as f64 / cost as f64)
    });
    Ok(Values::Floats(values.collect()))
}

/// By grain, the estimate of its definition. n log n.
fn estimates(evaluation: &Evaluation<'_>) -> Vec<Option<i64>> {
    let definitions = definitions(evaluation);
    let mut gaps: BTreeMap<i32, Vec<i64>> = BTreeMap::new();
    for (row, gap) in gaps_of(evaluation) {
        if let Some(&Some(definition)) = definitions.get(row) {
            gaps.entry(definition).or_default().push(gap);
        }
    }
    let quickest = |gaps: &mut Vec<i64>| {
        let rank = gaps.len() / 100;
        *gaps.select_nth_unstable(rank).1
    };
    let costs: BTreeMap<i32, i64> = gaps
        .iter_mut()
        .map(|(&definition, gaps)| (definition, quickest(gaps)))
        .collect();
    let cost = |(row, definition): (usize, Option<i32>)| {
        let is_created = is_created(evaluation, row);
        is_created.then(|| costs.get(&definition?).copied())?
    };
    definitions.into_iter().enumerate().map(cost).collect()
}

/// Row of the definition of each grain.
fn definitions(evaluation: &Evaluation<'_>) -> Vec<Option<i32>> {
    let run = evaluation.run();
    let of_contexts = run.summary.contexts.definition.values();
    let contexts = run.grains.context.values().iter();
    let definition = |context: &i32| {
        let context = usize::try_from(*context).ok()?;
        of_contexts.get(context).copied()
    };
    contexts.map(definition).collect()
}

fn is_created(evaluation: &Evaluation<'_>, row: usize) -> bool {
    let kind = evaluation.kind(row);
    let is_task = matches!(kind, GrainKind::Task | GrainKind::TaskloopChunk);
    is_task && evaluation.run().grains.created.is_valid(row)
}

/// Rows of created grains, each with the time from its creation to its creator's next event: another
/// creation, or the end of the creator's fragment. Creations that no fragment of the creator holds are left out.
fn gaps_of(evaluation: &Evaluation<'_>) -> Vec<(usize, i64)> {
    let (grains, fragments) = (&evaluation.run().grains, &evaluation.run().fragments);
    let mut creations: Vec<(usize, i64, usize)> = (0..grains.len())
        .filter(|&row| is_created(evaluation, row))
        .filter_map(|row| Some((evaluation.parent(row)?, grains.created.value(row), row)))
        .collect();
    creations.sort_unstable();
    let later = later_creations(&creations);
    // Fragments stand by grain, then by time, as creations do; what a creation ends is before it.
    let (owners, starts) = (fragments.grain.values(), fragments.start.values());
    let lengths = fragments.duration.values();
    let mut gaps = Vec::with_capacity(creations.len());
    let mut fragment = 0;
    for (at, &(parent, created, row)) in creations.iter().enumerate() {
        let is_before = |fragment: usize| {
            let owner = owners
                .get(fragment)
                .and_then(|&it| usize::try_from(it).ok());
            let (Some(owner), Some(start), Some(length)) =
                (owner, starts.get(fragment), lengths.get(fragment))
            else {
                return false;
            };
            (owner, start.saturating_add(*length)) <= (parent, created)
        };
        while is_before(fragment) {
            fragment += 1;
        }
        let is_own = owners
            .get(fragment)
            .and_then(|&it| usize::try_from(it).ok())
            == Some(parent);
        let (Some(&start), Some(&length)) = (starts.get(fragment), lengths.get(fragment)) else {
            break;
        };
        if !is_own || start > created {
            continue;
        }
        let end = start.saturating_add(length);
        let next = later.get(at).copied().unwrap_or(end).min(end);
        gaps.push((row, next - created));
    }
    gaps
}

/// Of each creation the time of the creator's next one; creations at the same time have the same.
fn later_creations(creations: &[(usize, i64, usize)]) -> Vec<i64> {
    let mut later = vec![i64::MAX; creations.len()];
    for at in (1..creations.len()).rev() {
        let (Some(before), Some(next)) = (creations.get(at - 1), creations.get(at)) else {
            continue;
        };
        let time = match later.get(at) {
            Some(&after) if before.1 == next.1 => after,
            _ => next.1,
        };
        if before.0 == next.0
            && let Some(slot) = later.get_mut(at - 1)
        {
            *slot = time;
        }
    }
    later
}
