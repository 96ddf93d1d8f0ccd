//! Cost of the imbalance of loops.

use super::Evaluation;
use super::balance::{size, worker_sums};

/// One loop instance: how much the members of its team worked for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LoopImbalance {
    /// Work of the member that worked longest.
    pub(crate) largest: i64,
    /// Mean work of the members of the team, those without a chunk included.
    pub(crate) mean: f64,
}

impl LoopImbalance {
    /// Elapsed time that a loop of the same work would take less if all members worked equally long.
    pub(crate) fn cost(&self) -> f64 {
        (self.largest as f64 - self.mean).max(0.0)
    }
}

impl Evaluation<'_> {
    /// Calls `each` with the chunks of every loop instance and its imbalance; those of which work or workers are not
    /// known are left out. n log n in the chunks.
    pub(crate) fn loop_imbalances(&self, mut each: impl FnMut(&[u32], LoopImbalance)) {
        for (team, chunks) in self.loops().iter() {
            let Some(sums) = worker_sums(self, chunks) else {
                continue;
            };
            let with_chunks = i64::try_from(sums.len()).unwrap_or(i64::MAX);
            let members = size(self, team).unwrap_or(0).max(with_chunks);
            let total: i128 = sums.iter().map(|&sum| i128::from(sum)).sum();
            let Some(&largest) = sums.last().filter(|_| members > 0) else {
                continue;
            };
            let mean = total as f64 / members as f64;
            each(chunks, LoopImbalance { largest, mean });
        }
    }
}
