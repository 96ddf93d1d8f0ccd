//! Things that are alike, put together: by linkage of distances, by k-means of points; how well that
//! went, and how well two ways of it agree.

mod agreement;
mod k_means;
mod linkage;
#[cfg(test)]
mod tests;

pub use agreement::{adjusted_rand_index, silhouette};
pub use k_means::{KMeans, LEAST_SILHOUETTE, choose_k_means, k_means};
pub use linkage::Dendrogram;

/// Clusters renumbered in the order in which they first occur, from 0.
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
