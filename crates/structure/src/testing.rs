//! Small trees for tests.

use proptest::prelude::*;
use sheaf_model::{DefinitionId, StructureId};

use crate::LabelledTree;
use crate::labelled_tree::number;
use crate::similarity::{Features, mix};

/// A tree, and six others that something happened to.
pub(crate) const TREES: [&str; 7] = [
    "{r{a}{b{c}{d}}}",
    "{r{b{d}{c}}{a}}",
    "{r{a}{b{c}}}",
    "{r{a}{x{c}{d}}}",
    "{r{a}{e}{b{c}{d}}}",
    "{r{w{a}{b{c}{d}}}}",
    "{r{a}{b{c}{d}}{b{c}{d}}}",
];

/// The tree of a text like `{r{a}{b}}`.
pub(crate) fn tree(text: &str) -> LabelledTree {
    let (mut sizes, mut open, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for letter in text.chars() {
        match letter {
            '{' => open.push(sizes.len()),
            '}' => {
                let node: usize = open.pop().unwrap();
                sizes[node] = u32::try_from(sizes.len() - node).unwrap();
            }
            letter => {
                sizes.push(1);
                let definition = DefinitionId::new("task", &letter.to_string(), 0);
                labels.push(StructureId::label("grain", Some(definition)));
            }
        }
    }
    named(sizes, &labels)
}

/// The tree with every label numbered once.
pub(crate) fn named(sizes: Vec<u32>, labels: &[StructureId]) -> LabelledTree {
    let mut names = labels.to_vec();
    names.sort_unstable();
    names.dedup();
    let number = |label| u32::try_from(names.binary_search(label).unwrap()).unwrap();
    let labels: Vec<u32> = labels.iter().map(number).collect();
    LabelledTree::new(sizes, labels, names).unwrap()
}

/// Any tree: every node but the first has an earlier one as parent.
pub(crate) fn any_tree() -> impl Strategy<Value = LabelledTree> {
    any_tree_of(40)
}

/// The same of fewer nodes than that.
pub(crate) fn any_tree_of(nodes: usize) -> impl Strategy<Value = LabelledTree> {
    let node = (any::<prop::sample::Index>(), 0..3_usize);
    prop::collection::vec(node, 1..nodes).prop_map(|drawn| {
        let mut children = vec![Vec::new(); drawn.len()];
        for (node, (parent, _)) in drawn.iter().enumerate().skip(1) {
            children[parent.index(node)].push(node);
        }
        let mut text = String::new();
        let mut rest = vec![Some(0)];
        while let Some(next) = rest.pop() {
            let Some(node) = next else {
                text.push('}');
                continue;
            };
            text.push('{');
            text.push(['a', 'b', 'c'][drawn[node].1]);
            rest.push(None);
            rest.extend(children[node].iter().rev().map(|&child| Some(child)));
        }
        tree(&text)
    })
}

/// The weight of each path of labels from the root, from the weights of nodes: their own work, say.
pub(crate) fn weighted_label_paths(tree: &LabelledTree, weight: impl Fn(usize) -> u64) -> Features {
    let mut paths: Vec<u128> = tree.labels().map(|name| mix(number(name))).collect();
    for node in 0..tree.len() {
        let path = mix(paths[node]);
        for child in tree.children(node) {
            paths[child] = mix(path.wrapping_add(paths[child]));
        }
    }
    let weights = paths.iter().enumerate();
    Features::of(weights.map(|(node, &path)| (path, weight(node))))
}
