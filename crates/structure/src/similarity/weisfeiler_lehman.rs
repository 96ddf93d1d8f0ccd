//! Rounds of Weisfeiler and Lehman on trees.

use super::Features;
use crate::labelled_tree::{LabelledTree, number};

/// A bijection of 128 bits that spreads every bit over all others, so that sums of its values stand for
/// multisets: two different ones agree with probability about 2⁻¹²⁸. Each step can be undone, the
/// multipliers being odd.
pub(crate) const fn mix(value: u128) -> u128 {
    const FIRST: u128 = 0xdb36_3577_34e3_4abb_0050_d076_1fcd_fc15;
    const SECOND: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    let value = (value ^ (value >> 67)).wrapping_mul(FIRST);
    let value = (value ^ (value >> 61)).wrapping_mul(SECOND);
    value ^ (value >> 65)
}

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
