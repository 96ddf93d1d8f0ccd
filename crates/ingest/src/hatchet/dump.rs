//! Dumps of graph frames in JSON: nodes by number, and a row for each node and location.
//!
//! Thicket writes the same form for an ensemble: its rows name a profile too, and each profile is a run.

mod ensemble;
mod graph;

use std::collections::HashSet;

use sheaf_model::{Progress, Report};

use super::nodes::Nodes;
use crate::json_tree::Item;
use crate::profile::NodeIdx;
use crate::reader::Read;
use crate::{Error, Input};
use graph::Graph;

/// Columns of rows that name places.
const PLACES: [&str; 3] = ["node", "rank", "thread"];

/// Further columns of numbers that are not metrics: the tool's own number of a node, and its line.
const NOT_METRICS: [&str; 3] = ["name", "nid", "line"];

/// Reads the runs of a dump: one, or one for each profile of an ensemble.
pub(super) fn read(
    root: Item<'_, '_>,
    graph: Item<'_, '_>,
    input: &Input<'_>,
    mut report: Report,
    progress: &Progress,
) -> Result<Vec<Read>, Error> {
    let graph = Graph::expand(graph, &mut report, progress)?;
    let keys = ensemble::keys(root);
    let columns = Columns::of(root, &keys);
    if !keys.is_empty() {
        let dump = ensemble::Dump {
            root,
            graph: &graph,
            columns: &columns,
            keys: &keys,
        };
        return dump.read(input, report, progress);
    }
    let mut nodes = super::nodes_of(input);
    let placed = graph.place_all(&mut nodes, &mut report, progress)?;
    for (number, row) in rows(root) {
        if number.is_multiple_of(65_536) {
            progress.check()?;
        }
        let node = node_of(row, &graph).and_then(|at| placed.get(at));
        let Some(&node) = node else {
            report.add("skipped_rows", 1, || Some(format!("row {number}")));
            continue;
        };
        columns.add(row, node, &mut nodes, &mut report);
    }
    super::finish(nodes, report).map(|read| vec![read])
}

/// The rows of a dump, with their numbers.
fn rows<'t, 'a>(root: Item<'t, 'a>) -> impl Iterator<Item = (u64, Item<'t, 'a>)> {
    (0..).zip(root.get("dataframe").into_iter().flat_map(Item::elements))
}

/// Place in the graph of the node that a row is about.
fn node_of(row: Item<'_, '_>, graph: &Graph<'_, '_>) -> Option<usize> {
    graph.find(graph::id_of(row.get("node")?))
}

/// Which columns are metrics, and of which kind.
struct Columns<'t> {
    inclusive: HashSet<&'t str>,
    exclusive: HashSet<&'t str>,
    /// Columns that identify the profile of a row.
    keys: HashSet<&'t str>,
}

impl<'t> Columns<'t> {
    fn of(root: Item<'t, '_>, keys: &[&'t str]) -> Self {
        let listed = |key: &str| -> HashSet<&'t str> {
            let list = root.get(key);
            list.into_iter()
                .flat_map(Item::elements)
                .filter_map(Item::as_text)
                .collect()
        };
        Self {
            inclusive: listed("inclusive_metrics"),
            exclusive: listed("exclusive_metrics"),
            keys: keys.iter().copied().collect(),
        }
    }

    /// Adds the values of a row. Numbers in columns that the dump does not list as metrics are counted,
    /// unless it lists none.
    fn add(&self, row: Item<'_, '_>, node: NodeIdx, nodes: &mut Nodes, report: &mut Report) {
        let place = |key: &str| {
            let place = row.get(key).and_then(Item::as_i64);
            place
                .and_then(|place| i32::try_from(place).ok())
                .filter(|place| *place >= 0)
        };
        let (rank, thread) = (place("rank").unwrap_or(0), place("thread").unwrap_or(0));
        let location = nodes.profile.location(rank, thread);
        for (column, value) in row.members() {
            if let Some(is_inclusive) = self.is_inclusive(column) {
                nodes.add(node, location, column, is_inclusive, value);
            } else if !self.is_known(column) && value.as_number().is_some() {
                let first = || Some(format!("column {column}"));
                report.add("skipped_values_of_unlisted_metrics", 1, first);
            }
        }
    }

    /// Whether a column is an inclusive metric; `None` if it is not a metric.
    fn is_inclusive(&self, column: &str) -> Option<bool> {
        if self.inclusive.contains(column) {
            return Some(true);
        }
        if self.exclusive.contains(column) {
            return Some(false);
        }
        let is_listed = !self.inclusive.is_empty() || !self.exclusive.is_empty();
        (!is_listed && !self.is_known(column)).then(|| column.contains("(inc)"))
    }

    /// Whether a row has a number in a column that is a metric.
    fn has_values(&self, row: Item<'_, '_>) -> bool {
        row.members().any(|(column, value)| {
            self.is_inclusive(column).is_some() && value.as_number().is_some()
        })
    }

    /// Whether a column is known not to be a metric.
    fn is_known(&self, column: &str) -> bool {
        PLACES.contains(&column) || NOT_METRICS.contains(&column) || self.keys.contains(column)
    }
}
