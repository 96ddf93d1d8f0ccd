//! Differences.

use sheaf_answers as api;
use sheaf_ensemble::{
    ChangeKind, DiffAnswer, DiffRow, EnvironmentChange, MappingEdit, MappingEntry, MatchedBy,
    PossibleMatch, StructuralChange, StructureVerdict, Verdict,
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
        estimated: metric.estimated_in as u64,
        // Only exclusive values conserve, so only these are compared.
        scope: sheaf_model::Scope::Exclusive,
        unit: metric.unit,
        direction: metric.direction,
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
                normalised: matched.normalised,
                template: matched.template,
                confirmed: matched.confirmed,
                inferred: matched.inferred,
                unmatched: matched.unmatched,
            },
            changes: answer.structure.changes.into_iter().map(change).collect(),
            possible_matches: answer
                .structure
                .possible_matches
                .into_iter()
                .map(possible)
                .collect(),
        },
        impact_of: "baseline_total".to_owned(),
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
        label: metric.label,
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

/// What a store's mapping says.
pub(crate) fn mapping(entries: Vec<MappingEntry>, notes: Vec<String>) -> api::Mapping {
    let pair = |entry: MappingEntry| api::MappedPair {
        a: entry.a,
        b: entry.b,
        same: entry.is_same,
        note: entry.note,
    };
    api::Mapping {
        schema: "mapping/1".to_owned(),
        pairs: entries.into_iter().map(pair).collect(),
        notes,
        undo: Vec::new(),
    }
}

/// The changes of a request.
pub(crate) fn mapping_edits(changes: Vec<api::MappingChange>) -> Vec<MappingEdit> {
    let edit = |change: api::MappingChange| {
        let api::MappingChange { a, b, same, note } = change;
        match (same, note) {
            (None, _) => MappingEdit::Forget(a, b),
            (Some(true), None) => MappingEdit::Same(a, b),
            (Some(false), None) => MappingEdit::Different(a, b),
            (Some(is_same), note) => MappingEdit::Restore(MappingEntry {
                a,
                b,
                is_same,
                note,
            }),
        }
    };
    changes.into_iter().map(edit).collect()
}

/// What takes a change back.
pub(crate) fn mapping_changes(edits: Vec<MappingEdit>) -> Vec<api::MappingChange> {
    let change = |edit: MappingEdit| {
        let (a, b, same, note) = match edit {
            MappingEdit::Same(a, b) => (a, b, Some(true), None),
            MappingEdit::Different(a, b) => (a, b, Some(false), None),
            MappingEdit::Forget(a, b) => (a, b, None, None),
            MappingEdit::Restore(entry) => (entry.a, entry.b, Some(entry.is_same), entry.note),
        };
        api::MappingChange { a, b, same, note }
    };
    edits.into_iter().map(change).collect()
}

pub(super) fn row(row: DiffRow, metric: &str) -> api::DiffRow {
    let [path_a, path_b] = row.paths;
    let is_one = path_a == path_b;
    api::DiffRow {
        path: row.path,
        group: row.group,
        path_a: (!is_one).then_some(path_a),
        path_b: (!is_one).then_some(path_b),
        line_a: row.lines[0],
        line_b: row.lines[1],
        group_a: row.baseline,
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
        matched_by: row.matched_by.map(matched_by),
        match_score: row.match_score,
        structure: row.structure.into_iter().map(change_kind).collect(),
        runs_a: row.runs[0] as u64,
        runs_b: row.runs[1] as u64,
        n_a: row.compared[0] as u64,
        n_b: row.compared[1] as u64,
        inclusive_a: row.inclusive[0],
        inclusive_b: row.inclusive[1],
        outside: row.is_outside,
    }
}

pub(super) fn change(change: StructuralChange) -> api::StructuralChange {
    let [definition_a, definition_b] = change
        .definitions
        .map(|name| name.map(|name| name.to_string()));
    let [path_a, path_b] = change.paths;
    api::StructuralChange {
        kind: change_kind(change.kind),
        definition_a,
        definition_b,
        line_a: change.lines[0],
        line_b: change.lines[1],
        path_a,
        path_b,
        contexts_a: change.contexts[0] as u64,
        contexts_b: change.contexts[1] as u64,
        work_a: change.work[0],
        work_b: change.work[1],
        share: change.share,
        grains_a: change.grains[0],
        grains_b: change.grains[1],
        runs_a: change.runs[0] as u64,
        runs_b: change.runs[1] as u64,
        matched_by: change.matched_by.map(matched_by),
        score: change.score,
        name_similarity: change.name_similarity,
    }
}

fn possible(found: PossibleMatch) -> api::PossibleMatch {
    let names = |of: Vec<std::sync::Arc<str>>| of.iter().map(ToString::to_string).collect();
    let [path_a, path_b] = found.paths;
    let renamed = found.renamed.iter();
    api::PossibleMatch {
        path_a,
        path_b,
        contexts_a: found.contexts[0] as u64,
        contexts_b: found.contexts[1] as u64,
        edits: found.edits as u64,
        similarity: found.similarity,
        deleted: names(found.deleted),
        inserted: names(found.inserted),
        renamed: renamed
            .map(|pair| pair.each_ref().map(ToString::to_string))
            .collect(),
    }
}

pub(super) fn matched_by(matched: MatchedBy) -> String {
    let name = match matched {
        MatchedBy::Context => "context",
        MatchedBy::Definition => "definition",
        MatchedBy::Normalised => "normalised",
        MatchedBy::Template => "template",
        MatchedBy::Confirmed => "confirmed",
        MatchedBy::Inferred => "inferred",
    };
    name.to_owned()
}

pub(super) const fn change_kind(kind: ChangeKind) -> api::ChangeKind {
    match kind {
        ChangeKind::Appeared => api::ChangeKind::Appeared,
        ChangeKind::Vanished => api::ChangeKind::Vanished,
        ChangeKind::Renamed => api::ChangeKind::Renamed,
        ChangeKind::Wrapped => api::ChangeKind::Wrapped,
        ChangeKind::Unwrapped => api::ChangeKind::Unwrapped,
        ChangeKind::Moved => api::ChangeKind::Moved,
        ChangeKind::Multiplied => api::ChangeKind::Multiplied,
        ChangeKind::Reordered => api::ChangeKind::Reordered,
        ChangeKind::ThreadCountDependent => api::ChangeKind::ThreadCountDependent,
        ChangeKind::Varies => api::ChangeKind::Varies,
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
