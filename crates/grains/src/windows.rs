//! Cuts the time of a run into windows, each with what begins and ends in it.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_model::table::{FragmentEnd, Fragments, Locations};
use sheaf_model::{Cancelled, Progress, RunTables};

use crate::ordering::{at_once, time_key};
use crate::spans::spans;

/// Fragments that are looked at or passed over together. Neighbours in the table run at about the same time.
pub(crate) const BLOCK: usize = if cfg!(test) { 4 } else { 1 << 12 };
/// Minimum of begins and ends in a window.
const AT_ONCE: u64 = if cfg!(test) { 6 } else { 1 << 20 };
/// Parts of the time of a run whose begins and ends are counted.
const CELLS: u32 = 1 << 12;

/// Time in which a grain kept a worker without a break: fragments of a block, each of which begins when the one before ends.
/// Times are distances from one time, which is not after any of them.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) grain: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Whether a helper of the runtime ran it.
    pub(crate) is_on_helper: bool,
}

/// First begin and last end of the stretches of a block.
struct Block {
    first: u64,
    last: u64,
}

/// The fragments of a run, block by block, and windows of time.
pub(crate) struct Windows<'a> {
    fragments: &'a Fragments,
    locations: &'a Locations,
    has_helpers: bool,
    /// Fragments that end so last until their grain goes on.
    pauses: &'a [FragmentEnd],
    /// Key of the time from which distances count.
    base: u64,
    blocks: Vec<Block>,
    /// Bounds of the windows in order, each from the end of the one before.
    pub(crate) all: Vec<Range<u64>>,
}

impl<'a> Windows<'a> {
    /// Windows with about as many begins and ends each. A fragment that ended as `pauses` state lasts until its grain goes
    /// on. Linear in the fragments.
    ///
    /// # Errors
    /// When the work was stopped.
    pub(crate) fn of(
        run: &'a RunTables,
        pauses: &'a [FragmentEnd],
        progress: &Progress,
    ) -> Result<Self, Cancelled> {
        let (fragments, locations) = (&run.fragments, &run.summary.locations);
        let (first, last) = fragments.start.bounds().unwrap_or_default();
        let (shortest, longest) = fragments.duration.bounds().unwrap_or_default();
        // A negative duration is of damaged tables.
        let first = first.saturating_add(shortest.min(0));
        let base = time_key(first);
        let length = time_key(last.saturating_add(longest.max(0))) - base;
        let mut windows = Self {
            fragments,
            locations,
            has_helpers: locations.have_helpers(),
            pauses,
            base,
            blocks: Vec::new(),
            all: Vec::new(),
        };
        let shift = (u64::BITS - length.leading_zeros()).saturating_sub(CELLS.ilog2());
        let num_blocks = fragments.len().div_ceil(BLOCK);
        let at_once = num_blocks.div_ceil(rayon::current_num_threads()).max(1);
        let parts: Vec<usize> = (0..num_blocks).step_by(at_once).collect();
        let parts = parts.into_par_iter().map(|first| {
            let numbers = first..num_blocks.min(first + at_once);
            windows.count(numbers, shift, progress)
        });
        let parts: Vec<(Vec<Block>, Vec<u64>)> = parts.collect::<Result<_, Cancelled>>()?;
        let mut cells = vec![0; CELLS as usize];
        for (blocks, counts) in parts {
            windows.blocks.extend(blocks);
            for (cell, count) in cells.iter_mut().zip(counts) {
                *cell += count;
            }
        }
        windows.cut(&cells, shift, length);
        Ok(windows)
    }

    /// Blocks, and the number of begins and ends in each cell of time.
    fn count(
        &self,
        numbers: Range<usize>,
        shift: u32,
        progress: &Progress,
    ) -> Result<(Vec<Block>, Vec<u64>), Cancelled> {
        let mut cells = vec![0; CELLS as usize];
        let mut blocks = Vec::with_capacity(numbers.len());
        for number in numbers {
            progress.check()?;
            let (mut first, mut last) = (u64::MAX, 0);
            self.each(number, |stretch| {
                first = first.min(stretch.start);
                last = last.max(stretch.end);
                for time in [stretch.start, stretch.end] {
                    let cell = usize::try_from(time >> shift).unwrap_or(usize::MAX);
                    if let Some(cell) = cells.get_mut(cell) {
                        *cell += 1;
                    }
                }
            });
            blocks.push(Block { first, last });
        }
        Ok((blocks, cells))
    }

    fn cut(&mut self, cells: &[u64], shift: u32, length: u64) {
        let lengths = self.blocks.iter();
        let lengths = lengths.map(|block| block.last.saturating_sub(block.first));
        let at_once = at_once(cells.iter().sum(), lengths, length).max(AT_ONCE);
        let (mut start, mut count) = (0, 0);
        for (number, cell) in (0_u64..).zip(cells) {
            if count > 0 && count + cell > at_once {
                self.all.push(start..number << shift);
                (start, count) = (number << shift, 0);
            }
            count += cell;
        }
        self.all.push(start..u64::MAX);
    }

    /// Calls `visit` with every stretch that runs in a window, cut at the bounds of the window.
    ///
    /// # Errors
    /// When the work was stopped.
    pub(crate) fn each_within(
        &self,
        window: &Range<u64>,
        progress: &Progress,
        mut visit: impl FnMut(Stretch),
    ) -> Result<(), Cancelled> {
        for (number, block) in self.blocks.iter().enumerate() {
            if block.first >= window.end || block.last <= window.start {
                continue;
            }
            progress.check()?;
            self.each(number, |stretch| {
                let start = stretch.start.max(window.start);
                let end = stretch.end.min(window.end);
                if start < end {
                    visit(Stretch {
                        start,
                        end,
                        ..stretch
                    });
                }
            });
        }
        Ok(())
    }

    /// Calls `visit` with every stretch of a block that has a length.
    #[inline]
    fn each(&self, block: usize, mut visit: impl FnMut(Stretch)) {
        let rows = block * BLOCK..((block + 1) * BLOCK).min(self.fragments.len());
        let helpers = self.has_helpers.then(|| {
            let locations = self.fragments.location.values().slice(rows.clone());
            locations
                .into_iter()
                .map(|location| self.locations.is_helper(location))
        });
        let mut helpers = helpers.into_iter().flatten();
        let mut visit = |stretch: Stretch| {
            if stretch.start < stretch.end {
                visit(stretch);
            }
        };
        let key = |time: i64| time_key(time).saturating_sub(self.base);
        let mut last: Option<Stretch> = None;
        for (row, (grain, start, mut end)) in rows.clone().zip(spans(self.fragments, rows)) {
            let is_on_helper = helpers.next().unwrap_or(false);
            if !self.pauses.is_empty() {
                end = self.end_of_pause(row).map_or(end, |time| time.max(end));
            }
            let (start, end) = (key(start), key(end));
            match &mut last {
                Some(last)
                    if (last.grain, last.end, last.is_on_helper)
                        == (grain, start, is_on_helper) =>
                {
                    last.end = end;
                }
                _ => {
                    let next = Stretch {
                        grain,
                        start,
                        end,
                        is_on_helper,
                    };
                    if let Some(done) = last.replace(next) {
                        visit(done);
                    }
                }
            }
        }
        if let Some(done) = last {
            visit(done);
        }
    }

    /// When the grain of a fragment goes on that ended with a pause.
    fn end_of_pause(&self, row: usize) -> Option<i64> {
        let (fragments, next) = (self.fragments, row + 1);
        let ended_by = fragments.ended_by.value(row);
        let is_pause = self.pauses.iter().any(|&pause| ended_by == pause as i32);
        let goes_on = is_pause && fragments.grain.get(next) == fragments.grain.get(row);
        goes_on.then(|| fragments.start.value(next))
    }

    /// The time of the run that a number of a stretch stands for.
    pub(crate) fn time(&self, from_base: u64) -> i64 {
        i64::MIN.wrapping_add_unsigned(self.base.saturating_add(from_base))
    }
}
