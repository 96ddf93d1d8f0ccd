//! Hierarchical clusters by average linkage.

use kodama::{Method, linkage};

use super::in_order;
use crate::Distances;

/// Which clusters become one at which distance: the mean over all pairs of their members (average
/// linkage, UPGMA; Sokal and Michener 1958).
///
/// Time and memory quadratic in the things. Where several pairs are equally near, the order of the things
/// decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Dendrogram {
    len: usize,
    /// Both clusters and their distance, ascending; numbers from `len` on are those of earlier steps.
    steps: Vec<(usize, usize, f64)>,
}

impl Dendrogram {
    /// Joins things until all are in one cluster.
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

    /// Distances at which clusters were joined, ascending.
    pub fn heights(&self) -> Vec<f64> {
        self.steps.iter().map(|(_, _, height)| *height).collect()
    }

    /// Cluster of each thing, numbered in order of first things, when those no farther apart than
    /// `distance` are joined.
    pub fn cut(&self, distance: f64) -> Vec<usize> {
        let mut parents: Vec<usize> = (0..self.len + self.steps.len()).collect();
        for (at, &(a, b, height)) in self.steps.iter().enumerate() {
            if height <= distance {
                parents[a] = self.len + at;
                parents[b] = self.len + at;
            }
        }
        // A step has a greater number than what it joins.
        for node in (0..parents.len()).rev() {
            parents[node] = parents[parents[node]];
        }
        in_order(&parents[..self.len])
    }

    /// The things, so that every cluster stands together; of two the one with the first thing first.
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
