//! Power: how often would so many runs show so large a change.

use crate::{Random, RankSumNull, Sample, rank_sum};

/// Noise of one value per run around 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Normal with this standard deviation.
    Normal(f64),
    /// Log-normal, and some runs far slower.
    LogNormal {
        /// Standard deviation of the logarithm.
        deviation: f64,
        /// Share of runs that are outliers.
        outliers: f64,
        /// What outliers are multiplied with.
        factor: f64,
    },
}

impl Noise {
    /// A value with this noise; its median is 1 without outliers.
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

/// Share of `trials` in which the exact rank-sum test of `runs` against `runs` values is
/// significant at `alpha`, when side B is slower by the share `shift`. With a shift of 0 it is the
/// share of false alarms. The seed of `random` and the trials belong to the result.
///
/// ```
/// use sheaf_statistics::{Noise, Random, power};
/// let clear = power(8, 0.1, Noise::Normal(0.02), 0.05, 200, &mut Random::new(1));
/// assert_eq!(clear, 1.0);
/// // Three against three runs never show anything.
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
