//! How every node of a matching changed.

use super::nodes::{NONE, index};
use super::{Matching, Side};

/// How a node changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeChange {
    /// Same label, same position.
    Same,
    /// Another label on the other side.
    Renamed,
    /// Another position on the other side.
    Moved,
    /// Another position and another label on the other side.
    MovedAndRenamed,
    /// A wrapper: its children are direct children of its parent on the other side.
    Wrapper,
    /// A repetition: the other side has fewer equal nodes at this position.
    Copy,
    /// Missing on the other side.
    Alone,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Only in the second tree.
    Appeared,
    /// Only in the first tree.
    Vanished,
    /// Another label.
    Renamed,
    /// A new wrapper in the second tree.
    Wrapped,
    /// A wrapper of the first tree was removed.
    Unwrapped,
    /// Another parent.
    Moved,
    /// Another number of equal nodes below the same parent.
    Multiplied,
    /// Another order below the same parent.
    Reordered,
}

/// One change at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Kind of change.
    pub outcome: Outcome,
    /// Node of the first tree; the first one if the number of equal nodes changed.
    pub a: Option<u32>,
    /// Node of the second tree; the first one if the number of equal nodes changed.
    pub b: Option<u32>,
    /// Number of affected nodes in the first and in the second tree: for a node that appeared, all nodes that
    /// appeared below it; for a changed number, the number of equal nodes.
    pub nodes: [u32; 2],
}

impl Matching {
    /// The changes of all nodes of both trees, which must be the matched ones. Linear.
    pub fn node_changes(&self, trees: [Side<'_>; 2]) -> [Vec<NodeChange>; 2] {
        let parents = trees.map(|side| side.tree.parents());
        let around = [0, 1].map(|side: usize| self.nearest_matched(side, &parents[side]));
        let mut node_changes =
            [0, 1].map(|side: usize| vec![NodeChange::Alone; parents[side].len()]);
        let [first, second] = trees.map(|side| side.tree.labels().collect::<Vec<_>>());
        for node in 0..first.len() {
            let Some(there) = self.partner(0, node) else {
                continue;
            };
            let is_renamed = first[node] != second[there];
            let is_moved = !self.is_in_place(&around, node, there);
            let node_change = match (is_moved, is_renamed) {
                (false, false) => NodeChange::Same,
                (false, true) => NodeChange::Renamed,
                (true, false) => NodeChange::Moved,
                (true, true) => NodeChange::MovedAndRenamed,
            };
            node_changes[0][node] = node_change;
            node_changes[1][there] = node_change;
            if !is_moved {
                // Each node is visited once: the walk up ends at a wrapper.
                for (side, from) in [(0, node), (1, there)] {
                    let mut at = parents[side][from];
                    while at != NONE
                        && self.partner(side, at as usize).is_none()
                        && node_changes[side][at as usize] == NodeChange::Alone
                    {
                        node_changes[side][at as usize] = NodeChange::Wrapper;
                        at = parents[side][at as usize];
                    }
                }
            }
        }
        let classes = self.classes([&first, &second]);
        for side in 0..2 {
            self.mark_copies(
                side,
                &parents[side],
                &classes[side],
                &mut node_changes[side],
            );
        }
        node_changes
    }

    /// The nearest ancestor of each node that has a partner.
    fn nearest_matched(&self, side: usize, parents: &[u32]) -> Vec<u32> {
        let mut nearest = vec![NONE; parents.len()];
        for (node, &parent) in parents.iter().enumerate() {
            if parent != NONE {
                let is_matched = self.partner(side, parent as usize).is_some();
                nearest[node] = if is_matched {
                    parent
                } else {
                    nearest[parent as usize]
                };
            }
        }
        nearest
    }

    /// Whether a node and its partner have corresponding ancestors, ignoring wrappers.
    fn is_in_place(&self, around: &[Vec<u32>; 2], node: usize, there: usize) -> bool {
        match (around[0][node], around[1][there]) {
            (NONE, NONE) => true,
            (NONE, _) | (_, NONE) => false,
            (here, other) => self.partner(0, here as usize) == Some(other as usize),
        }
    }

    /// Labels as numbers; a renamed label has the same number on both sides.
    fn classes(&self, labels: [&[sheaf_model::StructureId]; 2]) -> [Vec<u32>; 2] {
        let mut ids: Vec<_> = labels
            .iter()
            .flat_map(|side| side.iter().copied())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let number = |id| ids.binary_search(id).unwrap_or_default();
        let mut has = vec![[false; 2]; ids.len()];
        for (side, labels) in labels.iter().enumerate() {
            for label in *labels {
                has[number(label)][side] = true;
            }
        }
        // The smallest label of a class represents it, so that the order of the trees does not matter.
        let mut to: Vec<usize> = (0..ids.len()).collect();
        let least = |to: &[usize], mut label: usize| {
            while to[label] != label {
                label = to[label];
            }
            label
        };
        for rename in self.renames() {
            let (a, b) = (number(&rename.a), number(&rename.b));
            if has[a] == [true, false] && has[b] == [false, true] {
                let (a, b) = (least(&to, a), least(&to, b));
                to[a.max(b)] = a.min(b);
            }
        }
        labels.map(|side| {
            side.iter()
                .map(|id| index(least(&to, number(id))))
                .collect()
        })
    }

    /// Marks repetitions: nodes with a paired sibling of the same label, and their sub-trees.
    fn mark_copies(
        &self,
        side: usize,
        parents: &[u32],
        classes: &[u32],
        node_changes: &mut [NodeChange],
    ) {
        let mut places: Vec<(u32, u32)> = Vec::new();
        for node in 0..parents.len() {
            if matches!(node_changes[node], NodeChange::Same | NodeChange::Renamed)
                && parents[node] != NONE
            {
                places.push((parents[node], classes[node]));
            }
        }
        places.sort_unstable();
        for node in 0..parents.len() {
            let parent = parents[node];
            if node_changes[node] != NodeChange::Alone || parent == NONE {
                continue;
            }
            let is_below = node_changes[parent as usize] == NodeChange::Copy;
            let has_parent = self.partner(side, parent as usize).is_some();
            if is_below || (has_parent && places.binary_search(&(parent, classes[node])).is_ok()) {
                node_changes[node] = NodeChange::Copy;
            }
        }
    }

    /// All changes, sorted by kind, then node. n log n.
    pub fn changes(&self, trees: [Side<'_>; 2]) -> Vec<Change> {
        let node_changes = self.node_changes(trees);
        let parents = trees.map(|side| side.tree.parents());
        let mut found = Vec::new();
        for side in 0..2 {
            Self::one_sided(side, &parents[side], &node_changes[side], &mut found);
        }
        for (node, node_change) in node_changes[0].iter().enumerate() {
            let mut push = |outcome| {
                found.push(Change {
                    outcome,
                    a: Some(index(node)),
                    b: self.partner(0, node).map(index),
                    nodes: [1, 1],
                });
            };
            if matches!(
                node_change,
                NodeChange::Renamed | NodeChange::MovedAndRenamed
            ) {
                push(Outcome::Renamed);
            }
            if matches!(node_change, NodeChange::Moved | NodeChange::MovedAndRenamed) {
                push(Outcome::Moved);
            }
        }
        let labels = trees.map(|side| side.tree.labels().collect::<Vec<_>>());
        let classes = self.classes([&labels[0], &labels[1]]);
        self.multiplied(&classes, &parents, &node_changes, &mut found);
        self.reordered(trees, &parents, &classes, &mut found);
        found.sort_unstable();
        found
    }

    fn one_sided(
        side: usize,
        parents: &[u32],
        node_changes: &[NodeChange],
        found: &mut Vec<Change>,
    ) {
        let place = |node: usize| {
            let node = Some(index(node));
            if side == 0 {
                (node, None)
            } else {
                (None, node)
            }
        };
        let (alone, wrapped) = if side == 0 {
            (Outcome::Vanished, Outcome::Unwrapped)
        } else {
            (Outcome::Appeared, Outcome::Wrapped)
        };
        // The index of the change that each node belongs to.
        let mut top = vec![NONE; parents.len()];
        for (node, node_change) in node_changes.iter().enumerate() {
            let parent = parents[node];
            let outcome = match node_change {
                NodeChange::Wrapper => wrapped,
                NodeChange::Alone => alone,
                _ => continue,
            };
            let around = (parent != NONE
                && *node_change == NodeChange::Alone
                && node_changes[parent as usize] == NodeChange::Alone)
                .then(|| top[parent as usize])
                .filter(|&top| top != NONE);
            if let Some(change) = around.and_then(|at| found.get_mut(at as usize)) {
                change.nodes[side] += 1;
                top[node] = top[parent as usize];
                continue;
            }
            top[node] = index(found.len());
            let (a, b) = place(node);
            let mut nodes = [0, 0];
            nodes[side] = 1;
            found.push(Change {
                outcome,
                a,
                b,
                nodes,
            });
        }
    }

    /// Numbers of equal labels below corresponding parents, if there are repetitions.
    fn multiplied(
        &self,
        classes: &[Vec<u32>; 2],
        parents: &[Vec<u32>; 2],
        node_changes: &[Vec<NodeChange>; 2],
        found: &mut Vec<Change>,
    ) {
        let is_copy = |side: usize, node: usize| {
            let parent = parents[side][node];
            node_changes[side][node] == NodeChange::Copy
                && parent != NONE
                && node_changes[side][parent as usize] != NodeChange::Copy
        };
        // By parent in the first tree and class: the first child and how many there are.
        let mut places: Vec<(u32, u32)> = Vec::new();
        let place = |side: usize, node: usize| {
            let parent = parents[side][node] as usize;
            let first = if side == 0 {
                Some(parent)
            } else {
                self.partner(1, parent)
            };
            first.map(|first| (index(first), classes[side][node]))
        };
        for (side, own) in parents.iter().enumerate() {
            let copies = (0..own.len()).filter(|&node| is_copy(side, node));
            places.extend(copies.filter_map(|node| place(side, node)));
        }
        places.sort_unstable();
        places.dedup();
        let mut changes = vec![
            Change {
                outcome: Outcome::Multiplied,
                a: None,
                b: None,
                nodes: [0, 0]
            };
            places.len()
        ];
        for (side, parents) in parents.iter().enumerate() {
            for (node, &parent) in parents.iter().enumerate() {
                if parent == NONE || node_changes[side][node] == NodeChange::Wrapper {
                    continue;
                }
                let at = place(side, node).and_then(|place| places.binary_search(&place).ok());
                if let Some(change) = at.and_then(|at| changes.get_mut(at)) {
                    change.nodes[side] += 1;
                    let first = if side == 0 {
                        &mut change.a
                    } else {
                        &mut change.b
                    };
                    first.get_or_insert(index(node));
                }
            }
        }
        found.extend(changes);
    }

    /// The smallest set of children with the same parent whose moves explain the changed order of siblings. The
    /// order of siblings with equal labels does not count.
    fn reordered(
        &self,
        trees: [Side<'_>; 2],
        parents: &[Vec<u32>; 2],
        classes: &[Vec<u32>; 2],
        found: &mut Vec<Change>,
    ) {
        let tree = trees[0].tree;
        for parent in 0..tree.len() {
            let Some(other) = self.partner(0, parent) else {
                continue;
            };
            let in_place = |child: usize| {
                let there = self.partner(0, child)?;
                let class = (classes[0][child], classes[1][there]);
                (parents[1][there] == index(other)).then_some((class, child, index(there)))
            };
            let children: Vec<_> = tree.children(parent).filter_map(in_place).collect();
            if children.is_sorted_by_key(|child| child.2) {
                continue;
            }
            // Equal labels may be exchanged if that leaves fewer moves.
            let (mut here, mut there) = (children.clone(), children.clone());
            here.sort_unstable();
            there.sort_unstable_by_key(|child| (child.0, child.2));
            let mut equal: Vec<(usize, u32)> = here
                .iter()
                .zip(&there)
                .map(|(here, there)| (here.1, there.2))
                .collect();
            equal.sort_unstable();
            let children: Vec<(usize, u32)> =
                children.iter().map(|child| (child.1, child.2)).collect();
            let out = |children: Vec<(usize, u32)>| {
                let order: Vec<u32> = children.iter().map(|child| child.1).collect();
                let out = out_of_order(&order).into_iter();
                out.map(|at| children[at]).collect::<Vec<_>>()
            };
            let (own, equal) = (out(children), out(equal));
            let fewer = if equal.len() < own.len() { equal } else { own };
            found.extend(fewer.into_iter().map(|(here, there)| Change {
                outcome: Outcome::Reordered,
                a: Some(index(here)),
                b: Some(there),
                nodes: [1, 1],
            }));
        }
    }
}

/// Indices of the fewest values whose removal leaves the others in order: those outside of a longest ascending
/// subsequence (patience sorting). n log n.
pub fn out_of_order(values: &[u32]) -> Vec<usize> {
    // For each length, the index of the smallest last value; and the predecessor of each value.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; values.len()];
    for (at, &value) in values.iter().enumerate() {
        let length = ends.partition_point(|&end| values[end] < value);
        before[at] = length.checked_sub(1).map(|last| ends[last]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut is_kept = vec![false; values.len()];
    let mut kept = ends.last().copied();
    while let Some(at) = kept {
        is_kept[at] = true;
        kept = before[at];
    }
    (0..values.len()).filter(|&at| !is_kept[at]).collect()
}
