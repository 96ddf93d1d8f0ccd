//! Dumps of graph frames: nodes by number under `graph`, rows of values under `dataframe`.

use std::collections::{HashMap, HashSet};

use sheaf_model::{Progress, Report};

use super::nodes::Nodes;
use crate::Error;
use crate::json_tree::Item;
use crate::profile::NodeIdx;

/// Columns of rows that are no metrics.
const NOT_METRICS: [&str; 6] = ["node", "rank", "thread", "name", "nid", "line"];

pub(super) fn read(
    root: Item<'_, '_>,
    graph: Item<'_, '_>,
    nodes: &mut Nodes,
    report: &mut Report,
    progress: &Progress,
) -> Result<(), Error> {
    let found = expand(graph, nodes, report, progress)?;
    let listed = |key: &str| -> HashSet<&str> {
        let list = root.get(key);
        list.into_iter()
            .flat_map(Item::elements)
            .filter_map(Item::as_text)
            .collect()
    };
    let inclusive = listed("inclusive_metrics");
    let exclusive = listed("exclusive_metrics");
    let is_listed = !inclusive.is_empty() || !exclusive.is_empty();
    let rows = root.get("dataframe").into_iter().flat_map(Item::elements);
    for (number, row) in (0_u64..).zip(rows) {
        if number.is_multiple_of(65_536) {
            progress.check()?;
        }
        let id = row
            .get("node")
            .and_then(|id| id.as_number().or(id.as_text()));
        let Some(&node) = id.and_then(|id| found.get(id)) else {
            report.add("skipped_rows", 1, || Some(format!("row {number}")));
            continue;
        };
        let place = |key: &str| {
            let place = row.get(key).and_then(Item::as_i64);
            place
                .and_then(|place| i32::try_from(place).ok())
                .filter(|place| *place >= 0)
        };
        let (rank, thread) = (place("rank").unwrap_or(0), place("thread").unwrap_or(0));
        let location = nodes.profile.location(rank, thread);
        for (column, value) in row.members() {
            let is_inclusive = inclusive.contains(column);
            let is_metric = is_inclusive || exclusive.contains(column);
            if is_metric || (!is_listed && !NOT_METRICS.contains(&column)) {
                let is_inclusive = is_inclusive || (!is_listed && column.contains("(inc)"));
                nodes.add(node, location, column, is_inclusive, value);
            }
        }
    }
    Ok(())
}

/// Turns the graph into paths; gives the node of each number.
///
/// A node with several parents is expanded below the first of them only: its values count once,
/// and graphs that share much do not grow beyond their size.
fn expand<'t>(
    graph: Item<'t, '_>,
    nodes: &mut Nodes,
    report: &mut Report,
    progress: &Progress,
) -> Result<HashMap<&'t str, NodeIdx>, Error> {
    let members = || graph.elements().flat_map(Item::members);
    let entries: HashMap<&str, Item<'_, '_>> = members().collect();
    let children_of = |entry: Item<'t, '_>| {
        let children = entry.get("children");
        children.into_iter().flat_map(Item::elements)
    };
    let id_of = |child: Item<'t, '_>| child.as_number().or(child.as_text()).unwrap_or_default();
    let has_parent: HashSet<String> = members()
        .flat_map(|(_, entry)| children_of(entry))
        .map(|child| id_of(child).to_owned())
        .collect();
    let mut found: HashMap<&str, NodeIdx> = HashMap::new();
    for (root, _) in members().filter(|(id, _)| !has_parent.contains(*id)) {
        let mut open = vec![(root, None)];
        while let Some((id, parent)) = open.pop() {
            let Some((&id, &entry)) = entries.get_key_value(id) else {
                report.add("skipped_missing_children", 1, || Some(format!("node {id}")));
                continue;
            };
            let node = nodes.node(parent, entry.get("data"), None, report);
            nodes.count += 1;
            if nodes.count.is_multiple_of(65_536) {
                progress.check()?;
            }
            if found.contains_key(id) {
                report.add("skipped_shared_subtrees", 1, || Some(format!("node {id}")));
                continue;
            }
            found.insert(id, node);
            let children: Vec<_> = children_of(entry).collect();
            for child in children.into_iter().rev() {
                open.push((id_of(child), Some(node)));
            }
        }
    }
    let num_lost = entries.len() - found.len();
    report.add("skipped_unreachable_nodes", num_lost as u64, || None);
    Ok(found)
}
