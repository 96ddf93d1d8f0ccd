//! The table of metrics.

use std::collections::BTreeMap;

use sheaf_model::table::Metrics;

use crate::measure::MetricSpec;

/// The metrics of a run by name, and the row of each measure `M`.
pub(crate) struct MetricRows<M> {
    pub(crate) table: Metrics,
    rows: BTreeMap<M, i32>,
}

impl<M: Ord + Copy> MetricRows<M> {
    /// Metrics of one name are in the order of their measures.
    pub(crate) fn new(mut metrics: Vec<(M, MetricSpec)>) -> Self {
        metrics.sort_by(|a, b| (&a.1.name, a.0).cmp(&(&b.1.name, b.0)));
        let measures = metrics.iter().map(|(measure, _)| *measure);
        Self {
            rows: measures.zip(0..).collect(),
            table: metrics
                .into_iter()
                .map(|(_, spec)| spec.into_row(None))
                .collect(),
        }
    }

    /// The row of a measure that the run has.
    pub(crate) fn row(&self, measure: M) -> Option<i32> {
        self.rows.get(&measure).copied()
    }

    /// Row and measure of each metric, by row.
    pub(crate) fn measures(&self) -> Vec<(i32, M)> {
        let rows = self.rows.iter();
        let mut measures: Vec<_> = rows.map(|(measure, row)| (*row, *measure)).collect();
        measures.sort_unstable();
        measures
    }
}
