//! Shifts that numbers of runs can show, simulated once for each.

use std::collections::BTreeMap;

use sheaf_statistics::detectable_shift;

use super::NoiseOptions;

/// What was simulated so far: cohorts mostly have the same numbers of runs.
#[derive(Default)]
pub(super) struct Shifts {
    known: BTreeMap<(usize, u64), Option<f64>>,
}

impl Shifts {
    /// The shift in standard deviations that so many runs against as many can show at `alpha`.
    pub(super) fn of(&mut self, runs: usize, alpha: f64, options: &NoiseOptions) -> Option<f64> {
        *self
            .known
            .entry((runs, alpha.to_bits()))
            .or_insert_with(|| detectable_shift(runs, runs, alpha, options.power, options.seed))
    }
}
