//! Distances between all pairs of items.

/// A symmetric matrix of distances with zeros on its diagonal.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    len: usize,
    /// Row by row.
    values: Vec<f64>,
}

impl Distances {
    /// Distances of `len` items; `distance` is called once per pair, with the smaller index first. Values
    /// that are negative or not finite count as 0.
    pub fn of_pairs(len: usize, distance: impl Fn(usize, usize) -> f64) -> Self {
        let mut values = vec![0.0; len * len];
        for i in 0..len {
            for j in i + 1..len {
                let value = Some(distance(i, j)).filter(|value| value.is_finite() && *value > 0.0);
                values[i * len + j] = value.unwrap_or(0.0);
                values[j * len + i] = values[i * len + j];
            }
        }
        Self { len, values }
    }

    /// Euclidean distances between points with this number of dimensions.
    pub fn of_points(points: &[f64], dimensions: usize) -> Self {
        if dimensions == 0 {
            return Self::of_pairs(0, |_, _| 0.0);
        }
        let point = |at: usize| &points[at * dimensions..(at + 1) * dimensions];
        Self::of_pairs(points.len() / dimensions, |i, j| {
            squared_distance(point(i), point(j)).sqrt()
        })
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Distance of two items.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.values[i * self.len + j]
    }

    /// Distances of one item to all.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.len..(i + 1) * self.len]
    }

    /// Whether all distances are 0.
    pub fn is_zero(&self) -> bool {
        self.values.iter().all(|value| *value == 0.0)
    }
}

pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
