//! What creating a grain costs where the source does not measure it, from what creators did next.

use std::collections::BinaryHeap;

use sheaf_model::Direction;
use sheaf_model::table::GrainKind;

use super::column::to_floats;
use super::inst_par::check;
use super::{AbsenceReason, Evaluation, GrainMetric, Need, RATIO, TIME, Values};
use crate::aggregation::Propagation;
use crate::grain_graph::by_grain::Groups;
use crate::grain_graph::to_u32;
use crate::spans::{Span, spans};
use crate::stopping::CHECKED_EVERY;

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
    let values = to_floats(execution, |row, time| {
        let cost = costs.get(evaluation, row).filter(|&cost| cost > 0)?;
        Some(time as f64 / cost as f64)
    });
    Ok(Values::Floats(values))
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
        let mut num_created = vec![0_usize; evaluation.run().summary.definitions.len()];
        let (mut are_neighbours, mut before) = (true, 0);
        for child in all_created(evaluation) {
            if let Some(creator) = child.creator(evaluation) {
                are_neighbours &= before <= creator;
                before = creator;
            }
            let definition = definition(evaluation, child.row as usize);
            if let Some(count) = definition.and_then(|at| num_created.get_mut(at)) {
                *count += 1;
            }
        }
        let mut gaps: Vec<Quickest> = num_created.into_iter().map(Quickest::of_at_most).collect();
        visit_gaps(evaluation, are_neighbours, |row, gap| {
            let definition = definition(evaluation, row);
            if let Some(gaps) = definition.and_then(|at| gaps.get_mut(at)) {
                gaps.add(gap);
            }
        })?;
        let costs = gaps.into_iter().map(Quickest::finish).collect();
        Ok(Self { costs })
    }

    /// The estimate for a grain that was created.
    pub(crate) fn get(&self, evaluation: &Evaluation<'_>, row: usize) -> Option<i64> {
        let definition = definition(evaluation, row)?;
        let cost = self.costs.get(definition).copied().flatten()?;
        created(evaluation, row).and(Some(cost))
    }
}

/// Finds the largest of the quickest hundredth of some times, of which it holds that hundredth.
struct Quickest {
    /// The quickest so far, the slowest of them first.
    held: BinaryHeap<i64>,
    max_held: usize,
    /// Number of all times.
    count: usize,
}

impl Quickest {
    fn of_at_most(count: usize) -> Self {
        Self {
            held: BinaryHeap::new(),
            max_held: count / 100 + 1,
            count: 0,
        }
    }

    fn add(&mut self, time: i64) {
        self.count += 1;
        if self.held.len() < self.max_held {
            self.held.push(time);
        } else if let Some(mut slowest) = self.held.peek_mut()
            && time < *slowest
        {
            *slowest = time;
        }
    }

    fn finish(self) -> Option<i64> {
        let rank = self.count / 100;
        self.held.into_sorted_vec().get(rank).copied()
    }
}

/// Row of the definition of a grain.
fn definition(evaluation: &Evaluation<'_>, row: usize) -> Option<usize> {
    usize::try_from(evaluation.definition(row)?).ok()
}

/// A task or a chunk of a taskloop, and when it was created.
#[derive(Clone, Copy)]
struct Created {
    row: u32,
    time: i64,
}

/// All that were created, by row.
fn all_created<'a>(evaluation: &Evaluation<'a>) -> impl Iterator<Item = Created> + 'a {
    let grains = &evaluation.run().grains;
    let columns = grains.kind.values().into_iter().zip(&grains.created);
    (0..)
        .zip(columns)
        .filter_map(|(row, (kind, time))| Created::of(row, kind, time))
}

impl Created {
    #[inline]
    fn of(row: u32, kind: i32, time: Option<i64>) -> Option<Self> {
        let kind = GrainKind::from_code(kind);
        let is_task = matches!(
            kind,
            None | Some(GrainKind::Task | GrainKind::TaskloopChunk)
        );
        time.filter(|_| is_task).map(|time| Self { row, time })
    }

    #[inline]
    fn creator(&self, evaluation: &Evaluation<'_>) -> Option<u32> {
        evaluation.structure().parent(self.row)
    }
}

fn created(evaluation: &Evaluation<'_>, row: usize) -> Option<Created> {
    let grains = &evaluation.run().grains;
    let time = grains.created.get(row)?;
    Created::of(to_u32(row), grains.kind.value(row), Some(time))
}

/// Calls `visit` for created grains with the time from the creation to the creator's next event: another creation, or
/// the end of the creator's fragment. Creations that no fragment of the creator holds are left out.
fn visit_gaps(
    evaluation: &Evaluation<'_>,
    are_neighbours: bool,
    mut visit: impl FnMut(usize, i64),
) -> Result<(), AbsenceReason> {
    let fragments = &evaluation.run().fragments;
    // Fragments stand by grain, then by time; what a creation ends is before it.
    let mut fragments = spans(fragments, 0..fragments.len()).peekable();
    each_creator(evaluation, are_neighbours, |parent, children| {
        if !children.is_sorted_by_key(|child| child.time) {
            children.sort_by_key(|child| child.time);
        }
        let mut behind = 0;
        // Creations at the same time have the same next one.
        for same in children.chunk_by(|a, b| a.time == b.time) {
            behind += same.len();
            let Some(time) = same.first().map(|child| child.time) else {
                continue;
            };
            let is_before = |fragment: &Span| (fragment.0, fragment.2) <= (parent, time);
            while fragments.next_if(is_before).is_some() {}
            let Some(&(owner, start, end)) = fragments.peek() else {
                return;
            };
            if owner == parent && start <= time {
                let next = children.get(behind);
                let next = next.map_or(end, |next| next.time.min(end));
                for child in same {
                    visit(child.row as usize, next - time);
                }
            }
        }
    })
}

/// Calls `visit` with each grain that created others, by row, and these. Unless those of a creator are neighbours, in the
/// order of creators, they are grouped first.
fn each_creator(
    evaluation: &Evaluation<'_>,
    are_neighbours: bool,
    mut visit: impl FnMut(u32, &mut [Created]),
) -> Result<(), AbsenceReason> {
    let progress = evaluation.progress();
    let mut children: Vec<Created> = Vec::new();
    if are_neighbours {
        let mut now = None;
        for (number, child) in all_created(evaluation).enumerate() {
            if number.is_multiple_of(CHECKED_EVERY) {
                check(progress)?;
            }
            let Some(creator) = child.creator(evaluation) else {
                continue;
            };
            if let Some(before) = now.replace(creator).filter(|&before| before != creator) {
                visit(before, &mut children);
                children.clear();
            }
            children.push(child);
        }
        if let Some(last) = now {
            visit(last, &mut children);
        }
        return Ok(());
    }
    let num_grains = evaluation.run().grains.len();
    let created = |row: usize| created(evaluation, row);
    let creations = Groups::new(num_grains + 1, num_grains, |row| {
        let creator = created(row).and_then(|child| child.creator(evaluation));
        creator.map_or(num_grains, |creator| creator as usize)
    });
    for creator in 0..num_grains {
        if creator.is_multiple_of(CHECKED_EVERY) {
            check(progress)?;
        }
        children.clear();
        let rows = creations.of(creator).iter();
        children.extend(rows.filter_map(|&row| created(row as usize)));
        if !children.is_empty() {
            visit(to_u32(creator), &mut children);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Held ones against all, also if fewer come than were announced.
        #[test]
        fn the_quickest_hundredth_is_that_of_all(
            times in prop::collection::vec(-50..50_i64, 0..700),
            more in 0..300_usize,
        ) {
            let mut quickest = Quickest::of_at_most(times.len() + more);
            for &time in &times {
                quickest.add(time);
            }
            let mut sorted = times.clone();
            sorted.sort_unstable();
            prop_assert_eq!(quickest.finish(), sorted.get(times.len() / 100).copied());
        }
    }
}
