//! Gates.

use sheaf_answers as api;
use sheaf_ensemble::{GateAnswer, GateOptions, GateOutcome, GateState};
use sheaf_model::Lens;

/// A gate with the options that it was asked with.
pub(crate) fn gate(
    lens: &Lens,
    answer: GateAnswer,
    options: &GateOptions,
    is_strict: bool,
) -> api::Gate {
    let outcome = outcome(answer.outcome);
    let diff = super::diff(lens, answer.diff);
    let group = |check: &sheaf_ensemble::GateCheck| {
        let row = diff.rows.get(check.row)?;
        Some(api::GateGroup {
            path: row.path.clone(),
            group: row.group.clone(),
            row: check.row as u64,
            state: state(check.state),
            limit: check.limit,
            worsening: check.worsening,
            share: check.share,
            reason: check.reason.clone(),
        })
    };
    let causes = [
        (options.fails_on_slower, api::GateCause::Slower),
        (options.fails_on_structure, api::GateCause::Structure),
    ];
    api::Gate {
        schema: "gate/1".to_owned(),
        outcome,
        reasons: answer.reasons,
        limits: api::GateLimits {
            alpha: options.alpha,
            max_regression: options.max_regression,
            min_share: options.min_share,
            share_of: "greater_total".to_owned(),
            fail_on: causes
                .into_iter()
                .filter_map(|(is_asked, cause)| is_asked.then_some(cause))
                .collect(),
            is_strict,
            thresholds: options.thresholds.len() as u64,
        },
        total: answer.total.as_ref().map(|total| api::GateTotal {
            state: state(total.state),
            worsening: total.worsening,
            ratio: total.ratio.value,
            ci: total.ratio.interval.map(|ends| [ends.low, ends.high]),
            p: total.p,
        }),
        untested_total: answer.untested_total,
        incomplete: answer.incomplete,
        structure_change: answer.structure_change,
        runs_needed: answer.runs_needed.map(|runs| runs as u64),
        groups: answer.checks.iter().filter_map(group).collect(),
        diff,
    }
}

const fn outcome(outcome: GateOutcome) -> api::GateOutcome {
    match outcome {
        GateOutcome::Passed => api::GateOutcome::Passed,
        GateOutcome::Failed => api::GateOutcome::Failed,
        GateOutcome::Inconclusive => api::GateOutcome::Inconclusive,
    }
}

const fn state(state: GateState) -> api::GateState {
    match state {
        GateState::Failed => api::GateState::Failed,
        GateState::Undecided => api::GateState::Undecided,
        GateState::Passed => api::GateState::Passed,
        GateState::Small => api::GateState::Small,
        GateState::NotAsked => api::GateState::NotAsked,
    }
}
