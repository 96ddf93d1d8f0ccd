//! Measures of small trees that were worked out with other tools, and what must hold of any.

mod metamorphic;

use proptest::prelude::*;
use sheaf_model::{StructureForm, StructureId};

use super::{Features, min_max_matrix};
use crate::LabelledTree;
use crate::testing::{TREES, any_tree, named, tree, weighted_label_paths};

/// A measure of the first tree and each, to six digits.
fn of_a(measure: impl Fn(&LabelledTree, &LabelledTree) -> f64) -> String {
    let values = TREES.map(|text| {
        let value = measure(&tree(TREES[0]), &tree(text));
        ((1e6 * value).round() / 1e6).to_string()
    });
    values.join(" ")
}

fn rounds(tree: &LabelledTree, rounds: u32) -> Features {
    Features::merged(&tree.weisfeiler_lehman(rounds))
}

fn label_paths(tree: &LabelledTree) -> Features {
    weighted_label_paths(tree, |_| 1)
}

#[test]
fn kernels_are_those_of_the_literature() {
    let kernel = |h| of_a(|a, b| rounds(a, h).dot(&rounds(b, h)));
    assert_eq!(kernel(1), "10 10 7 5 9 7 15");
    assert_eq!(kernel(2), "15 15 8 5 11 7 19");
    assert_eq!(kernel(3), "20 20 8 5 11 7 19");
    let cosine = of_a(|a, b| rounds(a, 1).cosine(&rounds(b, 1)));
    assert_eq!(cosine, "1 1 0.782624 0.5 0.821584 0.63901 0.896421");
}

#[test]
fn subtrees_and_paths_in_common() {
    let subtrees = |tree: &LabelledTree| tree.subtrees(StructureForm::Unordered);
    let jaccard = of_a(|a, b| subtrees(a).min_max(&subtrees(b)));
    assert_eq!(jaccard, "1 1 0.285714 0.428571 0.571429 0.571429 0.444444");
    let paths = of_a(|a, b| label_paths(a).min_max(&label_paths(b)));
    assert_eq!(paths, "1 1 0.8 0.25 0.833333 0.1 0.625");
}

#[test]
fn forms_of_one_structure() {
    let equal = |form| {
        let root = |text| tree(text).structure_ids(form)[0];
        TREES.map(|text| u8::from(root(text) == root(TREES[0])))
    };
    assert_eq!(equal(StructureForm::Ordered), [1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(equal(StructureForm::Unordered), [1, 1, 0, 0, 0, 0, 0]);
    // The loop ran longer in G.
    assert_eq!(equal(StructureForm::Shape), [1, 1, 0, 0, 0, 0, 1]);
}

#[test]
fn what_is_repeated_counts_once_in_a_shape() {
    let shapes = |tree: &LabelledTree| tree.subtrees(StructureForm::Shape);
    let jaccard = of_a(|a, b| shapes(a).min_max(&shapes(b)));
    // As counted, but for G, whose second sub-tree b is no more than the first.
    assert_eq!(jaccard, "1 1 0.285714 0.428571 0.571429 0.571429 1");
    let nested = tree("{r{a{b}{b}}{a{b}}{a{b}{c}}{c}{c}}");
    assert_eq!(shapes(&nested).total(), 7);
}

#[test]
fn a_matrix_of_many_ranges_is_every_pair() {
    // Two million weights: three ranges of ids, some dense, some in a few lists only.
    let list = |run: u64| {
        let common = (0..40_000_u64).map(|id| (id, 1 + (id + run) % 3));
        let own = (0..20_u64).map(|at| (1_000_000 + run + at, 50_000 + at));
        Features::of(
            common
                .chain(own)
                .map(|(id, count)| (u128::from(id * id), count)),
        )
    };
    let lists: Vec<Features> = (0..55).map(list).collect();
    let all: Vec<&Features> = lists.iter().collect();
    let matrix = min_max_matrix(&all);
    for (i, j) in [(0, 0), (0, 1), (3, 54), (54, 3), (20, 21)] {
        assert_eq!(
            matrix[i * 55 + j].to_bits(),
            lists[i].min_max(&lists[j]).to_bits()
        );
    }
}

/// A tree of so many nodes with 20 labels: every node but the first has any earlier one as parent.
fn random_tree(nodes: usize, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut state = seed;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % limit
    };
    let mut children = vec![Vec::new(); nodes];
    let mut sizes = vec![1_u32; nodes];
    let parents: Vec<usize> = (1..nodes).map(&mut below).collect();
    for (node, &parent) in (1..nodes).zip(&parents).rev() {
        children[parent].push(node);
        sizes[parent] += sizes[node];
    }
    let (mut order, mut rest) = (Vec::new(), vec![0]);
    while let Some(node) = rest.pop() {
        order.push(sizes[node]);
        rest.extend(&children[node]);
    }
    let labels = (0..nodes).map(|_| u32::try_from(below(20)).unwrap());
    (order, labels.collect())
}

#[test]
fn min_max_tells_apart_what_the_cosine_does_not() {
    let names: Vec<StructureId> = ('a'..='t')
        .map(|letter| StructureId::label(&letter.to_string(), None))
        .collect();
    let measures = |(sizes, labels): (Vec<u32>, Vec<u32>)| {
        let tree = LabelledTree::new(sizes, labels, names.clone()).unwrap();
        (rounds(&tree, 3), tree.subtrees(StructureForm::Unordered))
    };
    let first = random_tree(10_000, 1);
    let mut changed = first.clone();
    for label in changed.1.iter_mut().step_by(100) {
        *label = (*label + 1) % 20;
    }
    let (one, other) = (measures(first), measures(random_tree(10_000, 2)));
    let changed = measures(changed);
    let (alike, unlike) = (one.0.cosine(&changed.0), one.0.cosine(&other.0));
    assert!(alike > 0.99 && unlike > 0.95, "cosine {alike}, {unlike}");
    let (alike, unlike) = (one.0.min_max(&changed.0), one.0.min_max(&other.0));
    assert!(alike > 0.8 && unlike < 0.3, "min-max {alike}, {unlike}");
    let (alike, unlike) = (one.1.min_max(&changed.1), one.1.min_max(&other.1));
    assert!(alike > 0.8 && unlike < 0.6, "sub-trees {alike}, {unlike}");
}

#[test]
fn nothing_is_like_nothing_alone() {
    let (none, one) = (tree(""), tree("{r}"));
    assert!(none.is_empty() && none.structure_ids(StructureForm::Shape).is_empty());
    let (none, one) = (label_paths(&none), label_paths(&one));
    let pairs = [(&none, &none), (&none, &one), (&one, &none)];
    let values = pairs.map(|(a, b)| a.min_max(b).to_string());
    assert_eq!(values, ["1", "0", "0"]);
    assert!(min_max_matrix(&[]).is_empty());
}

#[test]
fn numbers_that_make_no_tree_are_refused() {
    let name = StructureId::label("grain", None);
    let is_tree = |sizes: &[u32], labels: &[u32]| {
        LabelledTree::new(sizes.to_vec(), labels.to_vec(), vec![name]).is_some()
    };
    assert!(is_tree(&[], &[]));
    assert!(is_tree(&[4, 2, 1, 1], &[0; 4]));
    assert!(!is_tree(&[1, 1], &[0; 2]), "two roots");
    assert!(!is_tree(&[3, 1], &[0; 2]), "larger than all");
    assert!(!is_tree(&[3, 3, 1], &[0; 3]), "beyond its parent");
    assert!(!is_tree(&[2, 0], &[0; 2]), "no node");
    assert!(!is_tree(&[2, 1], &[0; 1]), "a node without label");
    assert!(!is_tree(&[2, 1], &[0, 1]), "a label without name");
}

#[test]
fn a_long_chain_and_a_wide_node_need_no_stack() {
    let million = 1_000_000_u32;
    let chain: Vec<u32> = (1..=million).rev().collect();
    let mut wide = vec![1; 1_000_000];
    wide[0] = million;
    for sizes in [chain, wide] {
        let name = StructureId::label("grain", None);
        let tree = LabelledTree::new(sizes, vec![0; 1_000_000], vec![name]).unwrap();
        let features = tree.subtrees(StructureForm::Unordered);
        assert_eq!(features.total(), 1_000_000);
        assert_eq!(tree.weisfeiler_lehman(1)[1].total(), 1_000_000);
    }
}

/// The canonical text of a tree, by sorting texts of children.
fn canonical(tree: &LabelledTree) -> String {
    let mut texts = vec![String::new(); tree.len()];
    let labels: Vec<StructureId> = tree.labels().collect();
    for node in (0..tree.len()).rev() {
        let mut children: Vec<&str> = tree.children(node).map(|at| texts[at].as_str()).collect();
        children.sort_unstable();
        texts[node] = format!("({}{})", labels[node], children.concat());
    }
    texts.swap_remove(0)
}

proptest! {
    #[test]
    fn ids_are_equal_where_canonical_texts_are(a in any_tree(), b in any_tree()) {
        let ids = [&a, &b].map(|tree| tree.structure_ids(StructureForm::Unordered));
        for x in 0..a.len() {
            for y in 0..b.len() {
                let is_equal = subtree(&a, x) == subtree(&b, y);
                prop_assert_eq!(ids[0][x] == ids[1][y], is_equal);
            }
        }
    }

    #[test]
    fn trees_of_one_shape_have_the_features_of_one(a in any_tree(), b in any_tree()) {
        let form = StructureForm::Shape;
        let is_equal = a.structure_ids(form)[0] == b.structure_ids(form)[0];
        prop_assert_eq!(a.subtrees(form) == b.subtrees(form), is_equal);
    }

    #[test]
    fn measures_are_symmetric_and_at_most_one(a in any_tree(), b in any_tree()) {
        let lists = |tree: &LabelledTree| {
            let mut lists = tree.weisfeiler_lehman(3);
            lists.push(label_paths(tree));
            lists.push(tree.subtrees(StructureForm::Ordered));
            lists
        };
        for (x, y) in lists(&a).iter().zip(&lists(&b)) {
            prop_assert_eq!(x.min_max(x).to_bits(), 1.0_f64.to_bits());
            let value = x.min_max(y);
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(value.to_bits(), y.min_max(x).to_bits());
        }
    }

    #[test]
    fn a_matrix_is_every_pair(
        drawn in prop::collection::vec(prop::collection::vec((0..40_u128, 0..70_000_u64), 0..40), 0..20),
    ) {
        let lists: Vec<Features> = drawn.into_iter().map(Features::of).collect();
        let all: Vec<&Features> = lists.iter().collect();
        let pairs: Vec<f64> =
            lists.iter().flat_map(|a| lists.iter().map(|b| a.min_max(b))).collect();
        prop_assert_eq!(min_max_matrix(&all), pairs);
    }
}

fn subtree(tree: &LabelledTree, node: usize) -> String {
    let end = node + tree.sizes[node] as usize;
    let sizes = tree.sizes[node..end].to_vec();
    let labels: Vec<StructureId> = tree.labels().collect();
    canonical(&named(sizes, &labels[node..end]))
}
