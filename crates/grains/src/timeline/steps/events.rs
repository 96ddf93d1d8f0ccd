//! Events of the fragments of a run in order of time, without a list of all of them.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_answers::ReadyBy;

use super::{CODE_BITS, change_of, code};
use crate::grain_graph::to_u32;
use crate::ordering;
use crate::timeline::AbsenceReason;
use crate::timeline::intervals::{Interval, Intervals};
use crate::timeline::ready::ReadyTimes;

/// How events are cut into parts that are sorted one after the other.
#[derive(Clone, Copy, Debug)]
pub(in crate::timeline) struct Cut {
    /// Minimum of events that are sorted at once.
    pub(in crate::timeline) at_once: u64,
    /// Fragments that are looked at or passed over together. Neighbours in the table run at about the same time.
    pub(in crate::timeline) block: usize,
}

impl Cut {
    /// Few enough events for the allocator to use the same memory again for the next.
    pub(in crate::timeline) const OF_RUNS: Self = Self {
        at_once: 1 << 20,
        block: 1 << 12,
    };
}

/// Fragments whose times are compared together.
const ROWS_AT_ONCE: usize = 1 << 16;
/// Intervals of time of equal length whose events are counted.
const BUCKETS: u32 = 1 << 16;

/// The events of the fragments that workers of a run ran: at most three of each. What helpers of the runtime ran takes no
/// worker, and no free worker could have run it.
pub(in crate::timeline) struct Events<'a, R> {
    intervals: &'a Intervals,
    ready: Option<&'a R>,
    /// Time of the first event.
    pub(in crate::timeline) base: i64,
    /// Time of the last event.
    pub(in crate::timeline) last: i64,
}

impl<'a, R: ReadyTimes> Events<'a, R> {
    pub(in crate::timeline) fn of(
        intervals: &'a Intervals,
        ready: Option<&'a R>,
    ) -> Result<Self, AbsenceReason> {
        let bounds = bounds(intervals);
        let first = bounds.map_or(0, |(first, _)| first);
        let earliest = ready.and_then(ReadyTimes::earliest);
        let base = earliest.map_or(first, |time| first.min(time));
        let last = bounds.map_or(base, |(_, last)| last);
        if i128::from(last) - i128::from(base) >= 1 << (64 - CODE_BITS) {
            return Err(AbsenceReason::because(
                "there is no time line: times of fragments are too far apart",
            ));
        }
        Ok(Self {
            intervals,
            ready,
            base,
            last,
        })
    }

    /// Number of fragments.
    pub(super) fn len(&self) -> usize {
        self.intervals.len()
    }

    /// Calls `event` with the time from `base`, and below it the code, of what happens to fragments. A fragment that starts
    /// when its neighbour ends changes nothing.
    #[inline]
    pub(super) fn of_fragments(&self, rows: Range<usize>, mut event: impl FnMut(u64)) {
        let rows = to_u32(rows.start)..to_u32(rows.end);
        let mut end = None;
        if let Some(ready) = self.ready {
            ready.each(self.intervals, rows, |ran, when| {
                self.of_fragment(ran, when, &mut end, &mut event);
            });
        } else {
            let all = self.intervals.iter(rows);
            all.for_each(|ran| self.of_fragment(ran, None, &mut end, &mut event));
        }
        if let Some(end) = end {
            event(self.pack(end, code::END));
        }
    }

    /// The events of a fragment but for its end, and the end of its neighbour, which is `end`.
    #[inline]
    fn of_fragment(
        &self,
        ran: Interval,
        when: Option<(i64, ReadyBy)>,
        end: &mut Option<i64>,
        event: &mut impl FnMut(u64),
    ) {
        if self.intervals.is_on_helper(ran.fragment) {
            return;
        }
        let (start, before) = (ran.start, end.replace(ran.end));
        let was_ready = when.filter(|(time, _)| *time < start);
        if was_ready.is_none() && before == Some(start) {
            return;
        }
        if let Some(before) = before {
            event(self.pack(before, code::END));
        }
        if let Some((time, by)) = was_ready {
            event(self.pack(time, code::READY + by as u64));
            event(self.pack(start, code::START_READY + by as u64));
        } else {
            event(self.pack(start, code::START));
        }
    }

    #[inline]
    fn pack(&self, time: i64, code: u64) -> u64 {
        (time.abs_diff(self.base) << CODE_BITS) | code
    }

    /// What `sweep` makes of each of the intervals of time that hold all events, in order. A pass over the fragments
    /// finds intervals with about as many events each; a further one sorts each interval by itself and passes over
    /// blocks of fragments that lie outside of it. Intervals are sorted and swept side by side.
    pub(in crate::timeline) fn sweep<T: Send>(
        &self,
        cut: Cut,
        sweep: impl Fn(&Stretch<'_>) -> T + Sync,
    ) -> Vec<T> {
        let (blocks, bounds) = self.intervals_of_time(cut);
        let time = |from_base: u64| {
            let length = from_base.min(self.last.abs_diff(self.base));
            self.base.saturating_add_unsigned(length)
        };
        let swept = bounds
            .into_par_iter()
            .map_init(Vec::new, |events, (bounds, at_begin)| {
                self.sort_between(cut, &blocks, &bounds, events);
                sweep(&Stretch {
                    start: time(bounds.start),
                    end: time(bounds.end),
                    running: at_begin.running,
                    ready: at_begin.ready,
                    events,
                })
            });
        swept.collect()
    }

    /// Replaces a list by the events of an interval of time in order, with times from its begin.
    fn sort_between(&self, cut: Cut, blocks: &[Block], bounds: &Range<u64>, events: &mut Vec<u64>) {
        events.clear();
        for (number, block) in blocks.iter().enumerate() {
            if block.first >= bounds.end || block.last < bounds.start {
                continue;
            }
            let rows = number * cut.block..((number + 1) * cut.block).min(self.len());
            self.of_fragments(rows, |event| {
                if bounds.contains(&(event >> CODE_BITS)) {
                    // From the begin of the interval: shorter numbers are sorted sooner.
                    events.push(event - (bounds.start << CODE_BITS));
                }
            });
        }
        ordering::sort(events);
    }

    /// The times of blocks of fragments, and intervals of time that together hold all events, each with the sum of the
    /// events before it.
    fn intervals_of_time(&self, cut: Cut) -> (Vec<Block>, Vec<(Range<u64>, Sum)>) {
        let length = self.last.abs_diff(self.base);
        let shift = (u64::BITS - length.leading_zeros()).saturating_sub(BUCKETS.trailing_zeros());
        let num_blocks = self.len().div_ceil(cut.block);
        let at_once = num_blocks.div_ceil(rayon::current_num_threads()).max(1);
        let numbers: Vec<usize> = (0..num_blocks).step_by(at_once).collect();
        let parts: Vec<(Vec<Block>, Vec<Sum>)> = numbers
            .into_par_iter()
            .map(|first| {
                let last = (first + at_once).min(num_blocks);
                self.blocks(cut, first..last, shift)
            })
            .collect();
        let mut buckets = vec![Sum::default(); BUCKETS as usize];
        let mut blocks = Vec::with_capacity(num_blocks);
        for (part, of_part) in parts {
            blocks.extend(part);
            for (bucket, of_part) in buckets.iter_mut().zip(of_part) {
                bucket.add(of_part);
            }
        }
        let events = buckets.iter().map(|bucket| bucket.events).sum();
        let spans = blocks.iter();
        let spans = spans.map(|block| block.last.saturating_sub(block.first));
        let at_once = ordering::at_once(events, spans, length).max(cut.at_once);
        let mut bounds = Vec::new();
        let (mut start, mut before, mut sum) = (0, Sum::default(), Sum::default());
        for (bucket, of_bucket) in (0_u64..).zip(buckets) {
            if sum.events > 0 && sum.events + of_bucket.events > at_once {
                bounds.push((start..bucket << shift, before));
                start = bucket << shift;
                before.add(sum);
                sum = Sum::default();
            }
            sum.add(of_bucket);
        }
        bounds.push((start..u64::MAX, before));
        (blocks, bounds)
    }

    /// The times of some blocks, and the sum of those of their events that fall into each bucket of time.
    fn blocks(&self, cut: Cut, numbers: Range<usize>, shift: u32) -> (Vec<Block>, Vec<Sum>) {
        let mut buckets = vec![Sum::default(); BUCKETS as usize];
        let mut blocks = Vec::with_capacity(numbers.len());
        for number in numbers {
            let mut block = Block {
                first: u64::MAX,
                last: 0,
            };
            let rows = number * cut.block..((number + 1) * cut.block).min(self.len());
            self.of_fragments(rows, |event| {
                let time = event >> CODE_BITS;
                block.first = block.first.min(time);
                block.last = block.last.max(time);
                let bucket = usize::try_from(time >> shift).unwrap_or(usize::MAX);
                if let Some(bucket) = buckets.get_mut(bucket) {
                    let (running, ready) = change_of(event);
                    bucket.add(Sum {
                        events: 1,
                        running,
                        ready,
                    });
                }
            });
            blocks.push(block);
        }
        (blocks, buckets)
    }
}

/// The first start and the last end of the fragments of workers.
fn bounds(intervals: &Intervals) -> Option<(i64, i64)> {
    let rows = to_u32(intervals.len());
    let firsts: Vec<u32> = (0..rows).step_by(ROWS_AT_ONCE).collect();
    let parts = firsts.into_par_iter().filter_map(|first| {
        let behind = to_u32(first as usize + ROWS_AT_ONCE).min(rows);
        let of_workers = (intervals.iter(first..behind))
            .filter(|ran| !intervals.is_on_helper(ran.fragment))
            .map(|ran| (ran.start, ran.end));
        of_workers.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    });
    parts.reduce_with(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// An interval of time with its events.
pub(in crate::timeline) struct Stretch<'a> {
    pub(in crate::timeline) start: i64,
    pub(in crate::timeline) end: i64,
    /// Fragments that run and that are ready before the first event.
    pub(in crate::timeline) running: i64,
    pub(in crate::timeline) ready: i64,
    /// Time from the start, and code; sorted.
    events: &'a [u64],
}

impl Stretch<'_> {
    /// Events in order of time, with what they change: running, ready.
    #[inline]
    pub(in crate::timeline) fn changes(&self) -> impl Iterator<Item = (i64, i64, i64)> {
        self.events.iter().map(|&event| {
            let (running, ready) = change_of(event);
            let time = self.start.saturating_add_unsigned(event >> CODE_BITS);
            (time, running, ready)
        })
    }
}

/// A number of events, and what they change together.
#[derive(Clone, Copy, Default)]
struct Sum {
    events: u64,
    running: i64,
    ready: i64,
}

impl Sum {
    #[inline]
    fn add(&mut self, other: Self) {
        self.events += other.events;
        self.running += other.running;
        self.ready += other.ready;
    }
}

/// First and last time of what happens to the fragments of a block.
struct Block {
    first: u64,
    last: u64,
}
