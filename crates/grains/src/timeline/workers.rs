//! Intervals of each worker, in order of time, and how busy it was at any zoom.

use std::ops::Range;

use sheaf_model::RunTables;

use super::AbsenceReason;
use super::intervals::{Intervals, offsets, to_usize};
use crate::grain_graph::to_u32;

/// Intervals of a level that one entry of the next stands for.
const FAN: usize = 16;

/// What a worker ran for a while.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// Row of the fragment.
    pub fragment: u32,
    /// Row of the grain.
    pub grain: u32,
    /// Start; where the worker's intervals overlap, the end of the one before.
    pub start: i64,
    /// End.
    pub end: i64,
}

/// A part of a resampled stretch of one worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusyPart {
    /// Time that it was busy, times the number of parts, so that it is an integer.
    pub scaled_busy: i128,
    /// Number of intervals that touch the part.
    pub intervals: u32,
    /// Fragment with the longest interval in the part; of equals the first.
    pub longest: Option<u32>,
}

/// Intervals of all workers. Workers are rows of the locations.
#[derive(Debug)]
pub struct Workers {
    elapsed: i64,
    first: Vec<u32>,
    grains: Vec<u32>,
    fragments: Vec<u32>,
    starts: Vec<i64>,
    ends: Vec<i64>,
    /// Busy time of the worker before each interval.
    before: Vec<i64>,
    /// Of blocks of intervals, of blocks of blocks, …: the longest one's length and place.
    longest: Vec<Vec<(i64, u32)>>,
    overlaps: u64,
    overlap_time: i64,
}

impl Workers {
    /// Intervals of a run's workers; `elapsed` is that of [`Balance`](super::Balance). Time n log n in the
    /// fragments, about 40 bytes for each.
    ///
    /// # Errors
    /// [`AbsenceReason`] where the source does not say when grains ran.
    pub fn of(run: &RunTables, elapsed: i64) -> Result<Self, AbsenceReason> {
        let intervals = Intervals::of(run)?;
        let rows = &run.fragments;
        let (locations, starts) = (&rows.location, &rows.start);
        let mut order: Vec<u32> = (0..to_u32(rows.len())).collect();
        order.sort_unstable_by_key(|&row| {
            let at = row as usize;
            (
                locations.value(at),
                starts.value(at),
                intervals.end(row),
                row,
            )
        });
        let mut workers = Self {
            elapsed,
            first: offsets(locations.values(), run.summary.locations.len()),
            grains: Vec::with_capacity(order.len()),
            fragments: Vec::with_capacity(order.len()),
            starts: Vec::with_capacity(order.len()),
            ends: Vec::with_capacity(order.len()),
            before: Vec::with_capacity(order.len()),
            longest: Vec::new(),
            overlaps: 0,
            overlap_time: 0,
        };
        let (mut location, mut end, mut busy) = (i32::MIN, i64::MIN, 0);
        for row in order {
            let at = row as usize;
            if locations.value(at) != location {
                (location, end, busy) = (locations.value(at), i64::MIN, 0);
            }
            let begin = starts.value(at);
            let start = begin.max(end);
            if start > begin && intervals.end(row) > begin {
                workers.overlaps += 1;
                let overlap = end.min(intervals.end(row)) - begin;
                workers.overlap_time = workers.overlap_time.saturating_add(overlap);
            }
            end = intervals.end(row).max(start);
            workers.fragments.push(row);
            workers
                .grains
                .push(u32::try_from(rows.grain.value(at)).unwrap_or(u32::MAX));
            workers.starts.push(start);
            workers.ends.push(end);
            workers.before.push(busy);
            busy = busy.saturating_add(end.saturating_sub(start));
        }
        workers.index();
        Ok(workers)
    }

    fn index(&mut self) {
        let lengths = (0..).zip(self.starts.iter().zip(&self.ends));
        let lengths: Vec<(i64, u32)> = lengths
            .map(|(at, (start, end))| (end.saturating_sub(*start), at))
            .collect();
        let mut level = lengths;
        while level.len() > 1 {
            let coarser = level
                .chunks(FAN)
                .filter_map(|block| longest(block.iter().copied()));
            level = coarser.collect();
            self.longest.push(level.clone());
        }
    }

    /// Number of workers.
    pub fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Intervals that began before another one of their worker had ended.
    pub fn overlaps(&self) -> u64 {
        self.overlaps
    }

    /// Time by which they did.
    pub fn overlap_time(&self) -> i64 {
        self.overlap_time
    }

    /// Intervals of a worker, in order of time, without overlaps.
    pub fn intervals(&self, worker: u32) -> impl DoubleEndedIterator<Item = Interval> {
        to_usize(&self.places(worker)).filter_map(|at| self.interval(at))
    }

    /// Intervals of a worker that touch a stretch of time, found by bisection.
    pub fn between(
        &self,
        worker: u32,
        start: i64,
        end: i64,
    ) -> impl DoubleEndedIterator<Item = Interval> {
        self.touching(worker, i128::from(start), i128::from(end), 1)
            .filter_map(|at| self.interval(at))
    }

    /// Stretches between the run's start and end in which a worker ran nothing: begin and end.
    pub fn idle(&self, worker: u32) -> impl Iterator<Item = (i64, i64)> {
        let places = to_usize(&self.places(worker));
        let before = std::iter::once(0).chain(places.clone().map(|at| self.ends[at]));
        let after = places.map(|at| self.starts[at]);
        let after = after.chain(std::iter::once(self.elapsed));
        before.zip(after).filter(|(end, start)| end < start)
    }

    /// Time that a worker was busy.
    pub fn busy(&self, worker: u32) -> i64 {
        let last = to_usize(&self.places(worker)).next_back();
        last.map_or(0, |at| self.before[at] + self.ends[at] - self.starts[at])
    }

    /// How busy a worker was, and with what most, over equal parts of a stretch of time, in O(parts ·
    /// log intervals).
    pub fn resample(&self, worker: u32, start: i64, end: i64, parts: u32) -> Vec<BusyPart> {
        if end <= start {
            return Vec::new();
        }
        let scale = i128::from(parts);
        let length = i128::from(end) - i128::from(start);
        let bound = |part: u32| i128::from(start) * scale + i128::from(part) * length;
        (0..parts)
            .map(|part| self.part(worker, bound(part), bound(part + 1), scale))
            .collect()
    }

    fn part(&self, worker: u32, start: i128, end: i128, scale: i128) -> BusyPart {
        let touching = self.touching(worker, start, end, scale);
        let inside = |at: usize| {
            let from = (i128::from(self.starts[at]) * scale).max(start);
            (i128::from(self.ends[at]) * scale).min(end) - from
        };
        let (Some(first), Some(last)) = (touching.clone().next(), touching.clone().next_back())
        else {
            return BusyPart {
                scaled_busy: 0,
                intervals: 0,
                longest: None,
            };
        };
        let mut busy = inside(first);
        let mut most = (inside(first), first);
        if last > first {
            busy += i128::from(self.before[last] - self.before[first + 1]) * scale + inside(last);
            if let Some((length, at)) = self.longest(first + 1..last)
                && i128::from(length) * scale > most.0
            {
                most = (i128::from(length) * scale, at as usize);
            }
            if inside(last) > most.0 {
                most = (inside(last), last);
            }
        }
        BusyPart {
            scaled_busy: busy,
            intervals: to_u32(touching.len()),
            longest: self.fragments.get(most.1).copied(),
        }
    }

    fn places(&self, worker: u32) -> Range<u32> {
        super::intervals::bounds(&self.first, worker)
    }

    /// Places of intervals that touch a stretch; intervals without length touch where they lie.
    fn touching(&self, worker: u32, start: i128, end: i128, scale: i128) -> Range<usize> {
        let places = to_usize(&self.places(worker));
        let (starts, ends) = (&self.starts[places.clone()], &self.ends[places.clone()]);
        let first = ends.partition_point(|&it| i128::from(it) * scale <= start);
        let last = starts.partition_point(|&it| i128::from(it) * scale < end);
        places.start + first..places.start + last.max(first)
    }

    fn interval(&self, at: usize) -> Option<Interval> {
        Some(Interval {
            fragment: *self.fragments.get(at)?,
            grain: *self.grains.get(at)?,
            start: *self.starts.get(at)?,
            end: *self.ends.get(at)?,
        })
    }

    /// The longest of some intervals: its length and place.
    fn longest(&self, places: Range<usize>) -> Option<(i64, u32)> {
        let length = |at: usize| (self.ends[at] - self.starts[at], to_u32(at));
        let (mut first, mut last) = (places.start, places.end);
        let mut found = Vec::new();
        let mut level: Option<&Vec<(i64, u32)>> = None;
        for coarser in self.longest.iter().map(Some).chain([None]) {
            let get = |at: usize| match level {
                Some(level) => level.get(at).copied(),
                None => Some(length(at)),
            };
            while first < last && (coarser.is_none() || !first.is_multiple_of(FAN)) {
                found.extend(get(first));
                first += 1;
            }
            while first < last && !last.is_multiple_of(FAN) {
                last -= 1;
                found.extend(get(last));
            }
            (first, last) = (first / FAN, last / FAN);
            level = coarser;
        }
        longest(found.into_iter())
    }
}

/// The longest; of equals the first.
fn longest(of: impl Iterator<Item = (i64, u32)>) -> Option<(i64, u32)> {
    of.max_by_key(|&(length, at)| (length, std::cmp::Reverse(at)))
}
