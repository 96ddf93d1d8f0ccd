//! Parallel benefit: whether having a grain was worth its cost.

use arrow::array::{Float64Array, Int64Array};
use sheaf_model::Direction;
use sheaf_model::table::GrainKind;

use super::column::integer_at;
use super::time::{OVERHEAD, parent_waiting, synchronisation};
use super::{AbsenceReason, Evaluation, GrainMetric, Need, PAPER, RATIO, TOOL, Values};
use crate::aggregation::Propagation;

const BENEFIT: GrainMetric = GrainMetric {
    direction: Direction::HigherIsBetter,
    propagation: Propagation::Minimum,
    ..RATIO
};

pub(super) const METRICS: [GrainMetric; 2] = [
    GrainMetric {
        id: "parallel_benefit",
        definition: "Work by the cost of having the grain: its creation and its share of its parent's other overhead.",
        citation: TOOL,
        needs: &[
            Need::Work,
            Need::Parents,
            Need::Creation,
            Need::Measure(OVERHEAD),
        ],
        given_as: &["parallel_benefit"],
        compute: |evaluation| {
            let synchronisation = synchronisation(evaluation)?;
            let creation = &evaluation.run().grains.creation;
            let costs = creation.iter().zip(&synchronisation);
            let costs = costs.map(|(creation, share)| Some(creation? as f64 + share?));
            let work = evaluation.run().grains.work.iter();
            Ok(Values::Floats(benefits(work, costs)))
        },
        ..BENEFIT
    },
    GrainMetric {
        id: "parallel_benefit_of_execution",
        definition: "Execution time by the cost of having the grain: its creation and the average synchronisation of its parent per child; of a chunk, the book-keeping per chunk of its member and loop.",
        citation: PAPER,
        needs: &[Need::Parents],
        compute: benefit_of_execution,
        ..BENEFIT
    },
];

fn benefits(
    gains: impl Iterator<Item = Option<i64>>,
    costs: impl Iterator<Item = Option<f64>>,
) -> Float64Array {
    let both = gains.zip(costs);
    both.map(|(gain, cost)| Some(gain? as f64 / cost.filter(|&cost| cost > 0.0)?))
        .collect()
}

fn benefit_of_execution(evaluation: &Evaluation<'_>) -> Result<Values, AbsenceReason> {
    let costs = task_costs(evaluation);
    let has_chunks = evaluation.loops().num_chunks() > 0;
    if costs.is_err() && !has_chunks {
        // Without costs, the times are not needed, only why there would be none.
        evaluation.need_execution()?;
    }
    if !has_chunks {
        let costs = costs?;
        return Ok(Values::Floats(benefits(
            evaluation.execution()?.iter(),
            costs.iter(),
        )));
    }
    let execution = evaluation.execution()?;
    let costs = with_chunks(evaluation, &execution, costs)?;
    Ok(Values::Floats(benefits(execution.iter(), costs.iter())))
}

/// The costs of tasks, and those of chunks.
fn with_chunks(
    evaluation: &Evaluation<'_>,
    execution: &Int64Array,
    tasks: Result<Float64Array, AbsenceReason>,
) -> Result<Float64Array, AbsenceReason> {
    let (mut costs, why) = match tasks {
        Ok(costs) => (costs.iter().collect(), None),
        Err(absent) => (vec![None; execution.len()], Some(absent)),
    };
    bookkeeping(evaluation, execution, &mut costs);
    match why.filter(|_| costs.iter().all(Option::is_none)) {
        Some(absent) => Err(absent),
        None => Ok(costs.into()),
    }
}

/// Creation, and the parent's synchronisation per child: its time in waits where it was measured,
/// else what of its overhead is not creation.
fn task_costs(evaluation: &Evaluation<'_>) -> Result<Float64Array, AbsenceReason> {
    Need::Creation.check(evaluation)?;
    let shares = if Need::Waiting.check(evaluation).is_ok() {
        parent_waiting(evaluation)
    } else {
        synchronisation(evaluation)?
    };
    let creation = evaluation.run().grains.creation.iter();
    Ok(creation
        .zip(&shares)
        .map(|(creation, share)| Some(creation? as f64 + share?))
        .collect())
}

/// The costs of chunks: the execution of book-keeping grains beside them where the source has such,
/// else the time of their member's fragments between them.
fn bookkeeping(evaluation: &Evaluation<'_>, execution: &Int64Array, costs: &mut [Option<f64>]) {
    let structure = evaluation.structure();
    let fragments = Between::of(evaluation);
    for set in structure.sets() {
        let members = structure.members(set);
        let kind = |row: &u32| evaluation.kind(*row as usize);
        let chunks = || members.iter().filter(|row| kind(row) == GrainKind::Chunk);
        let count = chunks().count();
        if count == 0 {
            continue;
        }
        let books = members
            .iter()
            .filter(|row| kind(row) == GrainKind::Implicit);
        let books: Vec<u32> = books.copied().collect();
        let cost = if books.is_empty() {
            fragments.cost(evaluation, set.owner(), chunks())
        } else {
            let times = books.iter();
            let mut times = times.map(|&row| integer_at(execution, row as usize));
            let sum = times.try_fold(0_i128, |sum, time| Some(sum + i128::from(time?)));
            sum.map(|sum| sum as f64 / count as f64)
        };
        for &chunk in chunks() {
            if let Some(slot) = costs.get_mut(chunk as usize) {
                *slot = cost;
            }
        }
    }
}

/// Time of grains' fragments between two instants.
struct Between {
    /// First fragment of each grain, and behind them their number.
    first: Vec<usize>,
    /// Time of all fragments before each.
    before: Vec<i128>,
}

impl Between {
    fn of(evaluation: &Evaluation<'_>) -> Self {
        let fragments = &evaluation.run().fragments;
        let grains = fragments.grain.values();
        let row_of = |grain: usize| {
            grains.partition_point(|at| usize::try_from(at).is_ok_and(|at| at < grain))
        };
        let mut before = vec![0];
        let mut sum = 0;
        for duration in fragments.duration.values() {
            sum += i128::from(duration);
            before.push(sum);
        }
        let count = evaluation.run().grains.len();
        Self {
            first: (0..=count).map(row_of).collect(),
            before,
        }
    }

    /// What a member did between its chunks of a loop, per gap; absent for a single chunk.
    fn cost<'a>(
        &self,
        evaluation: &Evaluation<'_>,
        member: Option<u32>,
        chunks: impl Iterator<Item = &'a u32>,
    ) -> Option<f64> {
        let grains = &evaluation.run().grains;
        let member = member? as usize;
        let (mut from, mut to, mut gaps) = (i64::MAX, i64::MIN, -1_i64);
        for &row in chunks {
            let row = row as usize;
            from = from.min(grains.end.get(row)?);
            to = to.max(grains.start.get(row)?);
            gaps += 1;
        }
        let rows = *self.first.get(member)?..*self.first.get(member + 1)?;
        let starts = evaluation.run().fragments.start.values();
        let starts = starts.slice(rows.clone());
        let begin = rows.start + starts.partition_point(|start| start < from);
        let end = rows.start + starts.partition_point(|start| start < to);
        let time = self.before.get(end)? - self.before.get(begin)?;
        (gaps > 0).then(|| time as f64 / gaps as f64)
    }
}
