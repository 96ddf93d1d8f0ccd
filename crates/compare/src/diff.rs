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
mod context_matching;
mod elapsed;
mod environment;
mod functions;
mod grouped;
mod iterations;
mod match_candidates;
mod matching;
mod names;
mod naming;
mod order;
mod rename_links;
mod rows;
mod shape;
mod structure;
#[cfg(test)]
mod tests;
mod unmeasured;
mod unrecorded;
mod verdict;
mod worker_counts;

use std::mem;

use sheaf_model::{DefinitionId, RunMeta, Scope};

use sheaf_analysis::Measurement;
use sheaf_analysis::Metric;
use sheaf_answers::{
    Diff, DiffRow, DiffTotals, MatchedWork, Reason, ShareOf, Side, StructureChange,
    StructureVerdict, Verdict,
};
use sheaf_statistics::{runs_needed, runs_needed_among};

pub(crate) use changes::Change;
pub use environment::{changes as environment_changes, note_of_shared_runs};
pub(crate) use functions::number_as_newest;
pub use grouped::{CreationOrders, DiffSelection, IterationCounts, finish_diff};
pub use iterations::{ITERATION_COLUMNS, Iterations, iterations};
pub use naming::both_names;
pub(crate) use naming::{names_among, path as path_with};
pub use order::{CREATION_COLUMNS, Creations, creation_order};
pub(crate) use rename_links::{links as rename_links, step as structural_step};
pub use structure::{Correspondence, DiffContext, DiffDefinition, Mapping};
pub(crate) use unmeasured::{MAX_NAMED, is_in_part};
pub(crate) use verdict::{is_too_little, share_of_greater};
pub(crate) use worker_counts::WorkerCounts;

/// One side of a diff.
#[derive(Debug, Clone)]
pub struct DiffSide<'a> {
    /// As the user named it.
    pub name: String,
    /// Its runs; measurements are parallel to them. A run may be on both sides.
    pub runs: Vec<&'a RunMeta>,
}

impl DiffSide<'_> {
    /// Its name and the ids of its runs.
    pub fn answer(&self) -> Side {
        Side {
            name: self.name.clone(),
            runs: self.runs.iter().map(|run| run.id.to_string()).collect(),
        }
    }
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
    pub incomparable: Option<Reason>,
    /// Exclusive values in the baseline's runs and in the candidate's.
    pub exclusive: [Vec<Measurement>; 2],
    /// Inclusive values in the baseline's runs and in the candidate's.
    pub inclusive: [Vec<Measurement>; 2],
}

/// What is compared.
#[derive(Debug, Clone)]
pub struct DiffInput<'a> {
    /// Baseline and candidate.
    pub sides: [DiffSide<'a>; 2],
    /// The metric of all measurements.
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
    /// Least change that matters, as a share of the larger total: its impact must reach this whichever side is
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

/// A comparison: the answer, with what gates and histories need to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The answer, without the lens that was asked.
    pub answer: Diff,
    /// The metric.
    pub metric: Metric,
    /// Totals without values outside of every region. Shares refer to these.
    pub inside: Option<DiffTotals>,
    /// Why no values of these sides may be tested, however many runs there are: times with different numbers of
    /// workers, or runs in common.
    pub untested: Option<Reason>,
    /// Elapsed times of the runs of baseline and candidate that have one, if the metric is the work of grains.
    pub elapsed: [Vec<f64>; 2],
    /// By row, runs of baseline and candidate that have the metric and in which the group occurs without a value of its
    /// own.
    pub not_measured: Vec<[usize; 2]>,
}

/// Compares two sets of runs, group by group.
pub fn diff(input: DiffInput<'_>, options: &DiffOptions) -> Comparison {
    let DiffInput {
        sides,
        metric,
        mut groups,
        contexts,
        definitions,
        mapping,
    } = input;
    groups.iter_mut().for_each(unmeasured::complete);
    let pairing = context_matching::ContextMatching::new(&contexts, &definitions, &mapping);
    let unrecorded = unrecorded::mark(&mut groups, &contexts, &definitions, &pairing, &sides);
    let matched_work = pairing.matched_work(&contexts, &unrecorded.region);
    let runs = sides.each_ref().map(|side| side.runs.len());
    let worker_counts = worker_counts::other_numbers(&sides);
    let compared = changes::Compared {
        contexts: &contexts,
        definitions: &definitions,
        pairing: &pairing,
        runs,
        has_different_worker_counts: worker_counts.is_some(),
        unrecorded: &unrecorded.region,
    };
    let mut found = compared.changes(groups.len());
    let groups = matching::pair_groups(groups, &contexts, &pairing, mem::take(&mut found.kinds));
    let mut notes = unrecorded.notes;
    let design = environment::Design::new(&sides, &metric, &groups, options, &mut notes);
    let (rows, sums) = rows::rows(&groups, &metric, &design, options);
    unmeasured::note(&mut notes, &rows, sums.totals.as_ref(), &metric, &design);
    let (rows, not_measured): (Vec<DiffRow>, Vec<[usize; 2]>) = rows.into_iter().unzip();
    let tested = rows.iter().filter(|row| row.p.is_some()).count();
    let counted = shape::counted(&contexts, &definitions);
    let (verdict, why) = shape::judge(&found, &matched_work, runs, worker_counts, counted);
    let structure = StructureChange {
        possible_matches: match_candidates::matches(&contexts, &definitions, &pairing),
        changes: found.all.into_iter().map(|(change, _)| change).collect(),
        ..structure_of(&rows, verdict, why.into(), matched_work)
    };
    environment::note_limits(&mut notes, &design, &structure, tested, options);
    let answer = Diff {
        schema: "diff/1".to_owned(),
        lens: String::new(),
        a: sides[0].answer(),
        b: sides[1].answer(),
        metric: metric.name.clone(),
        label: metric.label.clone(),
        estimated: metric.estimated_in as u64,
        // Only exclusive values conserve, so only these are compared.
        scope: Scope::Exclusive,
        unit: metric.unit.clone(),
        direction: metric.direction,
        environment: environment::changes(&sides),
        structure,
        impact_of: ShareOf::BaselineTotal,
        rows,
        totals: sums.totals,
        total: sums.total,
        notes,
        smallest_p: design.smallest_p,
        runs_needed: runs_needed(options.alpha).map(|runs| runs as u64),
        runs_needed_among: runs_needed_among(tested, options.alpha).map(|runs| runs as u64),
        tested: tested as u64,
    };
    Comparison {
        elapsed: sides.each_ref().map(|side| elapsed::times(side, &metric)),
        answer,
        metric,
        inside: sums.inside,
        untested: design.untested,
        not_measured,
    }
}

/// The verdict on the structure, and how many groups are on which sides; nothing of how they are matched.
fn structure_of(
    rows: &[DiffRow],
    verdict: StructureVerdict,
    reason: Reason,
    matched_work: MatchedWork,
) -> StructureChange {
    let count = |is: &dyn Fn(&DiffRow) -> bool| rows.iter().filter(|row| is(row)).count() as u64;
    StructureChange {
        verdict,
        reason,
        appeared: count(&|row| row.verdict == Verdict::Appeared),
        vanished: count(&|row| row.verdict == Verdict::Vanished),
        common: count(&|row| (row.runs_a == 0) == (row.runs_b == 0)),
        matched_work,
        possible_matches: Vec::new(),
        changes: Vec::new(),
    }
}
