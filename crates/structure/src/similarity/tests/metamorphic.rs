//! What a change of a tree does to each measure; the table in the crate's README says the same.

use super::*;
use crate::edit::EditDistance;

/// A tree as it can be changed: children of each node, and labels.
#[derive(Clone)]
struct Sketch {
    children: Vec<Vec<usize>>,
    labels: Vec<StructureId>,
}

impl Sketch {
    fn of(tree: &LabelledTree) -> Self {
        Self {
            children: (0..tree.len())
                .map(|node| tree.children(node).collect())
                .collect(),
            labels: tree.labels().collect(),
        }
    }

    fn tree(&self) -> LabelledTree {
        let (mut order, mut open) = (Vec::new(), vec![0]);
        while let Some(node) = open.pop() {
            order.push(node);
            open.extend(self.children[node].iter().rev());
        }
        let mut sizes = vec![1_u32; self.labels.len()];
        for &node in order.iter().rev() {
            let below: u32 = self.children[node].iter().map(|&child| sizes[child]).sum();
            sizes[node] = 1 + below;
        }
        let labels: Vec<StructureId> = order.iter().map(|&node| self.labels[node]).collect();
        named(order.iter().map(|&node| sizes[node]).collect(), &labels)
    }

    fn add(&mut self, label: StructureId) -> usize {
        self.children.push(Vec::new());
        self.labels.push(label);
        self.labels.len() - 1
    }
}

fn structure(tree: &LabelledTree) -> Features {
    tree.subtrees(StructureForm::Unordered)
}

/// Labels of all rounds.
fn wl(tree: &LabelledTree) -> Features {
    rounds(tree, 3)
}

/// Paths with work, which is its place in some order: any numbers will do.
fn work(tree: &LabelledTree) -> Features {
    weighted_label_paths(tree, |_| 7)
}

const MEASURES: [fn(&LabelledTree) -> Features; 3] = [structure, wl, work];

fn ancestors(tree: &LabelledTree, node: usize) -> u64 {
    let parents = tree.parents();
    let around = std::iter::successors(Some(node), |&node| {
        Some(parents[node] as usize).filter(|&parent| parent < tree.len())
    });
    around.count() as u64 - 1
}

/// Nodes at most so far from a node, on its side of the edge to its parent.
fn within(tree: &LabelledTree, from: usize, without: usize, most: u32) -> u64 {
    let parents = tree.parents();
    let mut open = vec![(from, without, 0)];
    let mut count = 0;
    while let Some((node, before, distance)) = open.pop() {
        count += 1;
        if distance < most {
            let around = Some(parents[node] as usize).filter(|&parent| parent < tree.len());
            let near = tree
                .children(node)
                .chain(around)
                .filter(|&other| other != before);
            open.extend(near.map(|other| (other, node, distance + 1)));
        }
    }
    count
}

proptest! {
    #[test]
    fn names_mean_nothing_where_both_change_them(a in any_tree(), b in any_tree()) {
        let renamed = |tree: &LabelledTree| {
            let mut sketch = Sketch::of(tree);
            for label in &mut sketch.labels {
                *label = StructureId::label(&format!("other {label}"), None);
            }
            sketch.tree()
        };
        let (c, d) = (renamed(&a), renamed(&b));
        for measure in MEASURES {
            let value = measure(&a).min_max(&measure(&b));
            prop_assert_eq!(value.to_bits(), measure(&c).min_max(&measure(&d)).to_bits());
            // Where one of them does, nothing is left.
            prop_assert_eq!(measure(&a).min_max(&measure(&c)).to_string(), "0");
        }
        prop_assert_eq!(EditDistance::between(&a, &b), EditDistance::between(&c, &d));
        prop_assert_eq!(EditDistance::between(&a, &c).unwrap().edits, a.len());
    }

    #[test]
    fn the_order_of_children_means_nothing(a in any_tree()) {
        let mut turned = Sketch::of(&a);
        for children in &mut turned.children {
            children.reverse();
        }
        let c = turned.tree();
        for measure in MEASURES {
            prop_assert_eq!(measure(&a), measure(&c));
        }
        let is_same = a.structure_ids(StructureForm::Ordered) == c.structure_ids(StructureForm::Ordered);
        prop_assert_eq!(EditDistance::between(&a, &c).unwrap().edits == 0, is_same);
    }

    #[test]
    fn a_wrapper_takes_paths_and_what_is_around_it(a in any_tree(), at in any::<prop::sample::Index>()) {
        let node = at.index(a.len());
        let mut wrapped = Sketch::of(&a);
        // What was the node is the wrapper now, and the node its child.
        let inner = wrapped.add(wrapped.labels[node]);
        wrapped.children[inner] = std::mem::replace(&mut wrapped.children[node], vec![inner]);
        wrapped.labels[node] = StructureId::label("wrapper", None);
        let b = wrapped.tree();
        let (n, below) = (a.len() as u64, u64::from(a.sizes[node]));
        let shared = |measure: fn(&LabelledTree) -> Features| measure(&a).shared(&measure(&b));
        prop_assert_eq!(shared(structure), u128::from(n - ancestors(&a, node)));
        prop_assert_eq!(shared(work), u128::from(7 * (n - below)));
        let parent = a.parents()[node] as usize;
        for (round, (x, y)) in (0..).zip(a.weisfeiler_lehman(3).iter().zip(&b.weisfeiler_lehman(3))) {
            let near = |from, without| if round == 0 { 0 } else { within(&a, from, without, round - 1) };
            let seen = near(node, parent) + if node == 0 { 0 } else { near(parent, node) };
            prop_assert_eq!(x.shared(y), u128::from(n - seen), "round {}", round);
        }
        prop_assert_eq!(EditDistance::between(&a, &b).unwrap().edits, 1);
    }

    #[test]
    fn an_iteration_more_changes_counts_but_no_shape(a in any_tree(), at in any::<prop::sample::Index>()) {
        let node = at.index(a.len());
        let parent = a.parents()[node] as usize;
        if parent < a.len() {
            let mut longer = Sketch::of(&a);
            let mut open = vec![(node, parent)];
            while let Some((from, to)) = open.pop() {
                let again = longer.add(longer.labels[from]);
                longer.children[to].push(again);
                open.extend(longer.children[from].clone().into_iter().map(|child| (child, again)));
            }
            // Copies of copies would never end: children were taken from the tree as it was.
            let b = longer.tree();
            let (n, below) = (a.len() as u64, u64::from(a.sizes[node]));
            prop_assert_eq!(b.len() as u64, n + below);
            let shape = |tree: &LabelledTree| tree.subtrees(StructureForm::Shape);
            prop_assert_eq!(shape(&a), shape(&b));
            prop_assert_eq!(work(&a).shared(&work(&b)), u128::from(7 * n));
            let least = u128::from(n - ancestors(&a, node));
            prop_assert!(structure(&a).shared(&structure(&b)) >= least);
            prop_assert!(structure(&a).min_max(&structure(&b)) < 1.0);
            prop_assert!(wl(&a).min_max(&wl(&b)) < 1.0);
            prop_assert_eq!(EditDistance::between(&a, &b).unwrap().edits as u64, below);
        }
    }
}
