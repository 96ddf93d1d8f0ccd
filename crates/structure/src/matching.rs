//! Which node of one tree is which of another.
//!
//! Equal sub-trees are paired first, then what hangs below pairs, then nodes with mostly the same content;
//! a label whose nodes are paired with those of one other label was renamed, and all is done once more with
//! that known. Names decide last. In the spirit of Falleri et al. 2014 ("Fine-grained and accurate source
//! code differencing"), for trees without recursion: n log n in the nodes of both, whatever their depth
//! and however many siblings are equal.

mod align;
mod anchors;
mod content;
mod nodes;
mod outcome;
mod pairs;
#[cfg(test)]
mod tests;
mod text;
mod vote;

use sheaf_model::StructureId;

use crate::LabelledTree;
use nodes::{Keys, Nodes};
use pairs::Pairs;

pub use outcome::{Change, NodeChange, Outcome, out_of_order};
pub use text::similarity as name_similarity;

/// Kind and name of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label<'a> {
    /// Nodes are only paired with nodes of their kind.
    pub kind: &'a str,
    /// Name for people, which pairs what nothing else distinguishes.
    pub name: &'a str,
}

/// One of the two trees.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The tree.
    pub tree: &'a LabelledTree,
    /// Kind and name of each of the tree's labels, in the order in which they were given to the tree.
    pub labels: &'a [Label<'a>],
}

/// Pairs that are known, and pairs that are excluded, before nodes are matched.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Nodes of both trees that are the same.
    pub pairs: &'a [(u32, u32)],
    /// Labels of both trees that mean the same.
    pub same: &'a [(StructureId, StructureId)],
    /// Labels that do not, however much alike they are.
    pub different: &'a [(StructureId, StructureId)],
    /// Whether the order of children has no meaning, so that it cannot be used to pair new names with old ones.
    pub is_unordered: bool,
}

/// How two nodes were matched, strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchTier {
    /// By a known pair.
    Known,
    /// Their sub-trees are equal.
    SubTree,
    /// Their parents are matched, and their labels are equal.
    Label,
    /// Their parents are matched, and their sub-trees have equal kinds.
    Shape,
    /// Most of the nodes below them are matched.
    Content,
    /// Their parents are matched, and their names are similar.
    Name,
}

/// A label of the first tree that the second has under another name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rename {
    /// Label in the first tree.
    pub a: StructureId,
    /// Label in the second tree.
    pub b: StructureId,
    /// Pairs of nodes with these labels.
    pub pairs: usize,
    /// Twice the number of pairs, divided by the number of nodes with either label, 0..1.
    pub score: f64,
}

/// Which node of the first tree is which of the second.
#[derive(Debug, Clone, PartialEq)]
pub struct Matching {
    pairs: Pairs,
    renames: Vec<Rename>,
}

impl Matching {
    /// Pairs the nodes of two trees. Exchanging the trees exchanges the sides of the result and changes
    /// nothing else. n log n in the nodes of both; equal siblings are counted, not compared.
    ///
    /// ```
    /// use sheaf_model::StructureId;
    /// use sheaf_structure::LabelledTree;
    /// use sheaf_structure::matching::{Known, Label, Matching, Side};
    /// let names = ["main", "f"].map(|name| StructureId::label(name, None)).to_vec();
    /// let labels = ["main", "f"].map(|name| Label { kind: "task", name });
    /// let one = LabelledTree::new(vec![2, 1], vec![0, 1], names.clone()).unwrap();
    /// let two = LabelledTree::new(vec![3, 1, 1], vec![0, 1, 1], names).unwrap();
    /// let side = |tree| Side { tree, labels: &labels };
    /// let found = Matching::new(side(&one), side(&two), &Known::default());
    /// assert_eq!(found.partner(0, 1), Some(1));
    /// assert_eq!(found.partner(1, 2), None);
    /// ```
    pub fn new(a: Side<'_>, b: Side<'_>, known: &Known<'_>) -> Self {
        // One order of the sides, so that nothing depends on which is first.
        if nodes::order(&a, &b).is_le() {
            return find(a, b, known);
        }
        let turn = |pairs: &[(StructureId, StructureId)]| -> Vec<_> {
            pairs.iter().map(|&(a, b)| (b, a)).collect()
        };
        let pairs: Vec<_> = known.pairs.iter().map(|&(a, b)| (b, a)).collect();
        let (same, different) = (turn(known.same), turn(known.different));
        let known = Known {
            pairs: &pairs,
            same: &same,
            different: &different,
            is_unordered: known.is_unordered,
        };
        find(b, a, &known).turned()
    }

    /// The other tree's node that `node` of side 0 or 1 is.
    pub fn partner(&self, side: usize, node: usize) -> Option<usize> {
        self.pairs.partner(side, node)
    }

    /// How a node of side 0 or 1 was paired.
    pub fn tier(&self, side: usize, node: usize) -> Option<MatchTier> {
        let first = if side == 0 {
            node
        } else {
            self.partner(1, node)?
        };
        self.partner(0, first).map(|_| self.pairs.tier(first))
    }

    /// How sure the pair of a node is: 1 where labels and places agree, else the share of content or of
    /// the name that does.
    pub fn score(&self, side: usize, node: usize) -> Option<f64> {
        let first = if side == 0 {
            node
        } else {
            self.partner(1, node)?
        };
        self.partner(0, first).map(|_| self.pairs.score(first))
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether nothing was paired.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Labels that were renamed, by label of the first tree.
    pub fn renames(&self) -> &[Rename] {
        &self.renames
    }

    fn turned(mut self) -> Self {
        self.pairs.turn();
        for rename in &mut self.renames {
            std::mem::swap(&mut rename.a, &mut rename.b);
        }
        self.renames
            .sort_unstable_by_key(|rename| (rename.a, rename.b));
        self
    }
}

/// Times that everything is done: once, and again with the renames that were found.
const ROUNDS: usize = 2;

fn find(a: Side<'_>, b: Side<'_>, known: &Known<'_>) -> Matching {
    let mut nodes = Nodes::new(&a, &b, known);
    let mut round = 0;
    let (keys, mut pairs) = loop {
        let keys = Keys::new(&nodes);
        let pairs = structural(&nodes, &keys, known);
        round += 1;
        let renames = vote::renames(&nodes, &pairs);
        if renames.is_empty() || round == ROUNDS {
            nodes.rename(&renames);
            break (keys, pairs);
        }
        nodes.rename(&renames);
    };
    vote::dissolve(&nodes, &mut pairs);
    align::children(&nodes, &keys, &mut pairs, true);
    anchors::moved(&nodes, &keys, &mut pairs);
    let renames = vote::counted(&nodes, &pairs);
    Matching { pairs, renames }
}

/// Pairs by structure and labels alone.
fn structural(nodes: &Nodes<'_>, keys: &Keys, known: &Known<'_>) -> Pairs {
    let mut pairs = Pairs::new(nodes, known.pairs);
    anchors::unique(nodes, keys, &mut pairs, false);
    let roots_agree = |is_label: bool, pairs: &mut Pairs| {
        if let (Some(&a), Some(&b)) = (nodes.sides[0].labels.first(), nodes.sides[1].labels.first())
            && nodes.may_pair(a, b)
            && (nodes.class(a) == nodes.class(b) || !is_label)
        {
            pairs.set(
                0,
                0,
                if is_label {
                    MatchTier::Label
                } else {
                    MatchTier::Shape
                },
                1.0,
            );
        }
    };
    roots_agree(true, &mut pairs);
    content::pair(nodes, &mut pairs, true);
    align::children(nodes, keys, &mut pairs, false);
    anchors::unique(nodes, keys, &mut pairs, true);
    content::pair(nodes, &mut pairs, false);
    roots_agree(false, &mut pairs);
    align::children(nodes, keys, &mut pairs, false);
    pairs
}
