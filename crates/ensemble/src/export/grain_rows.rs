//! The grains of a run as one table, names resolved.

use std::io;

use sheaf_grains::grain_graph::{GrainGraph, Paths};
use sheaf_grains::grain_metric::GrainMetric;

use super::metrics::Computed;
use super::rows::{Cell, CellType, Column, Rows};
use super::run::{Source, flag_names, kind_name};

/// A row per grain: what it is, where and when it ran, its place in the graph, what was measured.
pub(super) struct GrainRows<'a> {
    source: &'a Source<'a>,
    earliest_starts: Vec<i64>,
    /// By grain; empty where no path is known to be critical.
    is_critical: Vec<bool>,
    columns: Vec<Column>,
    computed: Vec<Computed>,
    /// Column of the first measure; the others follow.
    first_measure: usize,
}

/// A column that every run has.
struct Fixed {
    /// `_ns` stands for the time unit of the run.
    name: &'static str,
    cell_type: CellType,
    meaning: &'static str,
    value: for<'a> fn(&'a GrainRows<'a>, usize) -> Cell<'a>,
}

const fn integer(
    name: &'static str,
    meaning: &'static str,
    value: for<'a> fn(&'a GrainRows<'a>, usize) -> Cell<'a>,
) -> Fixed {
    Fixed {
        name,
        cell_type: CellType::Integer,
        meaning,
        value,
    }
}

const fn text(
    name: &'static str,
    meaning: &'static str,
    value: for<'a> fn(&'a GrainRows<'a>, usize) -> Cell<'a>,
) -> Fixed {
    Fixed {
        name,
        cell_type: CellType::Text,
        meaning,
        value,
    }
}

static FIXED: [Fixed; 32] = [
    text("run", "Id of the run.", |rows, _| {
        Cell::owned(rows.source.tables.summary.meta.id.to_string())
    }),
    text("run_name", "Name of the run.", |rows, _| {
        Cell::text(&rows.source.tables.summary.meta.name)
    }),
    integer(
        "grain",
        "Row of the grain in this table, from 0.",
        |_, row| Cell::optional(i64::try_from(row).ok()),
    ),
    text(
        "path",
        "Steps from the root, schedule-independent; the last 64 of longer ones.",
        |rows, row| Cell::owned(rows.source.path(row)),
    ),
    integer(
        "path_key",
        "Hash of the path, equal in every run of the program.",
        |rows, row| {
            Cell::optional(
                rows.source
                    .tables
                    .grains
                    .path_key
                    .values()
                    .get(row)
                    .copied(),
            )
        },
    ),
    integer("parent", "Row of the parent.", |rows, row| {
        Cell::optional(rows.source.structure.parent(number(row)))
    }),
    text("parent_path", "Path of the parent.", |rows, row| {
        let parent = rows.source.parent(row);
        parent.map_or(Cell::Absent, |parent| Cell::owned(rows.source.path(parent)))
    }),
    text(
        "definition",
        "The construct that it is an instance of.",
        |rows, row| Cell::text(rows.source.names.definition(rows.source.context(row))),
    ),
    text(
        "source",
        "Place of the construct in the source, `file:line`.",
        |rows, row| Cell::optional_text(rows.source.names.source(rows.source.context(row))),
    ),
    text(
        "context",
        "Definitions on the way from the root, the innermost 12.",
        |rows, row| Cell::owned(rows.source.names.path(rows.source.context(row))),
    ),
    text(
        "kind",
        "Initial task, implicit task, task, chunk or taskloop chunk.",
        |rows, row| Cell::optional_text(rows.source.kind(row).map(kind_name)),
    ),
    text("flags", "Properties, joined by blanks.", |rows, row| {
        let flags = rows.source.tables.grains.flags.values().get(row).copied();
        match flags.map(flag_names) {
            Some(names) if !names.is_empty() => Cell::owned(names),
            _ => Cell::Absent,
        }
    }),
    integer(
        "sequence",
        "Number of the work-sharing construct within the parent, from 0.",
        |rows, row| Cell::of(&rows.source.tables.grains.sequence, row),
    ),
    integer(
        "index",
        "Place among the parent's children of that construct, from 0.",
        |rows, row| Cell::of(&rows.source.tables.grains.index, row),
    ),
    integer("children", "Number of children.", |rows, row| {
        Cell::Integer(rows.source.num_children(row))
    }),
    integer(
        "first_iteration",
        "First iteration of a chunk.",
        |rows, row| Cell::of(&rows.source.tables.grains.first_iteration, row),
    ),
    integer("iterations", "Iterations of a chunk.", |rows, row| {
        Cell::of(&rows.source.tables.grains.iterations, row)
    }),
    integer(
        "fork_join",
        "Number of the sibling set that it is a member of.",
        |rows, row| Cell::optional(rows.source.structure.set_of(number(row))),
    ),
    integer(
        "joined_in",
        "Row of the grain whose wait collects it.",
        |rows, row| Cell::optional(rows.set(row).and_then(|set| set.owner)),
    ),
    integer(
        "joined_by",
        "Place of that wait among those of that grain, from 0.",
        |rows, row| Cell::optional(rows.set(row).map(|set| set.place)),
    ),
    integer(
        "rank",
        "Rank of the worker that finished it.",
        |rows, row| Cell::optional(rows.source.location(row).map(|location| location.rank)),
    ),
    integer(
        "thread",
        "Worker within the rank that finished it.",
        |rows, row| Cell::optional(rows.source.location(row).map(|location| location.thread)),
    ),
    integer(
        "core",
        "Processor on which that worker was first seen.",
        |rows, row| Cell::optional(rows.source.location(row).and_then(|location| location.core)),
    ),
    integer("numa_node", "NUMA node of that processor.", |rows, row| {
        Cell::optional(
            rows.source
                .location(row)
                .and_then(|location| location.numa_node),
        )
    }),
    integer(
        "created_ns",
        "Time of creation, from the run's start.",
        |rows, row| Cell::of(&rows.source.tables.grains.created, row),
    ),
    integer("start_ns", "Begin of the first fragment.", |rows, row| {
        Cell::of(&rows.source.tables.grains.start, row)
    }),
    integer("end_ns", "End of the last fragment.", |rows, row| {
        Cell::of(&rows.source.tables.grains.end, row)
    }),
    integer("work_ns", "Time spent computing.", |rows, row| {
        Cell::of(&rows.source.tables.grains.work, row)
    }),
    integer(
        "creation_ns",
        "Time its parent spent creating it.",
        |rows, row| Cell::of(&rows.source.tables.grains.creation, row),
    ),
    integer(
        "waiting_ns",
        "Time in waits while its worker ran nothing else.",
        |rows, row| Cell::of(&rows.source.tables.grains.waiting, row),
    ),
    integer(
        "earliest_start_ns",
        "Start on unlimited workers: weight of the longest path to it in the reduced graph.",
        |rows, row| Cell::optional(rows.earliest_starts.get(row).copied()),
    ),
    integer(
        "on_critical_path",
        "1 on the critical path of the reduced graph, else 0.",
        |rows, row| Cell::optional(rows.is_critical.get(row).map(|&is| i64::from(is))),
    ),
];

impl<'a> GrainRows<'a> {
    /// # Errors
    /// The work was cancelled.
    pub(super) fn new(source: &'a Source<'a>) -> io::Result<Self> {
        let mut columns: Vec<Column> = FIXED.iter().map(|fixed| fixed.column(source)).collect();
        let is_own = |metric: &GrainMetric| FIXED.iter().any(|fixed| fixed.name == metric.id);
        let computed = Computed::of(source, |metric| !is_own(metric))?;
        columns.extend(computed.iter().map(|computed| Column {
            name: computed.name.clone(),
            cell_type: computed.cell_type,
            meaning: computed.metric.definition.to_owned(),
        }));
        let first_measure = columns.len();
        for measure in source.measures() {
            let named = measure
                .source
                .as_deref()
                .filter(|name| *name != measure.name);
            let named = named.map_or(String::new(), |name| format!(" `{name}`,"));
            columns.push(Column {
                name: free_name(&columns, &measure.name),
                cell_type: measure.cell_type,
                meaning: format!("As the source gives it,{named} in {}.", measure.unit),
            });
        }
        let (earliest_starts, is_critical) = paths(source)?;
        Ok(Self {
            source,
            earliest_starts,
            is_critical,
            columns,
            computed,
            first_measure,
        })
    }

    fn set(&self, row: usize) -> Option<&sheaf_grains::grain_graph::SiblingSet> {
        let set = self.source.structure.set_of(number(row))?;
        self.source.structure.sets().get(set as usize)
    }
}

impl Fixed {
    fn column(&self, source: &Source<'_>) -> Column {
        Column {
            name: source.in_own_unit(self.name),
            cell_type: self.cell_type,
            meaning: self.meaning.to_owned(),
        }
    }
}

impl Rows for GrainRows<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn len(&self) -> usize {
        self.source.num_grains()
    }

    fn fill<'a>(&'a self, row: usize, cells: &mut Vec<Cell<'a>>) {
        cells.clear();
        cells.extend(FIXED.iter().map(|fixed| (fixed.value)(self, row)));
        cells.extend(self.computed.iter().map(|computed| computed.cell(row)));
        cells.resize(self.columns.len(), Cell::Absent);
        self.source.each_measure(row, |measure, cell| {
            if let Some(slot) = cells.get_mut(self.first_measure + measure) {
                *slot = cell;
            }
        });
    }
}

/// A name that no column has yet.
pub(super) fn free_name(columns: &[Column], name: &str) -> String {
    let is_taken = |name: &str| columns.iter().any(|column| column.name == name);
    let mut free = name.to_owned();
    while is_taken(&free) {
        free.push_str("_given");
    }
    free
}

/// Earliest starts, and which grains are on the critical path; nothing where no grain has work.
fn paths(source: &Source<'_>) -> io::Result<(Vec<i64>, Vec<bool>)> {
    use arrow::array::Array as _;
    let work = &source.tables.grains.work;
    if work.null_count() == work.len() {
        return Ok((Vec::new(), Vec::new()));
    }
    let graph = GrainGraph::reduced(source.tables, &source.structure);
    source.check()?;
    let Ok(paths) = Paths::of(&graph) else {
        return Ok((Vec::new(), Vec::new()));
    };
    source.check()?;
    let mut earliest = vec![0; source.num_grains()];
    for node in 0..number(graph.num_nodes()) {
        let is_grain = graph.kind(node) == Some(sheaf_grains::grain_graph::NodeKind::Grain);
        let grain = graph.grain(node).filter(|_| is_grain);
        if let Some(slot) = grain.and_then(|grain| earliest.get_mut(grain as usize)) {
            *slot = paths.earliest_start(node);
        }
    }
    let mut is_critical = vec![false; source.num_grains()];
    for grain in paths.critical_grains(&graph) {
        if let Some(slot) = is_critical.get_mut(grain as usize) {
            *slot = true;
        }
    }
    Ok((earliest, is_critical))
}

/// A row as the graph counts them.
pub(super) fn number(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}
