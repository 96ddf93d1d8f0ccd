//! Aligns the children of paired nodes: equal ones first, then less and less similar ones, then those in a wrapper.

use std::collections::BTreeMap;

use super::anchors::by_side;
use super::nodes::{Keys, Nodes, index};
use super::outcome::out_of_order;
use super::pairs::Pairs;
use super::{MatchTier, text};

/// Maximum number of children per side and parent that are compared by name: the first ones.
const MAX_NAMES: usize = 64;

/// Pairs children of pairs, from the roots down, including those of new pairs; with `is_by_name` also by name.
/// n log n in the children of each pair.
pub(super) fn children(nodes: &Nodes<'_>, keys: &Keys, pairs: &mut Pairs, is_by_name: bool) {
    let mut aligner = Aligner { nodes, keys, pairs };
    for node in 0..nodes.sides[0].len() {
        if let Some(there) = aligner.pairs.partner(0, node) {
            aligner.align(node, there, is_by_name);
        }
    }
}

struct Aligner<'a, 'b> {
    nodes: &'a Nodes<'b>,
    keys: &'a Keys,
    pairs: &'a mut Pairs,
}

/// Children without a partner, per side, in order.
type Free = [Vec<usize>; 2];

impl Aligner<'_, '_> {
    fn align(&mut self, a: usize, b: usize, is_by_name: bool) {
        let free = |side: usize, node: usize| -> Vec<usize> {
            let children = self.nodes.sides[side].children(node);
            children
                .filter(|&child| self.pairs.is_free(side, child))
                .collect()
        };
        let mut free = [free(0, a), free(1, b)];
        let is_all_new = self.is_all_new(a, b, &free);
        if free[0].is_empty() && free[1].is_empty() {
            return;
        }
        let (nodes, keys) = (self.nodes, self.keys);
        let stretches = Stretches::new(nodes, self.pairs, a, b);
        self.sub_trees(&mut free, &stretches);
        for depth in (0..3).rev() {
            self.labels(&mut free, &stretches, |side, node| {
                keys.near[side][depth][node]
            });
        }
        // The largest first.
        for (tree, free) in nodes.sides.iter().zip(&mut free) {
            free.sort_by_key(|&node| std::cmp::Reverse(tree.sizes[node]));
        }
        self.labels(&mut free, &stretches, |side, node| {
            nodes.class_of(side, node)
        });
        self.wrapped(&mut free);
        self.shapes(&mut free, is_all_new);
        if is_by_name {
            self.names(&mut free, text::ALIKE);
        }
    }

    /// Pairs nodes with equal keys in order, those of the same section first.
    fn labels<K: Ord>(
        &mut self,
        free: &mut Free,
        stretches: &Stretches,
        key: impl Fn(usize, usize) -> K,
    ) {
        if !stretches.is_one() {
            let within = |side, node| (stretches.of(side, node), key(side, node));
            for (a, b) in equal(free, within) {
                self.pairs.set(a, b, MatchTier::Label, 1.0);
            }
            self.keep_free(free);
        }
        for (a, b) in equal(free, key) {
            self.pairs.set(a, b, MatchTier::Label, 1.0);
        }
        self.keep_free(free);
    }

    /// Pairs equal sub-trees in order, those of the same section first.
    fn sub_trees(&mut self, free: &mut Free, stretches: &Stretches) {
        let keys = by_side(self.keys);
        if !stretches.is_one() {
            for (a, b) in equal(free, |side, node| {
                (stretches.of(side, node), keys[side][node])
            }) {
                self.pairs.set_sub_trees(self.nodes, keys, a, b);
            }
            self.keep_free(free);
        }
        for (a, b) in equal(free, |side, node| keys[side][node]) {
            self.pairs.set_sub_trees(self.nodes, keys, a, b);
        }
        self.keep_free(free);
    }

    fn keep_free(&self, free: &mut Free) {
        for (side, free) in free.iter_mut().enumerate() {
            free.retain(|&node| self.pairs.is_free(side, node));
        }
    }

    /// Pairs children with nodes one level deeper on the other side, inside of a node without a partner.
    fn wrapped(&mut self, free: &mut Free) {
        for outer in 0..2 {
            let inner = 1 - outer;
            if free[outer].is_empty() || free[inner].is_empty() {
                continue;
            }
            let below = free[inner]
                .iter()
                .flat_map(|&node| self.nodes.sides[inner].children(node));
            let below: Vec<usize> = below
                .filter(|&node| self.pairs.is_free(inner, node))
                .collect();
            let mut both = [Vec::new(), Vec::new()];
            both[outer].clone_from(&free[outer]);
            both[inner] = below;
            let nodes = self.nodes;
            let anywhere = Stretches::default();
            self.sub_trees(&mut both, &anywhere);
            self.labels(&mut both, &anywhere, |side, node| {
                nodes.class_of(side, node)
            });
            self.keep_free(free);
        }
    }

    /// Whether the sub-trees of two nodes have equal kinds, and no child kept its label.
    fn is_all_new(&self, a: usize, b: usize, free: &Free) -> bool {
        let [first, second] = &self.nodes.sides;
        let [here, there] =
            [(first, a), (second, b)].map(|(tree, node)| tree.children(node).count());
        let has_kept = first.children(a).any(|child| {
            let partner = self.pairs.partner(0, child);
            partner.is_some_and(|partner| first.labels[child] == second.labels[partner])
        });
        let is_renamed = first.labels[a] != second.labels[b];
        self.keys.shapes[0][a] == self.keys.shapes[1][b]
            && here == there
            && free[0].len() == free[1].len()
            && !has_kept
            && (here > 1 || is_renamed)
    }

    /// Pairs children whose sub-trees have equal kinds; leaves only if all children are new. If a side has several
    /// names, similar names are paired first and the rest in order. If order has no meaning, the rest is paired only
    /// if one name remains on each side.
    fn shapes(&mut self, free: &mut Free, is_all_new: bool) {
        let nodes = self.nodes;
        let shapes = &self.keys.shapes;
        let mut of_shape: BTreeMap<u64, Free> = BTreeMap::new();
        for (side, free) in free.iter().enumerate() {
            for &node in free {
                if is_all_new || nodes.sides[side].sizes[node] > 1 {
                    of_shape.entry(shapes[side][node]).or_default()[side].push(node);
                }
            }
        }
        for mut alike in of_shape.into_values() {
            if alike.iter().any(Vec::is_empty) {
                continue;
            }
            if !self.is_one_name(&alike) {
                self.names(&mut alike, text::RATHER_ALIKE);
                // A name that both sides have is not the new name of another one.
                for (side, alike) in alike.iter_mut().enumerate() {
                    alike
                        .retain(|&node| nodes.count(1 - side, nodes.sides[side].labels[node]) == 0);
                }
            }
            if !nodes.is_unordered || self.is_one_name(&alike) {
                let [first, second] = &nodes.sides;
                for (&a, &b) in alike[0].iter().zip(&alike[1]) {
                    if nodes.may_pair(first.labels[a], second.labels[b]) {
                        self.pairs.set(a, b, MatchTier::Shape, 1.0);
                    }
                }
            }
        }
        self.keep_free(free);
    }

    /// Whether each side's nodes have one label.
    fn is_one_name(&self, free: &Free) -> bool {
        free.iter().enumerate().all(|(side, free)| {
            let mut labels = free.iter().map(|&node| self.nodes.class_of(side, node));
            labels
                .next()
                .is_some_and(|first| labels.all(|label| label == first))
        })
    }

    /// Pairs children whose names are most similar to each other.
    fn names(&mut self, free: &mut Free, least: f64) {
        let [first, second] = &self.nodes.sides;
        let mut found = Vec::new();
        for &a in free[0].iter().take(MAX_NAMES) {
            for &b in free[1].iter().take(MAX_NAMES) {
                let (x, y) = (first.labels[a], second.labels[b]);
                if !self.nodes.may_pair(x, y) {
                    continue;
                }
                let name = |label: u32| self.nodes.names[label as usize];
                let score = text::similarity(name(x), name(y));
                if score >= least {
                    found.push((score, a, b));
                }
            }
        }
        found.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        for (score, a, b) in found {
            self.pairs.set(a, b, MatchTier::Name, score);
        }
        self.keep_free(free);
    }
}

/// Sections of siblings between pairs that have the same order on both sides. Equal siblings are matched within
/// the same section first.
#[derive(Default)]
struct Stretches([Vec<usize>; 2]);

impl Stretches {
    fn new(nodes: &Nodes<'_>, pairs: &Pairs, a: usize, b: usize) -> Self {
        let [first, second] = &nodes.sides;
        let partner = |child: usize| {
            let there = pairs.partner(0, child)?;
            (second.parent(there) == Some(b)).then_some((child, there))
        };
        let both: Vec<(usize, usize)> = first.children(a).filter_map(partner).collect();
        let order: Vec<u32> = both.iter().map(|pair| index(pair.1)).collect();
        let out = out_of_order(&order);
        let mut out = out.iter().peekable();
        let mut ends = Self::default();
        for (at, &(here, there)) in both.iter().enumerate() {
            if out.next_if(|next| **next == at).is_none() {
                ends.0[0].push(here);
                ends.0[1].push(there);
            }
        }
        ends
    }

    fn is_one(&self) -> bool {
        self.0[0].is_empty()
    }

    fn of(&self, side: usize, node: usize) -> usize {
        self.0[side].partition_point(|&end| end < node)
    }
}

/// Pairs of nodes with equal keys, in order, while there are any on both sides.
fn equal<K: Ord>(free: &Free, key: impl Fn(usize, usize) -> K) -> Vec<(usize, usize)> {
    if free[0].is_empty() || free[1].is_empty() {
        return Vec::new();
    }
    let keyed = |side: usize| {
        let mut keyed: Vec<(K, usize)> = free[side]
            .iter()
            .map(|&node| (key(side, node), node))
            .collect();
        keyed.sort_by(|x, y| x.0.cmp(&y.0));
        keyed
    };
    let (first, second) = (keyed(0), keyed(1));
    let (mut here, mut there) = (first.iter().peekable(), second.iter().peekable());
    let mut found = Vec::new();
    while let (Some(a), Some(b)) = (here.peek(), there.peek()) {
        match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => drop(here.next()),
            std::cmp::Ordering::Greater => drop(there.next()),
            std::cmp::Ordering::Equal => {
                found.push((a.1, b.1));
                here.next();
                there.next();
            }
        }
    }
    found
}
