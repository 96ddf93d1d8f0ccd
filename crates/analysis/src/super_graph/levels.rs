//! Levels of the super graph: cycles broken in a fixed order, then longest paths from the roots.

use petgraph::algo::toposort;
use petgraph::graph::DiGraph;

use crate::groups::Group;

/// Rank of each group by descending weight, then name, then id.
pub(super) fn descending(groups: &[Group], weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|&a, &b| {
        weights[b]
            .total_cmp(&weights[a])
            .then_with(|| groups[a].name.cmp(&groups[b].name))
            .then_with(|| groups[a].id.cmp(&groups[b].id))
    });
    let mut rank = vec![0; groups.len()];
    for (place, group) in order.into_iter().enumerate() {
        rank[group] = place;
    }
    rank
}

/// Level of each group: the longest path from a root over the edges that remain when those that
/// lead back to a group on the path of a depth-first search are removed. The search takes roots
/// and callees by ascending `rank`, without recursion.
pub(super) fn assign(rank: &[usize], roots: &[usize], edges: &[(u32, u32)]) -> Vec<u32> {
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); rank.len()];
    for &(source, target) in edges {
        callees[source as usize].push(target as usize);
    }
    for list in &mut callees {
        list.sort_unstable_by_key(|&callee| rank[callee]);
    }
    let mut roots = roots.to_vec();
    roots.sort_unstable_by_key(|&root| rank[root]);
    let forward = forward_edges(&roots, &callees);
    longest_paths(rank.len(), &forward)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    OnPath,
    Done,
}

fn forward_edges(roots: &[usize], callees: &[Vec<usize>]) -> Vec<(u32, u32)> {
    let mut marks = vec![Mark::New; callees.len()];
    let mut forward = Vec::new();
    // A group on the path and how many of its callees were taken.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for &root in roots {
        if marks[root] != Mark::New {
            continue;
        }
        marks[root] = Mark::OnPath;
        path.push((root, 0));
        while let Some((group, taken)) = path.last_mut() {
            let Some(&callee) = callees[*group].get(*taken) else {
                marks[*group] = Mark::Done;
                path.pop();
                continue;
            };
            *taken += 1;
            if marks[callee] != Mark::OnPath {
                forward.push((index(*group), index(callee)));
            }
            if marks[callee] == Mark::New {
                marks[callee] = Mark::OnPath;
                path.push((callee, 0));
            }
        }
    }
    forward
}

fn longest_paths(groups: usize, forward: &[(u32, u32)]) -> Vec<u32> {
    let mut graph = DiGraph::<(), ()>::with_capacity(groups, forward.len());
    for _ in 0..groups {
        graph.add_node(());
    }
    graph.extend_with_edges(forward.iter().copied());
    let order = toposort(&graph, None);
    debug_assert!(
        order.is_ok(),
        "edges to groups on the path of the search were removed"
    );
    let mut levels = vec![0; groups];
    for node in order.unwrap_or_default() {
        for callee in graph.neighbors(node) {
            levels[callee.index()] = levels[callee.index()].max(levels[node.index()] + 1);
        }
    }
    levels
}

fn index(group: usize) -> u32 {
    u32::try_from(group).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::assign;

    #[test]
    fn levels_are_longest_paths() {
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3)];
        assert_eq!(assign(&[0, 1, 2, 3], &[0], &edges), [0, 1, 2, 3]);
    }

    #[test]
    fn the_heavier_side_of_a_cycle_leads() {
        // 0 calls 1 and 2, which call each other.
        let edges = [(0, 1), (0, 2), (1, 2), (2, 1)];
        assert_eq!(assign(&[0, 1, 2], &[0], &edges), [0, 1, 2]);
        assert_eq!(assign(&[0, 2, 1], &[0], &edges), [0, 2, 1]);
    }

    #[test]
    fn a_million_levels_need_no_stack() {
        let edges: Vec<(u32, u32)> = (0..999_999).map(|group| (group, group + 1)).collect();
        let rank: Vec<usize> = (0..1_000_000).collect();
        assert_eq!(assign(&rank, &[0], &edges).last(), Some(&999_999));
    }
}
