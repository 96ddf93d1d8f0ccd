//! Candidates whose programs ended early fail, whatever their times are.

use super::{GateAnswer, GateOutcome};
use crate::diff::{DiffAnswer, Verdict};

impl GateAnswer {
    /// Fails the gate because runs of the candidate are incomplete; `reason` says how many.
    #[must_use]
    pub fn failed_as_incomplete(mut self, reason: String) -> Self {
        // A gate that passed gives reasons to pass.
        if self.outcome == GateOutcome::Passed {
            self.reasons.clear();
        }
        self.outcome = GateOutcome::Failed;
        self.reasons.insert(0, reason.clone());
        self.incomplete = Some(reason);
        self
    }

    /// Fails the gate because every run of the candidate is incomplete: nothing else is a reason.
    #[must_use]
    pub fn decided_by_nothing(mut self, reason: String) -> Self {
        self.reasons.clear();
        self.structure_change = None;
        self.runs_needed = None;
        self.failed_as_incomplete(reason)
    }
}

impl DiffAnswer {
    /// Takes back every verdict, because the values of one side mean nothing.
    #[must_use]
    pub fn without_verdicts(mut self, reason: &str) -> Self {
        for row in &mut self.rows {
            row.verdict = Verdict::Untestable;
            reason.clone_into(&mut row.reason);
            (row.p, row.q, row.cliffs_delta) = (None, None, None);
            (row.ratio, row.interval) = (None, None);
            (row.shift, row.shift_interval) = (None, None);
        }
        self.tested = 0;
        self.runs_needed_among = None;
        self.untested = Some(reason.to_owned());
        self
    }
}
