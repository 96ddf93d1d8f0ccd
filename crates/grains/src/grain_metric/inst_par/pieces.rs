//! How many run in which interval: steps between the intervals where stretches begin and end, so
//! that the number of intervals does not matter.

use sheaf_model::Progress;

use super::placed::{Interval, Placed};
use super::{AbsenceReason, Basis, Overlap, Parallelism, Step, Width, check};
use crate::ordering::Ordered;

/// The intervals of each grain, as pieces in which the count is the same.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Count of each piece.
    pub(super) counts: Vec<u32>,
    /// Number of intervals of each piece.
    pub(super) lengths: Vec<u64>,
    /// Grain, first piece, and the piece behind the last; sorted by grain.
    pub(super) ranges: Vec<(u32, u32, u32)>,
    width: f64,
    intervals: u64,
}

/// Intervals of a width, counted in half units so that a median between two numbers is whole.
#[derive(Debug, Clone, Copy)]
enum Axis {
    Intervals {
        twice: u64,
        overlap: Overlap,
        basis: Basis,
    },
    Instants,
}

impl Axis {
    fn of(placed: &Placed, width: Width, progress: &Progress) -> Result<Self, AbsenceReason> {
        let (twice, overlap) = match width {
            Width::Shortest(overlap) => (2 * placed.shortest(), overlap),
            Width::Gap(overlap) => (2 * placed.smallest_gap(progress)?, overlap),
            Width::Median(overlap) => (placed.twice_median(), overlap),
            Width::Instant => return Ok(Self::Instants),
        };
        if twice == 0 {
            return Err(AbsenceReason::because(match width {
                Width::Gap(_) => "no fragment begins apart from the end of another",
                _ => "fragments are too short to measure intervals on them",
            }));
        }
        Ok(Self::Intervals {
            twice,
            overlap,
            basis: placed.basis,
        })
    }

    /// First and last interval that a stretch counts for.
    ///
    /// Interval `k` of width `w` is `[kw, kw + w - 1]` on the logical axis, both ends inclusive, as the
    /// prototype has it: where `w` is no whole number, some instants are in none. By the clock it
    /// is `[kw, kw + w)`.
    fn range(self, stretch: &Interval) -> Option<(u64, u64)> {
        let (first, last) = match self {
            Self::Instants if stretch.duration == 0 => return None,
            Self::Instants => (
                stretch.start,
                (stretch.start + stretch.duration).saturating_sub(1),
            ),
            Self::Intervals {
                twice,
                overlap,
                basis,
            } => {
                let (start, end) = (
                    stretch.start.saturating_mul(2),
                    stretch.end(basis).saturating_mul(2),
                );
                match (overlap, basis) {
                    (Overlap::Optimistic, Basis::Logical) => {
                        (start.saturating_add(1) / twice, end / twice)
                    }
                    (Overlap::Optimistic, Basis::Real) => (
                        start / twice,
                        end.saturating_add(2).div_ceil(twice).checked_sub(1)?,
                    ),
                    (Overlap::Conservative, _) => (
                        start.div_ceil(twice),
                        (end.saturating_add(2) / twice).checked_sub(1)?,
                    ),
                }
            }
        };
        (first <= last).then_some((first, last))
    }

    /// Number of intervals up to an instant, and one behind it, as the prototype has it.
    fn count(self, end: u64) -> u64 {
        match self {
            Self::Instants => end.saturating_add(1),
            Self::Intervals { twice, .. } => {
                (end.saturating_mul(2)
                    .saturating_add(2)
                    .saturating_add(twice))
                    / twice
                    + 1
            }
        }
    }

    fn width(self) -> f64 {
        match self {
            Self::Instants => 1.0,
            Self::Intervals { twice, .. } => twice as f64 / 2.0,
        }
    }
}

impl Pieces {
    pub(super) fn of(
        placed: &Placed,
        width: Width,
        progress: &Progress,
    ) -> Result<Self, AbsenceReason> {
        let axis = Axis::of(placed, width, progress)?;
        let ranges = ranges(placed, axis);
        check(progress)?;
        let end = placed
            .stretches
            .iter()
            .map(|stretch| stretch.end(placed.basis))
            .max();
        let intervals = end.map_or(0, |end| axis.count(end));
        let mut pieces = Self {
            counts: Vec::new(),
            lengths: Vec::new(),
            ranges: Vec::new(),
            width: axis.width(),
            intervals,
        };
        pieces.sweep(ranges, progress)?;
        Ok(pieces)
    }

    /// Cuts the intervals where ranges begin and end, and counts ranges.
    fn sweep(
        &mut self,
        ranges: Vec<(u32, u64, u64)>,
        progress: &Progress,
    ) -> Result<(), AbsenceReason> {
        let range = |number: u32| ranges.get(number as usize).copied().unwrap_or_default();
        let len = u32::try_from(ranges.len()).unwrap_or(u32::MAX);
        let (begins, ends) = Ordered::both(
            || Ordered::by(len, |number| range(number).1),
            || Ordered::by(len, |number| range(number).2.saturating_add(1)),
        );
        check(progress)?;
        self.ranges = ranges.iter().map(|&(grain, ..)| (grain, 0, 0)).collect();
        drop(ranges);
        let (mut begins, mut ends) = (begins.iter().peekable(), ends.iter().peekable());
        let (mut at, mut count, mut piece) = (0, 0, 0);
        loop {
            while let Some(&(_, number)) = ends.peek().filter(|end| end.0 == at) {
                ends.next();
                count -= 1;
                if let Some(range) = self.ranges.get_mut(number as usize) {
                    range.2 = piece;
                }
            }
            while let Some(&(_, number)) = begins.peek().filter(|begin| begin.0 == at) {
                begins.next();
                count += 1;
                if let Some(range) = self.ranges.get_mut(number as usize) {
                    range.1 = piece;
                }
            }
            let next = [begins.peek(), ends.peek()].into_iter().flatten();
            let next = next.map(|event| event.0).min();
            let until = next.unwrap_or(self.intervals);
            if until > at {
                self.counts.push(count);
                self.lengths.push(until - at);
                piece += 1;
            }
            at = until;
            if next.is_none() {
                return Ok(());
            }
        }
    }

    pub(super) fn profile(&self, origin: i64) -> Parallelism {
        let mut steps: Vec<Step> = Vec::new();
        let mut interval = 0;
        for (&count, &length) in self.counts.iter().zip(&self.lengths) {
            if steps.last().is_none_or(|step| step.count != count) {
                steps.push(Step { interval, count });
            }
            interval += length;
        }
        Parallelism {
            width: self.width,
            start: origin,
            intervals: self.intervals,
            steps,
        }
    }
}

/// Grain, first and last interval. By the clock, a grain counts once for an interval, whatever
/// number of stretches it has there.
fn ranges(placed: &Placed, axis: Axis) -> Vec<(u32, u64, u64)> {
    let mut ranges: Vec<(u32, u64, u64)> = Vec::with_capacity(placed.stretches.len());
    for stretch in &placed.stretches {
        let Some((mut first, last)) = axis.range(stretch) else {
            continue;
        };
        if placed.basis == Basis::Real {
            let before = ranges.last().filter(|before| before.0 == stretch.grain);
            first = before.map_or(first, |before| first.max(before.2 + 1));
        }
        if first <= last {
            ranges.push((stretch.grain, first, last));
        }
    }
    ranges
}
