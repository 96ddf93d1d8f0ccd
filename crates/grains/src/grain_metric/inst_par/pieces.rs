//! How many run in which interval: steps between the intervals where stretches begin and end, so
//! that the number of intervals does not matter.

use sheaf_model::Progress;

use super::marks::Marks;
use super::placed::{Interval, Placed};
use super::{AbsenceReason, Basis, Overlap, Parallelism, Step, Width};

/// The intervals of a run, as pieces in which the count is the same.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Count of each piece.
    pub(super) counts: Vec<u32>,
    /// Intervals at which pieces begin, and after them the number of intervals.
    marks: Marks,
    axis: Axis,
    intervals: u64,
}

/// Intervals of a grain, and the pieces that they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub(super) first_piece: u32,
    /// Behind the last piece.
    pub(super) last_piece: u32,
    pub(super) first: u64,
    /// Number of intervals.
    pub(super) length: u64,
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
            Width::Shortest(overlap) => (2 * placed.shortest, overlap),
            Width::Gap(overlap) => (2 * placed.smallest_gap(progress)?, overlap),
            Width::Median(overlap) => (placed.twice_median(progress)?, overlap),
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
    /// Cuts the intervals where stretches begin and end, and counts stretches.
    ///
    /// # Errors
    /// When there are no intervals of the width, or the evaluation was stopped.
    pub(super) fn of(
        placed: &Placed<'_>,
        width: Width,
        progress: &Progress,
    ) -> Result<Self, AbsenceReason> {
        let axis = Axis::of(placed, width, progress)?;
        let intervals = placed.end.map_or(0, |end| axis.count(end));
        let mut marks = Marks::up_to(intervals, placed.len);
        if !marks.are_all() {
            marks.mark(0);
            marks.mark(intervals);
            each_range(placed, axis, progress, |_, first, last| {
                marks.mark(first);
                marks.mark(last.saturating_add(1));
            })?;
        }
        let marks = marks.finish();
        // How much counts change, then their sums: never below 0, so that wrapping steps lead to the same.
        let mut counts = vec![0_u32; marks.len()];
        let mut change = |interval: u64, by: u32| {
            if let Some(count) = counts.get_mut(marks.place(interval) as usize) {
                *count = count.wrapping_add(by);
            }
        };
        each_range(placed, axis, progress, |_, first, last| {
            change(first, 1);
            change(last.saturating_add(1), 1_u32.wrapping_neg());
        })?;
        let mut sum = 0_u32;
        for count in &mut counts {
            sum = sum.wrapping_add(*count);
            *count = sum;
        }
        counts.pop();
        Ok(Self {
            counts,
            marks,
            axis,
            intervals,
        })
    }

    /// Calls `visit` with every grain that has intervals, in order, and these.
    ///
    /// # Errors
    /// When the evaluation was stopped.
    pub(super) fn each_grain(
        &self,
        placed: &Placed<'_>,
        progress: &Progress,
        mut visit: impl FnMut(u32, &[Range]),
    ) -> Result<(), AbsenceReason> {
        let mut own: Vec<Range> = Vec::new();
        let mut now = None;
        each_range(placed, self.axis, progress, |grain, first, last| {
            if let Some(before) = now.replace(grain).filter(|&before| before != grain) {
                visit(before, &own);
                own.clear();
            }
            let end = last.saturating_add(1);
            own.push(Range {
                first_piece: self.marks.place(first),
                last_piece: self.marks.place(end),
                first,
                length: end - first,
            });
        })?;
        if let Some(last) = now {
            visit(last, &own);
        }
        Ok(())
    }

    /// Number of intervals of each piece, from the one that begins with an interval.
    pub(super) fn lengths(&self, first: u64) -> impl Iterator<Item = u64> + '_ {
        self.marks.lengths(first)
    }

    pub(super) fn profile(&self, origin: i64) -> Parallelism {
        let mut steps: Vec<Step> = Vec::new();
        let mut interval = 0;
        for (&count, length) in self.counts.iter().zip(self.lengths(0)) {
            if steps.last().is_none_or(|step| step.count != count) {
                steps.push(Step { interval, count });
            }
            interval += length;
        }
        Parallelism {
            width: self.axis.width(),
            start: origin,
            intervals: self.intervals,
            steps,
        }
    }
}

/// Calls `visit` with grain, first and last interval of stretches, in order. By the clock, a grain counts once for an
/// interval, whatever number of stretches it has there.
fn each_range(
    placed: &Placed<'_>,
    axis: Axis,
    progress: &Progress,
    mut visit: impl FnMut(u32, u64, u64),
) -> Result<(), AbsenceReason> {
    let mut before: Option<(u32, u64)> = None;
    placed.each(progress, |stretch| {
        let Some((mut first, last)) = axis.range(&stretch) else {
            return;
        };
        if placed.basis == Basis::Real {
            let same = before.filter(|before| before.0 == stretch.grain);
            first = same.map_or(first, |before| first.max(before.1.saturating_add(1)));
        }
        if first <= last {
            before = Some((stretch.grain, last));
            visit(stretch.grain, first, last);
        }
    })
}
