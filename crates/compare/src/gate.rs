//! Whether a candidate may pass: the verdicts of a diff against limits that its user set.
//!
//! A gate fails on what is surely and noticeably worse, never on noise. What the runs cannot decide is
//! *undecided*, which is neither: a strict gate treats it as inconclusive. For a group to be undecided it must be
//! large enough to matter, and its interval must reach beyond the limit on the worse side.
//!
//! The whole run is judged beside its groups, because work that moved into new groups is in no group of
//! both sides. Its elapsed time is judged with it, because runs can take longer with the same work. Either family of
//! tests fails for the worse alone, so with half of alpha each.

mod check;
mod incomplete;
#[cfg(test)]
mod tests;
mod total;

use std::collections::BTreeMap;

use sheaf_model::Direction;
use sheaf_statistics::runs_needed;

use crate::diff::{Comparison, DiffOptions};
use sheaf_analysis::Error;
use sheaf_analysis::{check_alpha, check_share};
use sheaf_answers::{
    Diff, Gate, GateCause, GateLimits, GateOutcome, GateState, Reason, ShareOf, Verdict, Why,
};

pub use incomplete::{decided_by_nothing, failed_as_incomplete};

/// Tenfold times more: who gives a greater limit means something else.
const MAX_REGRESSION: f64 = 10.0;

/// When a gate fails.
#[derive(Debug, Clone, PartialEq)]
pub struct GateOptions {
    /// Share of false alarms.
    pub alpha: f64,
    /// Relative change for the worse above which a group is a regression.
    pub max_regression: f64,
    /// Least change that matters, as a share of the larger total: as great as this whichever side is
    /// the baseline.
    pub min_share: f64,
    /// Whether slower groups fail the gate.
    pub fails_on_slower: bool,
    /// Whether a change of structure fails the gate.
    pub fails_on_structure: bool,
    /// Whether what is inconclusive does not pass.
    pub is_strict: bool,
    /// Limits of single groups, by group id, where the noise of a machine asks for more than
    /// `max_regression`; smaller ones do not count.
    pub thresholds: BTreeMap<String, f64>,
}

impl Default for GateOptions {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            max_regression: 0.05,
            min_share: 0.01,
            fails_on_slower: true,
            fails_on_structure: false,
            is_strict: false,
            thresholds: BTreeMap::new(),
        }
    }
}

impl GateOptions {
    /// How the sides are to be compared for this gate.
    ///
    /// The groups that are tested are those of any diff, so that a group has one q. A group that fails has at
    /// least `min_share` of the larger total on its worse side, which is at least half of that share of both
    /// totals together: where that is less than what a diff tests, smaller groups are tested as well.
    pub fn diff_options(&self) -> DiffOptions {
        let common = DiffOptions::default();
        DiffOptions {
            alpha: self.alpha,
            threshold: self.max_regression,
            least_impact: self.min_share,
            least_share: common.least_share.min(self.min_share / 2.0),
        }
    }

    /// Whether every number makes sense.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] names the first that does not.
    pub fn check(&self) -> Result<(), Error> {
        check_alpha(self.alpha)?;
        check_share("max_regression", self.max_regression, MAX_REGRESSION)?;
        check_share("min_share", self.min_share, 1.0)?;
        let mut thresholds = self.thresholds.values();
        thresholds.try_for_each(|&threshold| check_share("threshold", threshold, f64::MAX))
    }

    /// The limits, as the answer has them.
    fn limits(&self) -> GateLimits {
        let causes = [
            (self.fails_on_slower, GateCause::Slower),
            (self.fails_on_structure, GateCause::Structure),
        ];
        GateLimits {
            alpha: self.alpha,
            max_regression: self.max_regression,
            min_share: self.min_share,
            share_of: ShareOf::GreaterTotal,
            fail_on: causes
                .into_iter()
                .filter_map(|(is_asked, cause)| is_asked.then_some(cause))
                .collect(),
            is_strict: self.is_strict,
            thresholds: self.thresholds.len() as u64,
        }
    }

    /// The limit of one group.
    pub fn limit(&self, group: &str) -> f64 {
        let own = self.thresholds.get(group).copied().unwrap_or(0.0);
        own.max(self.max_regression)
    }
}

/// Judges a comparison, which must have been made with the options' [`GateOptions::diff_options`].
///
/// `totals` are the values of whole runs of baseline and candidate; runs without one are left out.
pub fn gate(found: Comparison, totals: &[Vec<f64>; 2], options: &GateOptions) -> Gate {
    let groups = check::groups(&found, options);
    let judged = total::total(&found, totals, options);
    let diff = &found.answer;
    let (mut total, untested_total) = match judged {
        Ok(total) => (total, None),
        Err(why) => (None, Some(*why).filter(|_| options.fails_on_slower)),
    };
    let mut elapsed = total::elapsed(&found, options);
    let change = elapsed.as_mut().map(|elapsed| &mut elapsed.change);
    total::share_alpha(total.as_mut(), change, options);
    let structure_change = structure_change(diff);
    let count = |state| groups.iter().filter(|group| group.state == state).count() as u64;
    let is_total = |state| total.as_ref().is_some_and(|total| total.state == state);
    let is_elapsed = |state| (elapsed.as_ref()).is_some_and(|it| it.change.state == state);
    let mut reasons: Vec<Reason> = Vec::new();
    if is_total(GateState::Failed) {
        reasons.push(Why::WholeRunSlower.into());
    }
    if is_elapsed(GateState::Failed) {
        reasons.push(Why::ElapsedLonger.into());
    }
    let failed = count(GateState::Failed);
    if failed > 0 {
        reasons.push(Why::GroupsSlower { groups: failed }.into());
    }
    if options.fails_on_structure {
        reasons.extend(structure_change.clone());
    }
    let is_failed = !reasons.is_empty();
    let undecided = count(GateState::Undecided);
    if undecided > 0 {
        reasons.push(Why::GroupsUndecided { groups: undecided }.into());
    }
    let is_total_open = is_total(GateState::Undecided);
    if is_total_open {
        reasons.push(Why::WholeRunUndecided.into());
    }
    let is_elapsed_open = is_elapsed(GateState::Undecided);
    if is_elapsed_open {
        reasons.push(Why::ElapsedUndecided.into());
    }
    if let Some(reason) = &untested_total {
        let reason = Box::new(reason.clone());
        reasons.push(Why::WholeRunNotJudged { reason }.into());
    }
    reasons.extend(nothing_to_judge(diff).filter(|_| options.fails_on_slower));
    let outcome = if is_failed {
        GateOutcome::Failed
    } else if !reasons.is_empty() {
        GateOutcome::Inconclusive
    } else {
        reasons = passed(diff, options);
        GateOutcome::Passed
    };
    let is_open = is_total_open || is_elapsed_open || untested_total.is_some();
    Gate {
        schema: "gate/1".to_owned(),
        outcome,
        reasons,
        limits: options.limits(),
        total,
        untested_total,
        elapsed,
        incomplete: None,
        structure_change,
        runs_needed: missing_runs(&found, options, undecided, is_open),
        groups,
        diff: found.answer,
    }
}

/// What a gate that passes found of what it asked.
fn passed(diff: &Diff, options: &GateOptions) -> Vec<Reason> {
    let mut found = Vec::new();
    if options.fails_on_slower {
        found.push(Why::NothingSlower.into());
    }
    if options.fails_on_structure {
        let reason = Box::new(diff.structure.reason.clone());
        found.push(Why::StructureUnchanged { reason }.into());
    }
    if !options.fails_on_slower {
        found.push(Why::SlowerNotAsked.into());
    }
    found
}

/// Why the comparison says nothing at all, when it does not.
fn nothing_to_judge(diff: &Diff) -> Option<Reason> {
    let is_in_both = |verdict| !matches!(verdict, Verdict::Appeared | Verdict::Vanished);
    if diff.direction == Direction::Neutral {
        let metric = diff.metric.clone();
        return Some(Why::NothingCanBeSlower { metric }.into());
    }
    let is_common = diff.rows.iter().any(|row| is_in_both(row.verdict));
    (!is_common).then(|| Why::NoCommonGroup.into())
}

/// What changed in the structure of the program, whatever its number of threads.
fn structure_change(diff: &Diff) -> Option<Reason> {
    let change = &diff.structure;
    let reason = || Box::new(change.reason.clone());
    let is_change = change.verdict.is_change();
    is_change.then(|| Why::StructureChanged { reason: reason() }.into())
}

/// How many runs per side could decide what is open for want of runs: groups, which share the level, or the
/// whole run alone.
fn missing_runs(
    found: &Comparison,
    options: &GateOptions,
    undecided: u64,
    is_total_open: bool,
) -> Option<u64> {
    if (undecided == 0 && !is_total_open) || found.untested.is_some() {
        return None;
    }
    let diff = &found.answer;
    let tests = if undecided == 0 {
        1
    } else {
        diff.tested.max(1)
    };
    let needed = runs_needed(options.alpha / tests as f64)?;
    let fewest = diff.a.runs.len().min(diff.b.runs.len());
    (fewest < needed).then_some(needed as u64)
}
