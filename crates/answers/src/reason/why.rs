//! Codes of reasons, with their values.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::choice::choice;
use crate::{ChangeKind, Reason};

choice! {
    /// A side of a comparison.
    WhichSide {
        /// The baseline.
        Baseline = "baseline",
        /// The candidate.
        Candidate = "candidate",
    }
}

impl WhichSide {
    /// The side with this number: 0 is the baseline.
    pub const fn of(side: usize) -> Self {
        match side {
            0 => Self::Baseline,
            _ => Self::Candidate,
        }
    }
}

/// A relative change, with what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TypicalChange {
    /// Candidate against baseline: 0.1 is a tenth more.
    pub change: f64,
    /// Whether it is the typical difference as a share of the larger mean, because not all values are positive.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_larger_mean: bool,
    /// Whether `change` is the difference of the means by the longer elapsed time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_elapsed: bool,
    /// Its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Coverage of the interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<f64>,
    /// Runs of the baseline that were compared.
    pub runs_a: u64,
    /// Runs of the candidate that were compared.
    pub runs_b: u64,
    /// Its q, if it was tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    /// Its share of the baseline's total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impact: Option<f64>,
}

/// Definitions that one thing happened to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangeCount {
    /// Kind of change.
    pub kind: ChangeKind,
    /// Whether both sides have the definitions.
    pub on_both_sides: bool,
    /// Number of definitions.
    pub definitions: u64,
    /// Number of these that are below another to which the same happened.
    pub below: u64,
}

/// Different numbers of workers, threads or ranks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WidthChange {
    /// Name of the counted things: workers, threads or ranks.
    pub of: String,
    /// The numbers of both sides.
    pub numbers: String,
}

choice! {
    /// Which grains are counted in the comparison of structures.
    CountedGrains {
        /// None: the runs are call profiles.
        None = "none",
        /// All.
        All = "all",
        /// All but members of teams and chunks of loops, whose number depends on the threads.
        NotOfTeams = "not_of_teams",
    }
}

/// Code of a reason, with its values. `text/reason.rs` makes the sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum Why {
    /// A group occurs in no run.
    InNoRun,
    /// A group occurs in the candidate only.
    Appeared {
        /// Runs of the baseline.
        runs_a: u64,
        /// Runs of the candidate in which it occurs.
        in_b: u64,
        /// Runs of the candidate.
        runs_b: u64,
        /// The metric, if it was not measured there.
        #[serde(skip_serializing_if = "Option::is_none")]
        unmeasured: Option<String>,
    },
    /// A group occurs in the baseline only.
    Vanished {
        /// Runs of the baseline in which it occurs.
        in_a: u64,
        /// Runs of the baseline.
        runs_a: u64,
        /// Runs of the candidate.
        runs_b: u64,
        /// The metric, if it was not measured there.
        #[serde(skip_serializing_if = "Option::is_none")]
        unmeasured: Option<String>,
    },
    /// Both sides are the same runs.
    SameRuns,
    /// The metric of a group was not measured.
    NotMeasured {
        /// The metric.
        metric: String,
        /// The side; absent for both.
        #[serde(skip_serializing_if = "Option::is_none")]
        side: Option<WhichSide>,
    },
    /// A side has one run.
    SingleRun {
        /// Runs of the baseline.
        runs_a: u64,
        /// Runs of the candidate.
        runs_b: u64,
    },
    /// Some runs are on both sides.
    RunsOnBothSides {
        /// Number of these runs.
        runs: u64,
    },
    /// Nothing is tested because the sides have runs in common.
    CommonRuns {
        /// Number of these runs.
        runs: u64,
    },
    /// Times of a group with different numbers of workers are not tested.
    OtherWidth,
    /// Times are not tested because the sides ran with different numbers of workers, threads or ranks.
    SidesOfOtherWidth(WidthChange),
    /// Times of versions with different numbers of workers, threads or ranks are not tested.
    VersionsOfOtherWidth(WidthChange),
    /// All values are equal.
    AllEqual {
        /// Number of values.
        values: u64,
    },
    /// A side has no run with a value.
    NoRuns {
        /// Runs of the baseline.
        runs_a: u64,
        /// Runs of the candidate.
        runs_b: u64,
    },
    /// The numbers of runs cannot reach the level, whatever the values are.
    TooFewRuns {
        /// Runs of the baseline.
        runs_a: u64,
        /// Runs of the candidate.
        runs_b: u64,
        /// The level.
        alpha: f64,
        /// Smallest p that they can reach.
        #[serde(skip_serializing_if = "Option::is_none")]
        smallest_p: Option<f64>,
        /// Runs per side that can reach the level.
        #[serde(skip_serializing_if = "Option::is_none")]
        needed: Option<u64>,
    },
    /// The numbers of runs cannot show a change of one part alone, because several parts are tested.
    TooFewRunsForParts {
        /// Runs of the baseline.
        runs_a: u64,
        /// Runs of the candidate.
        runs_b: u64,
        /// The level.
        alpha: f64,
        /// Parts that are tested.
        tested: u64,
        /// Smallest q that one part can reach if no other part differs.
        smallest_q: f64,
        /// Runs per side that can reach the level.
        #[serde(skip_serializing_if = "Option::is_none")]
        needed: Option<u64>,
    },
    /// There is no typical change.
    NoTypicalChange,
    /// A significant and noticeable change.
    Changed {
        /// The change.
        change: TypicalChange,
    },
    /// The interval lies inside the threshold.
    WithinThreshold {
        /// The change.
        change: TypicalChange,
        /// The threshold.
        threshold: f64,
    },
    /// The group is too small to be tested.
    TooSmallToTest {
        /// The change.
        change: TypicalChange,
        /// Share of the work.
        share: f64,
        /// Smallest share that is tested.
        min_share: f64,
    },
    /// q is above the level.
    NotSignificant {
        /// The change.
        change: TypicalChange,
        /// The level.
        alpha: f64,
    },
    /// The interval contains no change.
    IntervalContainsNone {
        /// The change.
        change: TypicalChange,
    },
    /// The change is significant, but not above the threshold.
    BelowThreshold {
        /// The change; absent in histories.
        #[serde(skip_serializing_if = "Option::is_none")]
        change: Option<TypicalChange>,
        /// The threshold.
        threshold: f64,
    },
    /// The change is significant, but too little of the larger total.
    TooLittleOfTotal {
        /// The change; absent in histories.
        #[serde(skip_serializing_if = "Option::is_none")]
        change: Option<TypicalChange>,
        /// Smallest share of the larger total that matters.
        min_share: f64,
    },
    /// The value changed, and neither way is worse for the metric.
    NeitherWayIsWorse {
        /// The change; absent in histories.
        #[serde(skip_serializing_if = "Option::is_none")]
        change: Option<TypicalChange>,
    },
    /// Loops of a region were recorded on one side only, so that their time is the region's on the other.
    LoopsOnOneSide {
        /// The side that has them.
        side: WhichSide,
    },
    /// A loop was recorded on one side only.
    LoopOnOneSide {
        /// The side that has it.
        side: WhichSide,
    },
    /// Constructs may have changed places: which of them are the same is not known.
    MayHaveChangedPlaces {
        /// The construct of the candidate.
        construct: String,
        /// The construct of the baseline that has its iterations, grains or work.
        other: String,
    },
    /// Runs of a side are incomplete.
    IncompleteRuns {
        /// Number of incomplete runs.
        incomplete: u64,
        /// Number of runs.
        runs: u64,
        /// The side; absent if there are no sides.
        #[serde(skip_serializing_if = "Option::is_none")]
        side: Option<WhichSide>,
    },
    /// The gate does not ask what is slower.
    NotAsked {
        /// Reason of the verdict.
        #[schema(no_recursion)]
        reason: Box<Reason>,
    },
    /// The group is slower, within its own limit.
    WithinOwnLimit {
        /// Reason of the verdict.
        #[schema(no_recursion)]
        reason: Box<Reason>,
    },
    /// The group is too small to matter.
    TooSmallToMatter {
        /// Reason of the verdict.
        #[schema(no_recursion)]
        reason: Box<Reason>,
    },
    /// The interval excludes a regression.
    RegressionExcluded {
        /// Reason of the verdict.
        #[schema(no_recursion)]
        reason: Box<Reason>,
    },
    /// The largest possible regression is too little of the run.
    TooLittleOfRun {
        /// Reason of the verdict.
        #[schema(no_recursion)]
        reason: Box<Reason>,
    },
    /// The whole run is slower.
    WholeRunSlower,
    /// Groups are slower.
    GroupsSlower {
        /// Number of groups.
        groups: u64,
    },
    /// Groups are undecided.
    GroupsUndecided {
        /// Number of groups.
        groups: u64,
    },
    /// The whole run is undecided.
    WholeRunUndecided,
    /// The runs take longer.
    ElapsedLonger,
    /// The elapsed time is undecided.
    ElapsedUndecided,
    /// The whole run is not judged.
    WholeRunNotJudged {
        /// Why it is not.
        #[schema(no_recursion)]
        reason: Box<Reason>,
    },
    /// Nothing that matters is slower.
    NothingSlower,
    /// The gate was not asked to check for slower groups.
    SlowerNotAsked,
    /// The structure changed.
    StructureChanged {
        /// Description of the change.
        #[schema(no_recursion)]
        reason: Box<Reason>,
    },
    /// The structure did not change.
    StructureUnchanged {
        /// Description of the comparison.
        #[schema(no_recursion)]
        reason: Box<Reason>,
    },
    /// Most of the work occurs on one side only: the programs are different.
    WorkOnOneSide {
        /// Share of that work.
        share: f64,
    },
    /// Definitions changed.
    DefinitionsChanged {
        /// Changes, by kind.
        changes: Vec<ChangeCount>,
        /// Whether a side has one run, which cannot show what varies from run to run.
        one_run: bool,
    },
    /// Definitions have other contexts or numbers of grains with other numbers of threads.
    DependsOnThreads {
        /// Number of definitions.
        definitions: u64,
        /// How the sides were run, if it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        width: Option<WidthChange>,
        /// Whether a side has one run, which cannot show what varies from run to run.
        one_run: bool,
    },
    /// Definitions have other contexts or numbers of grains from run to run.
    VariesFromRunToRun {
        /// Number of definitions.
        definitions: u64,
    },
    /// Every run has the same structure.
    SameStructure {
        /// Which grains are counted.
        counted: CountedGrains,
        /// How the sides were run, if it differs.
        #[serde(skip_serializing_if = "Option::is_none")]
        width: Option<WidthChange>,
    },
    /// Neither way is worse for the metric, so that nothing can be slower.
    NothingCanBeSlower {
        /// The metric.
        metric: String,
    },
    /// No group occurs on both sides.
    NoCommonGroup,
    /// The metric was not measured in all runs of some groups.
    NotMeasuredInAllRuns {
        /// The metric.
        metric: String,
        /// The groups.
        groups: Vec<String>,
    },
    /// There are no totals.
    NoTotals,
    /// Not all values are positive, so that there is no typical ratio.
    NoTypicalRatio,
    /// A metric is a mean or an extreme over ranks, which does not show the total work, so that the kind of scaling is
    /// not known.
    KindOfScalingUnknown {
        /// The metric.
        metric: String,
    },
}
