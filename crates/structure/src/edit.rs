//! How many nodes of a small tree must be deleted, inserted or renamed to make another of it, and which.
//!
//! After Zhang and Shasha 1989 ("Simple fast algorithms for the editing distance between trees and related
//! problems"), for ordered trees and unit costs. An edit is what a person would call a change: a wrapper is one
//! insertion, a rename one edit whatever is below it. The order of children counts.

#[cfg(test)]
mod tests;
mod zhang_shasha;

use std::cmp::Ordering;
use std::fmt::{Display, Formatter};

use crate::LabelledTree;
use zhang_shasha::Pair;

/// Nodes of a tree up to which its edits are looked for: time grows with the cube of nodes, and more for deep trees.
pub const MOST_NODES: usize = 500;

/// A tree has more nodes than edits are looked for among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// Nodes of the greater tree.
    pub nodes: usize,
}

impl Display for TooLarge {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let nodes = self.nodes;
        write!(
            f,
            "a tree has `{nodes}` nodes, edits are looked for among at most {MOST_NODES}"
        )
    }
}

impl std::error::Error for TooLarge {}

/// Edits between two trees, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditDistance {
    /// Nodes to delete, insert or rename, at least.
    pub edits: usize,
    /// Nodes of the trees.
    pub nodes: [usize; 2],
}

impl EditDistance {
    /// The distance of two trees. It is a metric: zero for equal trees alone, symmetric, and a way round is
    /// never shorter. O(n² m²) for trees of n and m nodes in the worst case, O(n m log n log m) for balanced ones.
    ///
    /// # Errors
    /// When either has more than [`MOST_NODES`] nodes.
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

    /// One less the edits by the nodes of both trees, 0..1; 1 for two empty ones.
    pub fn similarity(&self) -> f64 {
        self.by(self.nodes[0] + self.nodes[1])
    }

    /// One less the edits by the nodes of the greater tree, 0..1; 1 for two empty ones.
    pub fn similarity_to_greater(&self) -> f64 {
        self.by(self.nodes[0].max(self.nodes[1]))
    }

    fn by(&self, nodes: usize) -> f64 {
        if nodes == 0 {
            1.0
        } else {
            1.0 - self.edits as f64 / nodes as f64
        }
    }
}

/// What makes one tree of another with as few edits as possible. Nodes are numbered in pre-order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditScript {
    /// Nodes of the first tree that are not in the second; their children go to their parents.
    pub deleted: Vec<u32>,
    /// Nodes of the second tree that are not in the first.
    pub inserted: Vec<u32>,
    /// Nodes of both that stand for each other under different labels.
    pub renamed: Vec<(u32, u32)>,
    /// Nodes of both that stand for each other under the same label.
    pub kept: Vec<(u32, u32)>,
}

impl EditScript {
    /// A shortest script, all lists in ascending order. Where several are as short, exchanging the trees gives
    /// the same one the other way round. Costs what the distance does, several times.
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
    if nodes > MOST_NODES {
        return Err(TooLarge { nodes });
    }
    Ok([a.len(), b.len()])
}
