//! Edits of small trees that were worked out by hand, and what must hold of any.

use proptest::prelude::*;
use sheaf_model::StructureId;

use super::{EditDistance, EditScript, MAX_NODES, TooLarge};
use crate::LabelledTree;
use crate::testing::{TREES, any_tree, any_tree_of, tree};

fn edits(a: &LabelledTree, b: &LabelledTree) -> usize {
    EditDistance::between(a, b).unwrap().edits
}

/// A shortest script as labels: what is deleted, inserted, renamed.
fn told(a: &str, b: &str) -> String {
    let letters =
        |text: &str| -> Vec<char> { text.chars().filter(|c| c.is_alphabetic()).collect() };
    let (first, second) = (letters(a), letters(b));
    let script = EditScript::between(&tree(a), &tree(b)).unwrap();
    assert_eq!(script.edits(), edits(&tree(a), &tree(b)));
    let deleted = script
        .deleted
        .iter()
        .map(|&x| format!("-{}", first[x as usize]));
    let inserted = script
        .inserted
        .iter()
        .map(|&y| format!("+{}", second[y as usize]));
    let renamed = script
        .renamed
        .iter()
        .map(|&(x, y)| format!("{}={}", first[x as usize], second[y as usize]));
    deleted
        .chain(inserted)
        .chain(renamed)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn seven_trees() {
    let distances = TREES.map(|text| edits(&tree(TREES[0]), &tree(text)));
    assert_eq!(distances, [0, 4, 1, 1, 1, 1, 3]);
    let found = TREES.map(|text| told(TREES[0], text));
    assert_eq!(
        found,
        ["", "a=b b=d c=c d=a", "-d", "b=x", "+e", "+w", "+b +c +d"].map(|text| {
            // Of four edits that reorder children, any will do.
            if text.len() > 10 {
                found[1].clone()
            } else {
                text.to_owned()
            }
        })
    );
    assert_eq!(found[1].split(' ').count(), 4);
}

#[test]
fn small_changes() {
    for (a, b, expected) in [
        ("", "", ""),
        ("", "{a{b}}", "+a +b"),
        ("{a}", "{b}", "a=b"),
        ("{a{b{c}}}", "{a{c}}", "-b"),
        ("{a{b}{c}{d}}", "{a{b}{d}}", "-c"),
        ("{s{t{u}{v}}{w}}", "{s{x{u}{v}{y}}{w}}", "+y t=x"),
        // The example of the paper, by its distance of two.
        ("{f{d{a}{c{b}}}{e}}", "{f{c{d{a}{b}}}{e}}", "-c +c"),
    ] {
        assert_eq!(told(a, b), expected, "{a} to {b}");
    }
}

#[test]
fn large_trees_are_refused() {
    let chain = |nodes: usize| {
        let sizes = (1..=u32::try_from(nodes).unwrap()).rev().collect();
        LabelledTree::new(sizes, vec![0; nodes], vec![StructureId::label("a", None)]).unwrap()
    };
    assert_eq!(edits(&chain(MAX_NODES), &chain(3)), MAX_NODES - 3);
    let refused = EditScript::between(&chain(3), &chain(MAX_NODES + 1)).unwrap_err();
    assert_eq!(refused, TooLarge { nodes: 501 });
    assert_eq!(
        refused.to_string(),
        "a tree has `501` nodes; edits are searched for in trees of at most 500"
    );
    assert!(EditDistance::between(&chain(MAX_NODES + 1), &chain(3)).is_err());
}

#[test]
fn similarities() {
    let of = |a, b| {
        let distance = EditDistance::between(&tree(a), &tree(b)).unwrap();
        distance.similarity().to_string()
    };
    assert_eq!(of("", ""), "1");
    assert_eq!(of("{a}", ""), "0");
    assert_eq!(of("{a{b}{c}{d}}", "{a}"), "0.4");
}

/// Nodes unmapped or under other labels in the best mapping that keeps the order of nodes and who is below whom
/// (Tai 1979): all of them are tried.
fn by_mappings(a: &LabelledTree, b: &LabelledTree) -> usize {
    let labels = [a, b].map(|tree| tree.labels().collect::<Vec<_>>());
    let fits = |pairs: &[(usize, usize)], x: usize, y: usize| {
        pairs.iter().all(|&(before, there)| {
            let is_below = x < before + a.sizes[before] as usize;
            there < y && is_below == (y < there + b.sizes[there] as usize)
        })
    };
    let mut least = a.len() + b.len();
    let mut open = vec![(0, Vec::new())];
    while let Some((x, pairs)) = open.pop() {
        if x == a.len() {
            let renamed = pairs
                .iter()
                .filter(|&&(x, y)| labels[0][x] != labels[1][y])
                .count();
            least = least.min(a.len() + b.len() - 2 * pairs.len() + renamed);
            continue;
        }
        for y in (0..b.len()).filter(|&y| fits(&pairs, x, y)) {
            let mut more = pairs.clone();
            more.push((x, y));
            open.push((x + 1, more));
        }
        open.push((x + 1, pairs));
    }
    least
}

proptest! {
    #[test]
    fn the_best_of_all_mappings(a in any_tree_of(7), b in any_tree_of(7)) {
        prop_assert_eq!(edits(&a, &b), by_mappings(&a, &b));
    }

    #[test]
    fn a_distance_is_a_metric(a in any_tree(), b in any_tree(), c in any_tree()) {
        prop_assert_eq!(edits(&a, &a), 0);
        prop_assert_eq!(edits(&a, &b), edits(&b, &a));
        prop_assert!(edits(&a, &c) <= edits(&a, &b) + edits(&b, &c));
        prop_assert_eq!(edits(&a, &b) == 0, a.labels().eq(b.labels()) && a.sizes == b.sizes);
        prop_assert!(edits(&a, &b) >= a.len().abs_diff(b.len()));
        prop_assert!(edits(&a, &b) <= a.len().max(b.len()) + a.len().min(b.len()));
    }

    #[test]
    fn a_script_makes_the_other_tree(a in any_tree(), b in any_tree()) {
        let script = EditScript::between(&a, &b).unwrap();
        prop_assert_eq!(script.edits(), edits(&a, &b));
        let mut pairs: Vec<(u32, u32)> = [&script.kept[..], &script.renamed[..]].concat();
        pairs.sort_unstable();
        let (mut here, mut there): (Vec<u32>, Vec<u32>) = pairs.iter().copied().unzip();
        // Pre-order is kept, and who is below whom.
        prop_assert!(there.is_sorted());
        for (at, &(x, y)) in pairs.iter().enumerate() {
            for &(above, other) in &pairs[..at] {
                let is_below = x < above + a.sizes[above as usize];
                prop_assert_eq!(is_below, y < other + b.sizes[other as usize]);
            }
        }
        here.extend(&script.deleted);
        there.extend(&script.inserted);
        here.sort_unstable();
        there.sort_unstable();
        prop_assert!(here.into_iter().map(|x| x as usize).eq(0..a.len()));
        prop_assert!(there.into_iter().map(|y| y as usize).eq(0..b.len()));
        let labels = [&a, &b].map(|tree| tree.labels().collect::<Vec<_>>());
        let is_same = |&(x, y): &(u32, u32)| labels[0][x as usize] == labels[1][y as usize];
        prop_assert!(script.kept.iter().all(is_same));
        prop_assert!(!script.renamed.iter().any(is_same));
        let back = EditScript::between(&b, &a).unwrap();
        prop_assert_eq!((&back.deleted, &back.inserted), (&script.inserted, &script.deleted));
        let mut renamed: Vec<_> = back.renamed.iter().map(|&(y, x)| (x, y)).collect();
        renamed.sort_unstable();
        prop_assert_eq!(renamed, script.renamed);
    }

    #[test]
    fn one_more_node_is_one_edit(a in any_tree(), at in any::<prop::sample::Index>(), label in 0..3_usize) {
        let node = at.index(a.len());
        let renamed = {
            let mut labels: Vec<StructureId> = a.labels().collect();
            labels[node] = tree(["{a}", "{b}", "{x}"][label]).labels().next().unwrap();
            crate::testing::named(a.sizes.clone(), &labels)
        };
        prop_assert!(edits(&a, &renamed) <= 1);
        if node > 0 {
            // Its children go to its parent.
            let mut sizes = a.sizes.clone();
            let mut above = a.parents()[node];
            while above != u32::MAX {
                sizes[above as usize] -= 1;
                above = a.parents()[above as usize];
            }
            sizes.remove(node);
            let mut labels: Vec<StructureId> = a.labels().collect();
            labels.remove(node);
            let less = crate::testing::named(sizes, &labels);
            prop_assert_eq!(edits(&a, &less), 1);
            prop_assert_eq!(edits(&less, &a), 1);
        }
    }
}
