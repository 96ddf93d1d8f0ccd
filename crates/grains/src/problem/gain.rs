//! Elapsed time that could be won at most if a problem did not exist.
//!
//! Two facts bound what any remedy wins. Grains that cost `c` less shorten every path through the run by at most
//! `c`, and so the run, as long as the rest keeps its order. And the workers still have to be busy for `busy − c`,
//! so that the run takes at least `(busy − c) / workers` (the work law: Brent 1974; Blumofe and Leiserson 1999,
//! section 2). The bound is the smaller of `c` and `elapsed − (busy − c) / workers`. Workers are not busy while they wait
//! for locks: without these waits, the bound is the smaller of them and `elapsed − busy / workers`. Of problems that
//! are not costs but idle workers, it is the time for which workers idle while the grains run, by the number of workers;
//! of loops, that for which the members of the team wait for the last one.

mod idle;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::OnceLock;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::BooleanBuffer;
use rayon::prelude::*;
use sheaf_answers::{Gain, GainBasis};
use sheaf_model::Cancelled;

use super::diagnosis::{LOCK_WAITING, Problem, is_task_or_chunk};
use super::summary::rank;
use crate::grain_metric::{Evaluation, LoopImbalance, integer_at};

/// A cost of all grains, and of those of each definition.
type Costs = (f64, BTreeMap<i32, f64>);

/// Basis for the problems of a metric; absent if no bound is known, such as for data placement.
fn basis_of(metric: &str) -> Option<GainBasis> {
    let starts = |start: &str| metric.starts_with(start);
    if starts("parallel_benefit") {
        Some(GainBasis::Creation)
    } else if starts("chunk_") {
        Some(GainBasis::Imbalance)
    } else if starts("inst_par_") || (starts("sibling_") && metric.ends_with("_balance")) {
        Some(GainBasis::Idle)
    } else if metric == "work_deviation" {
        Some(GainBasis::Inflation)
    } else if metric == LOCK_WAITING {
        Some(GainBasis::LockWaiting)
    } else {
        None
    }
}

/// Share of the time of a loop from which on its imbalance is a problem: load balance below 95 %.
pub const MIN_IMBALANCE: f64 = 0.05;

/// Whether chunks are judged by the cost of the imbalance of their loop, rather than each alone: for metrics of
/// balance and of instantaneous parallelism, whose thresholds the last chunks of any loop exceed.
pub(super) fn is_of_loops(metric: &str) -> bool {
    matches!(
        basis_of(metric),
        Some(GainBasis::Imbalance | GainBasis::Idle)
    )
}

/// Bounds of one run; what several problems share is computed once.
pub(super) struct Gains<'e, 'a> {
    evaluation: &'e Evaluation<'a>,
    loops: OnceLock<Loops>,
    capacity: OnceLock<Option<Capacity>>,
    work: OnceLock<i128>,
    work_with_members: OnceLock<i128>,
}

/// How much of the workers' time was free.
#[derive(Clone, Copy)]
struct Capacity {
    workers: f64,
    /// Time for which workers ran no grain, by their number.
    idle: f64,
}

/// Loops, and the loop of each chunk.
struct Loops {
    all: Vec<LoopImbalance>,
    /// Number of the loop of each row; `NO_LOOP` of those that are in none. Empty without loops.
    of_row: Vec<u32>,
}

/// Rows that a thread looks at together.
const PART: usize = 1 << 16;

const NO_LOOP: u32 = u32::MAX;

impl Loops {
    fn number(&self, row: u32) -> Option<u32> {
        let number = self.of_row.get(row as usize).copied();
        number.filter(|&number| number != NO_LOOP)
    }
}

/// Parts of so many rows, which are for several threads.
fn parts(rows: usize) -> impl ParallelIterator<Item = Range<usize>> {
    let firsts = (0..rows).into_par_iter().step_by(PART);
    firsts.map(move |first| first..rows.min(first + PART))
}

impl<'e, 'a> Gains<'e, 'a> {
    pub(super) fn of(evaluation: &'e Evaluation<'a>) -> Self {
        Self {
            evaluation,
            loops: OnceLock::new(),
            capacity: OnceLock::new(),
            work: OnceLock::new(),
            work_with_members: OnceLock::new(),
        }
    }

    /// Linear in fragments and grains at the first call.
    fn capacity(&self) -> Option<Capacity> {
        *self.capacity.get_or_init(|| {
            let workers = self.evaluation.workers()? as f64;
            let idle = self.elapsed()? as f64 - self.busy()? / workers;
            Some(Capacity {
                workers,
                idle: idle.max(0.0),
            })
        })
    }

    pub(super) fn evaluation(&self) -> &'e Evaluation<'a> {
        self.evaluation
    }

    /// Time from the first begin of a grain to the last end.
    pub(super) fn elapsed(&self) -> Option<i64> {
        let grains = &self.evaluation.run().grains;
        let of_part = |rows: Range<usize>| {
            let starts = rows.clone().filter_map(|row| grains.start.get(row));
            let ends = rows.filter_map(|row| grains.end.get(row));
            (starts.min(), ends.max())
        };
        let bounds = parts(grains.len()).map(of_part);
        let (first, last) = bounds.reduce(
            || (None, None),
            |a, b| (a.0.into_iter().chain(b.0).min(), a.1.max(b.1)),
        );
        last?.checked_sub(first?)
    }

    /// Work of all tasks and chunks.
    pub(super) fn work(&self) -> i128 {
        *self.work.get_or_init(|| self.work_of(is_task_or_chunk))
    }

    /// Work of all grains.
    pub(super) fn work_with_members(&self) -> i128 {
        *self
            .work_with_members
            .get_or_init(|| self.work_of(|_| true))
    }

    fn work_of(&self, is_wanted: impl Fn(i32) -> bool) -> i128 {
        let grains = &self.evaluation.run().grains;
        let works = grains.kind.values().into_iter().zip(grains.work.values());
        let works = works.filter(|(kind, _)| is_wanted(*kind));
        works.map(|(_, work)| i128::from(work)).sum()
    }

    /// Whether a row is a chunk of a loop whose imbalance costs too little to be a problem; false if
    /// the cost is unknown.
    pub(super) fn is_balanced_chunk(&self, row: u32) -> bool {
        let loops = self.loops();
        let number = loops.number(row);
        let found = number.and_then(|at| loops.all.get(at as usize));
        found.is_some_and(|found| found.cost() < MIN_IMBALANCE * found.largest as f64)
    }

    /// Adds to problems the upper bounds of the time won without them, for all their grains and for those of each
    /// definition, and ranks the definitions. Costs of idle workers need a pass over all fragments in order of time,
    /// which all problems share.
    ///
    /// # Errors
    /// When the evaluation was stopped.
    pub(super) fn add_to(&self, problems: &mut [Problem]) -> Result<(), Cancelled> {
        let basis =
            |problem: &Problem| basis_of(&problem.metric).filter(|_| !problem.grains.is_empty());
        let idle = |problem: &&Problem| basis(problem) == Some(GainBasis::Idle);
        let sets = problems.iter().filter(idle);
        let sets: Vec<BooleanBuffer> = sets.map(|problem| self.bits(&problem.grains)).collect();
        let idle = if sets.is_empty() {
            None
        } else {
            idle::while_running(self.evaluation, &sets)?
        };
        drop(sets);
        let mut idle = idle.into_iter().flatten();
        for problem in problems {
            self.evaluation.progress().check()?;
            let basis = basis(problem);
            let costs = basis.and_then(|basis| match basis {
                GainBasis::Idle => idle.next(),
                _ => self.costs_of(basis, &problem.grains),
            });
            let (gain, by_definition) = match basis.zip(costs) {
                Some((basis, (all, by_definition))) => {
                    let gain = |time: f64| Gain {
                        time: self.bounded(basis, time),
                        basis,
                    };
                    let each = by_definition.into_iter();
                    (
                        Some(gain(all)),
                        each.map(|(at, time)| (at, gain(time))).collect(),
                    )
                }
                None => (None, BTreeMap::new()),
            };
            problem.gain = gain;
            rank(&mut problem.definitions, &by_definition);
        }
        Ok(())
    }

    /// What grains cost in the order of rows, but for the time for which workers idle.
    fn costs_of(&self, basis: GainBasis, grains: &[u32]) -> Option<Costs> {
        match basis {
            GainBasis::Idle => None,
            GainBasis::Imbalance => Some(self.imbalance(grains)),
            GainBasis::Creation => self.costs(grains, |row| self.creation(row)),
            GainBasis::Inflation => self.costs(grains, |row| self.inflation(row)),
            GainBasis::LockWaiting => {
                let waiting = self.evaluation.lock_waiting().ok();
                let of_row = |row: u32| integer_at(waiting.as_ref()?, row as usize);
                self.costs(grains, |row| Some(of_row(row)?.max(0) as f64))
            }
        }
    }

    /// Whether each grain is one of some, a bit per row.
    fn bits(&self, grains: &[u32]) -> BooleanBuffer {
        let mut bits = BooleanBufferBuilder::new(self.evaluation.run().grains.len());
        bits.append_n(self.evaluation.run().grains.len(), false);
        for &row in grains {
            bits.set_bit(row as usize, true);
        }
        bits.finish()
    }

    /// Row of the definition of a grain.
    fn definition(&self, row: u32) -> Option<i32> {
        self.evaluation.definition(row as usize)
    }

    /// A cost as time that could be won.
    fn bounded(&self, basis: GainBasis, cost: f64) -> f64 {
        let Some(Capacity { workers, idle }) = self.capacity() else {
            return cost;
        };
        match basis {
            GainBasis::Creation | GainBasis::Inflation => cost.min(idle + cost / workers),
            // Waits are no part of fragments, so workers count as idle in them.
            GainBasis::Idle | GainBasis::Imbalance | GainBasis::LockWaiting => cost.min(idle),
        }
    }

    /// Time for which workers were in grains; absent where no run of grains is known.
    fn busy(&self) -> Option<f64> {
        let run = self.evaluation.run();
        if !run.fragments.is_empty() {
            let durations = run.fragments.duration.values();
            let of_part = |rows| durations.slice(rows).iter().map(i128::from).sum::<i128>();
            return Some(parts(durations.len()).map(of_part).sum::<i128>() as f64);
        }
        let work = &run.grains.work;
        (work.null_count() < work.len()).then(|| self.work_with_members() as f64)
    }

    fn loops(&self) -> &Loops {
        self.loops.get_or_init(|| {
            let mut of_row = Vec::new();
            let mut all = Vec::new();
            self.evaluation.loop_imbalances(|chunks, imbalance| {
                let at = u32::try_from(all.len()).unwrap_or(u32::MAX);
                of_row.resize(self.evaluation.run().grains.len(), NO_LOOP);
                for &row in chunks {
                    if let Some(slot) = of_row.get_mut(row as usize) {
                        *slot = at;
                    }
                }
                all.push(imbalance);
            });
            Loops { all, of_row }
        })
    }

    /// Costs of the loops that the grains are of; each counts once.
    fn imbalance(&self, grains: &[u32]) -> Costs {
        let loops = self.loops();
        let mut found: BTreeSet<(u32, Option<i32>)> = BTreeSet::new();
        for &row in grains {
            if let Some(at) = loops.number(row) {
                found.insert((at, self.definition(row)));
            }
        }
        let mut sums = BTreeMap::new();
        let (mut all, mut last) = (0.0, None);
        for (at, definition) in found {
            let cost = loops.all.get(at as usize).map_or(0.0, LoopImbalance::cost);
            if last != Some(at) {
                all += cost;
            }
            last = Some(at);
            if let Some(definition) = definition {
                *sums.entry(definition).or_insert(0.0) += cost;
            }
        }
        (all, sums)
    }

    /// Sums of costs, in the order of the grains.
    fn costs(&self, grains: &[u32], cost: impl Fn(u32) -> Option<f64>) -> Option<Costs> {
        let mut sums = BTreeMap::new();
        let mut all = None;
        for grains in grains.chunk_by(|&a, &b| self.definition(a) == self.definition(b)) {
            let definition = grains.first().and_then(|&row| self.definition(row));
            // Added to the sum so far, not summed apart: the order of floats matters.
            let mut sum = definition.and_then(|at| sums.get(&at).copied());
            for cost in grains.iter().filter_map(|&row| cost(row)) {
                *all.get_or_insert(0.0) += cost;
                *sum.get_or_insert(0.0) += cost;
            }
            if let (Some(definition), Some(sum)) = (definition, sum) {
                sums.insert(definition, sum);
            }
        }
        Some((all?, sums))
    }

    /// As measured, else as estimated.
    fn creation(&self, row: u32) -> Option<f64> {
        let measured = &self.evaluation.run().grains.creation;
        let cost = if measured.null_count() < measured.len() {
            measured.get(row as usize)
        } else {
            let estimates = self.evaluation.creation_estimates().ok()?;
            estimates.get(self.evaluation, row as usize)
        };
        Some(cost?.max(0) as f64)
    }

    fn inflation(&self, row: u32) -> Option<f64> {
        let work = &self.evaluation.run().grains.work;
        let at = row as usize;
        let work = (at < work.len() && work.is_valid(at)).then(|| work.value(at))?;
        let beyond = work as f64 - self.evaluation.reference_work(at)?;
        Some(beyond.max(0.0))
    }
}
