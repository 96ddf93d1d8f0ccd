//! Executes a made-up program on made-up workers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sheaf_model::table::FragmentEnd;

use super::{Op, Program};

const NONE: u32 = u32::MAX;

/// A stretch of a task.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    pub(super) task: u32,
    pub(super) worker: u32,
    pub(super) start: i64,
    pub(super) duration: i64,
    pub(super) ended_by: FragmentEnd,
}

/// A wait that some task went through.
#[derive(Clone, Copy)]
pub(super) struct Waited {
    pub(super) task: u32,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// What was seen of an execution, in the order of time.
#[derive(Default)]
pub(super) struct Execution {
    pub(super) workers: u32,
    pub(super) stretches: Vec<Interval>,
    pub(super) waits: Vec<Waited>,
    pub(super) parents: Vec<u32>,
    pub(super) created: Vec<i64>,
    pub(super) ended: Vec<i64>,
    pub(super) elapsed: i64,
}

pub(super) fn execute(program: &Program, workers: u32) -> Execution {
    let mut machine = Machine::new(program, workers);
    machine.ready.push(0);
    machine.wake(0);
    while let Some(Reverse((now, _, worker))) = machine.busy.pop() {
        machine.seen.elapsed = machine.seen.elapsed.max(now);
        if let Some(task) = machine.stop(worker) {
            machine.go_on(task, worker, now);
        } else {
            machine.take(worker, now);
        }
        machine.wake(now);
    }
    machine.seen
}

struct Machine<'a> {
    program: &'a Program,
    seen: Execution,
    /// Next step of each task.
    next_op: Vec<u32>,
    num_created: Vec<u32>,
    /// Children of each task that have not ended.
    open: Vec<u32>,
    /// Since when each task waits.
    waits_since: Vec<Option<i64>>,
    /// Predecessors of each task that have not ended.
    holds: Vec<u32>,
    /// First dependence of each predecessor, and successors by it.
    first_successor: Vec<u32>,
    successors: Vec<u32>,
    ready: Vec<u32>,
    idle: Vec<u32>,
    /// The node that each worker runs.
    running: Vec<u32>,
    /// When each worker is free, with a number that distinguishes equal times.
    busy: BinaryHeap<Reverse<(i64, u64, u32)>>,
    events: u64,
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, workers: u32) -> Self {
        let tasks = program.num_tasks();
        let mut parents = vec![NONE; tasks];
        for (task, bounds) in (0..).zip(program.first_child.windows(2)) {
            let &[first, end] = bounds else { continue };
            for slot in parents
                .get_mut(first as usize..end as usize)
                .unwrap_or_default()
            {
                *slot = task;
            }
        }
        let mut by_predecessor = program.dependences.clone();
        by_predecessor.sort_unstable();
        let mut holds = vec![0; tasks];
        let mut first_successor = vec![0; tasks + 1];
        for &(predecessor, successor) in &by_predecessor {
            holds[successor as usize] += 1;
            first_successor[predecessor as usize + 1] += 1;
        }
        for task in 0..tasks {
            first_successor[task + 1] += first_successor[task];
        }
        Self {
            program,
            seen: Execution {
                workers,
                created: vec![0; tasks],
                ended: vec![0; tasks],
                parents,
                ..Execution::default()
            },
            next_op: program.first_op.clone(),
            num_created: vec![0; tasks],
            open: vec![0; tasks],
            waits_since: vec![None; tasks],
            holds,
            first_successor,
            successors: by_predecessor.iter().map(|edge| edge.1).collect(),
            ready: Vec::new(),
            idle: (0..workers).rev().collect(),
            running: vec![NONE; workers as usize],
            busy: BinaryHeap::new(),
            events: 0,
        }
    }

    /// Sends idle workers to look for tasks that are ready.
    fn wake(&mut self, now: i64) {
        for _ in 0..self.ready.len().min(self.idle.len()) {
            if let Some(worker) = self.idle.pop() {
                self.at(now, worker);
            }
        }
    }

    fn at(&mut self, time: i64, worker: u32) {
        self.events += 1;
        self.busy.push(Reverse((time, self.events, worker)));
    }

    /// The task that a worker has run until now.
    fn stop(&mut self, worker: u32) -> Option<u32> {
        let task = std::mem::replace(&mut self.running[worker as usize], NONE);
        (task != NONE).then_some(task)
    }

    fn take(&mut self, worker: u32, now: i64) {
        let Some(task) = self.ready.pop() else {
            self.idle.push(worker);
            return;
        };
        if let Some(start) = self.waits_since[task as usize].take() {
            self.seen.waits.push(Waited {
                task,
                start,
                end: now,
            });
        }
        self.go_on(task, worker, now);
    }

    /// Executes a task's steps up to its next run.
    fn go_on(&mut self, task: u32, worker: u32, now: i64) {
        let at = task as usize;
        let end = self.program.first_op[at + 1];
        while self.next_op[at] < end {
            let op = self.program.ops[self.next_op[at] as usize];
            self.next_op[at] += 1;
            match op {
                Op::Run(duration) => {
                    let following = self.program.ops.get(self.next_op[at] as usize);
                    let ended_by = match following.filter(|_| self.next_op[at] < end) {
                        Some(Op::Create) => FragmentEnd::Creation,
                        Some(Op::Wait) => FragmentEnd::Wait,
                        _ => FragmentEnd::GrainEnd,
                    };
                    self.seen.stretches.push(Interval {
                        task,
                        worker,
                        start: now,
                        duration: i64::from(duration),
                        ended_by,
                    });
                    self.running[worker as usize] = task;
                    self.at(now + i64::from(duration), worker);
                    return;
                }
                Op::Create => self.create(task, now),
                Op::Wait => {
                    self.waits_since[at] = Some(now);
                    if self.open[at] == 0 {
                        self.ready.push(task);
                    }
                    self.take(worker, now);
                    return;
                }
            }
        }
        self.end(task, now);
        self.take(worker, now);
    }

    fn create(&mut self, task: u32, now: i64) {
        let at = task as usize;
        let child = self.program.first_child[at] + self.num_created[at];
        self.num_created[at] += 1;
        self.open[at] += 1;
        self.seen.created[child as usize] = now;
        if self.holds[child as usize] == 0 {
            self.ready.push(child);
        }
    }

    fn end(&mut self, task: u32, now: i64) {
        let at = task as usize;
        self.seen.ended[at] = now;
        let parent = self.seen.parents[at];
        for edge in self.first_successor[at]..self.first_successor[at + 1] {
            let successor = self.successors[edge as usize];
            self.holds[successor as usize] -= 1;
            let place = successor - self.program.first_child[parent as usize];
            let is_created = place < self.num_created[parent as usize];
            if self.holds[successor as usize] == 0 && is_created {
                self.ready.push(successor);
            }
        }
        if parent == NONE {
            return;
        }
        self.open[parent as usize] -= 1;
        if self.open[parent as usize] == 0 && self.waits_since[parent as usize].is_some() {
            self.ready.push(parent);
        }
    }
}
