//! Intervals of fitted parameters, by drawing runs again.

use std::collections::HashMap;

use super::Series;
use crate::{Interval, Random, Sample};

/// Resamples of a bootstrap.
pub const RESAMPLES: usize = 10_000;

/// The runs behind every point of a series, from which series are drawn again with replacement inside of
/// each point (Efron & Tibshirani 1993). The generator decides everything.
#[derive(Debug, Clone)]
pub struct Resampling {
    points: Vec<(f64, Sample)>,
    random: Random,
}

impl Resampling {
    /// Of the values at each p. `None` where a point has fewer than two values, because then nothing
    /// says how much it varies.
    pub fn new(points: &[(f64, Sample)], random: Random) -> Option<Self> {
        let has_repeats = points.iter().all(|(_, sample)| sample.len() >= 2);
        (has_repeats && !points.is_empty()).then(|| Self {
            points: points.to_vec(),
            random,
        })
    }

    /// Percentile interval of what `statistic` makes of the medians of each draw. Draws of which it makes
    /// nothing are left out; `None` where these are more than a twentieth.
    ///
    /// Covers too little below eight runs a point, where medians can only be midpoints of data.
    pub fn interval(
        &self,
        alpha: f64,
        resamples: usize,
        statistic: impl Fn(&Series) -> Option<f64>,
    ) -> Option<Interval> {
        let [interval] = self.intervals(alpha, resamples, |series| [statistic(series)]);
        interval
    }

    /// [`Resampling::interval`] of several statistics of the same draws.
    ///
    /// Few runs have few medians, so that many draws are alike: each is looked at once.
    pub fn intervals<const N: usize>(
        &self,
        alpha: f64,
        resamples: usize,
        statistics: impl Fn(&Series) -> [Option<f64>; N],
    ) -> [Option<Interval>; N] {
        let mut random = self.random.clone();
        let mut draw = Vec::new();
        // Only looked up, never walked through: its order decides nothing.
        let mut known: HashMap<Vec<u64>, [Option<f64>; N]> = HashMap::new();
        let mut values: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(resamples));
        for _ in 0..resamples {
            let medians = self.points.iter().map(|(_, sample)| {
                draw.clear();
                draw.extend((0..sample.len()).map(|_| sample.values()[random.below(sample.len())]));
                median(&mut draw)
            });
            let medians: Vec<f64> = medians.collect();
            let key = medians.iter().map(|median| median.to_bits()).collect();
            let made = known.entry(key).or_insert_with(|| {
                let points = self.points.iter().zip(medians);
                let series = Series::new(points.map(|((p, _), median)| (*p, median)));
                series.map_or([None; N], |series| statistics(&series))
            });
            for (values, value) in values.iter_mut().zip(made) {
                values.extend(*value);
            }
        }
        values.map(|values| {
            let values = Sample::new(values);
            if values.len() * 20 < resamples * 19 {
                return None;
            }
            Some(Interval {
                low: values.quantile(alpha / 2.0)?,
                high: values.quantile(1.0 - alpha / 2.0)?,
                coverage: 1.0 - alpha,
            })
        })
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    f64::midpoint(values[last / 2], values[last - last / 2])
}
