//! The aggregation tree in GraphML for yEd: a folder with a graph of its own per group, grains within.
//!
//! Ids are `n<k>` with `::` between levels, as in ggraph's files; beyond 48 levels the inner ones are left out,
//! because ids of a chain of a million groups would be a million levels long. Groups carry values of
//! their own, exact, and none where all within are absent.

use std::io::{self, BufWriter, Write};

use sheaf_grains::aggregation::{AggregationTree, GroupKind};
use sheaf_model::Progress;

use super::super::attributes::{Attributes, NodeAttributes};
use super::super::check;
use super::super::graph::GraphView;
use super::super::run::Source;
use super::groups::Groups;
use super::{Keys, about, declare_key, yed};
use crate::GraphForm;

/// Levels that ids show.
const LEVELS: usize = 48;

/// Writes the tree; `out` need not be buffered.
pub(in super::super) fn write(
    source: &Source<'_>,
    progress: &Progress,
    out: &mut dyn Write,
) -> io::Result<()> {
    let graph = GraphView::new(source, GraphForm::Reduced)?;
    let tree = AggregationTree::stoppable(source.tables, &source.structure, progress)
        .map_err(io::Error::other)?;
    let attributes = Attributes::new(&graph)?;
    let groups = Groups::of(&graph, &attributes, &tree, progress)?;
    let mut writer = Writer {
        out: BufWriter::with_capacity(1 << 16, out),
        graph: &graph,
        tree: &tree,
        keys: Keys::new(&attributes),
        groups,
        prefix: String::new(),
        depth: 0,
    };
    writer.out.write_all(yed::HEAD)?;
    writer.keys.declare(&mut writer.out)?;
    for name in ["ngrains", "nmembers"] {
        declare_key(&format!("v_{name}"), name, "long", &mut writer.out)?;
    }
    writer.out.write_all(yed::KEYS)?;
    writer
        .out
        .write_all(b"  <graph id=\"G\" edgedefault=\"directed\">\n")?;
    about(&graph, &mut writer.out)?;
    writer.nodes(progress)?;
    writer.out.write_all(b"  </graph>\n</graphml>\n")?;
    writer.out.flush()
}

struct Writer<'a> {
    out: BufWriter<&'a mut dyn Write>,
    graph: &'a GraphView<'a>,
    tree: &'a AggregationTree,
    keys: Keys<'a>,
    groups: Groups,
    /// Ids of the open groups, as far as ids show them.
    prefix: String,
    /// Open groups.
    depth: usize,
}

/// A group that is being written.
struct Open {
    node: u32,
    /// First node behind it.
    end: u32,
    /// Length of the prefix outside of it.
    outside: usize,
}

impl Writer<'_> {
    fn nodes(&mut self, progress: &Progress) -> io::Result<()> {
        let mut open: Vec<Open> = Vec::new();
        for node in self.tree.nodes() {
            check(progress, node as usize, self.tree.len())?;
            while let Some(group) = open.pop_if(|group| group.end <= node) {
                self.close(&group)?;
            }
            match self.tree.kind(node) {
                Some(GroupKind::Grain) => self.grain(node)?,
                Some(kind) => open.push(self.open(node, kind)?),
                None => {}
            }
        }
        while let Some(group) = open.pop() {
            self.close(&group)?;
        }
        Ok(())
    }

    fn grain(&mut self, node: u32) -> io::Result<()> {
        let Some(grain) = self.tree.grain(node) else {
            return Ok(());
        };
        let at = grain as usize;
        let name = self.graph.task(Some(at)).to_string();
        let of_graph = self.groups.node_of(grain);
        let graph = self.graph;
        let attributes = NodeAttributes::new(graph, "task", &name, of_graph);
        let definition = graph.source.names.definition(graph.source.context(at));
        let is_critical = of_graph.is_some_and(|node| graph.is_critical(node));
        let drawing = yed::Shape {
            label: definition,
            outline: "rectangle",
            is_critical,
        };
        self.leaf(number(node), &attributes, Some(at), &drawing)
    }

    fn leaf(
        &mut self,
        number: u64,
        attributes: &NodeAttributes<'_>,
        grain: Option<usize>,
        drawing: &yed::Shape<'_>,
    ) -> io::Result<()> {
        writeln!(self.out, "<node id=\"{}n{number}\">", self.prefix)?;
        Keys::write_node(attributes, &mut self.out)?;
        if let Some(grain) = grain {
            self.keys.write_grain(grain, None, &mut self.out)?;
        }
        drawing.write(&mut self.out)?;
        self.out.write_all(b"</node>\n")
    }

    /// The fork or the join of a group.
    fn end_of(&mut self, group: u32, node_type: &'static str) -> io::Result<()> {
        let (prefix, place, label) = match node_type {
            "fork" => ("f", 1, "^"),
            _ => ("j", 2, "*"),
        };
        let name = format!("{prefix}.{}", self.set_name(group));
        let of_graph = self.tree.set(group);
        let ends = of_graph.and_then(|set| self.groups.ends_of(set));
        let of_graph = ends.map(|[fork, join]| if place == 1 { fork } else { join });
        let attributes = NodeAttributes::new(self.graph, node_type, &name, of_graph);
        let drawing = yed::Shape {
            label,
            outline: "ellipse",
            is_critical: of_graph.is_some_and(|node| self.graph.is_critical(node)),
        };
        self.leaf(number(group) + place, &attributes, None, &drawing)
    }

    /// `<task>.<place>` of the set that a group is.
    fn set_name(&self, group: u32) -> String {
        let set = self.tree.set(group);
        let sets = self.graph.source.structure.sets();
        match set.and_then(|set| sets.get(set as usize)) {
            Some(set) => {
                let owner = set.owner().map(|owner| owner as usize);
                format!("{}.{}", self.graph.task(owner), set.place)
            }
            None => format!("0.{group}"),
        }
    }

    fn open(&mut self, node: u32, kind: GroupKind) -> io::Result<Open> {
        let (kind_name, name) = match kind {
            GroupKind::ForkJoin => ("forkjoin", format!("FJ.{}", self.set_name(node))),
            GroupKind::Unstructured => ("unstructured", format!("U.{}", self.set_name(node))),
            GroupKind::Sibling => ("sibling", format!("S.{node}")),
            GroupKind::Linear | GroupKind::Grain => {
                let grain = self.tree.grain(node).map(|grain| grain as usize);
                ("linear", format!("L.{}", self.graph.task(grain)))
            }
        };
        let id = number(node);
        writeln!(
            self.out,
            "<node id=\"{}n{id}\" yfiles.foldertype=\"group\">",
            self.prefix
        )?;
        let (graph, keys) = (self.graph, &mut self.keys);
        self.groups
            .write(node, &name, kind_name, graph, keys, &mut self.out)?;
        yed::group(&name, self.groups.is_problematic(node), &mut self.out)?;
        writeln!(
            self.out,
            "<graph id=\"{}n{id}:\" edgedefault=\"directed\">",
            self.prefix
        )?;
        let open = Open {
            node,
            end: node.saturating_add(self.tree.size(node)),
            outside: self.prefix.len(),
        };
        push_level(&mut self.prefix, self.depth, id);
        self.depth += 1;
        if kind.num_own_nodes() > 0 {
            self.end_of(node, "fork")?;
        }
        Ok(open)
    }

    fn close(&mut self, group: &Open) -> io::Result<()> {
        let node = group.node;
        let has_ends = self
            .tree
            .kind(node)
            .is_some_and(|kind| kind.num_own_nodes() > 0);
        if has_ends {
            self.end_of(node, "join")?;
        }
        let [fork, join] =
            [1, 2].map(|place| (format!("{}n{}", self.prefix, number(node) + place), false));
        let mut before: Vec<(String, bool)> = Vec::new();
        let is_row = self.tree.kind(node) == Some(GroupKind::Linear);
        for child in self.tree.children(node) {
            let firsts = self.outermost(child, Side::First);
            let lasts = self.outermost(child, Side::Last);
            if has_ends {
                for first in &firsts {
                    self.edge(&fork, first, "create")?;
                }
                for last in &lasts {
                    self.edge(last, &join, if last.1 { "sync" } else { "continue" })?;
                }
            }
            if is_row {
                for source in &before {
                    for target in &firsts {
                        self.edge(source, target, if source.1 { "scope" } else { "continue" })?;
                    }
                }
                before = lasts;
            }
        }
        self.prefix.truncate(group.outside);
        self.depth -= 1;
        self.out.write_all(b"</graph></node>\n")
    }

    fn edge(
        &mut self,
        source: &(String, bool),
        target: &(String, bool),
        edge_type: &str,
    ) -> io::Result<()> {
        let number = self.groups.next_edge();
        write!(
            self.out,
            "<edge id=\"e{number}\" source=\"{}\" target=\"{}\">",
            source.0, target.0
        )?;
        write!(self.out, "<data key=\"e_type\">{edge_type}</data>")?;
        yed::edge(edge_type, &mut self.out)?;
        self.out.write_all(b"</edge>\n")
    }

    /// Ids of the nodes that a child of the open group begins or ends with, and whether they are grains.
    fn outermost(&self, child: u32, side: Side) -> Vec<(String, bool)> {
        let mut found = Vec::new();
        let mut waiting = vec![(child, self.prefix.clone(), self.depth)];
        while let Some((node, mut prefix, depth)) = waiting.pop() {
            let id = number(node);
            let kind = self.tree.kind(node).unwrap_or(GroupKind::Grain);
            if kind == GroupKind::Grain {
                found.push((format!("{prefix}n{id}"), true));
                continue;
            }
            push_level(&mut prefix, depth, id);
            if kind.num_own_nodes() > 0 {
                let place = if side == Side::First { 1 } else { 2 };
                found.push((format!("{prefix}n{}", id + place), false));
                continue;
            }
            let mut children = self.tree.children(node);
            let ends: Vec<u32> = match (kind, side) {
                (GroupKind::Sibling, _) => children.collect(),
                (_, Side::First) => children.next().into_iter().collect(),
                (_, Side::Last) => children.last().into_iter().collect(),
            };
            waiting.extend(
                ends.into_iter()
                    .rev()
                    .map(|end| (end, prefix.clone(), depth + 1)),
            );
        }
        found
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    First,
    Last,
}

/// Number of a node of the tree; those of its fork and join follow.
fn number(node: u32) -> u64 {
    3 * u64::from(node)
}

fn push_level(prefix: &mut String, depth: usize, id: u64) {
    use std::fmt::Write as _;
    if depth < LEVELS {
        // Writing to memory cannot fail.
        let _ = write!(prefix, "n{id}::");
    }
}
