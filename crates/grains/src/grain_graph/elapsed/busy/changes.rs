//! Lists the times at which workers became busy or free, in little memory next to the table of fragments.

use rayon::prelude::*;
use sheaf_model::RunTables;
use sheaf_model::table::FragmentEnd;

use crate::ordering;

/// Minimum of beginnings and ends that are sorted at once: few enough for the caches of a processor.
const AT_ONCE: u64 = if cfg!(test) { 1 << 3 } else { 1 << 20 };
/// Parts of the time of a run whose beginnings and ends are counted.
const CELLS: usize = 1 << 12;
/// Fragments that are looked at or passed over together. Neighbours in the table run at about the same time.
const BLOCK: usize = if cfg!(test) { 1 << 2 } else { 1 << 12 };

/// The times at which all of some number of workers became busy, in turn with those at which one became free. A worker
/// is busy while it runs a fragment, or waits behind one that ended as `pauses` state. A pass over the fragments counts
/// their beginnings and ends; a further one sorts them, window by window of time, and passes over blocks of fragments that
/// lie outside of the window. Windows are worked on side by side.
pub(super) fn changes(run: &RunTables, pauses: &[FragmentEnd], workers: i64) -> Vec<i64> {
    let events = Events {
        run,
        pauses,
        has_helpers: run.summary.locations.have_helpers(),
    };
    let Some((first, last)) = events.bounds() else {
        return Vec::new();
    };
    let scale = Scale::new(first, last);
    let counts = events.count(&scale);
    let windows = scale.windows(&counts);
    let parts: Vec<Vec<i64>> = (windows.par_iter())
        .map(|window| {
            if window.width() <= u32::MAX.into() {
                events.sweep::<u32>(first, window, &counts.blocks, workers)
            } else {
                events.sweep::<u64>(first, window, &counts.blocks, workers)
            }
        })
        .collect();
    parts.concat()
}

/// The fragments that keep workers busy.
struct Events<'a> {
    run: &'a RunTables,
    pauses: &'a [FragmentEnd],
    has_helpers: bool,
}

impl Events<'_> {
    /// Two times that enclose all beginnings and ends.
    fn bounds(&self) -> Option<(i64, i64)> {
        let fragments = &self.run.fragments;
        let (first, last) = fragments.start.bounds()?;
        let (shortest, longest) = fragments.duration.bounds()?;
        // A negative duration is of damaged tables.
        let first = first.saturating_add(shortest.min(0));
        Some((first, last.saturating_add(longest.max(0))))
    }

    /// Calls `visit` with the begin and the end of the time for which fragments of a block keep a worker busy. Fragments of
    /// a grain that touch are one. A fragment that ended with a pause lasts until its grain goes on. Fragments of a helper
    /// of the runtime keep no worker busy.
    fn each(&self, block: usize, mut visit: impl FnMut(i64, i64)) {
        let fragments = &self.run.fragments;
        let rows = block * BLOCK..fragments.len().min((block + 1) * BLOCK);
        let grains = fragments.grain.values().slice(rows.clone());
        let starts = fragments.start.values().slice(rows.clone());
        let durations = fragments.duration.values().slice(rows.clone());
        let times = starts.into_iter().zip(durations);
        let mut last: Option<(i32, i64, i64)> = None;
        for (row, (grain, (start, duration))) in rows.zip(grains.into_iter().zip(times)) {
            if self.is_on_helper(row) {
                continue;
            }
            let mut end = start.saturating_add(duration);
            if let Some(goes_on) = self.goes_on_after_pause(row) {
                end = end.max(goes_on);
            }
            match &mut last {
                Some(last) if last.0 == grain && last.2 == start => last.2 = end,
                _ => {
                    if let Some((_, start, end)) = last.replace((grain, start, end)) {
                        visit(start, end);
                    }
                }
            }
        }
        if let Some((_, start, end)) = last {
            visit(start, end);
        }
    }

    fn is_on_helper(&self, row: usize) -> bool {
        let run = self.run;
        self.has_helpers && (run.summary.locations).is_helper(run.fragments.location.value(row))
    }

    /// When the grain of a fragment goes on that ended with a pause.
    fn goes_on_after_pause(&self, row: usize) -> Option<i64> {
        if self.pauses.is_empty() {
            return None;
        }
        let (fragments, next) = (&self.run.fragments, row + 1);
        let ended_by = fragments.ended_by.value(row);
        let is_pause = self.pauses.iter().any(|&pause| ended_by == pause as i32);
        let goes_on = is_pause && fragments.grain.get(next) == fragments.grain.get(row);
        goes_on.then(|| fragments.start.value(next))
    }

    /// Counts beginnings and ends.
    fn count(&self, scale: &Scale) -> Counts {
        let blocks = self.run.fragments.len().div_ceil(BLOCK);
        let at_once = blocks.div_ceil(rayon::current_num_threads()).max(1);
        let firsts: Vec<usize> = (0..blocks).step_by(at_once).collect();
        let parts = firsts.into_par_iter().map(|first| {
            let mut counts = Counts::default();
            for block in first..blocks.min(first + at_once) {
                self.count_block(block, scale, &mut counts);
            }
            counts
        });
        let mut all = Counts::default();
        for part in parts.collect::<Vec<_>>() {
            all.blocks.extend(part.blocks);
            for (cell, other) in all.cells.iter_mut().zip(part.cells) {
                cell.begins += other.begins;
                cell.ends += other.ends;
            }
        }
        all
    }

    fn count_block(&self, block: usize, scale: &Scale, counts: &mut Counts) {
        let mut bounds = Block {
            first: u64::MAX,
            last: 0,
        };
        self.each(block, |begin, end| {
            for (time, is_begin) in [(begin, true), (end, false)] {
                let place = distance(scale.first, time);
                bounds.first = bounds.first.min(place);
                bounds.last = bounds.last.max(place);
                if let Some(cell) = counts.cells.get_mut(scale.cell(place)) {
                    cell.begins += u64::from(is_begin);
                    cell.ends += u64::from(!is_begin);
                }
            }
        });
        counts.blocks.push(bounds);
    }

    /// The changes in a window. `T` holds the distance of a time from the begin of the window.
    fn sweep<T>(&self, first: i64, window: &Window, blocks: &[Block], workers: i64) -> Vec<i64>
    where
        T: Copy + Ord + TryFrom<u64> + Into<u64>,
    {
        let room = |events: u64| usize::try_from(events).unwrap_or(0);
        let mut begins: Vec<T> = Vec::with_capacity(room(window.cell.begins));
        let mut ends: Vec<T> = Vec::with_capacity(room(window.cell.ends));
        let place = |time: i64| {
            let place = distance(first, time).checked_sub(window.from);
            let place = place.filter(|&place| place < window.width());
            place.and_then(|place| T::try_from(place).ok())
        };
        for (number, block) in blocks.iter().enumerate() {
            if block.first < window.until && block.last >= window.from {
                self.each(number, |begin, end| {
                    begins.extend(place(begin));
                    ends.extend(place(end));
                });
            }
        }
        ordering::sort(&mut begins);
        ordering::sort(&mut ends);
        let mut begins = begins.into_iter().peekable();
        let mut ends = ends.into_iter().peekable();
        let mut running = window.running;
        let mut changes = Vec::new();
        while let Some(place) = begins.peek().into_iter().chain(ends.peek()).min().copied() {
            let was_busy = running >= workers;
            while begins.next_if_eq(&place).is_some() {
                running += 1;
            }
            while ends.next_if_eq(&place).is_some() {
                running -= 1;
            }
            if was_busy != (running >= workers) {
                let place: u64 = place.into();
                changes.push(first.wrapping_add_unsigned(window.from + place));
            }
        }
        changes
    }
}

/// The first and the last beginning or end of the fragments of a block, as distances.
struct Block {
    first: u64,
    last: u64,
}

/// The times of blocks of fragments, and the beginnings and ends in each cell.
struct Counts {
    blocks: Vec<Block>,
    cells: Vec<Cell>,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            cells: vec![Cell::default(); CELLS],
        }
    }
}

/// Beginnings and ends of fragments in a part of the time.
#[derive(Clone, Copy, Default)]
struct Cell {
    begins: u64,
    ends: u64,
}

/// Distance between two times.
fn distance(first: i64, time: i64) -> u64 {
    time.wrapping_sub(first).cast_unsigned()
}

/// The time of a run in cells of one width, a power of two.
struct Scale {
    first: i64,
    shift: u32,
}

/// Neighbouring cells.
struct Window {
    /// Distance of its begin from the first beginning, and of its end.
    from: u64,
    until: u64,
    /// What begins and ends in it.
    cell: Cell,
    /// Fragments that run at its begin.
    running: i64,
}

impl Window {
    fn width(&self) -> u64 {
        self.until - self.from
    }
}

impl Scale {
    fn new(first: i64, last: i64) -> Self {
        let bits = u64::BITS - distance(first, last).leading_zeros();
        let shift = bits.saturating_sub(CELLS.ilog2());
        Self { first, shift }
    }

    /// The cell of a time that is so far from the first.
    fn cell(&self, distance: u64) -> usize {
        usize::try_from(distance >> self.shift).unwrap_or(usize::MAX)
    }

    /// Windows with few events, unless a single cell has more.
    fn windows(&self, counts: &Counts) -> Vec<Window> {
        let mut windows: Vec<Window> = Vec::new();
        let mut running = 0;
        let events = counts.cells.iter().map(|cell| cell.begins + cell.ends);
        let spans = counts.blocks.iter();
        let spans = spans.map(|block| block.last.saturating_sub(block.first));
        let length = (CELLS as u64).saturating_mul(1 << self.shift);
        let at_once = ordering::at_once(events.sum(), spans, length).max(AT_ONCE);
        for (at, cell) in (0_u64..).zip(&counts.cells) {
            let until = (at + 1).saturating_mul(1 << self.shift);
            let events = cell.begins + cell.ends;
            match windows.last_mut() {
                Some(last) if last.cell.begins + last.cell.ends + events <= at_once => {
                    last.until = until;
                    last.cell.begins += cell.begins;
                    last.cell.ends += cell.ends;
                }
                _ => windows.push(Window {
                    from: at << self.shift,
                    until,
                    cell: *cell,
                    running,
                }),
            }
            running += cell.begins.cast_signed() - cell.ends.cast_signed();
        }
        windows
    }
}
