//! Pairs of nodes, while a matching is computed.

use super::MatchTier;
use super::nodes::{NONE, Nodes, index};

/// Pairs; a node is in at most one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pairs {
    partners: [Vec<u32>; 2],
    /// By node of the first side.
    tiers: Vec<MatchTier>,
    scores: Vec<f64>,
    count: usize,
}

impl Pairs {
    pub(super) fn new(nodes: &Nodes<'_>, known: &[(u32, u32)]) -> Self {
        let sizes = nodes.sides.each_ref().map(super::nodes::Tree::len);
        let mut pairs = Self {
            partners: sizes.map(|size| vec![NONE; size]),
            tiers: vec![MatchTier::Known; sizes[0]],
            scores: vec![0.0; sizes[0]],
            count: 0,
        };
        for &(a, b) in known {
            let (a, b) = (a as usize, b as usize);
            if a < sizes[0] && b < sizes[1] {
                pairs.set(a, b, MatchTier::Known, 1.0);
            }
        }
        pairs
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn partner(&self, side: usize, node: usize) -> Option<usize> {
        let partner = self.partners[side][node];
        (partner != NONE).then_some(partner as usize)
    }

    pub(super) fn is_free(&self, side: usize, node: usize) -> bool {
        self.partners[side][node] == NONE
    }

    pub(super) fn tier(&self, first: usize) -> MatchTier {
        self.tiers[first]
    }

    pub(super) fn score(&self, first: usize) -> f64 {
        self.scores[first]
    }

    /// Pairs two nodes unless one of them has a partner; returns whether it did.
    pub(super) fn set(&mut self, a: usize, b: usize, tier: MatchTier, score: f64) -> bool {
        if !self.is_free(0, a) || !self.is_free(1, b) {
            return false;
        }
        self.partners[0][a] = index(b);
        self.partners[1][b] = index(a);
        self.tiers[a] = tier;
        self.scores[a] = score;
        self.count += 1;
        true
    }

    /// Removes the pair of a node of the first side.
    pub(super) fn unset(&mut self, a: usize) {
        if let Some(b) = self.partner(0, a) {
            self.partners[0][a] = NONE;
            self.partners[1][b] = NONE;
            self.count -= 1;
        }
    }

    /// Pairs all nodes of two equal sub-trees, equal children in order. Linear if the children have the same order,
    /// else n log n.
    pub(super) fn set_sub_trees(
        &mut self,
        nodes: &Nodes<'_>,
        keys: [&[u32]; 2],
        a: usize,
        b: usize,
    ) {
        let [first, second] = &nodes.sides;
        let size = first.sizes[a] as usize;
        let (here, there) = (a..a + size, b..b + size);
        let is_in_order = first.sizes[here.clone()] == second.sizes[there.clone()]
            && keys[0][here.clone()] == keys[1][there.clone()];
        if is_in_order {
            for (a, b) in here.zip(there) {
                self.set(a, b, MatchTier::SubTree, 1.0);
            }
            return;
        }
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            if !self.set(a, b, MatchTier::SubTree, 1.0) {
                continue;
            }
            let sorted = |side: usize, node: usize| {
                let mut children: Vec<usize> = nodes.sides[side].children(node).collect();
                children.sort_by_key(|&child| keys[side][child]);
                children
            };
            open.extend(sorted(0, a).into_iter().zip(sorted(1, b)));
        }
    }

    pub(super) fn turn(&mut self) {
        self.partners.swap(0, 1);
        let (mut tiers, mut scores) = (
            vec![MatchTier::Known; self.partners[0].len()],
            vec![0.0; self.partners[0].len()],
        );
        for (node, &before) in self.partners[0].iter().enumerate() {
            if before != NONE {
                tiers[node] = self.tiers[before as usize];
                scores[node] = self.scores[before as usize];
            }
        }
        (self.tiers, self.scores) = (tiers, scores);
    }
}
