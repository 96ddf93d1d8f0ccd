//! Groups of grains: what paths are local to.

use arrow::buffer::BooleanBuffer;
use sheaf_model::RunTables;

use super::structure::Structure;
use crate::grain_graph::to_u32;

/// A choice of a run's grains, a bit for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GrainGroup {
    members: BooleanBuffer,
}

impl GrainGroup {
    /// The grains that are chosen.
    pub fn new(num_grains: usize, is_member: impl FnMut(usize) -> bool) -> Self {
        Self {
            members: BooleanBuffer::collect_bool(num_grains, is_member),
        }
    }

    /// A grain with everything below it. Linear in the number of grains.
    pub fn subtree(structure: &Structure, root: u32) -> Self {
        Self::below(structure, &[root])
    }

    /// A sibling set with everything below its members. Linear in the number of grains.
    pub fn set(structure: &Structure, set: u32) -> Self {
        let set = structure.sets().get(set as usize);
        let members = set.map(|set| structure.members(set));
        Self::below(structure, members.unwrap_or_default())
    }

    /// Every grain of a definition, a row of the definitions' table, wherever it is; without
    /// what is below, unless that is of the definition too.
    pub fn definition(run: &RunTables, definition: u32) -> Self {
        let contexts = run.summary.contexts.definition.values();
        let is_of = |context: i32| {
            let context = usize::try_from(context).ok();
            let found = context.and_then(|context| contexts.get(context));
            found.and_then(|&found| u32::try_from(found).ok()) == Some(definition)
        };
        let of_grains = run.grains.context.values();
        Self::new(of_grains.len(), |grain| {
            of_grains.get(grain).is_some_and(is_of)
        })
    }

    fn below(structure: &Structure, roots: &[u32]) -> Self {
        let mut is_member = vec![false; structure.num_grains()];
        for &root in roots {
            if let Some(slot) = is_member.get_mut(root as usize) {
                *slot = true;
            }
        }
        // Parents stand before their children.
        for grain in 0..to_u32(is_member.len()) {
            let parent = structure.parent(grain);
            if parent.is_some_and(|parent| is_member.get(parent as usize) == Some(&true))
                && let Some(slot) = is_member.get_mut(grain as usize)
            {
                *slot = true;
            }
        }
        Self {
            members: BooleanBuffer::from(is_member),
        }
    }

    /// Whether a grain is chosen.
    pub fn contains(&self, grain: u32) -> bool {
        let grain = grain as usize;
        grain < self.members.len() && self.members.value(grain)
    }

    /// A bit per grain, by row.
    pub fn bits(&self) -> &BooleanBuffer {
        &self.members
    }
}
