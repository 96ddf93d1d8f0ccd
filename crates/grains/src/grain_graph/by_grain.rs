//! Rows of a table by the grain that they belong to.

use std::ops::Range;

use rayon::prelude::*;

use crate::grain_graph::to_u32;

/// Slots or items that are worked on together; few in tests, whose runs are short.
const SLOTS_AT_ONCE: usize = if cfg!(test) { 4 } else { 1 << 16 };

/// First row of each grain in a table that is sorted by grain, and behind them the number of rows.
pub(crate) fn starts(rows: impl IntoIterator<Item = i32>, grains: usize) -> Vec<u32> {
    let mut first = Vec::with_capacity(grains + 2);
    let mut behind = 0;
    for (row, grain) in (0..).zip(rows) {
        let grain = usize::try_from(grain).unwrap_or(0);
        while first.len() <= grain.min(grains) {
            first.push(row);
        }
        if grain >= grains {
            break;
        }
        behind = row + 1;
    }
    first.resize(grains + 2, behind);
    first
}

pub(crate) fn bounds(first: &[u32], slot: usize) -> Range<u32> {
    let at = |slot: usize| first.get(slot).copied().unwrap_or(0);
    at(slot)..at(slot + 1)
}

/// Ranges of items that are in the order of their slots, of which few have items: a bit per slot, and four bytes per slot
/// that has items.
#[derive(Debug)]
pub(crate) struct Ranges {
    /// A bit per slot that has items.
    words: Vec<u64>,
    /// Slots with items before each word.
    before: Vec<u32>,
    /// First item of each slot that has any, and behind them the number of items.
    first: Vec<u32>,
}

impl Ranges {
    /// No items of so many slots.
    pub(crate) fn new(slots: usize) -> Self {
        let words = slots.div_ceil(64);
        Self {
            words: vec![0; words],
            before: vec![0; words],
            first: Vec::new(),
        }
    }

    /// Rows of a table that is sorted by grain.
    pub(crate) fn of_rows(rows: impl IntoIterator<Item = i32>, grains: usize) -> Self {
        let mut ranges = Self::new(grains);
        let (mut next, mut len) = (0, 0);
        for (row, grain) in (0..).zip(rows) {
            let slot = usize::try_from(grain).unwrap_or(0);
            if slot >= grains {
                return ranges.finish(row);
            }
            if slot >= next {
                ranges.begin(slot, row);
                next = slot + 1;
            }
            len = row + 1;
        }
        ranges.finish(len)
    }

    /// The items of a slot begin; those of the slots before it have begun.
    pub(crate) fn begin(&mut self, slot: usize, first: u32) {
        if let Some(word) = self.words.get_mut(slot / 64) {
            *word |= 1 << (slot % 64);
            self.first.push(first);
        }
    }

    /// The ranges, once all have begun.
    pub(crate) fn finish(mut self, items: u32) -> Self {
        self.first.push(items);
        let mut sum = 0;
        for (word, before) in self.words.iter().zip(&mut self.before) {
            *before = sum;
            sum += word.count_ones();
        }
        self
    }

    /// The items of a slot; if it has none, an empty range where they would be.
    #[inline]
    pub(crate) fn of(&self, slot: usize) -> Range<u32> {
        let at = slot / 64;
        let (Some(word), Some(before)) = (self.words.get(at), self.before.get(at)) else {
            return 0..0;
        };
        let below = word & ((1 << (slot % 64)) - 1);
        let place = (before + below.count_ones()) as usize;
        let has_items = word >> (slot % 64) & 1 == 1;
        let first = |place: usize| self.first.get(place).copied().unwrap_or(0);
        first(place)..first(place + usize::from(has_items))
    }
}

/// The first of so many places of which something does not hold, if it holds of all before.
fn partition_point(places: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, places);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Items by slot, in their order.
pub(crate) struct Groups {
    /// First item of each slot, and behind them their number.
    first: Vec<u32>,
    sorted: Vec<u32>,
}

impl Groups {
    /// Linear. Items that are in the order of their slots, but for those of the last slot in front, are grouped side by
    /// side: grains stand in the order of their parents, mostly, and those without one come first.
    pub(crate) fn new(slots: usize, items: usize, slot: impl Fn(usize) -> usize + Sync) -> Self {
        let last = slots.saturating_sub(1);
        let front = (0..items).take_while(|&item| slot(item) == last).count();
        let behind = (front..items).into_par_iter().with_min_len(SLOTS_AT_ONCE);
        let is_sorted = |item: usize| {
            let next = item + 1;
            slot(item) < last && (next == items || slot(item) <= slot(next))
        };
        if behind.clone().all(is_sorted) {
            Self::of_sorted(slots, items, front, slot)
        } else {
            Self::of_any(slots, items, slot)
        }
    }

    /// Those of items in the order of their slots, after some in front of them that are in the last slot.
    fn of_sorted(
        slots: usize,
        items: usize,
        front: usize,
        slot: impl Fn(usize) -> usize + Sync,
    ) -> Self {
        let behind = items - front;
        let item = |place: usize| {
            if place < behind {
                place + front
            } else {
                place - behind
            }
        };
        let sorted = (0..items).into_par_iter().map(|place| to_u32(item(place)));
        let mut first = vec![0_u32; slots + 2];
        let parts = first.par_chunks_mut(SLOTS_AT_ONCE).enumerate();
        parts.for_each(|(part, first)| {
            let from = part * SLOTS_AT_ONCE;
            let mut place = partition_point(behind, |place| slot(item(place)) < from);
            for (at, first) in (from..).zip(first) {
                while place < behind && slot(item(place)) < at {
                    place += 1;
                }
                *first = to_u32(if at < slots { place } else { items });
            }
        });
        Self {
            sorted: sorted.collect(),
            first,
        }
    }

    fn of_any(slots: usize, items: usize, slot: impl Fn(usize) -> usize) -> Self {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Sorted items, with and without those of the last slot in front, and others against a map.
        #[test]
        fn groups_are_items_by_slot(mut slots in prop::collection::vec(0..40_usize, 0..100), front in 0..3_usize, sorted: bool) {
            if sorted {
                slots.sort_unstable();
                slots.splice(0..0, vec![40; front]);
            }
            let groups = Groups::new(41, slots.len(), |item| slots[item]);
            let (mut behind, mut all) = (0, Vec::new());
            for slot in 0..41 {
                let own: Vec<u32> =
                    (0..).zip(&slots).filter(|(_, of)| **of == slot).map(|(item, _)| item).collect();
                prop_assert_eq!(groups.of(slot), &own[..]);
                prop_assert_eq!(bounds(&groups.first, slot), behind..behind + to_u32(own.len()));
                behind += to_u32(own.len());
                all.extend(own);
            }
            prop_assert_eq!(groups.into_parts().1, all);
        }

        /// Few and many slots with items against a list of first rows.
        #[test]
        fn ranges_are_those_between_first_rows(mut rows in prop::collection::vec(-1..300_i32, 0..400)) {
            for is_few in [false, true] {
                if is_few {
                    for grain in &mut rows {
                        *grain -= *grain % 50;
                    }
                }
                rows.sort_unstable();
                let first = starts(rows.iter().copied(), 300);
                let ranges = Ranges::of_rows(rows.iter().copied(), 300);
                for grain in 0..300 {
                    prop_assert_eq!(ranges.of(grain), bounds(&first, grain));
                }
                prop_assert_eq!(ranges.of(usize::MAX), 0..0);
            }
        }
    }
}
