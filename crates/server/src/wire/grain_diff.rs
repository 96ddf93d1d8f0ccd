//! Differences, grain by grain.

use sheaf_answers as api;
use sheaf_ensemble::{
    GrainDiffAnswer, GrainDiffDefinition, GrainDiffRow, GrainGroup, GrainSelection, MatchedBy,
};
use sheaf_model::Lens;

use super::diff::{environment, matched_by, side};
use super::history::renamed;

/// A difference, grain by grain.
pub(crate) fn grain_diff(lens: &Lens, answer: GrainDiffAnswer) -> api::GrainDiff {
    let [a, b] = answer.sides.each_ref().map(side);
    api::GrainDiff {
        schema: "grain-diff/1".to_owned(),
        lens: lens.to_string(),
        a,
        b,
        unit: answer.unit,
        environment: environment(&answer.environment),
        totals: group(&answer.total),
        definitions: answer.definitions.into_iter().map(definition).collect(),
        renames: answer.renames.iter().map(|names| renamed(names)).collect(),
        notes: answer.notes,
        total: answer.selected as u64,
        offset: answer.offset as u64,
        rows: answer.rows.into_iter().map(row).collect(),
    }
}

/// Which grains a client asks for.
pub(crate) const fn selection(selection: api::GrainMatch) -> GrainSelection {
    match selection {
        api::GrainMatch::All => GrainSelection::All,
        api::GrainMatch::Matched => GrainSelection::Matched,
        api::GrainMatch::Unmatched => GrainSelection::Unmatched,
    }
}

fn definition(it: GrainDiffDefinition) -> api::GrainDiffDefinition {
    api::GrainDiffDefinition {
        definition: it.name,
        group: it.id.to_string(),
        grains: group(&it.grains),
    }
}

fn group(it: &GrainGroup) -> api::GrainDiffGroup {
    api::GrainDiffGroup {
        matched: it.matched,
        only_a: it.only[0],
        only_b: it.only[1],
        unmatchable_a: it.unmatchable[0],
        unmatchable_b: it.unmatchable[1],
        a: it.work[0],
        b: it.work[1],
        delta: it.delta,
        matched_work_a: it.matched_work[0],
        matched_work_b: it.matched_work[1],
        only_work_a: it.only_work[0],
        only_work_b: it.only_work[1],
        unmatchable_work_a: it.unmatchable_work[0],
        unmatchable_work_b: it.unmatchable_work[1],
        work_deviation: it.work_deviation,
        median_work_deviation: it.median_work_deviation,
        stretch: it.stretch,
        median_stretch: it.median_stretch,
        delay_change: it.delay_change,
    }
}

fn row(row: GrainDiffRow) -> api::GrainDiffRow {
    let it = row.delta;
    let is_matched = it.runs.iter().all(|&runs| runs > 0);
    api::GrainDiffRow {
        path: row.path,
        definition: row.definition,
        path_key: api::path_key_text(it.path_key.0),
        kind: row.kind.to_owned(),
        matched_by: is_matched.then(|| match it.through {
            Some((by, _)) => matched_by(by),
            None => "path".to_owned(),
        }),
        match_score: it
            .through
            .and_then(|(by, score)| (by == MatchedBy::Inferred).then_some(score)),
        runs_a: it.runs[0],
        runs_b: it.runs[1],
        a: it.work[0],
        b: it.work[1],
        delta: it.delta,
        work_deviation: it.work_deviation,
        lifetime_a: it.lifetime[0],
        lifetime_b: it.lifetime[1],
        stretch: it.stretch,
        delay_a: it.delay[0],
        delay_b: it.delay[1],
        delay_change: it.delay_change,
    }
}
