//! Totals of the two sides of a diff.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Verdict;
use crate::Reason;

/// Totals of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DiffTotals {
    /// Mean total of the baseline's runs.
    pub a: f64,
    /// Mean total of the candidate's runs.
    pub b: f64,
    /// b − a.
    pub delta: f64,
}

/// The change of the totals of runs, tested as a group is: the sum of the exclusive values of a run is one value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TotalChange {
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// Typical ratio B/A (Hodges-Lehmann on logarithms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Distribution-free interval of the ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci: Option<[f64; 2]>,
    /// Typical difference B − A (Hodges-Lehmann).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<f64>,
    /// Distribution-free interval of the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift_ci: Option<[f64; 2]>,
    /// p of the rank-sum test. It is the only test of totals, so that it is not corrected for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Runs of the baseline in which every group was measured.
    pub n_a: u64,
    /// Runs of the candidate in which every group was measured.
    pub n_b: u64,
}
