//! Similarity of trees: features of a tree, and how much two lists of features have in common.
//!
//! A [`LabelledTree`] yields ids of its structures (Aho, Hopcroft and Ullman 1974) and the
//! labels of Weisfeiler and Lehman's rounds (Shervashidze et al. 2011). Both are [`Features`]: ids with the number of
//! times that each occurs. Two lists are compared by merging them.

mod features;
mod matrix;
#[cfg(test)]
mod tests;

use crate::labelled_tree::{LabelledTree, number};

pub use features::Features;
pub use matrix::min_max_matrix;

/// A mixing bijection on 128 bits, so that the sum of its values identifies a multiset: two different ones
/// agree with probability about 2⁻¹²⁸. It is a bijection because the multipliers are odd.
pub(crate) const fn mix(value: u128) -> u128 {
    const FIRST: u128 = 0xdb36_3577_34e3_4abb_0050_d076_1fcd_fc15;
    const SECOND: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    let value = (value ^ (value >> 67)).wrapping_mul(FIRST);
    let value = (value ^ (value >> 61)).wrapping_mul(SECOND);
    value ^ (value >> 65)
}

/// Features of the labels before the first round of Weisfeiler and Lehman and after each of the given number of rounds.
pub(crate) fn rounds(tree: &LabelledTree, rounds: u32) -> Vec<Features> {
    let mut labels: Vec<u128> = tree.labels().map(|label| mix(number(label))).collect();
    let mut features = vec![count(&labels)];
    let mut sums = vec![0_u128; labels.len()];
    for round in 1..=rounds {
        sums.fill(0);
        for node in 0..tree.len() {
            let own = mix(labels[node]);
            let mut below = 0_u128;
            for child in tree.children(node) {
                below = below.wrapping_add(mix(labels[child]));
                sums[child] = sums[child].wrapping_add(own);
            }
            sums[node] = sums[node].wrapping_add(below);
        }
        for (label, sum) in labels.iter_mut().zip(&sums) {
            // Labels of different rounds differ, as those of nodes and of their neighbours do.
            *label = mix(label.rotate_left(64) ^ u128::from(round)).wrapping_add(*sum);
            *label = mix(*label);
        }
        features.push(count(&labels));
    }
    features
}

fn count(labels: &[u128]) -> Features {
    Features::of(labels.iter().map(|&label| (label, 1)))
}
