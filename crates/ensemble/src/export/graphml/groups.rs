//! Values of groups, and what ties the tree to the graph.

use std::io;

use arrow::array::{Array, Float64Array, Float64Builder, Int64Array, Int64Builder};
use sheaf_grains::aggregation::{AggregationTree, GroupKind, Propagation};
use sheaf_grains::grain_graph::NodeKind;
use sheaf_model::Progress;

use super::super::attributes::Attributes;
use super::super::check;
use super::super::graph::GraphView;
use super::super::rows::{Cell, CellType};

/// Values of the nodes of the tree.
pub(super) struct Groups {
    /// Column and values.
    values: Vec<(usize, Values)>,
    problematic: Option<usize>,
    num_grains: Vec<u32>,
    num_members: Vec<u32>,
    /// Node of the graph by grain.
    nodes: Vec<Option<u32>>,
    /// Fork and join by set.
    ends: Vec<Option<[u32; 2]>>,
    edges: u64,
}

enum Values {
    Integers(Int64Array),
    Floats(Float64Array),
}

/// Values of grains that are being gathered.
struct Gathered {
    column: usize,
    how: Propagation,
    integers: Option<Int64Builder>,
    floats: Float64Builder,
}

impl Groups {
    pub(super) fn of(
        graph: &GraphView<'_>,
        attributes: &Attributes,
        tree: &AggregationTree,
        progress: &Progress,
    ) -> io::Result<Self> {
        let (nodes, ends) = nodes(graph);
        let gathered = gather(graph, attributes, &nodes, progress)?;
        let mut values = Vec::with_capacity(gathered.len());
        for mut one in gathered {
            progress.check().map_err(io::Error::other)?;
            let propagated = match one.integers {
                Some(mut builder) => {
                    let integers = tree.propagate_integers(&builder.finish(), one.how);
                    Values::Integers(integers.map_err(io::Error::other)?)
                }
                None => Values::Floats(tree.propagate_floats(&one.floats.finish(), one.how)),
            };
            values.push((one.column, propagated));
        }
        let problematic = attributes
            .columns
            .iter()
            .position(|it| it.name == "problematic");
        let (num_grains, num_members) = count(tree);
        Ok(Self {
            problematic: problematic
                .and_then(|column| values.iter().position(|(at, _)| *at == column)),
            values,
            num_grains,
            num_members,
            nodes,
            ends,
            edges: 0,
        })
    }

    /// Sets the values of a group; grains within and members are the last two.
    pub(super) fn fill(&self, node: u32, cells: &mut [Cell<'_>]) {
        let row = node as usize;
        for (column, values) in &self.values {
            if let Some(slot) = cells.get_mut(*column) {
                *slot = values.cell(row);
            }
        }
        if let [.., grains, members] = cells {
            *grains = Cell::optional(self.num_grains.get(row).copied());
            *members = Cell::optional(self.num_members.get(row).copied());
        }
    }

    /// Whether a grain within has a problem.
    pub(super) fn is_problematic(&self, node: u32) -> bool {
        let values = self.problematic.and_then(|at| self.values.get(at));
        values.is_some_and(|(_, values)| match values.cell(node as usize) {
            Cell::Integer(value) => value != 0,
            Cell::Float(value) => value != 0.0,
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

impl Values {
    fn cell(&self, row: usize) -> Cell<'static> {
        match self {
            Self::Integers(values) => Cell::of(values, row),
            Self::Floats(values) if row < values.len() && values.is_valid(row) => {
                Cell::float(values.value(row))
            }
            Self::Floats(_) => Cell::Absent,
        }
    }
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

/// Values of the columns that groups have, by grain.
fn gather(
    graph: &GraphView<'_>,
    attributes: &Attributes,
    nodes: &[Option<u32>],
    progress: &Progress,
) -> io::Result<Vec<Gathered>> {
    let columns = attributes.columns.iter().zip(&attributes.propagation);
    let mut gathered: Vec<Gathered> = columns
        .enumerate()
        .filter_map(|(column, (it, how))| {
            let is_integer = it.cell_type == CellType::Integer;
            Some(Gathered {
                column,
                how: (*how)?,
                integers: is_integer.then(Int64Builder::new),
                floats: Float64Builder::new(),
            })
        })
        .collect();
    let mut cells = Vec::new();
    for (grain, node) in nodes.iter().enumerate() {
        check(progress, grain, nodes.len())?;
        Attributes::begin(graph, "task", "", *node, &mut cells);
        attributes.fill_grain(graph, grain, &mut cells);
        for one in &mut gathered {
            one.push(cells.get(one.column));
        }
    }
    Ok(gathered)
}

impl Gathered {
    #[expect(
        clippy::cast_precision_loss,
        reason = "an integer among floats is a float to whoever reads it"
    )]
    fn push(&mut self, cell: Option<&Cell<'_>>) {
        match (&mut self.integers, cell) {
            (Some(builder), Some(Cell::Integer(value))) => builder.append_value(*value),
            (Some(builder), _) => builder.append_null(),
            (None, Some(Cell::Float(value))) => self.floats.append_value(*value),
            (None, Some(Cell::Integer(value))) => self.floats.append_value(*value as f64),
            (None, _) => self.floats.append_null(),
        }
    }
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
