//! What a distribution looks like: box plot with the owners of outliers, and two modes.

use sheaf_answers::{BoxPlot, Mode, Modes, Outlier};
use sheaf_statistics::Sample;

/// Deviations from the median below this share of it are never outliers, and gaps below it never
/// part two modes: clocks tick, and most runs can take exactly as long.
pub const MIN_DEVIATION: f64 = 0.01;
/// Outliers that are listed.
const MAX_OUTLIERS: usize = 50;

/// The box plot of values with their owners, which have an order and a name; absent if there are no values.
pub(crate) fn box_plot<Owner: Copy + Ord>(
    sample: &Sample,
    owned: impl IntoIterator<Item = (f64, Owner)>,
    name: impl Fn(Owner) -> String,
) -> Option<BoxPlot> {
    let plot = sample.box_plot(MIN_DEVIATION)?;
    let median = sample.median()?;
    let is_outlier = |value: f64| value.is_finite() && plot.is_outlier(value);
    // Hardly any sample has some, and finding whose they are takes a look at all.
    let looked_at = (plot.outliers != [0, 0]).then_some(owned);
    let mut outliers: Vec<(f64, Owner)> = looked_at
        .into_iter()
        .flatten()
        .filter(|(value, _)| is_outlier(*value))
        .collect();
    outliers.sort_by(|(a, owner_of_a), (b, owner_of_b)| {
        let by_distance = (b - median).abs().total_cmp(&(a - median).abs());
        by_distance.then_with(|| owner_of_a.cmp(owner_of_b))
    });
    let outlier_count = outliers.len() as u64;
    outliers.truncate(MAX_OUTLIERS);
    Some(BoxPlot {
        fences: plot.fences,
        whiskers: plot.whiskers,
        outlier_count,
        outliers: outliers
            .into_iter()
            .map(|(value, owner)| Outlier {
                owner: name(owner),
                value,
            })
            .collect(),
    })
}

/// The two modes of a sample that looks as if it had two.
pub(crate) fn modes(sample: &Sample) -> Option<Modes> {
    let split = sample.modes(MIN_DEVIATION)?;
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
