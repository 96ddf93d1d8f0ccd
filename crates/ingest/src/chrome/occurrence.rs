//! Numbers that distinguish tasks of one name below their parent.

use sheaf_model::table::flags;

use super::collect::{NONE, Trace};
use super::grains::{Task, Tasks};

/// Place of a task, and whether it depends on the schedule.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Number {
    pub(super) index: i64,
    pub(super) flags: i32,
}

/// By task. Siblings of one name are numbered by their creation, which the program orders; in a
/// nest by their start, likewise; else by start too, but which is which depends on the schedule.
/// Tasks without parent that each rank has once are numbered by rank.
pub(super) fn occurrences(
    trace: &Trace,
    tasks: &Tasks,
    ranks: &[i32],
    is_nested: bool,
) -> Vec<Number> {
    let slice = |task: &Task| trace.slices.get(task.slice as usize);
    let name = |task: &Task| slice(task).map_or(NONE, |slice| slice.name);
    let rank = |task: &Task| {
        let thread = slice(task).map_or(NONE, |slice| slice.thread) as usize;
        ranks.get(thread).copied().unwrap_or(0)
    };
    let key = |task: &Task| {
        let rank = if task.parent == NONE { rank(task) } else { 0 };
        let time = task.created.unwrap_or(task.start);
        (task.parent, name(task), rank, time, task.start, task.slice)
    };
    let mut order: Vec<&Task> = tasks.list.iter().collect();
    order.sort_by_cached_key(|task| key(task));
    let mut found = vec![Number::default(); tasks.list.len()];
    let is_sibling = |a: &&Task, b: &&Task| (a.parent, name(a)) == (b.parent, name(b));
    for group in order.chunk_by(is_sibling) {
        let is_root = group.iter().any(|task| task.parent == NONE);
        let is_per_rank = is_root && group.windows(2).all(|pair| rank(pair[0]) < rank(pair[1]));
        let is_ordered = group.len() == 1
            || is_per_rank
            || (!is_root && (is_nested || group.iter().all(|task| task.created.is_some())));
        let is_unnamed = group
            .iter()
            .any(|task| trace.names.get(name(task)).is_empty());
        let own = if is_ordered && !is_unnamed {
            0
        } else {
            flags::SCHEDULE_DEPENDENT
        };
        for (place, task) in (0..).zip(group) {
            let index = if is_per_rank {
                i64::from(rank(task))
            } else {
                place
            };
            let slot = tasks.of(task.slice) as usize;
            if let Some(slot) = found.get_mut(slot) {
                *slot = Number {
                    index,
                    flags: if task.is_orphan && task.parent == NONE {
                        flags::SCHEDULE_DEPENDENT
                    } else {
                        own
                    },
                };
            }
        }
    }
    found
}
