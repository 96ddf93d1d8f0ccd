//! Bootstrap intervals: how much a statistic varies when the values are drawn again.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::random::Random;
use crate::{Interval, Sample, normal};

/// Values of a statistic on resamples, for intervals.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// The statistic of the sides as they are.
    pub observed: f64,
    /// Its values on the resamples on which it is defined, ascending.
    pub resampled: Sample,
    /// Resamples on which it is not defined.
    pub undefined: usize,
    /// The statistic with each value of each side left out in turn.
    left_out: Vec<Vec<f64>>,
}

/// Draws every side's values again with replacement, `resamples` times, and computes `statistic`
/// of what was drawn (Efron & Tibshirani 1993). Absent when a side has fewer than two values or
/// the observed statistic is not finite.
///
/// Meant for statistics without an exact interval: ratios of sums, efficiencies, fitted
/// parameters. A median of fewer than eight values undercovers; it has an exact interval. With
/// data in groups (grains in runs) the values are the runs. Use 10,000 resamples or more.
///
/// ```
/// use sheaf_statistics::{Random, bootstrap};
/// let speedup = |sides: &[&[f64]]| sides[0].iter().sum::<f64>() / sides[1].iter().sum::<f64>();
/// let sides: [&[f64]; 2] = [&[100.0, 104.0, 98.0], &[50.0, 53.0, 49.0]];
/// let drawn = bootstrap(&sides, speedup, 10_000, &mut Random::keyed(1, &["speedup"])).unwrap();
/// let interval = drawn.percentile(0.05).unwrap();
/// assert!(interval.low < drawn.observed && drawn.observed < interval.high);
/// ```
pub fn bootstrap(
    sides: &[&[f64]],
    statistic: impl Fn(&[&[f64]]) -> f64,
    resamples: usize,
    random: &mut Random,
) -> Option<Bootstrap> {
    if sides.is_empty() || sides.iter().any(|side| side.len() < 2) {
        return None;
    }
    let observed = Some(statistic(sides)).filter(|observed| observed.is_finite())?;
    let mut drawn: Vec<Vec<f64>> = sides.iter().map(|side| side.to_vec()).collect();
    let mut values = Vec::with_capacity(resamples);
    for _ in 0..resamples {
        for (drawn, side) in drawn.iter_mut().zip(sides) {
            drawn.fill_with(|| side[random.below(side.len())]);
        }
        let views: Vec<&[f64]> = drawn.iter().map(Vec::as_slice).collect();
        values.push(statistic(&views));
    }
    let left_out = (0..sides.len()).map(|side| leave_out(sides, side, &statistic));
    let sample = Sample::new(values);
    Some(Bootstrap {
        observed,
        undefined: sample.rejected(),
        left_out: left_out.collect(),
        resampled: sample,
    })
}

fn leave_out(sides: &[&[f64]], side: usize, statistic: impl Fn(&[&[f64]]) -> f64) -> Vec<f64> {
    let without = |place: usize| {
        let mut rest = sides[side].to_vec();
        rest.remove(place);
        let mut views = sides.to_vec();
        views[side] = &rest;
        statistic(&views)
    };
    (0..sides[side].len()).map(without).collect()
}

impl Bootstrap {
    /// The percentile interval with error `alpha`: quantiles of type 7 of the resamples. The
    /// coverage is the nominal one. Absent when the statistic was never defined.
    pub fn percentile(&self, alpha: f64) -> Option<Interval> {
        self.between(alpha / 2.0, 1.0 - alpha / 2.0, alpha)
    }

    /// The interval corrected for bias and acceleration (Efron 1987). Absent also where its
    /// corrections are not defined: for statistics that never vary, as of constant values.
    pub fn corrected(&self, alpha: f64) -> Option<Interval> {
        let standard = Normal::standard();
        let values = self.resampled.values();
        let below = values.partition_point(|&value| value < self.observed);
        let not_above = values.partition_point(|&value| value <= self.observed);
        let share = (below + not_above) as f64 / (2 * values.len()) as f64;
        let varies = self.resampled.min() < self.resampled.max();
        if !(varies && share > 0.0 && share < 1.0) {
            return None;
        }
        let bias = standard.inverse_cdf(share);
        let acceleration = self.acceleration()?;
        let place = |error: f64| {
            let shifted = bias + standard.inverse_cdf(error);
            normal::cumulative(bias + shifted / (1.0 - acceleration * shifted))
        };
        self.between(place(alpha / 2.0), place(1.0 - alpha / 2.0), alpha)
    }

    fn acceleration(&self) -> Option<f64> {
        let (mut cubes, mut squares) = (0.0, 0.0);
        for values in &self.left_out {
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let influence = values.iter().map(|value| (count - 1.0) * (mean - value));
            for influence in influence {
                cubes += (influence / count).powi(3);
                squares += (influence / count).powi(2);
            }
        }
        let acceleration = cubes / (6.0 * squares.powf(1.5));
        acceleration.is_finite().then_some(acceleration)
    }

    fn between(&self, low: f64, high: f64, alpha: f64) -> Option<Interval> {
        Some(Interval {
            low: self.resampled.quantile(low)?,
            high: self.resampled.quantile(high)?,
            coverage: 1.0 - alpha,
        })
    }
}
