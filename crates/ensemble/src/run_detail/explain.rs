//! Explains the difference of two elapsed times.

mod association;
mod described;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_analysis::LocationsQuestion;
use sheaf_answers::{Cause, ExplainFact, ExplainedView, Explanation, Locations, Note};
use sheaf_compare::diff::{DiffSide, environment_changes, note_of_shared_runs};
use sheaf_compare::explain::{
    ExplainOptions, FoundView, PathTime, RESAMPLES, RankTime, RunStructure, RunTime, SEED,
    WorkerTime, explain, rank_causes, rank_times, structure_changes,
};
use sheaf_compare::grain_diff::GrainColumns;
use sheaf_compare::renaming::Renaming;
use sheaf_compare::unrecorded_loops::UnrecordedLoops;
use sheaf_grains::grain_graph::{PathFault, PathQuestion};
use sheaf_model::{
    Cancelled, Compare, DefinitionId, Lens, Level, Progress, RunId, RunSummary, Scope,
};

use super::OpenRun;
use super::grain_diff::{common_unit, ids, names};
use super::names::site;
use super::paths::paths_of;
use crate::cache::Tables;
use crate::questions::with_main_metric;
use crate::runs::RunEntry;
use crate::{Error, ErrorKind, View, complete};
use described::Described;

/// Sentences of an explanation at most.
const MAX_SENTENCES: usize = 8;

/// Grains of the compared runs, or values of their contexts by rank, up to which an explanation is brief work.
const BRIEF: i64 = 1_000_000;

/// An explanation that ends another answer.
#[derive(Debug, Clone, PartialEq)]
pub enum BriefExplanation {
    /// The causes.
    Explained(Box<Explanation>),
    /// The runs hold too much for work that nobody asked for.
    TooLarge,
    /// The runs do not hold what it takes.
    Impossible,
}

impl OpenRun {
    /// The path of last finishers under the run's own names, or why there is none. Linear in fragments the first time.
    fn path_time(&self, progress: &Progress) -> Result<Result<&PathTime, &str>, Cancelled> {
        let path = self.path_time.get_or_make(progress, || {
            let tables = self.tables();
            if tables.fragments.is_empty() {
                return Ok(Err("the source does not say when fragments ran".to_owned()));
            }
            let structure = self.structure(progress)?;
            let paths = paths_of(tables, structure, None, PathQuestion::default(), progress)?;
            Ok(match paths.map(|paths| paths.last_finishers) {
                Ok(Ok(path)) => Ok(PathTime::of(tables, &path)),
                Ok(Err(absence)) => Err(absence.to_string()),
                Err(fault) => Err(PathFault::from(fault).to_string()),
            })
        });
        Ok(path?.as_ref().map_err(String::as_str))
    }
}

impl View<'_> {
    /// As [`View::explain`], for a lens that was answered by another question: only if the runs hold what it takes, and
    /// at most a million grains or values by rank.
    ///
    /// # Errors
    /// When tables are damaged or cannot be read, or the question was stopped.
    pub fn explain_briefly(&self, lens: &Lens) -> Result<BriefExplanation, Error> {
        if let Compare::Diff { a, b } = &lens.compare {
            let entries = self.entries();
            if let Ok((sides, _)) = complete::comparable_sides(lens, &entries, [a, b]) {
                let held = |run: &&RunEntry| {
                    let by_rank = || run.contexts.saturating_mul(run.meta.ranks);
                    run.grains.unwrap_or_else(by_rank)
                };
                let held = sides
                    .iter()
                    .flatten()
                    .map(held)
                    .fold(0, i64::saturating_add);
                if held > BRIEF {
                    return Ok(BriefExplanation::TooLarge);
                }
            }
        }
        match self.explanation(lens, false) {
            Ok(answer) if answer.views.is_empty() => Ok(BriefExplanation::Impossible),
            Ok(answer) => Ok(BriefExplanation::Explained(Box::new(answer))),
            Err(error) if is_about_the_question(error.kind()) => Ok(BriefExplanation::Impossible),
            Err(error) => Err(error),
        }
    }

    /// Why the candidate of the lens's `diff` clause takes longer than the baseline: causes that add up to the
    /// difference of the elapsed times; of call profiles, to that of the slowest ranks.
    ///
    /// Runs with grains are opened in depth one after the other; about 64 bytes per grain are kept of each.
    ///
    /// # Errors
    /// When the lens has no two sides or one of them is empty, some runs have grains and others do not, or times of runs
    /// are in different units.
    pub fn explain(&self, lens: &Lens) -> Result<Explanation, Error> {
        self.explanation(lens, true)
    }

    fn explanation(&self, lens: &Lens, with_associated: bool) -> Result<Explanation, Error> {
        let Compare::Diff { a, b } = &lens.compare else {
            return Err(Error::NoSides);
        };
        let entries = self.entries();
        let (sides, mut notes) = complete::comparable_sides(lens, &entries, [a, b])?;
        let mut compared: Vec<&RunEntry> = sides.concat();
        compared.sort_by_key(|run| run.meta.id);
        compared.dedup_by_key(|run| run.meta.id);
        let summaries = self.summaries(&compared, Tables::Values)?;
        let side_ids = sides.each_ref().map(|side| ids(side));
        let followed = self.follow(&sides, &summaries)?;
        let (summaries, renaming) = (followed.runs, &followed.renaming[1]);
        notes.extend(renaming.notes().iter().cloned());
        let options = ExplainOptions::default();
        let has_grains = compared.iter().any(|run| run.grains.is_some());
        let (unit, views, located, changes) = if has_grains {
            refuse_profiles(&compared)?;
            let unit = common_unit(&compared)?;
            let times = self.run_times(&sides, &followed.renaming)?;
            self.progress.check()?;
            let unrecorded = UnrecordedLoops::of(&summaries, &side_ids, renaming, &mut notes);
            let views = explain(&times, &unrecorded, &options, &self.progress, &mut notes)?;
            (unit, views, None, structure_changes(&times))
        } else {
            let located = self.located(lens, &compared, renaming)?;
            let views = self.rank_views(&located, &sides, &options, &mut notes)?;
            (located.unit.clone(), views, Some(located), BTreeMap::new())
        };
        self.progress.check()?;
        let of_sides = [0, 1].map(|side: usize| DiffSide {
            name: [a, b][side].0.clone(),
            runs: sides[side].iter().map(|run| &*run.meta).collect(),
        });
        notes.extend(note_of_shared_runs(&of_sides));
        notes.extend(ignored_clauses(lens, has_grains));
        let described = Described {
            lens,
            unit: &unit,
            renaming,
            located: located.as_ref(),
            changes,
            names: names(&summaries),
            sites: sites(&summaries),
        };
        let sentences = described.sentences(views.first());
        let causes = views.iter().flat_map(|view| {
            let causes = view.causes.iter();
            causes.map(|cause| described.cause(view, cause))
        });
        let mut causes: Vec<Cause> = causes.collect();
        if with_associated {
            self.associate(&mut causes, lens, [a, b], &sides, &summaries)?;
        }
        let [a, b] = of_sides.each_ref().map(DiffSide::answer);
        Ok(Explanation {
            schema: "explain/1".to_owned(),
            lens: lens.to_string(),
            a,
            b,
            views: views.iter().map(view_answer).collect(),
            causes,
            sentences,
            environment: environment_changes(&of_sides),
            renames: renaming.answer(&[]),
            seed: SEED,
            resamples: RESAMPLES as u64,
            unit,
            notes,
        })
    }

    /// The times of the runs of both sides. A run that is on both is opened once.
    fn run_times(
        &self,
        sides: &[Vec<&RunEntry>; 2],
        renaming: &[Renaming; 2],
    ) -> Result<[Vec<RunTime>; 2], Error> {
        let mut times = [Vec::new(), Vec::new()];
        for (side, runs) in sides.iter().enumerate() {
            for run in runs {
                self.progress.check()?;
                let known = times
                    .iter()
                    .flatten()
                    .find(|time: &&RunTime| time.id == run.meta.id);
                let time = match known {
                    Some(time) => time.clone(),
                    None => self.run_time(run, &renaming[side])?,
                };
                times[side].push(time);
            }
        }
        Ok(times)
    }

    fn run_time(&self, run: &RunEntry, renaming: &Renaming) -> Result<RunTime, Error> {
        let depth = self.depth(run)?;
        let tables = depth.tables();
        let mut grains = GrainColumns::of(tables);
        if !renaming.is_empty() {
            let batch = tables
                .grains
                .to_batch()
                .map_err(|source| Error::DamagedTables {
                    run: run.meta.id.to_string(),
                    source,
                })?;
            grains.rename(&batch, &tables.summary.contexts, renaming);
        }
        let path = match depth.path_time(&self.progress)? {
            Ok(path) => Ok(path.renamed(renaming)),
            Err(reason) => Err(reason.to_owned()),
        };
        self.progress.check()?;
        let workers = match depth.balance(&self.progress)? {
            Ok(balance) => Ok(WorkerTime::of(tables, balance, renaming)),
            Err(reason) => Err(reason.to_owned()),
        };
        Ok(RunTime {
            id: run.meta.id,
            parents: tables.grains.parent.to_arrow(),
            structure: RunStructure::of(tables, &grains),
            grains,
            workers,
            path,
        })
    }

    /// Exclusive values of all contexts by rank, under the newest names of definitions.
    fn located(
        &self,
        lens: &Lens,
        compared: &[&RunEntry],
        renaming: &Renaming,
    ) -> Result<Locations, Error> {
        let summaries = renaming.apply(&self.summaries(compared, Tables::Values)?);
        let lens = Lens {
            level: Level::Context,
            scope: Scope::Exclusive,
            hide_below: 0.0,
            operations: Vec::new(),
            ..with_main_metric(lens, &summaries).into_owned()
        };
        let question = LocationsQuestion::default();
        let located = sheaf_analysis::locations(&lens, &question, &summaries, &self.progress)?;
        let mut values = located.groups.iter().flat_map(|group| &group.runs);
        if values.any(|values| values.total.is_none()) {
            let metric = located.metric;
            return Err(sheaf_analysis::Error::NotAdditive { metric }.into());
        }
        Ok(located)
    }

    /// The view of call profiles. Runs without the metric are left out, with a note.
    fn rank_views(
        &self,
        located: &Locations,
        sides: &[Vec<&RunEntry>; 2],
        options: &ExplainOptions,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<FoundView>, Error> {
        notes.extend(located.notes.iter().cloned());
        let times: BTreeMap<RunId, RankTime> = rank_times(located)
            .into_iter()
            .filter(RankTime::is_known)
            .map(|time| (time.id, time))
            .collect();
        let mut of_side = |side: &Vec<&RunEntry>| {
            let known = side.iter().filter_map(|run| {
                let time = times.get(&run.meta.id).cloned();
                if time.is_none() {
                    let (run, metric) = (run.meta.name.clone(), located.metric.clone());
                    notes.push(ExplainFact::RunWithoutMetric { run, metric }.into());
                }
                time
            });
            known.collect::<Vec<RankTime>>()
        };
        let times = [of_side(&sides[0]), of_side(&sides[1])];
        let view = rank_causes(located, &times, &self.parts, options, &self.progress)?;
        if view.is_none() {
            notes.push(ExplainFact::NoValuesByRank.into());
        }
        Ok(view.into_iter().collect())
    }
}

/// Refuses call profiles next to runs with grains.
fn refuse_profiles(compared: &[&RunEntry]) -> Result<(), Error> {
    let profile = compared.iter().find(|run| run.grains.is_none());
    let other = compared.iter().find(|run| run.grains.is_some());
    let (Some(profile), Some(other)) = (profile, other) else {
        return Ok(());
    };
    Err(Error::NotComparable {
        run: profile.meta.name.clone(),
        reason: format!(
            "it is a call profile, and run `{}` has grains; choose sides of one kind, or ask for `diff`",
            other.meta.name
        ),
    })
}

/// Notes on the metric, which runs with grains do not need, and on clauses of a lens that would choose a part of the
/// runs: an explanation is about all of it.
fn ignored_clauses(lens: &Lens, has_grains: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    if has_grains && lens.metric != Lens::default().metric {
        let metric = lens.metric.clone();
        notes.push(ExplainFact::MetricIgnored { metric }.into());
    }
    let is_used = |keyword| {
        matches!(
            keyword,
            "where" | "metric" | "scope" | "below" | "bins" | "diff"
        )
    };
    let clauses = lens.clauses().into_iter();
    let clauses: Vec<String> = clauses
        .filter(|clause| !is_used(clause.keyword))
        .map(|clause| clause.text)
        .collect();
    if !clauses.is_empty() {
        notes.push(ExplainFact::ClausesIgnored { clauses }.into());
    }
    notes
}

/// Whether other runs or another metric could be explained.
const fn is_about_the_question(kind: ErrorKind) -> bool {
    use ErrorKind::{BadLens, EmptyEnsemble, NothingInCommon, TooLarge, Unknown, Usage};
    matches!(
        kind,
        Usage | BadLens | Unknown | EmptyEnsemble | NothingInCommon | TooLarge
    )
}

fn view_answer(view: &FoundView) -> ExplainedView {
    ExplainedView {
        by: view.by,
        a: view.means[0],
        b: view.means[1],
        delta: view.delta,
        divisor: view.divisor.map(|divisor| divisor.to_string()),
    }
}

/// File and line of each definition, as the last run that has one writes it.
fn sites(summaries: &[Arc<RunSummary>]) -> BTreeMap<DefinitionId, String> {
    let of_run = |summary: &Arc<RunSummary>| {
        let definitions = &summary.definitions;
        let of_definition = |row: usize| {
            let id = definitions.id.value(row).try_into().ok()?;
            Some((DefinitionId(id), site(definitions, row)?))
        };
        (0..definitions.len())
            .filter_map(of_definition)
            .collect::<Vec<_>>()
    };
    let all: Vec<_> = summaries.par_iter().map(of_run).collect();
    all.into_iter().flatten().collect()
}
