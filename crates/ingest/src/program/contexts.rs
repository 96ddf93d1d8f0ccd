//! Contexts and path keys of grains.

use sheaf_model::table::{GrainKind, flags};
use sheaf_model::{DefinitionId, PathKey, PathStep};

use super::columns::GrainColumns;
use super::definitions::Constructs;
use super::{CannotBuild, GrainIdx};
use crate::run_tables::{ContextTree, NONE, repeated_keys};

/// Where every grain belongs.
pub(super) struct Placement {
    /// Context of each grain, a number of the tree.
    pub(super) contexts: Vec<u32>,
    pub(super) keys: Vec<i64>,
    pub(super) tree: ContextTree,
}

/// Places all grains, parents before children whatever their order. Grains that inherit it, and
/// grains with equal paths, are flagged as schedule-dependent. `ranks` are those of locations.
pub(super) fn place(
    grains: &mut GrainColumns,
    ids: &[DefinitionId],
    ranks: &[i32],
) -> Result<Placement, CannotBuild> {
    let mut placement = Placement {
        contexts: vec![NONE; grains.len()],
        keys: vec![PathKey::ROOT.0; grains.len()],
        tree: ContextTree::default(),
    };
    placement.tree.child(NONE, Constructs::PROGRAM.0);
    let mut way = Vec::new();
    for grain in 0..grains.len() {
        placement.open_ancestors(grains, grain, &mut way)?;
        while let Some(grain) = way.pop() {
            placement.place_grain(grains, grain, ids, ranks);
        }
    }
    flag_equal_keys(&placement.keys, &mut grains.flags);
    Ok(placement)
}

/// The state of a grain between its descendant's turn and its own.
const OPEN: u32 = NONE - 1;

impl Placement {
    /// Collects a grain and its ancestors that have no context yet, the grain first.
    fn open_ancestors(
        &mut self,
        grains: &GrainColumns,
        grain: usize,
        way: &mut Vec<usize>,
    ) -> Result<(), CannotBuild> {
        let mut next = Some(grain);
        while let Some(grain) = next {
            match self.contexts.get_mut(grain) {
                Some(state) if *state == NONE => *state = OPEN,
                Some(state) if *state == OPEN => {
                    let grain = u32::try_from(grain).unwrap_or(u32::MAX);
                    return Err(CannotBuild::Cycle(GrainIdx(grain)));
                }
                _ => break,
            }
            way.push(grain);
            next = grains.parent_of(grain);
        }
        Ok(())
    }

    fn place_grain(
        &mut self,
        grains: &mut GrainColumns,
        grain: usize,
        ids: &[DefinitionId],
        ranks: &[i32],
    ) {
        const PROGRAM: u32 = 0;
        let definition = grains.definition.get(grain).copied().unwrap_or(0);
        let id_of = |definition: u32| ids.get(definition as usize).copied();
        let id = id_of(definition).unwrap_or(DefinitionId([0; 16]));
        let parent = grains.parent_of(grain);
        let above = parent.and_then(|parent| self.contexts.get(parent).copied());
        let context = match above {
            None if id_of(PROGRAM) == Some(id) => PROGRAM,
            _ => self.tree.child(above.unwrap_or(PROGRAM), definition),
        };
        let path_parent = grains.path_parent_of(grain);
        let key = path_parent.and_then(|parent| self.keys.get(parent).copied());
        let above = PathKey(key.unwrap_or(PathKey::ROOT.0));
        let key = above.step(id, step(grains, grain, ranks));
        if let (Some(slot), Some(own)) = (self.contexts.get_mut(grain), self.keys.get_mut(grain)) {
            (*slot, *own) = (context, key.0);
        }
        let inherited = path_parent.and_then(|parent| grains.flags.get(parent).copied());
        let inherited = inherited.unwrap_or(0) & flags::SCHEDULE_DEPENDENT;
        if let Some(own) = grains.flags.get_mut(grain) {
            *own |= inherited;
        }
    }
}

/// The step of a grain's path; the rule is that of [`PathStep::below_parent`].
fn step(grains: &GrainColumns, grain: usize, ranks: &[i32]) -> PathStep {
    let location = grains.location.get(grain).copied().unwrap_or(NONE);
    let rank = ranks.get(location as usize).copied().unwrap_or(0);
    let first = grains.first_iteration.get(grain);
    PathStep::below_parent(
        grains.kind.get(grain).copied().unwrap_or(GrainKind::Task),
        i64::from(rank),
        grains.sequence.get(grain),
        grains.index.get(grain).copied().unwrap_or(0),
        first.map(|first| (first, grains.iterations.get(grain))),
    )
}

/// Flags all grains that share a key: which is which depends on the schedule.
fn flag_equal_keys(keys: &[i64], grain_flags: &mut [i32]) {
    for (_, grain) in repeated_keys(keys.iter().copied().zip(0..)) {
        if let Some(flags) = grain_flags.get_mut(grain as usize) {
            *flags |= flags::SCHEDULE_DEPENDENT;
        }
    }
}
