//! What the nodes of a tree are called when trees are compared.

use sheaf_model::{DefinitionId, RunTables, StructureId};

use super::tree::{AggregationTree, GroupKind};
use crate::grain_graph::to_u32;
use crate::grain_graph::{SiblingSet, Structure};
use sheaf_structure::LabelledTree;

/// Kinds by their number, as ids of structures know them.
const KINDS: [&str; 5] = ["grain", "fork-join", "linear", "sibling", "unstructured"];

impl AggregationTree {
    /// The tree with labels that are equal in every run and store: kind and definition. The definition is
    /// that of the grain which a node is, or begins with; of fork-join groups that of the grain which
    /// forks; groups that stand for neither have none. Linear.
    pub fn labelled(&self, run: &RunTables, structure: &Structure) -> LabelledTree {
        let definitions = &run.summary.definitions;
        let width = definitions.len() + 1;
        let id = |row: usize| {
            let bytes = (row < definitions.len()).then(|| definitions.id.value(row));
            bytes
                .and_then(|bytes| bytes.try_into().ok())
                .map(DefinitionId)
        };
        let names = KINDS
            .iter()
            .flat_map(|kind| (0..width).map(move |row| StructureId::label(kind, id(row))));
        let label = |node: u32| {
            let kind = self.kinds[node as usize];
            let grain = match kind {
                GroupKind::ForkJoin | GroupKind::Unstructured => {
                    let set = self
                        .set(node)
                        .and_then(|set| structure.sets().get(set as usize));
                    set.and_then(SiblingSet::owner)
                }
                _ => self.grain(node),
            };
            let row = grain.and_then(|grain| definition(run, grain));
            to_u32(kind as usize * width + row.unwrap_or(width - 1))
        };
        let labels = self.nodes().map(label).collect();
        let tree = LabelledTree::new(self.sizes.clone(), labels, names.collect());
        debug_assert!(tree.is_some(), "groups stand within groups");
        tree.unwrap_or_default()
    }
}

/// Row of the definition of a grain.
fn definition(run: &RunTables, grain: u32) -> Option<usize> {
    let context = run.grains.context.get(grain as usize)?;
    let definitions = run.summary.contexts.definition.values();
    let definition = *definitions.get(usize::try_from(context).ok()?)?;
    let definition = usize::try_from(definition).ok()?;
    (definition < run.summary.definitions.len()).then_some(definition)
}
