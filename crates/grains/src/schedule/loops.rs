//! Frees the chunks of work-sharing loops from the members of the team that ran them.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_model::RunTables;
use sheaf_model::table::GrainKind;

use super::draft::{Draft, Link, mark};
use crate::grain_graph::{EdgeKind, NONE, Structure, to_u32};

/// Team (a sibling set, or a grain without a team), number of the construct, context.
type LoopKey = (bool, u32, i64, i32);

/// A chunk in the chain of its member.
#[derive(Clone, Copy, Debug)]
struct Place {
    member: u32,
    chunk: u32,
    before: u32,
    first: u32,
    last: u32,
    after: u32,
}

/// How chunks are cut and who runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// As recorded. Loops with a chunk per member at most are static: one chunk for each of the workers.
    Recorded {
        /// Workers of a schedule.
        workers: u32,
    },
    /// Chunks of so many iterations, which members take one after the other.
    Size(u32),
}

/// The loops after they were cut anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Freed {
    /// Loops with a chunk per member at most.
    pub(super) fixed: usize,
    /// Other loops.
    pub(super) taken: usize,
    /// Loops whose chunks could not be cut anew: their iterations are unknown, or chunks create tasks.
    pub(super) uncut: usize,
}

/// Takes chunks out of the chains of members: a loop begins when its members have come to it, and they go on when its
/// chunks have ended. What members do between chunks stays with them.
pub(super) fn free_chunks(
    draft: &mut Draft,
    run: &RunTables,
    structure: &Structure,
    cut: Cut,
) -> Freed {
    let mut freed = Freed::default();
    let loops = places(draft, run, structure);
    bypass(draft, loops.values().flatten());
    for (_, places) in loops {
        let mut by_member: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
        for place in places {
            by_member.entry(place.member).or_default().push(place);
        }
        let is_fixed = by_member.values().all(|places| places.len() == 1);
        let (begin, end) = frame(draft, &by_member);
        let mut chunks: Vec<Place> = by_member.into_values().flatten().collect();
        let order = |place: &Place| {
            (
                run.grains.first_iteration.get(place.chunk as usize),
                place.first,
            )
        };
        chunks.sort_by_key(order);
        freed.fixed += usize::from(is_fixed);
        freed.taken += usize::from(!is_fixed);
        let count = chunks.len();
        let cut_into = match cut {
            Cut::Size(size) => Some(Blocks::Size(size)),
            Cut::Recorded { workers } if is_fixed && workers as usize != count => {
                Some(Blocks::Number(workers))
            }
            Cut::Recorded { .. } => None,
        };
        let firsts = match cut_into.map(|blocks| recut(draft, run, &chunks, blocks)) {
            Some(Some(blocks)) => join_blocks(draft, &chunks, &blocks, end),
            other => {
                freed.uncut += usize::from(other.is_some());
                for place in &chunks {
                    link(draft, place.last, end, EdgeKind::Synchronisation);
                }
                chunks.iter().map(|place| place.first).collect()
            }
        };
        for (at, &first) in firsts.iter().enumerate() {
            link(draft, begin, first, EdgeKind::Creation);
            match cut {
                Cut::Recorded { workers } if is_fixed => {
                    draft.mark(first, mark::BOUND);
                    let worker = at * workers as usize / firsts.len();
                    draft.bound.push((first, to_u32(worker)));
                }
                _ => draft.mark(first, mark::CHUNK),
            }
        }
    }
    freed
}

/// Chunks by loop, in the order of their nodes.
fn places(draft: &Draft, run: &RunTables, structure: &Structure) -> BTreeMap<LoopKey, Vec<Place>> {
    let kinds = run.grains.kind.values();
    let is_chunk = |grain: u32| kinds.get(grain as usize) == Some(GrainKind::Chunk as i32);
    let mut loops: BTreeMap<LoopKey, Vec<Place>> = BTreeMap::new();
    if !kinds.contains(GrainKind::Chunk as i32) {
        return loops;
    }
    let mut open: BTreeMap<u32, Place> = BTreeMap::new();
    for link in &draft.links {
        let (from, to) = (draft.grain(link.source), draft.grain(link.target));
        if link.kind != EdgeKind::Continuation || from == to {
            continue;
        }
        if is_chunk(to) && structure.parent(to) == Some(from) {
            let place = entry(&mut open, from, to);
            (place.before, place.first) = (link.source, link.target);
        } else if is_chunk(from) && structure.parent(from) == Some(to) {
            let place = entry(&mut open, to, from);
            (place.last, place.after) = (link.source, link.target);
        }
    }
    for (chunk, place) in open {
        if [place.before, place.last].contains(&NONE) {
            continue;
        }
        let row = chunk as usize;
        let sequence = run.grains.sequence.get(chunk as usize).unwrap_or(-1);
        let context = run.grains.context.get(row).unwrap_or(-1);
        let key = match structure.set_of(place.member) {
            Some(set) => (true, set, sequence, context),
            None => (false, place.member, sequence, context),
        };
        loops.entry(key).or_default().push(place);
    }
    for places in loops.values_mut() {
        places.sort_by_key(|place| place.before);
    }
    loops
}

fn entry(open: &mut BTreeMap<u32, Place>, member: u32, chunk: u32) -> &mut Place {
    open.entry(chunk).or_insert(Place {
        member,
        chunk,
        before: NONE,
        first: NONE,
        last: NONE,
        after: NONE,
    })
}

/// Links what members do around chunks.
fn bypass<'a>(draft: &mut Draft, places: impl Iterator<Item = &'a Place>) {
    let mut after: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut left: BTreeSet<(u32, u32)> = BTreeSet::new();
    for place in places {
        after.insert((place.before, place.first), place.after);
        left.insert((place.last, place.after));
    }
    if after.is_empty() {
        return;
    }
    draft.links.retain_mut(|link| {
        if link.kind != EdgeKind::Continuation {
            return true;
        }
        if let Some(&after) = after.get(&(link.source, link.target)) {
            link.target = after;
        }
        !left.contains(&(link.source, link.target))
    });
}

/// Gives a loop a begin and an end.
fn frame(draft: &mut Draft, by_member: &BTreeMap<u32, Vec<Place>>) -> (u32, u32) {
    let begin = draft.push(NONE, 0, mark::PASSAGE);
    let end = draft.push(NONE, 0, mark::PASSAGE);
    for places in by_member.values() {
        if let (Some(first), Some(last)) = (places.first(), places.last()) {
            link(draft, first.before, begin, EdgeKind::Synchronisation);
            link(draft, end, last.after, EdgeKind::Synchronisation);
        }
    }
    (begin, end)
}

fn link(draft: &mut Draft, source: u32, target: u32, kind: EdgeKind) {
    draft.links.push(Link {
        source,
        target,
        kind,
    });
}

/// Bounds of new chunks.
#[derive(Clone, Copy)]
enum Blocks {
    Size(u32),
    Number(u32),
}

/// A new chunk: its grain and its work.
struct Block {
    grain: u32,
    work: i64,
}

/// Cuts the iterations of a loop anew. Within a recorded chunk every iteration has the same work. `None` where
/// iterations are unknown or do not follow each other, or a chunk is more than one node.
fn recut(draft: &Draft, run: &RunTables, chunks: &[Place], blocks: Blocks) -> Option<Vec<Block>> {
    let mut ranges = Vec::with_capacity(chunks.len());
    for place in chunks {
        let first = run.grains.first_iteration.get(place.chunk as usize)?;
        let count = run.grains.iterations.get(place.chunk as usize)?;
        if place.first != place.last || count <= 0 {
            return None;
        }
        let work = draft.weights.get(place.first as usize).copied()?;
        ranges.push((first, count, work, place.chunk));
    }
    let total: i64 = ranges.iter().map(|range| range.1).sum();
    let size = match blocks {
        Blocks::Size(size) => i64::from(size.max(1)),
        Blocks::Number(number) => total.div_euclid(i64::from(number.max(1))).max(1),
    };
    let (count, longer) = match blocks {
        Blocks::Size(_) => ((total + size - 1) / size, 0),
        // The first of them have an iteration more, as with a static schedule.
        Blocks::Number(number) => {
            let count = i64::from(number).min(total);
            (count, total - count * size)
        }
    };
    let mut cut = Vec::new();
    // Iterations passed: in the range, and of it the work.
    let (mut at, mut inside) = (0_usize, 0_i64);
    for number in 0..count {
        let mut left = size + i64::from(number < longer);
        let mut block = Block {
            grain: ranges.get(at).map_or(NONE, |range| range.3),
            work: 0,
        };
        while left > 0
            && let Some(&(_, length, work, _)) = ranges.get(at)
        {
            let step = left.min(length - inside);
            block.work += part(work, inside + step, length) - part(work, inside, length);
            (inside, left) = (inside + step, left - step);
            if inside == length {
                (at, inside) = (at + 1, 0);
            }
        }
        cut.push(block);
    }
    Some(cut)
}

/// The work of the first iterations of a range.
fn part(work: i64, iterations: i64, of: i64) -> i64 {
    let part = i128::from(work) * i128::from(iterations) / i128::from(of.max(1));
    i64::try_from(part).unwrap_or(i64::MAX)
}

/// Puts new chunks in the place of the recorded ones, whose nodes become passages without work.
fn join_blocks(draft: &mut Draft, chunks: &[Place], blocks: &[Block], end: u32) -> Vec<u32> {
    for place in chunks {
        if let Some(weight) = draft.weights.get_mut(place.first as usize) {
            *weight = 0;
        }
        draft.mark(place.first, mark::PASSAGE);
    }
    blocks
        .iter()
        .map(|block| {
            let node = draft.push(block.grain, block.work, 0);
            link(draft, node, end, EdgeKind::Synchronisation);
            node
        })
        .collect()
}
