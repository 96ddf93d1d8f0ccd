//! Trees with labels, and the ids of their structures.

use sheaf_model::{StructureForm, StructureHasher, StructureId};

use crate::similarity::Features;

/// A tree whose nodes have labels, in pre-order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LabelledTree {
    /// Number of nodes of each sub-tree, its root included.
    pub(crate) sizes: Vec<u32>,
    /// Label of each node, by number.
    labels: Vec<u32>,
    names: Vec<StructureId>,
}

impl LabelledTree {
    /// Makes a tree of the sizes of its sub-trees, in pre-order, and the index of each node's label in
    /// `names`. Absent if these are not a tree: a sub-tree exceeds its parent's, a label has no name, or there
    /// are several roots.
    pub fn new(sizes: Vec<u32>, labels: Vec<u32>, names: Vec<StructureId>) -> Option<Self> {
        let mut ends: Vec<usize> = vec![sizes.len()];
        for (node, &size) in sizes.iter().enumerate() {
            while ends.pop_if(|end| *end <= node).is_some() {}
            let end = node + size as usize;
            if size == 0 || ends.last().is_none_or(|&last| end > last) {
                return None;
            }
            ends.push(end);
        }
        let has_one_root = sizes
            .first()
            .is_none_or(|&size| size as usize == sizes.len());
        let is_named = labels.iter().all(|&label| (label as usize) < names.len());
        let is_tree = has_one_root && is_named && sizes.len() == labels.len();
        is_tree.then_some(Self {
            sizes,
            labels,
            names,
        })
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Children of a node, in order.
    pub(crate) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = node + self.sizes[node] as usize;
        let first = Some(node + 1).filter(|&child| child < end);
        std::iter::successors(first, move |&child| {
            Some(child + self.sizes[child] as usize).filter(|&child| child < end)
        })
    }

    /// Parent of each node; `u32::MAX` for the root.
    pub(crate) fn parents(&self) -> Vec<u32> {
        let mut parents = vec![u32::MAX; self.len()];
        let mut open: Vec<(usize, u32)> = Vec::new();
        for (node, &size) in (0..).zip(&self.sizes) {
            let at = node as usize;
            while open.pop_if(|(end, _)| *end <= at).is_some() {}
            if let Some(&(_, parent)) = open.last() {
                parents[at] = parent;
            }
            open.push((at + size as usize, node));
        }
        parents
    }

    /// The ids of labels, in the given order.
    pub(crate) fn names(&self) -> &[StructureId] {
        &self.names
    }

    /// Index of each node's label in [`Self::names`].
    pub(crate) fn label_indices(&self) -> &[u32] {
        &self.labels
    }

    /// Label of every node.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = StructureId> {
        self.labels.iter().map(|&label| self.names[label as usize])
    }

    /// Id of the structure of each sub-tree: equal in every run and store if the structures are equal in the given
    /// form. n log n in the children of a node, linear otherwise.
    pub fn structure_ids(&self, form: StructureForm) -> Vec<StructureId> {
        let mut hasher = StructureHasher::new(form);
        let leaves: Vec<StructureId> = self.names.iter().map(|&name| hasher.id(name, [])).collect();
        let mut ids: Vec<StructureId> = self
            .labels
            .iter()
            .map(|&label| leaves[label as usize])
            .collect();
        for node in (0..self.len()).rev() {
            if self.sizes[node] > 1 {
                let name = self.names[self.labels[node] as usize];
                ids[node] = hasher.id(name, self.children(node).map(|child| ids[child]));
            }
        }
        ids
    }

    /// Number of occurrences of each structure in the tree. In form `Shape`, equal children of a node count once
    /// with their sub-trees, so that trees of the same shape have the same features.
    pub fn subtrees(&self, form: StructureForm) -> Features {
        self.features_of(&self.structure_ids(form), form)
    }

    /// [`subtrees`](Self::subtrees), from the [`structure_ids`](Self::structure_ids) of that form.
    pub fn features_of(&self, ids: &[StructureId], form: StructureForm) -> Features {
        if form != StructureForm::Shape {
            return Features::of(ids.iter().map(|&id| (number(id), 1)));
        }
        let mut is_repeated = vec![false; self.len()];
        let mut counts = Vec::new();
        let mut children = Vec::new();
        let mut node = 0;
        while node < self.len() {
            if is_repeated[node] {
                node += self.sizes[node] as usize;
                continue;
            }
            counts.push((number(ids[node]), 1));
            children.clear();
            children.extend(self.children(node).map(|child| (ids[child], child)));
            children.sort_unstable();
            for pair in children.windows(2) {
                if let [(before, _), (id, child)] = pair {
                    is_repeated[*child] = before == id;
                }
            }
            node += 1;
        }
        Features::of(counts)
    }

    /// The sub-tree of a node; empty if the node does not exist.
    #[must_use]
    pub fn subtree(&self, node: usize) -> Self {
        let size = self.sizes.get(node).map_or(0, |&size| size as usize);
        let part = |of: &[u32]| of.get(node..node + size).unwrap_or_default().to_vec();
        Self {
            sizes: part(&self.sizes),
            labels: part(&self.labels),
            names: self.names.clone(),
        }
    }

    /// Features of the rounds 0 to `rounds` of Weisfeiler and Lehman, in order. A round combines every label with
    /// the labels of the parent and the children, regardless of their order. Each round is linear, apart from
    /// sorting.
    pub fn weisfeiler_lehman(&self, rounds: u32) -> Vec<Features> {
        crate::similarity::rounds(self, rounds)
    }
}

/// An id as a number with the same order.
pub(crate) fn number(id: StructureId) -> u128 {
    u128::from_be_bytes(id.0)
}
