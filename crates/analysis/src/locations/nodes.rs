//! NUMA nodes of ranks and workers.

use std::collections::BTreeMap;

use sheaf_model::table::Locations;

use crate::distribution::members::Member;

/// Nodes of the workers of a run, and of the ranks whose workers are all on one node.
#[derive(Default)]
pub(super) struct Nodes {
    workers: BTreeMap<(i32, i32), i32>,
    ranks: BTreeMap<i32, Option<i32>>,
}

impl Nodes {
    /// Empty if the source names no node.
    pub(super) fn new(locations: &Locations) -> Self {
        let mut nodes = Self::default();
        for location in locations.rows() {
            if let Some(node) = location.numa_node {
                let worker = (location.rank, location.thread);
                nodes.workers.insert(worker, node);
            }
            let of_rank = nodes.ranks.entry(location.rank);
            let of_rank = of_rank.or_insert(location.numa_node);
            if *of_rank != location.numa_node {
                *of_rank = None;
            }
        }
        nodes
    }

    /// The node of all members; nothing if they are on several, or if it is not known.
    pub(super) fn common(&self, members: &[Member]) -> Option<i32> {
        let mut nodes = members.iter().map(|member| match *member {
            Member::Worker { rank, thread, .. } => self.workers.get(&(rank, thread)).copied(),
            Member::Rank { rank, .. } => self.ranks.get(&rank).copied().flatten(),
            Member::Run(_) | Member::Site(_) => None,
        });
        let first = nodes.next()??;
        nodes.all(|node| node == Some(first)).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use sheaf_model::table::LocationRow;

    use super::*;

    #[test]
    fn columns_of_one_node_have_it() {
        let rows = [
            (0, 0, Some(0)),
            (0, 1, Some(1)),
            (1, 0, Some(1)),
            (2, 0, None),
        ];
        let locations = rows.map(|(rank, thread, numa_node)| LocationRow {
            rank,
            thread,
            core: None,
            numa_node,
        });
        let nodes = Nodes::new(&locations.into_iter().collect());
        let worker = |rank, thread| Member::Worker {
            rank,
            thread,
            run: 0,
        };
        let rank = |rank| Member::Rank { rank, run: 0 };
        assert_eq!(nodes.common(&[worker(0, 1), worker(1, 0)]), Some(1));
        assert_eq!(nodes.common(&[worker(0, 0), worker(0, 1)]), None);
        assert_eq!(nodes.common(&[rank(0)]), None);
        assert_eq!(nodes.common(&[rank(1)]), Some(1));
        assert_eq!(nodes.common(&[rank(1), rank(2)]), None);
        assert_eq!(nodes.common(&[]), None);
    }
}
