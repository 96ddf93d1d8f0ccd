//! Walks through the unreduced graph without its nodes: each grain goes on until it meets what has to come before, as
//! on unlimited workers.

mod finishers;
mod joins;
mod lengths;
mod origins;
mod totals;
mod trace;
mod ways;

use std::collections::BTreeMap;

use rayon::prelude::*;
use sheaf_model::{Cancelled, Progress, RunTables};

use super::NONE;
use super::by_grain::Groups;
use super::graph::EdgeKind;
use super::structure::Structure;
use super::timeline::{Step, StepBuffers, Timelines};
use crate::grain_graph::to_u32;
use crate::stopping::CHECKED_EVERY;
pub(super) use finishers::{Chain, Finishers};
use joins::Joins;
pub(super) use lengths::{Critical, Lengths};
use origins::{is_created, is_inline};
pub use totals::GraphTotals;
pub(super) use trace::Trace;
pub(super) use ways::Winners;
use ways::{Place, Ways};

/// The steps of grains, for [`walk`]. `None` if a walk cannot stand for the graph: the run has no fragments, or tasks are the
/// book-keeping of loops.
pub(super) fn walkable<'a>(run: &'a RunTables, structure: &'a Structure) -> Option<Timelines<'a>> {
    if run.fragments.is_empty() {
        return None;
    }
    let timelines = Timelines::new(run, structure, None);
    let is_other = |row: u32| is_inline(&timelines, row) != timelines.is_inline(row);
    let grains = (0..to_u32(structure.num_grains())).into_par_iter();
    let is_walkable = !grains.any(is_other);
    is_walkable.then_some(timelines)
}

/// Walks through the unreduced graph of a run; returns what is known of its ways then, and the number of edges by kind.
/// `None` if the graph has a cycle. Linear in time but for sorting what each grain does. Takes memory for grains and sets
/// that have begun but not ended, and for dependences.
///
/// # Errors
/// When `progress` was stopped.
pub(super) fn walk<W: Ways>(
    timelines: &Timelines<'_>,
    ways: W,
    progress: &Progress,
) -> Result<Option<(W, [u64; 4])>, Cancelled> {
    let mut walk = Walk::new(timelines, ways);
    walk.walk(progress)?;
    Ok(walk.finish())
}

/// Stands for the grain of the nodes of barriers, which come behind those of all grains.
const BARRIERS: u32 = NONE - 1;

/// A grain under way, or the run itself.
struct Active<W: Ways> {
    /// [`NONE`] for the run itself.
    grain: u32,
    steps: Vec<Step>,
    next: usize,
    /// Set whose join is its next node, before the next step; [`NONE`] for none.
    join: u32,
    /// Way to its next node along the grain, or to its first node.
    way: Option<W::Way>,
    /// Grain of the node that this way leads through last: its own, or what ran inside of it. [`BARRIERS`] for a barrier.
    behind: u32,
    /// Whether an edge of continuation leads to its next node.
    is_linked: bool,
    /// Whether its last step was a node of the grain.
    has_node: bool,
    /// Whether its last node is a fork.
    is_fork: bool,
}

/// A barrier of a team.
struct Meeting<W: Ways> {
    missing: u32,
    arrivals: Option<W::Arrivals>,
    members: Vec<Active<W>>,
}

struct Walk<'a, W: Ways> {
    run: &'a RunTables,
    structure: &'a Structure,
    timelines: &'a Timelines<'a>,
    buffers: StepBuffers,
    ways: W,
    /// Dependences by predecessor.
    dependences: Groups,
    /// By grain, edges to its first node that were not met yet, and the ways along those that were; empty if
    /// no grain depends on another.
    before: Vec<(u32, Option<W::Arrivals>)>,
    joins: Joins<W>,
    meetings: Vec<Meeting<W>>,
    /// Grains at a join, by set.
    waiting: BTreeMap<u32, Active<W>>,
    /// Grains that another runs inside of, by the other.
    callers: BTreeMap<u32, Active<W>>,
    stack: Vec<Active<W>>,
    /// Grains that depended on others, to begin next, with the ways to each.
    ready: Vec<(u32, W::Way)>,
    /// Lists of steps to use again.
    spare: Vec<Vec<Step>>,
    edges: [u64; 4],
    num_ended: usize,
}

impl<'a, W: Ways> Walk<'a, W> {
    fn new(timelines: &'a Timelines<'a>, ways: W) -> Self {
        let (run, structure) = (timelines.run(), timelines.structure());
        let mut meetings: Vec<Meeting<W>> = Vec::new();
        meetings.resize_with(timelines.barriers().owners().len(), || Meeting {
            missing: 0,
            arrivals: None,
            members: Vec::new(),
        });
        for wait in 0..to_u32(run.waits.len()) {
            let barrier = timelines.barriers().of_wait(wait);
            if let Some(meeting) = barrier.and_then(|it| meetings.get_mut(it as usize)) {
                meeting.missing += 1;
            }
        }
        let predecessors = &run.dependences.predecessor;
        let grains = match predecessors.len() {
            0 => 0,
            _ => structure.num_grains(),
        };
        Self {
            run,
            structure,
            timelines,
            buffers: StepBuffers::default(),
            ways,
            dependences: Groups::new(grains + 1, predecessors.len(), |row| {
                let predecessor = usize::try_from(predecessors.value(row)).ok();
                predecessor.unwrap_or(grains).min(grains)
            }),
            before: Vec::new(),
            joins: Joins::default(),
            meetings,
            waiting: BTreeMap::new(),
            callers: BTreeMap::new(),
            stack: Vec::new(),
            ready: Vec::new(),
            spare: Vec::new(),
            edges: [0; 4],
            num_ended: 0,
        }
    }

    fn walk(&mut self, progress: &Progress) -> Result<(), Cancelled> {
        let grains = to_u32(self.structure.num_grains());
        if !self.run.dependences.is_empty() {
            let created = |grain| (u32::from(is_created(self.timelines, grain)), None);
            let mut before: Vec<(u32, Option<W::Arrivals>)> = (0..grains).map(created).collect();
            let successors = &self.run.dependences.successor;
            for row in 0..successors.len() {
                let slot = usize::try_from(successors.value(row)).ok();
                if let Some((edges, _)) = slot.and_then(|slot| before.get_mut(slot)) {
                    *edges += 1;
                }
            }
            self.before = before;
        }
        self.begin(NONE, None);
        for grain in 0..grains {
            if !is_created(self.timelines, grain)
                && self.before.get(grain as usize).is_none_or(|it| it.0 == 0)
            {
                self.begin(grain, None);
            }
        }
        for turn in 0_usize.. {
            if turn % CHECKED_EVERY == 0 {
                progress.check()?;
            }
            if let Some((grain, way)) = self.ready.pop() {
                self.begin(grain, Some(way));
            } else if let Some(active) = self.stack.pop() {
                self.go_on(active);
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Nothing if some grains never ended.
    fn finish(self) -> Option<(W, [u64; 4])> {
        let is_over = self.num_ended == self.structure.num_grains() + 1
            && self.meetings.iter().all(|meeting| meeting.missing == 0);
        let mut edges = self.edges;
        edges[EdgeKind::Continuation as usize] += self.meetings.len() as u64;
        is_over.then_some((self.ways, edges))
    }

    fn count(&mut self, kind: EdgeKind, edges: usize) {
        self.edges[kind as usize] += edges as u64;
    }

    /// Begins a grain, with the ways to it.
    fn begin(&mut self, grain: u32, way: Option<W::Way>) {
        if let Some(rows) = self.timelines.only_runs(grain) {
            let durations = &self.run.fragments.duration;
            self.count(EdgeKind::Continuation, rows.len().saturating_sub(1));
            let mut way = way.unwrap_or_else(|| self.ways.start());
            for row in rows {
                let duration = durations.value(row as usize);
                way = self.ways.run(way, grain, row, duration);
            }
            self.end(grain, way, false);
            return;
        }
        let mut steps = self.spare.pop().unwrap_or_default();
        let owner = (grain as usize).min(self.structure.num_grains());
        self.timelines.steps(owner, &mut self.buffers, &mut steps);
        self.stack.push(Active {
            grain,
            steps,
            next: 0,
            join: NONE,
            way,
            behind: grain,
            is_linked: false,
            has_node: false,
            is_fork: false,
        });
    }

    /// An edge from a grain leads to the first node of another, which begins if it is the last one.
    fn reach(&mut self, grain: u32, way: W::Way, from: u32, kind: EdgeKind) {
        let way = if self.before.is_empty() {
            Some(self.ways.follow(way, kind))
        } else {
            self.ways_to(grain, way, from, kind)
        };
        if way.is_some() {
            self.begin(grain, way);
        }
    }

    /// The ways to a grain that others precede once all edges to it are known, of which one is given.
    fn ways_to(&mut self, grain: u32, way: W::Way, from: u32, kind: EdgeKind) -> Option<W::Way> {
        let mut arrivals = self.ways.arrive(way, from, kind);
        let (edges, known) = self.before.get_mut(grain as usize)?;
        if let Some(known) = *known {
            self.ways.add(&mut arrivals, known);
        }
        *known = Some(arrivals);
        *edges = edges.saturating_sub(1);
        (*edges == 0).then(|| self.ways.leave(arrivals, Place::Begin(grain)))
    }

    /// Adds a node to a grain.
    fn node(&mut self, active: &mut Active<W>, is_fork: bool) -> W::Way {
        self.count(EdgeKind::Continuation, usize::from(active.is_linked));
        let way = active.way.unwrap_or_else(|| self.ways.start());
        (active.way, active.behind) = (Some(way), active.grain);
        (active.is_linked, active.has_node, active.is_fork) = (true, true, is_fork);
        way
    }

    /// Takes the steps of a grain until it has to wait, or another comes first.
    fn go_on(&mut self, mut active: Active<W>) {
        let mut forks = 0;
        loop {
            if active.join != NONE {
                let set = std::mem::replace(&mut active.join, NONE);
                if !self.expect_members(set) {
                    self.waiting.insert(set, active);
                    return;
                }
                self.join(&mut active, set);
            }
            let Some(&step) = active.steps.get(active.next) else {
                break;
            };
            active.next += 1;
            match step {
                Step::Run(row) => {
                    let duration = self.run.fragments.duration.value(row as usize);
                    let way = self.node(&mut active, false);
                    active.way = Some(self.ways.run(way, active.grain, row, duration));
                }
                Step::Join(set) => active.join = set,
                Step::Fork(child) => {
                    let (grain, way) = (active.grain, self.fork(&mut active, 1));
                    // Outside any grain nothing runs between the fork and the join.
                    let behind = active.steps.get(active.next);
                    if grain == NONE && matches!(behind, Some(Step::Join(_))) {
                        (active.way, active.is_linked) = (None, false);
                    }
                    let height = self.stack.len();
                    self.reach(child, way, grain, EdgeKind::Creation);
                    forks += 1;
                    // Most children only run, and have ended.
                    let has_others = self.stack.len() > height || !self.ready.is_empty();
                    if has_others || forks == CHECKED_EVERY {
                        self.stack.insert(height, active);
                        return;
                    }
                }
                Step::Undeferred(child) => {
                    let set = self.structure.set_of(child).unwrap_or(NONE);
                    self.await_members(active, set, &[child]);
                    return;
                }
                Step::Region(set) => {
                    let structure = self.structure;
                    let members = structure.sets().get(set as usize);
                    let members = members.map(|set| structure.members(set));
                    self.await_members(active, set, members.unwrap_or_default());
                    return;
                }
                Step::Inline(child) => {
                    let (grain, way) = (active.grain, self.leave(&mut active));
                    self.count(EdgeKind::Continuation, 1);
                    self.callers.insert(child, active);
                    self.reach(child, way, grain, EdgeKind::Continuation);
                    return;
                }
                Step::Barrier(barrier) => {
                    let way = self.leave(&mut active);
                    self.meet(active, way, barrier);
                    return;
                }
            }
        }
        self.end_active(active);
    }

    fn end_active(&mut self, mut active: Active<W>) {
        if active.grain == NONE {
            self.num_ended += 1;
            let way = active.way.filter(|_| active.has_node && !active.is_fork);
            if let Some(way) = way {
                self.ways.end(NONE, way, true);
            }
        } else {
            let way = self.leave(&mut active);
            self.end(active.grain, way, active.is_fork);
        }
        self.spare.push(active.steps);
    }

    /// A fork of some grains; the way to them.
    fn fork(&mut self, active: &mut Active<W>, children: usize) -> W::Way {
        self.count(EdgeKind::Creation, children);
        self.node(active, true)
    }

    /// A fork, and the join of a set that the grain does nothing before.
    fn await_members(&mut self, mut active: Active<W>, set: u32, members: &[u32]) {
        let (grain, way) = (active.grain, self.fork(&mut active, members.len()));
        (active.way, active.is_linked, active.join) = (None, false, set);
        self.stack.push(active);
        for &member in members {
            self.reach(member, way, grain, EdgeKind::Creation);
        }
    }

    /// A grain stands at a node of its own before it does something that is none, and at its end.
    fn leave(&mut self, active: &mut Active<W>) -> W::Way {
        let way = match active.way {
            Some(way) if active.has_node => way,
            _ => self.node(active, false),
        };
        active.has_node = false;
        way
    }

    /// Makes a join wait for its members; whether all have ended.
    fn expect_members(&mut self, set: u32) -> bool {
        let found = self.structure.sets().get(set as usize);
        let members = found.map_or(&[][..], |set| self.structure.members(set));
        let is_expected = |member: &&u32| !is_inline(self.timelines, **member);
        let expected = members.iter().filter(is_expected).count();
        self.count(EdgeKind::Synchronisation, expected);
        let join = self.joins.of(set);
        join.missing = join.missing.saturating_add_unsigned(to_u32(expected));
        join.missing == 0
    }

    fn join(&mut self, active: &mut Active<W>, set: u32) {
        let join = self.joins.remove(set);
        let mut arrivals = join.and_then(|join| join.arrivals);
        let kind = EdgeKind::Continuation;
        if let Some(way) = active.way {
            let own = self.ways.arrive(way, active.behind, kind);
            arrivals = Some(self.both(arrivals, own));
        }
        let way = arrivals.map(|arrivals| self.ways.leave(arrivals, Place::Join(set)));
        active.way = way;
        self.node(active, false);
    }

    fn both(&self, known: Option<W::Arrivals>, mut arrivals: W::Arrivals) -> W::Arrivals {
        if let Some(known) = known {
            self.ways.add(&mut arrivals, known);
        }
        arrivals
    }

    fn meet(&mut self, active: Active<W>, way: W::Way, barrier: u32) {
        let kind = EdgeKind::Synchronisation;
        self.count(kind, 1);
        let arrivals = self.ways.arrive(way, active.grain, kind);
        let Some(meeting) = self.meetings.get_mut(barrier as usize) else {
            return;
        };
        let mut all = arrivals;
        if let Some(known) = meeting.arrivals {
            self.ways.add(&mut all, known);
        }
        meeting.arrivals = Some(all);
        meeting.missing = meeting.missing.saturating_sub(1);
        meeting.members.push(active);
        if meeting.missing == 0 {
            let members = std::mem::take(&mut meeting.members);
            let way = Some(self.ways.leave(all, Place::Barrier(barrier)));
            let behind = BARRIERS;
            self.stack.extend(members.into_iter().map(|member| Active {
                way,
                behind,
                ..member
            }));
        }
    }

    /// A grain has ended, with a way to its end.
    fn end(&mut self, grain: u32, way: W::Way, is_fork: bool) {
        self.num_ended += 1;
        let mut is_sink = !is_fork;
        if is_inline(self.timelines, grain) {
            if let Some(caller) = self.callers.remove(&grain) {
                is_sink = false;
                let way = self.ways.follow(way, EdgeKind::Continuation);
                self.stack.push(Active {
                    way: Some(way),
                    behind: grain,
                    ..caller
                });
            }
        } else if let Some(set) = self.structure.set_of(grain) {
            is_sink = false;
            let kind = EdgeKind::Synchronisation;
            let arrivals = self.ways.arrive(way, grain, kind);
            let join = self.joins.of(set);
            join.missing -= 1;
            let is_over = join.missing == 0;
            let mut all = arrivals;
            if let Some(known) = join.arrivals {
                self.ways.add(&mut all, known);
            }
            join.arrivals = Some(all);
            if is_over && let Some(mut owner) = self.waiting.remove(&set) {
                self.join(&mut owner, set);
                self.stack.push(owner);
            }
        }
        let rows = self.dependences.of(grain as usize).len();
        for at in 0..rows {
            let row = self.dependences.of(grain as usize).get(at).copied();
            let successors = &self.run.dependences.successor;
            let successor = row.map(|row| successors.value(row as usize));
            if let Some(successor) = successor.and_then(|row| u32::try_from(row).ok()) {
                is_sink = false;
                self.count(EdgeKind::Dependence, 1);
                let way = self.ways_to(successor, way, grain, EdgeKind::Dependence);
                self.ready.extend(way.map(|way| (successor, way)));
            }
        }
        self.ways.end(grain, way, is_sink);
    }
}
