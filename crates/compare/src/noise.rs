//! How noisy repeats of one configuration are, and whether gates between them keep quiet.
//!
//! Runs of one configuration differ by noise alone. Their spread says how great a change must be before
//! runs can show it; dividing them into two halves and judging one against the other, in every way
//! there is, says how often a gate fails without a reason (an A/A test).

mod cohort;
mod shifts;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sheaf_model::{Lens, ParamValue, ParameterRules, Progress, RunId, RunSummary};

use crate::gate::GateOptions;
use sheaf_analysis::Error;
use sheaf_analysis::Metric;
use sheaf_analysis::Reentry;
use sheaf_analysis::check_alpha;
use sheaf_analysis::finish_groups;
use sheaf_analysis::partial;
use sheaf_analysis::{Cohort, cohorts, parameter_of};

use cohort::cohort_noise;
use shifts::Shifts;

/// Parameters that repeat others. Parameters that identify a launch have a list of their own.
const REPEATING: &[&str] = &["OMP_NUM_THREADS", "counters"];

/// Runs per side for which the least visible change is told.
pub const NOISE_RUNS: [usize; 4] = [5, 10, 20, 40];

/// How noise is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseOptions {
    /// The gate that is tested; its thresholds are not used.
    pub gate: GateOptions,
    /// Share of changes that must be found for a change to count as visible.
    pub power: f64,
    /// Divisions of a cohort into halves, at most.
    pub most_splits: usize,
    /// Seed of divisions and simulations.
    pub seed: u64,
    /// Rules of the store about its parameters.
    pub rules: ParameterRules,
}

impl Default for NoiseOptions {
    fn default() -> Self {
        Self {
            gate: GateOptions::default(),
            power: 0.8,
            most_splits: 500,
            seed: 0,
            rules: ParameterRules::default(),
        }
    }
}

/// Answer of [`noise`].
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseAnswer {
    /// The metric.
    pub metric: Metric,
    /// Parameters that make a configuration.
    pub by: Vec<String>,
    /// Configurations with their noise, in order of their values.
    pub cohorts: Vec<NoiseCohort>,
    /// Gates of all cohorts whose halves could fail.
    pub check: SplitCheck,
    /// Repeats of one configuration from which on its halves can fail a gate at all.
    pub repeats_needed: Option<usize>,
    /// Things a reader must know.
    pub notes: Vec<String>,
}

/// Repeats of one configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseCohort {
    /// Name for people.
    pub name: String,
    /// Values of its parameters.
    pub values: BTreeMap<String, ParamValue>,
    /// Its runs that have the metric.
    pub runs: Vec<RunId>,
    /// Groups, greatest share of the run first.
    pub rows: Vec<NoiseRow>,
    /// A/A gates between its halves; absent below two runs.
    pub check: Option<SplitCheck>,
    /// Median over its runs of the share of their time for which threads were ready and had no processor; absent
    /// where no run's source says it.
    pub preempted: Option<f64>,
}

/// Noise of one group over repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct NoiseRow {
    /// Group id.
    pub group: String,
    /// Names from the outermost group.
    pub path: Vec<String>,
    /// Runs in which it occurs and was measured.
    pub runs: usize,
    /// Median over these runs.
    pub median: f64,
    /// Share of the whole run, runs without the group counting as zero; absent for metrics that do not add up.
    pub share: Option<f64>,
    /// Robust relative standard deviation, from the greater of median absolute deviation and
    /// interquartile range of logarithms over these runs; absent below three or where a value is not positive.
    pub spread: Option<f64>,
    /// Least relative change that as many runs per side as there are repeats show, if it is the only one; absent
    /// where a repeat lacks the group.
    pub visible: Option<f64>,
    /// The same for [`NOISE_RUNS`] per side.
    pub visible_with: [Option<f64>; 4],
    /// Relative change between halves that only the share alpha of the A/A splits exceeds.
    pub seen: Option<f64>,
    /// Suggested limit for a gate: the greater of `visible` and `seen`.
    pub threshold: Option<f64>,
}

/// How often gates between halves of one cohort failed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SplitCheck {
    /// Runs of the halves.
    pub sizes: [usize; 2],
    /// Ways in which the runs were divided.
    pub splits: usize,
    /// Whether these are all ways there are.
    pub is_all: bool,
    /// Whether so few runs can fail a gate at all.
    pub can_fail: bool,
    /// Gates: either half as the candidate.
    pub gates: usize,
    /// Gates that failed.
    pub failed: usize,
}

impl SplitCheck {
    /// Share of gates that failed; absent without gates.
    pub fn share(&self) -> Option<f64> {
        (self.gates > 0).then(|| self.failed as f64 / self.gates as f64)
    }

    fn add(&mut self, other: &Self) {
        self.is_all = other.is_all && (self.is_all || self.splits == 0);
        self.splits += other.splits;
        self.gates += other.gates;
        self.failed += other.failed;
        self.can_fail |= other.can_fail;
    }
}

/// Measures the noise of repeats. Cohorts are those of `lens.by`; of all parameters that may matter when
/// it names none.
///
/// # Errors
/// As for [`stats`](sheaf_analysis::stats), and when alpha is out of range.
pub fn noise(
    lens: &Lens,
    runs: &[Arc<RunSummary>],
    options: &NoiseOptions,
    progress: &Progress,
) -> Result<NoiseAnswer, Error> {
    check_alpha(options.gate.alpha)?;
    let by = if lens.by.is_empty() {
        configuration(runs, &options.rules)
    } else {
        lens.by.clone()
    };
    let grouped = finish_groups(
        lens,
        partial(lens, runs, progress)?,
        Reentry::Merged,
        progress,
    )?;
    let members = cohorts(grouped.tree.runs(), &by)?;
    let mut answer = NoiseAnswer {
        metric: grouped.metric.clone(),
        by,
        cohorts: Vec::with_capacity(members.len()),
        check: SplitCheck::default(),
        repeats_needed: sheaf_statistics::runs_needed(options.gate.alpha).map(|runs| 2 * runs),
        notes: grouped.notes.clone(),
    };
    let mut shifts = Shifts::default();
    for cohort in &members {
        progress.check()?;
        let found = cohort_noise(lens, &grouped, cohort, options, &mut shifts, progress)?;
        if let Some(check) = found.check.filter(|check| check.can_fail) {
            answer.check.add(&check);
        }
        answer.cohorts.push(found);
    }
    note_too_few(&mut answer, &members);
    Ok(answer)
}

/// Parameters that differ between runs and may matter to their times.
fn configuration(runs: &[Arc<RunSummary>], rules: &ParameterRules) -> Vec<String> {
    // Where a source does not name its program, the name is that of the file: no configuration.
    let is_known = runs.iter().all(|run| !run.meta.known_program().is_empty());
    let facts = ["ranks"].into_iter().chain(is_known.then_some("program"));
    let names = runs.iter().flat_map(|run| run.meta.params.keys());
    let names: BTreeSet<&str> = names.map(String::as_str).chain(facts).collect();
    let differs = |name: &&&str| {
        let mut values = runs.iter().map(|run| parameter_of(&run.meta, name));
        let first = values.next().flatten();
        let is_time = matches!(first, Some(ParamValue::Time(_)));
        !is_time && values.any(|value| value != first)
    };
    let is_of_configuration = |name: &&&str| {
        let is_repeated = REPEATING.contains(*name) && rules.role(name).is_none();
        !is_repeated && !rules.identifies_launch(name)
    };
    let names = names.iter().filter(is_of_configuration).filter(differs);
    names.map(|name| (*name).to_owned()).collect()
}

fn note_too_few(answer: &mut NoiseAnswer, members: &[Cohort]) {
    let is_silent = |cohort: &&NoiseCohort| !cohort.check.is_some_and(|check| check.can_fail);
    let silent = answer.cohorts.iter().filter(is_silent).count();
    let Some(needed) = answer.repeats_needed.filter(|_| silent > 0) else {
        return;
    };
    let largest = members.iter().map(|cohort| cohort.runs.len()).max();
    answer.notes.push(format!(
        "too few repeats in {silent} of {} configurations (at most {}): two halves can fail a gate from {needed} repeats on",
        members.len(),
        largest.unwrap_or(0),
    ));
    if largest == Some(1) && !answer.by.is_empty() {
        answer.notes.push(format!(
            "every run is a configuration of its own by {}; name the parameters that matter",
            answer.by.join(", ")
        ));
    }
}
