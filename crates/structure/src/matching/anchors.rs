//! Anchors: equal sub-trees that are unique on both sides.

use super::nodes::{Keys, Nodes};
use super::pairs::Pairs;

/// Minimum number of nodes for which a unique equal sub-tree is hardly a coincidence.
const TALL: u32 = 4;

/// Pairs sub-trees that occur once on each side, tallest first and with all their nodes. Small ones are paired
/// only if their label is unique as well, unless `is_any_size`. Linear.
pub(super) fn unique(nodes: &Nodes<'_>, keys: &Keys, pairs: &mut Pairs, is_any_size: bool) {
    let mut partner = vec![None; keys.occurrences.len()];
    for (node, &key) in keys.sub_trees[1].iter().enumerate() {
        if keys.occurrences[key as usize] == [1, 1] {
            partner[key as usize] = Some(node);
        }
    }
    // In pre-order, so that a sub-tree comes before those inside of it.
    let first = &nodes.sides[0];
    for (node, &key) in keys.sub_trees[0].iter().enumerate() {
        let label = first.labels[node];
        let is_only = || [0, 1].map(|side| nodes.count(side, label)) == [1, 1];
        if let Some(there) = partner[key as usize]
            && pairs.is_free(0, node)
            && pairs.is_free(1, there)
            && (is_any_size || first.sizes[node] >= TALL || is_only())
        {
            pairs.set_sub_trees(nodes, by_side(keys), node, there);
        }
    }
}

/// Pairs equal sub-trees of several nodes of which one is left on each side: they moved. Linear.
pub(super) fn moved(nodes: &Nodes<'_>, keys: &Keys, pairs: &mut Pairs) {
    let mut left: Vec<[Option<Result<usize, ()>>; 2]> = vec![[None; 2]; keys.occurrences.len()];
    for (side, sub_trees) in keys.sub_trees.iter().enumerate() {
        for (node, &key) in sub_trees.iter().enumerate() {
            if pairs.is_free(side, node) && nodes.sides[side].sizes[node] > 1 {
                let known = &mut left[key as usize][side];
                *known = Some(if known.is_none() { Ok(node) } else { Err(()) });
            }
        }
    }
    for node in 0..nodes.sides[0].len() {
        let key = keys.sub_trees[0][node] as usize;
        if let [Some(Ok(here)), Some(Ok(there))] = left[key]
            && here == node
            && pairs.is_free(0, node)
            && pairs.is_free(1, there)
        {
            pairs.set_sub_trees(nodes, by_side(keys), node, there);
        }
    }
}

pub(super) fn by_side(keys: &Keys) -> [&[u32]; 2] {
    keys.sub_trees.each_ref().map(Vec::as_slice)
}
