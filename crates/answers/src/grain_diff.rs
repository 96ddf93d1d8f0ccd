//! Differences of two runs or cohorts, grain by grain.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::choice::choice;
use crate::{EnvironmentChange, Format, GrainKind, MatchedBy, Note, Renamed, Side};

/// Answer of `diff --level grain`: one page of grains, and all definitions. Differences are candidate
/// minus baseline, B − A; grains are matched by path, through definitions that were renamed, and never tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GrainDiff {
    /// `grain-diff/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Baseline.
    pub a: Side,
    /// Candidate.
    pub b: Side,
    /// Unit of times: `ns` or `ticks`.
    pub unit: String,
    /// Parameters that differ between the sides.
    pub environment: Vec<EnvironmentChange>,
    /// All grains together.
    pub totals: GrainDiffGroup,
    /// Definitions, greatest change first.
    pub definitions: Vec<GrainDiffDefinition>,
    /// Definitions with other names on either side that were followed as one.
    pub renames: Vec<Renamed>,
    /// Things a reader must know.
    pub notes: Vec<Note>,
    /// Grains that were asked for, on all pages.
    pub total: u64,
    /// Grains left out before the first row.
    pub offset: u64,
    /// Grains, greatest change of work first, then by path key.
    pub rows: Vec<GrainDiffRow>,
}

/// The grains of one definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GrainDiffDefinition {
    /// Its name.
    pub definition: String,
    /// Id of the definition.
    pub group: String,
    /// Its grains.
    #[serde(flatten)]
    pub grains: GrainDiffGroup,
}

/// Some grains of both sides. Work is that of a mean run; a grain that a run has not counts as zero.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GrainDiffGroup {
    /// Distinct grains that both sides have.
    pub matched: u64,
    /// Distinct grains that only the baseline has.
    pub only_a: u64,
    /// Distinct grains that only the candidate has.
    pub only_b: u64,
    /// Grains of all runs of the baseline that cannot be matched: their path depends on the schedule or is
    /// not the only one of its run.
    pub unmatchable_a: u64,
    /// The same of the candidate.
    pub unmatchable_b: u64,
    /// All work of the baseline; absent where none of its grains has any that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<f64>,
    /// All work of the candidate; absent likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<f64>,
    /// b − a; those of definitions, and of grains with what cannot be matched, add up to that of all.
    pub delta: f64,
    /// Work of matched grains in the baseline.
    pub matched_work_a: f64,
    /// Work of matched grains in the candidate.
    pub matched_work_b: f64,
    /// Work of the grains that only the baseline has.
    pub only_work_a: f64,
    /// Work of the grains that only the candidate has.
    pub only_work_b: f64,
    /// Work of the grains of the baseline that cannot be matched.
    pub unmatchable_work_a: f64,
    /// Work of the grains of the candidate that cannot be matched.
    pub unmatchable_work_b: f64,
    /// Work of matched grains in B by that in A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_deviation: Option<f64>,
    /// Median over matched grains of work in B by work in A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_work_deviation: Option<f64>,
    /// Sum of lifetimes of matched grains in B by that in A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<f64>,
    /// Median over matched grains of lifetime in B by lifetime in A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_stretch: Option<f64>,
    /// Sum over matched grains of delay in B less delay in A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_change: Option<f64>,
}

/// A grain on both sides. Values are means over the runs of a side that have them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GrainDiffRow {
    /// Where it is in the structure of the run, as in `grains`.
    pub path: Vec<String>,
    /// Name of its definition.
    pub definition: String,
    /// Key of the path: 16 hexadecimal digits. The same in every run, unless the grain depends on the schedule.
    pub path_key: String,
    /// Kind of grain.
    pub kind: GrainKind,
    /// How it was found on the other side: by its path, or how definitions on its path with other names were found;
    /// absent when only one side has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<MatchedBy>,
    /// How sure that is, 0..1, where it was inferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_score: Option<f64>,
    /// Runs of the baseline that have it.
    pub runs_a: u32,
    /// Runs of the candidate that have it.
    pub runs_b: u32,
    /// Work in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<f64>,
    /// Work in the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<f64>,
    /// Change of the work of a mean run; runs that have not the grain count as zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// b / a.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_deviation: Option<f64>,
    /// Time from first begin to end in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime_a: Option<f64>,
    /// The same in the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime_b: Option<f64>,
    /// Lifetime in the candidate by that in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<f64>,
    /// Time from when it could run to its first begin in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_a: Option<f64>,
    /// The same in the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_b: Option<f64>,
    /// Delay in the candidate less that in the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_change: Option<f64>,
}

choice! {
    /// Which grains of a comparison.
    GrainMatch {
        /// All.
        All = "all",
        /// Those that both sides have.
        Matched = "matched",
        /// Those that one side has only.
        Unmatched = "unmatched",
    }
}

#[expect(
    clippy::derivable_impls,
    reason = "the macro that declares the enum derives no default"
)]
impl Default for GrainMatch {
    fn default() -> Self {
        Self::All
    }
}

/// Two sides, and which page of their grains.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct GrainDiffQuery {
    /// Text form of the lens, with a clause `diff A to B`; of its others, `where` counts.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// Form of the table of grains.
    pub format: Option<Format>,
    /// Which grains; all when missing.
    pub grains: Option<GrainMatch>,
    /// Grains left out before the first.
    pub offset: Option<usize>,
    /// Grains at most, 1 to 100,000; 1,000 when missing.
    pub limit: Option<usize>,
}
