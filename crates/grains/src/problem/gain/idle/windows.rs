//! Cuts the time of a run into windows, each with what begins and ends in it.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_model::table::{Fragments, Locations};
use sheaf_model::{Cancelled, Progress, RunTables};

use crate::ordering::time_key;
use crate::spans::spans;

/// Fragments that are looked at or passed over together. Neighbours in the table run at about the same time.
pub(super) const BLOCK: usize = if cfg!(test) { 4 } else { 1 << 12 };
/// Minimum of begins and ends in a window.
const AT_ONCE: u64 = if cfg!(test) { 6 } else { 1 << 20 };
/// Parts of the time of a run whose begins and ends are counted.
const CELLS: u32 = 1 << 12;
/// How often a fragment is looked at, at most on average.
const LOOKS: u128 = 4;

/// Time in which a grain ran without a break: fragments of a block, each of which begins when the one before ends.
/// Times count from the first begin of the run.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    pub(super) grain: u32,
    pub(super) start: u64,
    pub(super) end: u64,
    /// Whether a helper of the runtime ran it.
    pub(super) is_on_helper: bool,
}

/// First begin and last end of the stretches of a block.
struct Block {
    first: u64,
    last: u64,
}

/// The fragments of a run, block by block, and windows of time.
pub(super) struct Windows<'a> {
    fragments: &'a Fragments,
    locations: &'a Locations,
    has_helpers: bool,
    /// Key of the first begin.
    base: u64,
    blocks: Vec<Block>,
    /// Bounds of the windows in order, each from the end of the one before.
    pub(super) all: Vec<Range<u64>>,
}

impl<'a> Windows<'a> {
    /// Windows with about as many begins and ends each. Linear in the fragments.
    ///
    /// # Errors
    /// When the work was stopped.
    pub(super) fn of(run: &'a RunTables, progress: &Progress) -> Result<Self, Cancelled> {
        let (fragments, locations) = (&run.fragments, &run.summary.locations);
        let (first, last) = fragments.start.bounds().unwrap_or_default();
        let longest = fragments.duration.bounds().map_or(0, |bounds| bounds.1);
        let base = time_key(first);
        let length = time_key(last.saturating_add(longest.max(0))) - base;
        let mut windows = Self {
            fragments,
            locations,
            has_helpers: locations.have_helpers(),
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
        let lengths = lengths.map(|block| u128::from(block.last.saturating_sub(block.first)));
        let looks = u128::from(length) * self.blocks.len() as u128 * LOOKS;
        let all: u64 = cells.iter().sum();
        // More if many blocks overlap, as each window looks at all blocks that it meets.
        let overlap = (u128::from(all) * lengths.sum::<u128>()).checked_div(looks);
        let overlap = u64::try_from(overlap.unwrap_or(0)).unwrap_or(u64::MAX);
        let at_once = overlap.max(AT_ONCE);
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
    pub(super) fn each_within(
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
        for (grain, start, end) in spans(self.fragments, rows) {
            let is_on_helper = helpers.next().unwrap_or(false);
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
}
