//! A tree as text.

use std::io::{self, Write};

use super::tree::{AggregationTree, GroupKind};

/// Writes a tree as `FJ[...]` (fork-join), `L[...]` (linear), `S[...]` (sibling), `U[...]` (unstructured)
/// and names of grains, separated by blanks.
#[derive(Clone, Copy, Debug)]
pub struct TreeText<'a> {
    tree: &'a AggregationTree,
    max_depth: u32,
}

impl AggregationTree {
    /// The text of the whole tree.
    pub fn text(&self) -> TreeText<'_> {
        TreeText {
            tree: self,
            max_depth: u32::MAX,
        }
    }
}

impl TreeText<'_> {
    /// Leaves groups closed that are so many edges below the root, and writes the number of their grains:
    /// `FJ(12)`.
    #[must_use]
    pub fn to_depth(self, max_depth: u32) -> Self {
        Self { max_depth, ..self }
    }

    /// Writes the text; `name` writes the name of the grain with the given row. Nothing for an empty
    /// tree.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write<W: Write>(
        self,
        out: &mut W,
        mut name: impl FnMut(&mut W, u32) -> io::Result<()>,
    ) -> io::Result<()> {
        let tree = self.tree;
        let mut ends: Vec<u32> = Vec::new();
        let (mut node, end) = (0, tree.size(0));
        while node < end {
            while ends.pop_if(|end| *end <= node).is_some() {
                out.write_all(b"]")?;
            }
            // Every group ends in a grain, so what follows a group is its first child.
            if node > 0 && tree.kind(node - 1) == Some(GroupKind::Grain) {
                out.write_all(b" ")?;
            }
            node = self.node(out, node, &mut ends, &mut name)?;
        }
        for _ in ends {
            out.write_all(b"]")?;
        }
        Ok(())
    }

    /// Writes a grain, a closed group or the begin of an open one; returns what comes next.
    fn node<W: Write>(
        self,
        out: &mut W,
        node: u32,
        ends: &mut Vec<u32>,
        name: &mut impl FnMut(&mut W, u32) -> io::Result<()>,
    ) -> io::Result<u32> {
        let (tree, behind) = (self.tree, node + self.tree.size(node));
        let kind = tree.kinds[node as usize];
        if kind == GroupKind::Grain {
            name(out, tree.items[node as usize])?;
        } else if ends.len() as u64 >= u64::from(self.max_depth) {
            let below = &tree.kinds[node as usize..behind as usize];
            let grains = below.iter().filter(|&&kind| kind == GroupKind::Grain);
            write!(out, "{}({})", kind.as_str(), grains.count())?;
            return Ok(behind);
        } else {
            write!(out, "{}[", kind.as_str())?;
            ends.push(behind);
        }
        Ok(node + 1)
    }
}
