//! The lens on the wire.

use serde::{Deserialize, Serialize};
use sheaf_model::{Compare, Lens, Level, LocationAggregate, Scope};
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
    pub over: LocationAggregate,
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

impl LensAnswer {
    /// A text read as a lens.
    pub fn of(text: &str) -> Self {
        let (lens, fault) = match text.parse::<Lens>() {
            Ok(lens) => (lens, None),
            Err(error) => {
                let fault = LensFault {
                    position: u32::try_from(error.position).unwrap_or(u32::MAX),
                    message: error.reason,
                };
                (Lens::default(), Some(fault))
            }
        };
        let clauses = lens.clauses();
        let is_operation = |keyword: &str| matches!(keyword, "split" | "reveal" | "focus" | "hide");
        let operations = clauses.iter().filter(|clause| is_operation(clause.keyword));
        let (target, diff) = match &lens.compare {
            Compare::None => (None, None),
            Compare::Target(run) => (Some(run.0.clone()), None),
            Compare::Diff { a, b } => (None, Some([a.0.clone(), b.0.clone()])),
        };
        Self {
            schema: "lens/1".to_owned(),
            text: lens.to_string(),
            operations: operations.map(|clause| clause.text.clone()).collect(),
            runs: lens.runs.as_ref().map(ToString::to_string),
            over: lens.over,
            by: lens.by,
            level: lens.level,
            metric: lens.metric,
            scope: lens.scope,
            below: lens.hide_below,
            bins: lens.bins,
            target,
            diff,
            fault,
            clauses: clauses
                .into_iter()
                .map(|clause| LensClause {
                    keyword: clause.keyword.to_owned(),
                    text: clause.text,
                })
                .collect(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_lens_has_a_fault_and_defaults() {
        let answer = LensAnswer::of("level modul");
        assert_eq!(answer.level, Level::Definition);
        assert_eq!(answer.fault.unwrap().position, 7);
        let answer = LensAnswer::of("hide x | target y");
        assert_eq!(answer.operations, ["hide \"x\""]);
        assert_eq!(answer.target.as_deref(), Some("y"));
    }
}
