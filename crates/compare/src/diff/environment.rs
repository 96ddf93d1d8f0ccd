//! What differs around the program, and what the numbers of runs can show.

use std::collections::BTreeSet;

use sheaf_model::{ParamValue, RunMeta};

use super::matching::MatchedGroup;
use super::{DiffOptions, DiffSide, worker_counts};
use sheaf_analysis::Metric;
use sheaf_analysis::parameter_of;
use sheaf_answers::{DiffFact, EnvironmentChange, Note, Reason, StructureChange, WhichSide, Why};
use sheaf_statistics::{runs_needed, separated_groups_needed, smallest_p};

/// What the comparison can show, whatever the values are.
pub(super) struct Design {
    /// For each side, which of its runs have the metric.
    pub(super) has_metric: [Vec<bool>; 2],
    /// Number of those.
    pub(super) runs: [usize; 2],
    /// Whether both sides are the same runs.
    pub(super) is_same: bool,
    /// Runs that are on both sides, where the sides differ: values of one run are not independent.
    pub(super) num_shared: usize,
    /// Whether times were taken with different numbers of workers.
    pub(super) has_different_worker_counts: bool,
    /// Why nothing may be tested, however many runs there are.
    pub(super) untested: Option<Reason>,
    /// Smallest p; absent when a side has no run.
    pub(super) smallest_p: Option<f64>,
}

impl Design {
    pub(super) fn new(
        sides: &[DiffSide<'_>; 2],
        metric: &Metric,
        groups: &[MatchedGroup],
        options: &DiffOptions,
        notes: &mut Vec<Note>,
    ) -> Self {
        let has_metric = [0, 1].map(|side| {
            let has = |run: usize| {
                let mut measurements = groups.iter().filter_map(|matched| {
                    let group = &matched.group;
                    let own = group.exclusive[side].get(run)?.value();
                    own.or(group.inclusive[side].get(run)?.value())
                });
                measurements.any(f64::is_finite)
            };
            (0..sides[side].runs.len()).map(has).collect::<Vec<bool>>()
        });
        let runs = [0, 1].map(|side| has_metric[side].iter().filter(|&&has| has).count());
        for side in 0..2 {
            let of = has_metric[side].len();
            if runs[side] < of {
                let left_out = DiffFact::RunsWithoutMetric {
                    side: WhichSide::of(side),
                    runs: (of - runs[side]) as u64,
                    of: of as u64,
                    metric: metric.name.clone(),
                };
                notes.push(left_out.into());
            }
        }
        let smallest_p = (runs[0] > 0 && runs[1] > 0).then(|| smallest_p(runs[0], runs[1]));
        let (is_same, num_shared) = shared_runs(sides);
        let width = worker_counts::change(sides).filter(|_| metric.is_time());
        let has_different_worker_counts = width.is_some();
        let shared = (num_shared > 0).then_some(num_shared as u64);
        let untested = match (&width, shared) {
            (Some(width), _) => Some(Why::SidesOfOtherWidth(width.clone())),
            (None, shared) => shared.map(|runs| Why::CommonRuns { runs }),
        };
        let design = Self {
            has_metric,
            runs,
            is_same,
            num_shared,
            has_different_worker_counts,
            untested: untested.map(Reason::from),
            smallest_p,
        };
        notes.extend(note_of_shared_runs(sides));
        if let Some(numbers) = width {
            notes.push(DiffFact::OtherNumbers { numbers }.into());
        }
        if !design.can_reach(options.alpha) && !is_same {
            notes.push(design.limit(options.alpha).why.into());
        }
        design
    }

    /// Whether complete separation would be significant.
    pub(super) fn can_reach(&self, alpha: f64) -> bool {
        self.smallest_p.is_some_and(|p| p <= alpha)
    }

    /// Why nothing can be significant.
    pub(super) fn limit(&self, alpha: f64) -> Reason {
        let [runs_a, runs_b] = self.runs.map(|runs| runs as u64);
        let why = if self.smallest_p.is_none() {
            Why::NoRuns { runs_a, runs_b }
        } else {
            Why::TooFewRuns {
                runs_a,
                runs_b,
                alpha,
                smallest_p: self.smallest_p,
                needed: runs_needed(alpha).map(|runs| runs as u64),
            }
        };
        why.into()
    }
}

/// Notes that follow from the number of tests and from what was matched.
pub(super) fn note_limits(
    notes: &mut Vec<Note>,
    design: &Design,
    structure: &StructureChange,
    tested: usize,
    options: &DiffOptions,
) {
    let unmatched = structure.matched_work.unmatched;
    if unmatched > 0.05 {
        let share = unmatched;
        notes.push(DiffFact::UnmatchedWork { share }.into());
    }
    let Some(smallest) = design.smallest_p.filter(|&p| p <= options.alpha) else {
        return;
    };
    let needed = separated_groups_needed(tested, smallest, options.alpha);
    let is_limit = needed.map_or(tested > 0, |needed| needed > 1);
    if is_limit {
        let [runs_a, runs_b] = design.runs.map(|runs| runs as u64);
        let separation = DiffFact::SeparationNeeded {
            runs_a,
            runs_b,
            tested: tested as u64,
            needed: needed.map(|groups| groups as u64),
        };
        notes.push(separation.into());
    }
}

/// What is known of every run besides its parameters and makes a difference.
const FACTS: [&str; 2] = ["program", "ranks"];

/// Parameters whose sets of values differ, by name; program and ranks count as such.
pub fn changes(sides: &[DiffSide<'_>; 2]) -> Vec<EnvironmentChange> {
    let runs = || sides.iter().flat_map(|side| &side.runs);
    let names = runs().flat_map(|run| run.params.keys().map(String::as_str));
    let names: BTreeSet<&str> = names.chain(FACTS).collect();
    let change = |name: &str| {
        let values = [0, 1].map(|side: usize| distinct(&sides[side].runs, name));
        // Starts differ between any two runs; they are no environment.
        let is_start = runs().all(|run| {
            let value = run.params.get(name);
            let is_time = matches!(value, Some(ParamValue::Time(_)) | None);
            is_time && (name == "started" || value == run.params.get("started"))
        });
        let is_start = is_start && !FACTS.contains(&name) || name == "start_clock";
        let [a, b] = values;
        (a != b && !is_start).then(|| EnvironmentChange {
            parameter: name.to_owned(),
            a,
            b,
        })
    };
    names.into_iter().filter_map(change).collect()
}

fn distinct(runs: &[&RunMeta], name: &str) -> Vec<ParamValue> {
    let is_known = |run: &&&RunMeta| name != "program" || !run.known_program().is_empty();
    let values = runs.iter().filter(is_known);
    let values = values.filter_map(|run| parameter_of(run, name));
    in_order(values.collect())
}

/// Each value once, ascending.
fn in_order(mut values: Vec<ParamValue>) -> Vec<ParamValue> {
    values.sort_by(ParamValue::order);
    values.dedup();
    values
}

/// Whether both sides are the same runs; if not, the number of runs that are on both.
fn shared_runs(sides: &[DiffSide<'_>; 2]) -> (bool, usize) {
    let [a, b] = sides.each_ref().map(ids);
    let is_same = !a.is_empty() && a == b;
    let num_shared = if is_same {
        0
    } else {
        a.intersection(&b).count()
    };
    (is_same, num_shared)
}

/// A note if runs are on both sides: values of one run are not independent.
pub fn note_of_shared_runs(sides: &[DiffSide<'_>; 2]) -> Option<Note> {
    match shared_runs(sides) {
        (true, _) => Some(Why::SameRuns.into()),
        (false, 0) => None,
        (false, runs) => {
            let runs = runs as u64;
            Some(DiffFact::SharedRuns { runs }.into())
        }
    }
}

fn ids(side: &DiffSide<'_>) -> BTreeSet<sheaf_model::RunId> {
    side.runs.iter().map(|run| run.id).collect()
}
