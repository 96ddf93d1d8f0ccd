//! Both trees with common numbers of labels, and keys of their sub-trees.

use std::cmp::Ordering;

use rayon::prelude::*;
use sheaf_model::StructureId;

use super::{Known, Side};
use crate::similarity::mix;

/// Marks a missing node in columns of nodes.
pub(super) const NONE: u32 = u32::MAX;

/// One tree.
pub(super) struct Tree<'a> {
    pub(super) sizes: &'a [u32],
    pub(super) parents: Vec<u32>,
    /// Label of each node, in the common numbering.
    pub(super) labels: Vec<u32>,
}

impl Tree<'_> {
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    pub(super) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = node + self.sizes[node] as usize;
        let first = Some(node + 1).filter(|&child| child < end);
        std::iter::successors(first, move |&child| {
            Some(child + self.sizes[child] as usize).filter(|&child| child < end)
        })
    }

    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        let parent = self.parents[node];
        (parent != NONE).then_some(parent as usize)
    }
}

/// Both trees.
pub(super) struct Nodes<'a> {
    pub(super) sides: [Tree<'a>; 2],
    /// Ids of labels, ascending: the index is a label's number.
    pub(super) ids: Vec<StructureId>,
    pub(super) names: Vec<&'a str>,
    kinds: Vec<u32>,
    /// Class of each label; equivalent labels have the same class.
    classes: Vec<u32>,
    /// Nodes of each class on each side.
    occurrences: Vec<[u32; 2]>,
    /// Pairs of labels that must not be matched, ascending.
    different: Vec<(u32, u32)>,
    /// Whether the order of children has no meaning.
    pub(super) is_unordered: bool,
}

impl<'a> Nodes<'a> {
    pub(super) fn new(a: &Side<'a>, b: &Side<'a>, known: &Known<'_>) -> Self {
        let sides = [a, b];
        let mut ids: Vec<StructureId> = sides
            .iter()
            .flat_map(|side| side.tree.names())
            .copied()
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let number = |id: &StructureId| index(ids.binary_search(id).unwrap_or_default());
        let (mut names, mut kind_names) = (vec![""; ids.len()], vec![""; ids.len()]);
        for side in sides {
            for (id, label) in side.tree.names().iter().zip(side.labels) {
                let at = number(id) as usize;
                (names[at], kind_names[at]) = (label.name, label.kind);
            }
        }
        let mut distinct = kind_names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let kind = |name: &&str| index(distinct.binary_search(name).unwrap_or_default());
        let trees = sides.map(|side| {
            let numbers: Vec<u32> = side.tree.names().iter().map(number).collect();
            Tree {
                sizes: &side.tree.sizes,
                parents: side.tree.parents(),
                labels: side
                    .tree
                    .label_indices()
                    .iter()
                    .map(|&label| numbers[label as usize])
                    .collect(),
            }
        });
        let numbered = |pairs: &[(StructureId, StructureId)]| -> Vec<(u32, u32)> {
            let both = |(a, b): &(StructureId, StructureId)| {
                Some((ids.binary_search(a).ok()?, ids.binary_search(b).ok()?))
            };
            pairs
                .iter()
                .filter_map(both)
                .map(|(a, b)| (index(a), index(b)))
                .collect()
        };
        let mut different = numbered(known.different);
        different.sort_unstable();
        let same = numbered(known.same);
        let mut nodes = Self {
            sides: trees,
            kinds: kind_names.iter().map(kind).collect(),
            classes: (0..index(ids.len())).collect(),
            occurrences: Vec::new(),
            names,
            different,
            is_unordered: known.is_unordered,
            ids,
        };
        nodes.rename(&same);
        nodes
    }

    /// Makes labels of the first and of the second side equivalent.
    pub(super) fn rename(&mut self, pairs: &[(u32, u32)]) {
        let mut to: Vec<u32> = (0..index(self.ids.len())).collect();
        let last = |to: &[u32], mut class: u32| {
            while to[class as usize] != class {
                class = to[class as usize];
            }
            class
        };
        for &(a, b) in pairs {
            let (from, into) = (last(&to, self.class(b)), last(&to, self.class(a)));
            to[from as usize] = into;
        }
        for class in &mut self.classes {
            *class = last(&to, *class);
        }
        self.occurrences = vec![[0; 2]; self.ids.len()];
        for (side, tree) in self.sides.iter().enumerate() {
            for &label in &tree.labels {
                self.occurrences[self.classes[label as usize] as usize][side] += 1;
            }
        }
    }

    pub(super) fn class(&self, label: u32) -> u32 {
        self.classes[label as usize]
    }

    pub(super) fn class_of(&self, side: usize, node: usize) -> u32 {
        self.class(self.sides[side].labels[node])
    }

    /// Number of nodes of a label's class on a side.
    pub(super) fn count(&self, side: usize, label: u32) -> u32 {
        self.occurrences[self.class(label) as usize][side]
    }

    /// Whether a label of the first side may match one of the second: they have the same kind, no mapping
    /// rejects them, and at least one of them does not occur on the other side.
    pub(super) fn may_pair(&self, a: u32, b: u32) -> bool {
        if self.class(a) == self.class(b) {
            return true;
        }
        let is_one_kind = self.kinds[a as usize] == self.kinds[b as usize];
        is_one_kind
            && (self.count(1, a) == 0 || self.count(0, b) == 0)
            && self.different.binary_search(&(a, b)).is_err()
    }
}

/// Keys of the sub-tree of each node, per side.
pub(super) struct Keys {
    /// Equal for sub-trees that are equal up to the order of children; dense.
    pub(super) sub_trees: [Vec<u32>; 2],
    /// Number of occurrences of each such key on each side.
    pub(super) occurrences: Vec<[u32; 2]>,
    /// Keys of the kinds in the sub-tree.
    pub(super) shapes: [Vec<u64>; 2],
    /// Keys of the classes down to one, two and three levels below.
    pub(super) near: [[Vec<u64>; 3]; 2],
}

impl Keys {
    /// n log n.
    pub(super) fn new(nodes: &Nodes<'_>) -> Self {
        let (sub_trees, occurrences) = sub_trees(nodes);
        let by_side = |keys: &(dyn Fn(usize) -> Vec<u64> + Sync)| [keys(0), keys(1)];
        let shapes = by_side(&|side| {
            let tree = &nodes.sides[side];
            let mut keys: Vec<u64> = tree
                .labels
                .iter()
                .map(|&label| spread(u64::from(nodes.kinds[label as usize]) + 1))
                .collect();
            for node in (1..tree.len()).rev() {
                let key = spread(keys[node]);
                keys[tree.parents[node] as usize] =
                    keys[tree.parents[node] as usize].wrapping_add(key);
            }
            keys
        });
        let near = [0, 1].map(|side: usize| {
            let tree = &nodes.sides[side];
            let class = |node| spread(u64::from(nodes.class_of(side, node)) + 1);
            let own: Vec<u64> = (0..tree.len()).map(class).collect();
            let deeper = |below: &[u64]| {
                let mut keys = own.clone();
                for (&parent, &key) in tree.parents.iter().zip(below).skip(1) {
                    let parent = parent as usize;
                    keys[parent] = keys[parent].wrapping_add(spread(key));
                }
                keys
            };
            let children = deeper(&own);
            let grandchildren = deeper(&children);
            let below = deeper(&grandchildren);
            [children, grandchildren, below]
        });
        Self {
            sub_trees,
            occurrences,
            shapes,
            near,
        }
    }
}

fn sub_trees(nodes: &Nodes<'_>) -> ([Vec<u32>; 2], Vec<[u32; 2]>) {
    let hashes = [0, 1].map(|side: usize| {
        let tree = &nodes.sides[side];
        let class = |node| mix(u128::from(nodes.class_of(side, node)) + 1);
        let mut hashes: Vec<u128> = (0..tree.len()).map(class).collect();
        // In reverse pre-order, the hash of a node is final: its sub-tree was processed before.
        for node in (1..tree.len()).rev() {
            hashes[node] = mix(hashes[node]);
            let parent = tree.parents[node] as usize;
            hashes[parent] = hashes[parent].wrapping_add(mix(hashes[node]));
        }
        if let Some(root) = hashes.first_mut() {
            *root = mix(*root);
        }
        hashes
    });
    let mut all: Vec<(u128, u32, u32)> = Vec::with_capacity(hashes[0].len() + hashes[1].len());
    for (side, hashes) in (0..).zip(&hashes) {
        all.extend((0..).zip(hashes).map(|(node, &hash)| (hash, side, node)));
    }
    all.par_sort_unstable();
    let mut keys = hashes.map(|hashes| vec![0; hashes.len()]);
    let mut occurrences = Vec::new();
    for equal in all.chunk_by(|x, y| x.0 == y.0) {
        let key = index(occurrences.len());
        let mut counts = [0; 2];
        for &(_, side, node) in equal {
            keys[side as usize][node as usize] = key;
            counts[side as usize] += 1;
        }
        occurrences.push(counts);
    }
    (keys, occurrences)
}

/// Mixes bits (the finaliser of `SplitMix64`).
const fn spread(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (value ^ (value >> 31)).wrapping_add(0x9e37_79b9_7f4a_7c15)
}

/// An order of labelled trees; equal only for trees that are equal.
pub(super) fn order(a: &Side<'_>, b: &Side<'_>) -> Ordering {
    let sizes = a.tree.sizes.cmp(&b.tree.sizes);
    sizes
        .then_with(|| a.tree.labels().cmp(b.tree.labels()))
        .then_with(|| a.labels.cmp(b.labels))
}

/// Trees number their nodes with 32 bits.
pub(super) fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE - 1)
}
