//! Whether a candidate may pass.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::choice::choice;
use crate::{Diff, Format, Reason, ShareOf};

/// Answer of `gate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Gate {
    /// `gate/1`
    pub schema: String,
    /// What becomes of the candidate.
    pub outcome: GateOutcome,
    /// Why, most important first.
    pub reasons: Vec<Reason>,
    /// The limits that were asked for.
    pub limits: GateLimits,
    /// The whole run; absent where there is nothing to judge, as for metrics that do not add up, and where it
    /// cannot be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<GateTotal>,
    /// Why the whole run cannot be judged: the gate does not pass then. Absent where it is judged, and where there
    /// is nothing to judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untested_total: Option<Reason>,
    /// The elapsed time of the runs: they can take longer with the same work. Absent unless the metric is the work of
    /// grains and both sides have elapsed times of at least two runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<GateElapsed>,
    /// How many runs of the candidate are incomplete, for which the gate fails; absent when none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Reason>,
    /// What changed in structure; absent when nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure_change: Option<Reason>,
    /// Runs per side from which on a single changed group among those that matter can be found, or the whole run be
    /// judged where no group is undecided; absent when the present runs suffice, and where no number would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_needed: Option<u64>,
    /// Every group: what fails first, then what is undecided, then the rest.
    pub groups: Vec<GateGroup>,
    /// The comparison that the gate judges.
    pub diff: Diff,
}

choice! {
    /// Outcome of a gate for a candidate.
    GateOutcome {
        /// Nothing that matters got worse.
        Passed = "passed",
        /// Something that matters got worse.
        Failed = "failed",
        /// Nothing got significantly worse, but these runs do not decide about everything that matters.
        Inconclusive = "inconclusive",
    }
}

choice! {
    /// Cause for which a gate fails.
    GateCause {
        /// A group is significantly and noticeably slower.
        Slower = "slower",
        /// The structure of the program changed.
        Structure = "structure",
    }
}

/// Limits of a gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GateLimits {
    /// Share of false alarms.
    pub alpha: f64,
    /// Relative change for the worse above which a group is a regression.
    pub max_regression: f64,
    /// Least change that matters, as a share of the larger total.
    pub min_share: f64,
    /// The total of which `min_share` and the groups' `share` are shares.
    pub share_of: ShareOf,
    /// What fails the gate.
    pub fail_on: Vec<GateCause>,
    /// Whether what is inconclusive does not pass.
    pub is_strict: bool,
    /// Groups with a limit of their own.
    pub thresholds: u64,
}

choice! {
    /// Verdict of a gate on a group.
    GateState {
        /// Significantly worse, and beyond its limit.
        Failed = "failed",
        /// It could be worse than its limit; these runs do not decide it.
        Undecided = "undecided",
        /// It is not worse than its limit.
        Passed = "passed",
        /// Too small to matter, whatever its change.
        Small = "small",
        /// The gate does not ask what is slower.
        NotAsked = "not_asked",
    }
}

/// The whole run of candidate against baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GateTotal {
    /// What the gate says.
    pub state: GateState,
    /// Relative change for the worse.
    pub regression: f64,
    /// Typical ratio B/A (Hodges-Lehmann) of whole runs.
    pub ratio: f64,
    /// Distribution-free interval of the ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci: Option<[f64; 2]>,
    /// Two-sided p of the exact, tie-aware rank-sum test.
    pub p: f64,
}

/// The elapsed time of candidate against baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GateElapsed {
    /// Mean over the baseline's runs, in the unit of the metric.
    pub a: f64,
    /// Mean over the candidate's runs.
    pub b: f64,
    /// Decision, change and test.
    pub change: GateTotal,
}

/// One group of a gate; its numbers are in the row of the same group of `diff`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GateGroup {
    /// Names from the outermost group.
    pub path: Vec<String>,
    /// Group id.
    pub group: String,
    /// Place of its row in the rows of `diff`, from 0.
    pub row: u64,
    /// What the gate says.
    pub state: GateState,
    /// Relative change for the worse above which it fails.
    pub limit: f64,
    /// Relative change for the worse: 0.1 is a tenth slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regression: Option<f64>,
    /// Greater of its two means as a share of the larger total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Why.
    pub reason: Reason,
}

/// A gate: a lens with its `diff` clause, and the limits.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GateQuery {
    /// Text form of the lens, with `diff BASELINE to CANDIDATE`.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of the table of groups.
    pub format: Option<Format>,
    /// Relative change for the worse above which a group is a regression, from 0, below 1; 0.05
    /// when missing.
    pub max_regression: Option<f64>,
    /// Least change that matters, as a share of the larger total, from 0, below 1; 0.01 when missing.
    pub min_share: Option<f64>,
    /// Share of false alarms, above 0 and below 1; 0.05 when missing.
    pub alpha: Option<f64>,
    /// `slower`, `structure`, or both with a comma between; `slower` when missing.
    pub fail_on: Option<String>,
    /// Whether what is inconclusive does not pass; `false` when missing.
    pub strict: Option<bool>,
}
