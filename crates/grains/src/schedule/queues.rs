//! Queues of ready fragments.

use std::collections::VecDeque;

use sheaf_statistics::Random;

/// A fragment that a worker found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) node: u32,
    pub(super) is_stolen: bool,
}

/// A deque per worker, a common queue, and a queue of what only one worker may run.
pub(super) struct Queues {
    deques: Vec<VecDeque<u32>>,
    common: VecDeque<u32>,
    bound: Vec<VecDeque<u32>>,
    /// Workers whose deque has something, and the place of each there.
    stocked: Vec<u32>,
    place: Vec<Option<usize>>,
}

impl Queues {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            deques: vec![VecDeque::new(); workers],
            common: VecDeque::new(),
            bound: vec![VecDeque::new(); workers],
            stocked: Vec::new(),
            place: vec![None; workers],
        }
    }

    pub(super) fn push_common(&mut self, node: u32) {
        self.common.push_back(node);
    }

    pub(super) fn push_bound(&mut self, worker: u32, node: u32) {
        if let Some(queue) = self.bound.get_mut(worker as usize) {
            queue.push_back(node);
        }
    }

    pub(super) fn push_own(&mut self, worker: u32, node: u32) {
        let Some(deque) = self.deques.get_mut(worker as usize) else {
            return;
        };
        deque.push_back(node);
        if deque.len() == 1
            && let Some(place) = self.place.get_mut(worker as usize)
        {
            *place = Some(self.stocked.len());
            self.stocked.push(worker);
        }
    }

    /// The next node of a worker: one that only it may run, else of the common queue, its own newest, or the oldest of a random
    /// other worker.
    pub(super) fn take(&mut self, worker: u32, random: &mut Random) -> Option<Found> {
        let own = |node| Found {
            node,
            is_stolen: false,
        };
        let bound = self.bound.get_mut(worker as usize);
        if let Some(node) = bound.and_then(VecDeque::pop_front) {
            return Some(own(node));
        }
        if let Some(node) = self.common.pop_front() {
            return Some(own(node));
        }
        let deque = self.deques.get_mut(worker as usize);
        if let Some(node) = deque.and_then(VecDeque::pop_back) {
            self.note_empty(worker);
            return Some(own(node));
        }
        if self.stocked.is_empty() {
            return None;
        }
        let victim = *self.stocked.get(random.below(self.stocked.len()))?;
        let node = self.deques.get_mut(victim as usize)?.pop_front()?;
        self.note_empty(victim);
        Some(Found {
            node,
            is_stolen: true,
        })
    }

    fn note_empty(&mut self, worker: u32) {
        let at = worker as usize;
        if self.deques.get(at).is_some_and(|deque| !deque.is_empty()) {
            return;
        }
        if let Some(place) = self.place.get_mut(at).and_then(Option::take) {
            self.stocked.swap_remove(place);
            if let Some(&moved) = self.stocked.get(place)
                && let Some(slot) = self.place.get_mut(moved as usize)
            {
                *slot = Some(place);
            }
        }
    }
}
