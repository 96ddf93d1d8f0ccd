//! A grain graph as it stands in a document.

use super::about::About;
use super::ids::Ids;
use crate::buckets::Buckets;
use crate::mir::{NONE, Table};
use crate::{Error, Format};

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    /// An edge names it; it is declared later, or never.
    #[default]
    Undeclared,
    /// Its type is none of a grain graph.
    Unknown,
    Start,
    End,
    Task,
    Fragment,
    Fork,
    Join,
    /// Holds a graph of its own.
    Group,
}

impl Kind {
    pub(super) fn of(kind: &str) -> Self {
        match kind.trim_ascii() {
            "start" => Self::Start,
            "end" => Self::End,
            "task" => Self::Task,
            "fragment" => Self::Fragment,
            "fork" => Self::Fork,
            "join" => Self::Join,
            _ => Self::Unknown,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Undeclared => "undeclared node",
            Self::Unknown => "node of another type",
            Self::Start => "start",
            Self::End => "end",
            Self::Task => "task",
            Self::Fragment => "fragment",
            Self::Fork => "fork",
            Self::Join => "join",
            Self::Group => "group",
        }
    }
}

/// Nodes, edges, and a table with a row for each task and fragment.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) ids: Ids,
    pub(super) kinds: Vec<Kind>,
    /// Row of each node in the table.
    pub(super) rows: Vec<u32>,
    pub(super) edges: Vec<(u32, u32)>,
    pub(super) table: Table,
    pub(super) has_groups: bool,
    pub(super) about: About,
}

impl Graph {
    /// The node with this id, new where it is.
    pub(super) fn node(&mut self, id: &str) -> u32 {
        let node = self.ids.intern(id);
        if self.kinds.len() < self.ids.len() {
            self.kinds.push(Kind::Undeclared);
            self.rows.push(NONE);
        }
        node
    }

    pub(super) fn kind(&self, node: u32) -> Kind {
        self.kinds.get(node as usize).copied().unwrap_or_default()
    }

    pub(super) fn row(&self, node: u32) -> u32 {
        self.rows.get(node as usize).copied().unwrap_or(NONE)
    }

    pub(super) fn count(&self, kind: Kind) -> u64 {
        self.kinds.iter().filter(|&&found| found == kind).count() as u64
    }

    /// The refusal of a graph whose structure is broken at a node.
    pub(super) fn broken(&self, node: u32, reason: impl Into<String>) -> Error {
        Error::malformed(Format::GraphMl, self.ids.place(node), reason)
    }
}

/// Who follows whom.
pub(super) struct Neighbours<'a> {
    edges: &'a [(u32, u32)],
    out: Buckets,
    into: Buckets,
}

impl<'a> Neighbours<'a> {
    pub(super) fn of(graph: &'a Graph) -> Self {
        let edges = graph.edges.as_slice();
        let end = |edge: u32| edges.get(edge as usize);
        let nodes = graph.kinds.len();
        Self {
            edges,
            out: Buckets::new(edges.len(), nodes, |edge| Some(end(edge)?.0)),
            into: Buckets::new(edges.len(), nodes, |edge| Some(end(edge)?.1)),
        }
    }

    /// Successors in the order of the document.
    pub(super) fn successors(&self, node: u32) -> impl ExactSizeIterator<Item = u32> + '_ {
        let edges = self.out.get(node as usize).iter();
        edges.map(|&edge| self.edges.get(edge as usize).map_or(NONE, |edge| edge.1))
    }

    /// Predecessors in the order of the document.
    pub(super) fn predecessors(&self, node: u32) -> impl ExactSizeIterator<Item = u32> + '_ {
        let edges = self.into.get(node as usize).iter();
        edges.map(|&edge| self.edges.get(edge as usize).map_or(NONE, |edge| edge.0))
    }

    /// The nodes, each after all its predecessors; those on cycles and after them are missing.
    fn order(&self, graph: &Graph) -> Vec<u32> {
        let nodes = 0..u32::try_from(graph.kinds.len()).unwrap_or(NONE);
        let mut missing: Vec<u32> = nodes
            .clone()
            .map(|node| u32::try_from(self.predecessors(node).len()).unwrap_or(NONE))
            .collect();
        let is_inner = |&node: &u32| graph.kind(node) != Kind::Group;
        let is_first = |node: &u32| missing.get(*node as usize) == Some(&0);
        let mut ready: Vec<u32> = nodes.filter(is_inner).filter(is_first).collect();
        let mut order = Vec::with_capacity(graph.kinds.len());
        while let Some(node) = ready.pop() {
            order.push(node);
            for next in self.successors(node) {
                if let Some(count) = missing.get_mut(next as usize) {
                    *count -= 1;
                    if *count == 0 {
                        ready.push(next);
                    }
                }
            }
        }
        order
    }

    /// The nodes in that order; refuses a graph with cycles.
    pub(super) fn complete_order(&self, graph: &Graph) -> Result<Vec<u32>, Error> {
        let order = self.order(graph);
        let mut is_in = vec![false; graph.kinds.len()];
        for &node in &order {
            if let Some(is) = is_in.get_mut(node as usize) {
                *is = true;
            }
        }
        let nodes = (0..).zip(&graph.kinds).zip(is_in);
        for ((node, &kind), is_in) in nodes {
            if !is_in && kind != Kind::Group {
                return Err(graph.broken(node, "the node is on a cycle of edges or after one"));
            }
        }
        Ok(order)
    }
}
