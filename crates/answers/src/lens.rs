//! The lens on the wire.

use serde::{Deserialize, Serialize};
use sheaf_model::{Level, Scope};
use utoipa::ToSchema;

/// Answer of `lens`: a text form, checked and in canonical form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LensAnswer {
    /// `lens/1`
    pub schema: String,
    /// Canonical text.
    pub text: String,
    /// Its clauses, in order.
    pub clauses: Vec<LensClause>,
    /// Expression that chooses runs.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub runs: Option<String>,
    /// Parameters that form cohorts.
    pub by: Vec<String>,
    /// Level of the groups.
    pub level: Level,
    /// Metric.
    pub metric: String,
    /// Scope of the values.
    pub scope: Scope,
    /// How locations become one value per run.
    pub over: String,
    /// Share of the root below which groups are collected, 0..1.
    pub below: f64,
    /// Bins of histograms.
    pub bins: u32,
    /// Changes to the super graph, as clauses.
    pub operations: Vec<String>,
    /// Target run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Baseline and candidate of a diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<[String; 2]>,
    /// What is wrong, when the text is not a lens; the rest is then the default lens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<LensFault>,
}

/// One clause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LensClause {
    /// First word.
    pub keyword: String,
    /// Whole clause.
    pub text: String,
}

/// Where and why a text is not a lens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LensFault {
    /// Character, from 1.
    pub position: u32,
    /// What was expected or is wrong.
    pub message: String,
}
