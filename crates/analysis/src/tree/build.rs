//! Union of context trees: one node per context id, in an order that every set of runs agrees on.

use std::sync::Arc;

use arrow::array::Array;
use rayon::prelude::*;
use sheaf_model::table::Contexts;
use sheaf_model::{ContextId, DefinitionId, RunSummary};

use super::definitions::{self, Lookup, digest, id_at};
use super::{EnsembleTree, NONE, Shape};

/// Nodes in order of first appearance.
#[derive(Default)]
struct Nodes {
    index: Lookup<ContextId, u32>,
    ids: Vec<ContextId>,
    parents: Vec<u32>,
    definition_of: Vec<u32>,
    present: Vec<u32>,
}

pub(super) fn union(runs: Vec<Arc<RunSummary>>) -> EnsembleTree {
    let definitions = definitions::union(&runs);
    let (shape_of_run, owners) = shapes(&runs);
    let mut nodes = Nodes::default();
    let mut shapes: Vec<Shape> = owners
        .iter()
        .map(|&(run, weight)| nodes.add(&runs[run], &definitions.index, weight))
        .collect();
    let (order, ends) = nodes.pre_order();
    let mut place = vec![NONE; order.len()];
    for (at, &node) in (0..).zip(&order) {
        place[node as usize] = at;
    }
    for row in shapes.iter_mut().flat_map(|shape| &mut shape.nodes) {
        *row = place[*row as usize];
    }
    let parents: Vec<u32> = order
        .iter()
        .map(|&node| match nodes.parents[node as usize] {
            NONE => NONE,
            parent => place[parent as usize],
        })
        .collect();
    let mut depths = vec![0; order.len()];
    for node in 0..order.len() {
        if parents[node] != NONE {
            depths[node] = depths[parents[node] as usize] + 1;
        }
    }
    EnsembleTree {
        ids: pick(&nodes.ids, &order),
        definition_of: pick(&nodes.definition_of, &order),
        present: pick(&nodes.present, &order),
        definitions: definitions.definitions,
        runs,
        parents,
        depths,
        ends,
        shapes,
        shape_of_run,
    }
}

/// For each run the number of its distinct context table, and for each of those the first run
/// that has it and how many do. Ids hash whole paths, so equal ids are equal trees.
fn shapes(runs: &[Arc<RunSummary>]) -> (Vec<u32>, Vec<(usize, u32)>) {
    let hashes: Vec<u64> = runs
        .par_iter()
        .map(|run| digest(run.contexts.id.value_data()))
        .collect();
    let mut owners: Vec<(usize, u32)> = Vec::new();
    let mut by_hash: Lookup<u64, Vec<u32>> = Lookup::default();
    let mut shape_of_run = Vec::with_capacity(runs.len());
    for (run, hash) in hashes.into_iter().enumerate() {
        let alike = by_hash.entry(hash).or_default();
        let is_same = |&&shape: &&u32| {
            let owner = &runs[owners[shape as usize].0];
            owner.contexts.id.value_data() == runs[run].contexts.id.value_data()
        };
        let shape = if let Some(&shape) = alike.iter().find(is_same) {
            owners[shape as usize].1 += 1;
            shape
        } else {
            let shape = index(owners.len());
            alike.push(shape);
            owners.push((run, 1));
            shape
        };
        shape_of_run.push(shape);
    }
    (shape_of_run, owners)
}

impl Nodes {
    /// Adds the contexts of a run.
    fn add(
        &mut self,
        run: &RunSummary,
        definitions: &Lookup<DefinitionId, u32>,
        weight: u32,
    ) -> Shape {
        let contexts = &run.contexts;
        let definition_of_row: Vec<u32> = (0..run.definitions.len())
            .map(|row| DefinitionId(id_at(&run.definitions.id, row)))
            .map(|id| definitions.get(&id).copied().unwrap_or(0))
            .collect();
        let parents = parents(contexts);
        let mut nodes: Vec<u32> = Vec::with_capacity(contexts.len());
        for (row, &parent) in parents.iter().enumerate() {
            let id = ContextId(id_at(&contexts.id, row));
            let node = *self.index.entry(id).or_insert_with(|| {
                let definition = usize::try_from(contexts.definition.value(row)).unwrap_or(0);
                let parent = match parent {
                    NONE => NONE,
                    parent => nodes[parent as usize],
                };
                self.ids.push(id);
                self.parents.push(parent);
                self.definition_of
                    .push(definition_of_row.get(definition).copied().unwrap_or(0));
                self.present.push(0);
                index(self.ids.len() - 1)
            });
            self.present[node as usize] += weight;
            nodes.push(node);
        }
        Shape { nodes, parents }
    }

    /// Nodes in pre-order, children by definition, and the end of each one's subtree.
    fn pre_order(&self) -> (Vec<u32>, Vec<u32>) {
        // Parents in front of their children, siblings in order: NONE (roots) comes last.
        let mut siblings: Vec<u32> = (0..index(self.ids.len())).collect();
        siblings.sort_unstable_by_key(|&node| {
            let at = node as usize;
            (self.parents[at], self.definition_of[at], self.ids[at])
        });
        let mut first_child = vec![NONE; self.ids.len()];
        let mut num_children = vec![0_u32; self.ids.len()];
        let mut first_root = siblings.len();
        for (at, &node) in siblings.iter().enumerate() {
            match self.parents[node as usize] {
                NONE => first_root = first_root.min(at),
                parent => {
                    let parent = parent as usize;
                    first_child[parent] = first_child[parent].min(index(at));
                    num_children[parent] += 1;
                }
            }
        }
        let mut order = Vec::with_capacity(siblings.len());
        let mut stack: Vec<u32> = siblings[first_root..].iter().rev().copied().collect();
        while let Some(node) = stack.pop() {
            order.push(node);
            let first = first_child[node as usize] as usize;
            let count = num_children[node as usize] as usize;
            if count > 0 {
                stack.extend(siblings[first..first + count].iter().rev());
            }
        }
        let ends = self.subtree_ends(&order);
        (order, ends)
    }

    fn subtree_ends(&self, order: &[u32]) -> Vec<u32> {
        let mut sizes = vec![1_u32; self.ids.len()];
        for &node in order.iter().rev() {
            let parent = self.parents[node as usize];
            if parent != NONE {
                sizes[parent as usize] += sizes[node as usize];
            }
        }
        (0..)
            .zip(order)
            .map(|(at, &node): (u32, _)| at + sizes[node as usize])
            .collect()
    }
}

/// Row of the parent of each row of a table of contexts; `NONE` for roots.
pub(crate) fn parents(contexts: &Contexts) -> Vec<u32> {
    let rows = 0..contexts.len();
    rows.map(|row| parent_row(contexts, row)).collect()
}

/// Row of the parent; `NONE` for roots and for what does not stand before its child.
fn parent_row(contexts: &Contexts, row: usize) -> u32 {
    if contexts.parent.is_null(row) {
        return NONE;
    }
    match u32::try_from(contexts.parent.value(row)) {
        Ok(parent) if (parent as usize) < row => parent,
        _ => NONE,
    }
}

fn pick<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&at| values[at as usize]).collect()
}

/// Row numbers are 32-bit in every table, so a union of them fits as well in practice; what does
/// not is cut rather than wrapped.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE - 1)
}
