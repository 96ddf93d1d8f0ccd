//! Matches nodes whose content is mostly the same, from the leaves up.

use super::MatchTier;
use super::nodes::Nodes;
use super::pairs::Pairs;

/// Minimum share of common content (Dice).
const MIN_SCORE: f64 = 0.5;
/// Maximum number of candidates that are followed upwards from a node: those with most common content.
const MAX_NODES: usize = 8;

/// Candidates of the second side for a node of the first, each with the number of pairs below both.
type Candidates = Vec<(u32, u32)>;

/// Pairs each inner node without a partner with the candidate that has most content in common. Candidates with
/// the same label come first; with `is_by_label`, others are not considered.
///
/// Candidates are the parents and grandparents of the children's partners and candidates. n log n.
pub(super) fn pair(nodes: &Nodes<'_>, pairs: &mut Pairs, is_by_label: bool) {
    let [first, second] = &nodes.sides;
    let mut candidates: Vec<Candidates> = vec![Candidates::new(); first.len()];
    // Pairs below each node that has a partner and below that partner.
    let mut common = vec![0_u32; first.len()];
    let mut offers: Vec<(u32, u32, u32)> = Vec::new();
    for node in (0..first.len()).rev() {
        let size = first.sizes[node];
        if size == 1 {
            continue;
        }
        if pairs.partner(0, node).is_some() && pairs.tier(node) == MatchTier::SubTree {
            common[node] = size - 1;
            continue;
        }
        offers.clear();
        for (child, at) in first.children(node).zip(0..) {
            let below = std::mem::take(&mut candidates[child]);
            let mut offer = |to: Option<usize>, pairs: u32| {
                if let Some(to) = to {
                    offers.push((super::nodes::index(to), at, pairs));
                }
            };
            if let Some(there) = pairs.partner(0, child) {
                let parent = second.parent(there);
                offer(parent, common[child] + 1);
                offer(
                    parent.and_then(|parent| second.parent(parent)),
                    common[child] + 1,
                );
            }
            for (there, pairs) in below {
                offer(Some(there as usize), pairs);
                offer(second.parent(there as usize), pairs);
            }
        }
        let mut found = summed(&mut offers);
        if let Some(there) = pairs.partner(0, node) {
            let mut own = found.iter().filter(|(to, _)| *to as usize == there);
            common[node] = own.next().map_or(0, |(_, pairs)| *pairs);
            continue;
        }
        if let Some((there, pairs_below, score)) = best(nodes, pairs, node, &found, is_by_label) {
            pairs.set(node, there, MatchTier::Content, score);
            common[node] = pairs_below;
            continue;
        }
        found.sort_by(|x, y| y.1.cmp(&x.1).then(x.0.cmp(&y.0)));
        found.truncate(MAX_NODES);
        candidates[node] = found;
    }
}

/// Sums the common content of the children for each candidate; per child, the largest value counts.
fn summed(offers: &mut [(u32, u32, u32)]) -> Candidates {
    offers.sort_unstable();
    let mut found = Candidates::new();
    for of_child in offers.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let Some(&(to, _, pairs)) = of_child.last() else {
            continue;
        };
        match found.last_mut() {
            Some((last, sum)) if *last == to => *sum += pairs,
            _ => found.push((to, pairs)),
        }
    }
    found
}

/// The best candidate of a node, the number of pairs below both, and their share of common content.
fn best(
    nodes: &Nodes<'_>,
    pairs: &Pairs,
    node: usize,
    candidates: &[(u32, u32)],
    is_by_label: bool,
) -> Option<(usize, u32, f64)> {
    let [first, second] = &nodes.sides;
    let label = first.labels[node];
    let mut best: Option<(bool, f64, usize, u32)> = None;
    for &(there, below) in candidates {
        let there = there as usize;
        let other = second.labels[there];
        let is_same = nodes.class(label) == nodes.class(other);
        if !pairs.is_free(1, there) || !nodes.may_pair(label, other) || (is_by_label && !is_same) {
            continue;
        }
        let all = (first.sizes[node] - 1) + (second.sizes[there] - 1);
        let score = 2.0 * f64::from(below) / f64::from(all.max(1));
        let is_better = best.is_none_or(|(was_same, most, ..)| (is_same, score) > (was_same, most));
        if score >= MIN_SCORE && is_better {
            best = Some((is_same, score, there, below));
        }
    }
    best.map(|(_, score, there, below)| (there, below, score.min(1.0)))
}
