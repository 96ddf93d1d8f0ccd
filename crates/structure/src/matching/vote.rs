//! Finds renamed labels by a vote of the paired nodes.

use super::Rename;
use super::nodes::Nodes;
use super::pairs::Pairs;

/// Pairs of labels (classes of the first and of the second side) for which more than half of the pairs of either
/// label vote, and whose names do not occur on the other side. n log n in the pairs.
pub(super) fn renames(nodes: &Nodes<'_>, pairs: &Pairs) -> Vec<(u32, u32)> {
    let [first, second] = &nodes.sides;
    let mut ballots: Vec<(u32, u32)> = Vec::new();
    for node in 0..first.len() {
        if let Some(there) = pairs.partner(0, node) {
            let (x, y) = (first.labels[node], second.labels[there]);
            if nodes.class(x) != nodes.class(y) && nodes.count(1, x) == 0 && nodes.count(0, y) == 0
            {
                ballots.push((x, y));
            }
        }
    }
    // A label without namesake has pairs with such labels, and perhaps some with others: those vote too.
    let mut totals = vec![[0_u32; 2]; nodes.ids.len()];
    for node in 0..first.len() {
        if let Some(there) = pairs.partner(0, node) {
            totals[first.labels[node] as usize][0] += 1;
            totals[second.labels[there] as usize][1] += 1;
        }
    }
    ballots.sort_unstable();
    let mut found = Vec::new();
    for equal in ballots.chunk_by(|x, y| x == y) {
        let (Some(&(x, y)), votes) = (equal.first(), equal.len() as u64) else {
            continue;
        };
        let is_most = |all: u32| 2 * votes > u64::from(all);
        if is_most(totals[x as usize][0]) && is_most(totals[y as usize][1]) {
            found.push((x, y));
        }
    }
    found
}

/// Removes pairs whose labels both occur on the other side.
pub(super) fn dissolve(nodes: &Nodes<'_>, pairs: &mut Pairs) {
    let [first, second] = &nodes.sides;
    for node in 0..first.len() {
        if let Some(there) = pairs.partner(0, node)
            && pairs.tier(node) != super::MatchTier::Known
            && !nodes.may_pair(first.labels[node], second.labels[there])
        {
            pairs.unset(node);
        }
    }
}

/// Pairs of different labels with the number of their nodes, by label.
pub(super) fn counted(nodes: &Nodes<'_>, pairs: &Pairs) -> Vec<Rename> {
    let [first, second] = &nodes.sides;
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut totals = [0, 1].map(|_| vec![0_usize; nodes.ids.len()]);
    for (tree, totals) in nodes.sides.iter().zip(&mut totals) {
        for &label in &tree.labels {
            totals[label as usize] += 1;
        }
    }
    for node in 0..first.len() {
        if let Some(there) = pairs.partner(0, node)
            && first.labels[node] != second.labels[there]
        {
            found.push((first.labels[node], second.labels[there]));
        }
    }
    found.sort_unstable();
    let rename = |equal: &[(u32, u32)]| {
        let &(a, b) = equal.first()?;
        let all = totals[0][a as usize] + totals[1][b as usize];
        Some(Rename {
            a: nodes.ids[a as usize],
            b: nodes.ids[b as usize],
            pairs: equal.len(),
            score: 2.0 * equal.len() as f64 / all as f64,
        })
    };
    found.chunk_by(|x, y| x == y).filter_map(rename).collect()
}
