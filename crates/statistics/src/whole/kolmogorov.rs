//! The test of Kolmogorov and Smirnov of two samples.

use crate::Sample;

/// Cells of the lattice up to which the exact p is counted.
const MOST_CELLS: usize = 25_000_000;
/// Values up to which the distribution for one sample is computed exactly.
const MOST_EXACT: usize = 140;

/// Outcome of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KolmogorovSmirnov {
    /// Greatest distance between the two distribution functions.
    pub distance: f64,
    /// Exact p, conditional on the ties (Schröer & Trenkler 1995); absent above 5,000 against
    /// 5,000 values.
    pub p: Option<f64>,
    /// Exact p if there were no ties, as scipy has it: too great when there are.
    pub p_ignoring_ties: Option<f64>,
    /// p of a sample of m n / (m + n) values, rounded, against a known distribution.
    pub p_asymptotic: f64,
}

/// Tests whether two samples have the same distribution. Absent when a side is empty.
///
/// Never for grains of one run, which are not independent: there the distance describes only.
/// Takes O(m n) for the exact p.
pub fn kolmogorov_smirnov(a: &Sample, b: &Sample) -> Option<KolmogorovSmirnov> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (m, n) = (a.len(), b.len());
    let mut pooled: Vec<f64> = a.values().iter().chain(b.values()).copied().collect();
    pooled.sort_by(f64::total_cmp);
    // Whether a value is the last of its equals: only there do distribution functions stand.
    let ends: Vec<bool> = (0..pooled.len())
        .map(|at| pooled.get(at + 1).is_none_or(|&next| next > pooled[at]))
        .collect();
    // Distances in units of 1 / (m n), which are whole.
    let distances = pooled.iter().map(|value| {
        let count = |sample: &Sample| sample.values().partition_point(|other| other <= value);
        (count(a) * n).abs_diff(count(b) * m)
    });
    let greatest = distances.max().unwrap_or(0);
    let is_countable = m.saturating_mul(n) <= MOST_CELLS;
    let count = |ends: &[bool]| is_countable.then(|| share_of_paths(m, n, greatest, ends));
    let distance = greatest as f64 / (m as f64 * n as f64);
    let effective = (m as f64 * n as f64 / (m + n) as f64)
        .round_ties_even()
        .max(1.0);
    Some(KolmogorovSmirnov {
        distance,
        p: count(&ends),
        p_ignoring_ties: count(&vec![true; pooled.len()]),
        p_asymptotic: one_sample_p(distance, effective).clamp(f64::MIN_POSITIVE, 1.0),
    })
}

/// Share of the paths from (0, 0) to (m, n) that are at least `distance` / (m n) away from the
/// diagonal at one of the points that count.
fn share_of_paths(m: usize, n: usize, distance: usize, ends: &[bool]) -> f64 {
    // For every point, the share of the paths to it that have been outside.
    let mut outside = vec![0.0; n + 1];
    for i in 0..=m {
        for j in 0..=n {
            let is_outside = i + j > 0 && ends[i + j - 1] && (i * n).abs_diff(j * m) >= distance;
            outside[j] = if is_outside {
                1.0
            } else if i + j == 0 {
                0.0
            } else {
                let from_left = if j > 0 {
                    outside[j - 1] * j as f64
                } else {
                    0.0
                };
                (outside[j] * i as f64 + from_left) / (i + j) as f64
            };
        }
    }
    outside[n].clamp(f64::MIN_POSITIVE, 1.0)
}

/// Chance of a distance of at least `distance` between the distribution function of `count`
/// values and the true one (Marsaglia, Tsang & Wang 2003): exact for few values, else right to
/// seven digits or by the series for very many.
fn one_sample_p(distance: f64, count: f64) -> f64 {
    let scaled = distance * distance * count;
    if distance >= 1.0 {
        return 0.0;
    }
    if count > MOST_EXACT as f64 || scaled > 18.0 {
        let corrected = 2.000_071 + 0.331 / count.sqrt() + 1.409 / count;
        if scaled > 3.76 {
            return 2.0 * (-corrected * scaled).exp();
        }
        let term = |k: i32| {
            let sign = if k % 2 == 0 { -2.0 } else { 2.0 };
            sign * (-2.0 * f64::from(k * k) * scaled).exp()
        };
        return (1..=100).map(term).sum();
    }
    1.0 - durbin(distance, count)
}

/// Chance of a smaller distance, from a power of Durbin's matrix.
fn durbin(distance: f64, count: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both are at most the greatest number of values that are counted exactly"
    )]
    let (count, above) = (count as usize, (count * distance) as usize + 1);
    let rest = above as f64 - count as f64 * distance;
    let size = 2 * above - 1;
    let mut matrix = vec![vec![0.0; size]; size];
    for (i, row) in matrix.iter_mut().enumerate() {
        for (j, cell) in row.iter_mut().enumerate() {
            *cell = f64::from(u8::from(i + 1 >= j));
        }
    }
    for (place, row) in matrix.iter_mut().enumerate() {
        row[0] -= rest.powf((place + 1) as f64);
    }
    for (place, cell) in matrix[size - 1].iter_mut().enumerate() {
        *cell -= rest.powf((size - place) as f64);
    }
    if 2.0 * rest > 1.0 {
        matrix[size - 1][0] += (2.0 * rest - 1.0).powf(size as f64);
    }
    for (i, row) in matrix.iter_mut().enumerate() {
        let mut factorial = 1.0;
        for steps in 1..=i + 1 {
            factorial *= steps as f64;
            row[i + 1 - steps] /= factorial;
        }
    }
    // count! / countⁿ goes in step by step, so that nothing overflows.
    let mut vector = vec![0.0; size];
    vector[above - 1] = 1.0;
    for step in 1..=count {
        let next = (0..size).map(|j| (0..size).map(|i| vector[i] * matrix[i][j]).sum::<f64>());
        let scale = step as f64 / count as f64;
        vector = next.map(|value| value * scale).collect();
    }
    vector[above - 1]
}
