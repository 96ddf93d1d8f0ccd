//! Builds the tables of call profiles: a tree of frames with values per location.

mod inclusive;
mod intern;
mod left_out;
mod log;
#[cfg(test)]
mod tests;
mod values;

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use sheaf_model::table::LocationRow;
use sheaf_model::{MetricKind, Report, RunMeta, RunSummary, RunTables};

use crate::Error;
use crate::measure::{MetricSpec, Value};
use crate::run_tables::{ContextTree, NONE};
use intern::Definitions;
use left_out::LeftOut;
use log::{Log, Observation};

/// One frame of a call path.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Frame<'a> {
    /// What it is, in the source's word: `function`, `loop`, `region`, `mpi.function`, ….
    pub(crate) kind: &'a str,
    /// The name that the source uses, raw; shown to people and looked for by them.
    pub(crate) name: &'a str,
    /// What identifies it across runs besides its kind; the name where this is `None`. Never a
    /// line, an address or a folder of one machine.
    pub(crate) identity: Option<&'a str>,
    pub(crate) file: Option<&'a str>,
    pub(crate) line: Option<i32>,
    /// Library or executable, without folders.
    pub(crate) module: Option<&'a str>,
}

/// A definition of the profile that is being built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DefinitionIdx(pub(crate) u32);

/// A node of the call tree that is being built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeIdx(pub(crate) u32);

/// A location of the run that is being built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LocationIdx(pub(crate) u32);

/// A metric of the run that is being built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MetricIdx(pub(crate) u32);

/// A metric with the label that the source shows.
struct Metric {
    spec: MetricSpec,
    alias: Option<String>,
}

/// Rows that a table holds at most: references to them are 32-bit integers.
const MAX_ROWS: usize = i32::MAX as usize;

/// A call profile that is being read.
///
/// Nodes are interned by parent and definition, so equal paths are one node in whatever order
/// they come; depth may be a million. Nodes without values are kept: a prefix of a path is a node.
/// Values that are given several times for a node, metric and location add up in the order given;
/// those of an intensive metric stay observations of their own, so that their mean is theirs.
pub(crate) struct Profile {
    meta: RunMeta,
    definitions: Definitions,
    nodes: ContextTree,
    /// Rank and thread.
    locations: Vec<(i32, i32)>,
    locations_by_place: HashMap<(i32, i32), u32>,
    metrics: Vec<Metric>,
    metrics_by_name: HashMap<String, u32>,
    log: Log,
    left_out: LeftOut,
    has_too_many_nodes: bool,
}

impl Profile {
    /// A profile without nodes. `meta` may be changed until [`Profile::finish`].
    pub(crate) fn new(meta: RunMeta) -> Self {
        Self {
            meta,
            definitions: Definitions::default(),
            nodes: ContextTree::default(),
            locations: Vec::new(),
            locations_by_place: HashMap::new(),
            metrics: Vec::new(),
            metrics_by_name: HashMap::new(),
            log: Log::default(),
            left_out: LeftOut::default(),
            has_too_many_nodes: false,
        }
    }

    pub(crate) fn meta(&mut self) -> &mut RunMeta {
        &mut self.meta
    }

    /// The definition with the frame's identity; attributes of the first frame win, absent ones
    /// are filled in from later ones.
    pub(crate) fn definition(&mut self, frame: Frame<'_>) -> DefinitionIdx {
        DefinitionIdx(self.definitions.intern(frame))
    }

    /// The node of `definition` below `parent`, or a root.
    pub(crate) fn node(&mut self, parent: Option<NodeIdx>, definition: DefinitionIdx) -> NodeIdx {
        let above = parent.map_or(NONE, |parent| parent.0);
        if self.nodes.len() >= MAX_ROWS && self.nodes.known(above, definition.0).is_none() {
            self.has_too_many_nodes = true;
            return parent.unwrap_or(NodeIdx(0));
        }
        NodeIdx(self.nodes.child(above, definition.0))
    }

    /// Where values are measured; runs without ranks and threads use rank 0, thread 0.
    pub(crate) fn location(&mut self, rank: i32, thread: i32) -> LocationIdx {
        let next = index(self.locations.len());
        let location = *self
            .locations_by_place
            .entry((rank, thread))
            .or_insert(next);
        if location == next {
            self.locations.push((rank, thread));
        }
        LocationIdx(location)
    }

    /// The metric with this name (name, not source, is the key).
    pub(crate) fn metric(&mut self, spec: MetricSpec) -> MetricIdx {
        if let Some(&metric) = self.metrics_by_name.get(&spec.name) {
            return MetricIdx(metric);
        }
        let metric = index(self.metrics.len());
        self.metrics_by_name.insert(spec.name.clone(), metric);
        self.metrics.push(Metric { spec, alias: None });
        MetricIdx(metric)
    }

    /// Gives a metric the label that the source shows people; it need not be unique.
    pub(crate) fn label(&mut self, metric: MetricIdx, alias: &str) {
        if let Some(metric) = self.metrics.get_mut(metric.0 as usize) {
            metric.alias = Some(alias.to_owned());
        }
    }

    /// Adds a value; further values of the same node, metric and location add up.
    ///
    /// NaN, infinite values and negative times are left out and counted. A metric that was declared
    /// to be of integers is of floats as soon as one is added.
    pub(crate) fn add(
        &mut self,
        node: NodeIdx,
        metric: MetricIdx,
        location: LocationIdx,
        value: Value,
    ) {
        let Some(Metric { spec, .. }) = self.metrics.get_mut(metric.0 as usize) else {
            debug_assert!(false, "a metric of another profile");
            return;
        };
        if self.left_out.takes(spec, value, (node.0, metric.0)) {
            return;
        }
        spec.is_integer &= matches!(value, Value::Integer(_));
        let is_apart = spec.kind == MetricKind::Intensive;
        self.log.push(Observation::new(
            node.0, metric.0, location.0, value, is_apart,
        ));
    }

    /// Values that were left out because no run can have them.
    pub(crate) fn num_left_out(&self) -> u64 {
        self.left_out.num_values()
    }

    /// The tables, in the order that their schema asks for, with totals over locations and
    /// `meta.ranks` and `meta.workers` filled in; linear but for sorting. Ranks that the reader
    /// knows of stay; workers stay absent where nothing distinguishes locations. What was left out is
    /// added to `report`, and to the run's warnings if it is time.
    ///
    /// # Errors
    /// [`Error::Invalid`] when there are more nodes or values than a table holds.
    pub(crate) fn finish(mut self, report: &mut Report) -> Result<RunTables, Error> {
        self.tell_left_out(report);
        if self.has_too_many_nodes {
            return Err(too_many("contexts"));
        }
        let mut meta = self.meta;
        let definitions = self.definitions.finish();
        let contexts = self.nodes.finish(&definitions);
        drop(self.nodes);
        let (locations, location_rows) = in_order(self.locations);
        let (metrics, metric_rows) =
            in_order_by(self.metrics, |a, b| a.spec.name.cmp(&b.spec.name));
        let ranks: BTreeSet<i32> = locations.iter().map(|(rank, _)| *rank).collect();
        meta.ranks = meta.ranks.max(number(ranks.len())).max(1);
        if meta.workers.is_none() && locations.len() > 1 {
            meta.workers = Some(number(locations.len()));
        }
        let rows = values::Rows {
            contexts: &contexts.rows,
            num_contexts: contexts.table.len(),
            metrics: &metric_rows,
            in_order: &metrics,
            locations: &location_rows,
        };
        let (values, totals) = values::tables(&self.log, &rows)?;
        let location = |(rank, thread)| LocationRow {
            rank,
            thread,
            core: None,
            numa_node: None,
        };
        Ok(RunTables::without_grains(RunSummary {
            meta: Arc::new(meta),
            definitions: definitions.table,
            contexts: contexts.table,
            locations: locations.into_iter().map(location).collect(),
            metrics: metrics
                .into_iter()
                .map(|metric| metric.spec.into_row(metric.alias))
                .collect(),
            values,
            totals,
        }))
    }
}

/// Items in ascending order, and the row of each by its place before.
fn in_order<T: Ord>(items: Vec<T>) -> (Vec<T>, Vec<u32>) {
    in_order_by(items, T::cmp)
}

fn in_order_by<T>(items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> (Vec<T>, Vec<u32>) {
    let mut numbered: Vec<(u32, T)> = (0..).zip(items).collect();
    numbered.sort_by(|(_, a), (_, b)| compare(a, b));
    let mut rows = vec![0; numbered.len()];
    for (row, (before, _)) in (0..).zip(&numbered) {
        rows[*before as usize] = row;
    }
    (numbered.into_iter().map(|(_, item)| item).collect(), rows)
}

fn too_many(table: &'static str) -> Error {
    Error::Invalid(sheaf_model::Error::Invalid {
        table,
        row: MAX_ROWS,
        column: "id",
        reason: "the run has more rows than a table holds".to_owned(),
    })
}

fn index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(NONE)
}

fn number(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}
