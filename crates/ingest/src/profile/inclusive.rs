//! Metrics that a source lists as exclusive, although the value of every node holds those of the nodes below it.
//!
//! Thicket lists every metric of the Caliper profiles that it read as exclusive. Added up over the tree, inclusive
//! times of three levels are three times the time.

use sheaf_model::MetricKind;

use super::Profile;
use super::log::Observation;
use crate::buckets::Buckets;
use crate::run_tables::NONE;

/// Smallest number of nodes with several nodes below them that have the sum of those.
const MIN_SUMS: usize = 3;
/// Largest part of such a sum that may be the node's own.
const MAX_OWN_SHARE: f64 = 0.01;
/// Relative error of sums of rounded numbers.
const ROUNDING: f64 = 1e-6;

impl Profile {
    /// Makes metrics inclusive that can be nothing else, and returns the names that the source uses for them: every node
    /// with at least two nodes below it has their sum and at most 1 % more, and there are at least three such nodes.
    /// Linear in values, and in nodes for each metric.
    pub(crate) fn find_inclusive(&mut self) -> Vec<String> {
        let values = self.log.observations();
        let by_metric = Buckets::new(values.len(), self.metrics.len(), |at| {
            values.get(at as usize).map(Observation::metric)
        });
        let mut own = vec![0.0; self.nodes.len()];
        let mut below = vec![(0.0, 0_usize); self.nodes.len()];
        let mut found = Vec::new();
        for (number, metric) in self.metrics.iter_mut().enumerate() {
            if metric.spec.kind != MetricKind::Additive {
                continue;
            }
            own.fill(0.0);
            below.fill((0.0, 0));
            for value in by_metric
                .get(number)
                .iter()
                .filter_map(|&at| values.get(at as usize))
            {
                if let Some(own) = own.get_mut(value.node as usize) {
                    *own += value.float();
                }
            }
            for (parent, &own) in self.nodes.parents().zip(&own) {
                if parent != NONE
                    && own > 0.0
                    && let Some((sum, count)) = below.get_mut(parent as usize)
                {
                    (*sum, *count) = (*sum + own, *count + 1);
                }
            }
            let has_sum = |(own, (sum, _)): (&f64, &(f64, usize))| {
                (sum * (1.0 - ROUNDING)..=sum * (1.0 + MAX_OWN_SHARE)).contains(own)
            };
            let inner = || own.iter().zip(&below).filter(|(_, (_, count))| *count > 1);
            if inner().count() >= MIN_SUMS && inner().all(has_sum) {
                metric.spec.kind = MetricKind::Inclusive;
                let name = metric.spec.source.as_ref().unwrap_or(&metric.spec.name);
                found.push(name.clone());
            }
        }
        found
    }
}
