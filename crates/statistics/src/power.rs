//! Power of the rank-sum test and the shift that it can detect, by simulation.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::{Random, RankSumNull, Sample, rank_sum};

/// Total number of pairs of values that are drawn: larger samples get fewer trials.
const PAIRS: usize = 1_000_000;

/// Noise of one value per run around 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Normal with this standard deviation.
    Normal(f64),
    /// Log-normal, with some much slower runs.
    LogNormal {
        /// Standard deviation of the logarithm.
        deviation: f64,
        /// Share of runs that are outliers.
        outliers: f64,
        /// Factor of outliers.
        factor: f64,
    },
}

impl Noise {
    /// Draws a value with this noise; its median is 1 without outliers.
    pub fn draw(self, random: &mut Random) -> f64 {
        match self {
            Self::Normal(deviation) => 1.0 + deviation * random.normal(),
            Self::LogNormal {
                deviation,
                outliers,
                factor,
            } => {
                let value = (deviation * random.normal()).exp();
                let is_outlier = random.unit() < outliers;
                if is_outlier { value * factor } else { value }
            }
        }
    }
}

/// Share of `trials` in which the exact rank-sum test of `runs` against `runs` values is significant at
/// `alpha`, if side B is slower by the share `shift`. With a shift of 0 it is the share of false alarms.
/// State the seed of `random` and the number of trials with the result.
///
/// ```
/// use sheaf_statistics::{Noise, Random, power};
/// let clear = power(8, 0.1, Noise::Normal(0.02), 0.05, 200, &mut Random::new(1));
/// assert_eq!(clear, 1.0);
/// // Three against three runs are never significant.
/// assert_eq!(power(3, 9.0, Noise::Normal(0.02), 0.05, 200, &mut Random::new(1)), 0.0);
/// ```
pub fn power(
    runs: usize,
    shift: f64,
    noise: Noise,
    alpha: f64,
    trials: usize,
    random: &mut Random,
) -> f64 {
    let null = RankSumNull::new(runs, runs);
    let is_found = |random: &mut Random| {
        let mut side = |factor: f64| {
            let values: Vec<f64> = (0..runs).map(|_| factor * noise.draw(random)).collect();
            Sample::new(values)
        };
        let (a, b) = (side(1.0), side(1.0 + shift));
        rank_sum(&a, &b, &null).is_some_and(|test| test.p <= alpha)
    };
    let found = (0..trials).filter(|_| is_found(random)).count();
    found as f64 / trials.max(1) as f64
}

/// The shift, in standard deviations of normal noise, that the exact rank-sum test of `m` against `n`
/// values finds at level `alpha` with probability `power`. Absent if not even complete separation is
/// significant, or if `power` is not a share.
///
/// Simulated, because no formula covers the discrete steps of the exact test for few values. In each of
/// 200 to 4,000 trials drawn from `seed`, the smallest significant shift is an order statistic of the
/// differences of all pairs. The result varies by about 2 % with the seed.
///
/// ```
/// use sheaf_statistics::detectable_shift;
/// assert!(detectable_shift(3, 3, 0.05, 0.8, 0).is_none());
/// assert!(detectable_shift(5, 5, 0.05, 0.8, 0) > detectable_shift(10, 10, 0.05, 0.8, 0));
/// ```
pub fn detectable_shift(m: usize, n: usize, alpha: f64, power: f64, seed: u64) -> Option<f64> {
    let null = RankSumNull::new(m, n);
    let pairs = m.checked_mul(n).filter(|&pairs| pairs > 0)?;
    let critical = (0..pairs).take_while(|&u| 2.0 * null.cumulative(u) <= alpha);
    // Number of pairs that may be in the other order.
    let most_reversed = critical.last()?;
    let trials = (PAIRS / pairs).clamp(200, 4_000);
    let mut random = Random::new(seed ^ ((m as u64) << 32 | n as u64));
    let normal = Normal::standard();
    let mut draw = |count: usize| -> Vec<f64> {
        let value = |_| normal.inverse_cdf(random.unit().max(f64::EPSILON));
        (0..count).map(value).collect()
    };
    let least = (0..trials).map(|_| {
        let (a, b) = (draw(m), draw(n));
        let mut gaps: Vec<f64> = a
            .iter()
            .flat_map(|a| b.iter().map(move |b| a - b))
            .collect();
        let last_needed = pairs - 1 - most_reversed;
        *gaps.select_nth_unstable_by(last_needed, f64::total_cmp).1
    });
    Sample::new(least.collect::<Vec<f64>>()).quantile(power)
}
