//! Two runs or cohorts compared grain by grain.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_answers::{
    DiffFact, GrainDiffDefinition, GrainDiffGroup, GrainDiffRow, GrainKind, GrainMatch, MatchedBy,
    Note, path_key_text,
};
use sheaf_compare::diff::{DiffSide, environment_changes};
use sheaf_compare::grain_diff::{
    Followed, GrainColumns, GrainDelta, GrainDiff, GrainDiffer, follow,
};
use sheaf_compare::renaming::Renaming;
use sheaf_model::table::Grains;
use sheaf_model::{Compare, DefinitionId, Lens, RunId, RunSummary};

use super::has_grains;
use super::names::text_at;
use crate::bounded_cache::BoundedCache;
use crate::cache::Tables;
use crate::runs::RunEntry;
use crate::{Error, View, complete};

/// Grains that are in memory at once before they are summed, unless one run has more.
const GRAINS_AT_ONCE: i64 = 2 << 20;
/// Bytes of the comparisons that are kept.
pub(crate) const MAX_GRAIN_DIFFS: usize = 1 << 30;

/// Which rows of a comparison.
#[derive(Debug, Clone, Copy, Default)]
pub struct GrainDiffQuestion {
    /// Which grains.
    pub selection: GrainMatch,
    /// Rows left out.
    pub offset: usize,
    /// Rows at most; all when absent.
    pub limit: Option<usize>,
}

type Sides = [Vec<RunId>; 2];

/// A comparison, and which definitions are one in it.
#[derive(Debug)]
pub(crate) struct Comparison {
    renaming: Renaming,
    diff: GrainDiff,
}

/// Comparisons by their sides, so that the next page needs none.
pub(crate) type GrainDiffs = BoundedCache<Sides, Arc<Comparison>>;

impl View<'_> {
    /// Follows the definitions of two sides, by their contexts and the iterations of some runs, and as the user states.
    pub(super) fn follow(
        &self,
        sides: &[Vec<&RunEntry>; 2],
        summaries: &[Arc<RunSummary>],
    ) -> Result<Followed, Error> {
        let facts = self.grain_facts(sides)?;
        let counts = facts.each_ref().map(|facts| &facts.iterations);
        let ids = sides.each_ref().map(|side| ids(side));
        let mapping = self.ensemble.diff_mapping()?;
        let of_sides = ids.each_ref().map(Vec::as_slice);
        Ok(follow(summaries, of_sides, counts, &mapping))
    }

    /// Grains of the two sides of the lens's `diff` clause, out of the runs that it selects, matched by
    /// the keys of their paths.
    ///
    /// # Errors
    /// When the lens has no two sides or one of them is empty, a run has no grains, or times of runs are
    /// in different units.
    pub fn grain_diff(
        &self,
        lens: &Lens,
        question: &GrainDiffQuestion,
    ) -> Result<sheaf_answers::GrainDiff, Error> {
        let Compare::Diff { a, b } = &lens.compare else {
            return Err(Error::NoSides);
        };
        let entries = self.entries();
        let (sides, left_out) = complete::comparable_sides(lens, &entries, [a, b])?;
        let mut compared: Vec<&RunEntry> = sides.concat();
        compared.sort_by_key(|run| run.meta.id);
        compared.dedup_by_key(|run| run.meta.id);
        let unit = common_unit(&compared)?;
        let summaries = self.summaries(&compared, Tables::Totals)?;
        let ids = sides.each_ref().map(|side| ids(side));
        let Followed {
            runs: summaries,
            renaming: [_, renaming],
        } = self.follow(&sides, &summaries)?;
        let known = &self.ensemble.grain_diffs;
        let kept = known.get(&ids).filter(|kept| kept.renaming == renaming);
        let comparison = if let Some(comparison) = kept {
            comparison
        } else {
            let diff = self.compare(&compared, &summaries, &ids, &renaming)?;
            let bytes = diff.bytes();
            let made = Arc::new(Comparison { renaming, diff });
            known.put(ids, Arc::clone(&made), bytes);
            made
        };
        let Comparison { renaming, diff } = &*comparison;
        let of_side = |side: usize| self.summaries(&sides[side], Tables::Totals);
        let of_sides = [of_side(0)?, of_side(1)?];
        let mut notes = notes(diff.total(), renaming);
        notes.splice(0..0, left_out);
        notes.extend(self.mapping_notes_of(of_sides.each_ref().map(Vec::as_slice))?);
        let names = names(&summaries);
        let name = |id: DefinitionId| {
            let joined = renaming.joined(id);
            joined.unwrap_or_else(|| names.get(&id).cloned().unwrap_or_default())
        };
        let limit = question.limit.unwrap_or(usize::MAX);
        let page = diff.page(question.selection, question.offset, limit);
        let definitions = diff.definitions().iter().map(|it| GrainDiffDefinition {
            definition: name(it.definition),
            group: it.definition.to_string(),
            grains: it.grains.clone(),
        });
        let names = [a, b].map(|side| side.0.clone());
        let of_sides = [0, 1].map(|side: usize| DiffSide {
            name: names[side].clone(),
            runs: sides[side].iter().map(|run| &*run.meta).collect(),
        });
        let [a, b] = of_sides.each_ref().map(DiffSide::answer);
        Ok(sheaf_answers::GrainDiff {
            schema: "grain-diff/1".to_owned(),
            lens: lens.to_string(),
            a,
            b,
            unit,
            environment: environment_changes(&of_sides),
            totals: diff.total().clone(),
            definitions: definitions.collect(),
            renames: renaming.answer(&[]),
            notes,
            total: diff.len(question.selection) as u64,
            offset: question.offset as u64,
            rows: self.grain_diff_rows(page, &compared, &name)?,
        })
    }

    /// Reads the grains of some runs at a time, in the order of their ids.
    fn compare(
        &self,
        compared: &[&RunEntry],
        summaries: &[Arc<RunSummary>],
        sides: &Sides,
        renaming: &Renaming,
    ) -> Result<GrainDiff, Error> {
        let mut differ = GrainDiffer::new([sides[0].len(), sides[1].len()]);
        let is_on = sides.each_ref().map(|side| {
            let mut ids = side.clone();
            ids.sort_unstable();
            ids
        });
        let runs: Vec<(&RunEntry, &RunSummary)> = compared
            .iter()
            .copied()
            .zip(summaries.iter().map(AsRef::as_ref))
            .collect();
        for together in batches(&runs, |(run, _)| run.grains.unwrap_or(0)) {
            self.progress.check()?;
            let read: Result<Vec<_>, Error> = together
                .par_iter()
                .map(|(run, summary)| {
                    let id = run.meta.id;
                    let sides = [0, 1].map(|side: usize| is_on[side].binary_search(&id).is_ok());
                    Ok((self.grain_columns(id, summary, renaming)?, sides))
                })
                .collect();
            differ.add(&read?);
        }
        Ok(differ.finish())
    }

    fn grain_columns(
        &self,
        run: RunId,
        summary: &RunSummary,
        renaming: &Renaming,
    ) -> Result<GrainColumns, Error> {
        let mut needed = GrainColumns::NEEDED.to_vec();
        if !renaming.is_empty() {
            needed.extend(GrainColumns::NEEDED_TO_RENAME);
        }
        let grains = self.snapshot.columns(run, Grains::NAME, &needed, None)?;
        let dependences = self.snapshot.dependences(run)?;
        let tables = (&summary.definitions, &summary.contexts);
        let columns = GrainColumns::read(run, tables, &grains, &dependences);
        let renamed = columns.and_then(|mut columns| {
            if !renaming.is_empty() {
                columns.rename(&grains, &summary.contexts, renaming)?;
            }
            Some(columns)
        });
        renamed.ok_or_else(|| sheaf_store::Error::UnknownRun { run }.into())
    }

    /// Rows with the paths that the first run which has the grain writes.
    fn grain_diff_rows(
        &self,
        page: Vec<GrainDelta>,
        compared: &[&RunEntry],
        name: &impl Fn(DefinitionId) -> String,
    ) -> Result<Vec<GrainDiffRow>, Error> {
        let mut places_of = vec![(Vec::new(), GrainKind::Task); page.len()];
        let mut by_owner: BTreeMap<RunId, Vec<usize>> = BTreeMap::new();
        for (place, delta) in page.iter().enumerate() {
            by_owner.entry(delta.owner.0).or_default().push(place);
        }
        for (owner, places) in by_owner {
            let Some(run) = compared.iter().find(|run| run.meta.id == owner) else {
                continue;
            };
            let depth = self.depth(run)?;
            for place in places {
                let grain = page[place].owner.1 as usize;
                places_of[place] = (depth.path(grain), depth.kind(grain));
            }
        }
        let rows = page.into_iter().zip(places_of);
        Ok(rows
            .map(|(delta, (path, kind))| row(&delta, path, kind, name))
            .collect())
    }
}

fn row(
    delta: &GrainDelta,
    path: Vec<String>,
    kind: GrainKind,
    name: &impl Fn(DefinitionId) -> String,
) -> GrainDiffRow {
    let is_matched = delta.runs.iter().all(|&runs| runs > 0);
    let by = delta.through.map_or(MatchedBy::Path, |(by, _)| by);
    let inferred = delta.through.filter(|_| by == MatchedBy::Inferred);
    GrainDiffRow {
        path,
        definition: name(delta.definition),
        path_key: path_key_text(delta.path_key.0),
        kind,
        matched_by: is_matched.then_some(by),
        match_score: inferred.map(|(_, score)| score),
        runs_a: delta.runs[0],
        runs_b: delta.runs[1],
        a: delta.work[0],
        b: delta.work[1],
        delta: delta.delta,
        work_deviation: delta.work_deviation,
        lifetime_a: delta.lifetime[0],
        lifetime_b: delta.lifetime[1],
        stretch: delta.stretch,
        delay_a: delta.delay[0],
        delay_b: delta.delay[1],
        delay_change: delta.delay_change,
    }
}

/// Runs in their order, cut so that those read together have no more grains than are wanted at once.
fn batches<T>(runs: &[T], grains: impl Fn(&T) -> i64) -> Vec<&[T]> {
    let mut batches = Vec::new();
    let (mut first, mut sum) = (0, 0_i64);
    for (at, run) in runs.iter().enumerate() {
        let own = grains(run);
        if at > first && sum.saturating_add(own) > GRAINS_AT_ONCE {
            batches.push(&runs[first..at]);
            (first, sum) = (at, 0);
        }
        sum = sum.saturating_add(own);
    }
    if first < runs.len() {
        batches.push(&runs[first..]);
    }
    batches
}

pub(super) fn ids(side: &[&RunEntry]) -> Vec<RunId> {
    side.iter().map(|run| run.meta.id).collect()
}

/// The time unit of all runs.
pub(super) fn common_unit(compared: &[&RunEntry]) -> Result<String, Error> {
    for run in compared {
        has_grains(run)?;
    }
    let Some((first, others)) = compared.split_first() else {
        return Err(Error::NoSides);
    };
    let unit = first.meta.time_unit;
    match others.iter().find(|run| run.meta.time_unit != unit) {
        None => Ok(unit.to_string()),
        Some(other) => Err(Error::NotComparable {
            run: other.meta.name.clone(),
            reason: format!(
                "its times are in {}, those of `{}` in {unit}; add both with the clock rate",
                other.meta.time_unit, first.meta.name
            ),
        }),
    }
}

/// Names of all definitions, as the first run that has one writes it.
pub(super) fn names(summaries: &[Arc<RunSummary>]) -> BTreeMap<DefinitionId, String> {
    let mut names = BTreeMap::new();
    for summary in summaries {
        let definitions = &summary.definitions;
        for row in 0..definitions.len() {
            let id = <[u8; 16]>::try_from(definitions.id.value(row)).unwrap_or_default();
            let name = text_at(&definitions.name, row).unwrap_or_default();
            let known = names.entry(DefinitionId(id));
            known.or_insert_with(|| name.to_owned());
        }
    }
    names
}

fn notes(total: &GrainDiffGroup, renaming: &Renaming) -> Vec<Note> {
    let mut notes = vec![DiffFact::GrainsNotTested.into()];
    if total.only_a > 0 && total.only_b > 0 {
        notes.push(DiffFact::RenamedGrains.into());
    }
    notes.extend(renaming.notes().iter().cloned());
    let (a, b) = (total.unmatchable_a, total.unmatchable_b);
    if a + b > 0 {
        notes.push(DiffFact::UnmatchableGrains { a, b }.into());
    }
    notes
}
