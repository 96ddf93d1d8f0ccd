//! The way back through the unreduced graph, along the edges that won.

use std::collections::BTreeMap;

use super::super::NONE;
use super::super::graph::EdgeKind;
use super::super::timeline::{Step, StepBuffers, Timelines};
use super::origins::{is_created, is_inline, region};
use super::ways::{Place, Winners};

/// A node on the way back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) struct TraceNode {
    /// The grain that runs, forks or joins; [`NONE`] for the run itself.
    pub(in super::super) grain: u32,
    /// Row of its fragment; [`NONE`] if nothing runs there.
    pub(in super::super) row: u32,
    /// Whether it is a stretch of the grain: no fork, no join.
    pub(in super::super) is_stretch: bool,
    /// Kind of the edge from here to the node that the trace named before.
    pub(in super::super) edge: EdgeKind,
}

/// The next step of the way back.
#[derive(Clone, Copy)]
enum At {
    /// The last node of a grain.
    End(u32),
    /// The node of a grain before its open step, which is no node of the grain, or before its end.
    Leave(u32),
    /// Whatever comes before the open step of a grain.
    Before(u32),
    /// The edge to a join of a grain.
    Join(u32, u32),
    /// The edge to the first node of a grain.
    Begin(u32),
    /// The join of a barrier.
    Barrier(u32),
    Over,
}

/// The steps of a grain that the way passes, until it leaves the grain by its first node.
struct Open {
    steps: Vec<Step>,
    /// The step that the way passed last.
    at: usize,
}

/// Names the nodes on a way back to the beginning. Linear in the nodes that it passes and the steps of their grains, but
/// for sorting what each grain does. Takes memory for the steps of grains that the way has passed the end but not the begin
/// of.
pub(in super::super) struct Trace<'a> {
    timelines: &'a Timelines<'a>,
    winners: Winners,
    buffers: StepBuffers,
    open: BTreeMap<u32, Open>,
    spare: Vec<Vec<Step>>,
    at: At,
    /// Kind of the edge from the next node.
    edge: EdgeKind,
}

impl<'a> Trace<'a> {
    pub(in super::super) fn new(timelines: &'a Timelines<'a>, winners: Winners) -> Self {
        Self {
            timelines,
            winners,
            buffers: StepBuffers::default(),
            open: BTreeMap::new(),
            spare: Vec::new(),
            at: At::Over,
            edge: EdgeKind::Continuation,
        }
    }

    /// Goes on at the last node of a grain, or of the run itself.
    pub(in super::super) fn go_to_end(&mut self, grain: u32) {
        self.at = At::End(grain);
    }

    /// Goes on before a fragment.
    pub(in super::super) fn go_to(&mut self, row: u32) {
        let grain = self.timelines.run().fragments.grain.value(row as usize);
        let grain = u32::try_from(grain).unwrap_or(NONE);
        self.edge = EdgeKind::Continuation;
        self.at = if self.find(grain, Step::Run(row)) {
            At::Before(grain)
        } else {
            At::Over
        };
    }

    /// The steps of a grain, from its end back.
    fn open(&mut self, grain: u32) -> &mut Open {
        let Self {
            timelines,
            buffers,
            spare,
            ..
        } = self;
        self.open.entry(grain).or_insert_with(|| {
            let mut steps = spare.pop().unwrap_or_default();
            let owner = (grain as usize).min(timelines.structure().num_grains());
            if let Some(rows) = timelines.only_runs(grain) {
                steps.clear();
                steps.extend(rows.map(Step::Run));
            } else {
                timelines.steps(owner, buffers, &mut steps);
            }
            let at = steps.len();
            Open { steps, at }
        })
    }

    /// Makes a step of a grain the one that the way passed last. Looks for it from there back, then everywhere.
    fn find(&mut self, grain: u32, step: Step) -> bool {
        let open = self.open(grain);
        let until = open.at.saturating_add(1).min(open.steps.len());
        let passed = open.steps.get(..until).unwrap_or_default();
        let found = passed.iter().rposition(|&other| other == step);
        let found = found.or_else(|| open.steps.iter().rposition(|&other| other == step));
        debug_assert!(found.is_some(), "grain {grain} does {step:?}");
        open.at = found.unwrap_or(open.at);
        found.is_some()
    }

    /// Goes on with another node, to which an edge of a kind leads back.
    fn follow(&mut self, at: At, edge: EdgeKind) {
        (self.at, self.edge) = (at, edge);
    }

    fn node(&mut self, grain: u32, row: u32, is_stretch: bool, at: At) -> TraceNode {
        self.at = at;
        TraceNode {
            grain,
            row,
            is_stretch,
            edge: std::mem::replace(&mut self.edge, EdgeKind::Continuation),
        }
    }

    /// The step before the open one.
    fn before(&mut self, grain: u32) -> Option<TraceNode> {
        let open = self.open(grain);
        let step = open.at.checked_sub(1).and_then(|at| {
            let step = open.steps.get(at).copied()?;
            open.at = at;
            Some(step)
        });
        let Some(step) = step else {
            self.at = At::Begin(grain);
            return None;
        };
        Some(match step {
            Step::Run(row) => self.node(grain, row, true, At::Before(grain)),
            Step::Fork(_) => self.node(grain, NONE, false, At::Before(grain)),
            Step::Join(set) | Step::Region(set) => {
                self.node(grain, NONE, false, At::Join(grain, set))
            }
            Step::Undeferred(child) => {
                let set = self.timelines.structure().set_of(child).unwrap_or(NONE);
                self.node(grain, NONE, false, At::Join(grain, set))
            }
            Step::Inline(child) => {
                self.at = At::End(child);
                return None;
            }
            Step::Barrier(barrier) => {
                let owners = self.timelines.barriers().owners();
                let owner = owners.get(barrier as usize).copied().unwrap_or(NONE);
                self.node(owner, NONE, false, At::Barrier(barrier))
            }
        })
    }

    /// A node that stands for a grain which does nothing of its own before its open step.
    fn leave(&mut self, grain: u32) -> Option<TraceNode> {
        let open = self.open(grain);
        let before = open.at.checked_sub(1).and_then(|at| open.steps.get(at));
        let has_node = !matches!(before, None | Some(Step::Inline(_) | Step::Barrier(_)));
        self.at = At::Before(grain);
        if has_node || grain == NONE {
            return None;
        }
        Some(self.node(grain, NONE, true, At::Before(grain)))
    }

    fn join(&mut self, grain: u32, set: u32) {
        match self.winners.get(Place::Join(set)) {
            NONE => self.at = At::Before(grain),
            winner => self.follow(At::End(winner), EdgeKind::Synchronisation),
        }
    }

    fn barrier(&mut self, barrier: u32) -> TraceNode {
        let owners = self.timelines.barriers().owners();
        let owner = owners.get(barrier as usize).copied().unwrap_or(NONE);
        let winner = self.winners.get(Place::Barrier(barrier));
        let is_found = winner != NONE && self.find(winner, Step::Barrier(barrier));
        let node = self.node(owner, NONE, false, At::Over);
        if is_found {
            self.follow(At::Leave(winner), EdgeKind::Synchronisation);
        }
        node
    }

    /// The node from which the edge to the first node of a grain comes, or the way to that.
    fn begin(&mut self, grain: u32) -> Option<TraceNode> {
        self.at = At::Over;
        if let Some(open) = self.open.remove(&grain) {
            self.spare.push(open.steps);
        }
        let winner = self.winners.get(Place::Begin(grain));
        if winner != NONE {
            self.follow(At::End(winner), EdgeKind::Dependence);
            return None;
        }
        let timelines = self.timelines;
        if grain == NONE || !is_created(timelines, grain) {
            return None;
        }
        let structure = timelines.structure();
        let parent = structure.parent(grain).unwrap_or(NONE);
        if is_inline(timelines, grain) {
            if self.find(parent, Step::Inline(grain)) {
                self.at = At::Leave(parent);
            }
            return None;
        }
        let (owner, step) = if let Some(set) = region(timelines, grain) {
            let owner = structure.sets().get(set as usize)?.owner();
            (owner.unwrap_or(NONE), Step::Region(set))
        } else if structure.is_undeferred(grain) {
            (parent, Step::Undeferred(grain))
        } else {
            (parent, Step::Fork(grain))
        };
        if !self.find(owner, step) {
            return None;
        }
        self.edge = EdgeKind::Creation;
        Some(self.node(owner, NONE, false, At::Before(owner)))
    }
}

impl Iterator for Trace<'_> {
    type Item = TraceNode;

    fn next(&mut self) -> Option<TraceNode> {
        loop {
            let node = match self.at {
                At::End(grain) => {
                    let open = self.open(grain);
                    open.at = open.steps.len();
                    self.at = At::Leave(grain);
                    None
                }
                At::Leave(grain) => self.leave(grain),
                At::Before(grain) => self.before(grain),
                At::Join(grain, set) => {
                    self.join(grain, set);
                    None
                }
                At::Barrier(barrier) => Some(self.barrier(barrier)),
                At::Begin(grain) => self.begin(grain),
                At::Over => return None,
            };
            if node.is_some() {
                return node;
            }
        }
    }
}
