//! Instantaneous parallelism: how many grains run, or could run, while a grain does.

mod marks;
mod pieces;
mod placed;
mod quantiles;
mod shares;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use sheaf_model::{Direction, Progress, Unit};

use super::{AbsenceReason, Evaluation, GrainMetric, Need, RATIO, Values};
use crate::aggregation::Propagation;
use pieces::Pieces;
use placed::Placed;
pub(super) use shares::Share;

/// When grains run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Basis {
    /// As early as they could on unlimited workers: fragments at their earliest start in the
    /// unreduced graph. Each fragment counts, and lasts to its end inclusive, as in the prototype.
    Logical,
    /// When they did, by the clock. Each grain counts once, and lasts to its end exclusive.
    Real,
}

/// When a fragment counts for an interval.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Overlap {
    /// It touches the interval.
    Optimistic,
    /// It covers the interval.
    Conservative,
}

/// In what intervals parallelism is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// As long as the shortest fragment that is not empty.
    Shortest(Overlap),
    /// As long as the smallest gap between the start of a fragment and the end of another.
    Gap(Overlap),
    /// As long as the median fragment.
    Median(Overlap),
    /// At every instant: an exact sweep over all starts and ends.
    Instant,
}

const BASES: [Basis; 2] = [Basis::Logical, Basis::Real];
const WIDTHS: [Width; 7] = [
    Width::Shortest(Overlap::Optimistic),
    Width::Shortest(Overlap::Conservative),
    Width::Gap(Overlap::Optimistic),
    Width::Gap(Overlap::Conservative),
    Width::Median(Overlap::Optimistic),
    Width::Median(Overlap::Conservative),
    Width::Instant,
];

/// From an interval on, this many run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// Number of the interval, from 0.
    pub interval: u64,
    /// Fragments (logical) or grains (real).
    pub count: u32,
}

/// Parallelism along a run, a step where it changes.
#[derive(Clone, PartialEq, Debug)]
pub struct Parallelism {
    /// Length of an interval in the run's time unit; 1 for instants.
    pub width: f64,
    /// Time at which the first interval begins.
    pub start: i64,
    /// Number of intervals.
    pub intervals: u64,
    /// Steps in ascending order, the first at interval 0.
    pub steps: Vec<Step>,
}

macro_rules! group {
    ($name:literal, $basis:ident, $width:expr, $what:literal, $citation:literal, $given:expr) => {
        [
            GrainMetric {
                id: concat!("inst_par_", $name, "_min"),
                definition: concat!("Least number of ", $what),
                citation: $citation,
                needs: needs(Basis::$basis),
                propagation: Propagation::Minimum,
                given_as: $given[0],
                compute: |evaluation| evaluation.shares(Basis::$basis, $width, Share::Least),
                ..PARALLELISM
            },
            GrainMetric {
                id: concat!("inst_par_", $name, "_median"),
                definition: concat!("Median number of ", $what),
                citation: $citation,
                needs: needs(Basis::$basis),
                propagation: Propagation::UpperMedian,
                given_as: $given[1],
                compute: |evaluation| evaluation.shares(Basis::$basis, $width, Share::Median),
                ..PARALLELISM
            },
            GrainMetric {
                id: concat!("inst_par_", $name, "_max"),
                definition: concat!("Greatest number of ", $what),
                citation: $citation,
                needs: needs(Basis::$basis),
                propagation: Propagation::Maximum,
                given_as: $given[2],
                compute: |evaluation| evaluation.shares(Basis::$basis, $width, Share::Greatest),
                ..PARALLELISM
            },
        ]
    };
}

const PARALLELISM: GrainMetric = GrainMetric {
    unit: Unit::Count,
    direction: Direction::HigherIsBetter,
    ..RATIO
};

const fn needs(basis: Basis) -> &'static [Need] {
    match basis {
        Basis::Logical => &[Need::Parents],
        // Fragments, or starts and ends.
        Basis::Real => &[],
    }
}

const NOT_GIVEN: [&[&str]; 3] = [&[], &[], &[]];
/// The prototype's columns; problems ask for the minimum.
const GIVEN: [&[&str]; 3] = [
    &["inst_par_min", "inst_par"],
    &["inst_par_median"],
    &["inst_par_max"],
];

pub(super) const METRICS: &[GrainMetric] = [
    group!("logical_optimistic_shortest", Logical, WIDTHS[0],
        "fragments that can run at their earliest in an interval that the grain touches; intervals as long as the shortest fragment.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("logical_conservative_shortest", Logical, WIDTHS[1],
        "fragments that can run at their earliest all through an interval that the grain covers; intervals as long as the shortest fragment.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("logical_optimistic_gap", Logical, WIDTHS[2],
        "fragments that can run at their earliest in an interval that the grain touches; intervals as long as the smallest gap between a start and another end.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("logical_conservative_gap", Logical, WIDTHS[3],
        "fragments that can run at their earliest all through an interval that the grain covers; intervals as long as the smallest gap between a start and another end.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("logical_optimistic_median", Logical, WIDTHS[4],
        "fragments that can run at their earliest in an interval that the grain touches; intervals as long as the median fragment.",
        "grain-graphs prototype, instantaneous-parallelism-contribution, overlap any", GIVEN),
    group!("logical_conservative_median", Logical, WIDTHS[5],
        "fragments that can run at their earliest all through an interval that the grain covers; intervals as long as the median fragment.",
        "grain-graphs prototype, instantaneous-parallelism-contribution, overlap within", NOT_GIVEN),
    group!("logical_instant", Logical, WIDTHS[6],
        "fragments that can run at their earliest at an instant at which the grain can; time-weighted.",
        "exact sweep, after Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("real_optimistic_shortest", Real, WIDTHS[0],
        "grains that ran in an interval that the grain touches; intervals as long as the shortest stretch of a grain.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("real_conservative_shortest", Real, WIDTHS[1],
        "grains that ran all through an interval that the grain covers; intervals as long as the shortest stretch of a grain.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("real_optimistic_gap", Real, WIDTHS[2],
        "grains that ran in an interval that the grain touches; intervals as long as the smallest gap between a start and another end.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("real_conservative_gap", Real, WIDTHS[3],
        "grains that ran all through an interval that the grain covers; intervals as long as the smallest gap between a start and another end.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("real_optimistic_median", Real, WIDTHS[4],
        "grains that ran in an interval that the grain touches; intervals as long as the median stretch of a grain.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("real_conservative_median", Real, WIDTHS[5],
        "grains that ran all through an interval that the grain covers; intervals as long as the median stretch of a grain.",
        "Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
    group!("real_instant", Real, WIDTHS[6],
        "grains that ran at an instant at which the grain did; time-weighted.",
        "exact sweep, after Grain Graphs (PPoPP 2016), section 3.2", NOT_GIVEN),
].as_flattened();

/// Pieces up to which they are kept for further metrics.
const MANY: usize = 1 << 20;

type PiecesOnce = OnceLock<Result<Arc<Pieces>, AbsenceReason>>;

/// What several metrics share, by basis and width.
#[derive(Debug, Default)]
pub(super) struct Parallelisms<'a> {
    placed: [OnceLock<Result<Placed<'a>, AbsenceReason>>; BASES.len()],
    /// Those that are few: many take more memory than time.
    pieces: [[PiecesOnce; WIDTHS.len()]; BASES.len()],
}

impl<'a> Parallelisms<'a> {
    fn placed(
        &self,
        evaluation: &Evaluation<'a>,
        basis: Basis,
    ) -> Result<&Placed<'a>, AbsenceReason> {
        let slot = self.placed.get(place(&BASES, &basis));
        let slot = slot.ok_or_else(|| AbsenceReason::because("no such basis"))?;
        let placed = slot.get_or_init(|| Placed::of(evaluation, basis));
        placed.as_ref().map_err(AbsenceReason::clone)
    }

    fn pieces(
        &self,
        evaluation: &Evaluation<'a>,
        basis: Basis,
        width: Width,
    ) -> Result<Arc<Pieces>, AbsenceReason> {
        let widths = self.pieces.get(place(&BASES, &basis));
        let slot = widths.and_then(|widths| widths.get(place(&WIDTHS, &width)));
        let slot = slot.ok_or_else(|| AbsenceReason::because("no such width"))?;
        if let Some(known) = slot.get() {
            return known.clone();
        }
        let placed = self.placed(evaluation, basis)?;
        let pieces = Pieces::of(placed, width, evaluation.progress()).map(Arc::new);
        if pieces.as_ref().map_or(true, |it| it.counts.len() <= MANY) {
            return slot.get_or_init(|| pieces).clone();
        }
        pieces
    }

    pub(super) fn shares(
        &self,
        evaluation: &Evaluation<'a>,
        basis: Basis,
        width: Width,
        share: Share,
    ) -> Result<Values, AbsenceReason> {
        let pieces = self.pieces(evaluation, basis, width)?;
        let placed = self.placed(evaluation, basis)?;
        let grains = evaluation.run().grains.len();
        shares::shares(placed, &pieces, grains, share, evaluation.progress())
    }

    pub(super) fn profile(
        &self,
        evaluation: &Evaluation<'a>,
        basis: Basis,
        width: Width,
    ) -> Result<Parallelism, AbsenceReason> {
        let origin = self.placed(evaluation, basis)?.origin;
        Ok(self.pieces(evaluation, basis, width)?.profile(origin))
    }
}

/// Fails once the work was stopped.
pub(super) fn check(progress: &Progress) -> Result<(), AbsenceReason> {
    let stopped = |_| AbsenceReason::because("the work was stopped");
    progress.check().map_err(stopped)
}

fn place<T: PartialEq>(all: &[T], wanted: &T) -> usize {
    all.iter()
        .position(|one| one == wanted)
        .unwrap_or(all.len())
}

impl Parallelism {
    /// The count of each interval; many where intervals are short.
    pub fn counts(&self) -> impl Iterator<Item = u32> + '_ {
        let ends = self.steps.iter().skip(1).map(|step| step.interval);
        let ends = ends.chain([self.intervals]);
        self.steps.iter().zip(ends).flat_map(|(step, end)| {
            let length = end.saturating_sub(step.interval);
            std::iter::repeat_n(step.count, usize::try_from(length).unwrap_or(usize::MAX))
        })
    }
}
