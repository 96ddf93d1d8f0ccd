//! Lists the times at which workers became busy or free, in little memory next to the table of fragments.

use rayon::prelude::*;
use sheaf_model::RunTables;
use sheaf_model::table::FragmentEnd;

/// Beginnings and ends of fragments that are sorted at once: 4 bytes each.
const WINDOW: u64 = 1 << 24;
/// Parts of the time of a run whose beginnings and ends are counted.
const CELLS: usize = 1 << 12;
/// Fragments that a thread counts at a time.
const CHUNK: usize = 1 << 18;

/// The times at which all of some number of workers became busy, in turn with those at which one became free. A worker
/// is busy while it runs a fragment, or waits behind one that ended as `pauses` state. Sorts the beginnings and ends of all
/// fragments, window by window, with a pass over the table of fragments for each 16 million of them.
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
    let windows = scale.windows(&events.count(&scale));
    let parts: Vec<Vec<i64>> = (windows.par_iter())
        .map(|window| {
            if window.width() <= u32::MAX.into() {
                events.sweep::<u32>(first, window, workers)
            } else {
                events.sweep::<u64>(first, window, workers)
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
    /// When a fragment begins and ends; nothing for those of a helper of the runtime, which keep no worker busy. A fragment
    /// that ended with a pause lasts until its grain goes on.
    fn of(&self, row: usize) -> Option<(i64, i64)> {
        let fragments = &self.run.fragments;
        let locations = &self.run.summary.locations;
        if self.has_helpers && locations.is_helper(fragments.location.value(row)) {
            return None;
        }
        let start = fragments.start.value(row);
        let end = start.saturating_add(fragments.duration.value(row));
        let next = row + 1;
        let is_pause = || {
            let ended_by = fragments.ended_by.value(row);
            self.pauses.iter().any(|&pause| ended_by == pause as i32)
        };
        let goes_on =
            || next < fragments.len() && fragments.grain.value(next) == fragments.grain.value(row);
        if !self.pauses.is_empty() && is_pause() && goes_on() {
            return Some((start, end.max(fragments.start.value(next))));
        }
        Some((start, end))
    }

    fn rows(&self) -> impl IndexedParallelIterator<Item = std::ops::Range<usize>> {
        let len = self.run.fragments.len();
        let chunks = len.div_ceil(CHUNK);
        (0..chunks)
            .into_par_iter()
            .map(move |chunk| chunk * CHUNK..len.min((chunk + 1) * CHUNK))
    }

    /// The first beginning and the last end.
    fn bounds(&self) -> Option<(i64, i64)> {
        let of_chunk = |rows: std::ops::Range<usize>| {
            let events = rows.filter_map(|row| self.of(row));
            events.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        };
        let bounds = self.rows().filter_map(of_chunk);
        // An end before its beginning is of damaged tables.
        let bounds = bounds.reduce_with(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        bounds.map(|(first, last)| (first, last.max(first)))
    }

    /// Beginnings and ends in each cell.
    fn count(&self, scale: &Scale) -> Vec<Cell> {
        let none = || vec![Cell::default(); CELLS];
        let counted = self.rows().fold(none, |mut cells, rows| {
            for (begin, end) in rows.filter_map(|row| self.of(row)) {
                if let Some(cell) = cells.get_mut(scale.cell(begin)) {
                    cell.begins += 1;
                }
                if let Some(cell) = cells.get_mut(scale.cell(end)) {
                    cell.ends += 1;
                }
            }
            cells
        });
        counted.reduce(none, |mut cells, others| {
            for (cell, other) in cells.iter_mut().zip(others) {
                cell.begins += other.begins;
                cell.ends += other.ends;
            }
            cells
        })
    }

    /// The changes in a window. `T` holds the distance of a time from the begin of the window.
    fn sweep<T>(&self, first: i64, window: &Window, workers: i64) -> Vec<i64>
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
        for (begin, end) in (0..self.run.fragments.len()).filter_map(|row| self.of(row)) {
            begins.extend(place(begin));
            ends.extend(place(end));
        }
        begins.sort_unstable();
        ends.sort_unstable();
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

    fn cell(&self, time: i64) -> usize {
        let cell = distance(self.first, time) >> self.shift;
        usize::try_from(cell).unwrap_or(usize::MAX)
    }

    /// Windows with few events, unless a single cell has more.
    fn windows(&self, cells: &[Cell]) -> Vec<Window> {
        let mut windows: Vec<Window> = Vec::new();
        let mut running = 0;
        for (at, cell) in (0_u64..).zip(cells) {
            let until = (at + 1).saturating_mul(1 << self.shift);
            let events = cell.begins + cell.ends;
            match windows.last_mut() {
                Some(last) if last.cell.begins + last.cell.ends + events <= WINDOW => {
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
