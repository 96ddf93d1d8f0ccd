//! Why something cannot be had of a run.

/// Why something cannot be had of a run: a plain sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct AbsenceReason {
    reason: String,
}

impl AbsenceReason {
    /// Absent for the given reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}
