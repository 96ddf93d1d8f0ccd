//! Pieces, medians and extremes against counting interval by interval.

use proptest::prelude::*;
use sheaf_model::Progress;

use super::pieces::Pieces;
use super::placed::{Interval, Placed};
use super::{Asked, Basis, Overlap, Shares, Values, Width};

fn placed(basis: Basis, spans: &[(u32, u64, u64)]) -> Placed {
    let mut stretches: Vec<Interval> = spans
        .iter()
        .map(|&(grain, start, duration)| Interval {
            grain,
            start,
            duration,
        })
        .collect();
    stretches.sort_unstable();
    Placed {
        stretches,
        origin: 0,
        basis,
    }
}

/// Whether a stretch counts for interval `k`, in half units.
fn counts(basis: Basis, stretch: &Interval, width: Width, twice: u64, k: u64) -> bool {
    let (start, end) = (2 * stretch.start, 2 * stretch.end(basis));
    let (low, high) = (k * twice, (k * twice + twice).checked_sub(2));
    if let (Basis::Real, Width::Shortest(overlap) | Width::Gap(overlap) | Width::Median(overlap)) =
        (basis, width)
    {
        let (end, high) = (end + 2, low + twice);
        return match overlap {
            Overlap::Optimistic => start < high && end > low,
            Overlap::Conservative => start <= low && end >= high,
        };
    }
    match width {
        Width::Instant => stretch.start <= k && k < stretch.start + stretch.duration,
        Width::Shortest(overlap) | Width::Gap(overlap) | Width::Median(overlap) => match overlap {
            Overlap::Optimistic => high.is_some_and(|high| start <= high) && end >= low,
            Overlap::Conservative => start <= low && high.is_none_or(|high| end >= high),
        },
    }
}

/// Counts per interval, and per grain the counts of all its intervals, ascending.
fn one_by_one(
    placed: &Placed,
    width: Width,
    twice: u64,
    intervals: u64,
) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut of_intervals = Vec::new();
    let mut of_grains = vec![Vec::new(); 8];
    for k in 0..intervals {
        let mut found: Vec<u32> = placed
            .stretches
            .iter()
            .filter(|stretch| counts(placed.basis, stretch, width, twice, k))
            .map(|stretch| stretch.grain)
            .collect();
        if placed.basis == Basis::Real {
            found.sort_unstable();
            found.dedup();
        }
        let count = u32::try_from(found.len()).unwrap();
        of_intervals.push(count);
        for grain in found {
            of_grains[grain as usize].push(count);
        }
    }
    for counts in &mut of_grains {
        counts.sort_unstable();
    }
    (of_intervals, of_grains)
}

fn check(placed: &Placed, width: Width) {
    let twice = match width {
        Width::Shortest(_) => 2 * placed.shortest(),
        Width::Gap(_) => 2 * placed.smallest_gap(&Progress::silent()).unwrap(),
        Width::Median(_) => placed.twice_median(),
        Width::Instant => 2,
    };
    let Ok(pieces) = Pieces::of(placed, width, &Progress::silent()) else {
        assert_eq!(twice, 0);
        return;
    };
    let profile = pieces.profile(0);
    let expected = one_by_one(placed, width, twice, profile.intervals);
    assert_eq!(profile.counts().collect::<Vec<_>>(), expected.0);
    // Nothing runs behind the last interval.
    let behind = one_by_one(placed, width, twice, profile.intervals + 3).0;
    assert!(behind[expected.0.len()..].iter().all(|&count| count == 0));
    let shares = Shares::of(&pieces, 8, Asked::Medians, &Progress::silent()).unwrap();
    let (least, median, greatest) = (shares.least(), shares.median(), shares.greatest());
    for (grain, counts) in expected.1.iter().enumerate() {
        let at = |at: usize| counts.get(at).map(|&count| f64::from(count));
        let number = counts.len();
        let middle = number
            .checked_sub(1)
            .map(|last| f64::midpoint(at(last / 2).unwrap(), at(number / 2).unwrap()));
        let ours = [&least, &median, &greatest].map(|values: &Values| values.get(grain));
        let end = number.wrapping_sub(1);
        assert_eq!(
            ours,
            [at(0), middle, at(end)],
            "{width:?} of grain {grain}: {counts:?}"
        );
    }
}

proptest! {
    #[test]
    fn shares_are_those_of_counting(
        spans in prop::collection::vec((0..8_u32, 0..60_u64, 0..50_u64), 1..60)
    ) {
        for basis in super::BASES {
            let mut spans = spans.clone();
            if basis == Basis::Real {
                spans.retain(|span| span.2 > 0);
            }
            if spans.is_empty() {
                continue;
            }
            let placed = placed(basis, &spans);
            for width in super::WIDTHS {
                check(&placed, width);
            }
        }
    }

    #[test]
    fn the_smallest_gap_is_that_of_all_pairs(
        spans in prop::collection::vec((0..8_u32, 0..200_u64, 0..90_u64), 1..12)
    ) {
        let placed = placed(Basis::Logical, &spans);
        let mut gaps = Vec::new();
        for (at, a) in placed.stretches.iter().enumerate() {
            for (other, b) in placed.stretches.iter().enumerate() {
                let gap = a.start.abs_diff(b.start + b.duration);
                if at != other && gap > 0 {
                    gaps.push(gap);
                }
            }
        }
        prop_assert_eq!(placed.smallest_gap(&Progress::silent()).unwrap(), gaps.into_iter().min().unwrap_or(0));
    }
}

#[test]
fn short_intervals_in_a_long_run_cost_nothing() {
    let long = 1_u64 << 60;
    let placed = placed(Basis::Real, &[(0, 0, long), (1, 5, 1), (2, long / 2, 7)]);
    let pieces = Pieces::of(
        &placed,
        Width::Shortest(Overlap::Optimistic),
        &Progress::silent(),
    )
    .unwrap();
    assert_eq!(pieces.profile(0).steps.len(), 6);
    let shares = Shares::of(&pieces, 3, Asked::Medians, &Progress::silent()).unwrap();
    let values: Vec<_> = shares.median().iter().collect();
    assert_eq!(values, [Some(1.0), Some(2.0), Some(2.0)]);
}
