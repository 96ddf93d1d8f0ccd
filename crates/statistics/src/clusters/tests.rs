//! Clusters of three clouds beside those of other tools, and what must hold of any.
//!
//! Reference values: scipy 1.17.1 (`linkage(…, 'average')`) and scikit-learn 1.9.1 (`KMeans(n_init=50)`,
//! `silhouette_score`, `adjusted_rand_score`) on numpy 2.4.6.

use proptest::prelude::*;

use super::*;
use crate::Distances;
use crate::projection::tests::{city_block, clouds};

fn near(found: f64, expected: f64) {
    let error = (found - expected).abs() / expected.abs().max(1.0);
    assert!(error < 1e-8, "{found} instead of {expected}");
}

#[test]
fn average_linkage_is_that_of_scipy() {
    let heights = [
        0.530_469_53,
        0.530_469_53,
        0.530_469_53,
        0.530_469_53,
        0.530_469_53,
        0.530_469_53,
        0.530_469_53,
        0.795_704_296,
        0.795_704_296,
        0.918_081_918,
        0.938_561_439,
        0.959_040_959,
        1.035_853_04,
        1.136_863_14,
        1.231_268_73,
        1.501_998,
        1.720_279_72,
        7.061_795_35,
        7.880_690_74,
    ];
    let tree = Dendrogram::of(&city_block(&clouds(20)));
    for (found, expected) in tree.heights().into_iter().zip(heights) {
        near(found, expected);
    }
    assert_eq!(tree.heights().len(), heights.len());
    let thirds: Vec<usize> = (0..20).map(|at| at % 3).collect();
    assert_eq!(tree.cut(2.0), thirds);
    assert_eq!(tree.cut(0.0), (0..20).collect::<Vec<_>>());
    assert_eq!(tree.cut(8.0), [0; 20]);
    let order = tree.order();
    let blocks: Vec<usize> = order.iter().map(|at| at % 3).collect();
    assert!(blocks.is_sorted(), "{order:?}");
}

#[test]
fn few_things_have_clusters_too() {
    let tree = |len| Dendrogram::of(&Distances::of_pairs(len, |_, _| 1.0));
    assert_eq!((tree(0).cut(1.0), tree(0).order()), (vec![], vec![]));
    assert_eq!((tree(1).cut(1.0), tree(1).order()), (vec![0], vec![0]));
    assert_eq!(
        (tree(2).cut(0.9), tree(2).order()),
        (vec![0, 1], vec![0, 1])
    );
    assert_eq!(tree(3).cut(1.0), [0, 0, 0]);
}

#[test]
fn k_means_is_that_of_scikit_learn() {
    let points = clouds(20);
    for (k, inertia, mean) in [
        (2, 84.755_953_030_3, 0.629_260_182_816),
        (3, 4.926_004_065_86, 0.852_059_878_129),
        (4, 4.013_015_206_57, 0.710_233_477_153),
    ] {
        let found = k_means(&points, 3, k, 0);
        near(found.inertia, inertia);
        near(found.silhouette.unwrap(), mean);
        assert_eq!(found.k(), k);
    }
    let chosen = choose_k_means(&points, 3, 8, 0);
    let thirds: Vec<usize> = (0..20).map(|at| at % 3).collect();
    assert_eq!(chosen.clusters, thirds);
    near(
        silhouette(&city_block(&points), &thirds).unwrap(),
        0.842_273_170_374,
    );
}

#[test]
fn k_means_of_little_says_so() {
    assert_eq!(k_means(&[], 2, 3, 0).clusters, [0_usize; 0]);
    assert_eq!(k_means(&[1.0, 2.0], 2, 3, 0).clusters, [0]);
    // Three points in one place and one beside: two places, whatever k is.
    let places = [0.0, 0.0, 0.0, 1.0];
    assert_eq!(k_means(&places, 1, 4, 0).clusters, [0, 0, 0, 1]);
    assert_eq!(choose_k_means(&places, 1, 8, 0).clusters, [0, 0, 0, 1]);
    // Points in a row have no clusters worth the name, nor have points in one place.
    assert_eq!(choose_k_means(&[3.0; 5], 1, 8, 0).k(), 1);
    assert_eq!(choose_k_means(&[], 1, 8, 0).k(), 0);
    assert_eq!(k_means(&[1.0, 2.0], 0, 2, 0).k(), 0);
}

#[test]
fn what_differs_by_rounding_is_one_place() {
    // Two places, as eigenvectors of equal runs give them; three clusters would be as silhouetted.
    let places: Vec<f64> = (0..14)
        .map(|at| {
            let place = if at < 7 { 0.226 } else { -0.226 };
            place * (1.0 + f64::from(at % 3) * 1e-15)
        })
        .collect();
    let wanted: Vec<usize> = (0..14).map(|at| at / 7).collect();
    for found in [
        choose_k_means(&places, 1, 8, 0),
        k_means(&places, 1, 2, 0),
        k_means(&places, 1, 3, 0),
    ] {
        assert_eq!(found.clusters, wanted);
        near(found.silhouette.unwrap(), 1.0);
    }
    // Of three places at the corners of a triangle, each pair twice, three clusters are right.
    let corners = [0.0, 0.0, 0.0, 1e-9, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1e-9, 1.0];
    assert_eq!(
        choose_k_means(&corners, 2, 8, 0).clusters,
        [0, 0, 1, 1, 2, 2]
    );
    assert_eq!(k_means(&corners, 2, 6, 0).clusters, [0, 0, 1, 1, 2, 2]);
}

#[test]
fn agreement_is_that_of_scikit_learn() {
    let a = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2];
    let b = [0, 0, 1, 1, 1, 1, 2, 2, 0, 2];
    near(adjusted_rand_index(&a, &b), 0.431_818_181_818_182);
    near(adjusted_rand_index(&[0, 0, 1, 1], &[0, 1, 0, 1]), -0.5);
    for same in [&[0, 1, 2][..], &[0, 0, 0], &[0], &[]] {
        near(adjusted_rand_index(same, same), 1.0);
    }
    near(adjusted_rand_index(&[0, 0, 0], &[0, 1, 2]), 0.0);
}

proptest! {
    #[test]
    fn clusters_do_not_depend_on_the_order(
        places in prop::collection::vec(0_u32..4, 5..20), by in 0_usize..20,
    ) {
        // Four places far from each other, so that nothing is a tie.
        let point = |place: &u32| f64::from(*place * *place * 10);
        let points: Vec<f64> = places.iter().map(point).collect();
        let mut turned = points.clone();
        turned.rotate_left(by % points.len());
        // The seeded start of k-means depends on the order: with a single point in a place it can end elsewhere.
        let is_single = |place: &u32| places.iter().filter(|other| *other == place).count() < 2;
        let has_single = places.iter().any(is_single);
        let clusters = |points: &[f64]| {
            let tree = Dendrogram::of(&Distances::of_points(points, 1));
            let k_means = (!has_single).then(|| choose_k_means(points, 1, 6, 7).clusters);
            std::iter::once(tree.cut(1.0)).chain(k_means)
        };
        for (found, mut other) in clusters(&points).zip(clusters(&turned)) {
            other.rotate_right(by % points.len());
            prop_assert_eq!(found, in_order(&other));
        }
    }

    #[test]
    fn one_place_is_in_one_cluster(
        places in prop::collection::vec(0_u32..5, 2..30), k in 1_usize..9, seed: u64,
    ) {
        let points: Vec<f64> = (0_u32..).zip(&places)
            .map(|(at, &place)| f64::from(place) + f64::from(at) * 1e-12)
            .collect();
        let known: std::collections::BTreeSet<_> = places.iter().collect();
        // Of what is all in one place, rounding is all that there is.
        prop_assume!(known.len() > 1);
        for found in [k_means(&points, 1, k, seed), choose_k_means(&points, 1, k, seed)] {
            prop_assert!(found.k() <= known.len().min(k.max(1)));
            for (place, cluster) in places.iter().zip(&found.clusters) {
                let first = places.iter().position(|other| other == place).unwrap();
                prop_assert_eq!(*cluster, found.clusters[first]);
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_clusters(points in prop::collection::vec(-1e3..1e3, 2..40), seed: u64) {
        let first = k_means(&points, 1, 3, seed);
        prop_assert_eq!(&first, &k_means(&points, 1, 3, seed));
        prop_assert!(first.inertia <= k_means(&points, 1, 1, seed).inertia);
        prop_assert_eq!(first.clusters[0], 0);
    }
}
