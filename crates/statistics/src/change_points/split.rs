//! The best split of a stretch of values, by running sums of distances.

/// A split of a series in two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// First point after it.
    pub point: usize,
    /// Q = m k / (m + k) times the energy distance of the m values before and the k after it.
    pub statistic: f64,
}

/// The first of the `places` at which the distance Q between the values before and behind is greatest.
/// All places have at least two values on either side.
///
/// E = 2/(mk) Σ|x−y| − 2/(m(m−1)) Σ|x−x′| − 2/(k(k−1)) Σ|y−y′|, with sums over pairs.
pub(super) fn best(values: &[f64], places: &[usize]) -> Option<Split> {
    let before = sums_of_beginnings(values.iter());
    let behind = sums_of_beginnings(values.iter().rev());
    let all = before.last()?;
    let mut best: Option<Split> = None;
    for &place in places {
        let (within_before, within_behind) = (before[place], behind[values.len() - place]);
        let (m, k) = (place as f64, (values.len() - place) as f64);
        let between = all - within_before - within_behind;
        let energy = 2.0 / (m * k) * between
            - 2.0 / (m * (m - 1.0)) * within_before
            - 2.0 / (k * (k - 1.0)) * within_behind;
        let statistic = m * k / (m + k) * energy;
        if best.is_none_or(|best| statistic > best.statistic) {
            best = Some(Split {
                point: place,
                statistic,
            });
        }
    }
    best
}

/// For every length, the sum of distances of all pairs among the first so many values.
fn sums_of_beginnings<'a>(values: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let mut seen: Vec<f64> = Vec::new();
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for &value in values {
        sum += sum_of_distances(value, &seen);
        sums.push(sum);
        seen.push(value);
    }
    sums
}

/// Sum of |value − other|, taken in eight parts that do not wait for each other.
fn sum_of_distances(value: f64, others: &[f64]) -> f64 {
    let (eights, rest) = others.as_chunks::<8>();
    let mut parts = [0.0; 8];
    for eight in eights {
        for (part, other) in parts.iter_mut().zip(eight) {
            *part += (value - other).abs();
        }
    }
    for (part, other) in parts.iter_mut().zip(rest) {
        *part += (value - other).abs();
    }
    parts.iter().sum()
}
