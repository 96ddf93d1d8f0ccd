//! Edges, work and span of the unreduced graph, without its nodes: each grain goes on until it meets what has to
//! come before, as on unlimited workers.

use std::collections::BTreeMap;

use sheaf_model::table::GrainKind;
use sheaf_model::{Cancelled, Progress, RunTables};

use super::by_grain::Groups;
use super::graph::{EdgeKind, GrainGraph};
use super::paths::UNREACHED;
use super::structure::Structure;
use super::timeline::{Step, Timelines};
use super::{GraphFault, NONE, PathLengths, SetKind};
use crate::grain_graph::to_u32;
use crate::stopping::CHECKED_EVERY;

/// Edges, work and span of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphTotals {
    /// Edges by kind: creation, synchronisation, continuation, dependence.
    pub edges: [u64; 4],
    /// Work and span.
    pub lengths: PathLengths,
}

impl GraphTotals {
    /// Those of a graph.
    ///
    /// # Errors
    /// [`GraphFault::Cycle`].
    pub fn of(graph: &GrainGraph) -> Result<Self, GraphFault> {
        Ok(Self {
            lengths: PathLengths::of(graph)?,
            edges: graph.count_edges(),
        })
    }

    /// Those of the unreduced graph of a run with fragments, of which no node or edge is kept. Linear in time but for
    /// sorting what each grain does. `None` if the graph has a cycle, if the run has no fragments, or if tasks are the
    /// book-keeping of loops.
    ///
    /// # Errors
    /// When `progress` was stopped.
    pub fn unreduced(
        run: &RunTables,
        structure: &Structure,
        progress: &Progress,
    ) -> Result<Option<Self>, Cancelled> {
        if run.fragments.is_empty() {
            return Ok(None);
        }
        let mut walk = Walk::new(run, structure);
        let is_other = |row: u32| walk.is_inline(row) != walk.timelines.is_inline(row);
        if (0..to_u32(structure.num_grains())).any(is_other) {
            return Ok(None);
        }
        walk.walk(progress)?;
        Ok(walk.finish())
    }
}

/// A grain under way, or the run itself.
struct Active {
    /// [`NONE`] for the run itself.
    grain: u32,
    steps: Vec<Step>,
    next: usize,
    /// Set whose join is its next node, before the next step; [`NONE`] for none.
    join: u32,
    /// Longest way to its next node along the grain.
    time: i64,
    /// Whether an edge of continuation leads to its next node.
    is_linked: bool,
    /// Whether its last step was a node of the grain.
    has_node: bool,
    /// Whether its last node is a fork.
    is_fork: bool,
}

/// A barrier of a team.
#[derive(Default)]
struct Meeting {
    missing: u32,
    latest: i64,
    members: Vec<Active>,
}

struct Walk<'a> {
    run: &'a RunTables,
    structure: &'a Structure,
    timelines: Timelines<'a>,
    /// Dependences by predecessor.
    dependences: Groups,
    /// By grain, edges to its first node that were not met yet, and the longest way along those that were; empty if
    /// no grain depends on another.
    before: Vec<(u32, i64)>,
    /// By set: members that its join waits for less those that ended, and the longest way to the join so far.
    joins: Vec<(i32, i64)>,
    meetings: Vec<Meeting>,
    /// Grains at a join, by set.
    waiting: BTreeMap<u32, Active>,
    /// Grains that another runs inside of, by the other.
    callers: BTreeMap<u32, Active>,
    stack: Vec<Active>,
    /// Grains that depended on others, to begin next, with the longest way to each.
    ready: Vec<(u32, i64)>,
    /// Lists of steps to use again.
    spare: Vec<Vec<Step>>,
    edges: [u64; 4],
    work: i64,
    span: i64,
    num_ended: usize,
}

impl<'a> Walk<'a> {
    fn new(run: &'a RunTables, structure: &'a Structure) -> Self {
        let timelines = Timelines::new(run, structure, None);
        let predecessors = run.dependences.predecessor.values();
        let grains = structure.num_grains();
        let mut meetings: Vec<Meeting> = Vec::new();
        meetings.resize_with(timelines.barriers().owners().len(), || Meeting {
            latest: UNREACHED,
            ..Meeting::default()
        });
        for wait in 0..to_u32(run.waits.len()) {
            let barrier = timelines.barriers().of_wait(wait);
            if let Some(meeting) = barrier.and_then(|it| meetings.get_mut(it as usize)) {
                meeting.missing += 1;
            }
        }
        Self {
            run,
            structure,
            timelines,
            dependences: Groups::new(grains + 1, predecessors.len(), |row| {
                let predecessor = predecessors.get(row).copied();
                let predecessor = predecessor.and_then(|row| usize::try_from(row).ok());
                predecessor.unwrap_or(grains).min(grains)
            }),
            before: Vec::new(),
            joins: vec![(0, UNREACHED); structure.sets().len()],
            meetings,
            waiting: BTreeMap::new(),
            callers: BTreeMap::new(),
            stack: Vec::new(),
            ready: Vec::new(),
            spare: Vec::new(),
            edges: [0; 4],
            work: 0,
            span: i64::MIN,
            num_ended: 0,
        }
    }

    fn walk(&mut self, progress: &Progress) -> Result<(), Cancelled> {
        let grains = to_u32(self.structure.num_grains());
        if !self.run.dependences.is_empty() {
            let created = |grain| (u32::from(self.is_created(grain)), UNREACHED);
            let mut before: Vec<(u32, i64)> = (0..grains).map(created).collect();
            for &successor in self.run.dependences.successor.values() {
                let slot = usize::try_from(successor).ok();
                if let Some((edges, _)) = slot.and_then(|slot| before.get_mut(slot)) {
                    *edges += 1;
                }
            }
            self.before = before;
        }
        self.begin(NONE, UNREACHED);
        for grain in 0..grains {
            if !self.is_created(grain) && self.before.get(grain as usize).is_none_or(|it| it.0 == 0)
            {
                self.begin(grain, UNREACHED);
            }
        }
        for turn in 0_usize.. {
            if turn % CHECKED_EVERY == 0 {
                progress.check()?;
            }
            if let Some((grain, time)) = self.ready.pop() {
                self.begin(grain, time);
            } else if let Some(active) = self.stack.pop() {
                self.go_on(active);
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Nothing if some grains never ended.
    fn finish(self) -> Option<GraphTotals> {
        let is_over = self.num_ended == self.structure.num_grains() + 1
            && self.meetings.iter().all(|meeting| meeting.missing == 0);
        let mut edges = self.edges;
        edges[EdgeKind::Continuation as usize] += self.meetings.len() as u64;
        let lengths = PathLengths {
            work: self.work,
            span: if self.span == i64::MIN { 0 } else { self.span },
        };
        is_over.then_some(GraphTotals { edges, lengths })
    }

    fn count(&mut self, kind: EdgeKind, edges: usize) {
        self.edges[kind as usize] += edges as u64;
    }

    fn kind(&self, grain: u32) -> Option<GrainKind> {
        let kind = self.run.grains.kind.values().get(grain as usize)?;
        GrainKind::from_code(kind)
    }

    /// Whether a grain runs inside of its parent.
    fn is_inline(&self, grain: u32) -> bool {
        self.kind(grain) == Some(GrainKind::Chunk) && self.structure.parent(grain).is_some()
    }

    /// Whether a fork leads to a grain, or the grain that it runs inside of.
    fn is_created(&self, grain: u32) -> bool {
        match self.kind(grain) {
            Some(GrainKind::Implicit) => {
                let set = self.structure.set_of(grain);
                let set = set.and_then(|set| self.structure.sets().get(set as usize));
                set.is_some_and(|set| set.kind == SetKind::Members)
            }
            kind => kind.is_some(),
        }
    }

    /// Begins a grain, to which a way of a length leads.
    fn begin(&mut self, grain: u32, time: i64) {
        if let Some(rows) = self.timelines.only_runs(grain) {
            let range = rows.start as usize..rows.end as usize;
            let durations = self.run.fragments.duration.values();
            let durations = durations.slice(range);
            let length = durations
                .iter()
                .fold(0, |sum, it| i64::saturating_add(sum, it));
            self.work = self.work.saturating_add(length);
            self.count(EdgeKind::Continuation, durations.len().saturating_sub(1));
            let time = if time == UNREACHED { 0 } else { time };
            self.end(grain, time.saturating_add(length), false);
            return;
        }
        let mut steps = self.spare.pop().unwrap_or_default();
        let owner = (grain as usize).min(self.structure.num_grains());
        self.timelines.steps(owner, &mut steps);
        self.stack.push(Active {
            grain,
            steps,
            next: 0,
            join: NONE,
            time,
            is_linked: false,
            has_node: false,
            is_fork: false,
        });
    }

    /// An edge leads to the first node of a grain, which begins if it is the last one.
    fn reach(&mut self, grain: u32, time: i64) {
        if let Some(time) = self.way_to(grain, time) {
            self.begin(grain, time);
        }
    }

    /// The longest way to a grain once all edges to it are known, of which one comes by a way of a length.
    fn way_to(&mut self, grain: u32, time: i64) -> Option<i64> {
        let Some((edges, latest)) = self.before.get_mut(grain as usize) else {
            return Some(time);
        };
        *edges = edges.saturating_sub(1);
        *latest = time.max(*latest);
        (*edges == 0).then_some(*latest)
    }

    /// Adds a node to a grain.
    fn node(&mut self, active: &mut Active, weight: i64, is_fork: bool) {
        self.count(EdgeKind::Continuation, usize::from(active.is_linked));
        let earliest = if active.time == UNREACHED {
            0
        } else {
            active.time
        };
        self.work = self.work.saturating_add(weight);
        active.time = earliest.saturating_add(weight);
        (active.is_linked, active.has_node, active.is_fork) = (true, true, is_fork);
    }

    /// Takes the steps of a grain until it has to wait.
    fn go_on(&mut self, mut active: Active) {
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
                    let duration = self.run.fragments.duration.values().get(row as usize);
                    self.node(&mut active, duration.unwrap_or(0), false);
                }
                Step::Join(set) => active.join = set,
                Step::Fork(child) => {
                    let time = self.fork(&mut active, 1);
                    // Outside any grain nothing runs between the fork and the join.
                    let behind = active.steps.get(active.next);
                    if active.grain == NONE && matches!(behind, Some(Step::Join(_))) {
                        (active.time, active.is_linked) = (UNREACHED, false);
                    }
                    self.stack.push(active);
                    self.reach(child, time);
                    return;
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
                    self.leave(&mut active);
                    self.count(EdgeKind::Continuation, 1);
                    let time = active.time;
                    self.callers.insert(child, active);
                    self.reach(child, time);
                    return;
                }
                Step::Barrier(barrier) => {
                    self.leave(&mut active);
                    self.meet(active, barrier);
                    return;
                }
            }
        }
        self.end_active(active);
    }

    fn end_active(&mut self, mut active: Active) {
        if active.grain == NONE {
            self.num_ended += 1;
            if active.has_node && !active.is_fork {
                self.span = self.span.max(active.time);
            }
        } else {
            self.leave(&mut active);
            self.end(active.grain, active.time, active.is_fork);
        }
        self.spare.push(active.steps);
    }

    /// A fork of some grains; the way to them.
    fn fork(&mut self, active: &mut Active, children: usize) -> i64 {
        self.node(active, 0, true);
        self.count(EdgeKind::Creation, children);
        active.time
    }

    /// A fork, and the join of a set that the grain does nothing before.
    fn await_members(&mut self, mut active: Active, set: u32, members: &[u32]) {
        let time = self.fork(&mut active, members.len());
        (active.time, active.is_linked, active.join) = (UNREACHED, false, set);
        self.stack.push(active);
        for &member in members {
            self.reach(member, time);
        }
    }

    /// A grain stands at a node of its own before it does something that is none, and at its end.
    fn leave(&mut self, active: &mut Active) {
        if !active.has_node {
            self.node(active, 0, false);
        }
        active.has_node = false;
    }

    /// Makes a join wait for its members; whether all have ended.
    fn expect_members(&mut self, set: u32) -> bool {
        let found = self.structure.sets().get(set as usize);
        let members = found.map_or(&[][..], |set| self.structure.members(set));
        let expected = members.iter().filter(|&&row| !self.is_inline(row)).count();
        self.count(EdgeKind::Synchronisation, expected);
        let Some((missing, _)) = self.joins.get_mut(set as usize) else {
            return true;
        };
        *missing = missing.saturating_add_unsigned(to_u32(expected));
        *missing == 0
    }

    fn join(&mut self, active: &mut Active, set: u32) {
        let latest = self.joins.get(set as usize).map(|join| join.1);
        active.time = latest.unwrap_or(UNREACHED).max(active.time);
        self.node(active, 0, false);
    }

    fn meet(&mut self, active: Active, barrier: u32) {
        self.count(EdgeKind::Synchronisation, 1);
        let Some(meeting) = self.meetings.get_mut(barrier as usize) else {
            return;
        };
        meeting.latest = active.time.max(meeting.latest);
        meeting.missing = meeting.missing.saturating_sub(1);
        meeting.members.push(active);
        if meeting.missing == 0 {
            let latest = meeting.latest;
            let members = std::mem::take(&mut meeting.members);
            let members = members.into_iter().map(|member| Active {
                time: latest,
                ..member
            });
            self.stack.extend(members);
        }
    }

    /// A grain has ended, with a way of a length to its end.
    fn end(&mut self, grain: u32, time: i64, is_fork: bool) {
        self.num_ended += 1;
        let mut is_last = !is_fork;
        if self.is_inline(grain) {
            if let Some(caller) = self.callers.remove(&grain) {
                is_last = false;
                self.stack.push(Active { time, ..caller });
            }
        } else if let Some(set) = self.structure.set_of(grain)
            && let Some((missing, latest)) = self.joins.get_mut(set as usize)
        {
            is_last = false;
            *missing -= 1;
            *latest = time.max(*latest);
            if *missing == 0
                && let Some(mut owner) = self.waiting.remove(&set)
            {
                self.join(&mut owner, set);
                self.stack.push(owner);
            }
        }
        let rows = self.dependences.of(grain as usize).len();
        for at in 0..rows {
            let row = self.dependences.of(grain as usize).get(at).copied();
            let successors = self.run.dependences.successor.values();
            let successor = row.and_then(|row| successors.get(row as usize));
            if let Some(successor) = successor.and_then(|&row| u32::try_from(row).ok()) {
                is_last = false;
                self.count(EdgeKind::Dependence, 1);
                let way = self.way_to(successor, time);
                self.ready.extend(way.map(|way| (successor, way)));
            }
        }
        if is_last {
            self.span = self.span.max(time);
        }
    }
}
