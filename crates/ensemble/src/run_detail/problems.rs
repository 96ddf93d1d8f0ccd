//! Problems of one run: thresholds, and the grains beyond them.

use std::sync::Arc;

use sheaf_answers::{NotChecked, Problem, ProblemDefinition, Problems, WorstGrain};
use sheaf_grains::problem::{
    Diagnosis, LOCK_WAITING, LOCKS, PAPER, Preset, TOOL, Threshold, diagnose,
};

use sheaf_model::{Cancelled, Progress};

use super::locks;
use super::names::{site, text_at};
use super::{OpenRun, ThresholdSet};
use crate::bounded_cache::BoundedCache;
use crate::once::Turn;
use crate::{Error, View};
use sheaf_analysis::did_you_mean;

/// Bytes of answers that are kept of a run.
const MAX_BYTES: usize = 4 << 20;

/// Answers by their thresholds: a page asks again whenever it is shown.
#[derive(Debug)]
pub(super) struct Checked {
    answers: BoundedCache<Vec<(String, bool)>, Arc<Problems>>,
    checking: Turn,
}

impl Default for Checked {
    fn default() -> Self {
        Self {
            answers: BoundedCache::new(MAX_BYTES),
            checking: Turn::default(),
        }
    }
}

impl View<'_> {
    /// Grains of one run that are beyond thresholds; `conditions` such as `work_deviation > 1.2` in place of
    /// those of `set`, where there are any. Deviations are from the runs that `reference` names.
    ///
    /// # Errors
    /// When the selector names no run or several, the run has no grains, a condition is malformed or about
    /// no metric, or the reference is none.
    pub fn problems(
        &self,
        run: &str,
        conditions: &[String],
        set: ThresholdSet,
        reference: Option<&str>,
    ) -> Result<Problems, Error> {
        let (meta, depth) = self.run_against(run, reference)?;
        let thresholds = if conditions.is_empty() {
            let mut all = thresholds(set);
            if locks::has_locks(&depth.tables().summary) {
                all.extend(of_presets(LOCKS));
            }
            all
        } else {
            let read = conditions.iter().map(|text| depth.threshold(text));
            read.collect::<Result<_, _>>()?
        };
        let key: Vec<(String, bool)> = thresholds
            .iter()
            .map(|threshold| (threshold.to_string(), threshold.is_by_loop))
            .collect();
        let _turn = depth.checked.checking.take(&self.progress)?;
        if let Some(known) = depth.checked.answers.get(&key) {
            return Ok(Problems::clone(&known));
        }
        let diagnosis = depth.diagnose(&thresholds, &self.progress)?;
        let answer = Problems {
            schema: "problems/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            reference: depth.comparison(&self.progress)?.cloned(),
            not_checked: diagnosis
                .not_checked
                .iter()
                .map(|threshold| NotChecked {
                    metric: depth.as_written(&threshold.metric),
                    condition: threshold.condition.clone(),
                    reason: threshold.reason.to_string(),
                })
                .collect(),
            elapsed: diagnosis.elapsed,
            problems: depth.problem_rows(diagnosis),
        };
        let bytes = serde_json::to_vec(&answer).map_or(MAX_BYTES, |text| text.len());
        let kept = Arc::new(answer.clone());
        depth.checked.answers.put(key, kept, bytes);
        Ok(answer)
    }
}

impl OpenRun {
    pub(super) fn diagnose(
        &self,
        thresholds: &[Threshold],
        progress: &Progress,
    ) -> Result<Diagnosis, Cancelled> {
        self.with_evaluation(progress, |evaluation| Ok(diagnose(evaluation, thresholds)))
    }

    /// The thresholds that a name or a condition stands for: a problem of the presets, a metric that one of
    /// them is about, or a condition.
    pub(super) fn named_threshold(problem: &str) -> Result<Threshold, Error> {
        if problem.contains(['<', '>']) {
            return parse_threshold(problem);
        }
        let presets = || PAPER.iter().chain(TOOL).chain(LOCKS);
        let by_name = presets().find(|preset| preset.problem == problem);
        let is_about = |preset: &&Preset| {
            let threshold = preset.threshold();
            threshold.is_ok_and(|threshold| threshold.metric == problem)
        };
        let preset = by_name.or_else(|| presets().find(is_about));
        let threshold = preset.and_then(|preset| preset.threshold().ok());
        threshold.ok_or_else(|| Error::UnknownProblem {
            name: problem.to_owned(),
            nearest: did_you_mean(problem, presets().map(|preset| preset.problem)),
        })
    }

    /// A condition about a metric that this run knows of.
    fn threshold(&self, text: &str) -> Result<Threshold, Error> {
        let threshold = parse_threshold(text)?;
        if self.metric_name(&threshold.metric).is_none() {
            return Err(self.unknown_metric(&threshold.metric));
        }
        Ok(threshold)
    }

    fn as_written(&self, metric: &str) -> String {
        self.metric_name(metric)
            .unwrap_or_else(|| metric.to_owned())
    }

    fn problem_rows(&self, diagnosis: Diagnosis) -> Vec<Problem> {
        let definitions = &self.tables().summary.definitions;
        let row = |problem: sheaf_grains::problem::Problem| Problem {
            cause: (problem.metric == LOCK_WAITING)
                .then(|| locks::cause(self.tables(), &problem.grains))
                .flatten(),
            unit: self.metric_unit(&problem.metric),
            metric: self.as_written(&problem.metric),
            condition: problem.condition,
            limit: problem.limit,
            checked: problem.checked,
            grains: problem.grains.len() as u64,
            critical_grains: problem.critical_grains,
            share_of_work: problem.share_of_work,
            gain: problem.gain,
            balanced_chunks: problem.balanced_chunks,
            book_keeping: problem.book_keeping.len() as u64,
            worst: problem.worst.map(|worst| WorstGrain {
                grain: worst.row,
                path: self.path(worst.row as usize),
                value: worst.value,
            }),
            definitions: problem
                .definitions
                .iter()
                .filter_map(|found| {
                    let row = usize::try_from(found.definition).ok()?;
                    Some(ProblemDefinition {
                        definition: text_at(&definitions.name, row)?.to_owned(),
                        site: self.site(row),
                        grains: found.grains,
                        share: found.share,
                        work: found.work,
                        gain: found.gain,
                        severity: found.severity,
                    })
                })
                .collect(),
        };
        diagnosis.problems.into_iter().map(row).collect()
    }

    /// Source file and line of a definition.
    pub(super) fn site(&self, definition: usize) -> Option<String> {
        site(&self.tables().summary.definitions, definition)
    }
}

pub(super) fn thresholds(set: ThresholdSet) -> Vec<Threshold> {
    of_presets(match set {
        ThresholdSet::Paper => PAPER,
        ThresholdSet::Prototype => TOOL,
    })
    .collect()
}

fn of_presets(presets: &[Preset]) -> impl Iterator<Item = Threshold> {
    presets.iter().filter_map(|preset| preset.threshold().ok())
}

fn parse_threshold(text: &str) -> Result<Threshold, Error> {
    text.parse().map_err(|source| Error::Threshold { source })
}
