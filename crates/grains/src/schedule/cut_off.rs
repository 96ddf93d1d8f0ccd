//! Cut-off: tasks below a depth become part of their ancestor.

use sheaf_model::RunTables;
use sheaf_model::table::GrainKind;

use super::draft::{Draft, mark};
use crate::grain_graph::{EdgeKind, NONE, Structure, to_u32};

/// Lets every task with more than `depth` tasks on the way to it, itself included, run inside its creator: the creator
/// goes on when it has ended. Work is conserved.
///
/// Grains that share a loop stay as they are, also if a source calls them tasks: each waits for the others at the end of
/// the loop, so they cannot run one after the other.
///
/// Returns the number of tasks that run inside their creator now.
pub(super) fn cut_off(
    draft: &mut Draft,
    run: &RunTables,
    structure: &Structure,
    depth: u32,
) -> usize {
    let is_merged = below(run, structure, depth);
    let merged =
        |node: u32, draft: &Draft| is_merged.get(draft.grain(node) as usize) == Some(&true);
    let extents = draft.extents(run.grains.len());
    let last = |grain: u32| extents.get(grain as usize).map_or(NONE, |extent| extent.1);
    // By fork, the task that now runs inside.
    let mut inside = vec![NONE; draft.weights.len()];
    let mut links = std::mem::take(&mut draft.links);
    for link in &mut links {
        if link.kind == EdgeKind::Creation && merged(link.target, draft) {
            link.kind = EdgeKind::Continuation;
            draft.unmark(link.target, mark::TASK);
            if let Some(slot) = inside.get_mut(link.source as usize) {
                *slot = draft.grain(link.target);
            }
        }
    }
    for link in &mut links {
        let child = inside.get(link.source as usize).copied().unwrap_or(NONE);
        if child != NONE && draft.grain(link.target) != child {
            link.source = last(child);
        }
    }
    // An undeferred task ends before its join, which its creator reaches next.
    let mut continues = vec![false; draft.weights.len()];
    for link in &links {
        if link.kind == EdgeKind::Continuation
            && let Some(slot) = continues.get_mut(link.source as usize)
        {
            *slot = true;
        }
    }
    links.retain(|link| match link.kind {
        EdgeKind::Synchronisation => {
            let is_end = merged(link.source, draft)
                && last(draft.grain(link.source)) == link.source
                && continues.get(link.source as usize) == Some(&true);
            !is_end
        }
        EdgeKind::Dependence => !merged(link.target, draft),
        EdgeKind::Creation | EdgeKind::Continuation => true,
    });
    draft.links = links;
    is_merged.into_iter().filter(|&is_merged| is_merged).count()
}

/// Whether each grain is a task below the depth.
fn below(run: &RunTables, structure: &Structure, depth: u32) -> Vec<bool> {
    let kinds = run.grains.kind.values();
    let mut depths: Vec<u32> = Vec::with_capacity(kinds.len());
    let mut is_below = Vec::with_capacity(kinds.len());
    for (grain, kind) in kinds.iter().enumerate() {
        let parent = structure.parent(to_u32(grain));
        let around = parent.and_then(|parent| depths.get(parent as usize));
        let is_task = matches!(
            GrainKind::from_code(kind),
            Some(GrainKind::Task | GrainKind::TaskloopChunk)
        );
        let own = around
            .copied()
            .unwrap_or(0)
            .saturating_add(u32::from(is_task));
        depths.push(own);
        is_below.push(is_task && own > depth);
        if GrainKind::from_code(kind) == Some(GrainKind::Chunk)
            && let Some(shares) = parent.and_then(|it| is_below.get_mut(it as usize))
        {
            *shares = false;
        }
    }
    is_below
}
