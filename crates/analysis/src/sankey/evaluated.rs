//! Values of the nodes and edges of a super graph, in one pass over the runs.

use rayon::prelude::*;
use sheaf_model::{Lens, Progress};

use crate::entry_functions::{ByEntry, Entries};
use crate::error::Error;
use crate::group_values::{GroupValues, transpose};
use crate::kernel::{Question, UnifiedRuns};
use crate::measurement::Measurement;
use crate::measurements::{RunReadings, RunValues};
use crate::partition::Partition;
use crate::super_graph::SuperGraph;
use crate::tree::EnsembleTree;

/// Values of a super graph's nodes and edges.
pub(super) struct Evaluated {
    pub(super) values: GroupValues,
    flows: Vec<Measurement>,
    /// Grains of each node.
    pub(super) counts: Vec<u64>,
    pub(super) entries: Vec<Entries>,
    /// Mean over runs of the share of weight in contexts that all runs have.
    pub(super) common_share: f64,
}

impl Evaluated {
    pub(super) fn new(
        ensemble: &UnifiedRuns,
        question: &Question,
        graph: &SuperGraph,
        lens: &Lens,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let tree = &ensemble.tree;
        let partition = &graph.partition;
        let by_entry = ByEntry::new(tree, partition);
        let is_by_group = by_entry.is_by_group(partition);
        let common = Common::new(tree);
        let evaluated: Vec<(RunReadings, Vec<f64>, Option<f64>)> = (0..ensemble.num_runs())
            .into_par_iter()
            .map(|run| {
                progress.check()?;
                let values = ensemble.view(question, run).values(lens.over);
                let measurements = values.measurements(partition);
                let or_zero = |measurements: &[Measurement]| {
                    measurements.iter().map(|it| it.or_zero()).collect()
                };
                // A group of one definition is entered there and nowhere else.
                let entries = if is_by_group {
                    or_zero(&measurements.inclusive)
                } else {
                    or_zero(&values.inclusive(&by_entry.partition).0)
                };
                let share = common.share_of_run(&values);
                Ok((measurements, entries, share))
            })
            .collect::<Result<_, Error>>()?;
        let mut rows = Vec::with_capacity(evaluated.len());
        let mut greatest = vec![0.0; by_entry.partition.groups];
        let mut shares = Vec::with_capacity(evaluated.len());
        for (measurements, entries, share) in evaluated {
            for (greatest, value) in greatest.iter_mut().zip(entries) {
                *greatest = f64::max(*greatest, value);
            }
            shares.extend(share);
            rows.push(measurements);
        }
        let observed: Vec<&[i64]> = rows.iter().map(|row| row.counts.as_slice()).collect();
        Ok(Self {
            counts: ensemble.grains(&partition.group_of, partition.groups, &observed),
            flows: transpose(&rows, partition.flows, |row| &row.flows),
            values: GroupValues::from_rows(&rows, partition.groups),
            entries: by_entry.entries(tree, partition.groups, &greatest),
            common_share: common.share(&shares),
        })
    }

    /// Flow along an edge, run by run.
    pub(super) fn flow(&self, edge: usize) -> &[Measurement] {
        let runs = self.values.num_runs();
        &self.flows[edge * runs..(edge + 1) * runs]
    }
}

/// The contexts that all runs have.
struct Common {
    /// Group 0 are the common contexts, group 1 the others.
    partition: Partition,
    /// Share of the contexts, whatever their weight.
    by_number: f64,
}

impl Common {
    fn new(tree: &EnsembleTree) -> Self {
        let runs = tree.runs().len();
        let is_common: Vec<bool> = (0..tree.len())
            .map(|node| tree.num_present(node) >= runs)
            .collect();
        let common = is_common.iter().filter(|is_common| **is_common).count();
        let group_of = is_common
            .iter()
            .map(|is_common| u32::from(!is_common))
            .collect();
        Self {
            partition: Partition::new(tree, group_of, 2),
            by_number: if tree.is_empty() {
                1.0
            } else {
                common as f64 / tree.len() as f64
            },
        }
    }

    /// Share of one run's exclusive values; nothing when it has none.
    fn share_of_run(&self, values: &RunValues<'_>) -> Option<f64> {
        let exclusive = values.exclusive(&self.partition);
        let [common, own] =
            [0, 1].map(|group| exclusive.get(group).map_or(0.0, |value| value.or_zero()));
        (common + own > 0.0).then(|| common / (common + own))
    }

    /// Mean over runs; by contexts where nothing has weight.
    fn share(&self, shares: &[f64]) -> f64 {
        if shares.is_empty() {
            self.by_number
        } else {
            shares.iter().sum::<f64>() / shares.len() as f64
        }
    }
}
