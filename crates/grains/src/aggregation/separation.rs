//! Puts aside what has no problem.

use super::builder::Builder;
use super::tree::{AggregationTree, GroupKind};
use crate::grain_graph::NONE;

/// A group with a problem that is being written.
struct Frame {
    node: u32,
    /// Next child to look at.
    next: u32,
    end: u32,
    /// Children without a problem that go into a sibling group; 0 when they stay where they are.
    aside: u32,
}

impl AggregationTree {
    /// Whether each node has a problem: a grain by its row, a group where any grain below has one.
    pub fn problems(&self, is_problematic: &[bool]) -> Vec<bool> {
        let mut problems = vec![false; self.len()];
        for node in self.nodes().rev() {
            problems[node as usize] = if self.kinds[node as usize] == GroupKind::Grain {
                let row = self.items[node as usize] as usize;
                is_problematic.get(row) == Some(&true)
            } else {
                self.children(node).any(|child| problems[child as usize])
            };
        }
        problems
    }

    /// The tree with what has no problem put aside, so that the way to what has one is short.
    ///
    /// In groups with a problem whose children run side by side, the two or more without one go into a
    /// sibling group, behind those that have one; in linear groups, every stretch of two or more
    /// without one goes into a linear group. Groups without a problem and unstructured groups keep
    /// their children. Asked of a normalised tree, by row of the grain. Linear.
    #[must_use]
    pub fn separated(&self, is_problematic: &[bool]) -> Self {
        let separation = Separation {
            tree: self,
            problems: self.problems(is_problematic),
        };
        separation.run()
    }
}

struct Separation<'a> {
    tree: &'a AggregationTree,
    problems: Vec<bool>,
}

impl Separation<'_> {
    fn run(&self) -> AggregationTree {
        let mut builder = Builder::nested();
        let mut frames = Vec::new();
        if !self.tree.is_empty() {
            frames.extend(self.begin(&mut builder, 0));
        }
        while let Some(frame) = frames.last_mut() {
            if frame.next < frame.end {
                let below = self.child(&mut builder, frame);
                frames.extend(below);
            } else {
                self.put_aside(&mut builder, frame);
                builder.close();
                frames.pop();
            }
        }
        builder.finish()
    }

    fn behind(&self, node: u32) -> u32 {
        node + self.tree.size(node)
    }

    fn has_problem(&self, node: u32) -> bool {
        self.problems[node as usize]
    }

    /// Writes a grain or what has no problem; begins a group that has one.
    fn begin(&self, builder: &mut Builder, node: u32) -> Option<Frame> {
        let tree = self.tree;
        let kind = tree.kinds[node as usize];
        if kind == GroupKind::Grain || !self.has_problem(node) {
            builder.copy(tree, node..self.behind(node));
            return None;
        }
        let item = tree.items[node as usize];
        builder.open(kind, item, tree.is_restructured(node));
        let is_parallel = matches!(kind, GroupKind::ForkJoin | GroupKind::Sibling);
        let aside = if is_parallel {
            self.count_aside(node)
        } else {
            0
        };
        Some(Frame {
            node,
            next: node + 1,
            end: self.behind(node),
            aside,
        })
    }

    fn count_aside(&self, node: u32) -> u32 {
        let mut count = 0;
        for child in self.tree.children(node) {
            count += u32::from(!self.has_problem(child));
        }
        if count > 1 { count } else { 0 }
    }

    /// Writes the next child, or the stretch that it begins.
    fn child(&self, builder: &mut Builder, frame: &mut Frame) -> Option<Frame> {
        let child = frame.next;
        frame.next = self.behind(child);
        if self.has_problem(child) {
            return self.begin(builder, child);
        }
        if frame.aside > 0 {
            return None;
        }
        let is_linear = self.tree.kind(frame.node) == Some(GroupKind::Linear);
        let mut length = 1;
        while is_linear && frame.next < frame.end && !self.has_problem(frame.next) {
            frame.next = self.behind(frame.next);
            length += 1;
        }
        if length > 1 {
            builder.open(GroupKind::Linear, NONE, false);
        }
        builder.copy(self.tree, child..frame.next);
        if length > 1 {
            builder.close();
        }
        None
    }

    fn put_aside(&self, builder: &mut Builder, frame: &Frame) {
        if frame.aside == 0 {
            return;
        }
        builder.open(GroupKind::Sibling, NONE, false);
        for child in self.tree.children(frame.node) {
            if !self.has_problem(child) {
                builder.copy(self.tree, child..self.behind(child));
            }
        }
        builder.close();
    }
}
