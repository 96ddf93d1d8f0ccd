//! How far predictions are from recorded runs with other numbers of workers.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_answers::{
    CheckedPrediction, Note, PredictionTrust, RecordedTimes, WhatIfCheck, WhatIfFact,
};
use sheaf_grains::map_on_threads;
use sheaf_model::RunMeta;
use sheaf_statistics::median;

use super::WhatIfQuestion;
use super::prepared::{Changes, cores};
use super::reference::Reference;
use crate::runs::RunEntry;
use crate::{Error, View};

/// Parameters that state the number of workers.
const WORKER_PARAMETERS: [&str; 2] = ["threads", "OMP_NUM_THREADS"];
/// Grains of all runs together up to which every prediction is checked without being asked.
const MAX_GRAINS: i64 = 1_000_000;
/// Runs up to which every prediction is checked without being asked.
const MAX_RUNS: usize = 64;

/// Repeats from which on their median is a typical time.
const MIN_REPEATS: usize = 3;

/// Program, unit and parameters but for the number of workers.
pub(super) type Series = (String, String, BTreeMap<String, String>);

/// Predictions of recorded runs.
#[derive(Default)]
struct Checked {
    rows: Vec<CheckedPrediction>,
    /// Relative differences of recorded times from the median of their repeats.
    differences: Vec<f64>,
}

impl View<'_> {
    /// Predicts each run from every run of another number of workers that is otherwise alike, and compares.
    ///
    /// # Errors
    /// As for [`View::what_if`], and when no two of the runs differ in the number of workers alone.
    pub fn what_if_check(&self, question: &WhatIfQuestion) -> Result<WhatIfCheck, Error> {
        question.check()?;
        let entries = self.entries();
        let mut notes = Vec::new();
        let runs = self.chosen_runs(&entries, question, &mut notes)?;
        let unit = super::super::grain_diff::common_unit(&runs)?;
        let reference = self.reference(&entries, question, &runs)?;
        let checked = self.checked(&runs, question, reference.as_ref())?;
        let trust = checked.trust();
        let rows = checked.rows;
        if rows.is_empty() {
            return Err(Error::NotSchedulable {
                run: runs
                    .first()
                    .map_or_else(String::new, |run| run.meta.name.clone()),
                reason: none_differ(runs.len(), reference.is_some()),
            });
        }
        let uncounted = rows.iter().filter(|row| !row.counts).count();
        if uncounted > 0 {
            let (predictions, of) = (uncounted as u64, rows.len() as u64);
            notes.push(WhatIfFact::PredictionsNotCounted { predictions, of }.into());
        }
        Ok(WhatIfCheck {
            schema: "what-if-check/1".to_owned(),
            unit,
            trust,
            reference: reference.as_ref().map(Reference::answer),
            rows,
            seed: question.seed,
            repeats: u64::from(question.repeats),
            notes,
        })
    }

    /// Elapsed times of the runs that are like each of `runs` but for the number of workers.
    pub(super) fn recorded_times(
        &self,
        entries: &[RunEntry],
        runs: &[&RunEntry],
    ) -> Vec<RecordedTimes> {
        let by_series = self.by_series(entries.iter());
        let of_run = |run: &&RunEntry| {
            let id = run.meta.id.to_string();
            let alike = by_series.get(&self.series(&run.meta)).into_iter().flatten();
            let times = alike.filter_map(|(&workers, runs)| times_of(&id, workers, runs));
            times.collect::<Vec<_>>()
        };
        runs.iter().flat_map(of_run).collect()
    }

    /// The error of predictions from runs like these.
    pub(super) fn trust(
        &self,
        entries: &[RunEntry],
        runs: &[&RunEntry],
        question: &WhatIfQuestion,
        reference: Option<&Reference>,
        notes: &mut Vec<Note>,
    ) -> Result<Option<PredictionTrust>, Error> {
        let series: BTreeSet<Series> = runs.iter().map(|run| self.series(&run.meta)).collect();
        let alike: Vec<&RunEntry> = entries
            .iter()
            .filter(|run| can_be_checked(run) && series.contains(&self.series(&run.meta)))
            .collect();
        let grains = alike
            .iter()
            .fold(0_i64, |sum, run| sum.saturating_add(run.meta.grains));
        if alike.len() > MAX_RUNS || grains > MAX_GRAINS {
            let runs = alike.len() as u64;
            notes.push(WhatIfFact::PredictionsNotChecked { runs, grains }.into());
            return Ok(None);
        }
        let found = self.checked(&alike, question, reference)?.trust();
        if found.is_none() {
            let run = runs.first().map(|run| run.meta.name.clone());
            let run = run.unwrap_or_default();
            let has_reference = reference.is_some();
            notes.push(WhatIfFact::NothingToCheck { run, has_reference }.into());
        }
        Ok(found)
    }

    fn checked(
        &self,
        runs: &[&RunEntry],
        question: &WhatIfQuestion,
        reference: Option<&Reference>,
    ) -> Result<Checked, Error> {
        let mut checked = Checked::default();
        for by_workers in self.by_series(runs.iter().copied()).into_values() {
            if by_workers.len() < 2 {
                continue;
            }
            let mut alike: Vec<&RunEntry> = by_workers.values().flatten().copied().collect();
            alike.sort_by(|a, b| (&a.meta.name, a.meta.id).cmp(&(&b.meta.name, b.meta.id)));
            let of_run = |run: &&RunEntry| self.checked_run(run, &by_workers, question, reference);
            for found in map_on_threads(&alike, rayon::current_num_threads(), of_run) {
                checked.rows.extend(found?);
            }
            for (&workers, repeats) in &by_workers {
                if !repeats
                    .iter()
                    .any(|run| is_oversubscribed(&run.meta, workers))
                {
                    checked.differences.extend(differences(repeats));
                }
            }
        }
        Ok(checked)
    }

    fn checked_run(
        &self,
        run: &RunEntry,
        by_workers: &BTreeMap<u32, Vec<&RunEntry>>,
        question: &WhatIfQuestion,
        reference: Option<&Reference>,
    ) -> Result<Vec<CheckedPrediction>, Error> {
        let plain = WhatIfQuestion {
            policy: question.policy,
            repeats: question.repeats,
            seed: question.seed,
            ..WhatIfQuestion::default()
        };
        let prepared = self.prepare_any(run, &plain, reference)?;
        let mut rows = Vec::new();
        for (&workers, alike) in by_workers {
            let is_shown = reference.is_none() || prepared.inflated(workers).is_some();
            if workers == prepared.workers || !is_shown {
                continue;
            }
            self.progress.check()?;
            let changes = Changes::none(&plain);
            let predicted = prepared
                .schedules(&changes, workers, &self.progress)?
                .times
                .mean;
            let Some(recorded) = median(&elapsed(alike)) else {
                continue;
            };
            let most = workers.max(prepared.workers);
            rows.push(CheckedPrediction {
                run: run.meta.id.to_string(),
                name: run.meta.name.clone(),
                from: u64::from(prepared.workers),
                workers: u64::from(workers),
                predicted,
                recorded,
                runs: alike.len() as u64,
                error: predicted / recorded - 1.0,
                counts: !is_oversubscribed(&run.meta, most),
            });
        }
        Ok(rows)
    }

    /// The runs that can be checked, by series and number of workers.
    fn by_series<'a>(
        &self,
        runs: impl Iterator<Item = &'a RunEntry>,
    ) -> BTreeMap<Series, BTreeMap<u32, Vec<&'a RunEntry>>> {
        let mut by_series: BTreeMap<Series, BTreeMap<u32, Vec<&RunEntry>>> = BTreeMap::new();
        for run in runs.filter(|run| can_be_checked(run)) {
            if let Some(workers) = workers(&run.meta) {
                let series = by_series.entry(self.series(&run.meta)).or_default();
                series.entry(workers).or_default().push(run);
            }
        }
        by_series
    }

    pub(super) fn series(&self, meta: &RunMeta) -> Series {
        let is_kept = |name: &&String| {
            !self.rules.identifies_launch(name) && !WORKER_PARAMETERS.contains(&name.as_str())
        };
        let params = meta.params.iter().filter(|(name, _)| is_kept(name));
        let params = params.map(|(name, value)| (name.clone(), value.shown()));
        (
            meta.program.clone(),
            meta.time_unit.to_string(),
            params.collect(),
        )
    }
}

/// Elapsed times of runs with one number of workers; absent if there are none.
fn times_of(run: &str, workers: u32, runs: &[&RunEntry]) -> Option<RecordedTimes> {
    let times = || runs.iter().filter_map(|run| run.meta.elapsed);
    Some(RecordedTimes {
        run: run.to_owned(),
        workers: workers.into(),
        runs: runs.len() as u64,
        median: median(&elapsed(runs))?,
        min: times().min()?,
        max: times().max()?,
        is_oversubscribed: runs.iter().any(|run| is_oversubscribed(&run.meta, workers)),
    })
}

/// Elapsed times of runs that can be checked.
fn elapsed(runs: &[&RunEntry]) -> Vec<f64> {
    let times = runs.iter().filter_map(|run| run.meta.elapsed);
    times.map(|time| time as f64).collect()
}

/// Whether there are more workers than processors on the machine of a run; false if it does not state them.
fn is_oversubscribed(meta: &RunMeta, workers: u32) -> bool {
    cores(meta).is_some_and(|cores| f64::from(workers) > cores)
}

/// Reason why no prediction can be checked.
fn none_differ(runs: usize, has_reference: bool) -> String {
    let known = if has_reference {
        "with numbers of workers that the runs of the reference have too"
    } else {
        "with several numbers of workers"
    };
    format!(
        "none of {runs} runs differ in the number of workers alone; choose complete runs of one program {known}"
    )
}

pub(super) fn workers(meta: &RunMeta) -> Option<u32> {
    let workers = u32::try_from(meta.workers?).ok()?;
    (workers > 0).then_some(workers)
}

pub(super) fn can_be_checked(run: &RunEntry) -> bool {
    let meta = &run.meta;
    run.grains.is_some()
        && meta.is_complete
        && meta.ranks <= 1
        && workers(meta).is_some()
        && meta.elapsed.is_some_and(|elapsed| elapsed > 0)
}

impl Checked {
    /// Median and largest of the absolute errors that count, and how far repeats are apart.
    fn trust(&self) -> Option<PredictionTrust> {
        let errors: Vec<f64> = self
            .rows
            .iter()
            .filter(|row| row.counts)
            .map(|row| row.error.abs())
            .collect();
        Some(PredictionTrust {
            pairs: errors.len() as u64,
            largest: errors.iter().copied().fold(0.0, f64::max),
            median: median(&errors)?,
            repeats: median(&self.differences),
        })
    }
}

/// Relative differences of the times of repeats from their median; none if they are too few to have a typical time.
fn differences(runs: &[&RunEntry]) -> Vec<f64> {
    let times = elapsed(runs);
    if times.len() < MIN_REPEATS {
        return Vec::new();
    }
    let typical = median(&times).unwrap_or_default();
    times
        .iter()
        .map(|time| (time / typical - 1.0).abs())
        .collect()
}
