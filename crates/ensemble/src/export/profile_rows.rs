//! The values of a call profile as one table, names resolved.

use arrow::array::Array;
use sheaf_model::RunTables;
use sheaf_model::table::{LocationRow, MetricRow};

use super::names::Names;
use super::rows::{Cell, CellType, Column, Rows};

/// Definitions of a path that are shown, the innermost ones.
const PATH_LEN: usize = 256;

/// A row per value: context, metric, location.
pub(super) struct ProfileRows<'a> {
    tables: &'a RunTables,
    names: Names,
    metrics: Vec<MetricRow>,
    locations: Vec<LocationRow>,
    kinds: Vec<String>,
    modules: Vec<Option<String>>,
    columns: Vec<Column>,
}

/// Name, type and meaning of each column.
const COLUMNS: [(&str, CellType, &str); 18] = [
    ("run", CellType::Text, "Id of the run."),
    ("run_name", CellType::Text, "Name of the run."),
    (
        "context",
        CellType::Integer,
        "Row of the context in the run's context tree, in pre-order.",
    ),
    ("parent", CellType::Integer, "Row of the parent context."),
    (
        "path",
        CellType::Text,
        "Definitions from the root, joined by ` / `; the innermost 256.",
    ),
    ("definition", CellType::Text, "The last of them."),
    ("kind", CellType::Text, "What it is: function, loop, …."),
    (
        "source",
        CellType::Text,
        "Its place in the source, `file:line`.",
    ),
    (
        "module",
        CellType::Text,
        "Library or executable that holds its code.",
    ),
    ("rank", CellType::Integer, "Rank of the process."),
    ("thread", CellType::Integer, "Worker within the rank."),
    ("metric", CellType::Text, "What was measured."),
    (
        "source_metric",
        CellType::Text,
        "The name that the source used.",
    ),
    ("unit", CellType::Text, "Unit of the value."),
    (
        "metric_kind",
        CellType::Text,
        "How values combine: additive, inclusive or intensive.",
    ),
    ("count", CellType::Integer, "Samples or calls measured."),
    (
        "value",
        CellType::Integer,
        "Exact value of an integer metric, over the context's own samples.",
    ),
    ("value_float", CellType::Float, "Value of a float metric."),
];

impl<'a> ProfileRows<'a> {
    pub(super) fn new(tables: &'a RunTables) -> Self {
        let summary = &tables.summary;
        let (kinds, modules) = summary
            .definitions
            .rows()
            .map(|row| (row.kind, row.module))
            .unzip();
        let columns = COLUMNS
            .iter()
            .map(|&(name, cell_type, meaning)| Column {
                name: name.to_owned(),
                cell_type,
                meaning: meaning.to_owned(),
            })
            .collect();
        Self {
            tables,
            names: Names::new(summary),
            metrics: summary.metrics.rows().collect(),
            locations: summary.locations.rows().collect(),
            kinds,
            modules,
            columns,
        }
    }
}

fn get<T>(rows: &[T], row: i32) -> Option<&T> {
    rows.get(usize::try_from(row).ok()?)
}

impl Rows for ProfileRows<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn len(&self) -> usize {
        self.tables.summary.values.len()
    }

    fn fill<'a>(&'a self, row: usize, cells: &mut Vec<Cell<'a>>) {
        let summary = &self.tables.summary;
        let values = &summary.values;
        let context = values.context.value(row);
        let at = usize::try_from(context).unwrap_or(usize::MAX);
        let definition = summary.contexts.definition.values().get(at).copied();
        let definition = definition.unwrap_or(-1);
        let parent = &summary.contexts.parent;
        let parent = (at < parent.len() && parent.is_valid(at)).then(|| parent.value(at));
        let metric = get(&self.metrics, values.metric.value(row));
        let location = get(&self.locations, values.location.value(row));
        let of_metric =
            |text: fn(&MetricRow) -> Option<&str>| Cell::optional_text(metric.and_then(text));
        let sum_float = &values.sum_float;
        cells.clear();
        cells.extend([
            Cell::owned(summary.meta.id.to_string()),
            Cell::text(&summary.meta.name),
            Cell::Integer(context.into()),
            Cell::optional(parent),
            Cell::owned(self.names.last_of_path(context, PATH_LEN, usize::MAX)),
            Cell::text(self.names.definition(context)),
            Cell::optional_text(get(&self.kinds, definition).map(String::as_str)),
            Cell::optional_text(self.names.source(context)),
            Cell::optional_text(get(&self.modules, definition).and_then(Option::as_deref)),
            Cell::optional(location.map(|location| location.rank)),
            Cell::optional(location.map(|location| location.thread)),
            of_metric(|metric| Some(&metric.name)),
            of_metric(|metric| metric.source.as_deref()),
            of_metric(|metric| Some(&metric.unit)),
            of_metric(|metric| Some(&metric.kind)),
            Cell::Integer(values.count.value(row)),
            Cell::of(&values.sum, row),
            if sum_float.is_valid(row) {
                Cell::float(sum_float.value(row))
            } else {
                Cell::Absent
            },
        ]);
    }
}
