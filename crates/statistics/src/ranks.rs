//! Further tests on ranks: Brunner-Munzel of location, Fligner-Killeen of spread.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

use crate::sample::student_p;
use crate::{RankSumForm, Sample, Tested, rank_sum_p};

/// Mid-ranks from 1 of the values among themselves.
fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let rank = (2 * before + equal.len() + 1) as f64 / 2.0;
        for &place in equal {
            ranks[place] = rank;
        }
        before += equal.len();
    }
    ranks
}

/// Outcome of [`brunner_munzel`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrunnerMunzel {
    /// The statistic, positive when B tends to be greater; absent under complete separation and
    /// for constant samples, where it is not defined.
    pub statistic: Option<f64>,
    /// Two-sided p: by Student's t, or counted exactly as in [`rank_sum`](crate::rank_sum) where
    /// the statistic is not defined.
    pub p: f64,
}

/// Brunner and Munzel's test (2000): as the rank-sum test, but for samples of unequal shapes.
/// Absent below two values on a side.
pub fn brunner_munzel(a: &Sample, b: &Sample) -> Option<BrunnerMunzel> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let pooled: Vec<f64> = a.values().iter().chain(b.values()).copied().collect();
    let ranks = mid_ranks(&pooled);
    let (ranks_a, ranks_b) = ranks.split_at(a.len());
    let mean = |ranks: &[f64]| ranks.iter().sum::<f64>() / ranks.len() as f64;
    let variance = |ranks: &[f64], side: &Sample| {
        let own = mid_ranks(side.values());
        let middle = mean(ranks) - mean(&own);
        let squares = ranks
            .iter()
            .zip(&own)
            .map(|(rank, own)| (rank - own - middle).powi(2));
        squares.sum::<f64>() / (side.len() - 1) as f64
    };
    let sizes = [a.len() as f64, b.len() as f64];
    let parts = [
        sizes[0] * variance(ranks_a, a),
        sizes[1] * variance(ranks_b, b),
    ];
    let spread = parts[0] + parts[1];
    if spread <= 0.0 {
        let p = rank_sum_p(a, b, RankSumForm::Exact)?;
        return Some(BrunnerMunzel { statistic: None, p });
    }
    let difference = mean(ranks_b) - mean(ranks_a);
    let statistic = sizes[0] * sizes[1] * difference / ((sizes[0] + sizes[1]) * spread.sqrt());
    let freedom = spread.powi(2)
        / (parts[0].powi(2) / (sizes[0] - 1.0) + parts[1].powi(2) / (sizes[1] - 1.0));
    Some(BrunnerMunzel {
        statistic: Some(statistic),
        p: student_p(statistic, freedom)?,
    })
}

/// Fligner and Killeen's test (1976) of equal spread, on deviations from the medians: the χ² with
/// one degree of freedom. Absent when a side is empty or all deviations are equal.
pub fn fligner_killeen(a: &Sample, b: &Sample) -> Option<Tested> {
    let (median_a, median_b) = (a.median()?, b.median()?);
    let from_a = a.values().iter().map(|value| (value - median_a).abs());
    let deviations: Vec<f64> = from_a
        .chain(b.values().iter().map(|value| (value - median_b).abs()))
        .collect();
    if deviations
        .windows(2)
        .all(|pair| pair[0].total_cmp(&pair[1]).is_eq())
    {
        return None;
    }
    let count = deviations.len() as f64;
    let normal = Normal::standard();
    let score = |rank: f64| normal.inverse_cdf(f64::midpoint(1.0, rank / (count + 1.0)));
    let scores: Vec<f64> = mid_ranks(&deviations).into_iter().map(score).collect();
    let mean = scores.iter().sum::<f64>() / count;
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    let (of_a, of_b) = scores.split_at(a.len());
    let between = |own: &[f64]| {
        let sum: f64 = own.iter().map(|score| score - mean).sum();
        sum * sum / own.len() as f64
    };
    let statistic = (between(of_a) + between(of_b)) / (squares / (count - 1.0));
    let p = ChiSquared::new(1.0).ok()?.sf(statistic);
    Some(Tested {
        statistic,
        p: p.clamp(f64::MIN_POSITIVE, 1.0),
    })
}
