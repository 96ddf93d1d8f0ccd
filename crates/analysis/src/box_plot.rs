//! What a distribution looks like: box plot with the owners of outliers, and two modes.

use sheaf_statistics::Sample;

/// Deviations from the median below this share of it are never outliers, and gaps below it never
/// part two modes: clocks tick, and most runs can take exactly as long.
pub const LEAST_DEVIATION: f64 = 0.01;
/// Outliers that are listed.
const MAX_OUTLIERS: usize = 50;

/// Box plot of values that have owners. Quantiles are of type 7.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxPlot<Owner> {
    /// Tukey's fences, 1.5 interquartile ranges outside of the quartiles; absent below four
    /// values, where nothing is an outlier.
    pub fences: Option<[f64; 2]>,
    /// Least and greatest value that is no outlier.
    pub whiskers: [f64; 2],
    /// Number of values beyond the fences that also deviate noticeably from the median.
    pub outlier_count: u64,
    /// Those, the farthest from the median first; at most 50.
    pub outliers: Vec<Outlier<Owner>>,
}

/// A value far from the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlier<Owner> {
    /// What it belongs to.
    pub owner: Owner,
    /// The value.
    pub value: f64,
}

/// Two clusters of values with a wide gap between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modes {
    /// The lower cluster.
    pub low: Mode,
    /// The upper cluster.
    pub high: Mode,
}

/// One cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Values in it.
    pub count: u64,
    /// Least value.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Greatest value.
    pub max: f64,
}

/// The box plot of values with their owners, in a defined order; absent when there are none.
pub(crate) fn box_plot<Owner: Clone + Ord>(
    sample: &Sample,
    owned: impl IntoIterator<Item = (f64, Owner)>,
) -> Option<BoxPlot<Owner>> {
    let plot = sample.box_plot(LEAST_DEVIATION)?;
    let median = sample.median()?;
    let is_outlier = |value: f64| value.is_finite() && plot.is_outlier(value);
    // Hardly any sample has some, and finding whose they are takes a look at all.
    let looked_at = (plot.outliers != [0, 0]).then_some(owned);
    let mut outliers: Vec<Outlier<Owner>> = looked_at
        .into_iter()
        .flatten()
        .filter(|(value, _)| is_outlier(*value))
        .map(|(value, owner)| Outlier { owner, value })
        .collect();
    outliers.sort_by(|a, b| {
        let distance = |outlier: &Outlier<Owner>| (outlier.value - median).abs();
        distance(b)
            .total_cmp(&distance(a))
            .then_with(|| a.owner.cmp(&b.owner))
    });
    let outlier_count = outliers.len() as u64;
    outliers.truncate(MAX_OUTLIERS);
    Some(BoxPlot {
        fences: plot.fences,
        whiskers: plot.whiskers,
        outlier_count,
        outliers,
    })
}

/// The two modes of a sample that looks as if it had two.
pub(crate) fn modes(sample: &Sample) -> Option<Modes> {
    let split = sample.modes(LEAST_DEVIATION)?;
    let mode = |part: &Sample| {
        Some(Mode {
            count: part.len() as u64,
            min: part.min()?,
            median: part.median()?,
            max: part.max()?,
        })
    };
    Some(Modes {
        low: mode(&split.low)?,
        high: mode(&split.high)?,
    })
}
