//! The contexts of one group that a question names, others-nodes included.

use sheaf_model::{Lens, Progress};

use crate::error::Error;
use crate::groups::{GroupId, Grouping};
use crate::kernel::{Question, UnifiedRuns};
use crate::partition::Partition;
use crate::super_graph::SuperGraph;

/// One group with its contexts.
pub(crate) struct Selection {
    pub(crate) id: GroupId,
    pub(crate) name: String,
    /// Whether each node of the tree is in it.
    pub(crate) is_in: Vec<bool>,
    /// Its nodes without an ancestor in it, ascending.
    pub(crate) outermost: Vec<usize>,
}

impl Selection {
    /// The group with an id or unambiguous name. Others-nodes are named by id, `others:2`.
    pub(crate) fn find(
        ensemble: &UnifiedRuns,
        question: &Question,
        grouping: &Grouping,
        group: &str,
        lens: &Lens,
        progress: &Progress,
    ) -> Result<Self, Error> {
        if !group.starts_with("others:") {
            let found = grouping.find(&ensemble.tree, group)?;
            let name = grouping.groups[found].name.to_string();
            let partition =
                Partition::new(&ensemble.tree, grouping.group_of.clone(), grouping.len());
            return Ok(Self::new(
                grouping.groups[found].id.clone(),
                name,
                found,
                &partition,
            ));
        }
        let graph = SuperGraph::new(ensemble, question, grouping, lens, progress)?;
        let found = graph
            .nodes
            .iter()
            .position(|node| node.group.id.to_string() == group);
        let unknown = || Error::UnknownGroup {
            group: group.to_owned(),
            nearest: None,
        };
        let found = found.ok_or_else(unknown)?;
        let group = &graph.nodes[found].group;
        Ok(Self::new(
            group.id.clone(),
            group.name.to_string(),
            found,
            &graph.partition,
        ))
    }

    fn new(id: GroupId, name: String, group: usize, partition: &Partition) -> Self {
        let is_in: Vec<bool> = partition
            .group_of
            .iter()
            .map(|&other| other as usize == group)
            .collect();
        let outermost = (0..is_in.len())
            .filter(|&node| is_in[node] && partition.is_outermost[node])
            .collect();
        Self {
            id,
            name,
            is_in,
            outermost,
        }
    }
}
