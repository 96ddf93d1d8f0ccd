//! Trees for tests: from text, and random ones with a changed second version.

use sheaf_model::{DefinitionId, StructureId};

use super::super::{Known, Label, Matching, Side};
use crate::LabelledTree;

/// A tree with what its labels say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    pub(super) tree: LabelledTree,
    pub(super) names: Vec<String>,
}

impl Named {
    /// The tree of labels per node in pre-order; all are tasks.
    pub(super) fn new(sizes: Vec<u32>, labels: &[String]) -> Self {
        let mut names = labels.to_vec();
        names.sort_unstable();
        names.dedup();
        let number = |label: &String| u32::try_from(names.binary_search(label).unwrap()).unwrap();
        let numbers = labels.iter().map(number).collect();
        let id =
            |name: &String| StructureId::label("grain", Some(DefinitionId::new("task", name, 0)));
        let ids = names.iter().map(id).collect();
        let tree = LabelledTree::new(sizes, numbers, ids).unwrap();
        Self { tree, names }
    }

    /// The tree of a text like `{main{f}{g}}`.
    pub(super) fn parse(text: &str) -> Self {
        let (mut sizes, mut open, mut labels) = (Vec::<u32>::new(), Vec::new(), Vec::new());
        for part in text.split_inclusive(['{', '}']) {
            let (name, sign) = part.split_at(part.len() - 1);
            if !name.is_empty() {
                labels.push(name.to_owned());
            }
            if sign == "{" {
                open.push(sizes.len());
                sizes.push(1);
            } else {
                let node: usize = open.pop().unwrap();
                sizes[node] = u32::try_from(sizes.len() - node).unwrap();
            }
        }
        Self::new(sizes, &labels)
    }

    pub(super) fn labels(&self) -> Vec<Label<'_>> {
        // Two kinds, for tests of kinds.
        let kind = |name: &str| {
            if name.starts_with("loop") {
                "loop"
            } else {
                "task"
            }
        };
        let names = self.names.iter().map(String::as_str);
        names
            .map(|name| Label {
                kind: kind(name),
                name,
            })
            .collect()
    }

    pub(super) fn label(&self, node: usize) -> &str {
        &self.names[self.tree.label_indices()[node] as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.tree.len()
    }
}

pub(super) fn matched_with(a: &Named, b: &Named, known: &Known<'_>) -> Matching {
    let labels = [a.labels(), b.labels()];
    Matching::new(
        Side {
            tree: &a.tree,
            labels: &labels[0],
        },
        Side {
            tree: &b.tree,
            labels: &labels[1],
        },
        known,
    )
}

pub(super) fn matched(a: &Named, b: &Named) -> Matching {
    matched_with(a, b, &Known::default())
}

/// A linear congruential generator (Knuth's MMIX).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// Nodes with children, from which trees are made.
#[derive(Debug, Clone, Default)]
pub(super) struct Sketch {
    pub(super) labels: Vec<String>,
    pub(super) children: Vec<Vec<usize>>,
}

impl Sketch {
    pub(super) fn add(&mut self, label: String) -> usize {
        self.labels.push(label);
        self.children.push(Vec::new());
        self.labels.len() - 1
    }

    /// Every node but the first has any earlier one as parent, and one of so many labels.
    pub(super) fn random(nodes: usize, definitions: usize, random: &mut Random) -> Self {
        let mut sketch = Self::default();
        for node in 0..nodes {
            let label = format!("f{}", random.below(definitions));
            sketch.add(label);
            if node > 0 {
                let parent = random.below(node);
                sketch.children[parent].push(node);
            }
        }
        sketch
    }

    /// The tree below the first node, and the node of the sketch that each of its nodes is.
    pub(super) fn tree(&self) -> (Named, Vec<usize>) {
        let mut order = Vec::new();
        let mut sizes: Vec<u32> = Vec::new();
        // Nodes to enter, and places to leave.
        let mut open = vec![Ok(0)];
        while let Some(next) = open.pop() {
            match next {
                Ok(node) => {
                    open.push(Err(order.len()));
                    open.extend(self.children[node].iter().rev().map(|&child| Ok(child)));
                    order.push(node);
                    sizes.push(1);
                }
                Err(place) => {
                    let size: usize = order.len() - place;
                    sizes[place] = u32::try_from(size).unwrap();
                }
            }
        }
        let labels: Vec<String> = order
            .iter()
            .map(|&node| self.labels[node].clone())
            .collect();
        (Named::new(sizes, &labels), order)
    }

    /// Version two: 2 % more leaves, .2 % of nodes gone with what is below them, and so many labels renamed.
    pub(super) fn changed(&self, renames: usize, definitions: usize, random: &mut Random) -> Self {
        let mut changed = self.clone();
        let nodes = self.labels.len();
        let mut is_gone = vec![false; nodes];
        for _ in 0..nodes / 500 {
            is_gone[1 + random.below(nodes - 1)] = true;
        }
        for children in &mut changed.children {
            children.retain(|&child| !is_gone[child]);
        }
        for _ in 0..nodes / 50 {
            let leaf = changed.add(format!("f{}", random.below(definitions)));
            let parent = random.below(nodes);
            let at = random.below(changed.children[parent].len() + 1);
            changed.children[parent].insert(at, leaf);
        }
        for renamed in 0..renames {
            let (before, after) = (format!("f{}", 7 * renamed + 3), format!("other {renamed}"));
            for label in &mut changed.labels {
                if *label == before {
                    label.clone_from(&after);
                }
            }
        }
        changed
    }
}
