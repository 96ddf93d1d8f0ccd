//! Difference of two sets of runs, group by group: how large, how sure, where it comes from.
//!
//! Differences are candidate minus baseline, B − A, of exclusive values, so that they conserve:
//! for an additive metric the delta of the totals is the exact sum of the deltas of all rows,
//! appeared and vanished groups included, rounded once ([`exact_sum`](sheaf_statistics::exact_sum)),
//! in whatever order they come. Means of groups that every run has are those of `stats`, bit for
//! bit: how great one group is takes no digits from another.
//!
//! Swapping the sides negates every delta bit for bit and swaps the verdicts; ratios become their
//! reciprocals up to rounding. The order of runs within a side does not matter.

mod changes;
mod environment;
mod functions;
mod grouped;
mod iterations;
mod ladder;
mod matching;
mod names;
mod naming;
mod order;
mod possible;
mod rows;
mod shape;
mod structure;
#[cfg(test)]
mod tests;
mod unmeasured;
mod unrecorded;
mod verdict;
mod versions;
mod width;

use sheaf_model::{DefinitionId, ParamValue, RunId, RunMeta};

use sheaf_analysis::Metric;
use sheaf_analysis::Reading;
use sheaf_statistics::{runs_needed, runs_needed_among};

pub use environment::changes as environment_changes;
pub(crate) use functions::number_as_newest;
pub use grouped::{CreationOrders, DiffSelection, IterationCounts, finish_diff};
pub use iterations::{ITERATION_COLUMNS, Iterations, iterations};
pub use naming::both_names;
pub(crate) use naming::{names_among, path as path_with};
pub use order::{CREATION_COLUMNS, Creations, creation_order};
pub use structure::{
    ChangeKind, Correspondence, DiffContext, DiffDefinition, Mapping, MatchedBy, MatchedWork,
    PossibleMatch, StructuralChange, StructureChange, StructureVerdict,
};
pub(crate) use unmeasured::{is_in_part, named};
pub(crate) use verdict::{share_of_greater, too_little};
pub(crate) use versions::{links as rename_links, step as structural_step};
pub(crate) use width::Width;

/// One side of a diff.
#[derive(Debug, Clone)]
pub struct DiffSide<'a> {
    /// As the user named it.
    pub name: String,
    /// Its runs; readings are parallel to them. A run may be on both sides.
    pub runs: Vec<&'a RunMeta>,
}

/// A group with its value in every run.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffGroup {
    /// Group id.
    pub id: String,
    /// Names from the outermost group, as the baseline and as the candidate has them.
    pub paths: [Vec<String>; 2],
    /// Line of its definition on either side, when it has one.
    pub lines: [Option<i32>; 2],
    /// Definition that the path ends in; given at context level only, where it lets contexts that
    /// moved be paired.
    pub definition: Option<DefinitionId>,
    /// Whether it was measured outside of every region: no part of what shares are of.
    pub is_outside: bool,
    /// Why its values are not compared, if they are not.
    pub incomparable: Option<String>,
    /// Exclusive values in the baseline's runs and in the candidate's.
    pub exclusive: [Vec<Reading>; 2],
    /// Inclusive values in the baseline's runs and in the candidate's.
    pub inclusive: [Vec<Reading>; 2],
}

/// What is compared.
#[derive(Debug, Clone)]
pub struct DiffInput<'a> {
    /// Baseline and candidate.
    pub sides: [DiffSide<'a>; 2],
    /// The metric of all readings.
    pub metric: Metric,
    /// Groups of both sides, in a defined order.
    pub groups: Vec<DiffGroup>,
    /// Contexts of both sides, in pre-order.
    pub contexts: Vec<DiffContext>,
    /// Definitions of both sides, in a defined order.
    pub definitions: Vec<DiffDefinition>,
    /// What the user says of definitions.
    pub mapping: Mapping,
}

/// What counts as a difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffOptions {
    /// Share of false alarms, for intervals and q-values.
    pub alpha: f64,
    /// Relative change below which a group counts as unchanged.
    pub threshold: f64,
    /// Least change that matters, as a share of the greater total: its impact must reach this whichever side is
    /// the baseline, so that swapped sides agree.
    pub least_impact: f64,
    /// Groups below this share of the work of both sides together are not tested, so that the
    /// others can reach significance. The share does not depend on which run is on which side
    /// (independent filtering, Bourgon, Gentleman & Huber 2010).
    pub least_share: f64,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            threshold: 0.05,
            least_impact: 0.01,
            least_share: 0.001,
        }
    }
}

/// Answer of [`diff`].
#[derive(Debug, Clone, PartialEq)]
pub struct DiffAnswer {
    /// Names of baseline and candidate, with the ids of their runs.
    pub sides: [(String, Vec<RunId>); 2],
    /// The metric.
    pub metric: Metric,
    /// Parameters that differ between the sides.
    pub environment: Vec<EnvironmentChange>,
    /// What appeared and vanished, and how much of the work was matched how.
    pub structure: StructureChange,
    /// Groups, greatest change first.
    pub rows: Vec<DiffRow>,
    /// Totals; absent for metrics that do not add up, where no group was measured on both sides, and where sums
    /// are beyond the range of floats.
    pub totals: Option<DiffTotals>,
    /// The same without values outside of every region. Shares refer to these totals.
    pub inside: Option<DiffTotals>,
    /// Why times are not tested, when they are not; what the design cannot show.
    pub notes: Vec<String>,
    /// Why no values of these sides may be tested, however many runs there are: times with different numbers of
    /// workers, or runs in common.
    pub untested: Option<String>,
    /// Smallest p that the numbers of runs can reach; absent when a side has no run.
    pub smallest_p: Option<f64>,
    /// Runs that each side needs before the test of any group can reach the level at all.
    pub runs_needed: Option<usize>,
    /// Runs that each side needs before one group alone can be significant among those tested;
    /// absent when none is.
    pub runs_needed_among: Option<usize>,
    /// Groups that were tested.
    pub tested: usize,
}

/// A parameter that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct EnvironmentChange {
    /// Parameter.
    pub parameter: String,
    /// Distinct values of the baseline's runs and of the candidate's, in order; empty when none
    /// has it.
    pub values: [Vec<ParamValue>; 2],
}

/// What can be said of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Only in the candidate.
    Appeared,
    /// Only in the baseline.
    Vanished,
    /// Significantly and noticeably better.
    Faster,
    /// Significantly and noticeably worse.
    Slower,
    /// The interval lies inside the threshold.
    Unchanged,
    /// Neither can be said.
    Inconclusive,
    /// Too few runs or not comparable.
    Untestable,
}

impl Verdict {
    /// Whether it says that a group surely got better or worse.
    pub const fn is_change(self) -> bool {
        matches!(self, Self::Faster | Self::Slower)
    }
}

/// One group of a diff.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffRow {
    /// Names from the outermost group; `before → after` where they differ, `name:7→12` where only lines do.
    pub path: Vec<String>,
    /// Group id.
    pub group: String,
    /// Id of the baseline's group, where it is another than the candidate's.
    pub baseline: Option<String>,
    /// Names in the baseline and in the candidate; of a group of one side the names there.
    pub paths: [Vec<String>; 2],
    /// Line of its definition on either side, when it has one.
    pub lines: [Option<i32>; 2],
    /// What happened to the structure of its contexts, in order of kinds.
    pub structure: Vec<ChangeKind>,
    /// Means over the runs of baseline and candidate in which it was measured, absent counting as zero for
    /// additive metrics; nothing for a side on which the group does not occur or was never measured.
    pub means: [Option<f64>; 2],
    /// B − A. A side without the group counts as zero for additive metrics. Absent for other metrics of such a row, and if
    /// the group was never measured on a side on which it occurs.
    pub delta: Option<f64>,
    /// Whether it was measured outside of every region.
    pub is_outside: bool,
    /// Delta divided by the baseline's total inside of regions; absent for groups outside of them.
    pub impact: Option<f64>,
    /// Typical ratio B/A (Hodges-Lehmann); absent when a value is not positive.
    pub ratio: Option<f64>,
    /// Distribution-free interval of the ratio.
    pub interval: Option<[f64; 2]>,
    /// Typical difference B − A (Hodges-Lehmann), in the metric's unit.
    pub shift: Option<f64>,
    /// Distribution-free interval of the difference.
    pub shift_interval: Option<[f64; 2]>,
    /// Two-sided p of the exact, tie-aware rank-sum test.
    pub p: Option<f64>,
    /// Benjamini-Hochberg q over the tested groups.
    pub q: Option<f64>,
    /// Cliff's delta, −1..1.
    pub cliffs_delta: Option<f64>,
    /// What can be said.
    pub verdict: Verdict,
    /// Why, in one sentence, with numbers.
    pub reason: String,
    /// How it was matched; absent when it occurs on one side only.
    pub matched_by: Option<MatchedBy>,
    /// How sure the match is, 0..1, where it was inferred.
    pub match_score: Option<f64>,
    /// Runs of baseline and candidate in which it occurs.
    pub runs: [usize; 2],
    /// Runs of baseline and candidate that have the metric and in which it occurs without a value of its own.
    pub not_measured: [usize; 2],
    /// Values of baseline and candidate that were compared: of runs that say something about the
    /// group, be it that it does not occur.
    pub compared: [usize; 2],
    /// Inclusive means of baseline and candidate, for pictures.
    pub inclusive: [Option<f64>; 2],
}

/// Totals of a diff: exact sums over its rows, each rounded once, without groups that were never measured on a
/// side on which they occur.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiffTotals {
    /// Mean total of the baseline's runs: the sum of the rows' means, of what was measured.
    pub a: f64,
    /// Mean total of the candidate's runs.
    pub b: f64,
    /// B − A: the sum of the rows' deltas; b − a but for the rounding of these.
    pub delta: f64,
}

/// Compares two sets of runs, group by group.
pub fn diff(input: DiffInput<'_>, options: &DiffOptions) -> DiffAnswer {
    let DiffInput {
        sides,
        metric,
        mut groups,
        contexts,
        definitions,
        mapping,
    } = input;
    groups.iter_mut().for_each(unmeasured::complete);
    let ladder = ladder::Ladder::new(&contexts, &definitions, &mapping);
    let unrecorded = unrecorded::mark(&mut groups, &contexts, &definitions, &ladder, &sides);
    let matched_work = ladder.matched_work(&contexts, &unrecorded.region);
    let runs = sides.each_ref().map(|side| side.runs.len());
    let widths = width::other_numbers(&sides);
    let compared = changes::Compared {
        contexts: &contexts,
        definitions: &definitions,
        ladder: &ladder,
        runs,
        is_other_width: widths.is_some(),
        unrecorded: &unrecorded.region,
    };
    let mut found = compared.changes(groups.len());
    let kinds = std::mem::take(&mut found.kinds);
    let groups = matching::pair_groups(groups, &contexts, &ladder, kinds);
    let mut notes = unrecorded.notes;
    let design = environment::Design::new(&sides, &metric, &groups, options, &mut notes);
    let (rows, [totals, inside]) = rows::rows(&groups, &metric, &design, options);
    if metric.kind.adds_up() {
        unmeasured::note(&mut notes, &rows, totals.as_ref(), &metric, &design);
    }
    let tested = rows.iter().filter(|row| row.p.is_some()).count();
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let (appeared, vanished) = (count(Verdict::Appeared), count(Verdict::Vanished));
    let counted = shape::Counted::new(&contexts, &definitions);
    let (verdict, reason) = shape::judge(&found, &matched_work, runs, widths.as_deref(), counted);
    let structure = StructureChange {
        verdict,
        reason,
        appeared,
        vanished,
        common: rows
            .iter()
            .filter(|row| (row.runs[0] == 0) == (row.runs[1] == 0))
            .count(),
        matched_work,
        possible_matches: possible::matches(&contexts, &definitions, &ladder),
        changes: found.all,
    };
    environment::note_limits(&mut notes, &design, &structure, tested, options);
    let environment = environment::changes(&sides);
    DiffAnswer {
        sides: sides.map(|side| {
            let ids = side.runs.iter().map(|run| run.id).collect();
            (side.name, ids)
        }),
        metric,
        environment,
        structure,
        rows,
        totals,
        inside,
        notes,
        untested: design.untested,
        smallest_p: design.smallest_p,
        runs_needed: runs_needed(options.alpha),
        runs_needed_among: runs_needed_among(tested, options.alpha),
        tested,
    }
}
