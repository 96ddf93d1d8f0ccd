//! The tree of contexts of one run, to be compared with others.

use sheaf_model::{DefinitionId, RunSummary, StructureId};
use sheaf_structure::LabelledTree;

use sheaf_analysis::NONE;

/// The contexts of a run, each labelled with its definition; under one root without where several have no
/// parent. Linear.
pub fn context_tree(run: &RunSummary) -> LabelledTree {
    let contexts = &run.contexts;
    let definitions = &run.definitions;
    let id = |row: usize| definitions.id.value(row).try_into().ok().map(DefinitionId);
    let mut names: Vec<StructureId> = (0..definitions.len())
        .map(|row| StructureId::label("context", id(row)))
        .collect();
    let root = to_u32(names.len());
    names.push(StructureId::label("run", None));
    let mut sizes = vec![1_u32; contexts.len() + 1];
    for (row, parent) in contexts.parent.iter().enumerate().rev() {
        // Parents stand before their children, so that a size is whole when it is added.
        let parent = parent.and_then(|parent| usize::try_from(parent).ok());
        sizes[parent.map_or(0, |parent| parent + 1)] += sizes[row + 1];
    }
    let labels = contexts.definition.values().iter();
    let labels = labels.map(|&row| u32::try_from(row).ok().filter(|&row| row < root));
    let labels = std::iter::once(root).chain(labels.map(|row| row.unwrap_or(root)));
    let (sizes, labels) = without_needless_root(sizes, labels.collect());
    let tree = LabelledTree::new(sizes, labels, names);
    debug_assert!(tree.is_some(), "contexts are in pre-order");
    tree.unwrap_or_default()
}

/// A tree in pre-order without its root, where all is below one child of that: a node that every tree has makes
/// trees more alike than they are.
pub(super) fn without_needless_root(
    mut sizes: Vec<u32>,
    mut labels: Vec<u32>,
) -> (Vec<u32>, Vec<u32>) {
    if sizes.len() > 1 && sizes[1] as usize == sizes.len() - 1 {
        sizes.remove(0);
        labels.remove(0);
    }
    (sizes, labels)
}

pub(super) fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}
