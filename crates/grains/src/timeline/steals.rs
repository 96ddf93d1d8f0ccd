//! Edges between workers, and the scheduling policy that shows in them.

use std::collections::BTreeMap;

use sheaf_answers::{Policy, ReadyBy};
use sheaf_model::RunTables;

use super::intervals::Intervals;
use super::links::{Link, Links};
use crate::grain_graph::NONE;

/// Workers up to which edges are counted in a full matrix.
const MAX_DENSE: usize = 64;

/// Edges between fragments and between workers. Arrays are by kind, in the order of [`ReadyBy`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steals {
    /// Edges.
    pub edges: [u64; 6],
    /// Those whose ends ran on different workers. Edges from and to helpers of the runtime are not among them.
    pub moved: [u64; 6],
    /// Edges from worker to worker.
    pub matrix: EdgeCounts,
    /// Creations after which the task started before its creator went on, on the creator's worker.
    pub task_first: u64,
    /// Creations after which the creator went on before the task started, on the same worker.
    pub creator_first: u64,
}

/// How many edges of each kind lead from worker to worker; workers are rows of the locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgeCounts {
    workers: usize,
    dense: Vec<[u64; 6]>,
    sparse: BTreeMap<(u32, u32), [u64; 6]>,
}

impl EdgeCounts {
    fn new(workers: usize) -> Self {
        let is_dense = workers <= MAX_DENSE;
        Self {
            workers,
            dense: vec![[0; 6]; if is_dense { workers * workers } else { 0 }],
            sparse: BTreeMap::new(),
        }
    }

    #[inline]
    fn add(&mut self, from: u32, to: u32, kind: ReadyBy) {
        let at = from as usize * self.workers + to as usize;
        let counts = match self.dense.get_mut(at) {
            Some(counts) => counts,
            None => self.sparse.entry((from, to)).or_default(),
        };
        counts[kind as usize] += 1;
    }

    /// Edges of a kind between two workers.
    pub fn count(&self, from: u32, to: u32, kind: ReadyBy) -> u64 {
        let at = from as usize * self.workers + to as usize;
        let counts = self.dense.get(at).or_else(|| self.sparse.get(&(from, to)));
        counts.map_or(0, |counts| counts[kind as usize])
    }

    /// Pairs of workers with their counts by kind, in order; those without edges are left out.
    pub fn iter(&self) -> impl Iterator<Item = ((u32, u32), [u64; 6])> {
        let workers = u32::try_from(self.workers).unwrap_or(u32::MAX).max(1);
        let dense = (0..).zip(&self.dense);
        let dense = dense.map(move |(at, counts)| ((at / workers, at % workers), *counts));
        let sparse = self.sparse.iter().map(|(pair, counts)| (*pair, *counts));
        dense
            .chain(sparse)
            .filter(|(_, counts)| counts.iter().any(|&count| count > 0))
    }
}

impl Steals {
    pub(super) fn new(run: &RunTables) -> Self {
        Self {
            edges: [0; 6],
            moved: [0; 6],
            matrix: EdgeCounts::new(run.summary.locations.len()),
            task_first: 0,
            creator_first: 0,
        }
    }

    #[inline]
    pub(super) fn add(&mut self, run: &RunTables, intervals: &Intervals, link: Link) {
        if link.source == NONE {
            return;
        }
        self.edges[link.kind as usize] += 1;
        if intervals.is_on_helper(link.source) || intervals.is_on_helper(link.target) {
            return;
        }
        let location = |fragment: u32| {
            let location = run.fragments.location.values().get(fragment as usize);
            location.and_then(|location| u32::try_from(location).ok())
        };
        if let (Some(from), Some(to)) = (location(link.source), location(link.target)) {
            self.moved[link.kind as usize] += u64::from(from != to);
            self.matrix.add(from, to, link.kind);
        }
    }

    /// Who goes first where both stay on the worker.
    pub(super) fn finish(&mut self, run: &RunTables, intervals: &Intervals, links: &Links<'_>) {
        let rows = &run.fragments;
        let start = |fragment: u32| rows.start.values().get(fragment as usize);
        let location = |fragment: u32| rows.location.values().get(fragment as usize);
        for creator in 0..intervals.num_grains() {
            let fragments = intervals.fragments(creator);
            links.visit_creations(creator, |task, source, _| {
                let next = source.saturating_add(1);
                let first = intervals.fragments(task).next();
                let Some(first) = first.filter(|_| next < fragments.end) else {
                    return;
                };
                let stays = [first, next].map(|it| location(it) == location(source));
                if stays == [true, true] {
                    let is_task_first = start(first) < start(next);
                    self.task_first += u64::from(is_task_first);
                    self.creator_first += u64::from(!is_task_first);
                }
            });
        }
    }

    /// What the steals say: a runtime that runs new tasks first has its continuations stolen, one that
    /// goes on first has its tasks stolen. Of both the more frequent counts.
    pub fn policy(&self) -> Policy {
        let [_, tasks, continuations, ..] = self.moved;
        if tasks == 0 && continuations == 0 {
            Policy::None
        } else if continuations > tasks {
            Policy::WorkFirst
        } else {
            Policy::HelpFirst
        }
    }

    /// What the order on one worker says, also where nothing was stolen.
    pub fn policy_by_order(&self) -> Policy {
        if self.task_first == 0 && self.creator_first == 0 {
            Policy::None
        } else if self.task_first > self.creator_first {
            Policy::WorkFirst
        } else {
            Policy::HelpFirst
        }
    }
}
