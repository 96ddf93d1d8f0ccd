//! Puts in order what events leave open: orphans, taskloop ranges, chunks that stand for many.

use std::collections::HashMap;

use sheaf_model::table::{GrainKind, flags};

use super::records::{Grain, NONE, Range, Records, Slot, mark, next_slot};
use super::tally::Tally;
use crate::trace::WorkKind;

/// Makes every grain belong to something and every range known that can be.
pub(super) fn prepare(records: &mut Records, num_processes: u32, tally: &mut Tally) {
    let roots = find_roots(records, num_processes);
    adopt_regions(records, &roots, tally);
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
            let mut grain = Grain::new(process, GrainKind::Initial);
            grain.marks = mark::ANNOUNCED | mark::ENDED;
            grain.flag(flags::INCOMPLETE);
            *root = records.push_grain(grain);
        }
    }
    roots
}

/// A region of which only members are known belongs to the process's initial task.
fn adopt_regions(records: &mut Records, roots: &[Slot], tally: &mut Tally) {
    for slot in 0..next_slot(&records.regions) {
        let region = &mut records.regions[slot as usize];
        let members = region.members.clone();
        if !region.is_announced {
            let Some(&first) = members.first() else {
                continue;
            };
            let process = records.grain(first).process;
            let region = &mut records.regions[slot as usize];
            region.parent = roots[process as usize];
            region.sequence = NONE - 1;
            region.index = slot;
            tally.orphans += members.len() as u64;
            for &member in &members {
                records
                    .grain_mut(member)
                    .flag(flags::SCHEDULE_DEPENDENT | flags::INCOMPLETE);
            }
        }
        let sequence = records.regions[slot as usize].sequence;
        for &member in &members {
            records.grain_mut(member).sequence = sequence;
        }
    }
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
            grain.flag(flags::SCHEDULE_DEPENDENT | flags::INCOMPLETE);
            num_orphans = num_orphans.saturating_add(1);
            tally.orphans += 1;
        }
    }
}

/// Folds the tasks that only split the range, and orders the others by their iterations.
fn prepare_taskloop(records: &mut Records, taskloop: usize, tally: &mut Tally) {
    let tasks = std::mem::take(&mut records.taskloops[taskloop].tasks);
    let creators = std::mem::take(&mut records.taskloops[taskloop].creators);
    let made = tasks.iter().copied().zip(creators);
    let mut ordered = in_range_order(records, row_number(taskloop), made);
    let is_dropped = |grain: &Grain| grain.flags() & (flags::CANCELLED | flags::INCOMPLETE) != 0;
    ordered.retain(|&task| !records.grain(task).is(mark::FOLDED));
    tally.folded_tasks += (tasks.len() - ordered.len()) as u64;
    if !ordered.iter().any(|&task| is_dropped(records.grain(task))) {
        fill_ranges(records, records.taskloops[taskloop].count, &ordered, tally);
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
/// Each of `tasks` comes with its maker.
fn in_range_order(
    records: &Records,
    taskloop: Slot,
    tasks: impl ExactSizeIterator<Item = (Slot, Slot)>,
) -> Vec<Slot> {
    let num_tasks = tasks.len();
    let mut made_by: HashMap<Slot, Vec<Slot>> = HashMap::new();
    let is_split = |task: Slot| records.grain(task).is(mark::FOLDED);
    for (task, maker) in tasks {
        made_by.entry(maker).or_default().push(task);
    }
    let is_inside = |maker: Slot| {
        let grain = records.grains.get(maker as usize);
        grain
            .is_some_and(|grain| grain.kind == GrainKind::TaskloopChunk && grain.origin == taskloop)
    };
    let mut stack: Vec<Slot> = made_by
        .keys()
        .copied()
        .filter(|&maker| !is_inside(maker))
        .collect();
    stack.sort_unstable();
    let mut ordered = Vec::with_capacity(num_tasks);
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

/// Gives tasks without a range the iterations between their neighbours' ranges, divided as the runtime
/// divides them: as evenly as can be, the larger parts first. LLVM notes the range of a task after the
/// task may have started, so any dispatch event can be missing. Where fewer iterations than tasks are
/// left, they stay without.
fn fill_ranges(records: &mut Records, count: u64, ordered: &[Slot], tally: &mut Tally) {
    let mut begin = 0;
    let mut next = 0;
    while let Some(&task) = ordered.get(next) {
        if let Some(range) = known_range(records, task) {
            begin = range.end;
            next += 1;
            continue;
        }
        let rest = ordered.get(next..).unwrap_or_default();
        let known = rest
            .iter()
            .position(|&task| known_range(records, task).is_some());
        let (missing, after) = rest.split_at(known.unwrap_or(rest.len()));
        let end = after
            .first()
            .and_then(|&task| known_range(records, task))
            .map_or(count, |range| range.start);
        divide(records, begin..end, missing, tally);
        next += missing.len();
    }
}

/// Iterations of a task, where they are known and can be numbers of iterations.
fn known_range(records: &Records, task: Slot) -> Option<std::ops::Range<u64>> {
    let range = records.ranges.get(records.grain(task).range as usize)?;
    let first = u64::try_from(range.first).ok()?;
    Some(first..first.saturating_add(range.iterations))
}

fn divide(
    records: &mut Records,
    iterations: std::ops::Range<u64>,
    tasks: &[Slot],
    tally: &mut Tally,
) {
    let count = iterations.end.saturating_sub(iterations.start);
    let num_tasks = tasks.len() as u64;
    if num_tasks == 0 || count < num_tasks {
        return;
    }
    let (size, larger) = (count / num_tasks, count % num_tasks);
    let mut first = iterations.start;
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
    complete_static_chunks(records, construct, tally);
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

/// Of a static loop with a chunk size, runtimes report the first chunk of each member only,
/// although the member runs a chunk in every round. Its grain stands for all of them: they are
/// counted, their times cannot be distinguished.
fn complete_static_chunks(records: &mut Records, construct: usize, tally: &mut Tally) {
    let row = &records.constructs[construct];
    let team = u64::from(records.regions[row.region as usize].team_size);
    let is_static = matches!(row.kind, WorkKind::LoopStatic | WorkKind::Loop);
    let count = row.count;
    let ranges: Vec<Slot> = row
        .chunks
        .iter()
        .map(|&chunk| records.grain(chunk).range)
        .collect();
    let reported = ranges
        .iter()
        .filter_map(|&range| records.ranges.get(range as usize));
    let sum = reported
        .clone()
        .fold(0_u64, |sum, range| sum.saturating_add(range.iterations));
    let chunk = reported.map(|range| range.iterations).max().unwrap_or(0);
    let Some(round) = chunk.checked_mul(team) else {
        return;
    };
    let has_one_each = row.chunks.len() <= row.num_passes as usize
        && ranges.len() == distinct_parents(records, &row.chunks);
    // A round that covers the loop means that chunks are missing, not that they are many.
    if !is_static || !has_one_each || sum >= count || chunk == 0 || round >= count {
        return;
    }
    for range in ranges {
        let Some(range) = records.ranges.get_mut(range as usize) else {
            continue;
        };
        let Some(left) = u64::try_from(range.first)
            .ok()
            .and_then(|at| count.checked_sub(at))
        else {
            continue;
        };
        range.iterations = left / round * chunk + (left % round).min(chunk);
        tally.chunk_lists += 1;
    }
}

fn distinct_parents(records: &Records, chunks: &[Slot]) -> usize {
    let mut parents: Vec<Slot> = chunks
        .iter()
        .map(|&chunk| records.grain(chunk).parent)
        .collect();
    parents.sort_unstable();
    parents.dedup();
    parents.len()
}

fn row_number(row: usize) -> Slot {
    Slot::try_from(row).unwrap_or(NONE)
}
