//! Values of groups, and what ties the tree to the graph.

use std::io::{self, Write};

use arrow::array::{Array, Int64Array};
use sheaf_answers::Values;
use sheaf_grains::aggregation::{AggregationTree, GroupKind, Propagation};
use sheaf_grains::grain_graph::NodeKind;
use sheaf_grains::grain_metric::integer_at;
use sheaf_model::Progress;

use super::super::attributes::{Attributes, NodeAttributes};
use super::super::graph::GraphView;
use super::super::run::finite;
use super::{Keys, write_data};

/// Values of the nodes of the tree.
pub(super) struct Groups {
    /// Which groups are on the critical path.
    critical: Int64Array,
    /// Column and values.
    values: Vec<(usize, Values<'static>)>,
    problematic: Option<usize>,
    num_grains: Vec<u32>,
    num_members: Vec<u32>,
    /// Node of the graph by grain.
    nodes: Vec<Option<u32>>,
    /// Fork and join by set.
    ends: Vec<Option<[u32; 2]>>,
    edges: u64,
}

impl Groups {
    pub(super) fn of(
        graph: &GraphView<'_>,
        attributes: &Attributes<'_>,
        tree: &AggregationTree,
        progress: &Progress,
    ) -> io::Result<Self> {
        let (nodes, ends) = nodes(graph);
        let on_critical_path = (0..nodes.len()).map(|grain| graph.critical(nodes[grain]?));
        let critical = propagate(tree, &on_critical_path.collect(), Propagation::Any)?;
        let columns = attributes.table.columns().iter();
        let mut values = Vec::new();
        for (column, (own, how)) in columns.zip(&attributes.propagation).enumerate() {
            progress.check().map_err(io::Error::other)?;
            let Some(how) = *how else { continue };
            let grains = 0..nodes.len();
            let propagated = match &own.values {
                Values::Integer(own) => {
                    let values = propagate(tree, &grains.map(own).collect(), how)?;
                    Values::Integer(Box::new(move |row| integer_at(&values, row)))
                }
                Values::Number(own) => {
                    let values = tree.propagate_floats(&grains.map(own).collect(), how);
                    Values::Number(Box::new(move |row| {
                        let is_there = row < values.len() && values.is_valid(row);
                        finite(is_there.then(|| values.value(row)))
                    }))
                }
                _ => continue,
            };
            values.push((column, propagated));
        }
        let columns = attributes.table.columns();
        let problematic = columns.iter().position(|it| it.name == "problematic");
        let (num_grains, num_members) = count(tree);
        Ok(Self {
            problematic: problematic
                .and_then(|column| values.iter().position(|(at, _)| *at == column)),
            critical,
            values,
            num_grains,
            num_members,
            nodes,
            ends,
            edges: 0,
        })
    }

    /// Writes the values of a group; grains within and members are the last two.
    pub(super) fn write(
        &self,
        node: u32,
        name: &str,
        kind: &str,
        graph: &GraphView<'_>,
        keys: &mut Keys<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let row = node as usize;
        let mut of_node = NodeAttributes::new(graph, kind, name, None);
        of_node.numbers[2] = integer_at(&self.critical, row);
        Keys::write_node(&of_node.without_stated(graph.source), out)?;
        for (column, values) in &self.values {
            keys.write_value(*column, values, row, out)?;
        }
        let counts = [
            ("v_ngrains", &self.num_grains),
            ("v_nmembers", &self.num_members),
        ];
        for (id, counts) in counts {
            if let Some(count) = counts.get(row) {
                write_data(id, &count.to_string(), out)?;
            }
        }
        Ok(())
    }

    /// Whether a grain within has a problem.
    pub(super) fn is_problematic(&self, node: u32) -> bool {
        let values = self.problematic.and_then(|at| self.values.get(at));
        values.is_some_and(|(_, values)| match values {
            Values::Integer(values) => values(node as usize).is_some_and(|value| value != 0),
            Values::Number(values) => values(node as usize).is_some_and(|value| value != 0.0),
            _ => false,
        })
    }

    /// The node of the graph that a grain is.
    pub(super) fn node_of(&self, grain: u32) -> Option<u32> {
        self.nodes.get(grain as usize).copied().flatten()
    }

    /// Fork and join of a set.
    pub(super) fn ends_of(&self, set: u32) -> Option<[u32; 2]> {
        self.ends.get(set as usize).copied().flatten()
    }

    /// Number of the next edge.
    pub(super) fn next_edge(&mut self) -> u64 {
        self.edges += 1;
        self.edges - 1
    }
}

fn propagate(
    tree: &AggregationTree,
    values: &Int64Array,
    how: Propagation,
) -> io::Result<Int64Array> {
    tree.propagate_integers(values, how)
        .map_err(io::Error::other)
}

/// Node of each grain, fork and join of each set.
fn nodes(graph: &GraphView<'_>) -> (Vec<Option<u32>>, Vec<Option<[u32; 2]>>) {
    let mut nodes = vec![None; graph.source.num_grains()];
    let mut ends: Vec<Option<[u32; 2]>> = vec![None; graph.source.structure.sets().len()];
    for node in 0..super::super::grain_rows::number(graph.graph.num_nodes()) {
        if let Some(slot) = graph.grain(node).and_then(|grain| nodes.get_mut(grain)) {
            *slot = Some(node);
        }
        let place = match graph.graph.kind(node) {
            Some(NodeKind::Fork) => 0,
            Some(NodeKind::Join) => 1,
            _ => continue,
        };
        let set = graph.graph.item(node).map(|set| set as usize);
        if let Some(slot) = set.and_then(|set| ends.get_mut(set)) {
            slot.get_or_insert([node; 2])[place] = node;
        }
    }
    (nodes, ends)
}

/// Grains within, and children, of every node.
fn count(tree: &AggregationTree) -> (Vec<u32>, Vec<u32>) {
    let mut grains = vec![0; tree.len()];
    let mut members = vec![0; tree.len()];
    for node in tree.nodes().rev() {
        let mut within = u32::from(tree.kind(node) == Some(GroupKind::Grain));
        let mut own = 0;
        for child in tree.children(node) {
            within += grains.get(child as usize).copied().unwrap_or(0);
            own += 1;
        }
        let slots = (
            grains.get_mut(node as usize),
            members.get_mut(node as usize),
        );
        if let (Some(grains), Some(members)) = slots {
            (*grains, *members) = (within, own);
        }
    }
    (grains, members)
}
