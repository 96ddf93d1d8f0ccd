//! How many nodes of random trees find themselves in a changed version.

use super::trees::{Random, Sketch, matched};

/// Shares of nodes in both versions that are paired with themselves, and of renames that were found.
fn quality(nodes: usize, renames: usize, seed: u64) -> (f64, usize) {
    let mut random = Random(seed);
    let before = Sketch::random(nodes, 60, &mut random);
    let after = before.changed(renames, 60, &mut random);
    let ((a, origin_a), (b, origin_b)) = (before.tree(), after.tree());
    let found = matched(&a, &b);
    let mut place = vec![None; after.labels.len()];
    for (node, &origin) in origin_b.iter().enumerate() {
        place[origin] = Some(node);
    }
    let both = origin_a
        .iter()
        .enumerate()
        .filter_map(|(node, &origin)| Some((node, place[origin]?)));
    let (mut all, mut right) = (0, 0);
    for (node, there) in both {
        all += 1;
        right += usize::from(found.partner(0, node) == Some(there));
    }
    let found_renames = found
        .renames()
        .iter()
        .filter(|rename| rename.score > 0.5)
        .count();
    (right as f64 / f64::from(all), found_renames)
}

#[test]
fn nodes_find_themselves() {
    // The shares in percent that the recipe's first form reached after all steps, by number of nodes.
    for (nodes, least) in [(2_000, 100.0), (20_000, 100.0), (200_000, 99.8)] {
        for renames in [0, 1, 3] {
            let (right, renamed) = quality(nodes, renames, 7);
            // As it was printed: to a tenth of a percent.
            let percent = (right * 1000.0).round() / 10.0;
            assert!(
                percent >= least,
                "{nodes} nodes, {renames} renames: {percent} %"
            );
            assert_eq!(renamed, renames, "{nodes} nodes");
        }
    }
}
