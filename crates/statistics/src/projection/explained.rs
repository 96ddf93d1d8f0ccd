//! The share of distances between items that variables explain.

use super::eigen::dot;
use super::scaling::centred;
use crate::Distances;
use crate::random::Random;

/// Maximum number of multiplications for permutations.
const BUDGET: usize = 1_000_000_000;

/// A column whose rest, as a share, is shorter than this follows from the columns before it.
const DEPENDENT: f64 = 1e-9;

/// Explained share of the squared distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explained {
    /// Share of the sum of squared distances, 0..1 for Euclidean ones.
    pub r_squared: f64,
    /// The share, minus the share that as many random columns would explain; at most 1. Absent without at
    /// least two items more than degrees of freedom.
    pub adjusted: Option<f64>,
    /// Degrees of freedom: the number of independent columns.
    pub degrees: usize,
    /// Share of permutations of the items that explain at least as much, the given order included. Absent
    /// without permutations, and if there are too many items for them.
    pub p: Option<f64>,
}

/// Share of the distances that columns, with one number per item, explain: distance-based redundancy analysis.
/// For columns that indicate groups, it is the R² of PERMANOVA (`McArdle` and Anderson 2001).
///
/// The share is tr(HG)/tr(G), with G the centred squared distances and H the projection on the centred
/// columns. Absent if all distances are 0 or no column varies. Quadratic per column and permutation.
pub fn explained(
    distances: &Distances,
    columns: &[Vec<f64>],
    permutations: usize,
    seed: u64,
) -> Option<Explained> {
    let n = distances.len();
    let centred = centred(distances);
    let total: f64 = (0..n).map(|at| centred[at * n + at]).sum();
    let basis = basis(columns, n);
    if total <= 0.0 || basis.is_empty() {
        return None;
    }
    let share = |order: &[usize]| {
        let of_one = |column: &Vec<f64>| {
            let column: Vec<f64> = order.iter().map(|&at| column[at]).collect();
            let rows = centred.chunks(n).zip(&column);
            rows.map(|(row, value)| value * dot(row, &column))
                .sum::<f64>()
        };
        basis.iter().map(of_one).sum::<f64>() / total
    };
    let mut order: Vec<usize> = (0..n).collect();
    // Rounding errors are not a share.
    let r_squared = Some(share(&order))
        .filter(|it| it.abs() > DEPENDENT)
        .unwrap_or(0.0);
    let degrees = basis.len();
    let free = n.saturating_sub(1 + degrees);
    let is_short = n * n * degrees * permutations <= BUDGET;
    let p = (permutations > 0 && is_short).then(|| {
        let mut random = Random::new(seed);
        let as_great = (0..permutations).filter(|_| {
            random.shuffle(&mut order);
            share(&order) >= r_squared - 1e-12 * r_squared.abs()
        });
        (as_great.count() + 1) as f64 / (permutations + 1) as f64
    });
    Some(Explained {
        r_squared,
        adjusted: (free > 0).then(|| 1.0 - (1.0 - r_squared) * (n - 1) as f64 / free as f64),
        degrees,
        p,
    })
}

/// Orthogonal vectors of length 1 that span the centred columns (Gram and Schmidt, twice).
fn basis(columns: &[Vec<f64>], n: usize) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for column in columns.iter().filter(|column| column.len() == n) {
        let mean = column.iter().sum::<f64>() / n.max(1) as f64;
        let mut rest: Vec<f64> = column.iter().map(|value| value - mean).collect();
        let whole = dot(&rest, &rest).sqrt();
        let size = column
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        for known in basis.iter().chain(&basis) {
            let along = dot(&rest, known);
            for (value, known) in rest.iter_mut().zip(known) {
                *value -= along * known;
            }
        }
        let length = dot(&rest, &rest).sqrt();
        if whole > DEPENDENT * size && length > DEPENDENT * whole {
            basis.push(rest.into_iter().map(|value| value / length).collect());
        }
    }
    basis
}
