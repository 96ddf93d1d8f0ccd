//! The ensemble context tree: the union of the context trees of all runs.

mod build;
pub(crate) mod definitions;
pub(crate) mod lines;

use std::collections::BTreeMap;
use std::sync::Arc;

use sheaf_answers::NamePaths;
use sheaf_model::table::OUTSIDE;
use sheaf_model::{ContextId, DefinitionId, RunSummary};

pub(crate) use build::parents;
pub use definitions::Definition;

/// No node: the parent of a root, or the group of a node that counts for none.
pub const NONE: u32 = u32::MAX;

/// The union over runs of their context trees.
///
/// Nodes stand in pre-order, children in order of their definitions' kind, name and id; runs in
/// order of name and id. Neither depends on the order in which runs are given or were imported.
/// A run that is given twice counts once. Building takes time linear in the *distinct* context
/// trees plus one hash per run, since most runs of an ensemble share their tree.
///
/// ```
/// use std::sync::Arc;
/// use sheaf_analysis::EnsembleTree;
/// use sheaf_model::{RunMeta, RunSummary};
/// let run = Arc::new(RunSummary::empty(RunMeta::new("sort", "trace")));
/// let tree = EnsembleTree::union([run]);
/// assert_eq!((tree.runs().len(), tree.len()), (1, 0));
/// ```
#[derive(Debug, Clone)]
pub struct EnsembleTree {
    runs: Vec<Arc<RunSummary>>,
    definitions: Vec<Definition>,
    ids: Vec<ContextId>,
    parents: Vec<u32>,
    definition_of: Vec<u32>,
    depths: Vec<u32>,
    ends: Vec<u32>,
    present: Vec<u32>,
    shapes: Vec<Shape>,
    shape_of_run: Vec<u32>,
}

/// One of the distinct context tables of an ensemble.
#[derive(Debug, Clone, Default)]
struct Shape {
    /// Node of each row.
    nodes: Vec<u32>,
    /// Row of each row's parent; `NONE` for roots.
    parents: Vec<u32>,
}

/// One step of a walk over the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    Enter(usize),
    Leave(usize),
}

impl EnsembleTree {
    /// Unifies the context trees of `runs`.
    pub fn union(runs: impl IntoIterator<Item = Arc<RunSummary>>) -> Self {
        build::union(canonical(runs))
    }

    /// The runs, in order of name and id, without repetitions.
    pub fn runs(&self) -> &[Arc<RunSummary>] {
        &self.runs
    }

    /// Every definition of any run, in order of kind, name and id.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The definitions that some of the runs have, as most of those have them, with their places among
    /// [`Self::definitions`]. Runs are counted as in [`Self::runs`].
    pub fn definitions_among(&self, runs: &[usize]) -> Vec<(usize, Definition)> {
        let runs = runs.iter().filter_map(|&run| self.runs.get(run).cloned());
        let found = definitions::union(&runs.collect::<Vec<_>>()).definitions;
        let places: BTreeMap<DefinitionId, usize> = self
            .definitions
            .iter()
            .zip(0..)
            .map(|(definition, at)| (definition.id, at))
            .collect();
        let place = |definition: Definition| Some((*places.get(&definition.id)?, definition));
        found.into_iter().filter_map(place).collect()
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether no run has any context.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Identity of a node, which must be below [`Self::len`], as in all of the below.
    pub fn id(&self, node: usize) -> ContextId {
        self.ids[node]
    }

    /// Parent of a node; `None` for roots.
    pub fn parent(&self, node: usize) -> Option<usize> {
        let parent = self.parents[node];
        (parent != NONE).then_some(parent as usize)
    }

    /// The path of names to each node. Linear.
    pub(crate) fn name_paths(&self) -> NamePaths {
        let names = (0..self.len()).map(|node| Arc::clone(&self.definition(node).name));
        NamePaths::new(self.parents.clone(), names)
    }

    /// Index into [`Self::definitions`] of the definition that a node's path ends in.
    pub fn definition_index(&self, node: usize) -> usize {
        self.definition_of[node] as usize
    }

    /// The definition that a node's path ends in.
    pub fn definition(&self, node: usize) -> &Definition {
        &self.definitions[self.definition_index(node)]
    }

    /// Whether a node is outside of every region, or below such a node.
    pub(crate) fn is_outside(&self, node: usize) -> bool {
        let around = |&node: &usize| self.parent(node);
        std::iter::successors(Some(node), around)
            .any(|node| &*self.definition(node).kind == OUTSIDE)
    }

    /// Nodes outside of every region, and all below them, ascending.
    pub(crate) fn outside(&self) -> Vec<u32> {
        if self.definitions.iter().all(|it| &*it.kind != OUTSIDE) {
            return Vec::new();
        }
        let nodes = (0..).zip(0..self.len());
        let nodes = nodes.filter(|(_, node)| self.is_outside(*node));
        nodes.map(|(node, _)| node).collect()
    }

    /// Definitions on the path to a node, less one.
    pub fn depth(&self, node: usize) -> u32 {
        self.depths[node]
    }

    /// One past the last node below `node`: its descendants are `node + 1..end(node)`.
    pub fn end(&self, node: usize) -> usize {
        self.ends[node] as usize
    }

    /// Number of runs in which a node occurs.
    pub fn num_present(&self, node: usize) -> usize {
        self.present[node] as usize
    }

    /// Node of each row of the context table of run number `run` in [`Self::runs`].
    pub fn nodes_of_run(&self, run: usize) -> &[u32] {
        &self.shapes[self.shape_of_run[run] as usize].nodes
    }

    /// Row of the parent of each row of the context table of a run; `NONE` for roots. Parents
    /// stand before their children.
    pub(crate) fn parents_in_run(&self, run: usize) -> &[u32] {
        &self.shapes[self.shape_of_run[run] as usize].parents
    }

    /// Which of the distinct context tables a run has.
    pub(crate) fn shape_of_run(&self, run: usize) -> u32 {
        self.shape_of_run[run]
    }

    /// The node of a context; linear in the nodes.
    pub fn node_of(&self, id: ContextId) -> Option<usize> {
        self.ids.iter().position(|&other| other == id)
    }

    /// Names on the path to a node, outermost first.
    pub fn path(&self, node: usize) -> Vec<String> {
        let mut names = Vec::with_capacity(self.depth(node) as usize + 1);
        let mut at = Some(node);
        while let Some(node) = at {
            names.push(self.definition(node).name.to_string());
            at = self.parent(node);
        }
        names.reverse();
        names
    }

    /// Calls `visit` on entering and on leaving each node, in pre-order, without recursion.
    pub(crate) fn walk(&self, mut visit: impl FnMut(Visit)) {
        let mut open: Vec<usize> = Vec::new();
        for node in 0..self.len() {
            while let Some(&top) = open.last()
                && self.end(top) <= node
            {
                open.pop();
                visit(Visit::Leave(top));
            }
            visit(Visit::Enter(node));
            open.push(node);
        }
        while let Some(top) = open.pop() {
            visit(Visit::Leave(top));
        }
    }
}

fn canonical(runs: impl IntoIterator<Item = Arc<RunSummary>>) -> Vec<Arc<RunSummary>> {
    let mut runs: Vec<_> = runs.into_iter().collect();
    runs.sort_by(|a, b| (&a.meta.name, a.meta.id).cmp(&(&b.meta.name, b.meta.id)));
    runs.dedup_by(|a, b| a.meta.name == b.meta.name && a.meta.id == b.meta.id);
    runs
}
