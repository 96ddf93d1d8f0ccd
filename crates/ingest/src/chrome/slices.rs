//! Ends for begins: slices that are two events.

use super::collect::{Mark, NONE, Slice, Trace, UNKNOWN};

impl Trace {
    /// Gives every slice its end. Those whose end is missing end with their thread.
    pub(super) fn close_slices(&mut self) {
        let marks = std::mem::take(&mut self.marks);
        let names = ["skipped_ends_without_begin", "skipped_mismatched_ends"];
        self.close(marks, names);
        let marks = std::mem::take(&mut self.async_marks);
        let names = [
            "skipped_async_ends_without_begin",
            "skipped_mismatched_async_ends",
        ];
        self.close(marks, names);
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

    /// Ends match the begin that is open last. An end with the name of another is left out.
    fn close(&mut self, mut marks: Vec<Mark>, [without, mismatched]: [&str; 2]) {
        if !marks.is_sorted_by_key(|mark| (mark.stack, mark.time)) {
            // Stable: what has one time keeps its order.
            marks.sort_by_key(|mark| (mark.stack, mark.time));
        }
        let mut open: Vec<u32> = Vec::new();
        for of_stack in marks.chunk_by(|a, b| a.stack == b.stack) {
            open.clear();
            for mark in of_stack {
                if mark.slice != NONE {
                    open.push(mark.slice);
                    continue;
                }
                let top = open.last().copied().unwrap_or(NONE) as usize;
                let names = &self.names;
                let place = || Some(names.get(mark.name).to_owned()).filter(|it| !it.is_empty());
                let Some(slice) = self.slices.get_mut(top) else {
                    self.report.add(without, 1, place);
                    continue;
                };
                if mark.name != NONE && mark.name != slice.name {
                    self.report.add(mismatched, 1, place);
                    continue;
                }
                slice.end = mark.time;
                if slice.is_async {
                    slice.thread = mark.thread;
                }
                open.pop();
            }
        }
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
