//! One metric of whole runs: what a table of runs shows, without a union of their contexts.

use std::collections::BTreeSet;
use std::sync::Arc;

use sheaf_model::table::Metrics;
use sheaf_model::{LocationAggregate, MetricKind, RunSummary};

use crate::context_sums::LocationAxis;
use crate::measurements::RunView;
use crate::metric::{self, RunMetric};
use crate::partition::Partition;
use crate::tree::{NONE, parents};

/// One metric of several runs.
#[derive(Debug)]
pub struct WholeRuns {
    over: LocationAggregate,
    /// The metric in each run; absent where it was not measured.
    metrics: Vec<Option<RunMetric>>,
}

impl WholeRuns {
    /// The metric called `wanted` in runs with these metrics. Runs in which it has another unit than in most do
    /// not have it, as everywhere; of a name that no run knows all values are absent.
    pub fn new<'a>(
        wanted: &str,
        over: LocationAggregate,
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

    /// Whether the run at a place has the metric.
    pub fn is_measured(&self, at: usize) -> bool {
        self.metrics[at].is_some()
    }

    /// Whether the value of the run at a place is read from values by location rather than from totals.
    pub fn needs_values(&self, at: usize, run: &RunSummary) -> bool {
        self.metrics[at].as_ref().is_some_and(|metric| {
            LocationAxis::needed(self.over, metric.metric.kind) != LocationAxis::Total
                || ![run.totals.metric.values(), run.values.metric.values()]
                    .iter()
                    .any(|rows| rows.contains(&metric.row))
        })
    }

    /// The row of the metric of the run at a place whose integer totals add up to its total; absent where that
    /// takes more than adding, or the run does not have the metric.
    pub fn row_to_add_up(&self, at: usize) -> Option<i32> {
        let metric = self.metrics[at].as_ref()?;
        let kind = metric.metric.kind;
        let is_sum = kind == MetricKind::Additive
            && LocationAxis::needed(self.over, kind) == LocationAxis::Total
            && metric.is_integer;
        is_sum.then_some(metric.row)
    }

    /// The total of a run whose integer totals were added up: [`WholeRuns::total`] without its contexts. `ranks` has
    /// the rank of each worker.
    pub fn of_sum(&self, sum: i128, ranks: &[i32]) -> f64 {
        let parts = match self.over {
            LocationAggregate::RanksMean => ranks.iter().collect::<BTreeSet<_>>().len(),
            LocationAggregate::WorkersMean => ranks.len(),
            _ => 1,
        };
        sum as f64 / parts.max(1) as f64
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
