//! How noisy repeats of one configuration are, and whether gates between them keep quiet.
//!
//! Runs of one configuration differ by noise alone. Their spread says how great a change must be before
//! runs can show it; dividing them into two halves and judging one against the other, in every way
//! there is, says how often a gate fails without a reason (an A/A test).

mod cohort;
mod shifts;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use sheaf_answers::{DiffFact, Noise, NoiseCohort, SplitCheck};
use sheaf_model::{Lens, ParamValue, ParameterRules, Progress, RunSummary};

use crate::gate::GateOptions;
use sheaf_analysis::Error;
use sheaf_analysis::Reentry;
use sheaf_analysis::check_alpha;
use sheaf_analysis::finish_groups;
use sheaf_analysis::partial;
use sheaf_analysis::{Cohort, cohorts, note_arguments, parameter_of};

use cohort::cohort_noise;
use shifts::Shifts;

/// Parameters that repeat others. Parameters that identify a launch have a list of their own.
const REPEATING: &[&str] = &["OMP_NUM_THREADS", "counters"];

/// Runs per side for which the minimum detectable change is reported.
const NOISE_RUNS: [usize; 4] = [5, 10, 20, 40];

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

/// A check, with the share of gates that failed and whether that is at most alpha.
fn judged(mut check: SplitCheck, alpha: f64) -> SplitCheck {
    let share = (check.gates > 0).then(|| check.failed as f64 / check.gates as f64);
    check.share = share;
    check.holds = share.filter(|_| check.can_fail).map(|share| share <= alpha);
    check
}

/// Adds the check of another cohort.
fn add(check: &mut SplitCheck, other: &SplitCheck) {
    check.is_all = other.is_all && (check.is_all || check.splits == 0);
    check.splits += other.splits;
    check.gates += other.gates;
    check.failed += other.failed;
    check.can_fail |= other.can_fail;
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
) -> Result<Noise, Error> {
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
    let alpha = options.gate.alpha;
    let needed = sheaf_statistics::runs_needed(alpha).map(|runs| 2 * runs as u64);
    let mut answer = Noise {
        schema: "noise/1".to_owned(),
        lens: lens.to_string(),
        level: lens.level,
        metric: grouped.metric.name.clone(),
        unit: grouped.metric.unit.clone(),
        by,
        alpha,
        power: options.power,
        seed: options.seed,
        cohorts: Vec::with_capacity(members.len()),
        check: SplitCheck::default(),
        repeats_needed: needed,
        notes: grouped.notes.clone(),
    };
    let mut shifts = Shifts::default();
    for cohort in &members {
        progress.check()?;
        let found = cohort_noise(lens, &grouped, cohort, options, &mut shifts, progress)?;
        if let Some(check) = found.check.as_ref().filter(|check| check.can_fail) {
            add(&mut answer.check, check);
        }
        answer.cohorts.push(found);
    }
    answer.check = judged(answer.check, alpha);
    let repeats = members.iter().map(|cohort| cohort.runs.as_slice());
    let arguments = note_arguments(repeats, grouped.tree.runs(), &options.rules);
    answer.notes.extend(arguments);
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

fn note_too_few(answer: &mut Noise, members: &[Cohort]) {
    let is_silent =
        |cohort: &&NoiseCohort| !cohort.check.as_ref().is_some_and(|check| check.can_fail);
    let silent = answer.cohorts.iter().filter(is_silent).count();
    let Some(needed) = answer.repeats_needed.filter(|_| silent > 0) else {
        return;
    };
    let largest = members.iter().map(|cohort| cohort.runs.len()).max();
    let too_few = DiffFact::TooFewRepeats {
        silent: silent as u64,
        configurations: members.len() as u64,
        max: largest.unwrap_or(0) as u64,
        needed,
    };
    answer.notes.push(too_few.into());
    if largest == Some(1) && !answer.by.is_empty() {
        let by = answer.by.clone();
        answer.notes.push(DiffFact::NoRepeats { by }.into());
    }
}
