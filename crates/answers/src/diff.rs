//! Differences of two runs or cohorts.

mod totals;

use serde::{Deserialize, Serialize};
use sheaf_model::{Direction, Scope};
use utoipa::ToSchema;

use crate::choice::choice;
use crate::{Note, ParamValue, Reason};

pub use totals::{DiffTotals, TotalChange};

choice! {
    /// The total of which a value is a share.
    ShareOf {
        /// The mean total of the baseline's runs.
        BaselineTotal = "baseline_total",
        /// The larger of both sides' mean totals, so that swapped sides agree.
        GreaterTotal = "greater_total",
    }
}

/// Answer of `diff`. Differences are candidate minus baseline, B − A.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Diff {
    /// `diff/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Baseline.
    pub a: Side,
    /// Candidate.
    pub b: Side,
    /// Metric.
    pub metric: String,
    /// Label, else name, that the source shows; missing if that is `metric`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Runs whose values are estimates, because a counter wrapped or took turns with others; missing where none is.
    #[serde(default, skip_serializing_if = "is_none")]
    pub estimated: u64,
    /// Scope of the values.
    pub scope: Scope,
    /// Unit of every value.
    pub unit: String,
    /// Which values are better.
    pub direction: Direction,
    /// Parameters that differ between the sides.
    pub environment: Vec<EnvironmentChange>,
    /// What appeared and vanished, and how much of the work was matched how.
    pub structure: StructureChange,
    /// The total of which impacts are shares.
    pub impact_of: ShareOf,
    /// Groups, greatest practical impact first.
    pub rows: Vec<DiffRow>,
    /// Totals, exact sums over the rows, each rounded once; `delta` is that of their deltas. Absent for metrics that do
    /// not add up, where no group was measured on both sides, and where sums are beyond the range of floats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<DiffTotals>,
    /// The verdict on the totals of the runs. Absent where there are no totals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<TotalChange>,
    /// Why times are not tested, when they are not; what the design cannot show.
    pub notes: Vec<Note>,
    /// Smallest p that the two sides' numbers of runs can reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_p: Option<f64>,
    /// Runs that each side needs before the test of any group can reach the level of 5 % at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_needed: Option<u64>,
    /// Runs that each side needs before one group alone can be significant among those tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_needed_among: Option<u64>,
    /// Groups that were tested.
    pub tested: u64,
}

/// One side of a diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Side {
    /// As the user named it.
    pub name: String,
    /// Ids of its runs.
    pub runs: Vec<String>,
}

/// A parameter that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EnvironmentChange {
    /// Parameter.
    pub parameter: String,
    /// Distinct values of the baseline's runs; empty when none has it.
    pub a: Vec<ParamValue>,
    /// Distinct values of the candidate's runs; empty when none has it.
    pub b: Vec<ParamValue>,
}

/// Differences of structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StructureChange {
    /// The verdict on the structure as a whole, apart from any time.
    pub verdict: StructureVerdict,
    /// Why.
    pub reason: Reason,
    /// Groups only in the candidate.
    pub appeared: u64,
    /// Groups only in the baseline.
    pub vanished: u64,
    /// Groups in both.
    pub common: u64,
    /// Share of the exclusive work of both sides, by how its contexts were matched.
    pub matched_work: MatchedWork,
    /// What happened, by definition; what concerns the greatest share of the work first.
    pub changes: Vec<StructuralChange>,
    /// What is on one side only and may be what is on the other side only, most alike first.
    pub possible_matches: Vec<CandidateMatch>,
}

/// Two contexts in the same place, on one side each, that are more alike than not: what must be edited to
/// make one of the other, with all that is below.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CandidateMatch {
    /// Path in the baseline.
    pub path_a: Vec<String>,
    /// Path in the candidate.
    pub path_b: Vec<String>,
    /// Contexts of the baseline, with all below.
    pub contexts_a: u64,
    /// Contexts of the candidate, with all below.
    pub contexts_b: u64,
    /// Contexts to delete, insert or rename, at least.
    pub edits: u64,
    /// One less the edits by the contexts of both, 0..1.
    pub similarity: f64,
    /// Definitions of the baseline's contexts that are gone.
    pub deleted: Vec<String>,
    /// Definitions of the candidate's contexts that are new.
    pub inserted: Vec<String>,
    /// Definitions of contexts that stand for each other, the baseline's first.
    pub renamed: Vec<[String; 2]>,
}

choice! {
    /// Kind of change of the contexts of a definition.
    ChangeKind {
        /// Only in the candidate, with all that is called there. Where both definitions are given, the baseline has
        /// the definition as well, and the candidate has it in more contexts.
        Appeared = "appeared",
        /// Only in the baseline, with all that is called there. Where both definitions are given, the candidate has
        /// the definition as well, and in fewer contexts.
        Vanished = "vanished",
        /// Another definition in the same place, with mostly the same below it.
        Renamed = "renamed",
        /// A context more around what was there.
        Wrapped = "wrapped",
        /// A context less around what is still there.
        Unwrapped = "unwrapped",
        /// Called from elsewhere.
        Moved = "moved",
        /// More or fewer grains in each run.
        Multiplied = "multiplied",
        /// Created before or after others below the same parent than it was; known of programs with grains only.
        Reordered = "reordered",
        /// Other contexts or numbers of grains on other numbers of threads.
        ThreadCountDependent = "thread_count_dependent",
        /// Other contexts or numbers of grains from run to run.
        Varies = "varies",
    }
}

/// One thing that happened, to all contexts of a definition that it happened to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StructuralChange {
    /// What happened.
    pub kind: ChangeKind,
    /// Name of the definition in the baseline, when it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition_a: Option<String>,
    /// Name of the definition in the candidate, when it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition_b: Option<String>,
    /// Line of the definition in the baseline, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_a: Option<i32>,
    /// Line of the definition in the candidate, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_b: Option<i32>,
    /// Path of the baseline's context with most work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_a: Option<Vec<String>>,
    /// Path of the candidate's context with most work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b: Option<Vec<String>>,
    /// Contexts of the baseline, those below one that vanished included.
    pub contexts_a: u64,
    /// Contexts of the candidate, those below one that appeared included.
    pub contexts_b: u64,
    /// Exclusive work of these contexts in a mean run of the baseline.
    pub work_a: f64,
    /// Exclusive work of these contexts in a mean run of the candidate.
    pub work_b: f64,
    /// Share of both in the work of both sides, 0..1.
    pub share: f64,
    /// Least and most grains of these contexts in a run of the baseline, where these are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grains_a: Option<[i64; 2]>,
    /// Least and most grains of these contexts in a run of the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grains_b: Option<[i64; 2]>,
    /// Runs of the baseline that have any of these contexts.
    pub runs_a: u64,
    /// Runs of the candidate that have any of these contexts.
    pub runs_b: u64,
    /// How two definitions were found to be the same, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<MatchedBy>,
    /// How sure that is, 0..1: twice the contexts that are paired by those of either definition (Dice), 1 where
    /// it was not inferred. It says nothing of names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How alike the names of the two definitions are, 0..1, where they are two: the greater of the letters that stay
    /// (Levenshtein) and of the words in common (Jaccard).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_similarity: Option<f64>,
}

choice! {
    /// Verdict on the structure of two sides.
    StructureVerdict {
        /// Every run has the same contexts, with the same numbers of grains where these are counted: not of call
        /// profiles, nor members of teams and chunks of loops, whose number is that of threads.
        Same = "same",
        /// The sides differ no more than runs of one side do.
        Varies = "varies",
        /// The same definitions in other contexts or numbers, on other numbers of threads.
        ThreadCountDependent = "thread_count_dependent",
        /// The program changed.
        Changed = "changed",
        /// Hardly any work is in common: these are different programs.
        Different = "different",
    }
}

impl StructureVerdict {
    /// Whether the program itself changed, rather than how it was run.
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Changed | Self::Different)
    }
}

choice! {
    /// How something was found on both sides, strictest first.
    MatchedBy {
        /// Its path is the same on both sides; of grains.
        Path = "path",
        /// A context of it occurs on both sides.
        Context = "context",
        /// It occurs on both sides, in different contexts.
        Definition = "definition",
        /// Its names differ only in what compilers add to them.
        Normalised = "normalised",
        /// Its names differ in template arguments, and neither side has another such name.
        Template = "template",
        /// The store's mapping states it.
        Confirmed = "confirmed",
        /// It was inferred from the contexts around and below it.
        Inferred = "inferred",
    }
}

/// Share of work per way of matching, 0..1; the parts add up to 1 unless there is no work at all.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct MatchedWork {
    /// Same context.
    pub context: f64,
    /// Same definition, in other contexts.
    pub definition: f64,
    /// Definitions that differ only in what compilers add to names.
    pub normalised: f64,
    /// Definitions that differ, besides, only in template arguments.
    pub template: f64,
    /// Definitions that the store's mapping says are the same.
    pub confirmed: f64,
    /// Definitions found to be the same by where they stand and what is below them.
    pub inferred: f64,
    /// Not matched.
    pub unmatched: f64,
}

choice! {
    /// Verdict on a group.
    Verdict {
        /// Only in the candidate.
        Appeared = "appeared",
        /// Only in the baseline.
        Vanished = "vanished",
        /// Significantly and noticeably better.
        Faster = "faster",
        /// Significantly and noticeably worse.
        Slower = "slower",
        /// The interval lies inside the threshold.
        Unchanged = "unchanged",
        /// Neither can be concluded.
        Inconclusive = "inconclusive",
        /// Too few runs or not comparable.
        Untestable = "untestable",
    }
}

impl Verdict {
    /// Whether the group got significantly better or worse.
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Faster | Self::Slower)
    }
}

/// One group of a diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DiffRow {
    /// Names from the outermost group, `before → after` where they differ, `name:7→12` where only lines do; one
    /// element except at context level.
    pub path: Vec<String>,
    /// Group id.
    pub group: String,
    /// Path in the baseline, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_a: Option<Vec<String>>,
    /// Path in the candidate, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b: Option<Vec<String>>,
    /// Line of the definition in the baseline, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_a: Option<i32>,
    /// Line of the definition in the candidate, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_b: Option<i32>,
    /// Group id in the baseline, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_a: Option<String>,
    /// Metric.
    pub metric: String,
    /// Mean over the baseline's runs in which it was measured, absent groups counting as zero for additive metrics;
    /// absent when the group occurs in none or was never measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<f64>,
    /// The same of the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<f64>,
    /// b − a; a side on which the group does not occur counts as zero. Absent if it was not measured on a side on which
    /// it occurs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// Practical impact: delta as a share of the baseline's total. A group is slower or faster when that share is
    /// at least 1 % (of a gate, `min_share`) of either side's total, so that swapped sides agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impact: Option<f64>,
    /// Typical ratio B/A (Hodges-Lehmann on logarithms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Distribution-free interval of the ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci: Option<[f64; 2]>,
    /// Typical difference B − A (Hodges-Lehmann), in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<f64>,
    /// Distribution-free interval of the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift_ci: Option<[f64; 2]>,
    /// Two-sided p of the exact, tie-aware rank-sum test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Benjamini-Hochberg q over the tested groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    /// Cliff's delta, −1..1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cliffs_delta: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: Reason,
    /// How it was matched; absent when it occurs on one side only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<MatchedBy>,
    /// How sure an inferred match is, 0..1: the `score` of its definitions in `structure.changes`, of several the least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_score: Option<f64>,
    /// What happened to the structure of its contexts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub structure: Vec<ChangeKind>,
    /// Runs of the baseline in which it occurs.
    pub runs_a: u64,
    /// Runs of the candidate in which it occurs.
    pub runs_b: u64,
    /// Values of the baseline that were compared: of runs that say something about the group, be
    /// it that it does not occur.
    pub n_a: u64,
    /// The same of the candidate.
    pub n_b: u64,
    /// Inclusive mean of the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclusive_a: Option<f64>,
    /// Inclusive mean of the candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclusive_b: Option<f64>,
    /// Whether it was measured outside of every region, as Caliper's records without a path are: no part of what
    /// shares and impacts are of.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside: bool,
}

impl DiffRow {
    /// Means of baseline and candidate.
    pub const fn means(&self) -> [Option<f64>; 2] {
        [self.a, self.b]
    }
}

/// Answer of `match`: what the store's mapping says of definitions of different versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Mapping {
    /// `mapping/1`
    pub schema: String,
    /// Pairs of definitions, in the order of the file.
    pub pairs: Vec<MappedPair>,
    /// What has no effect on any comparison, or cannot all hold, and what to do.
    pub notes: Vec<Note>,
    /// Changes that take back what was just changed, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<MappingChange>,
}

/// What the user says of two definitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MappedPair {
    /// Name or id of a definition.
    pub a: String,
    /// Name or id of another.
    pub b: String,
    /// Whether they are compared as one; they never are otherwise.
    pub same: bool,
    /// A remark for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A change of one pair of the mapping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MappingChange {
    /// Name or id of a definition.
    pub a: String,
    /// Name or id of another.
    pub b: String,
    /// Whether they are compared as one from now on; absent removes the pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same: Option<bool>,
    /// A remark for people; absent keeps that of the pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Changes of a store's mapping: all are made, or none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MappingRequest {
    /// Name of the store; the first when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// The changes, in their order.
    pub changes: Vec<MappingChange>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
const fn is_none(count: &u64) -> bool {
    *count == 0
}
