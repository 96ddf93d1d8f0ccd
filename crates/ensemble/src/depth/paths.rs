//! Questions about paths: what a run, or a group of its grains, could not have been faster than.

mod shares;

use sheaf_grains::grain_graph::{DELAY_KINDS, DelayKind, ElapsedPath, GrainGroup, Paths};
use sheaf_model::{Progress, RunId};

use super::figures::{graph_of, has_work};
use super::group_tree::TreeChoice;
use super::locks::{HeldLock, bounded_parallelism, longest_held};
use super::names::text;
use super::{GraphForm, RunDepth};
use crate::{Error, View};
use shares::Shares;
use sheaf_analysis::did_you_mean;

/// Steps of a path that an answer has.
const MOST_STEPS: usize = 1_000;

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

/// Answer to "which path bounds the time?".
#[derive(Debug, Clone)]
pub struct PathsAnswer {
    /// Id of the run.
    pub run: RunId,
    /// Unit of times.
    pub unit: String,
    /// What the paths are local to; absent for the whole run.
    pub scope: Option<String>,
    /// Form of the graph.
    pub form: GraphForm,
    /// Grains in the scope.
    pub grains: u64,
    /// Their work.
    pub work: i64,
    /// Work of the longest path.
    pub span: i64,
    /// Work by span, or by the time that the lock was held where that is longer.
    pub parallelism: Option<f64>,
    /// Of a whole run, the lock that was held longest.
    pub lock: Option<HeldLock>,
    /// Stretches of the longest path, those of one definition in a row as one.
    pub steps: Vec<PathStep>,
    /// Steps that are left out.
    pub more_steps: usize,
    /// The path of last finishers, or why there is none.
    pub elapsed: Result<ElapsedRow, String>,
    /// Definitions, those with most work on the path of last finishers first, or on the critical path.
    pub rows: Vec<PathRow>,
}

/// Neighbouring grains of one definition on the critical path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathStep {
    /// The definition.
    pub definition: String,
    /// Row of the first of the grains.
    pub grain: u32,
    /// Grains.
    pub grains: u64,
    /// Their work on the path.
    pub work: i64,
}

/// The path of last finishers: its parts add up to the elapsed time.
#[derive(Debug, Clone, PartialEq)]
pub struct ElapsedRow {
    /// From the begin of the run, or of the group's first stretch, to the end.
    pub elapsed: i64,
    /// Time in which the path ran.
    pub work: i64,
    /// Time before it.
    pub before: i64,
    /// Time after it.
    pub after: i64,
    /// Time on it with what is not in the group.
    pub outside: i64,
    /// Time in which it ran nothing while every worker of the run was busy with something else.
    pub busy: i64,
    /// Time in which it ran nothing although a worker was free, by cause of the wait.
    pub delays: [(&'static str, i64); DELAY_KINDS.len()],
}

/// A definition's part in the paths.
#[derive(Debug, Clone, PartialEq)]
pub struct PathRow {
    /// The definition.
    pub definition: String,
    /// Grains in the scope.
    pub grains: u64,
    /// Their work.
    pub work: i64,
    /// Grains on the critical path.
    pub critical_grains: u64,
    /// Work on it.
    pub critical_work: i64,
    /// Work on the path of last finishers.
    pub last_work: Option<i64>,
    /// The longest chain of the definition's grains; of the definitions with most work only.
    pub span: Option<i64>,
}

impl View<'_> {
    /// The critical path of a run or of a group of its grains, by work and by elapsed time, and the part
    /// of every definition in it; of the unreduced graph where there is one and no other is asked for. A pass over the graph, and one for each of the 32 definitions with most
    /// work.
    ///
    /// # Errors
    /// When the selector names no run or several, the run has no grains or no work, or there is no such
    /// definition, grain or group.
    pub fn paths(
        &self,
        run: &str,
        scope: &PathScope,
        form: Option<GraphForm>,
    ) -> Result<PathsAnswer, Error> {
        let (meta, depth) = self.run_in_depth(run)?;
        let tables = depth.tables();
        let fault = |reason: String| Error::NotMeasured {
            metric: "span".to_owned(),
            reason,
        };
        let (form, graph) = graph_of(tables, depth.structure(&self.progress)?, form);
        self.progress.check()?;
        if !has_work(tables, form) {
            let reason = meta.lacks.get("work").cloned();
            return Err(fault(reason.unwrap_or_else(|| {
                "the source holds no work of grains".to_owned()
            })));
        }
        let group = depth.path_group(scope, &self.progress)?;
        let paths = match &group {
            Some(group) => Paths::local(&graph, group),
            None => Paths::of(&graph),
        };
        let paths = paths.map_err(|error| fault(error.to_string()))?;
        self.progress.check()?;
        let last = match &group {
            Some(group) => ElapsedPath::local(tables, &graph, group),
            None => ElapsedPath::of(tables, &graph),
        };
        let last = last.map_err(|error| error.to_string());
        self.progress.check()?;
        let mut shares = Shares::of(&depth, &graph, group.as_ref());
        shares.add_paths(&paths.critical_path(), last.as_ref().ok());
        shares.add_spans(&graph, &self.progress)?;
        let lock = match &group {
            Some(_) => None,
            None => longest_held(&tables.summary),
        };
        let parallelism = bounded_parallelism(&paths, lock.as_ref());
        let mut steps = shares.steps(&paths.critical_path());
        let more_steps = steps.len().saturating_sub(MOST_STEPS);
        steps.truncate(MOST_STEPS);
        Ok(PathsAnswer {
            run: meta.id,
            unit: meta.time_unit.to_string(),
            scope: depth.scope_name(scope),
            form,
            grains: shares.num_grains(),
            work: paths.work(),
            span: paths.span(),
            parallelism,
            lock,
            steps,
            more_steps,
            rows: shares.rows(last.is_ok()),
            elapsed: last.map(|path| elapsed_row(&path)),
        })
    }
}

fn elapsed_row(path: &ElapsedPath) -> ElapsedRow {
    ElapsedRow {
        elapsed: path.elapsed,
        work: path.work,
        before: path.before,
        after: path.after,
        outside: path.outside,
        busy: path.busy(),
        delays: DELAY_KINDS.map(|kind| (delay_name(kind), path.free_delay(kind))),
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

impl RunDepth {
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
    fn definition_called(&self, name: &str) -> Result<u32, Error> {
        let definitions = &self.tables().summary.definitions;
        let rows = 0..definitions.len();
        let found = |column: &arrow::array::StringArray| -> Vec<usize> {
            let rows = rows.clone();
            rows.filter(|&row| text(column, row) == Some(name))
                .collect()
        };
        let mut candidates = found(&definitions.name);
        if candidates.is_empty() {
            candidates = found(&definitions.function);
        }
        let names = rows.clone().filter_map(|row| text(&definitions.name, row));
        match candidates.as_slice() {
            [row] => Ok(u32::try_from(*row).unwrap_or(u32::MAX)),
            [] => Err(Error::UnknownDefinition {
                name: name.to_owned(),
                nearest: did_you_mean(name, names),
            }),
            several => {
                let names: Vec<String> = several
                    .iter()
                    .filter_map(|&row| text(&definitions.name, row))
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
