//! Sums of measures over the runs of a side, grain by grain.

use arrow::array::{Array, Int64Array};

use super::columns::GrainColumns;
use super::index::NONE;

/// Sums over the runs of one side, by place of the grain.
#[derive(Debug, Default)]
pub(super) struct SideSums {
    /// Runs that have the grain.
    pub(super) runs: Vec<u32>,
    pub(super) work: Measure,
    pub(super) lifetime: Measure,
    pub(super) delay: Measure,
}

/// A measure over the runs of one side.
#[derive(Debug, Default)]
pub(super) struct Measure {
    /// Exact; a sum past 63 bits stays at the end of the range.
    sums: Vec<i64>,
    /// Runs in which the grain has a value.
    counts: Vec<u32>,
}

/// Grains that cannot be matched.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Unmatchable {
    pub(super) grains: u64,
    pub(super) work: i128,
    /// Whether the work of any is known.
    pub(super) is_known: bool,
}

type Member<'a> = (&'a [u32], &'a GrainColumns);

impl SideSums {
    /// Adds runs, given the places of their grains; measures in parallel.
    pub(super) fn add(&mut self, slots: usize, members: &[Member<'_>]) {
        let Self {
            runs,
            work,
            lifetime,
            delay,
        } = self;
        rayon::join(
            || {
                rayon::join(
                    || count(runs, slots, members),
                    || work.add(slots, members, |run| &run.work),
                )
            },
            || {
                rayon::join(
                    || lifetime.add(slots, members, |run| &run.lifetime),
                    || delay.add(slots, members, |run| &run.delay),
                )
            },
        );
    }
}

fn count(runs: &mut Vec<u32>, slots: usize, members: &[Member<'_>]) {
    runs.resize(slots, 0);
    for slot in members.iter().flat_map(|(slots, _)| *slots) {
        if let Some(count) = runs.get_mut(*slot as usize) {
            *count += 1;
        }
    }
}

impl Measure {
    fn add(
        &mut self,
        slots: usize,
        members: &[Member<'_>],
        column: impl Fn(&GrainColumns) -> &Int64Array,
    ) {
        self.sums.resize(slots, 0);
        self.counts.resize(slots, 0);
        for (slots, run) in members {
            let column = column(run);
            if column.null_count() == column.len() {
                continue;
            }
            if column.null_count() == 0 {
                for (&slot, &value) in slots.iter().zip(column.values()) {
                    self.take(slot, value);
                }
            } else {
                for (&slot, value) in slots.iter().zip(column) {
                    if let Some(value) = value {
                        self.take(slot, value);
                    }
                }
            }
        }
    }

    /// Rows without a place are out of range.
    #[inline]
    fn take(&mut self, slot: u32, value: i64) {
        let slot = slot as usize;
        if let (Some(sum), Some(count)) = (self.sums.get_mut(slot), self.counts.get_mut(slot)) {
            *sum = sum.saturating_add(value);
            *count += 1;
        }
    }

    /// Sum over the runs that have a value.
    pub(super) fn sum(&self, slot: usize) -> Option<i64> {
        (self.counts[slot] > 0).then(|| self.sums[slot])
    }

    /// Mean over the runs that have a value.
    pub(super) fn mean(&self, slot: usize) -> Option<f64> {
        let count = self.counts[slot];
        (count > 0).then(|| self.sums[slot] as f64 / f64::from(count))
    }

    /// That mean in parts of 2⁻¹⁶, so that sums of means do not depend on their order.
    pub(super) fn fine_mean(&self, slot: usize) -> Option<i128> {
        let count = self.counts[slot];
        let fine = i128::from(self.sums[slot]) << 16;
        match count {
            0 => None,
            1 => Some(fine),
            count => Some(fine / i128::from(count)),
        }
    }
}

/// Adds the grains without a place, by definition.
pub(super) fn add_unmatchable(
    sums: &mut [[Unmatchable; 2]],
    slots: &[u32],
    run: &GrainColumns,
    numbers: &[u32],
    sides: [bool; 2],
) {
    for (row, _) in slots.iter().enumerate().filter(|(_, slot)| **slot == NONE) {
        let number = run.definition_number(row, numbers) as usize;
        let work = run.work.is_valid(row).then(|| run.work.value(row));
        let Some(sums) = sums.get_mut(number) else {
            continue;
        };
        for (sums, _) in sums.iter_mut().zip(sides).filter(|(_, is_on)| *is_on) {
            sums.grains += 1;
            sums.work += i128::from(work.unwrap_or(0));
            sums.is_known |= work.is_some();
        }
    }
}
