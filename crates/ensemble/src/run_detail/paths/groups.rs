//! Groups of the aggregation tree that a path runs through.

use std::collections::VecDeque;

use sheaf_grains::grain_graph::PathPart;
use sheaf_model::Progress;

use super::PathScope;
use crate::Error;
use crate::run_detail::OpenRun;
use crate::run_detail::group_tree::TreeChoice;

/// Groups that an answer has.
const MAX_GROUPS: usize = 10_000;

impl OpenRun {
    /// The groups and grains on the critical path of a group, level by level. A path of a whole run has none.
    pub(super) fn groups_on(
        &self,
        scope: &PathScope,
        path: &[PathPart],
        progress: &Progress,
    ) -> Result<Vec<u32>, Error> {
        let PathScope::Group(root) = *scope else {
            return Ok(Vec::new());
        };
        let mut is_on = vec![false; self.tables().grains.len()];
        for part in path.iter().filter(|part| part.has_stretch) {
            if let Some(slot) = is_on.get_mut(part.grain as usize) {
                *slot = true;
            }
        }
        let tree = self.group_tree(&TreeChoice::default(), progress)?;
        let has_grain = tree.tree.problems(&is_on);
        let is_on = |node: &u32| has_grain.get(*node as usize) == Some(&true);
        let mut found = Vec::new();
        let mut waiting = VecDeque::from_iter(Some(root).filter(is_on));
        while let Some(node) = waiting.pop_front()
            && found.len() < MAX_GROUPS
        {
            found.push(node);
            waiting.extend(tree.tree.children(node).filter(is_on));
        }
        Ok(found)
    }
}
