//! The groups of a study, each in two halves: computation and communication.

use std::sync::Arc;

use sheaf_model::{Lens, Level, PartRules, RunSummary};

use crate::error::Error;
use crate::groups::{GroupId, Grouping, Reentry};
use crate::partition::Partition;
use crate::tree::EnsembleTree;

/// Groups, and the contexts that communicate.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) tree: EnsembleTree,
    pub(super) grouping: Grouping,
    level: Level,
}

impl Groups {
    pub(super) fn new(tree: EnsembleTree, lens: &Lens) -> Result<Self, Error> {
        let grouping = Grouping::new(&tree, lens, Reentry::Merged)?;
        Ok(Self {
            tree,
            grouping,
            level: lens.level,
        })
    }

    pub(super) fn runs(&self) -> &[Arc<RunSummary>] {
        self.tree.runs()
    }

    pub(super) fn len(&self) -> usize {
        self.grouping.len()
    }

    pub(super) fn id(&self, group: usize) -> GroupId {
        self.grouping.groups[group].id.clone()
    }

    pub(super) fn path(&self, group: usize) -> Vec<String> {
        let group = &self.grouping.groups[group];
        match self.level {
            Level::Context => self.tree.path(group.first_node),
            Level::Module | Level::Definition => vec![group.name.to_string()],
        }
    }

    /// Group 2 g is the computation of group g, 2 g + 1 its communication: a function of the message
    /// passing interface and all below it. Grain programs communicate nowhere.
    pub(super) fn halves(&self, has_communication: bool, parts: &PartRules) -> Partition {
        let mut communicates = vec![false; self.tree.len()];
        for node in 0..self.tree.len() {
            let above = self
                .tree
                .parent(node)
                .is_some_and(|parent| communicates[parent]);
            let is_mpi = || parts.is_message_passing(&self.tree.definition(node).name);
            communicates[node] = has_communication && (above || is_mpi());
        }
        let half = |(group, communicates): (&u32, &bool)| group * 2 + u32::from(*communicates);
        let group_of = self.grouping.group_of.iter().zip(&communicates).map(half);
        Partition::new(&self.tree, group_of.collect(), self.len() * 2)
    }
}
