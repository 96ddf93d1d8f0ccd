//! What is known of a row where a side was not measured.

use super::DiffRow;

impl DiffRow {
    /// The difference, where it is known: a side on which the group occurs has a mean where it was measured there.
    pub fn known_delta(&self) -> Option<f64> {
        let is_known = |runs: u64, mean: Option<f64>| runs == 0 || mean.is_some();
        let both = is_known(self.runs_a, self.a) && is_known(self.runs_b, self.b);
        both.then_some(self.delta)
    }
}
