//! Classical multidimensional scaling.

use super::eigen::greatest;
use crate::Distances;
use crate::distances::squared_distance;

/// Eigenvalues below this share of the largest are rounding errors.
const MIN_EIGENVALUE: f64 = 1e-9;

/// Coordinates whose sizes differ by less than this share are equal when a sign is chosen.
const TIE: f64 = 1e-6;

/// Coordinates of items that reproduce their distances as well as possible.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// Number of dimensions: the requested one, or fewer if they suffice.
    pub dimensions: usize,
    /// Coordinates, item by item; centred on zero.
    pub coordinates: Vec<f64>,
    /// Eigenvalue of each dimension, descending: the sum of its squared coordinates.
    pub eigenvalues: Vec<f64>,
    /// Share of the sum of all squared eigenvalues, 0..1 (Mardia 1978); absent if all distances are 0.
    pub fit: Option<f64>,
    /// Kruskal's stress 1: the root of the sum of squared errors of all distances divided by the sum of their
    /// squares. 0 is exact; above 0.2 the picture misleads. Absent if all distances are 0.
    pub stress: Option<f64>,
}

impl Projection {
    /// A coordinate of an item; 0 in a dimension that does not exist.
    pub fn at(&self, thing: usize, dimension: usize) -> f64 {
        let is_known = dimension < self.dimensions;
        let at = thing * self.dimensions + dimension;
        self.coordinates
            .get(at)
            .copied()
            .filter(|_| is_known)
            .unwrap_or(0.0)
    }

    /// The first dimensions, with `fit` and `stress` computed for them.
    #[must_use]
    pub fn first(&self, dimensions: usize, distances: &Distances) -> Self {
        let dimensions = dimensions.min(self.dimensions);
        let places = self.coordinates.chunks(self.dimensions.max(1));
        let coordinates: Vec<f64> = places
            .flat_map(|place| place[..dimensions].iter().copied())
            .collect();
        let eigenvalues = self.eigenvalues[..dimensions].to_vec();
        let squares = |values: &[f64]| values.iter().map(|it| it * it).sum::<f64>();
        Self {
            fit: self
                .fit
                .map(|fit| fit * squares(&eigenvalues) / squares(&self.eigenvalues)),
            stress: stress(distances, &coordinates, dimensions),
            dimensions,
            coordinates,
            eigenvalues,
        }
    }
}

/// Classical (metric) multidimensional scaling, or principal coordinates (Torgerson 1952, Gower 1966): the
/// largest eigenvectors of the squared distances, centred both ways.
///
/// Distances do not determine the sign of a dimension: it is chosen so that the coordinate farthest from zero
/// (the first of equals) is positive. If eigenvalues are equal, any rotation of their dimensions is as good; the
/// result is one of them.
pub fn classical_scaling(distances: &Distances, dimensions: usize) -> Projection {
    let n = distances.len();
    let centred = centred(distances);
    let all: f64 = centred.iter().map(|it| it * it).sum();
    let mut found = greatest(&centred, n, dimensions);
    let most = found.first().map_or(0.0, |(value, _)| *value);
    found.retain(|(value, _)| *value > MIN_EIGENVALUE * most.max(0.0));
    let mut coordinates = vec![0.0; n * found.len()];
    for (dimension, (value, vector)) in found.iter().enumerate() {
        let factor = value.sqrt() * sign(vector);
        for (thing, entry) in vector.iter().enumerate() {
            coordinates[thing * found.len() + dimension] = factor * entry;
        }
    }
    let eigenvalues: Vec<f64> = found.into_iter().map(|(value, _)| value).collect();
    let squares: f64 = eigenvalues.iter().map(|it| it * it).sum();
    Projection {
        dimensions: eigenvalues.len(),
        fit: (all > 0.0).then(|| (squares / all).min(1.0)),
        stress: stress(distances, &coordinates, eigenvalues.len()),
        coordinates,
        eigenvalues,
    }
}

/// −½ J D² J, row by row.
pub(super) fn centred(distances: &Distances) -> Vec<f64> {
    let n = distances.len();
    let count = n.max(1) as f64;
    let means: Vec<f64> = (0..n)
        .map(|i| distances.row(i).iter().map(|it| it * it).sum::<f64>() / count)
        .collect();
    let mean = means.iter().sum::<f64>() / count;
    let mut matrix = Vec::with_capacity(n * n);
    for i in 0..n {
        let row = distances.row(i).iter().zip(&means);
        // The sum of both means first, so that the matrix is symmetric to the bit.
        matrix.extend(row.map(|(it, other)| -0.5 * (it * it - (means[i] + other) + mean)));
    }
    matrix
}

fn sign(vector: &[f64]) -> f64 {
    let most = vector.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    let farthest = vector.iter().find(|it| it.abs() >= most * (1.0 - TIE));
    farthest.map_or(1.0, |it| it.signum())
}

fn stress(distances: &Distances, coordinates: &[f64], dimensions: usize) -> Option<f64> {
    let n = distances.len();
    let place = |at: usize| &coordinates[at * dimensions..(at + 1) * dimensions];
    let (mut errors, mut squares) = (0.0, 0.0);
    for i in 0..n {
        for j in i + 1..n {
            let (wanted, drawn) = (
                distances.at(i, j),
                squared_distance(place(i), place(j)).sqrt(),
            );
            errors += (wanted - drawn) * (wanted - drawn);
            squares += wanted * wanted;
        }
    }
    (squares > 0.0).then(|| (errors / squares).sqrt())
}
