//! Nodes and edges of the picture, in order and with their places.

use sheaf_answers::{EdgeKind, Geometry, NodeKind, SankeyEdge, SankeyNode};
use sheaf_model::{Lens, Scope};

use super::evaluated::Evaluated;
use super::{count_present, values_of};
use crate::groups::{Group, GroupId, Grouping, Label};
use crate::histogram::histogram;
use crate::layout::{Layout, LayoutEdge, LayoutNode, LayoutOptions, layout_sankey};
use crate::measurement::greatest;
use crate::super_graph::SuperGraph;
use crate::tree::{Definition, EnsembleTree};

/// Nodes and edges in their final order, with places.
pub(super) struct Picture {
    pub(super) nodes: Vec<SankeyNode>,
    pub(super) edges: Vec<SankeyEdge>,
}

impl Picture {
    pub(super) fn draw(
        graph: &SuperGraph,
        evaluated: &Evaluated,
        grouping: &Grouping,
        tree: &EnsembleTree,
        lens: &Lens,
        options: &LayoutOptions,
    ) -> Self {
        let shown: Vec<usize> = (0..graph.nodes.len())
            .filter(|&node| graph.nodes[node].group.is_visible)
            .collect();
        let mut nodes: Vec<SankeyNode> = shown
            .iter()
            .map(|&node| sankey_node(graph, node, evaluated, grouping, tree, lens))
            .collect();
        let mut place: Vec<usize> = vec![usize::MAX; graph.nodes.len()];
        for (at, &node) in shown.iter().enumerate() {
            place[node] = at;
        }
        let shown_edges: Vec<usize> = (0..graph.edges.len())
            .filter(|&edge| graph.edges[edge].is_visible)
            .collect();
        let mut edges: Vec<SankeyEdge> = shown_edges
            .iter()
            .map(|&edge| sankey_edge(graph, edge, &place, evaluated))
            .collect();
        let layout = lay_out(&nodes, &edges, options);
        for (node, rect) in nodes.iter_mut().zip(&layout.nodes) {
            node.geometry = *rect;
        }
        for (edge, band) in edges.iter_mut().zip(layout.bands) {
            edge.band = band;
        }
        let ids = shown.iter().map(|&node| &graph.nodes[node].group.id);
        Self { nodes, edges }.in_order(&ids.collect::<Vec<_>>())
    }

    /// Nodes by level, then from top to bottom, then by id; edges by their ends.
    fn in_order(mut self, ids: &[&GroupId]) -> Self {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by(|&a, &b| {
            let by_id = ids[a].cmp(ids[b]);
            let (a, b) = (&self.nodes[a], &self.nodes[b]);
            a.level
                .cmp(&b.level)
                .then(a.geometry.y.total_cmp(&b.geometry.y))
                .then(by_id)
        });
        let mut place = vec![0_u32; order.len()];
        for (at, &node) in (0..).zip(&order) {
            place[node] = at;
        }
        let mut nodes: Vec<Option<SankeyNode>> = self.nodes.into_iter().map(Some).collect();
        let nodes = order
            .into_iter()
            .filter_map(|node| nodes[node].take())
            .collect();
        for edge in &mut self.edges {
            edge.source = place[edge.source as usize];
            edge.target = place[edge.target as usize];
        }
        self.edges.sort_by_key(|edge| (edge.source, edge.target));
        Self {
            nodes,
            edges: self.edges,
        }
    }
}

fn sankey_node(
    graph: &SuperGraph,
    number: usize,
    evaluated: &Evaluated,
    grouping: &Grouping,
    tree: &EnsembleTree,
    lens: &Lens,
) -> SankeyNode {
    let node = &graph.nodes[number];
    let inclusive = evaluated.values.of(Scope::Inclusive, number);
    let exclusive = evaluated.values.of(Scope::Exclusive, number);
    let values = evaluated
        .values
        .of(lens.scope, number)
        .iter()
        .map(|measurement| measurement.value());
    let definition = node.group.definition.map(|at| &tree.definitions()[at]);
    let entries = &evaluated.entries[number];
    SankeyNode {
        kind: kind(&node.group),
        definition_kind: definition.map(|definition| definition.kind.to_string()),
        module: match (&node.group.id, definition) {
            (
                GroupId::Labelled {
                    label: Label::Module,
                    name,
                    ..
                },
                _,
            ) => Some(name.to_string()),
            (_, definition) => definition
                .and_then(|d| d.module.as_ref())
                .map(ToString::to_string),
        },
        source: match (&node.group.id, definition) {
            (
                GroupId::Labelled {
                    label: Label::File,
                    name,
                    ..
                },
                _,
            ) => Some(name.to_string()),
            (_, definition) => definition.and_then(Definition::source),
        },
        id: node.group.id.to_string(),
        name: node.group.name.to_string(),
        level: node.level,
        max_inclusive: greatest(inclusive.iter().copied()),
        max_exclusive: greatest(exclusive.iter().copied()),
        present: count_present(inclusive),
        inclusive_by_run: values_of(inclusive),
        exclusive_by_run: values_of(exclusive),
        count: evaluated.counts[number],
        histogram: histogram(values, lens.bins),
        entry_functions: entries.first.clone(),
        entry_function_count: entries.count,
        is_recursive: node.is_recursive,
        members: node
            .members
            .iter()
            .map(|&group| grouping.groups[group].name.to_string())
            .collect(),
        geometry: Geometry::default(),
    }
}

fn sankey_edge(
    graph: &SuperGraph,
    number: usize,
    place: &[usize],
    evaluated: &Evaluated,
) -> SankeyEdge {
    let edge = &graph.edges[number];
    let flow = evaluated.flow(number);
    let index = |node: usize| u32::try_from(place[node]).unwrap_or(u32::MAX);
    SankeyEdge {
        source: index(edge.source),
        target: index(edge.target),
        kind: if edge.is_forward {
            EdgeKind::Forward
        } else {
            EdgeKind::Back
        },
        max_inclusive: greatest(flow.iter().copied()),
        present: count_present(flow),
        inclusive_by_run: values_of(flow),
        band: Vec::new(),
    }
}

fn lay_out(nodes: &[SankeyNode], edges: &[SankeyEdge], options: &LayoutOptions) -> Layout {
    let nodes: Vec<LayoutNode> = nodes
        .iter()
        .map(|node| LayoutNode {
            level: node.level,
            weight: node.max_inclusive,
            name: node.name.clone(),
        })
        .collect();
    let edges: Vec<LayoutEdge> = edges
        .iter()
        .map(|edge| LayoutEdge {
            source: edge.source as usize,
            target: edge.target as usize,
            weight: edge.max_inclusive,
        })
        .collect();
    layout_sankey(&nodes, &edges, options)
}

fn kind(group: &Group) -> NodeKind {
    match &group.id {
        GroupId::Labelled {
            label: Label::File, ..
        } => NodeKind::File,
        GroupId::Labelled { .. } => NodeKind::Module,
        GroupId::Definition(_) => NodeKind::Definition,
        GroupId::Context(_) => NodeKind::Context,
        GroupId::Others(_) => NodeKind::Others,
    }
}
