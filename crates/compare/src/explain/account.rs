//! Gathers the times of one run for an explanation.

use std::collections::BTreeMap;

use arrow::array::{Array, Int32Array};
use sheaf_answers::CauseKind;
use sheaf_grains::grain_graph::{DelayKind, ElapsedPath};
use sheaf_grains::timeline::Balance;
use sheaf_model::{DefinitionId, RunId, RunSummary, RunTables, names};

use super::RunStructure;
use crate::grain_diff::GrainColumns;
use crate::renaming::Renaming;

/// The time of one run.
#[derive(Debug, Clone)]
pub struct RunTime {
    /// The run.
    pub id: RunId,
    /// Its grains, under the newest names of definitions.
    pub grains: GrainColumns,
    /// Row of the parent of each grain.
    pub parents: Int32Array,
    /// Its structure.
    pub structure: RunStructure,
    /// The time of its workers, or why there is none.
    pub workers: Result<WorkerTime, String>,
    /// Its path of last finishers, or why there is none.
    pub path: Result<PathTime, String>,
}

/// Time by definition.
type ByDefinition = BTreeMap<DefinitionId, i64>;

/// The time of a run's workers, in the run's time unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerTime {
    /// Number of workers.
    pub workers: i64,
    /// Elapsed time.
    pub elapsed: i64,
    /// Idle time while something was ready, where that is known.
    pub delay: Option<i64>,
    /// Idle time while nothing was ready, where that is known.
    pub no_work: Option<i64>,
    /// All idle time.
    pub idle: i64,
    /// The part of it in waits for locks and in MPI.
    pub pauses: BTreeMap<(CauseKind, DefinitionId), i64>,
    /// Rows of grains with the part of their work in which the thread had no processor.
    pub off_cpu: Vec<(u32, i64)>,
}

impl WorkerTime {
    /// Linear in the values of the summary and in the counters.
    pub fn of(run: &RunTables, balance: &Balance, renaming: &Renaming) -> Self {
        let summary = &run.summary;
        let mut time = Self {
            workers: balance.workers,
            elapsed: balance.elapsed,
            delay: balance.delay.clone().ok(),
            no_work: balance.no_work.clone().ok(),
            idle: balance.idle.saturating_add(balance.inner_delay),
            off_cpu: off_cpu(run),
            pauses: BTreeMap::new(),
        };
        let kinds = [
            (names::LOCK_WAITING, CauseKind::Lock),
            (names::MPI, CauseKind::Mpi),
        ];
        for (metric, kind) in kinds {
            let sums = sums(summary, metric, renaming);
            time.pauses
                .extend(sums.into_iter().map(|(of, sum)| ((kind, of), sum)));
        }
        time
    }
}

fn off_cpu(run: &RunTables) -> Vec<(u32, i64)> {
    let counters = &run.counters;
    let Some(metric) = metric_row(&run.summary, names::OFF_CPU) else {
        return Vec::new();
    };
    let is_one = |row: &usize| usize::try_from(counters.metric.value(*row)) == Ok(metric);
    let value = |row: usize| {
        let grain = u32::try_from(counters.grain.value(row)).ok()?;
        (counters.value.is_valid(row)).then(|| (grain, counters.value.value(row)))
    };
    let rows = (0..counters.len()).filter(is_one).filter_map(value);
    rows.filter(|(_, time)| *time != 0).collect()
}

fn metric_row(summary: &RunSummary, name: &str) -> Option<usize> {
    let metrics = &summary.metrics;
    (0..metrics.len()).find(|&row| metrics.name.value(row) == name)
}

/// Sums of an integer metric by definition.
fn sums(summary: &RunSummary, metric: &str, renaming: &Renaming) -> ByDefinition {
    let mut sums = ByDefinition::new();
    let Some(metric) = metric_row(summary, metric) else {
        return sums;
    };
    let values = &summary.values;
    for row in 0..values.len() {
        if usize::try_from(values.metric.value(row)) != Ok(metric) || values.sum.is_null(row) {
            continue;
        }
        if let Some(definition) = definition(summary, values.context.value(row)) {
            let sum = sums.entry(renaming.id(definition)).or_default();
            *sum = sum.saturating_add(values.sum.value(row));
        }
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

fn definition(summary: &RunSummary, context: i32) -> Option<DefinitionId> {
    let context = usize::try_from(context).ok()?;
    let row = *summary.contexts.definition.values().get(context)?;
    let row = usize::try_from(row).ok()?;
    let ids = &summary.definitions.id;
    let bytes = (row < ids.len()).then(|| ids.value(row))?;
    bytes.try_into().ok().map(DefinitionId)
}

/// The path of last finishers of a run, in the run's time unit: `elapsed` is the sum of all others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathTime {
    /// Elapsed time.
    pub elapsed: i64,
    /// Time before the first fragment.
    pub before: i64,
    /// Time behind the last fragment.
    pub after: i64,
    /// Rows of grains with the time of their fragments on the path, ascending.
    pub grains: Vec<(u32, i64)>,
    /// Gaps by kind, and by the definition of the grain that began later than it could.
    pub gaps: BTreeMap<(CauseKind, DefinitionId), i64>,
}

impl PathTime {
    /// The time of a path of a run, under the run's own names of definitions. Linear in the path.
    pub fn of(run: &RunTables, path: &ElapsedPath) -> Self {
        let fragments = &run.fragments;
        let grain_of = |row: u32| u32::try_from(fragments.grain.value(row as usize)).ok();
        let mut on_path: BTreeMap<u32, i64> = BTreeMap::new();
        for &row in &path.rows {
            if let Some(grain) = grain_of(row) {
                *on_path.entry(grain).or_default() += fragments.duration.value(row as usize);
            }
        }
        let mut gaps = BTreeMap::new();
        for gap in &path.gaps {
            let context = grain_of(gap.row).map(|grain| run.grains.context.value(grain as usize));
            let definition = context.and_then(|context| definition(&run.summary, context));
            let of = (kind(gap.kind), definition.unwrap_or(DefinitionId([0; 16])));
            *gaps.entry(of).or_default() += gap.time;
        }
        Self {
            elapsed: path.elapsed,
            before: path.before,
            after: path.after,
            grains: on_path.into_iter().collect(),
            gaps,
        }
    }

    /// The same path under the newest names of definitions. Linear in the path.
    #[must_use]
    pub fn renamed(&self, renaming: &Renaming) -> Self {
        let mut gaps = BTreeMap::new();
        for (&(kind, definition), &time) in &self.gaps {
            *gaps.entry((kind, renaming.id(definition))).or_default() += time;
        }
        Self {
            gaps,
            grains: self.grains.clone(),
            ..*self
        }
    }
}

const fn kind(kind: DelayKind) -> CauseKind {
    match kind {
        DelayKind::Creation => CauseKind::Creation,
        DelayKind::Synchronisation => CauseKind::Synchronisation,
        DelayKind::Continuation => CauseKind::Continuation,
        DelayKind::Dependence => CauseKind::Dependence,
        DelayKind::Scheduling => CauseKind::Scheduling,
        DelayKind::Lock => CauseKind::Lock,
        DelayKind::Message => CauseKind::Mpi,
    }
}
