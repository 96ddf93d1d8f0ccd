//! List scheduling of a graph on made-up workers, event by event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sheaf_answers::{ScheduleCost, SchedulePolicy};
use sheaf_model::{Cancelled, Progress};
use sheaf_statistics::Random;

use super::costs::Costs;
use super::draft::mark;
use super::graph::ScheduleGraph;
use super::queues::Queues;
use crate::grain_graph::{EdgeKind, NONE};
use crate::stopping::CHECKED_EVERY;

/// Made-up workers and how they share work.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// Number of workers, at least 1.
    pub workers: u32,
    /// Who goes first, and who takes what is left.
    pub policy: SchedulePolicy,
    /// Whether a task that waited goes on only on the worker on which it waited, and only after what this worker began
    /// meanwhile. Without it, any worker continues any task.
    pub has_tied_tasks: bool,
    /// Measured costs.
    pub costs: &'a Costs,
    /// Seed of the choice of victims and costs.
    pub seed: u64,
}

/// How a schedule ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// From the begin of the first node to the end of the last.
    pub elapsed: i64,
    /// Sum of the costs of scheduling.
    pub costs: i64,
    /// Fragments that a worker took from another.
    pub steals: u64,
}

/// Schedules a graph with the given work of its nodes. The same graph, weights, machine and seed give the same outcome.
///
/// Time (nodes + edges) log workers; 12 bytes per node.
///
/// # Errors
/// When it was stopped.
pub fn schedule(
    graph: &ScheduleGraph,
    weights: &[i64],
    machine: &Machine<'_>,
    progress: &Progress,
) -> Result<Outcome, Cancelled> {
    let mut engine = Engine::new(graph, weights, machine);
    engine.begin();
    loop {
        while let Some(Reverse((time, _, worker))) = engine.busy.pop() {
            engine.work_on(worker, time, progress)?;
        }
        if engine.num_done >= graph.num_nodes() || !engine.release() {
            return Ok(engine.outcome);
        }
    }
}

/// The next step of a worker: it spends costs of scheduling, then runs a node if there is one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Step {
    node: u32,
    cost: i64,
}

impl Step {
    /// Nothing: the worker is idle.
    const NONE: Self = Self {
        node: NONE,
        cost: 0,
    };
}

struct Engine<'a> {
    graph: &'a ScheduleGraph,
    weights: &'a [i64],
    machine: &'a Machine<'a>,
    is_tied: bool,
    /// Edges that each node still waits for.
    degrees: Vec<u32>,
    queues: Queues,
    /// Waits that tasks of each worker are in, the innermost last.
    waits: Vec<Vec<u32>>,
    /// Worker whose task waits at a node.
    waiter: Vec<u32>,
    /// The node that each worker runs.
    running: Vec<u32>,
    idle: Vec<u32>,
    /// Place of each worker among the idle ones.
    idle_place: Vec<u32>,
    /// When workers look for their next step, with a number that orders equal times.
    busy: BinaryHeap<Reverse<(i64, u64, u32)>>,
    events: u64,
    random: Random,
    num_done: usize,
    outcome: Outcome,
    now: i64,
    /// Nodes that became ready and are not queued yet, with the kind of the edge.
    ready: Vec<(u32, EdgeKind)>,
    open: Vec<u32>,
}

impl<'a> Engine<'a> {
    fn new(graph: &'a ScheduleGraph, weights: &'a [i64], machine: &'a Machine<'a>) -> Self {
        let workers = machine.workers.max(1);
        let is_tied = machine.has_tied_tasks && machine.policy != SchedulePolicy::WorkFirst;
        let waiter = if is_tied { graph.num_nodes() } else { 0 };
        Self {
            graph,
            weights,
            machine,
            is_tied,
            degrees: graph.degrees.clone(),
            queues: Queues::new(workers as usize),
            waits: vec![Vec::new(); workers as usize],
            waiter: vec![NONE; waiter],
            running: vec![NONE; workers as usize],
            idle: (0..workers).rev().collect(),
            idle_place: (0..workers).rev().collect(),
            busy: BinaryHeap::new(),
            events: 0,
            random: Random::new(machine.seed),
            num_done: 0,
            outcome: Outcome::default(),
            now: 0,
            ready: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Queues what nothing leads to.
    fn begin(&mut self) {
        for (node, degree) in (0..).zip(&self.graph.degrees) {
            if *degree == 0 {
                self.ready.push((node, EdgeKind::Continuation));
            }
        }
        let roots = std::mem::take(&mut self.ready);
        for (node, _) in roots {
            self.queues.push_common(node);
            self.wake();
        }
    }

    /// Lets a worker do one thing after the other until another worker comes first.
    fn work_on(&mut self, worker: u32, time: i64, progress: &Progress) -> Result<(), Cancelled> {
        self.now = time;
        loop {
            self.outcome.elapsed = self.outcome.elapsed.max(self.now);
            let done = std::mem::replace(&mut self.running[worker as usize], NONE);
            let mut step = Step::NONE;
            if done != NONE {
                step = self.complete(worker, done);
            }
            if step == Step::NONE {
                step = self.take(worker);
            }
            if step == Step::NONE {
                self.rest(worker);
                return Ok(());
            }
            self.outcome.costs = self.outcome.costs.saturating_add(step.cost);
            let weight = self.weights.get(step.node as usize).copied().unwrap_or(0);
            let end = self.now.saturating_add(step.cost).saturating_add(weight);
            self.running[worker as usize] = step.node;
            let is_first = self
                .busy
                .peek()
                .is_none_or(|Reverse((time, ..))| *time > end);
            if !is_first {
                self.at(end, worker);
                return Ok(());
            }
            self.now = end;
            if self.num_done.is_multiple_of(CHECKED_EVERY) {
                progress.check()?;
            }
        }
    }

    fn at(&mut self, time: i64, worker: u32) {
        self.events += 1;
        self.busy.push(Reverse((time, self.events, worker)));
    }

    /// Ends a node on a worker. Returns what the worker does at once: the next node, or only the costs of creations.
    fn complete(&mut self, worker: u32, node: u32) -> Step {
        let mut creation = 0;
        self.open.push(node);
        while let Some(node) = self.open.pop() {
            self.num_done += 1;
            for at in 0..self.graph.edges(node).len() {
                let edge = self.graph.edges(node)[at];
                let target = edge.target;
                let degree = &mut self.degrees[target as usize];
                *degree -= 1;
                if edge.kind == EdgeKind::Creation && self.graph.has(target, mark::TASK) {
                    creation += self.draw(ScheduleCost::Creation, target);
                }
                if self.degrees[target as usize] > 0 {
                    self.suspend(worker, target, edge.kind);
                } else if self.is_awaited(target) {
                    self.call_back(worker, target);
                } else if self.graph.has(target, mark::PASSAGE) {
                    self.open.push(target);
                } else {
                    self.ready.push((target, edge.kind));
                }
            }
        }
        // The costs of creations delay the next step of the creator, whether it continues, waits or ends.
        let Some((node, kind)) = self.choose(worker) else {
            return Step {
                node: NONE,
                cost: creation,
            };
        };
        let cost = match kind {
            EdgeKind::Synchronisation => self.draw(ScheduleCost::Synchronisation, node),
            EdgeKind::Creation => self.start_cost(node, false),
            EdgeKind::Continuation | EdgeKind::Dependence => 0,
        };
        Step {
            node,
            cost: cost.saturating_add(creation),
        }
    }

    /// Notes that a tied task waits on a worker.
    fn suspend(&mut self, worker: u32, target: u32, kind: EdgeKind) {
        if self.is_tied && kind == EdgeKind::Continuation && self.graph.has(target, mark::TIED) {
            self.waits[worker as usize].push(target);
            self.waiter[target as usize] = worker;
        }
    }

    fn is_awaited(&self, node: u32) -> bool {
        self.is_tied
            && self
                .waiter
                .get(node as usize)
                .is_some_and(|&worker| worker != NONE)
    }

    /// Wakes the worker that waits at a node, if it is idle.
    fn call_back(&mut self, worker: u32, node: u32) {
        let waiter = self.waiter[node as usize];
        if waiter != worker {
            self.wake_worker(waiter);
        }
    }

    /// Chooses the next node of the worker among those that became ready, and queues the others.
    fn choose(&mut self, worker: u32) -> Option<(u32, EdgeKind)> {
        if let [only] = self.ready.as_slice()
            && only.1 == EdgeKind::Continuation
        {
            return self.ready.pop();
        }
        let rank = |&(node, kind): &(u32, EdgeKind)| {
            let is_shared = self.graph.has(node, mark::CHUNK | mark::BOUND);
            match kind {
                _ if is_shared => 4,
                EdgeKind::Creation if self.machine.policy == SchedulePolicy::WorkFirst => 0,
                EdgeKind::Continuation => 1,
                EdgeKind::Synchronisation => 2,
                EdgeKind::Creation if self.graph.has(node, mark::MEMBER) => 3,
                EdgeKind::Creation | EdgeKind::Dependence => 4,
            }
        };
        let ranked = self.ready.iter().enumerate();
        let best = ranked.map(|(at, ready)| (rank(ready), at)).min();
        let best = best.filter(|(rank, _)| *rank < 4).map(|(_, at)| at);
        let ready = std::mem::take(&mut self.ready);
        let mut next = None;
        for (at, &(node, kind)) in ready.iter().enumerate() {
            if Some(at) == best {
                next = Some((node, kind));
            } else {
                self.queue(worker, node);
            }
        }
        self.ready = ready;
        self.ready.clear();
        next
    }

    fn queue(&mut self, worker: u32, node: u32) {
        if self.graph.has(node, mark::BOUND) {
            let owner = self
                .graph
                .worker_of(node)
                .min(self.machine.workers.max(1) - 1);
            self.queues.push_bound(owner, node);
            if owner != worker {
                self.wake_worker(owner);
            }
            return;
        }
        if self.machine.policy == SchedulePolicy::CentralQueue || self.graph.has(node, mark::CHUNK)
        {
            self.queues.push_common(node);
        } else {
            self.queues.push_own(worker, node);
        }
        self.wake();
    }

    /// Takes the next step of a worker whose last node has no successor: it ends its innermost wait if that is over, or
    /// takes a node from a queue.
    fn take(&mut self, worker: u32) -> Step {
        while let Some(&wait) = self.waits[worker as usize].last()
            && self.degrees[wait as usize] == 0
        {
            self.waits[worker as usize].pop();
            self.waiter[wait as usize] = NONE;
            let cost = self.draw(ScheduleCost::Synchronisation, wait);
            if !self.graph.has(wait, mark::PASSAGE) {
                return Step { node: wait, cost };
            }
            let mut step = self.complete(worker, wait);
            step.cost = step.cost.saturating_add(cost);
            if step != Step::NONE {
                return step;
            }
        }
        let Some(found) = self.queues.take(worker, &mut self.random) else {
            return Step::NONE;
        };
        self.outcome.steals += u64::from(found.is_stolen);
        Step {
            node: found.node,
            cost: self.start_cost(found.node, found.is_stolen),
        }
    }

    fn start_cost(&self, node: u32, is_stolen: bool) -> i64 {
        let is_free = self
            .graph
            .has(node, mark::MEMBER | mark::CHUNK | mark::BOUND);
        let kind = if is_stolen && !is_free {
            Some(ScheduleCost::Steal)
        } else {
            own_start_cost(self.graph, node)
        };
        kind.map_or(0, |kind| self.draw(kind, node))
    }

    fn draw(&self, kind: ScheduleCost, node: u32) -> i64 {
        let key = self.graph.key(node);
        self.machine.costs.draw(kind, key, self.machine.seed)
    }

    fn rest(&mut self, worker: u32) {
        self.idle_place[worker as usize] = u32::try_from(self.idle.len()).unwrap_or(NONE);
        self.idle.push(worker);
    }

    /// Sends an idle worker to look for work.
    fn wake(&mut self) {
        if !self.idle.is_empty() {
            let worker = self.idle[self.random.below(self.idle.len())];
            self.wake_worker(worker);
        }
    }

    fn wake_worker(&mut self, worker: u32) {
        let place = self.idle_place[worker as usize];
        if place == NONE {
            return;
        }
        self.idle.swap_remove(place as usize);
        self.idle_place[worker as usize] = NONE;
        if let Some(&moved) = self.idle.get(place as usize) {
            self.idle_place[moved as usize] = place;
        }
        self.at(self.now, worker);
    }

    /// Lets a wait end that is over but not the innermost of its worker, if nothing else can happen.
    fn release(&mut self) -> bool {
        for worker in 0..self.waits.len() {
            let over = |wait: &u32| self.degrees[*wait as usize] == 0;
            if let Some(at) = self.waits[worker].iter().rposition(over) {
                let wait = self.waits[worker].remove(at);
                self.waits[worker].push(wait);
                self.wake_worker(u32::try_from(worker).unwrap_or(0));
                return true;
            }
        }
        false
    }
}

/// The cost of the begin of a node on the worker that it became ready on.
pub(super) fn own_start_cost(graph: &ScheduleGraph, node: u32) -> Option<ScheduleCost> {
    if graph.has(node, mark::MEMBER) {
        return Some(ScheduleCost::Region);
    }
    let is_chunk = graph.has(node, mark::CHUNK | mark::BOUND);
    (graph.has(node, mark::TASK) && !is_chunk).then_some(ScheduleCost::Start)
}
