//! One metric of whole runs: what a table of runs shows, without a union of their contexts.

use std::sync::Arc;

use sheaf_model::table::Metrics;
use sheaf_model::{Over, RunSummary};

use crate::cells::Lanes;
use crate::metric::{self, RunMetric};
use crate::partition::Partition;
use crate::readings::RunView;
use crate::tree::{NONE, parents};

/// One metric of several runs.
#[derive(Debug)]
pub struct WholeRuns {
    over: Over,
    /// The metric in each run; absent where it was not measured.
    metrics: Vec<Option<RunMetric>>,
}

impl WholeRuns {
    /// The metric called `wanted` in runs with these metrics. Runs in which it has another unit than in most do
    /// not have it, as everywhere; of a name that no run knows all values are absent.
    pub fn new<'a>(
        wanted: &str,
        over: Over,
        runs: impl ExactSizeIterator<Item = &'a Metrics> + Clone,
    ) -> Self {
        let of_runs = metric::lists(runs.clone(), wanted, false);
        let (lists, list_of_run) = metric::distinct(of_runs.iter());
        let num_runs = runs.len();
        let Ok(resolved) = metric::resolve(wanted, &lists, &list_of_run, runs) else {
            return Self {
                over,
                metrics: vec![None; num_runs],
            };
        };
        let metric = |(list, place): (&Arc<[RunMetric]>, Option<usize>)| list.get(place?).cloned();
        Self {
            over,
            metrics: of_runs.iter().zip(resolved.in_run).map(metric).collect(),
        }
    }

    /// Whether the value of the run at a place is read from values by location rather than from totals.
    pub fn needs_values(&self, at: usize, run: &RunSummary) -> bool {
        self.metrics[at].as_ref().is_some_and(|metric| {
            Lanes::needed(self.over, metric.metric.kind) != Lanes::Total
                || !run.totals.metric.values().contains(&metric.row)
        })
    }

    /// Inclusive value at the roots of the run at a place; absent where the run does not have the metric. Only
    /// `contexts.parent`, `locations`, `metrics`, `totals` and, if they are needed, `values` of the run are read.
    /// Linear in their rows.
    pub fn total(&self, at: usize, run: &RunSummary) -> Option<f64> {
        let metric = self.metrics[at].as_ref()?;
        let nothing = Partition {
            group_of: vec![NONE],
            flow_of: vec![NONE],
            is_outermost: vec![false],
            ..Partition::default()
        };
        let view = RunView {
            run,
            nodes: &vec![0; run.contexts.len()],
            parents: &parents(&run.contexts),
            metric: Some(metric),
            totals: None,
        };
        let (_, total) = view.values(self.over).inclusive(&nothing);
        total.value()
    }
}
