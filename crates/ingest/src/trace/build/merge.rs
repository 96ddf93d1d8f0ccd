//! The events of all threads of a process in one order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::trace::{Event, TraceProblem};

/// The events of one thread.
pub(super) trait EventSource: Iterator<Item = Event> {
    /// What was damaged, once the events have ended.
    fn problems(&self) -> &[TraceProblem] {
        &[]
    }
}

impl EventSource for crate::trace::Events<'_, '_> {
    fn problems(&self) -> &[TraceProblem] {
        Self::problems(self)
    }
}

/// Merges threads by time; within a thread the order is kept, of equal times the thread that
/// stands first comes first. Takes log(threads) only where the thread changes.
pub(super) struct Merge<S> {
    sources: Vec<S>,
    /// Next event of each source.
    heads: Vec<Option<Event>>,
    /// Sources but the current, by the time of their next event.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    current: usize,
    /// Time and source at which another source is due.
    due: (u64, usize),
}

const NEVER_DUE: (u64, usize) = (u64::MAX, usize::MAX);

impl<S: EventSource> Merge<S> {
    pub(super) fn new(mut sources: Vec<S>) -> Self {
        let heads: Vec<Option<Event>> = sources.iter_mut().map(Iterator::next).collect();
        let waiting = heads.iter().enumerate();
        let queue = waiting
            .filter_map(|(source, head)| Some(Reverse((head.as_ref()?.ticks, source))))
            .collect();
        Self {
            sources,
            heads,
            queue,
            current: usize::MAX,
            due: (0, 0),
        }
    }

    pub(super) fn sources(&self) -> &[S] {
        &self.sources
    }

    fn change_source(&mut self) -> Option<()> {
        if let Some(event) = self.heads.get(self.current).and_then(Option::as_ref) {
            self.queue.push(Reverse((event.ticks, self.current)));
        }
        let Reverse((_, source)) = self.queue.pop()?;
        self.current = source;
        self.due = self.queue.peek().map_or(NEVER_DUE, |Reverse(next)| *next);
        Some(())
    }
}

/// Yields each event with the position of its source.
impl<S: EventSource> Iterator for Merge<S> {
    type Item = (usize, Event);

    fn next(&mut self) -> Option<(usize, Event)> {
        let next_time = self
            .heads
            .get(self.current)
            .and_then(Option::as_ref)
            .map(|e| e.ticks);
        if next_time.is_none_or(|time| (time, self.current) > self.due) {
            self.change_source()?;
        }
        let source = self.current;
        let head = self.heads.get_mut(source)?;
        let event = head.take()?;
        *head = self.sources.get_mut(source)?.next();
        Some((source, event))
    }
}
