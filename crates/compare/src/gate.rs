//! Whether a candidate may pass: the verdicts of a diff against limits that its user set.
//!
//! A gate fails on what is surely and noticeably worse, never on noise. What the runs cannot tell is
//! *undecided*, which is neither: a strict gate treats it as inconclusive. For a group to be undecided it must be
//! large enough to matter, and its interval must reach beyond the limit on the worse side.
//!
//! The whole run is judged beside its groups, because work that moved into new groups is in no group of
//! both sides. Either family of tests fails for the worse alone, so with half of alpha each.

mod check;
mod incomplete;
#[cfg(test)]
mod tests;
mod total;

use std::collections::BTreeMap;

use sheaf_model::Direction;
use sheaf_statistics::runs_needed;

use crate::diff::{DiffAnswer, DiffOptions, Verdict};
use sheaf_analysis::Error;
use sheaf_analysis::{check_alpha, check_share};

pub use check::{GateCheck, GateState};
pub use total::GateTotal;

/// Tenfold times more: who gives a greater limit means something else.
const MOST_REGRESSION: f64 = 10.0;

/// When a gate fails.
#[derive(Debug, Clone, PartialEq)]
pub struct GateOptions {
    /// Share of false alarms.
    pub alpha: f64,
    /// Relative change for the worse above which a group is a regression.
    pub max_regression: f64,
    /// Least change that matters, as a share of the greater total: as great as this whichever side is
    /// the baseline.
    pub min_share: f64,
    /// Whether slower groups fail the gate.
    pub fails_on_slower: bool,
    /// Whether a change of structure fails the gate.
    pub fails_on_structure: bool,
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
            thresholds: BTreeMap::new(),
        }
    }
}

impl GateOptions {
    /// How the sides are to be compared for this gate.
    ///
    /// The groups that are tested are those of any diff, so that a group has one q. A group that fails has at
    /// least `min_share` of the greater total on its worse side, which is at least half of that share of both
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
        check_share("max_regression", self.max_regression, MOST_REGRESSION)?;
        check_share("min_share", self.min_share, 1.0)?;
        let mut thresholds = self.thresholds.values();
        thresholds.try_for_each(|&threshold| check_share("threshold", threshold, f64::MAX))
    }

    /// The limit of one group.
    pub fn limit(&self, group: &str) -> f64 {
        let own = self.thresholds.get(group).copied().unwrap_or(0.0);
        own.max(self.max_regression)
    }
}

/// What becomes of the candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateOutcome {
    /// Nothing that matters got worse.
    Passed,
    /// Something did.
    Failed,
    /// Nothing surely did, but these runs cannot tell of everything that matters.
    Inconclusive,
}

/// Answer of [`gate`].
#[derive(Debug, Clone, PartialEq)]
pub struct GateAnswer {
    /// The comparison that the gate judges.
    pub diff: DiffAnswer,
    /// What becomes of the candidate.
    pub outcome: GateOutcome,
    /// Why, one sentence each, most important first.
    pub reasons: Vec<String>,
    /// Every group: what fails first, then what is undecided, then the rest; the greatest changes
    /// first in each.
    pub checks: Vec<GateCheck>,
    /// The whole run; absent where there is nothing to judge, as for metrics that do not add up, and where it
    /// cannot be judged.
    pub total: Option<GateTotal>,
    /// Why the whole run cannot be judged: the gate does not pass then. Absent where it is judged, and where there
    /// is nothing to judge.
    pub untested_total: Option<String>,
    /// How many runs of the candidate are incomplete, for which the gate fails; absent when none is.
    pub incomplete: Option<String>,
    /// What changed in structure; absent when nothing did.
    pub structure_change: Option<String>,
    /// Runs per side from which on a single changed group among those that matter can be found, or the whole run be
    /// judged where no group is undecided; absent when the present runs suffice, and where no number would.
    pub runs_needed: Option<usize>,
}

/// Judges a comparison, which must have been made with the options' [`GateOptions::diff_options`].
///
/// `totals` are the values of whole runs of baseline and candidate; runs without one are left out.
pub fn gate(diff: DiffAnswer, totals: &[Vec<f64>; 2], options: &GateOptions) -> GateAnswer {
    let checks = check::checks(&diff, options);
    let judged = total::total(&diff, totals, options);
    let (total, untested_total) = match judged {
        Ok(total) => (total, None),
        Err(why) => (None, Some(why).filter(|_| options.fails_on_slower)),
    };
    let structure_change = structure_change(&diff);
    let count = |state| checks.iter().filter(|check| check.state == state).count();
    let is_total = |state| total.as_ref().is_some_and(|total| total.state == state);
    let mut reasons = Vec::new();
    if is_total(GateState::Failed) {
        reasons.push("the whole run is slower".to_owned());
    }
    let failed = count(GateState::Failed);
    if failed > 0 {
        reasons.push(format!("{} slower", of_groups(failed)));
    }
    if options.fails_on_structure {
        reasons.extend(structure_change.clone());
    }
    let is_failed = !reasons.is_empty();
    let undecided = count(GateState::Undecided);
    if undecided > 0 {
        reasons.push(format!("{} undecided", of_groups(undecided)));
    }
    let is_total_open = is_total(GateState::Undecided);
    if is_total_open {
        reasons.push("the whole run is undecided".to_owned());
    }
    if let Some(why) = &untested_total {
        reasons.push(format!("the whole run is not judged: {why}"));
    }
    reasons.extend(nothing_to_judge(&diff).filter(|_| options.fails_on_slower));
    let outcome = if is_failed {
        GateOutcome::Failed
    } else if !reasons.is_empty() {
        GateOutcome::Inconclusive
    } else {
        reasons = passed(&diff, options);
        GateOutcome::Passed
    };
    let is_open = is_total_open || untested_total.is_some();
    GateAnswer {
        runs_needed: missing_runs(&diff, options, undecided, is_open),
        diff,
        outcome,
        reasons,
        checks,
        total,
        untested_total,
        incomplete: None,
        structure_change,
    }
}

/// What a gate that passes found of what it asked.
fn passed(diff: &DiffAnswer, options: &GateOptions) -> Vec<String> {
    let mut found = Vec::new();
    if options.fails_on_slower {
        found.push("nothing that matters is slower".to_owned());
    }
    if options.fails_on_structure {
        let why = &diff.structure.reason;
        found.push(format!("the structure did not change: {why}"));
    }
    if !options.fails_on_slower {
        found.push("what is slower was not asked".to_owned());
    }
    found
}

/// Why the comparison says nothing at all, when it does not.
fn nothing_to_judge(diff: &DiffAnswer) -> Option<String> {
    let is_in_both = |verdict| !matches!(verdict, Verdict::Appeared | Verdict::Vanished);
    if diff.metric.direction == Direction::Neutral {
        return Some(format!(
            "neither way is worse for `{}`: nothing can be slower",
            diff.metric.name
        ));
    }
    let is_common = diff.rows.iter().any(|row| is_in_both(row.verdict));
    (!is_common).then(|| "no group occurs on both sides".to_owned())
}

/// What changed in the structure of the program, whatever its number of threads.
fn structure_change(diff: &DiffAnswer) -> Option<String> {
    let change = &diff.structure;
    change
        .verdict
        .is_change()
        .then(|| format!("the structure changed: {}", change.reason))
}

/// How many runs per side could decide what is open for want of runs: groups, which share the level, or the
/// whole run alone.
fn missing_runs(
    diff: &DiffAnswer,
    options: &GateOptions,
    undecided: usize,
    is_total_open: bool,
) -> Option<usize> {
    if (undecided == 0 && !is_total_open) || diff.untested.is_some() {
        return None;
    }
    let tests = if undecided == 0 {
        1
    } else {
        diff.tested.max(1)
    };
    let needed = runs_needed(options.alpha / tests as f64)?;
    let fewest = diff.sides.iter().map(|(_, runs)| runs.len()).min()?;
    (fewest < needed).then_some(needed)
}

fn of_groups(count: usize) -> String {
    match count {
        1 => "1 group".to_owned(),
        _ => format!("{count} groups"),
    }
}
