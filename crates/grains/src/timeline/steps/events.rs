//! Events of the fragments of a run in order of time, without a list of all of them.

use sheaf_model::RunTables;

use super::{CODE_BITS, change_of, code};
use crate::ordering;
use crate::timeline::Absent;
use crate::timeline::intervals::Intervals;
use crate::timeline::ready::Ready;

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

/// How often a fragment is looked at, at most on average, to sort the events of all intervals of time.
const LOOKS: u128 = 4;
/// Intervals of time of equal length whose events are counted.
const BUCKETS: u32 = 1 << 16;

/// The events of the fragments of a run: at most three of each.
pub(in crate::timeline) struct Events<'a> {
    starts: &'a [i64],
    intervals: &'a Intervals,
    ready: Option<&'a Ready>,
    /// Time of the first event.
    pub(in crate::timeline) base: i64,
    /// Time of the last event.
    pub(in crate::timeline) last: i64,
}

impl<'a> Events<'a> {
    pub(in crate::timeline) fn of(
        run: &'a RunTables,
        intervals: &'a Intervals,
        ready: Option<&'a Ready>,
    ) -> Result<Self, Absent> {
        let starts = run.fragments.start.values();
        let first = starts.iter().copied().min().unwrap_or(0);
        let base = ready.map_or(first, |ready| {
            let earliest = ready.iter().map(|(_, time, _)| time).min();
            earliest.map_or(first, |time| first.min(time))
        });
        let last = intervals.ends().max().unwrap_or(base);
        if i128::from(last) - i128::from(base) >= 1 << (64 - CODE_BITS) {
            return Err(Absent::because(
                "there is no time line: times of fragments are too far apart",
            ));
        }
        Ok(Self {
            starts,
            intervals,
            ready,
            base,
            last,
        })
    }

    /// Number of fragments.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Calls `event` with the time from `base`, and below it the code, of what happens to a fragment.
    #[inline]
    pub(super) fn of_fragment(&self, fragment: usize, mut event: impl FnMut(u64)) {
        let pack = |time: i64, code: u64| (time.abs_diff(self.base) << CODE_BITS) | code;
        let row = crate::grain_graph::to_u32(fragment);
        let start = self.starts.get(fragment).copied().unwrap_or(0);
        let waits = self.ready.and_then(|ready| ready.get(row));
        match waits.filter(|(time, _)| *time < start) {
            Some((time, by)) => {
                event(pack(time, code::READY + by as u64));
                event(pack(start, code::START_READY + by as u64));
            }
            None => event(pack(start, code::START)),
        }
        event(pack(self.intervals.end(row), code::END));
    }

    /// Calls `change` with every event in order of time: time, change of running fragments, change of ready ones.
    /// A pass over the fragments finds intervals of time with about as many events each; a further one sorts each
    /// interval by itself and passes over blocks of fragments that lie outside of it.
    pub(in crate::timeline) fn each_change(&self, cut: Cut, mut change: impl FnMut(i64, i64, i64)) {
        let (blocks, ends) = self.intervals_of_time(cut);
        let mut events: Vec<u64> = Vec::new();
        let mut first = 0;
        for end in ends {
            events.clear();
            let is_inside = |time: u64| first <= time && time < end;
            for (number, block) in blocks.iter().enumerate() {
                if block.first >= end || block.last < first {
                    continue;
                }
                let rows = number * cut.block..((number + 1) * cut.block).min(self.len());
                for fragment in rows {
                    self.of_fragment(fragment, |event| {
                        if is_inside(event >> CODE_BITS) {
                            // From the begin of the interval: shorter numbers are sorted sooner.
                            events.push(event - (first << CODE_BITS));
                        }
                    });
                }
            }
            ordering::sort(&mut events);
            for &event in &events {
                let (running, ready) = change_of(event);
                let time = first + (event >> CODE_BITS);
                change(self.base.saturating_add_unsigned(time), running, ready);
            }
            first = end;
        }
    }

    /// The times of blocks of fragments, and ends of intervals of time that together hold all events.
    fn intervals_of_time(&self, cut: Cut) -> (Vec<Block>, Vec<u64>) {
        let length = self.last.abs_diff(self.base);
        let shift = (u64::BITS - length.leading_zeros()).saturating_sub(BUCKETS.trailing_zeros());
        let mut counts = vec![0_u64; BUCKETS as usize];
        let mut blocks = Vec::with_capacity(self.len() / cut.block + 1);
        for first in (0..self.len()).step_by(cut.block) {
            let mut block = Block {
                first: u64::MAX,
                last: 0,
            };
            for fragment in first..(first + cut.block).min(self.len()) {
                self.of_fragment(fragment, |event| {
                    let time = event >> CODE_BITS;
                    block.first = block.first.min(time);
                    block.last = block.last.max(time);
                    let bucket = usize::try_from(time >> shift).unwrap_or(usize::MAX);
                    if let Some(count) = counts.get_mut(bucket) {
                        *count += 1;
                    }
                });
            }
            blocks.push(block);
        }
        let at_once = at_once(counts.iter().sum(), &blocks, length).max(cut.at_once);
        let mut ends = Vec::new();
        let mut sum = 0;
        for (bucket, count) in (0_u64..).zip(counts) {
            if sum > 0 && sum + count > at_once {
                ends.push(bucket << shift);
                sum = 0;
            }
            sum += count;
        }
        ends.push(u64::MAX);
        (blocks, ends)
    }
}

/// First and last time of what happens to the fragments of a block.
struct Block {
    first: u64,
    last: u64,
}

/// Events that are sorted at once: more of them if many blocks overlap, as each interval of time looks at all blocks
/// that it meets.
fn at_once(events: u64, blocks: &[Block], length: u64) -> u64 {
    let lengths = blocks.iter().map(|block| block.last - block.first);
    let sum: u128 = lengths.map(u128::from).sum();
    let looks = u128::from(length) * blocks.len() as u128 * LOOKS;
    let share = (u128::from(events) * sum).checked_div(looks).unwrap_or(0);
    u64::try_from(share).unwrap_or(events)
}
