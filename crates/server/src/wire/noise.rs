//! Noise of repeats.

use sheaf_answers as api;
use sheaf_ensemble::{NOISE_RUNS, NoiseAnswer, NoiseOptions, NoiseRow};
use sheaf_model::Lens;

use super::params;

/// Noise with the options that it was measured with.
pub(crate) fn noise(lens: &Lens, answer: NoiseAnswer, options: &NoiseOptions) -> api::Noise {
    let alpha = options.gate.alpha;
    let cohorts = answer.cohorts.into_iter().map(|cohort| api::NoiseCohort {
        name: cohort.name,
        values: params(&cohort.values),
        runs: cohort.runs.iter().map(ToString::to_string).collect(),
        groups: cohort.rows.into_iter().map(group).collect(),
        check: cohort.check.map(|found| check(&found, alpha)),
        preempted_share: cohort.preempted,
    });
    api::Noise {
        schema: "noise/1".to_owned(),
        lens: lens.to_string(),
        level: lens.level,
        metric: answer.metric.name,
        unit: answer.metric.unit,
        by: answer.by,
        alpha,
        power: options.power,
        seed: options.seed,
        cohorts: cohorts.collect(),
        check: check(&answer.check, alpha),
        repeats_needed: answer.repeats_needed.map(|runs| runs as u64),
        notes: answer.notes,
    }
}

fn group(row: NoiseRow) -> api::NoiseGroup {
    let with = NOISE_RUNS.iter().zip(row.visible_with);
    api::NoiseGroup {
        path: row.path,
        group: row.group,
        runs: row.runs as u64,
        median: row.median,
        share: row.share,
        spread: row.spread,
        visible: row.visible,
        visible_with: with
            .filter_map(|(runs, change)| Some((runs.to_string(), change?)))
            .collect(),
        seen: row.seen,
        threshold: row.threshold,
    }
}

fn check(found: &sheaf_ensemble::SplitCheck, alpha: f64) -> api::SplitCheck {
    let share = found.share();
    api::SplitCheck {
        splits: found.splits as u64,
        is_all: found.is_all,
        can_fail: found.can_fail,
        gates: found.gates as u64,
        failed: found.failed as u64,
        share,
        holds: share.filter(|_| found.can_fail).map(|share| share <= alpha),
    }
}
