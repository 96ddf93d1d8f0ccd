//! Times of grains: work, creation, synchronisation, waiting, delay.

use arrow::array::{Float64Array, Int64Array};
use arrow::datatypes::Int64Type;
use sheaf_model::table::{CompactColumn, Dependences};
use sheaf_model::{Direction, names};

use super::column::{ToFill, integer_at};
use super::{AbsenceReason, Evaluation, GrainMetric, Need, PAPER, RATIO, TIME, TOOL, Values};
use crate::aggregation::Propagation;

pub(super) const METRICS: [GrainMetric; 10] = [
    GrainMetric {
        id: "work_ns",
        definition: "Time spent computing.",
        citation: TOOL,
        needs: &[Need::Work],
        given_as: &["work_cycles"],
        compute: |evaluation| Ok(column(&evaluation.run().grains.work)),
        ..TIME
    },
    GrainMetric {
        id: "execution_ns",
        definition: "Time in the grain's own context, overhead for its children included.",
        citation: PAPER,
        needs: &[],
        given_as: &["exec_cycles"],
        compute: |evaluation| evaluation.execution().map(Values::Integers),
        ..TIME
    },
    GrainMetric {
        id: "overhead_ns",
        definition: "Time of the runtime system within the grain: creating children, scheduling and waiting for them.",
        citation: TOOL,
        needs: &[Need::Measure(OVERHEAD)],
        compute: |evaluation| {
            let overhead = evaluation.measures().times(OVERHEAD)?;
            Ok(Values::Integers(overhead))
        },
        ..TIME
    },
    GrainMetric {
        id: "creation_ns",
        definition: "Time that the parent spent creating the grain.",
        citation: PAPER,
        needs: &[Need::Creation],
        given_as: &["creation_cycles"],
        compute: |evaluation| Ok(column(&evaluation.run().grains.creation)),
        ..TIME
    },
    GrainMetric {
        id: "synchronisation_ns",
        definition: "The grain's share of its parent's overhead beyond the creation of children: by the number of all children.",
        citation: TOOL,
        needs: &[Need::Parents, Need::Creation, Need::Measure(OVERHEAD)],
        given_as: &["sync_cycles_per_child"],
        compute: |evaluation| synchronisation(evaluation).map(Values::Floats),
        ..TIME
    },
    GrainMetric {
        id: "parent_waiting_ns",
        definition: "The grain's share of its parent's time in waits: by the number of all children.",
        citation: PAPER,
        needs: &[Need::Parents, Need::Waiting],
        compute: |evaluation| Ok(Values::Floats(parent_waiting(evaluation))),
        ..TIME
    },
    GrainMetric {
        id: "waiting_ns",
        definition: "Time in waits while the grain's worker ran nothing else.",
        citation: PAPER,
        needs: &[Need::Waiting],
        compute: |evaluation| Ok(column(&evaluation.run().grains.waiting)),
        ..TIME
    },
    GrainMetric {
        id: "delay_ns",
        definition: "Time from when the grain could run, created and with its dependences fulfilled, to its first begin.",
        citation: "DAGViz (2015), section 4",
        needs: &[Need::Created, Need::Start],
        compute: |evaluation| Ok(Values::Integers(delay(evaluation))),
        ..TIME
    },
    GrainMetric {
        id: "lifetime_ns",
        direction: Direction::Neutral,
        definition: "Time from the grain's first begin to its end, whatever its worker did meanwhile.",
        citation: PAPER,
        needs: &[Need::Start, Need::End],
        propagation: Propagation::Maximum,
        compute: |evaluation| {
            let grains = &evaluation.run().grains;
            let both = grains.start.iter().zip(&grains.end);
            let length = both.map(|(start, end)| end?.checked_sub(start?));
            Ok(Values::Integers(length.collect()))
        },
        ..TIME
    },
    GrainMetric {
        id: "lock_waiting_share",
        definition: "Part of the grain's lifetime in which it waited for locks, critical and ordered sections, atomic constructs, and other iterations (`doacross`).",
        citation: "OpenMP 5.2, section 19.5.2.14: mutex-acquire to mutex-acquired events",
        needs: &[Need::Start, Need::End, Need::Measure(LOCK_WAITING)],
        compute: |evaluation| lock_waiting_share(evaluation).map(Values::Floats),
        ..RATIO
    },
];

const LOCK_WAITING: &[&str] = &[names::LOCK_WAITING];

fn lock_waiting_share(evaluation: &Evaluation<'_>) -> Result<Float64Array, AbsenceReason> {
    let waiting = evaluation.lock_waiting()?;
    let grains = &evaluation.run().grains;
    let lifetimes = grains.start.iter().zip(&grains.end);
    let share = |(waiting, (start, end)): (Option<i64>, (Option<i64>, Option<i64>))| {
        let lifetime = end?.checked_sub(start?).filter(|lifetime| *lifetime > 0)?;
        Some(waiting? as f64 / lifetime as f64)
    };
    Ok(waiting.iter().zip(lifetimes).map(share).collect())
}

/// Names of the measure of overhead.
pub(super) const OVERHEAD: &[&str] = &["overhead_cycles", "overhead_ns", "overhead_ticks"];

const EXECUTION: &[&str] = &["exec_cycles", "execution_ns", "execution_ticks"];

fn column(column: &CompactColumn<i64>) -> Values {
    Values::Integers(column.to_arrow())
}

impl Evaluation<'_> {
    /// Time in which each grain waited for locks.
    ///
    /// # Errors
    /// It was not measured.
    pub(crate) fn lock_waiting(&self) -> Result<Int64Array, AbsenceReason> {
        self.measures().integers(LOCK_WAITING)
    }

    /// Time of execution: as measured, else the sum of the fragments.
    pub(super) fn execution(&self) -> Result<Int64Array, AbsenceReason> {
        if let Ok(measured) = self.measures().times(EXECUTION) {
            return Ok(measured);
        }
        self.need_fragments()?;
        let fragments = &self.run().fragments;
        let mut sums = ToFill::<Int64Type>::absent(self.run().grains.len());
        let mut add = |grain: i32, duration: i64| {
            let row = usize::try_from(grain).unwrap_or(usize::MAX);
            sums.change(row, |sum| sum.saturating_add(duration));
        };
        // Fragments of a grain are neighbours.
        let mut now: Option<(i32, i64)> = None;
        let grains = fragments.grain.values().into_iter();
        for (grain, duration) in grains.zip(fragments.duration.values()) {
            match &mut now {
                Some((last, sum)) if *last == grain => *sum = sum.saturating_add(duration),
                _ => {
                    if let Some((last, sum)) = now.replace((grain, duration)) {
                        add(last, sum);
                    }
                }
            }
        }
        if let Some((last, sum)) = now {
            add(last, sum);
        }
        Ok(sums.finish())
    }

    /// Whether the time of execution is known.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn need_execution(&self) -> Result<(), AbsenceReason> {
        if self.measures().times(EXECUTION).is_ok() {
            return Ok(());
        }
        self.need_fragments()
    }

    fn need_fragments(&self) -> Result<(), AbsenceReason> {
        let why =
            |_| AbsenceReason::because("the run has neither times of execution nor fragments");
        Need::Fragments.check(self).map_err(why)
    }
}

/// What of the parent's overhead is not the creation of children, per child.
pub(super) fn synchronisation(evaluation: &Evaluation<'_>) -> Result<Float64Array, AbsenceReason> {
    let grains = &evaluation.run().grains;
    let overhead = evaluation.measures().times(OVERHEAD)?;
    let parents = || (0..grains.len()).map(|row| evaluation.parent(row));
    let mut sums = vec![(0_i128, 0_u32); grains.len()];
    for (parent, creation) in parents().zip(&grains.creation) {
        if let Some((sum, children)) = parent.and_then(|at| sums.get_mut(at)) {
            *sum += i128::from(creation.unwrap_or(0));
            *children += 1;
        }
    }
    let value = |(parent, creation): (Option<usize>, Option<i64>)| {
        creation?;
        let &(sum, children) = sums.get(parent?)?;
        let overhead = integer_at(&overhead, parent?)?;
        Some((i128::from(overhead) - sum) as f64 / f64::from(children))
    };
    Ok(parents().zip(&grains.creation).map(value).collect())
}

/// The parent's time in waits, per child.
pub(super) fn parent_waiting(evaluation: &Evaluation<'_>) -> Float64Array {
    let waiting = &evaluation.run().grains.waiting;
    let rows = 0..waiting.len();
    let mut children = vec![0_u32; waiting.len()];
    for parent in rows.clone().filter_map(|row| evaluation.parent(row)) {
        if let Some(count) = children.get_mut(parent) {
            *count += 1;
        }
    }
    rows.map(|row| {
        let parent = evaluation.parent(row)?;
        let waited = waiting.get(parent)?;
        Some(waited as f64 / f64::from(*children.get(parent)?))
    })
    .collect()
}

fn delay(evaluation: &Evaluation<'_>) -> Int64Array {
    let run = evaluation.run();
    let grains = &run.grains;
    let end = |row| grains.end.get(row);
    delays(&grains.created, &grains.start, end, &run.dependences)
}

/// Time from when each grain could run, created and with its dependences fulfilled, to its first
/// begin: a value per grain in the unit of the columns, absent where one of its times is. Linear in grains and
/// dependences.
pub fn delays(
    created: impl IntoIterator<Item = Option<i64>>,
    start: impl IntoIterator<Item = Option<i64>>,
    end: impl Fn(usize) -> Option<i64>,
    dependences: &Dependences,
) -> Int64Array {
    let mut ready: Vec<Option<i64>> = created.into_iter().collect();
    let both = dependences.predecessor.values().iter();
    for (&before, &after) in both.zip(dependences.successor.values()) {
        let [before, after] = [before, after].map(|row| usize::try_from(row).unwrap_or(usize::MAX));
        let end = end(before);
        if let Some(ready) = ready.get_mut(after) {
            *ready = ready.map(|ready| end.map_or(ready, |end| ready.max(end)));
        }
    }
    let both = ready.iter().zip(start);
    both.map(|(ready, start)| start?.checked_sub((*ready)?))
        .collect()
}
