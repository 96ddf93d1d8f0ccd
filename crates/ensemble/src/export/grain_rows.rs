//! The grains of a run as one table, names resolved.

use std::io;

use sheaf_answers::{NumberedRows, Table, columns};
use sheaf_grains::grain_graph::{GrainGraph, Paths, SiblingSet};

use super::metrics::Computed;
use super::run::{Source, kind_name};

/// Tables that the rows of grains are made from: identity, place and times, position in the graph, measures.
pub(super) struct GrainRows<'a> {
    source: &'a Source<'a>,
    earliest_starts: Vec<i64>,
    /// By grain; empty if no path is known to be critical.
    is_critical: Vec<bool>,
}

/// A row of the table of grains.
type GrainRow<'a> = (&'a GrainRows<'a>, usize);

columns! {
    pub(super) fn grain_columns<'a>(row: GrainRow<'a>) {
        Text run: "Id of the run." = Some(row.0.source.tables.summary.meta.id.to_string().into());
        Text run_name: "Name of the run." = Some(row.0.source.tables.summary.meta.name.as_str().into());
        Integer grain: "Row of the grain in this table, from 0." = i64::try_from(row.1).ok();
        Text path: "Steps from the root, schedule-independent; the last 64 of longer ones." = Some(row.0.source.path(row.1).into());
        Integer path_key: "Hash of the path, equal in every run of the program." = row.0.source.tables.grains.path_key.get(row.1);
        Integer parent: "Row of the parent." = row.0.source.structure.parent(number(row.1)).map(Into::into);
        Text parent_path: "Path of the parent." = Some(row.0.source.path(row.0.source.parent(row.1)?).into());
        Text definition: "The construct that it is an instance of."
            = Some(row.0.source.names.definition(row.0.source.context(row.1)).into());
        Text source: "Place of the construct in the source, `file:line`."
            = row.0.source.names.source(row.0.source.context(row.1)).map(Into::into);
        Text context: "Definitions on the way from the root, the innermost 12."
            = Some(row.0.source.names.path(row.0.source.context(row.1)).into());
        Text kind: "Initial task, implicit task, task, chunk or taskloop chunk."
            = row.0.source.kind(row.1).map(|kind| kind_name(kind).into());
        Text flags: "Properties, joined by blanks." = row.0.source.flags(row.1).map(Into::into);
        Integer sequence: "Number of the work-sharing construct within the parent, from 0."
            = row.0.source.tables.grains.sequence.get(row.1);
        Integer index: "Place among the parent's children of that construct, from 0."
            = row.0.source.tables.grains.index.get(row.1);
        Integer children: "Number of children." = Some(row.0.source.num_children(row.1));
        Integer first_iteration: "First iteration of a chunk." = row.0.source.tables.grains.first_iteration.get(row.1);
        Integer iterations: "Iterations of a chunk." = row.0.source.tables.grains.iterations.get(row.1);
        Integer fork_join: "Number of the sibling set that it is a member of."
            = row.0.source.structure.set_of(number(row.1)).map(Into::into);
        Integer joined_in: "Row of the grain whose wait collects it." = Some(row.0.set(row.1)?.owner()?.into());
        Integer joined_by: "Place of that wait among those of that grain, from 0." = Some(row.0.set(row.1)?.place.into());
        Integer rank: "Rank of the worker that finished it." = Some(row.0.source.location(row.1)?.rank.into());
        Integer thread: "Worker within the rank that finished it." = Some(row.0.source.location(row.1)?.thread.into());
        Integer core: "Processor on which that worker was first seen." = Some(row.0.source.location(row.1)?.core?.into());
        Integer numa_node: "NUMA node of that processor." = Some(row.0.source.location(row.1)?.numa_node?.into());
        Integer created_ns: "Time of creation, from the run's start." = row.0.source.tables.grains.created.get(row.1);
        Integer start_ns: "Begin of the first fragment." = row.0.source.tables.grains.start.get(row.1);
        Integer end_ns: "End of the last fragment." = row.0.source.tables.grains.end.get(row.1);
        Integer work_ns: "Time spent computing." = row.0.source.tables.grains.work.get(row.1);
        Integer creation_ns: "Time its parent spent creating it." = row.0.source.tables.grains.creation.get(row.1);
        Integer waiting_ns: "Time in waits while its worker ran nothing else." = row.0.source.tables.grains.waiting.get(row.1);
        Integer earliest_start_ns: "Start on unlimited workers: weight of the longest path to it in the reduced graph."
            = row.0.earliest_starts.get(row.1).copied();
        Integer on_critical_path: "1 on the critical path of the reduced graph, else 0."
            = row.0.is_critical.get(row.1).map(|&is| is.into());
    }
}

impl<'a> GrainRows<'a> {
    /// # Errors
    /// The work was cancelled.
    pub(super) fn new(source: &'a Source<'a>) -> io::Result<Self> {
        let (earliest_starts, is_critical) = paths(source)?;
        Ok(Self {
            source,
            earliest_starts,
            is_critical,
        })
    }

    /// The columns that every run has, with the unit of the run in place of `_ns`, then computed metrics and what the
    /// source measured.
    ///
    /// # Errors
    /// The work was cancelled.
    pub(super) fn table(&'a self) -> io::Result<Table<'a>> {
        let source = self.source;
        let len = source.num_grains();
        let mut table = Table::new(NumberedRows { source: self, len }, grain_columns());
        let columns = table.columns();
        let is_own = |name: &str| columns.iter().any(|column| column.name == name);
        let computed = Computed::of(source, |metric| !is_own(metric.id))?;
        for column in table.columns_mut() {
            column.name = source.in_own_unit(&column.name).into();
        }
        for metric in computed {
            table.add_values(
                metric.name.clone(),
                metric.metric.definition,
                metric.into_values(),
            );
        }
        for measure in source.measures() {
            let named = measure
                .source
                .as_deref()
                .filter(|name| *name != measure.name);
            let named = named.map_or(String::new(), |name| format!(" `{name}`,"));
            let meaning = format!("As the source gives it,{named} in {}.", measure.unit);
            let name = free_name(&table, &measure.name);
            table.add_values(name, meaning, source.measured(measure));
        }
        Ok(table)
    }

    fn set(&self, row: usize) -> Option<&SiblingSet> {
        let set = self.source.structure.set_of(number(row))?;
        self.source.structure.sets().get(set as usize)
    }
}

/// A name that no column has yet.
pub(super) fn free_name(table: &Table<'_>, name: &str) -> String {
    let is_taken = |name: &str| table.columns().iter().any(|column| column.name == name);
    let mut free = name.to_owned();
    while is_taken(&free) {
        free.push_str("_given");
    }
    free
}

/// Earliest starts, and which grains are on the critical path; nothing where no grain has work.
fn paths(source: &Source<'_>) -> io::Result<(Vec<i64>, Vec<bool>)> {
    let work = &source.tables.grains.work;
    if work.null_count() == work.len() {
        return Ok((Vec::new(), Vec::new()));
    }
    let graph = GrainGraph::reduced(source.tables, &source.structure);
    source.check()?;
    let Ok(paths) = Paths::of(&graph) else {
        return Ok((Vec::new(), Vec::new()));
    };
    source.check()?;
    let mut earliest = vec![0; source.num_grains()];
    for node in 0..number(graph.num_nodes()) {
        let is_grain = graph.kind(node) == Some(sheaf_grains::grain_graph::NodeKind::Grain);
        let grain = graph.grain(node).filter(|_| is_grain);
        if let Some(slot) = grain.and_then(|grain| earliest.get_mut(grain as usize)) {
            *slot = paths.earliest_start(node);
        }
    }
    let mut is_critical = vec![false; source.num_grains()];
    for grain in paths.critical_grains(&graph) {
        if let Some(slot) = is_critical.get_mut(grain as usize) {
            *slot = true;
        }
    }
    Ok((earliest, is_critical))
}

/// A row as the graph counts them.
pub(super) fn number(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}
