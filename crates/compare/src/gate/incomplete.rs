//! Candidates whose programs ended early fail, whatever their times are.

use sheaf_answers::{Gate, GateOutcome, Reason, Verdict};

use crate::diff::Comparison;

/// Fails a gate because runs of the candidate are incomplete; `reason` states how many.
pub fn failed_as_incomplete(gate: &mut Gate, reason: Reason) {
    // A gate that passed gives reasons to pass.
    if gate.outcome == GateOutcome::Passed {
        gate.reasons.clear();
    }
    gate.outcome = GateOutcome::Failed;
    gate.reasons.insert(0, reason.clone());
    gate.incomplete = Some(reason);
}

/// Fails a gate because every run of the candidate is incomplete: nothing else is a reason.
pub fn decided_by_nothing(gate: &mut Gate, reason: Reason) {
    gate.reasons.clear();
    gate.structure_change = None;
    gate.runs_needed = None;
    failed_as_incomplete(gate, reason);
}

impl Comparison {
    /// Takes back every verdict, because the values of one side mean nothing.
    #[must_use]
    pub fn without_verdicts(mut self, reason: &Reason) -> Self {
        for row in &mut self.answer.rows {
            row.verdict = Verdict::Untestable;
            row.reason.clone_from(reason);
            (row.p, row.q, row.cliffs_delta) = (None, None, None);
            (row.ratio, row.ci) = (None, None);
            (row.shift, row.shift_ci) = (None, None);
        }
        self.answer.tested = 0;
        self.answer.runs_needed_among = None;
        self.untested = Some(reason.clone());
        self
    }
}
