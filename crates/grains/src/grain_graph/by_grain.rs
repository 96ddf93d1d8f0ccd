//! Rows of a table by the grain that they belong to.

use std::ops::Range;

use crate::grain_graph::to_u32;

/// First row of each grain in a table that is sorted by grain, and behind them the number of rows.
pub(crate) fn starts(rows: impl IntoIterator<Item = i32>, grains: usize) -> Vec<u32> {
    let mut rows = rows.into_iter().peekable();
    let mut first = Vec::with_capacity(grains + 2);
    let mut row = 0;
    for grain in 0..=grains {
        while rows
            .next_if(|&at| usize::try_from(at).unwrap_or(0) < grain)
            .is_some()
        {
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
