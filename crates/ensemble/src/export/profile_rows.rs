//! The values of a call profile as one table, names resolved.

use arrow::array::Array;
use sheaf_answers::{NumberedRows, Table, columns};
use sheaf_grains::grain_metric::integer_at;
use sheaf_model::RunTables;
use sheaf_model::table::{LocationRow, MetricRow};

use super::names::Names;
use super::run::finite;

/// Definitions of a path that are shown, the innermost ones.
const PATH_LEN: usize = 256;

/// Tables that the rows of values refer to.
pub(super) struct ProfileRows<'a> {
    tables: &'a RunTables,
    names: Names,
    metrics: Vec<MetricRow>,
    locations: Vec<LocationRow>,
    kinds: Vec<String>,
    modules: Vec<Option<String>>,
}

/// A row of the table of values.
type ProfileRow<'a> = (&'a ProfileRows<'a>, usize);

columns! {
    pub(super) fn profile_columns<'a>(row: ProfileRow<'a>) {
        Text run: "Id of the run." = Some(row.0.tables.summary.meta.id.to_string().into());
        Text run_name: "Name of the run." = Some(row.0.tables.summary.meta.name.as_str().into());
        Integer context: "Row of the context in the run's context tree, in pre-order." = Some(context(*row).into());
        Integer parent: "Row of the parent context." = row.0.parent(context(*row)).map(Into::into);
        Text path: "Definitions from the root, joined by ` / `; the innermost 256."
            = Some(row.0.names.last_of_path(context(*row), PATH_LEN, usize::MAX).into());
        Text definition: "The last of them." = Some(row.0.names.definition(context(*row)).into());
        Text kind: "What it is: function, loop, …."
            = get(&row.0.kinds, row.0.definition(context(*row))).map(|kind| kind.as_str().into());
        Text source: "Its place in the source, `file:line`." = row.0.names.source(context(*row)).map(Into::into);
        Text module: "Library or executable that holds its code."
            = Some(get(&row.0.modules, row.0.definition(context(*row)))?.as_deref()?.into());
        Integer rank: "Rank of the process." = Some(location(*row)?.rank.into());
        Integer thread: "Worker within the rank." = Some(location(*row)?.thread.into());
        Text metric: "What was measured." = Some(metric(*row)?.name.as_str().into());
        Text source_metric: "The name that the source used." = Some(metric(*row)?.source.as_deref()?.into());
        Text unit: "Unit of the value." = Some(metric(*row)?.unit.as_str().into());
        Text metric_kind: "How values combine: additive, inclusive or intensive." = Some(metric(*row)?.kind.as_str().into());
        Integer count: "Samples or calls measured." = integer_at(&row.0.tables.summary.values.count, row.1);
        Integer value: "Exact value of an integer metric, over the context's own samples."
            = integer_at(&row.0.tables.summary.values.sum, row.1);
        Number value_float: "Value of a float metric." = value_float(*row);
    }
}

impl<'a> ProfileRows<'a> {
    pub(super) fn new(tables: &'a RunTables) -> Self {
        let summary = &tables.summary;
        let (kinds, modules) = summary
            .definitions
            .rows()
            .map(|row| (row.kind, row.module))
            .unzip();
        Self {
            tables,
            names: Names::new(summary),
            metrics: summary.metrics.rows().collect(),
            locations: summary.locations.rows().collect(),
            kinds,
            modules,
        }
    }

    pub(super) fn table(&'a self) -> Table<'a> {
        let len = self.tables.summary.values.len();
        Table::new(NumberedRows { source: self, len }, profile_columns())
    }

    fn parent(&self, context: i32) -> Option<i32> {
        let parent = &self.tables.summary.contexts.parent;
        let at = usize::try_from(context).ok()?;
        (at < parent.len() && parent.is_valid(at)).then(|| parent.value(at))
    }

    fn definition(&self, context: i32) -> i32 {
        let definitions = self.tables.summary.contexts.definition.values();
        get(definitions, context).copied().unwrap_or(-1)
    }
}

fn context((profile, row): ProfileRow<'_>) -> i32 {
    profile.tables.summary.values.context.value(row)
}

fn location((profile, row): ProfileRow<'_>) -> Option<&LocationRow> {
    let location = profile.tables.summary.values.location.value(row);
    get(&profile.locations, location)
}

fn metric((profile, row): ProfileRow<'_>) -> Option<&MetricRow> {
    get(
        &profile.metrics,
        profile.tables.summary.values.metric.value(row),
    )
}

fn value_float((profile, row): ProfileRow<'_>) -> Option<f64> {
    let values = &profile.tables.summary.values.sum_float;
    finite(values.is_valid(row).then(|| values.value(row)))
}

fn get<T>(rows: &[T], row: i32) -> Option<&T> {
    rows.get(usize::try_from(row).ok()?)
}
