//! The tree of a run's tasks, without what depends on how many threads there were.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, DefaultHasher};

use arrow::array::Array;
use sheaf_model::table::{Contexts, Definitions, GrainKind, Grains};
use sheaf_model::{DefinitionId, RunTables, StructureId};
use sheaf_structure::LabelledTree;

use super::context_tree::{to_u32, without_needless_root};
use crate::unrecorded_loops::UnrecordedLoops;
use sheaf_analysis::LOOPS;
use sheaf_analysis::NONE;

/// Nodes by the node around them and the context; looked up only.
type Known = HashMap<(u32, i32), u32, BuildHasherDefault<DefaultHasher>>;

/// The tasks of a run, each below the one that created it and labelled with its definition; under one root
/// without where several have no parent. Members of teams and chunks of loops, of which there are as many as threads take part, are one
/// node for each context and node around it: what they create hangs below that node, whoever created it. A loop is such
/// a node too where the runtime reported no chunk of it, as for a static loop on one thread. Loops that not all runs
/// recorded are part of the member around them. Linear.
pub fn grain_tree(
    run: &RunTables,
    definitions: &Definitions,
    unrecorded: &UnrecordedLoops,
) -> LabelledTree {
    let id = |row: usize| definitions.id.value(row).try_into().ok().map(DefinitionId);
    let mut names: Vec<StructureId> = (0..definitions.len())
        .map(|row| StructureId::label("task", id(row)))
        .collect();
    let root = to_u32(names.len());
    names.push(StructureId::label("run", None));
    let is_left_out = |row: usize| {
        let is_loop = LOOPS.contains(&definitions.kind.value(row));
        is_loop && id(row).is_some_and(|id| unrecorded.region(id).is_some())
    };
    let left_out = (0..definitions.len()).map(is_left_out).collect();
    let mut nodes = Nodes::new(&run.summary.contexts, definitions, root, left_out);
    nodes.add_grains(&run.grains);
    let (sizes, labels) = pre_order(&nodes.parents, &nodes.labels);
    let (sizes, labels) = without_needless_root(sizes, labels);
    let tree = LabelledTree::new(sizes, labels, names);
    debug_assert!(tree.is_some(), "parents stand before their children");
    tree.unwrap_or_default()
}

/// Parent and label of every node, parents first; the first is the root.
struct Nodes<'a> {
    contexts: &'a Contexts,
    definitions: &'a Definitions,
    /// By definition, whether it has no node.
    left_out: Vec<bool>,
    /// Loops by the context around them.
    loops: BTreeMap<i32, Vec<i32>>,
    parents: Vec<u32>,
    labels: Vec<u32>,
    known: Known,
}

impl<'a> Nodes<'a> {
    fn new(
        contexts: &'a Contexts,
        definitions: &'a Definitions,
        root: u32,
        left_out: Vec<bool>,
    ) -> Self {
        let mut nodes = Self {
            contexts,
            definitions,
            left_out,
            loops: BTreeMap::new(),
            parents: vec![NONE],
            labels: vec![root],
            known: Known::default(),
        };
        for (context, parent) in (0..).zip(contexts.parent.iter()) {
            let has_node = nodes.is_loop(context) && !nodes.is_left_out(context);
            if let Some(parent) = parent.filter(|_| has_node) {
                nodes.loops.entry(parent).or_default().push(context);
            }
        }
        nodes
    }

    fn add_grains(&mut self, grains: &Grains) {
        let contexts = grains.context.values();
        let mut node_of: Vec<u32> = Vec::with_capacity(grains.len());
        for ((parent, kind), context) in
            (grains.parent.iter().zip(grains.kind.values())).zip(contexts.iter())
        {
            let parent = parent.and_then(|parent| usize::try_from(parent).ok());
            let mut around = parent
                .and_then(|parent| node_of.get(parent).copied())
                .unwrap_or(0);
            if let Some(of_parent) = parent.and_then(|parent| contexts.get(parent)) {
                around = self.add_loops_between(around, of_parent, context);
            }
            node_of.push(if kind == GrainKind::Task as i32 {
                self.add(around, context)
            } else {
                self.add_shared(around, context)
            });
        }
    }

    /// Loops between the context of a grain and that of its parent, which is no chunk of them; returns the innermost.
    fn add_loops_between(&mut self, around: u32, outer: i32, inner: i32) -> u32 {
        let mut between = Vec::new();
        let mut context = self.parent(inner);
        while let Some(at) = context.filter(|&at| at != outer && self.is_loop(at)) {
            between.push(at);
            context = self.parent(at);
        }
        if context != Some(outer) {
            return around;
        }
        let outermost_first = between.into_iter().rev();
        outermost_first.fold(around, |around, context| self.add_shared(around, context))
    }

    fn add(&mut self, around: u32, context: i32) -> u32 {
        let root = self.labels.first().copied().unwrap_or(0);
        let definition = self.definition(context);
        let label = definition.and_then(|row| u32::try_from(row).ok());
        self.parents.push(around);
        self.labels
            .push(label.filter(|&row| row < root).unwrap_or(root));
        to_u32(self.parents.len() - 1)
    }

    /// The node of a context below another: the one that is there, or a new one with the loops in that context.
    fn add_shared(&mut self, around: u32, context: i32) -> u32 {
        if self.is_left_out(context) {
            return around;
        }
        if let Some(&node) = self.known.get(&(around, context)) {
            return node;
        }
        let node = self.add(around, context);
        self.known.insert((around, context), node);
        for inside in self.loops.get(&context).cloned().unwrap_or_default() {
            let of_loop = self.add(node, inside);
            self.known.insert((node, inside), of_loop);
        }
        node
    }

    fn parent(&self, context: i32) -> Option<i32> {
        let at = usize::try_from(context)
            .ok()
            .filter(|&at| at < self.contexts.len())?;
        let parent = &self.contexts.parent;
        parent.is_valid(at).then(|| parent.value(at))
    }

    fn definition(&self, context: i32) -> Option<usize> {
        let definition = self
            .contexts
            .definition
            .values()
            .get(usize::try_from(context).ok()?)?;
        usize::try_from(*definition).ok()
    }

    fn is_left_out(&self, context: i32) -> bool {
        let definition = self.definition(context);
        definition.is_some_and(|row| self.left_out.get(row) == Some(&true))
    }

    fn is_loop(&self, context: i32) -> bool {
        let definition = self.definition(context);
        let definition = definition.filter(|&row| row < self.definitions.len());
        definition.is_some_and(|row| self.definitions.kind.value(row) == "loop")
    }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sheaf_model::table::GrainRow;
    use sheaf_synthetic::testing;

    use super::*;

    /// Grains as kind, context (by the number of its line) and row of the parent; of a run whose loops all other runs
    /// recorded, or one did not.
    fn tree(grains: &[(GrainKind, i32, Option<i32>)], is_recorded: bool) -> LabelledTree {
        let runs = testing::runs(
            "
            def par kind=parallel
            def for kind=loop
            def rest kind=loop function=rest
            def child kind=task
            run a
              main work_ns 1
              main/par work_ns 1
              main/par/for work_ns 1
              main/par/for/child work_ns 1
              main/par/rest work_ns 1
        ",
        );
        let mut run = RunTables::without_grains((*runs[0]).clone());
        // Contexts stand in the order of their definitions' ids; these are those of the lines above.
        let names = |context: usize| {
            let definition = run.summary.contexts.definition.value(context);
            let row = usize::try_from(definition).unwrap();
            run.summary.definitions.name.value(row).to_owned()
        };
        let all: Vec<String> = (0..run.summary.contexts.len()).map(names).collect();
        let place = |line: i32| {
            let line = usize::try_from(line).unwrap();
            let name = ["main", "par", "for", "child", "rest"][line];
            i32::try_from(all.iter().position(|it| it == name).unwrap()).unwrap()
        };
        let rows = (0..)
            .zip(grains)
            .map(|(row, &(kind, line, parent))| GrainRow {
                path_key: row,
                context: place(line),
                parent,
                kind: kind as i32,
                flags: 0,
                sequence: None,
                index: 0,
                joined_by: None,
                first_iteration: None,
                iterations: None,
                location: None,
                created: None,
                start: None,
                end: None,
                work: None,
                creation: None,
                waiting: None,
            });
        run.grains = rows.collect();
        grain_tree(
            &run,
            &run.summary.definitions,
            &unrecorded(&run, is_recorded),
        )
    }

    /// The loops of the run that another run, of GCC, has not recorded.
    fn unrecorded(run: &RunTables, is_recorded: bool) -> UnrecordedLoops {
        let whole = Arc::new(run.summary.clone());
        let mut other = run.summary.clone();
        if !is_recorded {
            let rows = other.contexts.rows().take_while(|row| row.depth < 2);
            other.contexts = rows.collect();
        }
        UnrecordedLoops::among(&[whole, Arc::new(other)], &mut Vec::new())
    }

    /// On one thread, runtimes report no chunk of a static loop: tasks that it creates hang below the member of the
    /// team, and a loop without tasks has no grain at all.
    #[test]
    fn loops_without_chunks_have_the_tree_of_loops_with_chunks() {
        use GrainKind::{Chunk, Implicit, Initial, Task};
        let one = [
            (Initial, 0, None),
            (Implicit, 1, Some(0)),
            (Task, 3, Some(1)),
            (Task, 3, Some(1)),
        ];
        let one = tree(&one, true);
        let two = [
            (Initial, 0, None),
            (Implicit, 1, Some(0)),
            (Implicit, 1, Some(0)),
            (Chunk, 2, Some(1)),
            (Chunk, 2, Some(2)),
            (Chunk, 4, Some(1)),
            (Chunk, 4, Some(2)),
            (Task, 3, Some(3)),
            (Task, 3, Some(4)),
        ];
        let two = tree(&two, true);
        assert_eq!(one, two);
        assert_eq!(one.len(), 6);
    }

    /// Tasks that a loop creates hang below the member of the team in a run that did not record the loop.
    #[test]
    fn loops_that_a_run_did_not_record_have_no_node() {
        use GrainKind::{Chunk, Implicit, Initial, Task};
        let recorded = [
            (Initial, 0, None),
            (Implicit, 1, Some(0)),
            (Chunk, 2, Some(1)),
            (Chunk, 4, Some(1)),
            (Task, 3, Some(2)),
        ];
        let unrecorded = [
            (Initial, 0, None),
            (Implicit, 1, Some(0)),
            (Task, 3, Some(1)),
        ];
        let tree_of_three = tree(&unrecorded, false);
        assert_eq!(tree(&recorded, false), tree_of_three);
        assert_eq!(tree_of_three.len(), 3);
        assert_ne!(tree(&recorded, true), tree_of_three);
    }
}
