//! Facts about explanations.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ExplainedBy, MatchedBy};

/// Code of a fact about an explanation, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum ExplainFact {
    /// The metric of the lens does not matter.
    MetricIgnored {
        /// The metric.
        metric: String,
    },
    /// Clauses of the lens do not matter.
    ClausesIgnored {
        /// The clauses, as the lens has them.
        clauses: Vec<String>,
    },
    /// Causes were left out, as the question asked.
    CausesNotShown {
        /// Number of these causes.
        causes: u64,
        /// Number of causes.
        of: u64,
    },
    /// A run without the metric is left out.
    RunWithoutMetric {
        /// Name of the run.
        run: String,
        /// The metric.
        metric: String,
    },
    /// A view is missing.
    NoExplanation {
        /// The view.
        by: ExplainedBy,
        /// The data that a run does not have.
        reason: String,
    },
    /// There is no view by workers, because runs of one side have different numbers of workers.
    WorkersDiffer {
        /// A number of workers.
        a: u64,
        /// Another number of workers.
        b: u64,
    },
    /// Every run of one side has more grains of the definition than every run of the other.
    OtherGrains {
        /// Mean number of grains in a run of the baseline.
        a: f64,
        /// Mean number of grains in a run of the candidate.
        b: f64,
    },
    /// The definition has several names.
    OtherNames {
        /// The names, oldest first.
        names: Vec<String>,
        /// How the newest name was found to be the same definition.
        matched_by: Option<MatchedBy>,
    },
    /// Other definitions create the grains of the definition.
    OtherParents {
        /// Names of the definitions that create them in the baseline only.
        a: Vec<String>,
        /// Names of the definitions that create them in the candidate only.
        b: Vec<String>,
    },
    /// There is no view by ranks, because a side has no run with values by rank.
    NoValuesByRank,
}
