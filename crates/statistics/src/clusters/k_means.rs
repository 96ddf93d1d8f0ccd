//! k-means clusters.

use super::{in_order, silhouette};
use crate::Distances;
use crate::distances::squared_distance;
use crate::random::Random;

/// Minimum mean silhouette of clusters; below it there is "no substantial structure" (Kaufman and
/// Rousseeuw 1990).
pub const MIN_SILHOUETTE: f64 = 0.25;

/// Number of starts; the best result counts.
const STARTS: usize = 10;

/// Maximum number of rounds of a start.
const ROUNDS: usize = 300;

/// Points closer than this share of the largest distance count as one place: projections of equal items
/// differ by rounding.
const ONE_PLACE: f64 = 1e-6;

/// Silhouettes that differ by less are equal.
const TIE: f64 = 1e-9;

/// Points in k clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    /// Cluster of each point, numbered in the order of their first points.
    pub clusters: Vec<usize>,
    /// Sum over points of the squared distance to the mean of their cluster.
    pub inertia: f64,
    /// Mean silhouette; absent with one cluster.
    pub silhouette: Option<f64>,
}

impl KMeans {
    /// Number of clusters.
    pub fn k(&self) -> usize {
        self.clusters.iter().max().map_or(0, |last| last + 1)
    }
}

/// Clusters points by k-means: the best of ten starts drawn by k-means++ (Arthur and Vassilvitskii 2007),
/// each improved by Lloyd's algorithm (1982).
///
/// The same points in the same order and the same seed give the same clusters. If centres are equally close,
/// or starts equally good, the first one counts. Points in one place, up to rounding, are in one cluster, so
/// there may be fewer clusters than `k`. Finding places takes a comparison for each point and place.
pub fn k_means(points: &[f64], dimensions: usize, k: usize, seed: u64) -> KMeans {
    let (points, places) = in_places(points, dimensions);
    of_places(&points, places, dimensions, k, seed)
}

/// The same for points whose equal ones are bit-equal.
fn of_places(points: &[f64], places: usize, dimensions: usize, k: usize, seed: u64) -> KMeans {
    let points = Points { points, dimensions };
    let k = k.clamp(usize::from(places > 0), places);
    let mut random = Random::new(seed);
    let mut best: Option<(f64, Vec<usize>)> = None;
    for _ in 0..STARTS {
        let (inertia, clusters) = points.improved(points.start(k, &mut random));
        if best.as_ref().is_none_or(|(least, _)| inertia < *least) {
            best = Some((inertia, clusters));
        }
    }
    let (inertia, clusters) = best.unwrap_or_default();
    let clusters = in_order(&clusters);
    let silhouette = silhouette(&Distances::of_points(points.points, dimensions), &clusters);
    KMeans {
        clusters,
        inertia,
        silhouette,
    }
}

/// k-means with the k from 2 to `most` of the largest mean silhouette (Rousseeuw 1987), the smallest such k;
/// one cluster if no k reaches [`MIN_SILHOUETTE`].
pub fn choose_k_means(points: &[f64], dimensions: usize, most: usize, seed: u64) -> KMeans {
    let mut best: Option<KMeans> = None;
    let len = points.len().checked_div(dimensions).unwrap_or(0);
    let (points, places) = in_places(points, dimensions);
    let of = |k| of_places(&points, places, dimensions, k, seed);
    for k in 2..=most.min(len.saturating_sub(1)).min(places) {
        let found = of(k);
        let merit = |found: &KMeans| found.silhouette.unwrap_or(f64::NEG_INFINITY);
        let is_better = |best: &KMeans| merit(&found) > merit(best) + TIE;
        if best.as_ref().is_none_or(is_better) {
            best = Some(found);
        }
    }
    let is_real = |found: &KMeans| found.silhouette.is_some_and(|it| it >= MIN_SILHOUETTE);
    best.filter(is_real).unwrap_or_else(|| of(1))
}

/// The points, with those of one place moved to the first of them, and the number of places.
fn in_places(points: &[f64], dimensions: usize) -> (Vec<f64>, usize) {
    let mut moved = points.to_vec();
    if dimensions == 0 {
        return (moved, 0);
    }
    let Some(first) = points.get(..dimensions) else {
        return (moved, 0);
    };
    let squares = points
        .chunks_exact(dimensions)
        .map(|point| squared_distance(point, first));
    let nearest = squares.fold(0.0_f64, f64::max) * ONE_PLACE * ONE_PLACE;
    let mut places: Vec<&[f64]> = Vec::new();
    for (point, moved) in points
        .chunks_exact(dimensions)
        .zip(moved.chunks_exact_mut(dimensions))
    {
        let known = places
            .iter()
            .find(|place| squared_distance(place, point) <= nearest);
        match known {
            Some(place) => moved.copy_from_slice(place),
            None => places.push(point),
        }
    }
    (moved, places.len())
}

struct Points<'a> {
    points: &'a [f64],
    dimensions: usize,
}

impl Points<'_> {
    fn len(&self) -> usize {
        self.points.len().checked_div(self.dimensions).unwrap_or(0)
    }

    fn at(&self, point: usize) -> &[f64] {
        &self.points[point * self.dimensions..(point + 1) * self.dimensions]
    }

    /// Draws points as first centres, with probabilities proportional to the squared distance to earlier ones.
    fn start(&self, k: usize, random: &mut Random) -> Vec<f64> {
        let mut centres = Vec::with_capacity(k * self.dimensions);
        let mut nearest = vec![f64::INFINITY; self.len()];
        let mut next = random.below(self.len().max(1));
        for _ in 0..k {
            centres.extend_from_slice(self.at(next));
            for (point, least) in nearest.iter_mut().enumerate() {
                *least = least.min(squared_distance(self.at(point), self.at(next)));
            }
            let mut rest = random.unit() * nearest.iter().sum::<f64>();
            let reached = nearest.iter().position(|square| {
                rest -= square;
                rest < 0.0
            });
            next = reached.unwrap_or(next);
        }
        centres
    }

    /// Assigns points to the closest centre and moves centres to the means of their points, until nothing changes.
    fn improved(&self, mut centres: Vec<f64>) -> (f64, Vec<usize>) {
        let mut clusters = vec![usize::MAX; self.len()];
        for _ in 0..ROUNDS {
            let mut has_moved = false;
            for (point, cluster) in clusters.iter_mut().enumerate() {
                let nearest = self.nearest(point, &centres);
                has_moved |= nearest != *cluster;
                *cluster = nearest;
            }
            if !has_moved {
                break;
            }
            self.move_centres(&clusters, &mut centres);
        }
        let squares = clusters.iter().enumerate().map(|(point, &cluster)| {
            let centre = &centres[cluster * self.dimensions..(cluster + 1) * self.dimensions];
            squared_distance(self.at(point), centre)
        });
        (squares.sum(), clusters)
    }

    fn nearest(&self, point: usize, centres: &[f64]) -> usize {
        let squares = centres
            .chunks(self.dimensions)
            .map(|centre| squared_distance(self.at(point), centre));
        let nearest = squares.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b));
        nearest.map_or(0, |(centre, _)| centre)
    }

    /// Centres without points stay where they are.
    fn move_centres(&self, clusters: &[usize], centres: &mut [f64]) {
        let mut sums = vec![0.0; centres.len()];
        let mut counts = vec![0_u32; centres.len() / self.dimensions];
        for (point, &cluster) in clusters.iter().enumerate() {
            counts[cluster] += 1;
            let sum = &mut sums[cluster * self.dimensions..(cluster + 1) * self.dimensions];
            for (sum, value) in sum.iter_mut().zip(self.at(point)) {
                *sum += value;
            }
        }
        let sums = sums.chunks(self.dimensions).zip(&counts);
        for (centre, (sum, &count)) in centres.chunks_mut(self.dimensions).zip(sums) {
            if count > 0 {
                for (value, sum) in centre.iter_mut().zip(sum) {
                    *value = sum / f64::from(count);
                }
            }
        }
    }
}
