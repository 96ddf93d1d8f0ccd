//! Values of every group in every run.

mod blocks;

use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::Note;
use sheaf_model::{Lens, LocationAggregate, Progress, Scope};

use crate::error::Error;
use crate::groups::Grouping;
use crate::groups::Reentry;
use crate::kernel::{Question, State, UnifiedRuns};
use crate::measurement::Measurement;
use crate::measurements::{Counts, RunReadings};
use crate::metric::Metric;
use crate::partition::Partition;
use crate::tree::EnsembleTree;

/// Measurements of groups over runs: what tables, tests and diffs are computed from.
///
/// Runs are those of the tree, in its order. An exclusive value of an additive metric is summed
/// over the group's contexts, an inclusive one over its outermost contexts; both are then
/// aggregated over the locations of the run. Both are the same for a metric that does not add up.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupValues {
    runs: usize,
    /// Group by group, run by run.
    exclusive: Vec<Measurement>,
    inclusive: Vec<Measurement>,
    /// Inclusive value of each whole run.
    totals: Vec<Measurement>,
    /// The same for values inside of regions.
    inside: Vec<Measurement>,
    /// Observations in the groups' own contexts, and with everything below, run by run. Runs of which as many
    /// were made everywhere share them.
    counts: Vec<Arc<Counts>>,
}

impl GroupValues {
    /// Number of groups.
    pub fn num_groups(&self) -> usize {
        self.exclusive.len().checked_div(self.runs).unwrap_or(0)
    }

    /// Number of runs.
    pub fn num_runs(&self) -> usize {
        self.runs
    }

    /// Measurements of a group, run by run.
    pub fn of(&self, scope: Scope, group: usize) -> &[Measurement] {
        let measurements = match scope {
            Scope::Exclusive => &self.exclusive,
            Scope::Inclusive => &self.inclusive,
        };
        &measurements[group * self.runs..(group + 1) * self.runs]
    }

    /// Inclusive value of each whole run: the sum over its root contexts.
    pub fn totals(&self) -> &[Measurement] {
        &self.totals
    }

    /// The same without values outside of every region. Shares refer to these totals.
    pub fn inside(&self) -> &[Measurement] {
        &self.inside
    }

    /// Observations (grains, samples) behind a value of a group in a run.
    pub fn count(&self, scope: Scope, group: usize, run: usize) -> u64 {
        let counts = &self.counts[run][usize::from(scope == Scope::Inclusive)][group];
        u64::try_from(*counts).unwrap_or(0)
    }

    /// Values of one metric for the groups of a partition, per run; linear in the runs' values.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if `progress` was cancelled.
    pub fn new(
        ensemble: &UnifiedRuns,
        question: &Question,
        partition: &Partition,
        over: LocationAggregate,
        progress: &Progress,
    ) -> Result<Self, Error> {
        blocks::group_values(ensemble, question, partition, over, progress)
    }

    pub(crate) fn from_rows(rows: &[RunReadings], groups: usize) -> Self {
        Self {
            runs: rows.len(),
            exclusive: transpose(rows, groups, |row| &row.exclusive),
            inclusive: transpose(rows, groups, |row| &row.inclusive),
            totals: rows.iter().map(|row| row.total).collect(),
            inside: rows.iter().map(|row| row.inside).collect(),
            counts: rows
                .iter()
                .map(|row| Arc::new([row.counts.clone(), row.counts_below.clone()]))
                .collect(),
        }
    }
}

/// Measurements of every run, in parallel.
pub(crate) fn rows(
    ensemble: &UnifiedRuns,
    question: &Question,
    partition: &Partition,
    over: LocationAggregate,
    progress: &Progress,
) -> Result<Vec<RunReadings>, Error> {
    (0..ensemble.num_runs())
        .into_par_iter()
        .map(|run| {
            progress.check()?;
            Ok(ensemble
                .view(question, run)
                .values(over)
                .measurements(partition))
        })
        .collect()
}

/// Greatest inclusive value of each group over runs, 0 where there is none, in one parallel pass.
pub(crate) fn greatest_inclusive(
    ensemble: &UnifiedRuns,
    question: &Question,
    partition: &Partition,
    over: LocationAggregate,
    progress: &Progress,
) -> Result<Vec<f64>, Error> {
    let nothing = || vec![0.0; partition.groups];
    (0..ensemble.num_runs())
        .into_par_iter()
        .map(|run| {
            progress.check()?;
            let values = ensemble.view(question, run).values(over);
            let (inclusive, _) = values.inclusive(partition);
            Ok(inclusive.into_iter().map(Measurement::or_zero).collect())
        })
        .try_reduce(nothing, |a: Vec<f64>, b| {
            Ok(a.into_iter().zip(b).map(|(a, b)| a.max(b)).collect())
        })
}

/// From run by run to thing by thing.
pub(crate) fn transpose(
    rows: &[RunReadings],
    things: usize,
    measurements: impl Fn(&RunReadings) -> &[Measurement] + Sync,
) -> Vec<Measurement> {
    let mut transposed = vec![Measurement::Absent; rows.len() * things];
    if !rows.is_empty() {
        transposed
            .par_chunks_mut(rows.len())
            .enumerate()
            .for_each(|(thing, column)| {
                for (place, row) in column.iter_mut().zip(rows) {
                    *place = measurements(row)[thing];
                }
            });
    }
    transposed
}

/// Everything that a comparison of runs group by group starts from.
#[derive(Debug, Clone)]
pub struct Grouped {
    /// The union of the runs.
    pub tree: EnsembleTree,
    /// The groups of the lens's level and operations.
    pub grouping: Grouping,
    /// Their values.
    pub values: GroupValues,
    /// The metric.
    pub metric: Metric,
    /// Things that a reader must know.
    pub notes: Vec<Note>,
}

/// Unifies the runs of `state`, groups their contexts and evaluates the lens's metric for each
/// group and run. Nothing is left out for being small.
///
/// # Errors
/// As for [`stats`](crate::stats).
pub fn finish_groups(
    lens: &Lens,
    state: State,
    reentry: Reentry,
    progress: &Progress,
) -> Result<Grouped, Error> {
    let ensemble = UnifiedRuns::new(state)?;
    let question = ensemble.question(&lens.metric)?;
    let grouping = Grouping::new(&ensemble.tree, lens, reentry)?;
    let partition = Partition::new(&ensemble.tree, grouping.group_of.clone(), grouping.len());
    let values = GroupValues::new(&ensemble, &question, &partition, lens.over, progress)?;
    let notes = [question.notes, grouping.notes.clone()].concat();
    Ok(Grouped {
        tree: ensemble.tree,
        grouping,
        values,
        metric: question.metric,
        notes,
    })
}
