//! Literals: trees of `{"frame": {…}, "metrics": {…}, "children": […]}`.

use std::collections::HashSet;

use sheaf_model::{Progress, Report};

use super::nodes::Nodes;
use crate::json_tree::{Item, Value};
use crate::{Error, Format};

/// The metric that is not a metric but the number of the node.
const NODE_ID: &str = "_hatchet_nid";

/// Reads an array of roots, or one root.
pub(super) fn read(
    root: Item<'_, '_>,
    nodes: &mut Nodes,
    report: &mut Report,
    progress: &Progress,
) -> Result<(), Error> {
    let location = nodes.profile.location(0, 0);
    let mut known_ids = HashSet::new();
    let mut open = vec![(root.elements(), None)];
    let mut single = root.is_object().then_some(root);
    while let Some((items, parent)) = open.last_mut() {
        let Some(item) = single.take().or_else(|| items.next()) else {
            open.pop();
            continue;
        };
        let metrics = item.get("metrics");
        let frame = item.get("frame").filter(|frame| frame.is_object());
        if frame.is_none() && metrics.is_none() {
            let at = format!("node {}", nodes.count);
            let reason = "a node has neither `frame` nor `metrics`; is this a Hatchet literal?";
            return Err(Error::malformed(Format::Hatchet, at, reason));
        }
        let name = item.get("name").and_then(Item::as_text);
        let node = nodes.node(*parent, frame, name, report);
        nodes.count += 1;
        if nodes.count.is_multiple_of(65_536) {
            progress.check()?;
        }
        let metrics: Vec<_> = metrics.into_iter().flat_map(Item::members).collect();
        let id = metrics.iter().find(|(metric, _)| *metric == NODE_ID);
        let id = id.and_then(|(_, id)| id.as_i64()).filter(|id| *id >= 0);
        if id.is_none_or(|id| known_ids.insert(id)) {
            for (metric, value) in metrics.into_iter().filter(|(metric, _)| *metric != NODE_ID) {
                if value.as_number().is_none() && !matches!(value.value(), Value::Null) {
                    let first = || Some(format!("metric {metric}"));
                    report.add("skipped_values_of_other_types", 1, first);
                }
                nodes.add(node, location, metric, metric.contains("(inc)"), value);
            }
        } else {
            // The node has its values where it stands first; a second time would count twice.
            report.add("skipped_repeated_nodes", 1, || {
                id.map(|id| format!("node {id}"))
            });
        }
        if let Some(children) = item.get("children") {
            open.push((children.elements(), Some(node)));
        }
    }
    Ok(())
}
