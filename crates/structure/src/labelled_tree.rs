//! A tree of labels, and the ids of its structures.

use sheaf_model::{StructureForm, StructureHasher, StructureId};

use crate::similarity::Features;
use crate::similarity::mix;

/// A tree whose nodes have labels, in pre-order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LabelledTree {
    /// Nodes of each sub-tree, itself included.
    pub(crate) sizes: Vec<u32>,
    /// Label of each node, by number.
    labels: Vec<u32>,
    names: Vec<StructureId>,
}

impl LabelledTree {
    /// A tree from the sizes of its sub-trees, in pre-order, and the number of each node's label in
    /// `names`. Absent when those make no tree: when a sub-tree does not end within the one around it, a
    /// label has no name, or there is more than one root.
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

    /// The node around each; `u32::MAX` for the root.
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

    /// The ids of labels, in the order in which they were given.
    pub(crate) fn names(&self) -> &[StructureId] {
        &self.names
    }

    /// The number of every node's label among [`Self::names`].
    pub(crate) fn label_indices(&self) -> &[u32] {
        &self.labels
    }

    /// Label of every node.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = StructureId> {
        self.labels.iter().map(|&label| self.names[label as usize])
    }

    /// Id of the structure below every node: equal in every run and store where the structures are equal in
    /// the given form. n log n in the children of a node, linear in all else.
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

    /// How often each structure occurs in the tree. As shapes, equal children of a node count once, with
    /// all that is below them, so that trees of the same shape have the same features.
    pub fn subtrees(&self, form: StructureForm) -> Features {
        self.features_of(&self.structure_ids(form), form)
    }

    /// The same from the ids that [`structure_ids`](Self::structure_ids) gave for that form.
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

    /// How often each path of labels from the root occurs.
    pub fn label_paths(&self) -> Features {
        self.weighted_label_paths(|_| 1)
    }

    /// The weight of each path of labels from the root, from the weights of nodes: their own work, say.
    pub fn weighted_label_paths(&self, weight: impl Fn(usize) -> u64) -> Features {
        let names: Vec<u128> = self.names.iter().map(|&name| mix(number(name))).collect();
        let mut paths: Vec<u128> = self
            .labels
            .iter()
            .map(|&label| names[label as usize])
            .collect();
        for node in 0..self.len() {
            let path = mix(paths[node]);
            for child in self.children(node) {
                paths[child] = mix(path.wrapping_add(paths[child]));
            }
        }
        let weights = paths
            .iter()
            .enumerate()
            .map(|(node, &path)| (path, weight(node)));
        Features::of(weights)
    }

    /// How often each place occurs, a place being the numbers of children from the root: once each. What is
    /// inserted shifts the places of all siblings behind it and of what is below those.
    pub fn positions(&self) -> Features {
        Features::of(self.places().map(|place| (place, 1)))
    }

    /// The same of places together with the labels of the nodes there.
    pub fn labelled_positions(&self) -> Features {
        let names = self.labels().map(number);
        let places = self.places().zip(names);
        Features::of(places.map(|(place, name)| (mix(place).wrapping_add(mix(name)), 1)))
    }

    /// A number for the place of each node.
    fn places(&self) -> impl Iterator<Item = u128> {
        let mut places = vec![0_u128; self.len()];
        for node in 0..self.len() {
            let around = mix(places[node]);
            for (child, at) in self.children(node).zip(1..) {
                places[child] = mix(around.wrapping_add(at));
            }
        }
        places.into_iter()
    }

    /// The node with all that is below it; nothing for a node that is not there.
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

    /// The features of the rounds 0 to `rounds` of Weisfeiler and Lehman, one after the other: a round
    /// replaces every label by the label with those of all neighbours, parent and children, whatever
    /// their order. Linear per round but for the sorting of labels.
    pub fn weisfeiler_lehman(&self, rounds: u32) -> Vec<Features> {
        crate::similarity::rounds(self, rounds)
    }
}

/// An id as a number, in the same order.
pub(crate) fn number(id: StructureId) -> u128 {
    u128::from_be_bytes(id.0)
}
