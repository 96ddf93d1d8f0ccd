//! The tree of a run's tasks, without what depends on how many threads there were.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use sheaf_model::table::{Definitions, GrainKind, Grains};
use sheaf_model::{DefinitionId, RunTables, StructureId};
use sheaf_structure::LabelledTree;

use super::context_tree::{to_u32, without_needless_root};
use sheaf_analysis::NONE;

/// Nodes by the node around them and the context; looked up only.
type Known = HashMap<(u32, i32), u32, BuildHasherDefault<DefaultHasher>>;

/// The tasks of a run, each below the one that created it and labelled with its definition; under one root
/// without where several have no parent. Members of teams and chunks of loops, of which there are as many as threads take part, are one
/// node for each context and node around it: what they create hangs below that node, whoever created it. Linear.
pub fn grain_tree(run: &RunTables, definitions: &Definitions) -> LabelledTree {
    let grains = &run.grains;
    let id = |row: usize| definitions.id.value(row).try_into().ok().map(DefinitionId);
    let mut names: Vec<StructureId> = (0..definitions.len())
        .map(|row| StructureId::label("task", id(row)))
        .collect();
    let root = to_u32(names.len());
    names.push(StructureId::label("run", None));
    let (parents, labels) = nodes(grains, run.summary.contexts.definition.values(), root);
    let (sizes, labels) = pre_order(&parents, &labels);
    let (sizes, labels) = without_needless_root(sizes, labels);
    let tree = LabelledTree::new(sizes, labels, names);
    debug_assert!(tree.is_some(), "parents stand before their children");
    tree.unwrap_or_default()
}

/// Parent and label of every node, parents first; the first is the root.
fn nodes(grains: &Grains, definition_of: &[i32], root: u32) -> (Vec<u32>, Vec<u32>) {
    let (mut parents, mut labels) = (vec![NONE], vec![root]);
    let mut node_of: Vec<u32> = Vec::with_capacity(grains.len());
    let mut known = Known::default();
    let kinds = grains.kind.values().iter();
    let contexts = grains.context.values().iter();
    for ((parent, &kind), &context) in grains.parent.iter().zip(kinds).zip(contexts) {
        let parent = parent.and_then(|parent| usize::try_from(parent).ok());
        let around = parent.and_then(|parent| node_of.get(parent).copied());
        let around = around.unwrap_or(0);
        let next = to_u32(parents.len());
        let node = if kind == GrainKind::Task as i32 {
            next
        } else {
            *known.entry((around, context)).or_insert(next)
        };
        if node == next {
            parents.push(around);
            let definition = usize::try_from(context).ok();
            let definition = definition.and_then(|context| definition_of.get(context));
            let label = definition.and_then(|&row| u32::try_from(row).ok());
            labels.push(label.filter(|&row| row < root).unwrap_or(root));
        }
        node_of.push(node);
    }
    (parents, labels)
}

/// Sizes of sub-trees and labels in pre-order, from nodes of which parents stand first.
fn pre_order(parents: &[u32], labels: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut sizes = vec![1_u32; parents.len()];
    for node in (1..parents.len()).rev() {
        sizes[parents[node] as usize] += sizes[node];
    }
    // The place of a node is that of its parent and all before it below the parent.
    let mut places = vec![0_u32; parents.len()];
    let mut free = vec![1_u32; parents.len()];
    let (mut ordered, mut named) = (vec![1_u32; parents.len()], vec![0_u32; parents.len()]);
    for node in 0..parents.len() {
        if let Some(parent) = (node > 0).then(|| parents[node] as usize) {
            places[node] = free[parent];
            free[parent] += sizes[node];
        }
        free[node] = places[node] + 1;
        ordered[places[node] as usize] = sizes[node];
        named[places[node] as usize] = labels[node];
    }
    (ordered, named)
}
