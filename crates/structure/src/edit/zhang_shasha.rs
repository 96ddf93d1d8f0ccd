//! Distances of all sub-trees, one pair of key roots after the other.

use sheaf_model::StructureId;

use super::EditScript;
use crate::LabelledTree;

/// A tree with every node behind all that is below it.
struct Postfix {
    labels: Vec<u32>,
    /// First of the nodes below each, itself where there are none.
    firsts: Vec<usize>,
    /// Node in the tree's pre-order.
    nodes: Vec<u32>,
    /// Of all nodes with the same first, the last; ascending.
    key_roots: Vec<usize>,
}

impl Postfix {
    /// Children in their order, or in the opposite one.
    fn new(tree: &LabelledTree, names: &[StructureId], is_turned: bool) -> Self {
        let n = tree.len();
        let mut order: Vec<usize> = (0..n).collect();
        if is_turned {
            // Pre-order from the back is post-order of the mirrored tree.
            order.reverse();
        } else {
            // A node stands before all that is right of it, and behind what is below it.
            let depths = depths(&tree.parents());
            let place = |node: usize| node + tree.sizes[node] as usize - 1 - depths[node];
            order.sort_unstable_by_key(|&node| place(node));
        }
        let firsts: Vec<usize> = order
            .iter()
            .enumerate()
            .map(|(at, &node)| at + 1 - tree.sizes[node] as usize)
            .collect();
        let mut last = vec![None; n];
        for (at, &first) in firsts.iter().enumerate() {
            last[first] = Some(at);
        }
        let mut key_roots: Vec<usize> = last.into_iter().flatten().collect();
        key_roots.sort_unstable();
        let labels: Vec<StructureId> = tree.labels().collect();
        let number = |&node: &usize| names.binary_search(&labels[node]).unwrap_or_default();
        Self {
            labels: order.iter().map(|node| index(number(node))).collect(),
            firsts,
            nodes: order.into_iter().map(index).collect(),
            key_roots,
        }
    }

    fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Nodes that are passed for all key roots.
    fn steps(&self) -> usize {
        let steps = |&root: &usize| root + 1 - self.firsts[root];
        self.key_roots.iter().map(steps).sum()
    }
}

fn depths(parents: &[u32]) -> Vec<usize> {
    let mut depths = vec![0; parents.len()];
    for node in 1..parents.len() {
        depths[node] = depths[parents[node] as usize] + 1;
    }
    depths
}

/// Two trees, and the distances of their sub-trees.
pub(super) struct Pair {
    sides: [Postfix; 2],
    /// Of every two sub-trees, row by row.
    trees: Vec<u32>,
    /// Of what stands before two nodes, within one pair of sub-trees.
    forests: Vec<u32>,
}

impl Pair {
    pub(super) fn new(a: &LabelledTree, b: &LabelledTree) -> Self {
        let mut names: Vec<StructureId> = a.names().iter().chain(b.names()).copied().collect();
        names.sort_unstable();
        names.dedup();
        let sides = |is_turned| [a, b].map(|tree| Postfix::new(tree, &names, is_turned));
        let steps = |sides: &[Postfix; 2]| sides[0].steps() * sides[1].steps();
        // Both ways lead to the same distance; combs are cheap from one side.
        let (straight, turned) = (sides(false), sides(true));
        let sides = if steps(&straight) <= steps(&turned) {
            straight
        } else {
            turned
        };
        let [n, m] = [sides[0].len(), sides[1].len()];
        Self {
            trees: vec![0; n * m],
            forests: vec![0; (n + 1) * (m + 1)],
            sides,
        }
    }

    /// The distance of the trees.
    pub(super) fn distance(mut self) -> usize {
        let [n, m] = [self.sides[0].len(), self.sides[1].len()];
        if n == 0 || m == 0 {
            return n.max(m);
        }
        self.all();
        self.trees.last().map_or(0, |&distance| distance as usize)
    }

    fn all(&mut self) {
        let roots = self.sides.each_ref().map(|side| side.key_roots.clone());
        for &first in &roots[0] {
            for &second in &roots[1] {
                self.fill(&self.frame([first, second]));
            }
        }
    }

    fn frame(&self, roots: [usize; 2]) -> Frame {
        let firsts = [0, 1].map(|side: usize| self.sides[side].firsts[roots[side]]);
        Frame {
            sizes: [0, 1].map(|side| roots[side] + 1 - firsts[side]),
            firsts,
        }
    }

    /// Distances of forests, from those of smaller sub-trees; of sub-trees that begin where the frame does these
    /// are the distances.
    fn fill(&mut self, frame: &Frame) {
        let [rows, columns] = frame.sizes;
        for row in 0..=rows {
            self.forests[frame.at([row, 0])] = index(row);
        }
        for column in 0..=columns {
            self.forests[frame.at([0, column])] = index(column);
        }
        for row in 1..=rows {
            for column in 1..=columns {
                let ends = [row, column];
                let (matched, is_tree) = self.matched(frame, ends);
                let least = self
                    .deleted(frame, ends)
                    .min(self.inserted(frame, ends))
                    .min(matched);
                self.forests[frame.at(ends)] = least;
                if is_tree {
                    let tree = self.tree(frame.last(ends));
                    self.trees[tree] = least;
                }
            }
        }
    }

    fn tree(&self, [first, second]: [usize; 2]) -> usize {
        first * self.sides[1].len() + second
    }

    fn deleted(&self, frame: &Frame, [row, column]: [usize; 2]) -> u32 {
        self.forests[frame.at([row - 1, column])] + 1
    }

    fn inserted(&self, frame: &Frame, [row, column]: [usize; 2]) -> u32 {
        self.forests[frame.at([row, column - 1])] + 1
    }

    /// Edits where the last two nodes stand for each other, and whether all of both forests is below them.
    fn matched(&self, frame: &Frame, ends: [usize; 2]) -> (u32, bool) {
        let (last, before) = (frame.last(ends), self.before(frame, ends));
        if before == [0, 0] {
            let is_renamed = self.label(0, last) != self.label(1, last);
            let above = self.forests[frame.at(ends.map(|end| end - 1))];
            return (above + u32::from(is_renamed), true);
        }
        (
            self.forests[frame.at(before)] + self.trees[self.tree(last)],
            false,
        )
    }

    fn label(&self, side: usize, nodes: [usize; 2]) -> u32 {
        self.sides[side].labels[nodes[side]]
    }

    /// How many nodes of each forest stand before the sub-tree of its last node.
    fn before(&self, frame: &Frame, ends: [usize; 2]) -> [usize; 2] {
        let last = frame.last(ends);
        [0, 1].map(|side| self.sides[side].firsts[last[side]] - frame.firsts[side])
    }

    /// A shortest script.
    pub(super) fn script(mut self) -> EditScript {
        let sizes = self.sides.each_ref().map(Postfix::len);
        let mut script = EditScript::default();
        if sizes.contains(&0) {
            script.deleted = (0..index(sizes[0])).collect();
            script.inserted = (0..index(sizes[1])).collect();
            return script;
        }
        self.all();
        // Pairs of sub-trees; what is below one pair is in no other.
        let mut open = vec![sizes.map(|size| size - 1)];
        while let Some(roots) = open.pop() {
            let frame = self.frame(roots);
            self.fill(&frame);
            self.trace(&frame, &mut script, &mut open);
        }
        script.deleted.sort_unstable();
        script.inserted.sort_unstable();
        script.renamed.sort_unstable();
        script.kept.sort_unstable();
        script
    }

    /// The way back through the forests of a frame; nodes that stand for each other where that is as short.
    fn trace(&self, frame: &Frame, script: &mut EditScript, open: &mut Vec<[usize; 2]>) {
        let mut ends = frame.sizes;
        while ends != [0, 0] {
            let [row, column] = ends;
            let last = frame.last(ends);
            let node = |side: usize| self.sides[side].nodes[last[side]];
            let here = self.forests[frame.at(ends)];
            let matched = (row > 0 && column > 0).then(|| self.matched(frame, ends));
            if let Some((_, is_tree)) = matched.filter(|(edits, _)| *edits == here) {
                if is_tree {
                    let is_kept = self.label(0, last) == self.label(1, last);
                    let pairs = if is_kept {
                        &mut script.kept
                    } else {
                        &mut script.renamed
                    };
                    pairs.push((node(0), node(1)));
                    ends = ends.map(|end| end - 1);
                } else {
                    open.push(last);
                    ends = self.before(frame, ends);
                }
            } else if column == 0 || (row > 0 && self.deleted(frame, ends) == here) {
                script.deleted.push(node(0));
                ends[0] -= 1;
            } else {
                script.inserted.push(node(1));
                ends[1] -= 1;
            }
        }
    }
}

/// What is below two nodes.
struct Frame {
    /// First node of each side.
    firsts: [usize; 2],
    /// Nodes of each side.
    sizes: [usize; 2],
}

impl Frame {
    /// Place of the forests of so many nodes.
    fn at(&self, ends: [usize; 2]) -> usize {
        ends[0] * (self.sizes[1] + 1) + ends[1]
    }

    /// The last of so many nodes; the first where there are none.
    fn last(&self, ends: [usize; 2]) -> [usize; 2] {
        [0, 1].map(|side| self.firsts[side] + ends[side].saturating_sub(1))
    }
}

/// Trees here are small.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
