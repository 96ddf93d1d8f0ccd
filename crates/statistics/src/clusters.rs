//! Clusters: by linkage of distances and by k-means of points; their quality, and the agreement of two
//! clusterings.

mod k_means;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kodama::{Method, linkage};

use crate::Distances;

pub use k_means::{KMeans, MIN_SILHOUETTE, choose_k_means, k_means};

/// Clusters and the distances at which they merge: the mean over all pairs of their members (average
/// linkage, UPGMA; Sokal and Michener 1958).
///
/// Time and memory are quadratic in the items. If several pairs are equally close, the order of the items
/// decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Dendrogram {
    len: usize,
    /// The merged clusters and their distance, ascending; numbers from `len` on refer to earlier steps.
    steps: Vec<(usize, usize, f64)>,
}

impl Dendrogram {
    /// Merges items until there is one cluster.
    pub fn of(distances: &Distances) -> Self {
        let len = distances.len();
        if len < 2 {
            let steps = Vec::new();
            return Self { len, steps };
        }
        let mut pairs: Vec<f64> = (0..len)
            .flat_map(|i| distances.row(i)[i + 1..].iter().copied())
            .collect();
        let tree = linkage(&mut pairs, len, Method::Average);
        let steps = tree.steps().iter();
        Self {
            len,
            steps: steps
                .map(|step| (step.cluster1, step.cluster2, step.dissimilarity))
                .collect(),
        }
    }

    /// Distances at which clusters were merged, ascending.
    pub fn heights(&self) -> Vec<f64> {
        self.steps.iter().map(|(_, _, height)| *height).collect()
    }

    /// Cluster of each item if clusters up to `distance` from each other are merged, numbered in the order of
    /// their first items.
    pub fn cut(&self, distance: f64) -> Vec<usize> {
        let mut parents: Vec<usize> = (0..self.len + self.steps.len()).collect();
        for (at, &(a, b, height)) in self.steps.iter().enumerate() {
            if height <= distance {
                parents[a] = self.len + at;
                parents[b] = self.len + at;
            }
        }
        // The number of a step is larger than those of the clusters that it merges.
        for node in (0..parents.len()).rev() {
            parents[node] = parents[parents[node]];
        }
        in_order(&parents[..self.len])
    }

    /// The items in an order in which every cluster is contiguous; of two merged clusters, the one with the
    /// first item comes first.
    pub fn order(&self) -> Vec<usize> {
        let mut first: Vec<usize> = (0..self.len).collect();
        for &(a, b, _) in &self.steps {
            first.push(first[a].min(first[b]));
        }
        let mut order = Vec::with_capacity(self.len);
        let mut rest: Vec<usize> = (0..first.len()).last().into_iter().collect();
        while let Some(node) = rest.pop() {
            let Some(&(a, b, _)) = node.checked_sub(self.len).and_then(|at| self.steps.get(at))
            else {
                order.push(node);
                continue;
            };
            let (early, late) = if first[a] < first[b] { (a, b) } else { (b, a) };
            rest.extend([late, early]);
        }
        order
    }
}

/// Mean silhouette (Rousseeuw 1987), −1..1: how much closer items are to their own cluster than to the next
/// one. An item alone in its cluster counts 0. Absent with fewer than two clusters, or with one cluster per
/// item. Quadratic.
pub fn silhouette(distances: &Distances, clusters: &[usize]) -> Option<f64> {
    let k = clusters.iter().max().map_or(0, |last| last + 1);
    if k < 2 || k >= distances.len() {
        return None;
    }
    let mut sizes = vec![0_u32; k];
    for &cluster in clusters {
        sizes[cluster] += 1;
    }
    let of_one = |thing: usize| {
        let mut sums = vec![0.0; k];
        for (distance, &cluster) in distances.row(thing).iter().zip(clusters) {
            sums[cluster] += distance;
        }
        let own = clusters[thing];
        if sizes[own] < 2 {
            return 0.0;
        }
        let inner = sums[own] / f64::from(sizes[own] - 1);
        let others = (0..k).filter(|&cluster| cluster != own && sizes[cluster] > 0);
        let means = others.map(|cluster| sums[cluster] / f64::from(sizes[cluster]));
        let outer = means.fold(f64::INFINITY, f64::min);
        let greater = inner.max(outer);
        if greater > 0.0 {
            (outer - inner) / greater
        } else {
            0.0
        }
    };
    let sum: f64 = (0..distances.len()).map(of_one).sum();
    Some(sum / distances.len() as f64)
}

/// Adjusted Rand index (Hubert and Arabie 1985) of two clusterings of the same items: 1 if they are equal,
/// 0 on average for random ones, at least −1.
pub fn adjusted_rand_index(a: &[usize], b: &[usize]) -> f64 {
    let mut both: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    let (mut in_a, mut in_b) = (BTreeMap::new(), BTreeMap::new());
    for (&a, &b) in a.iter().zip(b) {
        *both.entry((a, b)).or_default() += 1;
        *in_a.entry(a).or_default() += 1;
        *in_b.entry(b).or_default() += 1;
    }
    let pairs = |count: u64| (count * count.saturating_sub(1) / 2) as f64;
    let sum = |counts: &BTreeMap<usize, u64>| counts.values().map(|&it| pairs(it)).sum::<f64>();
    let together: f64 = both.values().map(|&it| pairs(it)).sum();
    let (of_a, of_b) = (sum(&in_a), sum(&in_b));
    let all = pairs(a.len().min(b.len()) as u64);
    let expected = if all > 0.0 { of_a * of_b / all } else { 0.0 };
    let greatest = f64::midpoint(of_a, of_b);
    // Both clusterings have one cluster, or one per item.
    if greatest <= expected {
        return 1.0;
    }
    (together - expected) / (greatest - expected)
}

/// Renumbers clusters from 0 in the order of their first items.
fn in_order(clusters: &[usize]) -> Vec<usize> {
    let mut seen: Vec<usize> = Vec::new();
    let mut number = |cluster: usize| {
        let place = seen.iter().position(|known| *known == cluster);
        place.unwrap_or_else(|| {
            seen.push(cluster);
            seen.len() - 1
        })
    };
    clusters.iter().map(|&cluster| number(cluster)).collect()
}
