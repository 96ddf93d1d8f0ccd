//! Attributes of grains in GraphML: named as in the prototype's files, so that readers of these find
//! theirs.
//!
//! Times are in cycles where the clock rate of a run is not known, and end in `_ns` where it is.

use std::io;

use sheaf_grains::aggregation::Propagation;
use sheaf_grains::grain_metric::GrainMetric;
use sheaf_model::table::GrainKind;

use super::grain_rows::free_name;
use super::graph::GraphView;
use super::metrics::{Computed, propagation};
use super::rows::{Cell, CellType, Column};
use super::run::{Source, flag_names, kind_name};
use crate::GraphForm;

/// Attributes of every node, before those of grains.
pub(super) const OF_NODES: [(&str, CellType); 7] = [
    ("name", CellType::Text),
    ("label", CellType::Text),
    ("shape", CellType::Text),
    ("type", CellType::Text),
    ("root_dist", CellType::Integer),
    ("depth", CellType::Integer),
    ("on_crit_path", CellType::Integer),
];

/// An attribute that grains of every run can have.
struct Fixed {
    /// Names in cycles and in nanoseconds.
    names: [&'static str; 2],
    cell_type: CellType,
    /// How values become those of groups.
    propagation: Option<Propagation>,
    value: for<'a> fn(&'a GraphView<'a>, usize) -> Cell<'a>,
}

const fn fixed(
    name: &'static str,
    cell_type: CellType,
    value: for<'a> fn(&'a GraphView<'a>, usize) -> Cell<'a>,
) -> Fixed {
    Fixed {
        names: [name, name],
        cell_type,
        propagation: None,
        value,
    }
}

const fn time(
    cycles: &'static str,
    nanos: &'static str,
    propagation: Propagation,
    value: for<'a> fn(&'a GraphView<'a>, usize) -> Cell<'a>,
) -> Fixed {
    Fixed {
        names: [cycles, nanos],
        cell_type: CellType::Integer,
        propagation: Some(propagation),
        value,
    }
}

static FIXED: [Fixed; 21] = [
    fixed("task", CellType::Integer, |graph, grain| {
        Cell::Integer(graph.task(Some(grain)))
    }),
    fixed("parent", CellType::Integer, |graph, grain| {
        Cell::Integer(graph.task(graph.source.parent(grain)))
    }),
    fixed("joins_at", CellType::Integer, |graph, grain| {
        let structure = &graph.source.structure;
        let set = structure.set_of(super::grain_rows::number(grain));
        let set = set.and_then(|set| structure.sets().get(set as usize));
        Cell::optional(set.map(|set| set.place))
    }),
    fixed("child_number", CellType::Integer, |graph, grain| {
        let index = graph.source.tables.grains.index.values().get(grain);
        Cell::optional(index.map(|index| index.saturating_add(1)))
    }),
    fixed("num_children", CellType::Integer, |graph, grain| {
        Cell::Integer(graph.source.num_children(grain))
    }),
    fixed("path", CellType::Text, |graph, grain| {
        Cell::owned(graph.source.path(grain))
    }),
    fixed("kind", CellType::Text, |graph, grain| {
        Cell::optional_text(graph.source.kind(grain).map(kind_name))
    }),
    fixed("flags", CellType::Text, |graph, grain| {
        let flags = graph.source.tables.grains.flags.values().get(grain);
        match flags.map(|&flags| flag_names(flags)) {
            Some(names) if !names.is_empty() => Cell::owned(names),
            _ => Cell::Absent,
        }
    }),
    fixed("metadata", CellType::Text, metadata),
    fixed("tag", CellType::Text, |graph, grain| {
        let name = graph.source.names.definition(graph.source.context(grain));
        let (tag, _) = tag_and_address(name);
        Cell::optional_text(Some(tag).filter(|tag| !tag.is_empty()))
    }),
    fixed("outline_function", CellType::Integer, |graph, grain| {
        let name = graph.source.names.definition(graph.source.context(grain));
        Cell::optional(tag_and_address(name).1)
    }),
    fixed("source_line", CellType::Text, |graph, grain| {
        let source = graph.source.names.source(graph.source.context(grain));
        let line = source.and_then(|source| source.rsplit_once(':'));
        let has_line = line.is_some_and(|(_, line)| line.parse::<u32>().is_ok());
        match source {
            // As the prototype writes a line that is not known.
            Some(file) if !has_line => Cell::owned(format!("{file}:0")),
            source => Cell::optional_text(source),
        }
    }),
    fixed("context", CellType::Text, |graph, grain| {
        Cell::owned(graph.source.names.path(graph.source.context(grain)))
    }),
    fixed("worker", CellType::Text, |graph, grain| {
        let location = graph.source.location(grain);
        location.map_or(Cell::Absent, |location| {
            Cell::owned(format!("{}.{}", location.rank, location.thread))
        })
    }),
    fixed("cpu_id", CellType::Integer, |graph, grain| {
        let location = graph.source.location(grain);
        Cell::optional(location.and_then(|location| location.core))
    }),
    time(
        "created_cycles",
        "created_ns",
        Propagation::Minimum,
        |graph, grain| Cell::of(&graph.source.tables.grains.created, grain),
    ),
    time(
        "start_cycles",
        "start_ns",
        Propagation::Minimum,
        |graph, grain| Cell::of(&graph.source.tables.grains.start, grain),
    ),
    time(
        "exec_end_instant",
        "end_ns",
        Propagation::Maximum,
        |graph, grain| Cell::of(&graph.source.tables.grains.end, grain),
    ),
    time(
        "work_cycles",
        "work_ns",
        Propagation::Sum,
        |graph, grain| Cell::of(&graph.source.tables.grains.work, grain),
    ),
    time(
        "creation_cycles",
        "creation_ns",
        Propagation::Sum,
        |graph, grain| Cell::of(&graph.source.tables.grains.creation, grain),
    ),
    time(
        "waiting_cycles",
        "waiting_ns",
        Propagation::Sum,
        |graph, grain| Cell::of(&graph.source.tables.grains.waiting, grain),
    ),
];

/// What marks chunks in task-stats tables: `chunk_<first>_<end>`, and `chunk_start` their book-keeping.
fn metadata<'a>(graph: &'a GraphView<'a>, grain: usize) -> Cell<'a> {
    let grains = &graph.source.tables.grains;
    match graph.source.kind(grain) {
        Some(GrainKind::Chunk | GrainKind::TaskloopChunk) => {
            let first = Cell::of(&grains.first_iteration, grain);
            let iterations = Cell::of(&grains.iterations, grain);
            let (Cell::Integer(first), Cell::Integer(iterations)) = (first, iterations) else {
                return Cell::Absent;
            };
            Cell::owned(format!(
                "chunk_{first}_{}",
                first.saturating_add(iterations)
            ))
        }
        _ if graph.source.names.construct(graph.source.context(grain)) == Some("bookkeeping") => {
            Cell::text("chunk_start")
        }
        _ => Cell::Absent,
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

/// The attributes of a graph's nodes, in the order in which they are written.
pub(super) struct Attributes {
    pub(super) columns: Vec<Column>,
    computed: Vec<Computed>,
    /// Place of the execution time among the columns, where nodes have one of their own.
    execution: Option<usize>,
    /// Place of the work, in the reduced form.
    work: Option<usize>,
    /// Column of each measure.
    places: Vec<Option<usize>>,
    /// How the values of each column become those of groups.
    pub(super) propagation: Vec<Option<Propagation>>,
}

impl Attributes {
    /// What nodes of a graph in a form have.
    ///
    /// # Errors
    /// The work was cancelled.
    pub(super) fn new(graph: &GraphView<'_>) -> io::Result<Self> {
        let unit = usize::from(!graph.source.is_in_ticks());
        let mut attributes = Self {
            columns: Vec::new(),
            computed: Vec::new(),
            execution: None,
            work: None,
            places: Vec::new(),
            propagation: Vec::new(),
        };
        for (name, cell_type) in OF_NODES {
            attributes.add(name, cell_type, propagation(name, false));
        }
        for fixed in &FIXED {
            attributes.add(fixed.names[unit], fixed.cell_type, fixed.propagation);
        }
        if graph.form == GraphForm::Unreduced {
            let name = ["exec_cycles", "exec_ns"][unit];
            attributes.execution = Some(attributes.add(name, CellType::Integer, None));
        } else {
            let name = ["work_cycles", "work_ns"][unit];
            attributes.work = attributes.columns.iter().position(|it| it.name == name);
        }
        attributes.add_computed(graph.source)?;
        attributes.add_measures(graph.source);
        Ok(attributes)
    }

    fn add(&mut self, name: &str, cell_type: CellType, how: Option<Propagation>) -> usize {
        self.columns.push(Column {
            name: free_name(&self.columns, name),
            cell_type,
            meaning: String::new(),
        });
        self.propagation.push(how);
        self.columns.len() - 1
    }

    fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
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
        let computed = Computed::of(source, is_wanted)?;
        for computed in &computed {
            let metric = computed.metric;
            let name = name(metric).unwrap_or_default();
            self.add(&name, computed.cell_type, Some(metric.propagation));
        }
        self.computed = computed;
        Ok(())
    }

    /// What the source measured, but for what is computed anew.
    fn add_measures(&mut self, source: &Source<'_>) {
        let own = self.columns.len();
        for measure in source.measures() {
            let name = measure.source.as_ref().unwrap_or(&measure.name);
            let is_own = self.columns.iter().take(own).any(|it| it.name == *name);
            let place = (!is_own).then(|| {
                let how = propagation(name, measure.is_additive);
                self.add(name, measure.cell_type, how)
            });
            self.places.push(place);
        }
    }

    /// Replaces `cells` by those of a node.
    pub(super) fn fill<'a>(
        &self,
        graph: &'a GraphView<'a>,
        node: u32,
        name: &str,
        cells: &mut Vec<Cell<'a>>,
    ) {
        Self::begin(graph, graph.node_type(node), name, Some(node), cells);
        if let Some(grain) = graph.grain(node) {
            self.fill_grain(graph, grain, cells);
            let weight = Cell::Integer(graph.graph.weight(node));
            if let Some(slot) = self.execution.and_then(|at| cells.get_mut(at)) {
                *slot = weight;
            } else if let Some(slot) = self.work.and_then(|at| cells.get_mut(at))
                && *slot != Cell::Absent
            {
                // A node may stand for all the book-keeping that a thread did for a loop.
                *slot = weight;
            }
        }
    }

    /// Replaces `cells` by what every node has.
    pub(super) fn begin<'a>(
        graph: &'a GraphView<'a>,
        node_type: &'static str,
        name: &str,
        node: Option<u32>,
        cells: &mut Vec<Cell<'a>>,
    ) {
        let (label, shape) = match node_type {
            "start" => (Cell::text("S"), "rectangle"),
            "end" => (Cell::text("E"), "rectangle"),
            "fork" => (Cell::text("^"), "circle"),
            "join" => (Cell::text("*"), "circle"),
            _ => (Cell::owned(name.to_owned()), "rectangle"),
        };
        let of_node = |value: fn(&GraphView<'a>, u32) -> Cell<'static>| {
            node.map_or(Cell::Absent, |node| value(graph, node))
        };
        cells.clear();
        cells.extend([
            Cell::owned(name.to_owned()),
            label,
            Cell::text(shape),
            Cell::text(node_type),
            of_node(GraphView::root_distance),
            of_node(GraphView::depth),
            of_node(GraphView::critical),
        ]);
    }

    /// Adds what a grain has.
    pub(super) fn fill_grain<'a>(
        &self,
        graph: &'a GraphView<'a>,
        grain: usize,
        cells: &mut Vec<Cell<'a>>,
    ) {
        cells.extend(FIXED.iter().map(|fixed| (fixed.value)(graph, grain)));
        if self.execution.is_some() {
            cells.push(Cell::Absent);
        }
        cells.extend(self.computed.iter().map(|computed| computed.cell(grain)));
        cells.resize(self.columns.len(), Cell::Absent);
        graph.source.each_measure(grain, |measure, cell| {
            let place = self.places.get(measure).copied().flatten();
            if let Some(slot) = place.and_then(|at| cells.get_mut(at)) {
                *slot = cell;
            }
        });
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
