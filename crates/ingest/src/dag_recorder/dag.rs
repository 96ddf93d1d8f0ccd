//! A recording in memory: the hierarchy of nodes, 40 bytes each.

use super::layout::Totals;

/// What ends a leaf, or what a collective node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum NodeKind {
    /// A leaf that ends with the creation of a task.
    Create,
    /// A leaf that ends with a wait for the tasks of its section.
    Wait,
    /// A leaf that ends with something else that may change the worker.
    Other,
    /// The last leaf of a task.
    End,
    /// What one wait closes.
    Section,
    /// A task.
    Task,
}

impl NodeKind {
    pub(super) fn from_code(code: u32) -> Option<Self> {
        let kinds = [
            Self::Create,
            Self::Wait,
            Self::Other,
            Self::End,
            Self::Section,
            Self::Task,
        ];
        kinds.get(code as usize).copied()
    }

    pub(super) fn is_collective(self) -> bool {
        matches!(self, Self::Section | Self::Task)
    }
}

/// Number of a node in the file.
pub(super) type NodeIdx = usize;

/// No node, no position.
pub(super) const NONE: u32 = u32::MAX;

/// One node. Times count ticks from the start of the recording.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) start: i64,
    pub(super) end: i64,
    /// -1 where it was several.
    pub(super) worker: i32,
    /// Where in the source: the creating line of creations and tasks, the line of waits.
    pub(super) position: u32,
    /// First child; the task of a creation; the row of what a collapsed node stands for.
    first: u32,
    num_children: u32,
    pub(super) kind: NodeKind,
    /// Whether the root's hierarchy holds it.
    pub(super) is_used: bool,
}

impl Node {
    pub(super) fn new(kind: NodeKind, worker: i32) -> Self {
        Self {
            start: 0,
            end: 0,
            worker,
            position: NONE,
            first: NONE,
            num_children: 0,
            kind,
            is_used: false,
        }
    }

    pub(super) fn set_children(&mut self, first: u32, num_children: u32) {
        (self.first, self.num_children) = (first, num_children);
    }

    pub(super) fn set_collapsed(&mut self, row: u32) {
        (self.first, self.num_children) = (row, 0);
    }

    /// A section or task of which nothing below was kept.
    pub(super) fn is_collapsed(&self) -> bool {
        self.kind.is_collective() && self.num_children == 0
    }

    /// A leaf of the graph: collapsed nodes are leaves too.
    pub(super) fn is_leaf(&self) -> bool {
        !self.kind.is_collective() || self.num_children == 0
    }

    pub(super) fn len(&self) -> i64 {
        self.end - self.start
    }
}

/// A position in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Position {
    pub(super) file: i64,
    pub(super) line: i64,
}

/// A recording: the hierarchy of tasks, sections and leaves. See [`Dag::read`].
#[derive(Debug)]
pub(super) struct Dag {
    pub(super) nodes: Vec<Node>,
    pub(super) collapsed: Vec<Totals>,
    pub(super) positions: Vec<Position>,
    pub(super) strings: Vec<String>,
    /// What the recorder summed up of the whole run.
    pub(super) root: Totals,
    pub(super) num_workers: i64,
    pub(super) start_clock: u64,
    /// Workers to compute with.
    pub(super) workers: i64,
}

impl Dag {
    /// Children of a collective node, in the order of the program.
    #[inline]
    pub(super) fn children(&self, node: NodeIdx) -> std::ops::Range<NodeIdx> {
        match self.nodes.get(node) {
            Some(node) if node.kind.is_collective() && node.num_children > 0 => {
                let first = node.first as usize;
                first..first + node.num_children as usize
            }
            _ => 0..0,
        }
    }

    /// The task that a creation creates.
    #[inline]
    pub(super) fn created(&self, node: NodeIdx) -> Option<NodeIdx> {
        let node = self.nodes.get(node)?;
        (node.kind == NodeKind::Create && node.first != NONE).then_some(node.first as usize)
    }

    /// What a collapsed node stands for.
    pub(super) fn totals(&self, node: NodeIdx) -> Option<&Totals> {
        let node = self.nodes.get(node).filter(|node| node.is_collapsed())?;
        self.collapsed.get(node.first as usize)
    }

    /// Sum of the lengths of the leaves that a leaf of the graph stands for.
    pub(super) fn work(&self, node: NodeIdx) -> i64 {
        match (self.totals(node), self.nodes.get(node)) {
            (Some(totals), _) => totals.work,
            (None, node) => node.map_or(0, Node::len),
        }
    }

    /// Leaves of the graph that the root's hierarchy holds.
    pub(super) fn leaves(&self) -> impl Iterator<Item = (NodeIdx, &Node)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter(|(_, node)| node.is_used && node.is_leaf())
    }

    /// The source file and line of a position; `None` where the file has no such string.
    pub(super) fn source(&self, position: u32) -> Option<(usize, Option<i32>)> {
        let position = self.positions.get(position as usize)?;
        let file = usize::try_from(position.file).ok()?;
        let line = i32::try_from(position.line).ok().filter(|&line| line > 0);
        (file < self.strings.len()).then_some((file, line))
    }
}
