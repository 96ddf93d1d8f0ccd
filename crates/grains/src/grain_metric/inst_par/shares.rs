//! What each grain has of the parallelism: least, median and greatest over its intervals.

use sheaf_model::Progress;

use super::pieces::Pieces;
use super::quantiles::{Extremes, Query, medians};
use super::{AbsenceReason, Values, check};
use crate::stopping::CHECKED_EVERY;

/// No value.
const NONE: u32 = u32::MAX;

/// Grains with at most this many pieces are settled one by one.
const FEW: u32 = 24;

/// Pieces up to which medians are made with the rest: they take 48 bytes of each more.
const MANY: usize = 1 << 20;

/// The smallest, largest and middle counts of each grain.
#[derive(Debug)]
pub(in crate::grain_metric) struct Shares {
    least: Vec<u32>,
    greatest: Vec<u32>,
    /// The two middle counts, which are the same where the number of intervals is odd; absent where nobody asked.
    middle: Option<Vec<(u32, u32)>>,
}

/// Part of the counts that a metric needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::grain_metric) enum Asked {
    Bounds,
    Medians,
}

impl Shares {
    /// Cost n log n in the number of stretches, whatever the number of intervals.
    ///
    /// # Errors
    /// When the evaluation was stopped.
    pub(super) fn of(
        pieces: &Pieces,
        grains: usize,
        asked: Asked,
        progress: &Progress,
    ) -> Result<Self, AbsenceReason> {
        let needs_middle = asked == Asked::Medians || pieces.counts.len() <= MANY;
        let mut shares = Self {
            least: vec![NONE; grains],
            greatest: vec![NONE; grains],
            middle: needs_middle.then(|| vec![(NONE, NONE); grains]),
        };
        let extremes = Extremes::of(&pieces.counts, &pieces.lengths);
        let mut queries: Vec<Query> = Vec::new();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut few: Vec<(u32, u64)> = Vec::new();
        let grains = pieces.ranges.chunk_by(|a, b| a.0 == b.0);
        for (number, own) in grains.enumerate() {
            if number.is_multiple_of(CHECKED_EVERY) {
                check(progress)?;
            }
            let Some(&(grain, ..)) = own.first() else {
                continue;
            };
            let count = own
                .iter()
                .map(|range| range.2 - range.1)
                .fold(0, u32::saturating_add);
            if count <= FEW {
                few.clear();
                for range in own {
                    few.extend(pieces.between(range.1, range.2));
                }
                few.sort_unstable();
                shares.settle(grain, &few);
                continue;
            }
            let bounds = own.iter().map(|range| extremes.within(range.1, range.2));
            let both = bounds.fold((NONE, 0), |(least, greatest), bounds| {
                (bounds.0.min(least), bounds.1.max(greatest))
            });
            shares.set(grain, both.0, both.1, None);
            if !needs_middle {
                continue;
            }
            let first = ranges.len();
            ranges.extend(own.iter().map(|range| (range.1, range.2)));
            let lengths = own.iter().map(|range| extremes.weight(range.1, range.2));
            queries.push(Query::median(grain, lengths.sum(), first..ranges.len()));
        }
        if !queries.is_empty() {
            let is_stopped = || progress.is_stopped();
            let values = (pieces.counts.as_slice(), pieces.lengths.as_slice());
            for (grain, low, high) in medians(values, queries, ranges, is_stopped) {
                shares.set_middle(grain, low, high);
            }
        }
        check(progress)?;
        Ok(shares)
    }

    /// From counts with their lengths, ascending.
    fn settle(&mut self, grain: u32, sorted: &[(u32, u64)]) {
        let total: u64 = sorted.iter().map(|(_, length)| length).sum();
        let of_rank = |rank: u64| {
            let mut before = 0;
            let found = sorted.iter().find(|(_, length)| {
                before += length;
                before > rank
            });
            found.map_or(NONE, |(count, _)| *count)
        };
        if let (Some(least), Some(greatest)) = (sorted.first(), sorted.last()) {
            let middle = (of_rank((total - 1) / 2), of_rank(total / 2));
            self.set(grain, least.0, greatest.0, Some(middle));
        }
    }

    fn set(&mut self, grain: u32, least: u32, greatest: u32, middle: Option<(u32, u32)>) {
        let at = grain as usize;
        if let (Some(low), Some(high)) = (self.least.get_mut(at), self.greatest.get_mut(at)) {
            (*low, *high) = (least, greatest);
        }
        let slot = self.middle.as_mut().and_then(|all| all.get_mut(at));
        if let (Some(slot), Some(middle)) = (slot, middle) {
            *slot = middle;
        }
    }

    fn set_middle(&mut self, grain: u32, low: Option<u32>, high: Option<u32>) {
        let slot = self.middle.as_mut();
        if let Some(slot) = slot.and_then(|all| all.get_mut(grain as usize)) {
            slot.0 = low.unwrap_or(slot.0);
            slot.1 = high.unwrap_or(slot.1);
        }
    }

    /// Whether it holds what is asked for.
    pub(super) fn has(&self, asked: Asked) -> bool {
        asked == Asked::Bounds || self.middle.is_some()
    }

    pub(super) fn least(&self) -> Values {
        integers(&self.least)
    }

    pub(super) fn greatest(&self) -> Values {
        integers(&self.greatest)
    }

    pub(super) fn median(&self) -> Values {
        let middle = self.middle.iter().flatten();
        let middle = middle.map(|&(low, high)| {
            let is_there = low != NONE && high != NONE;
            is_there.then(|| f64::midpoint(f64::from(low), f64::from(high)))
        });
        Values::Floats(middle.collect())
    }
}

fn integers(values: &[u32]) -> Values {
    let values = values.iter();
    let value = |&value: &u32| (value != NONE).then(|| i64::from(value));
    Values::Integers(values.map(value).collect())
}

impl Pieces {
    /// Counts and lengths of pieces.
    fn between(&self, first: u32, last: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let range = first as usize..last as usize;
        let counts = self.counts.get(range.clone()).unwrap_or_default();
        let lengths = self.lengths.get(range).unwrap_or_default();
        counts.iter().copied().zip(lengths.iter().copied())
    }
}
