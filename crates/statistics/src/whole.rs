//! Whole distributions compared: Kolmogorov-Smirnov, Cramér-von Mises, energy distance.

mod kolmogorov;

pub use kolmogorov::{KolmogorovSmirnov, kolmogorov_smirnov};

use crate::{Sample, Tested};

/// Share of a sample's values up to `value`.
fn share_up_to(sample: &Sample, value: f64) -> f64 {
    let count = sample.values().partition_point(|&other| other <= value);
    count as f64 / sample.len() as f64
}

/// The values of both sides, when neither is empty.
fn pooled(a: &Sample, b: &Sample) -> Option<Sample> {
    let both = a.values().iter().chain(b.values()).copied();
    (!a.is_empty() && !b.is_empty()).then(|| Sample::new(both))
}

/// Energy distance √(2 E|X − Y| − E|X − X'| − E|Y − Y'|) (Székely & Rizzo 2004), in the square
/// root of the values' unit. Absent when a side is empty. Takes O(N log N).
pub fn energy_distance(a: &Sample, b: &Sample) -> Option<f64> {
    let pooled = pooled(a, b)?;
    let steps = pooled.values().windows(2);
    let area = steps.map(|step| {
        let difference = share_up_to(a, step[0]) - share_up_to(b, step[0]);
        (step[1] - step[0]) * difference * difference
    });
    Some((2.0 * area.sum::<f64>()).sqrt())
}

/// The Cramér-von Mises test of two samples (Anderson 1962) with its limiting distribution.
/// Absent when a side is empty.
pub fn cramer_von_mises(a: &Sample, b: &Sample) -> Option<Tested> {
    let pooled = pooled(a, b)?;
    let sizes = [a.len() as f64, b.len() as f64];
    let (all, pairs) = (sizes[0] + sizes[1], sizes[0] * sizes[1]);
    let squares = sizes[0].powi(2) + sizes[1].powi(2);
    // Mid-ranks of a side's values, less their places in their own side.
    let rank_squares = |side: &Sample| {
        let places = side.values().iter().enumerate();
        let distances = places.map(|(place, &value)| {
            let before = pooled.values().partition_point(|&other| other < value);
            let up_to = pooled.values().partition_point(|&other| other <= value);
            let rank = (before + up_to + 1) as f64 / 2.0;
            (rank - (place + 1) as f64).powi(2)
        });
        side.len() as f64 * distances.sum::<f64>()
    };
    let sums = rank_squares(a) + rank_squares(b);
    let statistic = sums / (pairs * all) - (4.0 * pairs - 1.0) / (6.0 * all);
    let mean = (1.0 + 1.0 / all) / 6.0;
    let variance = (all + 1.0) * (4.0 * pairs * all - 3.0 * squares - 2.0 * pairs)
        / (45.0 * all * all * 4.0 * pairs);
    // Values like those of the limit, whose mean is 1/6 and variance 1/45.
    let standardized = 1.0 / 6.0 + (statistic - mean) / (45.0 * variance).sqrt();
    let p = if standardized < 0.003 {
        1.0
    } else {
        (1.0 - limit_of_cramer_von_mises(standardized)).clamp(f64::MIN_POSITIVE, 1.0)
    };
    Some(Tested { statistic, p })
}

/// Distribution function of the limit of the statistic (Anderson & Darling 1952).
fn limit_of_cramer_von_mises(x: f64) -> f64 {
    let (mut sum, mut ratio) = (0.0, std::f64::consts::PI.sqrt());
    for term in 0..100 {
        let order = 4.0 * f64::from(term) + 1.0;
        let argument = order * order / (16.0 * x);
        let value = ratio * order.sqrt() * scaled_bessel(argument)
            / (std::f64::consts::PI.powf(1.5) * x.sqrt());
        sum += value;
        if value.abs() < 1e-17 {
            break;
        }
        // Γ(k + ½) / Γ(k + 1).
        ratio *= (f64::from(term) + 0.5) / (f64::from(term) + 1.0);
    }
    sum
}

/// e⁻ᶻ K(z) with the modified Bessel function of the second kind of order ¼, z > 0: the integral
/// of e^(−z (1 + cosh t)) cosh(t/4), by the trapezoidal rule, which is exact to rounding here.
fn scaled_bessel(z: f64) -> f64 {
    let step = 1.0 / 64.0;
    let value = |t: f64| (-z * (1.0 + t.cosh())).exp() * (t / 4.0).cosh();
    let mut sum = value(0.0) / 2.0;
    for index in 1..4096 {
        let next = value(f64::from(index) * step);
        sum += next;
        if next < sum * 1e-18 {
            break;
        }
    }
    sum * step
}
