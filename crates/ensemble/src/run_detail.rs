//! One run in detail: its tables and figures of its grains, kept between questions.

mod cache;
mod columns;
mod comparison;
mod explain;
mod figures;
mod fragments;
mod grain_diff;
mod grains;
mod group_tree;
mod locks;
mod loops;
mod names;
mod paths;
mod problems;
mod similar_groups;
mod timeline;
mod tree_answer;
mod what_if;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use sheaf_answers::GrainReference;
use sheaf_compare::explain::PathTime;
use sheaf_grains::aggregation::AggregationTree;
use sheaf_grains::grain_graph::Structure;
use sheaf_grains::grain_metric::Evaluation;
use sheaf_grains::timeline::{Balance, Workers};
use sheaf_model::{Cancelled, Progress, RunMeta, RunSummary, RunTables};

use crate::once::Once;
use crate::runs::RunEntry;
use crate::{Error, View, select};

pub(crate) use cache::{OpenRunKey, OpenRuns};
pub use explain::BriefExplanation;
pub(crate) use figures::{GraphFigures, lacks_edges};
pub use grain_diff::GrainDiffQuestion;
pub(crate) use grain_diff::{GrainDiffs, MAX_GRAIN_DIFFS};
pub use grains::GrainsQuestion;
pub use group_tree::TreeChoice;
pub use paths::PathScope;
pub use sheaf_answers::Preset as ThresholdSet;
pub use timeline::Window;
pub use tree_answer::{GroupsQuestion, TreeExtent};
pub use what_if::{Faster, WhatIfQuestion};

/// An open run. A figure of it is computed when somebody first asks for it, and is kept as long as the run.
///
/// Cost: the run's tables in memory, 22 bytes a grain and 5 a fragment in a run of ten million tasks, and what was computed.
#[derive(Debug)]
pub(crate) struct OpenRun {
    tables: RunTables,
    /// Runs whose grains its grains are compared with.
    references: Vec<Arc<OpenRun>>,
    comparison: Once<GrainReference>,
    structure: Once<Structure>,
    figures: Once<Result<GraphFigures, String>>,
    critical: Once<Vec<u32>>,
    depths: OnceLock<Vec<u32>>,
    path_steps: OnceLock<usize>,
    root_steps: OnceLock<BTreeMap<usize, String>>,
    set_definitions: OnceLock<Vec<Option<u32>>>,
    checked: problems::Checked,
    measures: OnceLock<Vec<usize>>,
    columns: columns::Columns,
    orders: grains::Orders,
    tree: Once<Arc<AggregationTree>>,
    trees: group_tree::Trees,
    timeline: Once<Result<timeline::RunTimeline, String>>,
    balance: Once<Result<Balance, String>>,
    path_time: Once<Result<PathTime, String>>,
    workers: Once<Result<Workers, String>>,
}

impl OpenRun {
    pub(crate) fn of(tables: RunTables) -> Self {
        Self {
            tables,
            references: Vec::new(),
            comparison: Once::default(),
            structure: Once::default(),
            figures: Once::default(),
            critical: Once::default(),
            depths: OnceLock::new(),
            path_steps: OnceLock::new(),
            root_steps: OnceLock::new(),
            set_definitions: OnceLock::new(),
            checked: problems::Checked::default(),
            measures: OnceLock::new(),
            columns: columns::Columns::default(),
            orders: grains::Orders::default(),
            tree: Once::default(),
            trees: group_tree::Trees::default(),
            timeline: Once::default(),
            balance: Once::default(),
            path_time: Once::default(),
            workers: Once::default(),
        }
    }

    pub(crate) fn tables(&self) -> &RunTables {
        &self.tables
    }

    /// Rows of the metrics that the source measured of grains.
    fn measures(&self) -> &[usize] {
        self.measures
            .get_or_init(|| columns::measures(&self.tables))
    }

    /// What computes metrics of its grains.
    pub(crate) fn with_evaluation<T>(
        &self,
        progress: &Progress,
        work: impl FnOnce(&Evaluation<'_>) -> Result<T, Cancelled>,
    ) -> Result<T, Cancelled> {
        let references = self.references.iter().map(|run| run.tables());
        let references: Vec<&RunTables> = references.collect();
        let evaluation = Evaluation::of(self.tables(), self.structure(progress)?);
        let evaluation = evaluation
            .with_references(&references)
            .with_progress(progress);
        let answer = work(&evaluation)?;
        progress.check()?;
        Ok(answer)
    }

    /// The sibling sets. Time n log n in the grains.
    pub(crate) fn structure(&self, progress: &Progress) -> Result<&Structure, Cancelled> {
        self.structure
            .get_or_make(progress, || Structure::stoppable(&self.tables, progress))
    }

    /// Edges, work, span and parallelism of the grain graph, or why there are none.
    pub(crate) fn figures(
        &self,
        progress: &Progress,
    ) -> Result<Result<&GraphFigures, &str>, Cancelled> {
        let figures = self.figures.get_or_make(progress, || {
            GraphFigures::of(&self.tables, self.structure(progress)?, progress)
        });
        Ok(figures?.as_ref().map_err(String::as_str))
    }

    /// Bytes that it takes at present, closely enough for a bound.
    pub(crate) fn bytes(&self) -> usize {
        let tables = &self.tables;
        let grains = tables.grains.len();
        let mut bytes = tables.grains.bytes()
            + tables.fragments.bytes()
            + tables.waits.len() * 32
            + tables.dependences.len() * 8
            + tables.counters.len() * 24;
        bytes += self.structure.get().map_or(0, |_| grains * 40);
        bytes += self.tree.get().map_or(0, |tree| tree.len() * 10);
        bytes += self
            .timeline
            .get()
            .map_or(0, |_| tables.fragments.len() * 50);
        bytes += self
            .workers
            .get()
            .map_or(0, |_| tables.fragments.len() * 40);
        let path = self.path_time.get().and_then(|path| path.as_ref().ok());
        bytes += path.map_or(0, |path| path.grains.len() * 16 + path.gaps.len() * 32);
        bytes += self.depths.get().map_or(0, |_| grains * 4);
        bytes += self.set_definitions.get().map_or(0, |sets| sets.len() * 8);
        bytes += self.columns.bytes() + self.orders.bytes() + self.trees.bytes();
        bytes + 4096
    }
}

impl View<'_> {
    /// The open run under its present metadata.
    pub(crate) fn depth(&self, run: &RunEntry) -> Result<Arc<OpenRun>, Error> {
        let open = || Ok(OpenRun::of(self.grain_tables_of(&run.meta)?));
        let open_runs = &self.ensemble.open_runs;
        open_runs.get_or_open(OpenRunKey::new(&run.meta, []), &self.progress, open)
    }

    /// The run that a selector names, opened.
    pub(crate) fn open_run(&self, selector: &str) -> Result<(Arc<RunMeta>, Arc<OpenRun>), Error> {
        self.run_against(selector, None)
    }

    /// The same, compared with the runs that a reference names: a run, or those that an expression
    /// selects. A run is not compared with itself.
    pub(crate) fn run_against(
        &self,
        selector: &str,
        reference: Option<&str>,
    ) -> Result<(Arc<RunMeta>, Arc<OpenRun>), Error> {
        let entries = self.entries();
        let all: Vec<&RunEntry> = entries.iter().collect();
        let run = select::one(&all, selector)?;
        has_grains(run)?;
        let depth = match reference {
            Some(reference) => self.against(run, &comparison::others(&all, run, reference)?)?,
            None => self.depth(run)?,
        };
        Ok((Arc::clone(&run.meta), depth))
    }

    /// A run with others to compare its grains with; tables are shared with the run alone.
    fn against(&self, run: &RunEntry, others: &[&RunEntry]) -> Result<Arc<OpenRun>, Error> {
        let key = OpenRunKey::new(&run.meta, others.iter().map(|other| &*other.meta));
        let open_runs = &self.ensemble.open_runs;
        open_runs.get_or_open(key, &self.progress, || {
            let alone = self.depth(run)?;
            let references = others.iter().map(|other| self.depth(other));
            Ok(OpenRun {
                references: references.collect::<Result<_, _>>()?,
                ..OpenRun::of(alone.tables().clone())
            })
        })
    }

    /// The tables of a run with its corrected parameters. References are checked: a store can be
    /// damaged, and what is computed of grains follows them.
    pub(crate) fn tables_of(&self, meta: &Arc<RunMeta>) -> Result<RunTables, Error> {
        self.tables_with(meta, self.snapshot.summary(meta.id)?)
    }

    /// The same without totals, for questions about grains.
    pub(crate) fn grain_tables_of(&self, meta: &Arc<RunMeta>) -> Result<RunTables, Error> {
        self.tables_with(meta, self.snapshot.summary_without_totals(meta.id)?)
    }

    fn tables_with(&self, meta: &Arc<RunMeta>, summary: RunSummary) -> Result<RunTables, Error> {
        let run = meta.id;
        // Table by table: all of them take seconds for millions of grains.
        let (snapshot, progress) = (&self.snapshot, &self.progress);
        progress.check()?;
        let grains = snapshot.grains(run)?;
        progress.check()?;
        let fragments = snapshot.fragments(run)?;
        progress.check()?;
        let waits = snapshot.waits(run)?;
        progress.check()?;
        let tables = RunTables {
            summary: RunSummary {
                meta: Arc::clone(meta),
                ..summary
            },
            grains,
            fragments,
            waits,
            dependences: snapshot.dependences(run)?,
            counters: snapshot.counters(run)?,
        };
        progress.check()?;
        let checked = tables.check_references();
        checked.map_err(|source| Error::DamagedTables {
            run: run.to_string(),
            source,
        })?;
        Ok(tables)
    }
}

fn has_grains(run: &RunEntry) -> Result<(), Error> {
    if run.grains.is_some() {
        return Ok(());
    }
    Err(Error::NoGrains {
        run: run.meta.name.clone(),
    })
}
