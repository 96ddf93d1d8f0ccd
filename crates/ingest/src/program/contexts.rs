//! Contexts and path keys of grains.

use std::cmp::Reverse;

use sheaf_model::table::{ContextRow, Contexts, ContextsBuilder, GrainKind, flags};
use sheaf_model::{ContextId, DefinitionId, PathKey, PathStep};

use super::columns::{GrainColumns, NONE};
use super::{CannotBuild, GrainIdx};
use crate::buckets::Buckets;
use rustc_hash::FxHashMap;

/// Where every grain belongs.
pub(super) struct Placement {
    /// Context of each grain, a number of the tree.
    pub(super) contexts: Vec<u32>,
    pub(super) keys: Vec<i64>,
    tree: Tree,
}

/// Contexts in the order in which they were met; the first is the program's.
struct Tree {
    /// Parent and definition of each.
    nodes: Vec<(u32, u32)>,
    known: FxHashMap<(u32, u32), u32>,
    recent: Option<((u32, u32), u32)>,
}

impl Tree {
    fn child(&mut self, parent: u32, definition: u32) -> u32 {
        let key = (parent, definition);
        if let Some((known, at)) = self.recent
            && known == key
        {
            return at;
        }
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            self.nodes.push(key);
        }
        self.recent = Some((key, at));
        at
    }
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
        tree: Tree {
            nodes: vec![(NONE, 0)],
            known: FxHashMap::default(),
            recent: None,
        },
    };
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

    /// Number of contexts.
    pub(super) fn len(&self) -> usize {
        self.tree.nodes.len()
    }

    /// The contexts in pre-order, children by the id of their definition, and the new row of
    /// each. `rows` are those of definitions.
    pub(super) fn finish(&self, ids: &[DefinitionId], rows: &[i32]) -> (Contexts, Vec<i32>) {
        let nodes = &self.tree.nodes;
        let node = |at: u32| nodes.get(at as usize).copied().unwrap_or((NONE, 0));
        let id_of = |at: u32| ids.get(node(at).1 as usize).copied();
        let children = Buckets::new(nodes.len(), nodes.len(), |at| Some(node(at).0));
        let mut finished = vec![0; nodes.len()];
        let mut done: Vec<(ContextId, i32)> = Vec::with_capacity(nodes.len());
        let mut table = ContextsBuilder::default();
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            let (parent, definition) = node(at);
            let own = id_of(at).unwrap_or(DefinitionId([0; 16]));
            let parent = finished.get(parent as usize).copied();
            let above = parent.and_then(|row: i32| done.get(usize::try_from(row).ok()?));
            let (id, depth) = match above {
                Some((id, depth)) => (id.child(own), depth + 1),
                None => (ContextId::root(own), 0),
            };
            if let Some(row) = finished.get_mut(at as usize) {
                *row = i32::try_from(done.len()).unwrap_or(i32::MAX);
            }
            done.push((id, depth));
            table.push(ContextRow {
                id: id.0,
                parent,
                definition: rows.get(definition as usize).copied().unwrap_or(0),
                depth,
            });
            let below = stack.len();
            stack.extend_from_slice(children.get(at as usize));
            if let Some(siblings) = stack.get_mut(below..) {
                // The top of the stack comes first.
                siblings.sort_by_key(|&at| Reverse(id_of(at)));
            }
        }
        (table.finish(), finished)
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
    let mut sorted = keys.to_vec();
    sorted.sort_unstable();
    let pairs = sorted.windows(2);
    let mut repeated: Vec<i64> = pairs
        .filter_map(|pair| match pair {
            [first, second] if first == second => Some(*first),
            _ => None,
        })
        .collect();
    if repeated.is_empty() {
        return;
    }
    repeated.dedup();
    for (key, flags) in keys.iter().zip(grain_flags) {
        if repeated.binary_search(key).is_ok() {
            *flags |= flags::SCHEDULE_DEPENDENT;
        }
    }
}
