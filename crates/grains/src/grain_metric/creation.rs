//! What creating a grain costs where the source does not measure it, from what creators did next.

use sheaf_model::Direction;
use sheaf_model::table::GrainKind;

use super::{AbsenceReason, Evaluation, GrainMetric, Need, RATIO, TIME, Values};
use crate::aggregation::Propagation;
use crate::grain_graph::by_grain::{Groups, bounds};

const OURS: &str =
    "after Grain Graphs (PPoPP 2016), section 3.2, for sources without creation costs";
const NEEDS: &[Need] = &[Need::Parents, Need::Created, Need::Fragments];

pub(super) const METRICS: [GrainMetric; 2] = [
    GrainMetric {
        id: "creation_estimate_ns",
        definition: "What creating a grain of the definition costs: the time from a creation of one to the next event of its creator, as short as in the quickest hundredth of them.",
        citation: OURS,
        needs: NEEDS,
        compute: |evaluation| {
            let costs = evaluation.creation_estimates()?;
            let rows = 0..evaluation.run().grains.len();
            let values = rows.map(|row| costs.get(evaluation, row));
            Ok(Values::Integers(values.collect()))
        },
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
    let costs = evaluation.creation_estimates()?;
    let values = execution.iter().enumerate().map(|(row, time)| {
        let cost = costs.get(evaluation, row).filter(|&cost| cost > 0)?;
        Some(time? as f64 / cost as f64)
    });
    Ok(Values::Floats(values.collect()))
}

/// Estimated costs of creating a grain, by definition.
#[derive(Debug)]
pub(crate) struct CreationEstimates {
    /// By row of the definition.
    costs: Vec<Option<i64>>,
}

impl CreationEstimates {
    /// Linear in grains and fragments.
    pub(super) fn of(evaluation: &Evaluation<'_>) -> Result<Self, AbsenceReason> {
        NEEDS.iter().try_for_each(|need| need.check(evaluation))?;
        let definitions = evaluation.run().summary.definitions.len();
        let mut gaps: Vec<Vec<i64>> = vec![Vec::new(); definitions];
        visit_gaps(evaluation, |row, gap| {
            let definition = definition(evaluation, row);
            if let Some(gaps) = definition.and_then(|at| gaps.get_mut(at)) {
                gaps.push(gap);
            }
        });
        let quickest = |mut gaps: Vec<i64>| {
            let rank = gaps.len() / 100;
            (!gaps.is_empty()).then(|| *gaps.select_nth_unstable(rank).1)
        };
        let costs = gaps.into_iter().map(quickest).collect();
        Ok(Self { costs })
    }

    /// The estimate for a grain that was created.
    pub(crate) fn get(&self, evaluation: &Evaluation<'_>, row: usize) -> Option<i64> {
        let definition = definition(evaluation, row)?;
        let cost = self.costs.get(definition).copied().flatten()?;
        is_created(evaluation, row).then_some(cost)
    }
}

/// Row of the definition of a grain.
fn definition(evaluation: &Evaluation<'_>, row: usize) -> Option<usize> {
    usize::try_from(evaluation.definition(row)?).ok()
}

fn is_created(evaluation: &Evaluation<'_>, row: usize) -> bool {
    let kind = evaluation.kind(row);
    let is_task = matches!(kind, GrainKind::Task | GrainKind::TaskloopChunk);
    is_task && evaluation.run().grains.created.is_valid(row)
}

/// Calls `visit` for created grains with the time from the creation to the creator's next event: another creation, or
/// the end of the creator's fragment. Creations that no fragment of the creator holds are left out.
fn visit_gaps(evaluation: &Evaluation<'_>, mut visit: impl FnMut(usize, i64)) {
    let (grains, fragments) = (&evaluation.run().grains, &evaluation.run().fragments);
    let created = |row: u32| grains.created.value(row as usize);
    let no_parent = grains.len();
    let creations = Groups::new(no_parent + 1, no_parent, |row| {
        let parent = evaluation.parent(row);
        parent
            .filter(|_| is_created(evaluation, row))
            .unwrap_or(no_parent)
    });
    let (first, mut creations) = creations.into_parts();
    // Fragments stand by grain, then by time; what a creation ends is before it.
    let (owners, starts) = (fragments.grain.values(), fragments.start.values());
    let lengths = fragments.duration.values();
    let stretch = |at: usize| {
        let owner = usize::try_from(owners.get(at)?).ok()?;
        let start = starts.get(at)?;
        Some((owner, start, start.saturating_add(lengths.get(at)?)))
    };
    let mut fragment = 0;
    for parent in 0..no_parent {
        let bounds = bounds(&first, parent);
        let bounds = bounds.start as usize..bounds.end as usize;
        let children = creations.get_mut(bounds).unwrap_or_default();
        if !children.is_sorted_by_key(|&row| created(row)) {
            children.sort_by_key(|&row| created(row));
        }
        let mut behind = 0;
        // Creations at the same time have the same next one.
        for same in children.chunk_by(|&a, &b| created(a) == created(b)) {
            behind += same.len();
            let Some(time) = same.first().map(|&row| created(row)) else {
                continue;
            };
            while stretch(fragment).is_some_and(|(owner, _, end)| (owner, end) <= (parent, time)) {
                fragment += 1;
            }
            let Some((owner, start, end)) = stretch(fragment) else {
                return;
            };
            if owner == parent && start <= time {
                let next = children
                    .get(behind)
                    .map_or(end, |&next| created(next).min(end));
                for &row in same {
                    visit(row as usize, next - time);
                }
            }
        }
    }
}
