//! Which fragment follows which, and why.

use rayon::prelude::*;
use sheaf_answers::ReadyBy;
use sheaf_model::RunTables;
use sheaf_model::table::{FragmentEnd, GrainKind, Numbers, flags};

use super::AbsenceReason;
use super::intervals::{Intervals, bounds, is_end};
use super::late::{LastLinks, LateReady};
use super::ready::Ready;
use super::steals::Steals;
use super::teams::Teams;
use crate::grain_graph::to_u32;
use crate::grain_graph::{JoinRule, NONE, SetKind, Structure};

/// Grains whose edges are visited together.
const GRAINS_AT_ONCE: usize = 1 << 14;

/// A fragment follows another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// `NONE` where it is not known which stretch of the creator it was.
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) kind: ReadyBy,
    /// When the source lets the target go on.
    pub(super) time: i64,
}

/// Visits every edge, and finds from them when each fragment became ready, and who ran where.
pub(super) fn visit_into(
    run: &RunTables,
    structure: &Structure,
    intervals: &Intervals,
) -> Result<(Ready, Steals), AbsenceReason> {
    check_known(run, intervals)?;
    let mut ready = Ready::new(run);
    let mut steals = Steals::new(run);
    let links = Links::new(run, structure, intervals);
    links.visit(|link| {
        ready.add(run, link);
        steals.add(run, intervals, link);
    });
    ready.finish(run);
    steals.finish(run, intervals, &links);
    Ok((ready, steals))
}

/// Finds when each fragment became ready from the edges that do not follow from its own grain.
pub(super) fn ready_times<'a>(
    run: &'a RunTables,
    structure: &'a Structure,
    intervals: &'a Intervals,
) -> Result<LateReady<'a>, AbsenceReason> {
    check_known(run, intervals)?;
    let has_chunks = run.grains.kind.values().contains(GrainKind::Chunk as i32);
    let links = if has_chunks {
        Links::new(run, structure, intervals)
    } else {
        Links::without_children(run, structure, intervals)
    };
    Ok(LateReady::of(run, structure, intervals, links.last()))
}

fn check_known(run: &RunTables, intervals: &Intervals) -> Result<(), AbsenceReason> {
    let is_created = run.grains.created.null_count() < run.grains.len();
    if intervals.has_program_points || is_created || !run.dependences.is_empty() {
        return Ok(());
    }
    Err(AbsenceReason::because(
        "nothing is known to be ready: the source says neither when grains were created nor what they waited for",
    ))
}

/// Whether a grain is created by another, as members and chunks are not.
pub(super) fn is_task(run: &RunTables, grain: u32) -> bool {
    let kind = run.grains.kind.values().get(grain as usize);
    matches!(
        kind.and_then(GrainKind::from_code),
        Some(GrainKind::Task | GrainKind::TaskloopChunk | GrainKind::Initial)
    )
}

pub(super) struct Links<'a> {
    run: &'a RunTables,
    structure: &'a Structure,
    intervals: &'a Intervals,
    /// Children by parent, in the order of their creation.
    children: Vec<u32>,
    first_child: Vec<u32>,
}

impl<'a> Links<'a> {
    fn new(run: &'a RunTables, structure: &'a Structure, intervals: &'a Intervals) -> Self {
        let (first_child, children) = children(run, structure);
        Self {
            children,
            first_child,
            ..Self::without_children(run, structure, intervals)
        }
    }

    /// The same without lists of children, which only edges of creation and of chunks follow from.
    fn without_children(
        run: &'a RunTables,
        structure: &'a Structure,
        intervals: &'a Intervals,
    ) -> Self {
        Self {
            run,
            structure,
            intervals,
            children: Vec::new(),
            first_child: Vec::new(),
        }
    }

    /// The last of the edges that end later than their target was created, and than its grain did before.
    fn last(&self) -> LastLinks {
        let grains = to_u32(self.structure.num_grains());
        let firsts: Vec<u32> = (0..grains).step_by(GRAINS_AT_ONCE).collect();
        let parts: Vec<LastLinks> = firsts
            .into_par_iter()
            .map(|first| {
                let mut last = LastLinks::default();
                for grain in (first..grains).take(GRAINS_AT_ONCE) {
                    if let Some(parent) = self.structure.parent(grain) {
                        self.synchronise(parent, grain, &mut |link| last.add(link));
                    }
                }
                last
            })
            .collect();
        let mut last = LastLinks::default();
        for part in parts {
            last.extend(part);
        }
        self.synchronise_teams(&mut |link| last.add(link));
        if !self.children.is_empty() {
            for grain in 0..grains {
                self.chain_chunks(grain, &mut |link| last.add(link));
            }
        }
        self.depend(&mut |link| last.add(link));
        last
    }

    /// Edges of synchronisation come first, in the order of creation: of several that end at one
    /// time, the first counts.
    fn visit(&self, mut visit: impl FnMut(Link)) {
        let grains = to_u32(self.structure.num_grains());
        for parent in 0..grains {
            for &child in self.children(parent) {
                self.synchronise(parent, child, &mut visit);
            }
        }
        self.synchronise_teams(&mut visit);
        for grain in 0..grains {
            self.go_on(grain, &mut visit);
        }
        for grain in 0..grains {
            self.visit_creations(grain, |child, source, time| {
                if let Some(target) = self.first(child) {
                    visit(Link {
                        source,
                        target,
                        kind: ReadyBy::Creation,
                        time,
                    });
                }
            });
            self.chain_chunks(grain, &mut visit);
        }
        self.depend(&mut visit);
    }

    fn first(&self, grain: u32) -> Option<u32> {
        self.intervals.fragments(grain).next()
    }

    fn children(&self, parent: u32) -> &[u32] {
        let bounds = bounds(&self.first_child, parent);
        let bounds = bounds.start as usize..bounds.end as usize;
        self.children.get(bounds).unwrap_or_default()
    }

    fn kind(&self, grain: u32) -> Option<GrainKind> {
        GrainKind::from_code(self.run.grains.kind.value(grain as usize))
    }

    /// From the end of a task to what goes on after the wait that collects it.
    fn synchronise(&self, parent: u32, child: u32, visit: &mut impl FnMut(Link)) {
        if !is_task(self.run, child) {
            return;
        }
        let Some(source) = self.intervals.last(child) else {
            return;
        };
        let time = self.intervals.end(source);
        let mut join = |target: Option<u32>| {
            if let Some(target) = target {
                visit(Link {
                    source,
                    target,
                    kind: ReadyBy::Synchronisation,
                    time,
                });
            }
        };
        let wait = self.wait_of(parent, child);
        let target = wait.and_then(|wait| self.intervals.after_wait(wait));
        join(target);
        let flags = self.run.grains.flags.value(child as usize);
        let is_taskloop = self.kind(child) == Some(GrainKind::TaskloopChunk);
        if target.is_none() && (flags & flags::UNDEFERRED != 0 || is_taskloop && wait.is_none()) {
            let next = self.intervals.starting_at(self.run, parent, time);
            join(next.filter(|_| !is_taskloop || self.taskloop_is_over(child, time)));
        }
    }

    /// Whether a chunk of a taskloop is the last of its set to end.
    fn taskloop_is_over(&self, chunk: u32, time: i64) -> bool {
        let set = self.structure.set_of(chunk);
        let set = set.and_then(|set| self.structure.sets().get(set as usize));
        let members = set
            .map(|set| self.structure.members(set))
            .unwrap_or_default();
        let first_last = members.first().map(|&first| first == chunk);
        // Only one chunk of the set joins, so that a wide loop is not walked for each of its chunks.
        first_last == Some(true)
            && members.iter().all(|&member| {
                let last = self.intervals.last(member);
                last.is_none_or(|last| self.intervals.end(last) <= time)
            })
    }

    /// The wait that collects a task.
    fn wait_of(&self, parent: u32, child: u32) -> Option<u32> {
        let at = child as usize;
        let joined_by = &self.run.grains.joined_by;
        if self.structure.rule() == JoinRule::Recorded {
            let number = joined_by.is_valid(at).then(|| joined_by.value(at))?;
            let waits = self.intervals.waits(parent);
            let wait = waits.start.checked_add(u32::try_from(number).ok()?)?;
            return (wait < waits.end).then_some(wait);
        }
        let set = self.structure.set_of(child)?;
        self.structure.sets().get(set as usize)?.wait()
    }

    /// Parallel regions and their barriers.
    fn synchronise_teams(&self, visit: &mut impl FnMut(Link)) {
        let teams = Teams::of(self.run, self.structure, self.intervals);
        teams.visit(visit);
        for set in self.structure.sets() {
            let (SetKind::Members, Some(owner)) = (set.kind, set.owner()) else {
                continue;
            };
            let members = self.structure.members(set);
            let first = |&member: &u32| self.first(member);
            let start = |fragment: u32| self.run.fragments.start.value(fragment as usize);
            let Some(begin) = members.iter().filter_map(first).map(start).min() else {
                continue;
            };
            let source = self.intervals.ended_at(owner, begin);
            let target = source.map_or_else(
                || self.intervals.starting_at(self.run, owner, begin),
                |source| {
                    Some(source + 1).filter(|&next| next < self.intervals.fragments(owner).end)
                },
            );
            for &member in members {
                if let (Some(source), Some(target)) = (source, self.first(member)) {
                    visit(Link {
                        source,
                        target,
                        kind: ReadyBy::Creation,
                        time: self.intervals.end(source),
                    });
                }
                if let (Some(source), Some(target)) = (self.intervals.last(member), target) {
                    visit(Link {
                        source,
                        target,
                        kind: ReadyBy::Synchronisation,
                        time: self.intervals.end(source),
                    });
                }
            }
        }
    }

    /// From each fragment of a grain to its next.
    fn go_on(&self, grain: u32, visit: &mut impl FnMut(Link)) {
        let fragments = self.intervals.fragments(grain);
        for (source, target) in fragments.clone().zip(fragments.skip(1)) {
            let ended_by = self.run.fragments.ended_by.value(source as usize);
            let kind = if self.intervals.follows_wait(target) || is_end(ended_by, FragmentEnd::Wait)
            {
                ReadyBy::WaitContinuation
            } else if is_end(ended_by, FragmentEnd::Creation) {
                ReadyBy::CreationContinuation
            } else {
                ReadyBy::OtherContinuation
            };
            let time = self.intervals.continues_at(self.run, source);
            visit(Link {
                source,
                target,
                kind,
                time,
            });
        }
    }

    /// Visits the tasks that a grain creates, with the fragment that ends with the creation and its time.
    pub(super) fn visit_creations(&self, parent: u32, mut visit: impl FnMut(u32, u32, i64)) {
        let fragments = self.intervals.fragments(parent);
        let ended_by = self.run.fragments.ended_by.values();
        let mut next = fragments.start;
        for &child in self.children(parent) {
            let created = &self.run.grains.created;
            if !is_task(self.run, child) || !created.is_valid(child as usize) {
                continue;
            }
            let time = created.value(child as usize);
            let is_creation = |fragment: u32| {
                let code = ended_by.get(fragment as usize);
                code.is_some_and(|code| is_end(code, FragmentEnd::Creation))
            };
            while next < fragments.end && (!is_creation(next) || self.intervals.end(next) < time) {
                next += 1;
            }
            if next < fragments.end && self.intervals.end(next) == time {
                visit(child, next, time);
                next += 1;
            } else {
                let source = self.intervals.ended_at(parent, time);
                visit(child, source.unwrap_or(NONE), time);
                // What was passed over belongs to a later creation.
            }
        }
    }

    /// A member of a team runs its chunks one after the other, between stretches of its own.
    fn chain_chunks(&self, member: u32, visit: &mut impl FnMut(Link)) {
        let starts = run_starts(self.run);
        let mut chunks: Vec<u32> = (self.children(member).iter().copied())
            .filter(|&child| self.kind(child) == Some(GrainKind::Chunk))
            .filter(|&child| self.first(child).is_some())
            .collect();
        if chunks.is_empty() {
            return;
        }
        let start_of = |chunk: u32| {
            let first = self.first(chunk);
            first.and_then(|first| starts.get(first as usize))
        };
        chunks.sort_by_key(|&chunk| (start_of(chunk), self.run.grains.index.value(chunk as usize)));
        let mut link = |source: u32, target: u32| {
            visit(Link {
                source,
                target,
                kind: ReadyBy::OtherContinuation,
                time: self.intervals.end(source),
            });
        };
        let mut before: Option<u32> = None;
        for (at, &chunk) in chunks.iter().enumerate() {
            let (Some(first), Some(last), Some(start)) = (
                self.first(chunk),
                self.intervals.last(chunk),
                start_of(chunk),
            ) else {
                continue;
            };
            let own = self.intervals.ended_at(member, start);
            let end = |fragment: &Option<u32>| fragment.map(|it| self.intervals.end(it));
            if let Some(source) = std::cmp::max_by_key(own, before, end) {
                link(source, first);
            }
            let next = self
                .intervals
                .starting_at(self.run, member, self.intervals.end(last));
            let next_chunk = chunks.get(at + 1).and_then(|&chunk| start_of(chunk));
            let next_start = next.and_then(|next| starts.get(next as usize));
            if let Some(next) = next
                && next_chunk.is_none_or(|chunk| next_start <= Some(chunk))
            {
                link(last, next);
            }
            before = Some(last);
        }
    }

    fn depend(&self, visit: &mut impl FnMut(Link)) {
        let dependences = &self.run.dependences;
        let pairs = dependences.predecessor.values().iter();
        for (&before, &after) in pairs.zip(dependences.successor.values()) {
            let grain = |row: i32| u32::try_from(row).unwrap_or(NONE);
            let source = self.intervals.last(grain(before));
            if let (Some(source), Some(target)) = (source, self.first(grain(after))) {
                visit(Link {
                    source,
                    target,
                    kind: ReadyBy::Dependence,
                    time: self.intervals.end(source),
                });
            }
        }
    }
}

fn run_starts(run: &RunTables) -> Numbers<'_, i64> {
    run.fragments.start.values()
}

/// Children by parent in the order of their creation, and where those of each begin.
fn children(run: &RunTables, structure: &Structure) -> (Vec<u32>, Vec<u32>) {
    let grains = structure.num_grains();
    let parent = |row: usize| structure.parent(to_u32(row)).map(|parent| parent as usize);
    let mut first = vec![0_u32; grains + 1];
    for parent in (0..grains).filter_map(parent) {
        first[parent + 1] += 1;
    }
    let mut sum = 0;
    for slot in &mut first {
        sum += *slot;
        *slot = sum;
    }
    let mut next = first.clone();
    let mut children = vec![0_u32; sum as usize];
    for row in 0..grains {
        if let Some(parent) = parent(row) {
            children[next[parent] as usize] = to_u32(row);
            next[parent] += 1;
        }
    }
    for of_parent in first.windows(2) {
        let bounds = of_parent[0] as usize..of_parent[1] as usize;
        let of_parent = &mut children[bounds];
        let key = |&child: &u32| creation_order(run, child);
        if !of_parent.is_sorted_by_key(key) {
            of_parent.sort_by_key(key);
        }
    }
    (first, children)
}

/// Order of creation among grains; the rest decides where times are equal or absent.
pub(super) fn creation_order(run: &RunTables, grain: u32) -> (i64, i64, i64) {
    let (grains, at) = (&run.grains, grain as usize);
    let created = grains.created.get(at).or_else(|| grains.start.get(at));
    let index = grains.index.value(at);
    (
        created.unwrap_or(i64::MAX),
        index,
        grains.path_key.value(at),
    )
}
