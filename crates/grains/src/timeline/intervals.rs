//! When each fragment ran, and which fragment goes on after each wait.

use std::ops::Range;

use arrow::array::BooleanBufferBuilder;
use sheaf_model::RunTables;
use sheaf_model::table::{CompactColumn, FragmentEnd, GrainKind, flags};

use super::AbsenceReason;
use crate::grain_graph::by_grain::Ranges;
use crate::grain_graph::{NONE, to_u32};

/// A fragment and when it ran.
#[derive(Clone, Copy)]
pub(super) struct Interval {
    pub(super) fragment: u32,
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Whether fragments may have ended with a wait for a lock or a call of MPI. Linear in the blocks of the column.
pub(super) fn have_pauses(run: &RunTables) -> bool {
    let bounds = run.fragments.ended_by.bounds();
    let is_between = |pause: FragmentEnd| {
        bounds.is_some_and(|(smallest, largest)| (smallest..=largest).contains(&(pause as i32)))
    };
    is_between(FragmentEnd::Lock) || is_between(FragmentEnd::Message)
}

/// Whether a fragment ended with a wait for a lock or a call of MPI.
#[inline]
pub(super) fn is_pause(run: &RunTables, fragment: u32) -> bool {
    let code = run.fragments.ended_by.get(fragment as usize);
    code.is_some_and(|code| is_end(code, FragmentEnd::Lock) || is_end(code, FragmentEnd::Message))
}

/// Fragments of a run by grain, with their ends.
pub(super) struct Intervals {
    /// First fragment of each grain, and behind them their number.
    first: Vec<u32>,
    starts: CompactColumn<i64>,
    durations: CompactColumn<i64>,
    /// Ends of all fragments if some of them last longer than the table states; else empty.
    extended: Vec<i64>,
    /// Waits of each grain.
    waits: Ranges,
    /// Fragment that goes on after each wait.
    after_wait: Vec<u32>,
    /// Whether a fragment goes on after a wait, a bit each.
    follows_wait: BooleanBufferBuilder,
    /// Fragments that helpers of the runtime ran; empty without helpers.
    on_helper: Vec<bool>,
    /// Sum of the time that workers spent computing.
    pub(super) work: i64,
    /// Whether fragments end where the program created, waited or entered something; else they
    /// are only cut where the worker did something else.
    pub(super) has_program_points: bool,
}

impl Intervals {
    pub(super) fn of(run: &RunTables) -> Result<Self, AbsenceReason> {
        let (grains, fragments, waits) = (&run.grains, &run.fragments, &run.waits);
        if fragments.is_empty() {
            return Err(no_times(run));
        }
        let mut follows_wait = BooleanBufferBuilder::new(fragments.len());
        follows_wait.append_n(fragments.len(), false);
        let mut intervals = Self {
            first: offsets(fragments.grain.values(), grains.len()),
            starts: fragments.start.clone(),
            durations: fragments.duration.clone(),
            extended: Vec::new(),
            waits: Ranges::of_rows(waits.grain.values().iter().copied(), grains.len()),
            after_wait: vec![NONE; waits.len()],
            follows_wait,
            on_helper: on_helper(run),
            work: 0,
            has_program_points: has_program_points(run),
        };
        for grain in 0..to_u32(grains.len()) {
            if !intervals.waits(grain).is_empty() {
                intervals.place_waits(run, grain);
            }
            intervals.add_work(run, grain);
        }
        Ok(intervals)
    }

    /// Waits of a grain stand between two of its fragments.
    fn place_waits(&mut self, run: &RunTables, grain: u32) {
        let starts = run.waits.start.values();
        let is_collapsed = run.grains.flags.value(grain as usize) & flags::COLLAPSED != 0;
        let mut waits = self.waits(grain);
        let fragments = self.fragments(grain);
        let mut before: Option<u32> = None;
        for fragment in fragments.clone() {
            let start = run.fragments.start.value(fragment as usize);
            let mut is_wait = before.is_some_and(|before| {
                is_end(
                    run.fragments.ended_by.value(before as usize),
                    FragmentEnd::Wait,
                )
            });
            let latest = before.map_or(start, |before| start.max(self.end(before)));
            while let Some(&wait) = waits.clone().next().and_then(|at| starts.get(at as usize))
                && (wait < start || is_wait && wait <= latest)
            {
                if is_wait && is_collapsed {
                    self.extend(before, wait);
                }
                is_wait = false;
                let at = waits.next().unwrap_or(NONE);
                if let Some(slot) = self.after_wait.get_mut(at as usize) {
                    *slot = fragment;
                }
                self.follows_wait.set_bit(fragment as usize, true);
            }
            before = Some(fragment);
        }
        if is_collapsed {
            self.extend_last(run, grain, waits);
        }
    }

    /// Of a folded subgraph the table holds its work as a length; the wait behind it begins where it ends.
    fn extend(&mut self, fragment: Option<u32>, end: i64) {
        let Some(fragment) = fragment.filter(|&fragment| end > self.end(fragment)) else {
            return;
        };
        if self.extended.is_empty() {
            self.extended = self.ends().collect();
        }
        if let Some(slot) = self.extended.get_mut(fragment as usize) {
            *slot = end;
        }
    }

    fn extend_last(&mut self, run: &RunTables, grain: u32, mut waits: Range<u32>) {
        let last = self.fragments(grain).next_back();
        let end = waits
            .next()
            .map(|wait| run.waits.start.value(wait as usize));
        self.extend(last, end.unwrap_or(i64::MIN));
    }

    /// A folded subgraph that several workers ran has more work than it is long.
    fn add_work(&mut self, run: &RunTables, grain: u32) {
        let at = grain as usize;
        let fragments = self.fragments(grain);
        let durations = run.fragments.duration.values();
        let of_workers = fragments.clone().filter(|&row| !self.is_on_helper(row));
        let mut sum: i64 = of_workers.fold(0, |sum, row| {
            sum.saturating_add(durations.get(row as usize).unwrap_or(0))
        });
        if run.grains.flags.value(at) & flags::COLLAPSED != 0 {
            if run.grains.work.is_valid(at) {
                sum = sum.max(run.grains.work.value(at));
            }
            if run.grains.end.is_valid(at) {
                self.extend(fragments.clone().next_back(), run.grains.end.value(at));
            }
        }
        self.work = self.work.saturating_add(sum);
    }

    /// Fragments of a grain, in order of time.
    #[inline]
    pub(super) fn fragments(&self, grain: u32) -> Range<u32> {
        bounds(&self.first, grain)
    }

    /// Waits of a grain, in order of time.
    #[inline]
    pub(super) fn waits(&self, grain: u32) -> Range<u32> {
        self.waits.of(grain as usize)
    }

    /// Number of grains.
    pub(super) fn num_grains(&self) -> u32 {
        to_u32(self.first.len()).saturating_sub(1)
    }

    /// Number of fragments.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// End of a fragment; of one that stands for a folded subgraph, the subgraph's end.
    #[inline]
    pub(super) fn end(&self, fragment: u32) -> i64 {
        let at = fragment as usize;
        if let Some(&end) = self.extended.get(at) {
            return end;
        }
        let times = self.starts.get(at).zip(self.durations.get(at));
        times.map_or(0, |(start, length)| start.saturating_add(length.max(0)))
    }

    /// Whether a helper of the runtime ran a fragment, which is then no time of a worker.
    #[inline]
    pub(super) fn is_on_helper(&self, fragment: u32) -> bool {
        self.on_helper.get(fragment as usize) == Some(&true)
    }

    /// Ends of all fragments.
    pub(super) fn ends(&self) -> impl Iterator<Item = i64> {
        (0..to_u32(self.len())).map(|fragment| self.end(fragment))
    }

    /// Last fragment of a grain.
    #[inline]
    pub(super) fn last(&self, grain: u32) -> Option<u32> {
        self.fragments(grain).next_back()
    }

    /// The fragment that goes on after a wait.
    #[inline]
    pub(super) fn after_wait(&self, wait: u32) -> Option<u32> {
        let fragment = self.after_wait.get(wait as usize).copied();
        fragment.filter(|&fragment| fragment != NONE)
    }

    /// When the next fragment of a grain is ready after one that is not the last.
    #[inline]
    pub(super) fn continues_at(&self, run: &RunTables, before: u32) -> i64 {
        // A grain that waits for a lock or in MPI is not ready. A slice that was only cut around another one
        // could not go on before.
        if self.has_program_points && !is_pause(run, before) {
            self.end(before)
        } else {
            let start = self.starts.get(before as usize + 1);
            start.unwrap_or(0)
        }
    }

    /// The same, of a fragment whose grain goes on at `start`.
    #[inline]
    pub(super) fn goes_on_at(&self, before: Interval, is_pause: bool, start: i64) -> i64 {
        if self.has_program_points && !is_pause {
            before.end
        } else {
            start
        }
    }

    /// Fragments in order.
    pub(super) fn iter(&self, rows: Range<u32>) -> impl Iterator<Item = Interval> {
        let range = to_usize(&rows);
        let starts = self.starts.values().slice(range.clone());
        let lengths = self.durations.values().slice(range);
        let times = starts.into_iter().zip(lengths);
        rows.zip(times).map(|(fragment, (start, length))| {
            let extended = self.extended.get(fragment as usize).copied();
            Interval {
                fragment,
                start,
                end: extended.unwrap_or_else(|| start.saturating_add(length.max(0))),
            }
        })
    }

    /// The grain of a fragment.
    pub(super) fn grain_of(&self, fragment: u32) -> u32 {
        let behind = self.first.partition_point(|&first| first <= fragment);
        to_u32(behind.saturating_sub(1))
    }

    /// Whether a fragment goes on after a wait.
    #[inline]
    pub(super) fn follows_wait(&self, fragment: u32) -> bool {
        let at = fragment as usize;
        at < self.follows_wait.len() && self.follows_wait.get_bit(at)
    }

    /// The last fragment of a grain that ended at a time or before.
    pub(super) fn ended_at(&self, grain: u32, time: i64) -> Option<u32> {
        let fragments = self.fragments(grain);
        let (mut first, mut behind) = (fragments.start, fragments.end);
        while first < behind {
            let middle = first + (behind - first) / 2;
            if self.end(middle) <= time {
                first = middle + 1;
            } else {
                behind = middle;
            }
        }
        first.checked_sub(1).filter(|&at| at >= fragments.start)
    }

    /// The first fragment of a grain that starts at a time or later.
    pub(super) fn starting_at(&self, run: &RunTables, grain: u32, time: i64) -> Option<u32> {
        let fragments = self.fragments(grain);
        let starts = run.fragments.start.values().slice(to_usize(&fragments));
        let count = starts.partition_point(|start| start < time);
        let found = fragments.start + to_u32(count);
        (found < fragments.end).then_some(found)
    }
}

fn on_helper(run: &RunTables) -> Vec<bool> {
    let table = &run.summary.locations;
    if !table.have_helpers() {
        return Vec::new();
    }
    let locations = run.fragments.location.values().iter();
    locations.map(|row| table.is_helper(row)).collect()
}

/// Recorded programs begin with an initial task, also where nothing else happens in them.
fn has_program_points(run: &RunTables) -> bool {
    let kinds = run.grains.kind.values();
    let ends = run.fragments.ended_by.values();
    kinds.contains(GrainKind::Initial as i32)
        || ends.iter().any(|code| {
            is_end(code, FragmentEnd::Creation)
                || is_end(code, FragmentEnd::Wait)
                || is_end(code, FragmentEnd::Enter)
        })
}

fn no_times(run: &RunTables) -> AbsenceReason {
    let lacks = &run.summary.meta.lacks;
    let reason = ["fragments", "start"]
        .iter()
        .find_map(|&key| lacks.get(key));
    AbsenceReason::because(match reason {
        Some(reason) => format!("there is no time line: {reason}"),
        None => "there is no time line: the source does not say when grains ran".to_owned(),
    })
}

pub(super) fn is_end(code: i32, end: FragmentEnd) -> bool {
    code == end as i32
}

/// First row of each owner in a column sorted by owner, and behind them the number of rows.
pub(super) fn offsets(owners: impl IntoIterator<Item = i32>, count: usize) -> Vec<u32> {
    let mut first = vec![0_u32; count + 1];
    for owner in owners {
        let slot = usize::try_from(owner).ok().map(|owner| owner + 1);
        if let Some(sum) = slot.and_then(|slot| first.get_mut(slot)) {
            *sum += 1;
        }
    }
    let mut sum = 0;
    for slot in &mut first {
        sum += *slot;
        *slot = sum;
    }
    first
}

#[inline]
pub(super) fn bounds(first: &[u32], owner: u32) -> Range<u32> {
    let at = |slot: usize| first.get(slot).copied().unwrap_or(0);
    at(owner as usize)..at(owner as usize + 1)
}

pub(super) fn to_usize(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
