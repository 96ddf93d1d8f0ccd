//! Shape of one sample: moments, intervals of the mean, normality.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::{Sample, compensated_sum};
use crate::{Interval, normal};

/// A test statistic and its p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tested {
    /// The statistic.
    pub statistic: f64,
    /// The p-value.
    pub p: f64,
}

impl Sample {
    /// Standard deviation of the mean; absent below two values.
    pub fn standard_error(&self) -> Option<f64> {
        Some(self.standard_deviation()? / (self.len() as f64).sqrt())
    }

    /// Student's interval of the mean with error `alpha`: right for normal values only. Absent
    /// below two values.
    pub fn mean_interval(&self, alpha: f64) -> Option<Interval> {
        let (mean, error) = (self.mean()?, self.standard_error()?);
        let reach = error * student_quantile((self.len() - 1) as f64, alpha)?;
        Some(Interval {
            low: mean - reach,
            high: mean + reach,
            coverage: 1.0 - alpha,
        })
    }

    /// Skewness of the values as they are, m₃ / m₂^(3/2); absent when they do not vary.
    pub fn skewness_biased(&self) -> Option<f64> {
        let variance = self.central_moment(2).filter(|&moment| moment > 0.0)?;
        Some(self.central_moment(3)? / variance.powf(1.5))
    }

    /// Skewness corrected for the number of values; absent below three or when they do not vary.
    pub fn skewness(&self) -> Option<f64> {
        let count = self.len() as f64;
        let biased = self.skewness_biased().filter(|_| self.len() > 2)?;
        Some(biased * (count * (count - 1.0)).sqrt() / (count - 2.0))
    }

    /// Kurtosis above that of normal values, corrected for the number of values; absent below
    /// four or when they do not vary.
    pub fn excess_kurtosis(&self) -> Option<f64> {
        let count = self.len() as f64;
        let variance = self.central_moment(2).filter(|&moment| moment > 0.0)?;
        let biased = self.central_moment(4)? / variance.powi(2) - 3.0;
        let scale = (count - 1.0) / ((count - 2.0) * (count - 3.0));
        (self.len() > 3).then_some(scale * ((count + 1.0) * biased + 6.0))
    }

    /// Bimodality coefficient: above 5/9 hints at two modes, but skewed values with one mode
    /// exceed it too. Absent below four values or when they do not vary.
    pub fn bimodality_coefficient(&self) -> Option<f64> {
        let count = self.len() as f64;
        let (skewness, kurtosis) = (self.skewness()?, self.excess_kurtosis()?);
        let correction = 3.0 * (count - 1.0).powi(2) / ((count - 2.0) * (count - 3.0));
        Some((skewness.powi(2) + 1.0) / (kurtosis + correction))
    }

    /// Mean of a power of the deviations from the mean.
    fn central_moment(&self, power: i32) -> Option<f64> {
        let mean = self.mean()?;
        // Equal values do not vary, whatever rounding makes of their mean.
        if self.min() == self.max() {
            return Some(0.0);
        }
        let powers = self.values().iter().map(|value| (value - mean).powi(power));
        Some(compensated_sum(powers) / self.len() as f64)
    }

    /// Shapiro and Wilk's W and the chance of so small a W for normal values, by Royston's
    /// approximation (1995, AS R94). Absent below three values, above 5,000 where it was not
    /// fitted, and when the values do not vary.
    pub fn shapiro_wilk(&self) -> Option<Tested> {
        let count = self.len();
        if !(3..=5000).contains(&count) || self.min() == self.max() {
            return None;
        }
        let weights = royston_weights(count);
        let pairs = weights.iter().enumerate();
        let contrast = compensated_sum(
            pairs.map(|(at, weight)| weight * (self.sorted[count - 1 - at] - self.sorted[at])),
        );
        let squares = self.central_moment(2)? * count as f64;
        let statistic = (contrast.powi(2) / squares).min(1.0);
        let p = royston_p(statistic, count as f64);
        Some(Tested { statistic, p })
    }
}

/// The quantile of Student's t that leaves `alpha` outside on both sides together.
pub(crate) fn student_quantile(freedom: f64, alpha: f64) -> Option<f64> {
    let is_known = alpha > 0.0 && alpha < 1.0;
    let student = StudentsT::new(0.0, 1.0, freedom)
        .ok()
        .filter(|_| is_known)?;
    Some(student.inverse_cdf(1.0 - alpha / 2.0))
}

/// The chance that Student's t is at least as far from 0 as `t`, never 0.
pub(crate) fn student_p(t: f64, freedom: f64) -> Option<f64> {
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some((2.0 * student.sf(t.abs())).clamp(f64::MIN_POSITIVE, 1.0))
}

/// Value of the polynomial with ascending coefficients.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients
        .iter()
        .rev()
        .fold(0.0, |sum, own| sum * x + own)
}

/// Weights of the differences between the greatest and the least values, outermost first.
fn royston_weights(count: usize) -> Vec<f64> {
    const OUTER: [f64; 6] = [0.0, 0.221_157, -0.147_981, -2.071_19, 4.434_685, -2.706_056];
    const NEXT: [f64; 6] = [
        0.0, 0.042_981, -0.293_762, -1.752_461, 5.682_633, -3.582_633,
    ];
    if count == 3 {
        return vec![0.5_f64.sqrt()];
    }
    let normal = Normal::standard();
    let place = |at: usize| (at as f64 + 0.625) / (count as f64 + 0.25);
    let scores: Vec<f64> = (0..count / 2)
        .map(|at| -normal.inverse_cdf(place(at)))
        .collect();
    let squares = 2.0 * scores.iter().map(|score| score * score).sum::<f64>();
    let root = (count as f64).sqrt().recip();
    let outer = polynomial(&OUTER, root) + scores[0] / squares.sqrt();
    let mut fixed = vec![outer];
    if count > 5 {
        fixed.push(polynomial(&NEXT, root) + scores[1] / squares.sqrt());
    }
    let fixed_scores: f64 = scores[..fixed.len()]
        .iter()
        .map(|score| score * score)
        .sum();
    let fixed_weights: f64 = fixed.iter().map(|weight| weight * weight).sum();
    let scale = ((squares - 2.0 * fixed_scores) / (1.0 - 2.0 * fixed_weights)).sqrt();
    let rest = scores[fixed.len()..].iter().map(|score| score / scale);
    fixed.iter().copied().chain(rest).collect()
}

fn royston_p(statistic: f64, count: f64) -> f64 {
    let rest = 1.0 - statistic;
    if count <= 3.0 {
        let p = 6.0 / std::f64::consts::PI * (statistic.sqrt().asin() - 0.75_f64.sqrt().asin());
        return p.clamp(0.0, 1.0);
    }
    let (mean, deviation, value) = if count <= 11.0 {
        let limit = 0.459 * count - 2.273;
        let value = -(limit - rest.ln()).ln();
        if value.is_nan() {
            return f64::MIN_POSITIVE;
        }
        let mean = polynomial(&[0.544, -0.399_78, 0.025_054, -6.714e-4], count);
        let deviation = polynomial(&[1.3822, -0.778_57, 0.062_767, -0.002_032_2], count);
        (mean, deviation.exp(), value)
    } else {
        let log = count.ln();
        let mean = polynomial(&[-1.5861, -0.310_82, -0.083_751, 0.003_891_5], log);
        let deviation = polynomial(&[-0.4803, -0.082_676, 0.003_030_2], log);
        (mean, deviation.exp(), rest.ln())
    };
    normal::tail((value - mean) / deviation)
}
