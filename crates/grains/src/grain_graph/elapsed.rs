//! The critical path by elapsed time: from the end back, always to what finished last.

mod busy;
mod region_ends;

use sheaf_model::RunTables;
use sheaf_model::table::FragmentEnd;

use super::NONE;
use super::absent::{Absence, Figure};
use super::fault::GraphFault;
use super::graph::{EdgeKind, GrainGraph, NodeKind};
use super::group::GrainGroup;
use crate::grain_graph::to_u32;
use busy::Occupied;
pub(crate) use busy::num_workers;

/// Why time passed on a path without anything running on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DelayKind {
    /// Between a creation and the begin of the created grain.
    Creation,
    /// Between the end of a grain, or the last member's arrival at a barrier, and what goes on behind.
    Synchronisation,
    /// Between two stretches of a grain, with nothing to wait for.
    Continuation,
    /// Between the end of a task and the begin of one that depends on it.
    Dependence,
    /// Between two stretches of a grain whose worker ran something else meanwhile.
    Scheduling,
    /// Between two stretches of a grain that waited for a lock, a critical or ordered section, or an atomic construct.
    Lock,
    /// Between two stretches of a grain that called MPI.
    Message,
}

/// All kinds of delay, in the order of [`ElapsedPath::delays`].
pub const DELAY_KINDS: [DelayKind; 7] = [
    DelayKind::Creation,
    DelayKind::Synchronisation,
    DelayKind::Continuation,
    DelayKind::Dependence,
    DelayKind::Scheduling,
    DelayKind::Lock,
    DelayKind::Message,
];

/// The chain of stretches that the elapsed time consists of: the one that finished last, before it the
/// one of its predecessors that finished last, and so on to the beginning.
///
/// With the gaps between its stretches any chain from the beginning to the end is as long as the
/// elapsed time, so their lengths distinguish none; on this one every gap is as short as the graph
/// allows, and what shortens none of it shortens nothing. `before + work + delays + outside + after` is `elapsed`,
/// exactly; where clocks of workers disagree, a gap can be negative. All are in the run's time unit.
/// A stretch behind the end of a parallel region follows the member that arrived at that end last.
/// Of predecessors that finished at the same time the node with the smaller number counts. (Critical path of DAG Recorder's
/// tools, `last finished tail`; Huynh et al. 2015, section 4.)
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ElapsedPath {
    /// From the begin of the run, or of the group's first stretch, to the end of the last.
    pub elapsed: i64,
    /// Time in which stretches of the path ran.
    pub work: i64,
    /// Time before the first stretch of the path.
    pub before: i64,
    /// Gaps of the path, by [`DELAY_KINDS`]. The part of a gap in which no worker was free because some waited for locks
    /// or in MPI counts as [`DelayKind::Lock`] or [`DelayKind::Message`].
    pub delays: [i64; 7],
    /// The part of each of these in which all workers of the run computed: no worker was free for the path.
    pub busy: [i64; 7],
    /// Of a group: time on the path with what is not of the group.
    pub outside: i64,
    /// From the end of the last stretch to the end of the run; 0 of a group.
    pub after: i64,
    /// Nodes of the path's stretches, in order; of a group those of the group.
    pub nodes: Vec<u32>,
    /// The gaps that [`ElapsedPath::delays`] sums, in the order of the path. A gap that has several causes has an entry
    /// for each.
    pub gaps: Vec<PathGap>,
}

/// Time that passed on a path before a stretch began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathGap {
    /// Node of the stretch that began later than it could.
    pub node: u32,
    /// Its reason.
    pub kind: DelayKind,
    /// Its length in the run's time unit.
    pub time: i64,
}

impl ElapsedPath {
    /// The path of a run, on its unreduced graph. Linear in nodes and edges.
    ///
    /// # Errors
    /// [`PathFault::Absent`] where fragments have no times, [`PathFault::Graph`] where the graph has a cycle.
    pub fn of(run: &RunTables, graph: &GrainGraph) -> Result<Self, PathFault> {
        let finishers = Finishers::of(run, graph)?;
        let mut path = Self::default();
        let last = finishers.last(|_| true);
        let gaps = path.walk(&finishers, last, 0, |_| true);
        let end = last.map_or(0, |node| finishers.end(node));
        // The gaps below need as much memory again.
        drop(finishers);
        path.add_gaps(&gaps, run);
        let elapsed = run.summary.meta.elapsed.unwrap_or(end);
        path.elapsed = elapsed;
        path.after = elapsed - end;
        Ok(path)
    }

    /// The path local to a group: of the group's stretch that finished last, back to the begin of the one
    /// that began first.
    ///
    /// # Errors
    /// As [`ElapsedPath::of`].
    pub fn local(
        run: &RunTables,
        graph: &GrainGraph,
        group: &GrainGroup,
    ) -> Result<Self, PathFault> {
        let finishers = Finishers::of(run, graph)?;
        let is_member = |node: u32| graph.grain(node).is_some_and(|grain| group.contains(grain));
        let mut path = Self::default();
        let Some(last) = finishers.last(is_member) else {
            return Ok(path);
        };
        let first = finishers.first_start(is_member).unwrap_or(0);
        let gaps = path.walk(&finishers, Some(last), first, is_member);
        path.elapsed = finishers.end(last) - first;
        drop(finishers);
        path.add_gaps(&gaps, run);
        Ok(path)
    }

    /// Sum of all gaps.
    pub fn delay(&self) -> i64 {
        self.delays.iter().sum()
    }

    /// Part of all gaps in which all workers were busy.
    pub fn busy(&self) -> i64 {
        self.busy.iter().sum()
    }

    /// Gaps of a kind.
    pub fn delay_by(&self, kind: DelayKind) -> i64 {
        self.delays.get(kind as usize).copied().unwrap_or(0)
    }

    /// Gaps of a kind while a worker of the run was free.
    pub fn free_delay(&self, kind: DelayKind) -> i64 {
        let busy = self.busy.get(kind as usize).copied().unwrap_or(0);
        self.delay_by(kind) - busy
    }

    /// Follows the path back from its last stretch. Returns its gaps, each with the time at which the stretch behind it
    /// began.
    fn walk(
        &mut self,
        finishers: &Finishers<'_>,
        last: Option<u32>,
        first: i64,
        is_member: impl Fn(u32) -> bool,
    ) -> Vec<(PathGap, i64)> {
        let mut gaps: Vec<(PathGap, i64)> = Vec::new();
        let mut at = last;
        while let Some(node) = at {
            let start = finishers.start(node).max(first);
            let ran = finishers.end(node) - start;
            let is_own = is_member(node);
            if is_own {
                self.work += ran;
                self.nodes.push(node);
            } else {
                self.outside += ran;
            }
            at = finishers.before(node).filter(|_| start > first);
            let Some((before, kind)) = at.map(|before| (before, finishers.kind(before, node)))
            else {
                self.before = start - first;
                break;
            };
            let ended = finishers.end(before);
            let gap = start - ended.max(first);
            if is_own {
                let time = gap;
                gaps.push((PathGap { node, kind, time }, start));
            } else {
                self.outside += gap;
            }
            if ended <= first {
                break;
            }
        }
        self.nodes.reverse();
        gaps.reverse();
        gaps
    }

    /// Adds gaps, each with the time at which the stretch behind it began.
    fn add_gaps(&mut self, gaps: &[(PathGap, i64)], run: &RunTables) {
        // The reason of a pause is known, whatever the other workers did.
        let is_pause = |kind| matches!(kind, DelayKind::Lock | DelayKind::Message);
        let is_open = |gap: &PathGap| gap.time > 0 && !is_pause(gap.kind);
        let any_open = gaps.iter().any(|(gap, _)| is_open(gap));
        let occupied = any_open.then(|| Occupied::of(run));
        for &(gap, start) in gaps {
            let mut rest = gap.time;
            if let Some(occupied) = occupied.as_ref().filter(|_| is_open(&gap)) {
                let parts = occupied.within(start - gap.time, start);
                if let Some(sum) = self.busy.get_mut(gap.kind as usize) {
                    *sum += parts.running;
                }
                // No worker was free, because some waited: that is the cause.
                for (cause, time) in [
                    (DelayKind::Lock, parts.locked),
                    (DelayKind::Message, parts.calling),
                ] {
                    rest -= time;
                    self.add_gap(gap.node, cause, time);
                }
            }
            self.add_gap(gap.node, gap.kind, rest);
        }
    }

    fn add_gap(&mut self, node: u32, kind: DelayKind, time: i64) {
        if let Some(delay) = self.delays.get_mut(kind as usize) {
            *delay += time;
        }
        if time != 0 {
            self.gaps.push(PathGap { node, kind, time });
        }
    }
}

/// Why there is no path by elapsed time.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PathFault {
    /// The source does not say what is needed.
    #[error(transparent)]
    Absent(#[from] Absence),
    /// The graph is at fault.
    #[error(transparent)]
    Graph(#[from] GraphFault),
}

/// For each node the stretch before it that finished last.
struct Finishers<'a> {
    run: &'a RunTables,
    graph: &'a GrainGraph,
    /// By node, the stretch.
    stretch: Vec<u32>,
    /// By node, the kind of the way from there.
    kinds: Vec<EdgeKind>,
}

impl<'a> Finishers<'a> {
    fn of(run: &'a RunTables, graph: &'a GrainGraph) -> Result<Self, PathFault> {
        if let Some(absence) = Absence::of(run, Figure::ElapsedPath) {
            return Err(absence.into());
        }
        let nodes = graph.num_nodes();
        let mut finishers = Self {
            run,
            graph,
            stretch: vec![NONE; nodes],
            kinds: vec![EdgeKind::Continuation; nodes],
        };
        for &node in graph.forward()? {
            finishers.pass_on(node);
        }
        finishers.follow_last_arrivals();
        Ok(finishers)
    }

    /// Passes on to the nodes behind a node what finished last before them: the node itself, if something runs there.
    fn pass_on(&mut self, node: u32) {
        let at = node as usize;
        let (stretch, way) = if self.row(node).is_some() {
            (node, EdgeKind::Continuation)
        } else {
            // Nothing runs at forks and joins: what came before them comes before what is behind.
            let stretch = self.stretch.get(at).copied().unwrap_or(NONE);
            let way = self.kinds.get(at).copied();
            (stretch, way.unwrap_or(EdgeKind::Continuation))
        };
        if stretch == NONE {
            return;
        }
        let end = self.end(stretch);
        let graph = self.graph;
        for edge in graph.edges(node) {
            let kind = match edge.kind {
                EdgeKind::Continuation => way,
                other => other,
            };
            self.reach(edge.target, (stretch, end), kind);
        }
    }

    /// Makes the first stretch of each member behind the end of its region follow the last arrival of all members.
    fn follow_last_arrivals(&mut self) {
        let teams = region_ends::teams(self.run, self.graph, |node| self.row(node));
        for team in teams {
            let arrivals = team.iter().filter_map(|member| match member.after {
                Some(after) => self.before(after),
                None => (member.last).and_then(|last| match self.row(last) {
                    Some(_) => Some(last),
                    None => self.before(last),
                }),
            });
            let latest = arrivals.max_by_key(|&node| (self.end(node), std::cmp::Reverse(node)));
            let Some(latest) = latest else { continue };
            for after in team.iter().filter_map(|member| member.after) {
                if self.end(latest) <= self.start(after) {
                    let end = self.end(latest);
                    self.reach(after, (latest, end), EdgeKind::Synchronisation);
                }
            }
        }
    }

    /// A stretch that ended at some time comes before a node; what finished last counts.
    fn reach(&mut self, target: u32, (stretch, end): (u32, i64), kind: EdgeKind) {
        let at = target as usize;
        let known = self.stretch.get(at).copied().unwrap_or(NONE);
        let is_later = known == NONE || {
            let order = end.cmp(&self.end(known));
            order.then(known.cmp(&stretch)).is_gt()
        };
        if is_later
            && let (Some(slot), Some(way)) = (self.stretch.get_mut(at), self.kinds.get_mut(at))
        {
            (*slot, *way) = (stretch, kind);
        }
    }

    /// Row of the fragment of a node that has one.
    fn row(&self, node: u32) -> Option<usize> {
        let is_stretch = self.graph.kind(node).is_some_and(NodeKind::is_stretch);
        let row = self.graph.item(node).filter(|_| is_stretch)?;
        Some(row as usize)
    }

    fn start(&self, node: u32) -> i64 {
        let starts = self.run.fragments.start.values();
        self.row(node).and_then(|row| starts.get(row)).unwrap_or(0)
    }

    fn end(&self, node: u32) -> i64 {
        let lengths = self.run.fragments.duration.values();
        let length = self.row(node).and_then(|row| lengths.get(row));
        self.start(node).saturating_add(length.unwrap_or(0))
    }

    /// The stretch before a node that finished last.
    fn before(&self, node: u32) -> Option<u32> {
        let stretch = self.stretch.get(node as usize).copied();
        stretch.filter(|&stretch| stretch != NONE)
    }

    /// What a gap between a stretch and the next on the path is due to.
    fn kind(&self, before: u32, node: u32) -> DelayKind {
        match self.kinds.get(node as usize) {
            Some(EdgeKind::Creation) => DelayKind::Creation,
            Some(EdgeKind::Synchronisation) => DelayKind::Synchronisation,
            Some(EdgeKind::Dependence) => DelayKind::Dependence,
            Some(EdgeKind::Continuation) | None => {
                let ends = self.run.fragments.ended_by.values();
                let end = self.row(before).and_then(|row| ends.get(row));
                let is = |kind: FragmentEnd| end == Some(kind as i32);
                if is(FragmentEnd::Switch) {
                    DelayKind::Scheduling
                } else if is(FragmentEnd::Lock) {
                    DelayKind::Lock
                } else if is(FragmentEnd::Message) {
                    DelayKind::Message
                } else {
                    DelayKind::Continuation
                }
            }
        }
    }

    fn stretches(&self) -> impl Iterator<Item = u32> + '_ {
        (0..to_u32(self.graph.num_nodes())).filter(|&node| self.row(node).is_some())
    }

    /// Of some stretches the one that finished last; of several the node with the smallest number.
    fn last(&self, is_member: impl Fn(u32) -> bool) -> Option<u32> {
        let members = self.stretches().filter(|&node| is_member(node));
        members.max_by_key(|&node| (self.end(node), std::cmp::Reverse(node)))
    }

    fn first_start(&self, is_member: impl Fn(u32) -> bool) -> Option<i64> {
        let members = self.stretches().filter(|&node| is_member(node));
        members.map(|node| self.start(node)).min()
    }
}
