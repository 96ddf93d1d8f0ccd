//! The path that ended last: from the last fragment back, each time to the predecessor that ended
//! last. What lies between its fragments is time that the program lost.

use sheaf_answers::ReadyBy;
use sheaf_model::RunTables;

use super::balance::clamp;
use super::intervals::Intervals;
use super::ready::Ready;
use crate::grain_graph::to_u32;

/// The path and what was lost on it. Arrays are by kind of edge, in the order of [`ReadyBy`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastFinish {
    /// Rows of its fragments, in order of time.
    pub fragments: Vec<u32>,
    /// Sum of their lengths.
    pub work: i64,
    /// Sum of the gaps between them.
    pub delay: i64,
    /// The same by the kind of edge that crosses the gap.
    pub delay_by: [i64; 6],
    /// Start of its first fragment.
    pub first_start: i64,
    /// Part of the gaps while a worker was idle, by the kind of edge that crosses the gap.
    pub scheduler_delay: [i64; 6],
    /// Idle workers times time inside of the gaps for which nothing was ready.
    pub scheduler_no_work: i64,
    /// Idle workers times time inside of the gaps for which something was ready.
    pub scheduler_ready: i64,
}

/// A gap on the path, and the edge that crosses it.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) by: ReadyBy,
}

/// The path without what depends on other fragments, and its gaps in order of time.
pub(super) struct Path {
    found: LastFinish,
    pub(super) gaps: Vec<Gap>,
}

impl Path {
    pub(super) fn of(run: &RunTables, intervals: &Intervals, ready: &Ready) -> Self {
        let mut found = LastFinish {
            fragments: Vec::new(),
            work: 0,
            delay: 0,
            delay_by: [0; 6],
            first_start: 0,
            scheduler_delay: [0; 6],
            scheduler_no_work: 0,
            scheduler_ready: 0,
        };
        let mut gaps = Vec::new();
        let starts = run.fragments.start.values();
        let mut next = last(intervals);
        // Clocks that differ can make a circle of fragments without length.
        while let Some(fragment) = next.filter(|_| found.fragments.len() < intervals.len()) {
            let start = starts.get(fragment as usize).unwrap_or(0);
            let length = intervals.end(fragment).saturating_sub(start);
            found.work = found.work.saturating_add(length);
            found.first_start = start;
            found.fragments.push(fragment);
            next = ready.source(fragment);
            let (Some(before), Some((_, by))) = (next, ready.get(fragment)) else {
                break;
            };
            let end = intervals.end(before);
            let gap = start.saturating_sub(end);
            found.delay = found.delay.saturating_add(gap);
            found.delay_by[by as usize] = found.delay_by[by as usize].saturating_add(gap);
            gaps.push(Gap {
                start: end,
                end: start,
                by,
            });
        }
        found.fragments.reverse();
        gaps.reverse();
        Self { found, gaps }
    }

    pub(super) fn finish(self, scheduler: [i128; 8]) -> LastFinish {
        let [by @ .., no_work, delay] = scheduler.map(clamp);
        LastFinish {
            scheduler_delay: by,
            scheduler_no_work: no_work,
            scheduler_ready: delay,
            ..self.found
        }
    }
}

/// The fragment that ends last; the first of several.
fn last(intervals: &Intervals) -> Option<u32> {
    let last = intervals.ends().max()?;
    intervals.ends().position(|end| end == last).map(to_u32)
}
