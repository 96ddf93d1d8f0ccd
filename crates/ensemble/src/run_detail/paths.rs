//! Questions about paths: what a run, or a group of its grains, could not have been faster than.

mod groups;
mod shares;

use std::collections::BTreeSet;

use sheaf_answers::{FirstNames, GraphForm, LastFinishers};
use sheaf_grains::grain_graph::{
    DELAY_KINDS, DelayKind, ElapsedPath, GrainGraph, GrainGroup, GraphFault, PathQuestion,
    RunPaths, Structure,
};
use sheaf_model::{Cancelled, Progress, RunTables};

use super::OpenRun;
use super::figures::{graph_of, has_work, lacks_edges};
use super::group_tree::TreeChoice;
use super::locks::{bounded_parallelism, longest_held};
use super::names::text_at;
use crate::{Error, View};
use shares::Shares;
use sheaf_analysis::did_you_mean;

/// Steps of a path that an answer has.
const MAX_STEPS: usize = 1_000;
/// Names in a message, at most.
const MAX_NAMES: usize = 10;

/// Which grains paths are local to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PathScope {
    /// All.
    #[default]
    Run,
    /// Those of a definition, by its name or its function.
    Definition(String),
    /// A grain, by its row, with everything below it.
    Grain(u32),
    /// A group of the aggregation tree without a problem, by its number.
    Group(u32),
}

impl View<'_> {
    /// The critical path of a run or of a group of its grains, by work and by elapsed time, and the part
    /// of every definition in it; of the unreduced graph if there is one and no other is asked for. Linear in fragments
    /// and nodes, and again for every 8 of the 32 definitions with most work. Builds no graph for runs with fragments,
    /// unless tasks are the book-keeping of loops.
    ///
    /// # Errors
    /// When the selector names no run or several, the run has no grains or no work, or there is no such
    /// definition, grain or group.
    pub fn paths(
        &self,
        run: &str,
        scope: &PathScope,
        form: Option<GraphForm>,
    ) -> Result<sheaf_answers::Paths, Error> {
        let (meta, depth) = self.open_run(run)?;
        let tables = depth.tables();
        let fault = |reason: String| Error::NotMeasured {
            metric: "span".to_owned(),
            reason,
        };
        let is_reduced = form == Some(GraphForm::Reduced);
        let structure = depth.structure(&self.progress)?;
        let has_unreduced = !is_reduced && !tables.fragments.is_empty();
        // Without the graph if possible: that takes more memory than the tables.
        let graph = (!has_unreduced).then(|| graph_of(tables, structure, form));
        let form = (graph.as_ref()).map_or(GraphForm::Unreduced, |(form, _)| *form);
        self.progress.check()?;
        if !has_work(tables, form) {
            let reason = meta.lacks.get("work").cloned();
            return Err(fault(reason.unwrap_or_else(|| {
                "the source holds no work of grains".to_owned()
            })));
        }
        let group = depth.path_group(scope, &self.progress)?;
        if let Some(reason) = lacks_edges(tables) {
            return Err(fault(reason.to_owned()));
        }
        let graph = graph.map(|(_, graph)| graph);
        let mut shares = Shares::of(&depth, graph.as_ref(), group.as_ref());
        let definitions = shares.choose_spans();
        let question = PathQuestion {
            group: group.as_ref(),
            definitions: &definitions,
        };
        let paths = paths_of(tables, structure, graph, question, &self.progress)?;
        let paths = paths.map_err(|error| fault(error.to_string()))?;
        self.progress.check()?;
        shares.add_paths(&paths);
        shares.add_spans(&definitions, &paths.spans);
        let lengths = paths.lengths;
        let (last, absent) = match &paths.last_finishers {
            Ok(path) => (Some(path), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let lock = match &group {
            Some(_) => None,
            None => longest_held(&tables.summary),
        };
        let parallelism = bounded_parallelism(lengths, lock.as_ref());
        let groups = depth.groups_on(scope, &paths.critical, &self.progress)?;
        let mut steps = shares.steps(&paths.critical);
        let more_steps = steps.len().saturating_sub(MAX_STEPS);
        steps.truncate(MAX_STEPS);
        Ok(sheaf_answers::Paths {
            schema: "paths/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            scope: depth.scope_name(scope),
            form,
            grains: shares.num_grains(),
            work: lengths.work,
            span: lengths.span,
            parallelism,
            lock_bound: lock,
            steps,
            more_steps: more_steps as u64,
            groups,
            rows: shares.rows(last.is_some()),
            last_finishers: last.map(last_finishers),
            absent,
        })
    }
}

/// The paths of a graph, or of the unreduced graph without building it if there is none yet.
pub(super) fn paths_of(
    tables: &RunTables,
    structure: &Structure,
    graph: Option<GrainGraph>,
    question: PathQuestion<'_>,
    progress: &Progress,
) -> Result<Result<RunPaths, GraphFault>, Cancelled> {
    if graph.is_none()
        && let Some(paths) = RunPaths::of(tables, structure, question, progress)?
    {
        return Ok(Ok(paths));
    }
    let graph = graph.unwrap_or_else(|| GrainGraph::unreduced(tables, structure));
    progress.check()?;
    RunPaths::on_graph(tables, &graph, question, progress)
}

fn last_finishers(path: &ElapsedPath) -> LastFinishers {
    let delays = DELAY_KINDS.map(|kind| (delay_name(kind).to_owned(), path.free_delay(kind)));
    LastFinishers {
        elapsed: path.elapsed,
        before: path.before,
        work: path.work,
        busy: path.busy(),
        delay: delays.iter().map(|(_, delay)| delay).sum(),
        delays: delays.into(),
        outside: path.outside,
        after: path.after,
    }
}

const fn delay_name(kind: DelayKind) -> &'static str {
    match kind {
        DelayKind::Creation => "creation",
        DelayKind::Synchronisation => "synchronisation",
        DelayKind::Continuation => "continuation",
        DelayKind::Dependence => "dependence",
        DelayKind::Scheduling => "scheduling",
        DelayKind::Lock => "lock",
        DelayKind::Message => "mpi",
    }
}

impl OpenRun {
    /// The grains of a scope; nothing for all.
    fn path_group(
        &self,
        scope: &PathScope,
        progress: &Progress,
    ) -> Result<Option<GrainGroup>, Error> {
        let grains = self.tables().grains.len();
        match scope {
            PathScope::Run => Ok(None),
            PathScope::Definition(name) => {
                let row = self.definition_called(name)?;
                Ok(Some(GrainGroup::definition(self.tables(), row)))
            }
            PathScope::Grain(row) if (*row as usize) < grains => {
                Ok(Some(GrainGroup::subtree(self.structure(progress)?, *row)))
            }
            PathScope::Grain(row) => Err(Error::UnknownGrain {
                grain: *row,
                count: grains,
            }),
            PathScope::Group(group) => {
                let tree = self.group_tree(&TreeChoice::default(), progress)?;
                let tree = &tree.tree;
                if tree.kind(*group).is_none() {
                    return Err(Error::UnknownGroup {
                        group: *group,
                        count: tree.len(),
                    });
                }
                let mut is_member = vec![false; grains];
                for node in *group..group.saturating_add(tree.size(*group)) {
                    let slot = tree.grain(node);
                    if let Some(slot) = slot.and_then(|grain| is_member.get_mut(grain as usize)) {
                        *slot = true;
                    }
                }
                let is_member = |grain: usize| is_member.get(grain) == Some(&true);
                Ok(Some(GrainGroup::new(grains, is_member)))
            }
        }
    }

    /// Row of the definition that a name means: its name, or its function where only one has it.
    pub(super) fn definition_called(&self, name: &str) -> Result<u32, Error> {
        let definitions = &self.tables().summary.definitions;
        let rows = 0..definitions.len();
        let found = |column: &arrow::array::StringArray| -> Vec<usize> {
            let rows = rows.clone();
            rows.filter(|&row| text_at(column, row) == Some(name))
                .collect()
        };
        let mut candidates = found(&definitions.name);
        if candidates.is_empty() {
            candidates = found(&definitions.function);
        }
        let names = rows
            .clone()
            .filter_map(|row| text_at(&definitions.name, row));
        match candidates.as_slice() {
            [row] => Ok(u32::try_from(*row).unwrap_or(u32::MAX)),
            [] => Err(Error::UnknownDefinition {
                name: name.to_owned(),
                nearest: known_names(name, names),
            }),
            several => {
                let names: Vec<String> = several
                    .iter()
                    .filter_map(|&row| text_at(&definitions.name, row))
                    .map(|name| format!("`{name}`"))
                    .collect();
                Err(Error::UnknownDefinition {
                    name: name.to_owned(),
                    nearest: format!("; it could be {}", names.join(" or ")),
                })
            }
        }
    }

    fn scope_name(&self, scope: &PathScope) -> Option<String> {
        match scope {
            PathScope::Run => None,
            PathScope::Definition(name) => Some(name.clone()),
            PathScope::Grain(grain) => Some(self.path(*grain as usize).join(" / ")),
            PathScope::Group(group) => Some(format!("group {group}")),
        }
    }
}

/// The names nearest to an unknown one; if none is near, the first of those that are known.
fn known_names<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = did_you_mean(name, known.clone());
    let names: BTreeSet<&str> = known.collect();
    if !near.is_empty() || names.is_empty() {
        return near;
    }
    format!("; the run has {}", FirstNames::new(names, MAX_NAMES))
}
