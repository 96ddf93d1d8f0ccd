//! Edit distance of small trees: which nodes must be deleted, inserted or renamed to turn one tree into another.
//!
//! The algorithm of Zhang and Shasha 1989 ("Simple fast algorithms for the editing distance between trees and
//! related problems"), for ordered trees and unit costs. A wrapper is one insertion, and renaming a node is one
//! edit regardless of its sub-tree. The order of children counts.

#[cfg(test)]
mod tests;
mod zhang_shasha;

use std::cmp::Ordering;
use std::fmt::{Display, Formatter};

use crate::LabelledTree;
use zhang_shasha::Pair;

/// Maximum number of nodes of a tree: time grows with the cube of the nodes, and faster for deep trees.
pub const MAX_NODES: usize = 500;

/// A tree has more than [`MAX_NODES`] nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// Nodes of the larger tree.
    pub nodes: usize,
}

impl Display for TooLarge {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let nodes = self.nodes;
        write!(
            f,
            "a tree has `{nodes}` nodes; edits are searched for in trees of at most {MAX_NODES}"
        )
    }
}

impl std::error::Error for TooLarge {}

/// Number of edits between two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditDistance {
    /// Minimum number of nodes to delete, insert or rename.
    pub edits: usize,
    /// Number of nodes of each tree.
    pub nodes: [usize; 2],
}

impl EditDistance {
    /// The distance of two trees, a metric: zero for equal trees only, symmetric, with the triangle inequality.
    /// O(n² m²) for trees of n and m nodes in the worst case, O(n m log n log m) for balanced ones.
    ///
    /// # Errors
    /// If either tree has more than [`MAX_NODES`] nodes.
    ///
    /// ```
    /// use sheaf_model::StructureId;
    /// use sheaf_structure::LabelledTree;
    /// use sheaf_structure::edit::EditDistance;
    /// let names = ["main", "f"].map(|name| StructureId::label(name, None)).to_vec();
    /// let one = LabelledTree::new(vec![2, 1], vec![0, 1], names.clone()).unwrap();
    /// let two = LabelledTree::new(vec![3, 1, 1], vec![0, 1, 1], names).unwrap();
    /// let distance = EditDistance::between(&one, &two).unwrap();
    /// assert_eq!((distance.edits, distance.similarity()), (1, 0.8));
    /// ```
    pub fn between(a: &LabelledTree, b: &LabelledTree) -> Result<Self, TooLarge> {
        let nodes = sizes(a, b)?;
        let edits = Pair::new(a, b).distance();
        Ok(Self { edits, nodes })
    }

    /// 1 − edits / nodes of both trees, 0..1; 1 for two empty trees.
    pub fn similarity(&self) -> f64 {
        let nodes = self.nodes[0] + self.nodes[1];
        if nodes == 0 {
            1.0
        } else {
            1.0 - self.edits as f64 / nodes as f64
        }
    }
}

/// The fewest edits that turn one tree into another. Nodes are numbered in pre-order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditScript {
    /// Deleted nodes of the first tree; their children move to their parents.
    pub deleted: Vec<u32>,
    /// Inserted nodes of the second tree.
    pub inserted: Vec<u32>,
    /// Pairs of corresponding nodes with different labels.
    pub renamed: Vec<(u32, u32)>,
    /// Pairs of corresponding nodes with the same label.
    pub kept: Vec<(u32, u32)>,
}

impl EditScript {
    /// A shortest script, with all lists in ascending order. Exchanging the trees gives the reverse of the same
    /// script. Takes several times as long as the distance.
    ///
    /// # Errors
    /// As for [`EditDistance::between`].
    pub fn between(a: &LabelledTree, b: &LabelledTree) -> Result<Self, TooLarge> {
        sizes(a, b)?;
        let labels = || a.labels().cmp(b.labels());
        if a.sizes.cmp(&b.sizes).then_with(labels) == Ordering::Greater {
            return Ok(Pair::new(b, a).script().turned());
        }
        Ok(Pair::new(a, b).script())
    }

    /// Number of edits: the distance of the trees.
    pub const fn edits(&self) -> usize {
        self.deleted.len() + self.inserted.len() + self.renamed.len()
    }

    fn turned(self) -> Self {
        let turn = |pairs: Vec<(u32, u32)>| {
            let mut pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (b, a)).collect();
            pairs.sort_unstable();
            pairs
        };
        Self {
            deleted: self.inserted,
            inserted: self.deleted,
            renamed: turn(self.renamed),
            kept: turn(self.kept),
        }
    }
}

fn sizes(a: &LabelledTree, b: &LabelledTree) -> Result<[usize; 2], TooLarge> {
    let nodes = a.len().max(b.len());
    if nodes > MAX_NODES {
        return Err(TooLarge { nodes });
    }
    Ok([a.len(), b.len()])
}
