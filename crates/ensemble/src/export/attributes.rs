//! Attributes of grains in GraphML: named as in the prototype's files, so that readers of these find
//! theirs.
//!
//! Times are in cycles where the clock rate of a run is not known, and end in `_ns` where it is.

use std::borrow::Cow;
use std::io;

use sheaf_answers::{NumberedRows, Table, Values, columns};
use sheaf_grains::aggregation::Propagation;
use sheaf_grains::grain_metric::GrainMetric;
use sheaf_model::table::GrainKind;

use super::grain_rows::{free_name, number};
use super::graph::GraphView;
use super::metrics::{Computed, propagation};
use super::run::{NODE_NUMBERS, Source, kind_name};
use crate::GraphForm;

/// Names and types of the attributes of every node, before those of grains.
pub(super) const OF_NODES: [(&str, &str); 7] = [
    ("name", "string"),
    ("label", "string"),
    ("shape", "string"),
    ("type", "string"),
    (NODE_NUMBERS[0], "long"),
    (NODE_NUMBERS[1], "long"),
    (NODE_NUMBERS[2], "long"),
];

/// Attributes of every node.
pub(super) struct NodeAttributes<'a> {
    /// Name, label, shape and type.
    pub(super) texts: [&'a str; 4],
    /// Distance from the root, depth, and 1 on the critical path.
    pub(super) numbers: [Option<i64>; 3],
}

impl<'a> NodeAttributes<'a> {
    /// Those of a node that is drawn; `node` is the one of the graph that it stands for.
    pub(super) fn new(
        graph: &GraphView<'_>,
        node_type: &'a str,
        name: &'a str,
        node: Option<u32>,
    ) -> Self {
        let (label, shape) = match node_type {
            "start" => ("S", "rectangle"),
            "end" => ("E", "rectangle"),
            "fork" => ("^", "circle"),
            "join" => ("*", "circle"),
            _ => (name, "rectangle"),
        };
        let numbers = [
            GraphView::root_distance,
            GraphView::depth,
            GraphView::critical,
        ];
        let attributes = Self {
            texts: [name, label, shape, node_type],
            numbers: numbers.map(|number| number(graph, node?)),
        };
        attributes.without_stated(graph.source)
    }
}

impl NodeAttributes<'_> {
    /// Leaves out what the source states of grains itself: its values stand, and no others are mixed with them.
    pub(super) fn without_stated(mut self, source: &Source<'_>) -> Self {
        for (number, is_stated) in self.numbers.iter_mut().zip(source.stated) {
            if is_stated {
                *number = None;
            }
        }
        self
    }
}

/// A grain of a graph.
type GrainOf<'a> = (&'a GraphView<'a>, usize);

columns! {
    fn grain_attributes<'a>(row: GrainOf<'a>) {
        Integer task: "Number of the task" = Some(row.0.task(Some(row.1)));
        Integer parent: "Number of the parent" = Some(row.0.task(row.0.source.parent(row.1)));
        Integer joins_at: "Place of the wait that collects it" = joins_at(*row);
        Integer child_number: "Place among the parent's children, from 1"
            = row.0.source.tables.grains.index.get(row.1).map(|index| index.saturating_add(1));
        Integer num_children: "Number of children" = Some(row.0.source.num_children(row.1));
        Text path: "Steps from the root" = Some(row.0.source.path(row.1).into());
        Text kind: "Kind of grain" = row.0.source.kind(row.1).map(|kind| kind_name(kind).into());
        Text flags: "Properties" = row.0.source.flags(row.1).map(Into::into);
        Text metadata: "Iterations of a chunk" = metadata(*row);
        Text tag: "Name of the definition" = Some(tag_and_address(definition(*row)).0).filter(|tag| !tag.is_empty()).map(Into::into);
        Integer outline_function: "Code address of the definition" = tag_and_address(definition(*row)).1;
        Text source_line: "Place in the source" = source_line(*row);
        Text context: "Definitions from the root" = Some(row.0.source.names.path(row.0.source.context(row.1)).into());
        Text worker: "Rank and thread" = row.0.source.location(row.1).map(|it| format!("{}.{}", it.rank, it.thread).into());
        Integer cpu_id: "Processor" = Some(row.0.source.location(row.1)?.core?.into());
        Integer created_ns: "Time of creation" = row.0.source.tables.grains.created.get(row.1);
        Integer start_ns: "Begin of the first fragment" = row.0.source.tables.grains.start.get(row.1);
        Integer end_ns: "End of the last fragment" = row.0.source.tables.grains.end.get(row.1);
        Integer work_ns: "Time spent computing" = row.0.source.tables.grains.work.get(row.1);
        Integer creation_ns: "Time of its creation" = row.0.source.tables.grains.creation.get(row.1);
        Integer waiting_ns: "Time in waits" = row.0.source.tables.grains.waiting.get(row.1);
    }
}

/// Columns with times: their names in cycles, and how values become those of groups.
const TIMES: [(&str, &str, Propagation); 6] = [
    ("created_ns", "created_cycles", Propagation::Minimum),
    ("start_ns", "start_cycles", Propagation::Minimum),
    ("end_ns", "exec_end_instant", Propagation::Maximum),
    ("work_ns", "work_cycles", Propagation::Sum),
    ("creation_ns", "creation_cycles", Propagation::Sum),
    ("waiting_ns", "waiting_cycles", Propagation::Sum),
];

fn definition((graph, grain): GrainOf<'_>) -> &str {
    graph.source.names.definition(graph.source.context(grain))
}

fn joins_at((graph, grain): GrainOf<'_>) -> Option<i64> {
    let structure = &graph.source.structure;
    let set = structure.set_of(number(grain))?;
    Some(structure.sets().get(set as usize)?.place.into())
}

fn source_line((graph, grain): GrainOf<'_>) -> Option<Cow<'_, str>> {
    let source = graph.source.names.source(graph.source.context(grain))?;
    let line = source.rsplit_once(':');
    let has_line = line.is_some_and(|(_, line)| line.parse::<u32>().is_ok());
    Some(if has_line {
        source.into()
    } else {
        // As the prototype writes a line that is not known.
        format!("{source}:0").into()
    })
}

/// What marks chunks in task-stats tables: `chunk_<first>_<end>`, and `chunk_start` their book-keeping.
fn metadata((graph, grain): GrainOf<'_>) -> Option<Cow<'static, str>> {
    let grains = &graph.source.tables.grains;
    match graph.source.kind(grain) {
        Some(GrainKind::Chunk | GrainKind::TaskloopChunk) => {
            let first = grains.first_iteration.get(grain)?;
            let end = first.saturating_add(grains.iterations.get(grain)?);
            Some(format!("chunk_{first}_{end}").into())
        }
        _ if graph.source.names.construct(graph.source.context(grain)) == Some("bookkeeping") => {
            Some("chunk_start".into())
        }
        _ => None,
    }
}

/// The name of a definition, and the code address that ends it where its source has no better name.
fn tag_and_address(name: &str) -> (&str, Option<i64>) {
    let (tag, last) = name.rsplit_once(' ').unwrap_or(("", name));
    let digits = last.strip_prefix("0x");
    match digits.map(|digits| i64::from_str_radix(digits, 16)) {
        Some(Ok(address)) => (tag, Some(address)),
        _ => (name, None),
    }
}

/// The attributes of the grains of a graph, in the order in which they are written.
pub(super) struct Attributes<'a> {
    /// A row per grain.
    pub(super) table: Table<'a>,
    /// Column of what nodes have of their own: the execution time, or in the reduced form the work, which a node has
    /// if its grain has it.
    weight: Option<usize>,
    is_reduced: bool,
    source: &'a Source<'a>,
    /// How the values of each column become those of groups.
    pub(super) propagation: Vec<Option<Propagation>>,
}

impl<'a> Attributes<'a> {
    /// Attributes of the grains of a graph, by form of the graph.
    ///
    /// # Errors
    /// The work was cancelled.
    pub(super) fn new(graph: &'a GraphView<'a>) -> io::Result<Self> {
        let source = graph.source;
        let rows = NumberedRows {
            source: graph,
            len: source.num_grains(),
        };
        let mut table = Table::new(rows, grain_attributes());
        let mut how = Vec::new();
        for column in table.columns_mut() {
            let time = TIMES.iter().find(|(name, ..)| *name == column.name);
            how.push(time.map(|(_, _, propagation)| *propagation));
            if let Some((_, in_cycles, _)) = time.filter(|_| source.is_in_ticks()) {
                column.name = (*in_cycles).into();
            }
        }
        let is_reduced = graph.form == GraphForm::Reduced;
        let stem = if is_reduced { "work" } else { "exec" };
        let unit = if source.is_in_ticks() { "cycles" } else { "ns" };
        let name = format!("{stem}_{unit}");
        let mut attributes = Self {
            table,
            weight: None,
            is_reduced,
            source,
            propagation: how,
        };
        if !is_reduced {
            attributes.add(&name, Values::Integer(Box::new(|_| None)), None);
        }
        let mut columns = attributes.table.columns().iter();
        attributes.weight = columns.position(|column| column.name == name);
        attributes.add_computed(source)?;
        attributes.add_measures(source);
        Ok(attributes)
    }

    fn add(&mut self, name: &str, values: Values<'a>, how: Option<Propagation>) {
        let mut name = free_name(&self.table, name);
        while self.is_of_nodes(&name) {
            name = free_name(&self.table, &(name + "_given"));
        }
        self.table.add_values(name, "", values);
        self.propagation.push(how);
    }

    fn has(&self, name: &str) -> bool {
        let columns = self.table.columns().iter();
        let mut names = columns.map(|column| &*column.name);
        names.any(|own| own == name) || self.is_of_nodes(name)
    }

    /// Whether nodes have an attribute of this name, which the source does not state.
    fn is_of_nodes(&self, name: &str) -> bool {
        OF_NODES.iter().any(|(own, _)| *own == name) && !self.states(name)
    }

    /// Whether the source states an attribute of nodes of its grains.
    pub(super) fn states(&self, name: &str) -> bool {
        self.source.states(name)
    }

    /// The metrics of the prototype that the source does not give itself.
    fn add_computed(&mut self, source: &Source<'_>) -> io::Result<()> {
        let name = |metric: &GrainMetric| -> Option<String> {
            let given = metric.given_as.first()?;
            let is_time = metric.id.ends_with("_ns") && !source.is_in_ticks();
            Some(if is_time { metric.id } else { given }.to_owned())
        };
        let is_given = |metric: &GrainMetric| {
            let measures = source.measures().iter();
            let mut names = measures.filter_map(|measure| measure.source.as_deref());
            names.any(|name| metric.given_as.contains(&name))
        };
        let is_wanted = |metric: &GrainMetric| {
            name(metric).is_some_and(|name| !self.has(&name)) && !is_given(metric)
        };
        for computed in Computed::of(source, is_wanted)? {
            let metric = computed.metric;
            let name = name(metric).unwrap_or_default();
            self.add(&name, computed.into_values(), Some(metric.propagation));
        }
        Ok(())
    }

    /// What the source measured, but for what is computed anew.
    fn add_measures(&mut self, source: &'a Source<'a>) {
        let mut added = Vec::new();
        for measure in source.measures() {
            let name = measure.given_name();
            if !self.has(name) {
                added.push((name, measure));
            }
        }
        for (name, measure) in added {
            let how = propagation(name, measure.is_additive);
            self.add(name, source.measured(measure), how);
        }
    }

    /// Whether a column has the weight of the node instead of the value of its grain.
    pub(super) fn is_weight(&self, column: usize, has_value: bool) -> bool {
        // A node may stand for all the book-keeping that a thread did for a loop.
        self.weight == Some(column) && (has_value || !self.is_reduced)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_names() {
        let names = [
            "fib (task)",
            "GOMP_parallel_task 0x401a",
            "0x10",
            "0xzz",
            "",
        ];
        let expected = [
            ("fib (task)", None),
            ("GOMP_parallel_task", Some(0x401a)),
            ("", Some(16)),
            ("0xzz", None),
            ("", None),
        ];
        assert_eq!(names.map(tag_and_address), expected);
    }
}
