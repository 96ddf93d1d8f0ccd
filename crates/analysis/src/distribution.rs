//! Histogram of one group over runs, call sites, ranks or workers.

pub(crate) mod members;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::{Bin, Distribution, DistributionMode};
use sheaf_model::{Lens, Progress, RunId, RunSummary, Scope};

use crate::box_plot::{box_plot, modes};
use crate::context_sums::LocationAxis;
use crate::error::Error;
use crate::group_values::{GroupValues, rows};
use crate::groups::{Grouping, Reentry};
use crate::histogram::{bin_bounds, histogram};
use crate::kernel::{Question, State, UnifiedRuns, partial};
use crate::measurement::Measurement;
use crate::partition::Partition;
use crate::selection::Selection;
use crate::tree::NONE;
use members::Member;
use sheaf_statistics::{Sample, dip};

/// Values up to which an answer lists them one by one.
const MAX_VALUES: usize = 50;

/// What to count of which group, and whose values to count apart.
///
/// ```
/// use sheaf_analysis::{DistributionQuestion, distribution};
/// use sheaf_answers::DistributionMode;
/// use sheaf_model::{Lens, Progress};
/// let question = DistributionQuestion::new("main", DistributionMode::Ranks);
/// assert!(distribution(&Lens::default(), &question, &[], &Progress::silent()).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistributionQuestion {
    /// Id or unambiguous name of the group.
    pub group: String,
    /// What is counted.
    pub mode: DistributionMode,
    /// Runs counted apart as the target, or as side B of a diff.
    pub target: Vec<RunId>,
    /// Runs counted apart as side A of a diff.
    pub baseline: Vec<RunId>,
}

impl DistributionQuestion {
    /// A question without runs to count apart.
    pub fn new(group: impl Into<String>, mode: DistributionMode) -> Self {
        Self {
            group: group.into(),
            mode,
            target: Vec::new(),
            baseline: Vec::new(),
        }
    }
}

/// Answers how the values of one group distribute, in bins of equal width over their range.
///
/// A value over runs is the run's representative value; over call sites, the mean over runs of a
/// context of the group; over ranks or workers, the sum over the group's contexts there, zero on
/// ranks that never came there (but left out where the metric is a mean).
///
/// # Errors
/// As for [`stats`](crate::stats), and when there is no such group.
pub fn distribution(
    lens: &Lens,
    question: &DistributionQuestion,
    runs: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Distribution, Error> {
    finish_distribution(lens, question, partial(lens, runs, progress)?, progress)
}

/// Finishes the answer of [`distribution`] from the merged state of all runs.
///
/// # Errors
/// As for [`distribution`].
pub fn finish_distribution(
    lens: &Lens,
    asked: &DistributionQuestion,
    state: State,
    progress: &Progress,
) -> Result<Distribution, Error> {
    let ensemble = UnifiedRuns::new(state)?;
    let question = ensemble.question(&lens.metric)?;
    let grouping = Grouping::new(&ensemble.tree, lens, Reentry::Separate)?;
    let selection = Selection::find(
        &ensemble,
        &question,
        &grouping,
        &asked.group,
        lens,
        progress,
    )?;
    let counter = Counter {
        ensemble: &ensemble,
        question: &question,
        selection: &selection,
        lens,
        progress,
    };
    let sides = Sides {
        target: &asked.target,
        baseline: &asked.baseline,
        runs: ensemble.run_ids(),
    };
    let values = match asked.mode {
        DistributionMode::Runs => counter.runs()?,
        DistributionMode::CallSites => counter.call_sites(&sides)?,
        DistributionMode::Ranks => counter.locations(LocationAxis::Ranks)?,
        DistributionMode::Workers => counter.locations(LocationAxis::Workers)?,
    };
    let absent = counter.absent();
    let sample = Sample::new(values.iter().map(|value| value.value));
    let owned = values.iter().map(|value| (value.value, value.member));
    let name = |member| members::text_of_one(member, &ensemble);
    let dip = dip(&sample);
    Ok(Distribution {
        schema: "distribution/1".to_owned(),
        lens: lens.to_string(),
        metric: question.metric.name.clone(),
        scope: lens.scope,
        unit: question.metric.unit.clone(),
        mode: asked.mode,
        bins: bins(&values, &sides, &ensemble, lens.bins),
        count: values.len() as u64,
        absent,
        quantiles: quantiles(&sample),
        box_plot: box_plot(&sample, owned, name),
        modes: modes(&sample),
        dip: dip.map(|test| test.dip),
        dip_p: dip.map(|test| test.p),
        values: if sample.len() <= MAX_VALUES {
            sample.values().to_vec()
        } else {
            Vec::new()
        },
        notes: [question.notes.clone(), grouping.notes].concat(),
        group: selection.id.to_string(),
        name: selection.name.clone(),
    })
}

fn quantiles(sample: &Sample) -> Option<[f64; 5]> {
    let shares = [0.05, 0.25, 0.5, 0.75, 0.95];
    let values: Option<Vec<f64>> = shares.iter().map(|&share| sample.quantile(share)).collect();
    values?.try_into().ok()
}

/// One counted value.
struct Counted {
    value: f64,
    member: Member,
    is_target: bool,
    is_baseline: bool,
}

/// Runs that are counted apart.
struct Sides<'a> {
    target: &'a [RunId],
    baseline: &'a [RunId],
    runs: Vec<RunId>,
}

impl Sides<'_> {
    fn is_target(&self, run: usize) -> bool {
        self.target.contains(&self.runs[run])
    }

    fn is_baseline(&self, run: usize) -> bool {
        self.baseline.contains(&self.runs[run])
    }
}

struct Counter<'a> {
    ensemble: &'a UnifiedRuns,
    question: &'a Question,
    selection: &'a Selection,
    lens: &'a Lens,
    progress: &'a Progress,
}

impl Counter<'_> {
    /// The group alone: its contexts are group 0, all others in none.
    fn partition(&self) -> Partition {
        let selection = self.selection;
        let group_of = selection
            .is_in
            .iter()
            .map(|&is_in| if is_in { 0 } else { NONE })
            .collect();
        Partition::new(&self.ensemble.tree, group_of, 1)
    }

    fn absent(&self) -> u64 {
        let is_there = |run: &usize| {
            self.ensemble
                .tree
                .nodes_of_run(*run)
                .iter()
                .any(|&node| self.selection.is_in[node as usize])
        };
        let present = (0..self.ensemble.num_runs()).filter(is_there).count();
        (self.ensemble.num_runs() - present) as u64
    }

    fn runs(&self) -> Result<Vec<Counted>, Error> {
        let partition = self.partition();
        let values = GroupValues::new(
            self.ensemble,
            self.question,
            &partition,
            self.lens.over,
            self.progress,
        )?;
        let measurements = values.of(self.lens.scope, 0).iter().enumerate();
        Ok(measurements
            .filter_map(|(run, measurement)| {
                Some(Counted::of(measurement.value()?, Member::Run(run)))
            })
            .collect())
    }

    fn locations(&self, lanes: LocationAxis) -> Result<Vec<Counted>, Error> {
        let partition = self.partition();
        let by_run: Vec<Vec<Option<f64>>> = (0..self.ensemble.num_runs())
            .into_par_iter()
            .map(|run| {
                self.progress.check()?;
                let sums = self
                    .ensemble
                    .view(self.question, run)
                    .values_by(lanes)
                    .sums(&partition);
                let sums = match self.lens.scope {
                    Scope::Exclusive => sums.exclusive,
                    Scope::Inclusive => sums.inclusive,
                };
                Ok(sums.lanes(0).unwrap_or_default())
            })
            .collect::<Result<_, Error>>()?;
        let mut values = Vec::new();
        for (run, lane_values) in by_run.into_iter().enumerate() {
            let members = members::of_lanes(&self.ensemble.runs()[run].locations, lanes, run);
            for (value, member) in lane_values.into_iter().zip(members) {
                values.extend(value.map(|value| Counted::of(value, member)));
            }
        }
        Ok(values)
    }

    /// The target's and the baseline's bins are those that their own mean over runs falls in.
    fn call_sites(&self, sides: &Sides<'_>) -> Result<Vec<Counted>, Error> {
        let tree = &self.ensemble.tree;
        let nodes: Vec<usize> = (0..tree.len())
            .filter(|&node| self.selection.is_in[node])
            .collect();
        let mut group_of = vec![NONE; tree.len()];
        for (at, &node) in (0..).zip(&nodes) {
            group_of[node] = at;
        }
        let partition = Partition::new(tree, group_of, nodes.len());
        let rows = rows(
            self.ensemble,
            self.question,
            &partition,
            self.lens.over,
            self.progress,
        )?;
        let values = GroupValues::from_rows(&rows, nodes.len());
        let mut counted = Vec::with_capacity(nodes.len());
        for (at, &node) in nodes.iter().enumerate() {
            let measurements = values.of(self.lens.scope, at);
            let present: Vec<f64> = measurements
                .iter()
                .copied()
                .filter_map(Measurement::value)
                .collect();
            if present.is_empty() {
                continue;
            }
            let has_value_in = |is_side: &dyn Fn(usize) -> bool| {
                measurements
                    .iter()
                    .enumerate()
                    .any(|(run, measurement)| is_side(run) && measurement.value().is_some())
            };
            counted.push(Counted {
                value: present.iter().sum::<f64>() / present.len() as f64,
                member: Member::Site(node),
                is_target: has_value_in(&|run| sides.is_target(run)),
                is_baseline: has_value_in(&|run| sides.is_baseline(run)),
            });
        }
        Ok(counted)
    }
}

impl Counted {
    /// Whose side a value of a run is on is seen from its member.
    fn of(value: f64, member: Member) -> Self {
        Self {
            value,
            member,
            is_target: false,
            is_baseline: false,
        }
    }
}

fn bins(values: &[Counted], sides: &Sides<'_>, ensemble: &UnifiedRuns, bins: u32) -> Vec<Bin> {
    let histogram = histogram(values.iter().map(|value| Some(value.value)), bins);
    let mut members: Vec<BTreeSet<Member>> = vec![BTreeSet::new(); histogram.counts.len()];
    let mut answer: Vec<Bin> = histogram
        .counts
        .iter()
        .enumerate()
        .map(|(bin, &count)| {
            let (lo, hi) = bin_bounds(&histogram, bin);
            Bin {
                lo,
                hi,
                count,
                target_count: 0,
                baseline_count: 0,
                members: Vec::new(),
                runs: Vec::new(),
            }
        })
        .collect();
    for (counted, bin) in values.iter().zip(&histogram.bin_of) {
        let Some(bin) = bin.map(|bin| bin as usize) else {
            continue;
        };
        let run = counted.member.run();
        let is_target = counted.is_target || run.is_some_and(|run| sides.is_target(run));
        let is_baseline = counted.is_baseline || run.is_some_and(|run| sides.is_baseline(run));
        answer[bin].target_count += u64::from(is_target);
        answer[bin].baseline_count += u64::from(is_baseline);
        if let Member::Run(run) = counted.member {
            answer[bin].runs.push(sides.runs[run].to_string());
        }
        members[bin].insert(counted.member.without_run());
    }
    for (bin, members) in answer.iter_mut().zip(members) {
        bin.members = members::texts(&members, ensemble);
    }
    answer
}
