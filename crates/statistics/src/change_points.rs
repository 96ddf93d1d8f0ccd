//! Change points of a series: E-divisive (Matteson & James 2014) on ordered points of one or several
//! values each.

mod split;

use crate::{
    Estimate, RankSumNull, Sample, cliffs_delta, hodges_lehmann_ratio, hodges_lehmann_shift,
    rank_sum, smallest_p,
};

pub use split::Split;

/// Minimum number of values on each side of a split.
const MIN_SIZE: usize = 2;

/// Ordered points with one or several values each, such as the runs of a version.
///
/// ```
/// use sheaf_statistics::Series;
/// let series = Series::new([vec![10.1, 9.9], vec![10.0], vec![f64::NAN]]);
/// assert_eq!((series.len(), series.num_values(), series.rejected()), (3, 3, 1));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Finite values, point by point and ascending within a point.
    values: Vec<f64>,
    /// Index of the first value of each point, followed by the number of values.
    starts: Vec<usize>,
    rejected: usize,
}

impl Series {
    /// Makes a series of the finite values of each point; other values are counted. A point may have
    /// none. The order of values within a point does not matter.
    pub fn new<P: IntoIterator<Item = f64>>(points: impl IntoIterator<Item = P>) -> Self {
        let mut series = Self {
            starts: vec![0],
            ..Self::default()
        };
        for point in points {
            let sample = Sample::new(point);
            series.rejected += sample.rejected();
            series.values.extend_from_slice(sample.values());
            series.starts.push(series.values.len());
        }
        series
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of values of all points.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// Number of values that were ignored because they are not finite.
    pub fn rejected(&self) -> usize {
        self.rejected
    }

    /// Values of the points `from..to`.
    pub fn values(&self, from: usize, to: usize) -> &[f64] {
        let place = |point: usize| self.starts.get(point).copied().unwrap_or(self.values.len());
        self.values
            .get(place(from)..place(to.max(from)))
            .unwrap_or_default()
    }

    /// The split of the points `from..to` with the largest Q: between points, with at least two
    /// values on each side. Absent if there is none. Takes O(n²) for n values.
    pub fn best_split(&self, from: usize, to: usize) -> Option<Split> {
        let places = self.places(from, to);
        let best = split::best(self.values(from, to), &places)?;
        Some(Split {
            point: self.point_at(from, to, best.point),
            ..best
        })
    }

    /// Positions at which the points `from..to` can be split, in values after the first of them.
    fn places(&self, from: usize, to: usize) -> Vec<usize> {
        let first = self.starts.get(from).copied().unwrap_or_default();
        let last = self.values(from, to).len();
        let starts = self.starts.get(from..to.max(from)).unwrap_or_default();
        let mut places: Vec<usize> = starts.iter().map(|start| start - first).collect();
        places.retain(|&place| place >= MIN_SIZE && last - place >= MIN_SIZE);
        // A point without values has the position of its successor.
        places.dedup();
        places
    }

    /// The point whose first value is `place` values after the first of point `from`. If points without
    /// values have the same position, it is the last of them, which has the value.
    fn point_at(&self, from: usize, to: usize, place: usize) -> usize {
        let first = self.starts.get(from).copied().unwrap_or_default();
        let starts = self.starts.get(from..to.max(from)).unwrap_or_default();
        from + starts
            .partition_point(|start| start - first <= place)
            .saturating_sub(1)
    }
}

/// Options of the search for change points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePointOptions {
    /// Maximum p of a change.
    pub alpha: f64,
    /// Number of random permutations if there are too many to use all; p is never below
    /// 1 / (1 + this).
    pub permutations: usize,
    /// Seed of the permutations.
    pub seed: u64,
}

impl Default for ChangePointOptions {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            permutations: 999,
            seed: 0,
        }
    }
}

/// A change of distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// First point after the change.
    pub point: usize,
    /// Q of the split.
    pub statistic: f64,
    /// p, by permuting the values between the neighbouring change points.
    pub p: f64,
}

/// Outcome of [`change_points`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangePoints {
    /// Changes in order of their points.
    pub points: Vec<ChangePoint>,
    /// The best split of the whole series, significant or not, for a correction over many series.
    /// Absent if no split has two values on each side.
    pub whole: Option<ChangePoint>,
    /// Smallest p that a series of these points can have.
    pub smallest_p: f64,
}

/// Finds the points at which a series changes: the split with the largest Q, tested by permuting the
/// values, then the same on each side of it.
///
/// Values are permuted one by one, because without a change any run could belong to any version. p is
/// exact up to eight values. For more values it comes from `options.permutations` seeded permutations, or
/// fewer if p is clearly large (Besag & Clifford 1991). A single outlier is not a change. Takes O(n²) for
/// each permutation.
///
/// ```
/// use sheaf_statistics::{ChangePointOptions, Series, change_points};
/// let series = Series::new([1.0, 1.1, 0.9, 1.0, 2.0, 2.1, 1.9, 2.0].map(|value| [value]));
/// let found = change_points(&series, &ChangePointOptions::default());
/// assert_eq!(found.points[0].point, 4);
/// ```
pub fn change_points(series: &Series, options: &ChangePointOptions) -> ChangePoints {
    let mut found = ChangePoints {
        smallest_p: smallest_split_p(series),
        ..ChangePoints::default()
    };
    // A work list instead of recursion, whose depth would be the number of changes.
    let mut open = vec![(0, series.len())];
    while let Some((from, to)) = open.pop() {
        let Some(change) = tested_split(series, from, to, options) else {
            continue;
        };
        if (from, to) == (0, series.len()) {
            found.whole = Some(change);
        }
        if change.p <= options.alpha {
            found.points.push(change);
            open.extend([(from, change.point), (change.point, to)]);
        }
    }
    found.points.sort_by_key(|change| change.point);
    found
}

fn tested_split(
    series: &Series,
    from: usize,
    to: usize,
    options: &ChangePointOptions,
) -> Option<ChangePoint> {
    let split = series.best_split(from, to)?;
    // Every part of the series has its own seed, so that the order of tests does not matter.
    let seed = options.seed ^ ((from as u64) << 32 | to as u64);
    let p = split::p(
        series.values(from, to),
        &series.places(from, to),
        split.statistic,
        options.permutations,
        seed,
    );
    Some(ChangePoint {
        point: split.point,
        statistic: split.statistic,
        p,
    })
}

/// The smallest possible p of any split: 2 / C(n, k) for k of n values before it, because any k values are
/// equally likely. With one value per point, 0.05 needs 8 points.
fn smallest_split_p(series: &Series) -> f64 {
    let values = series.num_values();
    let places = series.places(0, series.len());
    places
        .into_iter()
        .map(|place| smallest_p(place, values - place))
        .fold(1.0, f64::min)
}

/// Comparison of the last point with points before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LastPoint {
    /// Number of values before, and at the last point.
    pub sizes: [usize; 2],
    /// Median before, and at the last point.
    pub medians: [f64; 2],
    /// Typical ratio of the last point to those before; absent if a value is not positive.
    pub ratio: Option<Estimate>,
    /// Typical difference.
    pub shift: Option<Estimate>,
    /// Cliff's delta.
    pub cliffs_delta: f64,
    /// Two-sided p of the exact, tie-aware rank-sum test.
    pub p: f64,
    /// Smallest p that these numbers of values can reach.
    pub smallest_p: f64,
}

/// Compares the last point with the points from `since` on. [`change_points`] finds a change only after
/// further points. Absent if either side has no values.
pub fn last_point(series: &Series, since: usize, alpha: f64) -> Option<LastPoint> {
    let last = series.len().checked_sub(1)?;
    let before = Sample::new(series.values(since, last).iter().copied());
    let now = Sample::new(series.values(last, last + 1).iter().copied());
    let null = RankSumNull::new(before.len(), now.len());
    Some(LastPoint {
        sizes: [before.len(), now.len()],
        medians: [before.median()?, now.median()?],
        ratio: hodges_lehmann_ratio(&before, &now, &null, alpha),
        shift: hodges_lehmann_shift(&before, &now, &null, alpha),
        cliffs_delta: cliffs_delta(&before, &now)?,
        p: rank_sum(&before, &now, &null)?.p,
        smallest_p: smallest_p(before.len(), now.len()),
    })
}
