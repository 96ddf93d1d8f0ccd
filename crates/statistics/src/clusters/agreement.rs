//! How far clusters are from each other, and how well two ways of putting things together agree.

use std::collections::BTreeMap;

use crate::Distances;

/// Mean silhouette (Rousseeuw 1987): how much nearer things are to their own cluster than to the next,
/// −1..1; a cluster of one thing counts 0. Absent where there are fewer than two clusters, or as many as
/// things. Quadratic.
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

/// Adjusted Rand index (Hubert and Arabie 1985) of two ways to put the same things in clusters: 1 for the
/// same, 0 on average for chance, down to −1.
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
    // All in one cluster, or each alone, on both sides.
    if greatest <= expected {
        return 1.0;
    }
    (together - expected) / (greatest - expected)
}
