//! Puts in order what events leave open: orphans, taskloop ranges, chunks that stand for many.

use std::collections::HashMap;

use sheaf_model::table::{GrainKind, flags};

use super::records::{Construct, Grain, NONE, Range, Records, Slot, mark, next_slot};
use super::tally::Tally;
use crate::trace::{TaskId, WorkKind};

/// Makes every grain belong to something and every range known that can be.
pub(super) fn prepare(records: &mut Records, num_processes: u32, tally: &mut Tally) {
    let roots = find_roots(records, num_processes);
    adopt_orphans(records, &roots, tally);
    for taskloop in 0..records.taskloops.len() {
        prepare_taskloop(records, taskloop, tally);
    }
    for construct in 0..records.constructs.len() {
        prepare_loop(records, construct, tally);
    }
}

/// The first initial task of each process, made where the events have none.
fn find_roots(records: &mut Records, num_processes: u32) -> Vec<Slot> {
    let mut roots = vec![NONE; num_processes as usize];
    let mut num_initial = vec![0; num_processes as usize];
    for (slot, grain) in (0..).zip(&mut records.grains) {
        if grain.kind == GrainKind::Initial {
            let process = grain.process as usize;
            grain.index = num_initial[process];
            num_initial[process] += 1;
            if roots[process] == NONE {
                roots[process] = slot;
            }
        }
    }
    for (process, root) in (0..).zip(&mut roots) {
        if *root == NONE {
            let mut grain = Grain::new(TaskId(0), process, GrainKind::Initial);
            grain.marks = mark::ANNOUNCED | mark::ENDED;
            grain.flags = flags::INCOMPLETE;
            *root = records.push_grain(grain);
        }
    }
    roots
}

/// A task that ran but that nothing announced belongs to the process's initial task.
fn adopt_orphans(records: &mut Records, roots: &[Slot], tally: &mut Tally) {
    let mut num_orphans: u32 = 0;
    for slot in 0..next_slot(&records.grains) {
        let grain = records.grain(slot);
        if !grain.is_explicit() || grain.is(mark::FOLDED) {
            continue;
        }
        if !grain.is(mark::ANNOUNCED) && !grain.is(mark::STARTED) {
            // Only mentioned: nothing of it happened here.
            records.grain_mut(slot).marks |= mark::FOLDED;
            continue;
        }
        let is_orphan = grain.parent == NONE || records.grain(grain.parent).is(mark::FOLDED);
        if is_orphan {
            let root = roots[grain.process as usize];
            let grain = records.grain_mut(slot);
            grain.parent = root;
            grain.pass = NONE;
            grain.sequence = NONE - 1;
            grain.index = num_orphans;
            grain.flags |= flags::SCHEDULE_DEPENDENT | flags::INCOMPLETE;
            num_orphans = num_orphans.saturating_add(1);
            tally.orphans += 1;
        }
    }
}

/// Folds the tasks that only split the range, and orders the others by their iterations.
fn prepare_taskloop(records: &mut Records, taskloop: usize, tally: &mut Tally) {
    let tasks = std::mem::take(&mut records.taskloops[taskloop].tasks);
    let has_ranges = tasks.iter().any(|&task| records.grain(task).is(mark::HAS_RANGE));
    let mut ordered = in_range_order(records, &tasks);
    let is_dropped = |grain: &Grain| grain.flags & (flags::CANCELLED | flags::INCOMPLETE) != 0;
    if has_ranges {
        for &task in &ordered {
            let grain = records.grain_mut(task);
            if !grain.is(mark::HAS_RANGE) && !is_dropped(grain) {
                grain.marks |= mark::FOLDED;
            }
        }
    }
    ordered.retain(|&task| !records.grain(task).is(mark::FOLDED));
    tally.folded_tasks += (tasks.len() - ordered.len()) as u64;
    let is_whole = !ordered.iter().any(|&task| is_dropped(records.grain(task)));
    if !has_ranges && is_whole {
        compute_ranges(records, taskloop, &ordered, tally);
    }
    ordered.sort_by_key(|&task| {
        let range = records.ranges.get(records.grain(task).range as usize);
        range.map_or((1, 0, 0), |range| (0, range.first, range.iterations))
    });
    for (index, &task) in (0..).zip(&ordered) {
        records.grain_mut(task).index = index;
    }
    records.taskloops[taskloop].tasks = ordered;
}

/// The tasks of a taskloop in the order of their iterations. Whoever splits a range gives its
/// upper half to a new task, and goes on with the lower half in the same way, until it makes
/// the tasks of what is left one by one. So the tasks made by one come in the order: those
/// that do not split, as made, then those that do, last made first, each with what it made.
fn in_range_order(records: &Records, tasks: &[Slot]) -> Vec<Slot> {
    let mut made_by: HashMap<Slot, Vec<Slot>> = HashMap::new();
    let is_split = |task: Slot| records.grain(task).is(mark::FOLDED);
    for &task in tasks {
        made_by.entry(records.grain(task).creator).or_default().push(task);
    }
    let tops = made_by.keys().copied().filter(|maker| !tasks.contains_split(records, *maker));
    let mut stack: Vec<Slot> = tops.collect();
    stack.sort_unstable();
    let mut ordered = Vec::with_capacity(tasks.len());
    while let Some(maker) = stack.pop() {
        for task in made_by.remove(&maker).unwrap_or_default() {
            ordered.push(task);
            if is_split(task) {
                stack.push(task);
            }
        }
    }
    // Whatever damage left unreachable.
    let mut left: Vec<Slot> = made_by.into_values().flatten().collect();
    left.sort_unstable();
    ordered.extend(left);
    ordered
}

/// How the runtime divides `count` iterations among tasks: as evenly as can be, the larger
/// ones first.
fn compute_ranges(records: &mut Records, taskloop: usize, tasks: &[Slot], tally: &mut Tally) {
    let count = records.taskloops[taskloop].count;
    let num_tasks = tasks.len() as u64;
    if num_tasks == 0 || count < num_tasks {
        return;
    }
    let (size, larger) = (count / num_tasks, count % num_tasks);
    let mut first = 0_u64;
    for (place, &task) in (0..).zip(tasks) {
        let iterations = size + u64::from(place < larger);
        let range = Range {
            first: i64::try_from(first).unwrap_or(i64::MAX),
            iterations,
            forks: 0,
            forks_before: 0,
        };
        first += iterations;
        let slot = next_slot(&records.ranges);
        records.ranges.push(range);
        records.grain_mut(task).range = slot;
        tally.computed_ranges += 1;
    }
}

/// Ranks the chunks of a loop by their iterations, and counts what was created before each.
fn prepare_loop(records: &mut Records, construct: usize, tally: &mut Tally) {
    if complete_static_chunks(records, &records.constructs[construct].clone_head()) {
        tally.chunk_lists += 1;
    }
    let mut chunks = std::mem::take(&mut records.constructs[construct].chunks);
    let start = |records: &Records, chunk: Slot| {
        let grain = records.grain(chunk);
        let range = records.ranges.get(grain.range as usize);
        range.map_or((0, 0), |range| (range.first, range.iterations))
    };
    chunks.sort_by_key(|&chunk| (start(records, chunk), chunk));
    let mut forks_before: u32 = 0;
    for (index, &chunk) in (0..).zip(&chunks) {
        records.grain_mut(chunk).index = index;
        let range = records.grain(chunk).range;
        if let Some(range) = records.ranges.get_mut(range as usize) {
            range.forks_before = forks_before;
            forks_before = forks_before.saturating_add(range.forks);
        }
    }
    records.constructs[construct].chunks = chunks;
}
