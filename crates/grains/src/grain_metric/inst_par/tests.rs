//! Pieces, medians and extremes against counting interval by interval.

use proptest::prelude::*;
use sheaf_model::Progress;

use super::pieces::Pieces;
use super::placed::{Interval, Placed};
use super::shares::shares;
use super::{Basis, Overlap, Share, Width};

fn placed(basis: Basis, spans: &[(u32, u64, u64)]) -> Placed<'static> {
    let time = |time: u64| i64::try_from(time).unwrap();
    let spans = spans
        .iter()
        .map(|&(grain, start, duration)| (grain, time(start), time(start + duration)));
    Placed::of_spans(spans.collect(), basis)
}

fn stretches(placed: &Placed<'_>) -> Vec<Interval> {
    let mut stretches = Vec::new();
    let each = placed.each(&Progress::silent(), |stretch| stretches.push(stretch));
    each.unwrap();
    stretches
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
    placed: &Placed<'_>,
    width: Width,
    twice: u64,
    intervals: u64,
) -> (Vec<u32>, Vec<Vec<u32>>) {
    let stretches = stretches(placed);
    let mut of_intervals = Vec::new();
    let mut of_grains = vec![Vec::new(); 8];
    for k in 0..intervals {
        let mut found: Vec<u32> = stretches
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

/// Twice the median of all durations.
fn twice_median(placed: &Placed<'_>) -> u64 {
    let mut durations: Vec<u64> = stretches(placed).iter().map(|it| it.duration).collect();
    durations.sort_unstable();
    let twice = durations[(durations.len() - 1) / 2] + durations[durations.len() / 2];
    assert_eq!(placed.twice_median(&Progress::silent()).unwrap(), twice);
    twice
}

fn check(placed: &Placed<'_>, width: Width) {
    let twice = match width {
        Width::Shortest(_) => 2 * placed.shortest,
        Width::Gap(_) => 2 * placed.smallest_gap(&Progress::silent()).unwrap(),
        Width::Median(_) => twice_median(placed),
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
    let values = [Share::Least, Share::Median, Share::Greatest]
        .map(|share| shares(placed, &pieces, 8, share, &Progress::silent()).unwrap());
    for (grain, counts) in expected.1.iter().enumerate() {
        let at = |at: usize| counts.get(at).map(|&count| f64::from(count));
        let number = counts.len();
        let middle = number
            .checked_sub(1)
            .map(|last| f64::midpoint(at(last / 2).unwrap(), at(number / 2).unwrap()));
        let ours = values.each_ref().map(|values| values.get(grain));
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
        let stretches = stretches(&placed);
        for (at, a) in stretches.iter().enumerate() {
            for (other, b) in stretches.iter().enumerate() {
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
    let medians = shares(&placed, &pieces, 3, Share::Median, &Progress::silent()).unwrap();
    let values: Vec<_> = medians.iter().collect();
    assert_eq!(values, [Some(1.0), Some(2.0), Some(2.0)]);
}
