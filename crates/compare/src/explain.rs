//! Divides the difference of the elapsed times of two sides into causes that add up to it.
//!
//! Each view divides the elapsed time of every run into the same parts, in whole numbers. The difference of the means of
//! a part is a cause, so the causes of a view add up to the difference of the means, exactly. A swap of the sides negates
//! each of them. Runs, not grains, are what is tested.
//!
//! * `workers`: workers × elapsed = work + waits + delay + no work. Another number of workers is a cause of its own:
//!   of a product of two factors each cause gets the change of its factor times the mean of the other.
//! * `path`: the path of last finishers, whose fragments and gaps are as long as the run (Huynh et al. 2015, section 4).
//! * `ranks`: the slowest rank of a call profile is the mean rank and what the slowest has beyond it.
//!
//! Work of grains is divided by what the other side has for the same path (`works`).

mod account;
mod judge;
mod path;
mod ranks;
mod structure;
#[cfg(test)]
mod tests;
mod workers;
mod works;

use std::collections::BTreeMap;

use sheaf_answers::{CauseKind, ExplainedBy, Note, Reason, Verdict};
use sheaf_model::{Cancelled, DefinitionId, ProgramPart, Progress, RunId};

use crate::unrecorded_loops::UnrecordedLoops;
pub use account::{PathTime, RunTime, WorkerTime};
pub use ranks::{RankTime, rank_causes, rank_times};
pub use structure::{RunStructure, StructureChange, structure_changes};

/// Seed of the resampling of runs.
pub const SEED: u64 = 1;
/// Resamples of an interval.
pub const RESAMPLES: usize = 2_000;

/// The limits from which a part counts as a cause.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExplainOptions {
    /// Share of false alarms, for intervals and q-values.
    pub alpha: f64,
    /// Least part of the longer elapsed time that matters.
    pub least_impact: f64,
    /// Parts below this share of the longer elapsed time in every run are not tested.
    pub least_share: f64,
}

impl Default for ExplainOptions {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            least_impact: 0.01,
            least_share: 0.001,
        }
    }
}

/// The part of the program that a cause concerns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Concern {
    /// The whole run.
    Run,
    /// A definition.
    Definition(DefinitionId),
    /// A calling context, by its place among the groups of the answer by rank.
    Context(usize),
}

/// A part of the difference.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundCause {
    /// Its kind.
    pub kind: CauseKind,
    /// The part of the program.
    pub concern: Concern,
    /// Part of the program, of call profiles.
    pub part: Option<ProgramPart>,
    /// Part of the difference.
    pub delta: f64,
    /// The same times the divisor of the view; absent where values are not whole numbers.
    pub exact: Option<i128>,
    /// Interval of `delta` from resampling of runs.
    pub interval: Option<[f64; 2]>,
    /// p of the exact rank-sum test.
    pub p: Option<f64>,
    /// q over the causes of the view.
    pub q: Option<f64>,
    /// The verdict: slower or faster if it is real.
    pub verdict: Verdict,
    /// The reason of the verdict.
    pub reason: Reason,
}

/// The causes of a view.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundView {
    /// The view.
    pub by: ExplainedBy,
    /// Means of both sides.
    pub means: [f64; 2],
    /// Difference of the means.
    pub delta: f64,
    /// `exact` of causes is `delta` times this; absent where values are not whole numbers.
    pub divisor: Option<i128>,
    /// The causes, the largest first.
    pub causes: Vec<FoundCause>,
}

/// Explains the difference of two sides of runs with grains. Views that a run of either side does not permit are
/// left out, with a note.
///
/// Time linear in the grains of all runs, but for a look into a hash table where orders differ; about 64 bytes of
/// memory per grain; and [`RESAMPLES`] times the runs of each part that is tested.
///
/// # Errors
/// When it was stopped.
pub fn explain(
    sides: &[Vec<RunTime>; 2],
    unrecorded: &UnrecordedLoops,
    options: &ExplainOptions,
    progress: &Progress,
    notes: &mut Vec<Note>,
) -> Result<Vec<FoundView>, Cancelled> {
    let works = works::Works::of(sides, unrecorded);
    let views = [workers::parts(sides, &works), path::parts(sides, &works)];
    let mut found = Vec::new();
    for view in views {
        match view {
            Ok(parts) => found.push(parts.causes(&ids(sides), options, progress)?),
            Err(missing) => notes.push(missing.into()),
        }
    }
    Ok(found)
}

fn ids(sides: &[Vec<RunTime>; 2]) -> [Vec<RunId>; 2] {
    sides
        .each_ref()
        .map(|side| side.iter().map(|run| run.id).collect())
}

/// Values of one part in the runs of both sides.
type PartValues = [Vec<i128>; 2];

/// The parts of a view: the elapsed time of each run, multiplied by `scale`, is the sum of its parts.
struct Parts {
    by: ExplainedBy,
    scale: i128,
    elapsed: [Vec<i64>; 2],
    values: BTreeMap<(CauseKind, Concern), PartValues>,
}

impl Parts {
    fn new(by: ExplainedBy, scale: i128, elapsed: [Vec<i64>; 2]) -> Self {
        Self {
            by,
            scale,
            elapsed,
            values: BTreeMap::new(),
        }
    }

    /// Adds to a part of a run.
    fn add(&mut self, kind: CauseKind, concern: Concern, (side, run): (usize, usize), value: i128) {
        let sizes = self.elapsed.each_ref().map(Vec::len);
        let values = self
            .values
            .entry((kind, concern))
            .or_insert_with(|| sizes.map(|runs| vec![0; runs]));
        if let Some(slot) = values[side].get_mut(run) {
            *slot += value;
        }
    }

    /// Makes what the parts of a run do not have of its elapsed time a part of its own.
    fn add_rest(&mut self) {
        for side in 0..2 {
            for run in 0..self.elapsed[side].len() {
                let known: i128 = self.values.values().map(|it| it[side][run]).sum();
                let rest = i128::from(self.elapsed[side][run]) * self.scale - known;
                if rest != 0 {
                    self.add(CauseKind::NotExplained, Concern::Run, (side, run), rest);
                }
            }
        }
    }

    fn causes(
        mut self,
        ids: &[Vec<RunId>; 2],
        options: &ExplainOptions,
        progress: &Progress,
    ) -> Result<FoundView, Cancelled> {
        self.add_rest();
        let [runs_a, runs_b] = self.elapsed.each_ref().map(|side| as_i128(side.len()));
        let divisor = self.scale * runs_a * runs_b;
        let means = self.elapsed.each_ref().map(|side| mean(side));
        // The sums are exact, so that a swap of the sides negates the difference to the bit.
        let sums = self
            .elapsed
            .each_ref()
            .map(|side| side.iter().copied().map(i128::from).sum::<i128>());
        let delta = (runs_a * sums[1] - runs_b * sums[0]) as f64 / (runs_a * runs_b) as f64;
        let design = judge::Design::new(ids, means, options);
        let part = |((kind, concern), values): (_, PartValues)| {
            let sums = values.each_ref().map(|side| side.iter().sum::<i128>());
            let exact = runs_a * sums[1] - runs_b * sums[0];
            let scaled = |value| value as f64 / self.scale as f64;
            (exact != 0).then(|| judge::Measured {
                kind,
                concern,
                part: None,
                delta: exact as f64 / divisor as f64,
                exact: Some(exact),
                values: values.map(|side| side.into_iter().map(scaled).collect()),
            })
        };
        let parts = self.values.into_iter().filter_map(part).collect();
        Ok(FoundView {
            by: self.by,
            means,
            delta,
            divisor: Some(divisor),
            causes: design.causes(parts, progress)?,
        })
    }
}

/// The largest first; of equal ones in the order of kinds, then of what they concern.
fn sort(causes: &mut [FoundCause]) {
    causes.sort_by(|x, y| {
        let sizes = y.delta.abs().total_cmp(&x.delta.abs());
        sizes.then_with(|| (x.kind, &x.concern).cmp(&(y.kind, &y.concern)))
    });
}

fn mean(values: &[i64]) -> f64 {
    let sum: i128 = values.iter().copied().map(i128::from).sum();
    sum as f64 / values.len().max(1) as f64
}

fn as_i128(count: usize) -> i128 {
    i128::try_from(count).unwrap_or(i128::MAX)
}
