//! What each grain has of the parallelism: least, median and greatest over its intervals.

use arrow::datatypes::Int64Type;
use sheaf_model::Progress;

use super::pieces::{Pieces, Range};
use super::placed::Placed;
use super::quantiles::{Extremes, Query, medians};
use super::{AbsenceReason, Values, check};
use crate::grain_metric::column::ToFill;

/// No value.
const NONE: u32 = u32::MAX;

/// Grains with at most this many pieces are settled one by one.
const FEW: u32 = 24;

/// Part of the counts that a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::grain_metric) enum Share {
    Least,
    Median,
    Greatest,
}

/// A row per grain. Cost n log n in the number of stretches, whatever the number of intervals.
///
/// # Errors
/// When the evaluation was stopped.
pub(super) fn shares(
    placed: &Placed<'_>,
    pieces: &Pieces,
    grains: usize,
    share: Share,
    progress: &Progress,
) -> Result<Values, AbsenceReason> {
    match share {
        Share::Least => bounds(placed, pieces, grains, progress, |both| both.0),
        Share::Greatest => bounds(placed, pieces, grains, progress, |both| both.1),
        Share::Median => Middles::of(placed, pieces, grains, progress).map(Middles::values),
    }
}

/// One of the smallest and the largest count of each grain.
fn bounds(
    placed: &Placed<'_>,
    pieces: &Pieces,
    grains: usize,
    progress: &Progress,
    bound: impl Fn((u32, u32)) -> u32,
) -> Result<Values, AbsenceReason> {
    let extremes = Extremes::of(&pieces.counts);
    let mut column = ToFill::<Int64Type>::absent(grains);
    pieces.each_grain(placed, progress, |grain, own| {
        let both = own
            .iter()
            .map(|range| extremes.within(range.first_piece, range.last_piece));
        let both = both.fold((NONE, 0), |(least, greatest), both| {
            (both.0.min(least), both.1.max(greatest))
        });
        column.set(grain as usize, Some(bound(both).into()));
    })?;
    Ok(Values::Integers(column.finish()))
}

/// The two middle counts of each grain, which are the same if the number of intervals is odd.
struct Middles(Vec<(u32, u32)>);

impl Middles {
    fn of(
        placed: &Placed<'_>,
        pieces: &Pieces,
        grains: usize,
        progress: &Progress,
    ) -> Result<Self, AbsenceReason> {
        let mut middles = Self(vec![(NONE, NONE); grains]);
        let mut queries: Vec<Query> = Vec::new();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut few: Vec<(u32, u64)> = Vec::new();
        pieces.each_grain(placed, progress, |grain, own| {
            let count = own
                .iter()
                .map(|range| range.last_piece - range.first_piece)
                .fold(0, u32::saturating_add);
            if count <= FEW {
                few.clear();
                for range in own {
                    few.extend(pieces.of_range(range));
                }
                few.sort_unstable();
                let (low, high) = middle(&few);
                middles.set(grain, Some(low), Some(high));
                return;
            }
            let first = ranges.len();
            ranges.extend(
                own.iter()
                    .map(|range| (range.first_piece, range.last_piece)),
            );
            let weight = own.iter().map(|range| range.length).sum();
            queries.push(Query::median(grain, weight, first..ranges.len()));
        })?;
        if !queries.is_empty() {
            let is_stopped = || progress.is_stopped();
            let counts = pieces.counts.iter().copied();
            for (grain, low, high) in
                medians(counts.zip(pieces.lengths(0)), queries, ranges, is_stopped)
            {
                middles.set(grain, low, high);
            }
        }
        check(progress)?;
        Ok(middles)
    }

    fn set(&mut self, grain: u32, low: Option<u32>, high: Option<u32>) {
        if let Some(slot) = self.0.get_mut(grain as usize) {
            slot.0 = low.unwrap_or(slot.0);
            slot.1 = high.unwrap_or(slot.1);
        }
    }

    fn values(self) -> Values {
        let middle = self.0.into_iter().map(|(low, high)| {
            let is_there = low != NONE && high != NONE;
            is_there.then(|| f64::midpoint(f64::from(low), f64::from(high)))
        });
        Values::Floats(middle.collect())
    }
}

/// The two middle ones of counts with their lengths, ascending.
fn middle(sorted: &[(u32, u64)]) -> (u32, u32) {
    let total: u64 = sorted.iter().map(|(_, length)| length).sum();
    let of_rank = |rank: u64| {
        let mut before = 0;
        let found = sorted.iter().find(|(_, length)| {
            before += length;
            before > rank
        });
        found.map_or(NONE, |(count, _)| *count)
    };
    (of_rank(total.saturating_sub(1) / 2), of_rank(total / 2))
}

impl Pieces {
    /// Counts and lengths of the pieces of a range.
    fn of_range(&self, range: &Range) -> impl Iterator<Item = (u32, u64)> + '_ {
        let places = range.first_piece as usize..range.last_piece as usize;
        let counts = self.counts.get(places).unwrap_or_default();
        counts.iter().copied().zip(self.lengths(range.first))
    }
}
