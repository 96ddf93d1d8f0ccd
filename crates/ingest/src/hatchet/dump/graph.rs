//! The graph of a dump, expanded to paths.

use std::collections::{HashMap, HashSet};

use sheaf_model::{Progress, Report};

use crate::Error;
use crate::hatchet::nodes::Nodes;
use crate::json_tree::Item;
use crate::profile::NodeIdx;

/// A node of the expanded graph.
struct Placed<'t, 'a> {
    /// Place of its parent, which is before its own.
    parent: Option<usize>,
    frame: Option<Item<'t, 'a>>,
}

/// Every node below every one of its parents, parents first.
pub(super) struct Graph<'t, 'a> {
    placed: Vec<Placed<'t, 'a>>,
    /// The first place of each node, by its number in the source.
    first: HashMap<&'t str, usize>,
}

impl<'t, 'a> Graph<'t, 'a> {
    /// Turns the graph into paths.
    ///
    /// A node with several parents is expanded below the first of them only: its values count once,
    /// and graphs that share much do not grow beyond their size.
    pub(super) fn expand(
        graph: Item<'t, 'a>,
        report: &mut Report,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let members = || graph.elements().flat_map(Item::members);
        let entries: HashMap<&str, Item<'t, 'a>> = members().collect();
        let children_of = |entry: Item<'t, 'a>| {
            let children = entry.get("children");
            children.into_iter().flat_map(Item::elements)
        };
        let has_parent: HashSet<&str> = members()
            .flat_map(|(_, entry)| children_of(entry))
            .map(id_of)
            .collect();
        let mut found = Self {
            placed: Vec::new(),
            first: HashMap::new(),
        };
        for (root, _) in members().filter(|(id, _)| !has_parent.contains(*id)) {
            let mut open = vec![(root, None)];
            while let Some((id, parent)) = open.pop() {
                let Some((&id, &entry)) = entries.get_key_value(id) else {
                    report.add("skipped_missing_children", 1, || Some(format!("node {id}")));
                    continue;
                };
                let at = found.placed.len();
                if at.is_multiple_of(65_536) {
                    progress.check()?;
                }
                let frame = entry.get("data");
                found.placed.push(Placed { parent, frame });
                if found.first.contains_key(id) {
                    report.add("skipped_shared_subtrees", 1, || Some(format!("node {id}")));
                    continue;
                }
                found.first.insert(id, at);
                let children: Vec<_> = children_of(entry).collect();
                for child in children.into_iter().rev() {
                    open.push((id_of(child), Some(at)));
                }
            }
        }
        let num_lost = entries.len() - found.first.len();
        report.add("skipped_unreachable_nodes", num_lost as u64, || None);
        Ok(found)
    }

    /// Place of the node with a number of the source.
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.first.get(id).copied()
    }

    /// Puts all nodes into a profile; returns them by place.
    pub(super) fn place_all(
        &self,
        nodes: &mut Nodes,
        report: &mut Report,
        progress: &Progress,
    ) -> Result<Vec<NodeIdx>, Error> {
        let mut placed: Vec<NodeIdx> = Vec::with_capacity(self.placed.len());
        for (at, node) in self.placed.iter().enumerate() {
            if at.is_multiple_of(65_536) {
                progress.check()?;
            }
            let parent = node.parent.and_then(|parent| placed.get(parent).copied());
            placed.push(nodes.node(parent, node.frame, None, report));
            nodes.count += 1;
        }
        Ok(placed)
    }

    /// Puts one node and those above it into a profile, as far as they are not in `known` already.
    pub(super) fn place(
        &self,
        at: usize,
        known: &mut HashMap<usize, NodeIdx>,
        nodes: &mut Nodes,
        report: &mut Report,
    ) -> Option<NodeIdx> {
        let mut path = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next.filter(|at| !known.contains_key(at)) {
            path.push(at);
            next = self.placed.get(at)?.parent;
        }
        while let Some(at) = path.pop() {
            let node = self.placed.get(at)?;
            let parent = node.parent.and_then(|parent| known.get(&parent).copied());
            known.insert(at, nodes.node(parent, node.frame, None, report));
            nodes.count += 1;
        }
        known.get(&at).copied()
    }
}

/// A node's number as the source writes it: dumps have it as a key of an object and as a number.
pub(super) fn id_of<'t>(item: Item<'t, '_>) -> &'t str {
    item.as_number().or(item.as_text()).unwrap_or_default()
}
