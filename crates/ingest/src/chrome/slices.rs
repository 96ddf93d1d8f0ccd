//! Ends for begins: slices that are two events.

use std::collections::HashMap;

use super::collect::{Mark, NONE, Slice, Trace, UNKNOWN};

/// Kinds of findings of one sort of begins and ends.
struct Kinds {
    /// Ends without a begin.
    without: &'static str,
    /// Ends that close a slice of another name.
    mismatched: &'static str,
    /// Slices whose end is missing, and that end with a slice around them.
    lost: &'static str,
}

const ON_THREADS: Kinds = Kinds {
    without: "skipped_ends_without_begin",
    mismatched: "repaired_mismatched_ends",
    lost: "repaired_lost_ends",
};

const ASYNC: Kinds = Kinds {
    without: "skipped_async_ends_without_begin",
    mismatched: "repaired_mismatched_async_ends",
    lost: "repaired_lost_async_ends",
};

/// Slices that overlap others by more than a rounding error, without being nested.
pub(super) const CROSSING: &str = "repaired_crossing_slices";

/// Findings after which a trace counts as incomplete.
const DAMAGE: [&str; 13] = [
    CROSSING,
    "skipped_broken_events",
    "skipped_times",
    "skipped_negative_durations",
    "skipped_ends_without_begin",
    "repaired_mismatched_ends",
    "repaired_lost_ends",
    "skipped_async_ends_without_begin",
    "repaired_mismatched_async_ends",
    "repaired_lost_async_ends",
    "repaired_unfinished_slices",
    "repaired_unfinished_intervals",
    "repaired_missing_durations",
];

impl Trace {
    /// Whether the trace holds every event, as far as its events show.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_truncated && DAMAGE.iter().all(|kind| self.report.count(kind) == 0)
    }

    /// Gives every slice its end. Those whose end is missing end with the slice around them, or else with
    /// their thread.
    pub(super) fn close_slices(&mut self) {
        let marks = std::mem::take(&mut self.marks);
        self.close(marks, &ON_THREADS);
        let marks = std::mem::take(&mut self.async_marks);
        self.close(marks, &ASYNC);
        let last = self.last_times();
        for slice in &mut self.slices {
            if slice.end != UNKNOWN {
                continue;
            }
            slice.is_unfinished = true;
            if slice.is_async {
                self.report.add("repaired_unfinished_intervals", 1, || None);
                continue;
            }
            self.report.add("repaired_unfinished_slices", 1, || None);
            let last = last.get(slice.thread as usize).copied();
            slice.end = last.unwrap_or(slice.start).max(slice.start);
        }
    }

    fn close(&mut self, mut marks: Vec<Mark>, kinds: &Kinds) {
        if !marks.is_sorted_by_key(|mark| (mark.stack, mark.time)) {
            // Stable: what has one time keeps its order.
            marks.sort_by_key(|mark| (mark.stack, mark.time));
        }
        let mut open = Open::default();
        for of_stack in marks.chunk_by(|a, b| a.stack == b.stack) {
            open.clear();
            let is_balanced = is_balanced(of_stack);
            let num_ends = of_stack.iter().filter(|mark| mark.slice == NONE).count();
            let has_stray_ends = num_ends > of_stack.len() - num_ends;
            for mark in of_stack {
                if let Some(slice) = self.slices.get(mark.slice as usize) {
                    open.push(mark.slice, slice.name);
                    continue;
                }
                let is_known = mark.name != NONE && open.holds(mark.name);
                if !is_balanced && is_known {
                    self.close_lost(&mut open, mark, kinds);
                }
                let is_stray = !is_balanced && !is_known && mark.name != NONE && has_stray_ends;
                self.close_innermost(&mut open, mark, is_stray, kinds);
            }
        }
    }

    /// Closes the slices inside the innermost one of an end's name: their own ends are lost.
    fn close_lost(&mut self, open: &mut Open, mark: &Mark, kinds: &Kinds) {
        while let Some((top, name)) = open.last().filter(|(_, name)| *name != mark.name) {
            open.pop();
            let names = &self.names;
            self.report
                .add(kinds.lost, 1, || Some(names.get(name).to_owned()));
            if let Some(slice) = self.slices.get_mut(top as usize) {
                slice.is_unfinished = true;
                slice.end = mark.time;
            }
        }
    }

    fn close_innermost(&mut self, open: &mut Open, mark: &Mark, is_stray: bool, kinds: &Kinds) {
        let names = &self.names;
        let place = || Some(names.get(mark.name).to_owned()).filter(|it| !it.is_empty());
        let top = open
            .last()
            .filter(|_| !is_stray)
            .map_or(NONE, |(top, _)| top);
        let Some(slice) = self.slices.get_mut(top as usize) else {
            self.report.add(kinds.without, 1, place);
            return;
        };
        if mark.name != NONE && mark.name != slice.name {
            self.report.add(kinds.mismatched, 1, place);
        }
        slice.end = mark.time;
        if slice.is_async {
            slice.thread = mark.thread;
        }
        open.pop();
    }

    /// Time of the last thing on each thread.
    fn last_times(&self) -> Vec<i64> {
        let mut last = vec![UNKNOWN; self.threads.len()];
        let ends = |slice: &Slice| (slice.thread, slice.end.max(slice.start));
        let flows = self.flows.iter().map(|flow| (flow.thread, flow.time));
        for (thread, time) in self.slices.iter().map(ends).chain(flows) {
            if let Some(last) = last.get_mut(thread as usize) {
                *last = (*last).max(time);
            }
        }
        last
    }
}

/// Whether every begin of a stack has an end, in their order. Then an end closes the innermost open slice, whatever
/// its name is, as the viewers of these traces do; else names show which ends are lost.
fn is_balanced(marks: &[Mark]) -> bool {
    let mut depth = 0_u64;
    for mark in marks {
        if mark.slice != NONE {
            depth += 1;
        } else if depth == 0 {
            return false;
        } else {
            depth -= 1;
        }
    }
    depth == 0
}

/// The open slices of a stack, innermost last, with their names.
#[derive(Default)]
struct Open {
    slices: Vec<(u32, u32)>,
    /// How many of them have each name.
    counts: HashMap<u32, u32>,
}

impl Open {
    fn clear(&mut self) {
        self.slices.clear();
        self.counts.clear();
    }

    fn push(&mut self, slice: u32, name: u32) {
        self.slices.push((slice, name));
        *self.counts.entry(name).or_default() += 1;
    }

    fn last(&self) -> Option<(u32, u32)> {
        self.slices.last().copied()
    }

    fn pop(&mut self) {
        if let Some((_, name)) = self.slices.pop()
            && let Some(count) = self.counts.get_mut(&name)
        {
            *count -= 1;
        }
    }

    fn holds(&self, name: u32) -> bool {
        self.counts.get(&name).is_some_and(|count| *count > 0)
    }
}
