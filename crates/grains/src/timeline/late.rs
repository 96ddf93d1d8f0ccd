//! Times at which fragments became ready, without a list of all of them. Most fragments go on when the one before ends.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_answers::ReadyBy;
use sheaf_model::RunTables;
use sheaf_model::table::GrainKind;

use super::intervals::{Interval, Intervals, have_pauses, is_pause};
use super::links::{Link, is_task};
use super::ready::{Doubts, ReadyTimes};
use crate::grain_graph::{Structure, to_u32};

/// Fragments that are looked at together.
const ROWS_AT_ONCE: usize = 1 << 16;

/// The latest time at which another grain lets each fragment go on.
#[derive(Default)]
pub(super) struct LastLinks {
    /// Fragment and time.
    links: Vec<(u32, i64)>,
}

impl LastLinks {
    /// Adds a link. Neighbours often lead to one fragment, as children of a grain do.
    pub(super) fn add(&mut self, link: Link) {
        match self.links.last_mut() {
            Some((target, time)) if *target == link.target => *time = link.time.max(*time),
            _ => self.links.push((link.target, link.time)),
        }
    }

    /// Adds those of other grains.
    pub(super) fn extend(&mut self, others: Self) {
        self.links.extend(others.links);
    }

    /// By fragment, each once.
    fn sorted(mut self) -> Vec<(u32, i64)> {
        self.links.sort_unstable();
        self.links.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                kept.1 = later.1;
            }
            is_same
        });
        self.links
    }
}

/// The time at which each fragment became ready, without the kind of edge.
pub(super) struct LateReady<'a> {
    run: &'a RunTables,
    structure: &'a Structure,
    intervals: &'a Intervals,
    links: Vec<(u32, i64)>,
    /// The grain that begins the run.
    root: Option<u32>,
    /// Whether fragments end with waits for locks or calls of MPI.
    has_pauses: bool,
    earliest: Option<i64>,
    doubts: Doubts,
}

impl<'a> LateReady<'a> {
    pub(super) fn of(
        run: &'a RunTables,
        structure: &'a Structure,
        intervals: &'a Intervals,
        links: LastLinks,
    ) -> Self {
        let kinds = run.grains.kind.values().iter();
        let mut initial = (0..)
            .zip(kinds)
            .filter(|(_, kind)| *kind == GrainKind::Initial as i32);
        let root = initial.next().map(|(row, _)| row);
        let mut ready = Self {
            run,
            structure,
            intervals,
            links: links.sorted(),
            root: root.filter(|_| initial.next().is_none()),
            has_pauses: have_pauses(run),
            earliest: None,
            doubts: Doubts::default(),
        };
        let rows = to_u32(intervals.len());
        let firsts: Vec<u32> = (0..rows).step_by(ROWS_AT_ONCE).collect();
        let parts = firsts.into_par_iter().map(|first| {
            let behind = to_u32(first as usize + ROWS_AT_ONCE).min(rows);
            ready.earliest_and_doubts(first..behind)
        });
        let (earliest, doubts) = parts.reduce(Default::default, |(time, doubts), (other, more)| {
            let earliest = [time, other].into_iter().flatten().min();
            (earliest, doubts.plus(more))
        });
        (ready.earliest, ready.doubts) = (earliest, doubts);
        ready
    }

    /// The first time at which one of the fragments became ready, and how many of their times are unsure.
    fn earliest_and_doubts(&self, rows: Range<u32>) -> (Option<i64>, Doubts) {
        let (mut earliest, mut doubts) = (None, Doubts::default());
        self.each(self.intervals, rows, |ran, when| match when {
            Some((time, _)) => {
                earliest = Some(earliest.map_or(time, |earliest: i64| earliest.min(time)));
                doubts.num_early += u64::from(time > ran.start);
            }
            None => doubts.num_unknown += 1,
        });
        (earliest, doubts)
    }

    /// When the first fragment of a grain became ready by its creation.
    fn created(&self, grain: u32) -> Option<i64> {
        let created = self.creation(grain)?;
        let is_linked = is_task(self.run, grain) && self.structure.parent(grain).is_some();
        is_linked.then_some(created)
    }

    fn creation(&self, grain: u32) -> Option<i64> {
        self.run.grains.created.get(grain as usize)
    }

    /// When a fragment became ready that nothing leads to.
    fn without_link(&self, grain: u32, fragment: u32) -> Option<i64> {
        let begins_run = || {
            let start = self.run.fragments.start.values().get(fragment as usize);
            start
                .map(|start| start.min(0))
                .filter(|_| self.root == Some(grain))
        };
        self.creation(grain).or_else(begins_run)
    }
}

impl ReadyTimes for LateReady<'_> {
    fn each(
        &self,
        intervals: &Intervals,
        rows: Range<u32>,
        mut visit: impl FnMut(Interval, Option<(i64, ReadyBy)>),
    ) {
        let num_grains = intervals.num_grains();
        let mut grain = intervals.grain_of(rows.start);
        let mut fragments = intervals.fragments(grain);
        let first_link = self.links.partition_point(|link| link.0 < rows.start);
        let mut links = self.links.get(first_link..).unwrap_or_default();
        // A fragment can become ready when the one before it ends.
        let with_before = rows.start.saturating_sub(1)..rows.end;
        let mut before = None;
        for ran in intervals.iter(with_before) {
            let (row, before) = (ran.fragment, before.replace(ran));
            if row < rows.start {
                continue;
            }
            while row >= fragments.end && grain < num_grains {
                grain += 1;
                fragments = intervals.fragments(grain);
            }
            let mut time = match before {
                Some(before) if row > fragments.start => {
                    let is_pause = self.has_pauses && is_pause(self.run, before.fragment);
                    Some(intervals.goes_on_at(before, is_pause, ran.start))
                }
                _ => self.created(grain),
            };
            if let Some((&(target, link), behind)) = links.split_first()
                && target == row
            {
                links = behind;
                time = Some(time.map_or(link, |time| time.max(link)));
            }
            let time = time.or_else(|| self.without_link(grain, row));
            // The balance counts fragments of all kinds, so any kind will do.
            visit(ran, time.map(|time| (time, ReadyBy::Creation)));
        }
    }

    fn earliest(&self) -> Option<i64> {
        self.earliest
    }

    fn doubts(&self) -> Doubts {
        self.doubts
    }
}
