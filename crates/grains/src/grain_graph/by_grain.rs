//! Rows of a table by the grain that they belong to.

use std::ops::Range;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::BooleanBuffer;

use crate::grain_graph::to_u32;

/// First row of each grain in a table that is sorted by grain, and behind them the number of rows.
pub(crate) fn starts(rows: &[i32], grains: usize) -> Vec<u32> {
    first_rows(
        rows.len(),
        |row| rows.get(row).copied().unwrap_or(0),
        grains,
    )
}

fn first_rows(len: usize, grain_of: impl Fn(usize) -> i32, grains: usize) -> Vec<u32> {
    let mut first = Vec::with_capacity(grains + 2);
    let mut row = 0;
    for grain in 0..=grains {
        while row < len && usize::try_from(grain_of(row)).unwrap_or(0) < grain {
            row += 1;
        }
        first.push(to_u32(row));
    }
    first.push(to_u32(row));
    first
}

pub(crate) fn bounds(first: &[u32], slot: usize) -> Range<u32> {
    let at = |slot: usize| first.get(slot).copied().unwrap_or(0);
    at(slot)..at(slot + 1)
}

/// Rows of a table that is sorted by grain, in little memory if few grains have rows.
pub(super) enum RowsByGrain {
    /// First row of each grain, and behind them the number of rows.
    Dense(Vec<u32>),
    /// The grains that have rows, in order, with the first; and the number of rows.
    Sparse {
        has_rows: BooleanBuffer,
        first: Vec<(u32, u32)>,
        len: u32,
    },
}

impl RowsByGrain {
    /// For `len` rows with their grains, in order.
    pub(super) fn new(len: usize, grain_of: impl Fn(usize) -> i32, grains: usize) -> Self {
        let begins = |row: &usize| *row == 0 || grain_of(*row) != grain_of(*row - 1);
        if (0..len).filter(begins).count() > grains / SPARSE {
            return Self::Dense(first_rows(len, grain_of, grains));
        }
        let mut has_rows = BooleanBufferBuilder::new(grains);
        has_rows.append_n(grains, false);
        let mut first: Vec<(u32, u32)> = Vec::new();
        for row in (0..len).filter(begins) {
            let grain = u32::try_from(grain_of(row)).unwrap_or(0);
            first.push((grain, to_u32(row)));
            if (grain as usize) < grains {
                has_rows.set_bit(grain as usize, true);
            }
        }
        Self::Sparse {
            has_rows: has_rows.finish(),
            first,
            len: to_u32(len),
        }
    }

    pub(super) fn of(&self, grain: usize) -> Range<u32> {
        match self {
            Self::Dense(first) => bounds(first, grain),
            Self::Sparse {
                has_rows,
                first,
                len,
            } => {
                if grain >= has_rows.len() || !has_rows.value(grain) {
                    return 0..0;
                }
                let at = first.partition_point(|&(other, _)| (other as usize) < grain);
                let row = |at: usize| first.get(at).map_or(*len, |&(_, row)| row);
                row(at)..row(at + 1)
            }
        }
    }
}

/// Grains for each that has rows, from which on a list of these takes much less memory than one of all grains.
const SPARSE: usize = 4;

/// Items by slot, in their order.
pub(crate) struct Groups {
    /// First item of each slot, and behind them their number.
    first: Vec<u32>,
    sorted: Vec<u32>,
}

impl Groups {
    pub(crate) fn new(slots: usize, items: usize, slot: impl Fn(usize) -> usize) -> Self {
        let mut first = vec![0_u32; slots + 2];
        for item in 0..items {
            if let Some(count) = first.get_mut(slot(item) + 2) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut first {
            sum += *count;
            *count = sum;
        }
        let mut sorted = vec![0; items];
        for item in 0..items {
            // The place behind a slot's first moves on until it is the next slot's first.
            if let Some(next) = first.get_mut(slot(item) + 1) {
                if let Some(entry) = sorted.get_mut(*next as usize) {
                    *entry = to_u32(item);
                }
                *next += 1;
            }
        }
        Self { first, sorted }
    }

    /// First item of each slot and behind them their number, and the items by slot.
    pub(crate) fn into_parts(self) -> (Vec<u32>, Vec<u32>) {
        (self.first, self.sorted)
    }

    pub(crate) fn of(&self, slot: usize) -> &[u32] {
        let range = bounds(&self.first, slot);
        self.sorted
            .get(range.start as usize..range.end as usize)
            .unwrap_or_default()
    }
}
