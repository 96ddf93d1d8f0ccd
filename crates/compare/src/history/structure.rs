//! What happened to the structure from version to version, and which definitions are one because of it.

use std::sync::Arc;

use sheaf_model::{DefinitionId, Lens, Level, ParamValue, Progress, RunSummary, Scope};

use crate::diff::{Change, Mapping, structural_step};
use crate::renaming::{Renaming, RunSet};
use sheaf_analysis::Cohort;
use sheaf_analysis::EnsembleTree;
use sheaf_analysis::Error;
use sheaf_analysis::Reentry;
use sheaf_analysis::partial;
use sheaf_analysis::{Grouped, finish_groups};
use sheaf_answers::{ChangeKind, HistoryEvent, RenamedName};

/// Versions in order, and the runs of each environment on them.
pub(super) struct VersionSequence<'a> {
    /// Versions, oldest first.
    pub(super) versions: &'a [ParamValue],
    /// Place of the version of each run.
    pub(super) at: Vec<Option<usize>>,
    /// Runs of one environment each.
    pub(super) environments: Vec<Cohort>,
}

/// Place of a version with some of its runs.
pub(super) type Point = (usize, Vec<usize>);

impl VersionSequence<'_> {
    /// Versions of which a cohort has runs, oldest first.
    pub(super) fn points(&self, cohort: &Cohort) -> Vec<Point> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.versions.len()];
        for &run in &cohort.runs {
            let place = self.at.get(run).copied().flatten();
            if let Some(members) = place.and_then(|place| members.get_mut(place)) {
                members.push(run);
            }
        }
        let points = members.into_iter().enumerate();
        points.filter(|(_, runs)| !runs.is_empty()).collect()
    }
}

/// The runs by context.
pub(super) fn by_context(
    lens: &Lens,
    runs: &[Arc<RunSummary>],
    progress: &Progress,
) -> Result<Grouped, Error> {
    let lens = Lens {
        level: Level::Context,
        operations: Vec::new(),
        ..lens.clone()
    };
    let state = partial(&lens, runs, progress)?;
    finish_groups(&lens, state, Reentry::Merged, progress)
}

/// Definitions that are one over the versions, and what happened to the structure.
pub(super) struct Lineage {
    pub(super) renaming: Renaming,
    /// The runs under the names that they have.
    runs: Vec<Arc<RunSummary>>,
    /// Of each environment, by place of the version at which it happened.
    changes: Vec<Vec<(usize, Change)>>,
}

impl Lineage {
    /// Matches every version of an environment with the one before it, all runs of both together.
    pub(super) fn new(
        line: &VersionSequence<'_>,
        unified: &Grouped,
        mapping: &Mapping,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let runs = unified.tree.runs();
        let (mut links, mut changes) = (Vec::new(), Vec::new());
        for environment in &line.environments {
            let points = line.points(environment);
            let mut of_environment = Vec::new();
            for pair in points.windows(2) {
                progress.check()?;
                let [(_, before), (version, after)] = pair else {
                    continue;
                };
                let places = [before.clone(), after.clone()];
                let work = |node| work(unified, &places, node);
                let (found, happened) = structural_step(&unified.tree, &places, mapping, work);
                links.extend(found);
                of_environment.extend(happened.into_iter().map(|change| (*version, change)));
            }
            changes.push(of_environment);
        }
        let mut run_sets: Vec<RunSet<'_>> = line
            .versions
            .iter()
            .map(|version| RunSet {
                name: version.to_string(),
                runs: Vec::new(),
            })
            .collect();
        for (run, place) in runs.iter().zip(&line.at) {
            if let Some(run_set) = place.and_then(|place| run_sets.get_mut(place)) {
                run_set.runs.push(run);
            }
        }
        Ok(Self {
            renaming: Renaming::new(&links, mapping, &run_sets),
            runs: runs.to_vec(),
            changes,
        })
    }

    /// Names to a node of the tree of renamed runs, outermost first; `own` are those of definitions with one name.
    pub(super) fn path(&self, tree: &EnsembleTree, node: usize, own: &[String]) -> Vec<String> {
        let mut names = Vec::with_capacity(tree.depth(node) as usize + 1);
        let mut at = Some(node);
        while let Some(node) = at {
            let definition = tree.definition(node);
            let joined = self.renaming.joined(definition.id);
            names.push(joined.unwrap_or_else(|| own[tree.definition_index(node)].clone()));
            at = tree.parent(node);
        }
        names.reverse();
        names
    }

    /// Names of a definition that has several, with the first version among the points of a series that has them.
    pub(super) fn names(
        &self,
        definition: DefinitionId,
        points: &[Point],
        versions: &[ParamValue],
    ) -> Vec<RenamedName> {
        let names = self.renaming.names(definition).iter();
        names
            .map(|name| RenamedName {
                name: name.name.to_string(),
                group: name.definition.to_string(),
                version: points.iter().find_map(|(version, runs)| {
                    let mut runs = runs.iter();
                    let has = runs.any(|&run| has(&self.runs[run], name.definition));
                    has.then(|| versions.get(*version).cloned()).flatten()
                }),
                matched_by: name.link.map(|(by, _)| by),
                score: name.link.map(|(_, score)| score),
            })
            .collect()
    }

    /// What happened to the structure of an environment, but for what the groups themselves show: whether
    /// they occur. `places` are those of the series' points among the versions of the line.
    pub(super) fn events(
        &self,
        environment: usize,
        places: &[usize],
        line: &VersionSequence<'_>,
        lens: &Lens,
    ) -> Vec<HistoryEvent> {
        let is_definition = lens.level == Level::Definition && lens.operations.is_empty();
        let kept = self.changes[environment].iter().filter(|(_, (change, _))| {
            matches!(
                change.kind,
                ChangeKind::Renamed
                    | ChangeKind::Wrapped
                    | ChangeKind::Unwrapped
                    | ChangeKind::Moved
                    | ChangeKind::Multiplied
            )
        });
        kept.filter_map(|(version, (change, ids))| {
            // A version without the metric is no point; the change shows at the next.
            let point = places.iter().position(|at| at >= version)?;
            let [a, b] = *ids;
            // A link that was not followed: the groups show that one vanished and the other appeared.
            if let (Some(a), Some(b)) = (a, b)
                && self.renaming.id(a) != self.renaming.id(b)
            {
                return None;
            }
            let path = change.path_b.as_ref().or(change.path_a.as_ref());
            let definition = b.or(a).filter(|_| is_definition);
            Some(HistoryEvent {
                point: point as u64,
                version: line.versions[places[point]].clone(),
                kind: change.kind,
                group: definition.map(|id| self.renaming.id(id).to_string()),
                path: path.cloned().unwrap_or_default(),
                verdict: None,
                change: Some(change.clone()),
                diff: None,
            })
        })
        .filter(|event| event.point > 0)
        .collect()
    }
}

fn has(run: &RunSummary, definition: DefinitionId) -> bool {
    run.definitions
        .id
        .iter()
        .any(|id| id == Some(definition.0.as_slice()))
}

/// Exclusive value of a context in a mean run of either side.
fn work(unified: &Grouped, places: &[Vec<usize>; 2], node: usize) -> [f64; 2] {
    let group = unified.grouping.group_of(node);
    let measurements = unified.values.of(Scope::Exclusive, group);
    places.each_ref().map(|places| {
        let sum: f64 = places.iter().map(|&run| measurements[run].or_zero()).sum();
        sum / places.len().max(1) as f64
    })
}
