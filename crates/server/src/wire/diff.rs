//! Differences.

use sheaf_api as api;
use sheaf_ensemble::{
    DiffAnswer, DiffRow, EnvironmentChange, MatchedBy, StructureVerdict, Verdict,
};
use sheaf_model::{Lens, RunId};

use super::param;

/// A difference.
pub(crate) fn diff(lens: &Lens, answer: DiffAnswer) -> api::Diff {
    let matched = answer.structure.matched_work;
    let metric = answer.metric;
    api::Diff {
        schema: "diff/1".to_owned(),
        lens: lens.to_string(),
        a: side(&answer.sides[0]),
        b: side(&answer.sides[1]),
        // Only exclusive values conserve, so only these are compared.
        scope: sheaf_model::Scope::Exclusive.to_string(),
        unit: metric.unit,
        direction: metric.direction.to_string(),
        environment: environment(&answer.environment),
        structure: api::StructureChange {
            verdict: structure_verdict(answer.structure.verdict),
            reason: answer.structure.reason,
            appeared: answer.structure.appeared as u64,
            vanished: answer.structure.vanished as u64,
            common: answer.structure.common as u64,
            matched_work: api::MatchedBy {
                context: matched.context,
                definition: matched.definition,
                unmatched: matched.unmatched,
            },
        },
        rows: answer
            .rows
            .into_iter()
            .map(|one| row(one, &metric.name))
            .collect(),
        totals: answer.totals.map(|totals| api::DiffTotals {
            a: totals.a,
            b: totals.b,
            delta: totals.delta,
        }),
        notes: answer.notes,
        smallest_p: answer.smallest_p,
        runs_needed: answer.runs_needed.map(|runs| runs as u64),
        runs_needed_among: answer.runs_needed_among.map(|runs| runs as u64),
        tested: answer.tested as u64,
        metric: metric.name,
    }
}

/// A side with the ids of its runs.
pub(super) fn side((name, runs): &(String, Vec<RunId>)) -> api::Side {
    api::Side {
        name: name.clone(),
        runs: runs.iter().map(ToString::to_string).collect(),
    }
}

/// Parameters that differ.
pub(super) fn environment(changes: &[EnvironmentChange]) -> Vec<api::EnvironmentChange> {
    let change = |change: &EnvironmentChange| api::EnvironmentChange {
        parameter: change.parameter.clone(),
        a: change.values[0].iter().map(param).collect(),
        b: change.values[1].iter().map(param).collect(),
    };
    changes.iter().map(change).collect()
}

pub(super) fn row(row: DiffRow, metric: &str) -> api::DiffRow {
    let matched_by = row.matched_by.map(|matched| match matched {
        MatchedBy::Context => "context".to_owned(),
        MatchedBy::Definition => "definition".to_owned(),
    });
    api::DiffRow {
        path: row.path,
        group: row.group,
        metric: metric.to_owned(),
        a: row.means[0],
        b: row.means[1],
        delta: row.delta,
        impact: row.impact,
        ratio: row.ratio,
        ci: row.interval,
        shift: row.shift,
        shift_ci: row.shift_interval,
        p: row.p,
        q: row.q,
        cliffs_delta: row.cliffs_delta,
        verdict: verdict(row.verdict),
        reason: row.reason,
        matched_by,
        runs_a: row.runs[0] as u64,
        runs_b: row.runs[1] as u64,
        n_a: row.compared[0] as u64,
        n_b: row.compared[1] as u64,
        inclusive_a: row.inclusive[0],
        inclusive_b: row.inclusive[1],
    }
}

const fn structure_verdict(verdict: StructureVerdict) -> api::StructureVerdict {
    match verdict {
        StructureVerdict::Same => api::StructureVerdict::Same,
        StructureVerdict::Varies => api::StructureVerdict::Varies,
        StructureVerdict::ThreadCountDependent => api::StructureVerdict::ThreadCountDependent,
        StructureVerdict::Changed => api::StructureVerdict::Changed,
        StructureVerdict::Different => api::StructureVerdict::Different,
    }
}

pub(super) const fn verdict(verdict: Verdict) -> api::Verdict {
    match verdict {
        Verdict::Appeared => api::Verdict::Appeared,
        Verdict::Vanished => api::Verdict::Vanished,
        Verdict::Faster => api::Verdict::Faster,
        Verdict::Slower => api::Verdict::Slower,
        Verdict::Unchanged => api::Verdict::Unchanged,
        Verdict::Inconclusive => api::Verdict::Inconclusive,
        Verdict::Untestable => api::Verdict::Untestable,
    }
}
