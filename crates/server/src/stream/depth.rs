//! Tables of one run in depth as Arrow IPC streams.

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use sheaf_api::{GrainMetric, Grains, Groups, MetricValue};

use super::Columns;

/// Grains; a column per metric.
pub(crate) fn grains(answer: &Grains) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.rows;
    let paths: Vec<_> = rows.iter().map(|row| row.path.join(" / ")).collect();
    let mut columns = Columns::default();
    columns.text("path", paths.iter().map(|path| Some(path.as_str())));
    columns.text(
        "definition",
        rows.iter().map(|row| Some(row.definition.as_str())),
    );
    columns.count("grain", rows.iter().map(|row| row.grain.into()));
    columns.text(
        "path_key",
        rows.iter().map(|row| Some(row.path_key.as_str())),
    );
    columns.text("kind", rows.iter().map(|row| Some(row.kind.as_str())));
    columns.small("parent", rows.iter().map(|row| row.parent));
    columns.small("rank", rows.iter().map(|row| row.rank));
    columns.small("thread", rows.iter().map(|row| row.thread));
    columns.integer("created", rows.iter().map(|row| row.created));
    columns.integer("start", rows.iter().map(|row| row.start));
    columns.integer("end", rows.iter().map(|row| row.end));
    columns.integer(
        "first_iteration",
        rows.iter().map(|row| row.first_iteration),
    );
    columns.integer("iterations", rows.iter().map(|row| row.iterations));
    metrics(&mut columns, &answer.metrics, || {
        rows.iter().map(|row| &row.metrics)
    });
    columns.finish()
}

/// Groups; a column per metric.
pub(crate) fn groups(answer: &Groups) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.rows;
    let mut columns = Columns::default();
    columns.count("group", rows.iter().map(|row| row.group.into()));
    columns.number("parent", rows.iter().map(|row| row.parent.map(f64::from)));
    columns.count("depth", rows.iter().map(|row| row.depth.into()));
    columns.text("kind", rows.iter().map(|row| Some(row.kind.as_str())));
    columns.text(
        "definition",
        rows.iter().map(|row| row.definition.as_deref()),
    );
    columns.number("grain", rows.iter().map(|row| row.grain.map(f64::from)));
    columns.text("path_key", rows.iter().map(|row| row.path_key.as_deref()));
    columns.count("grains", rows.iter().map(|row| row.grains.into()));
    columns.count("children", rows.iter().map(|row| row.children.into()));
    columns.count("nodes", rows.iter().map(|row| row.nodes.into()));
    columns.truth("has_problem", rows.iter().map(|row| row.has_problem));
    columns.truth("is_critical", rows.iter().map(|row| Some(row.is_critical)));
    columns.truth(
        "is_restructured",
        rows.iter().map(|row| Some(row.is_restructured)),
    );
    columns.text("structure", rows.iter().map(|row| row.structure.as_deref()));
    metrics(&mut columns, &answer.metrics, || {
        rows.iter().map(|row| &row.metrics)
    });
    columns.finish()
}

fn metrics<'a, I: Iterator<Item = &'a BTreeMap<String, MetricValue>>>(
    columns: &mut Columns,
    metrics: &[GrainMetric],
    rows: impl Fn() -> I,
) {
    for metric in metrics {
        let value = |row: &BTreeMap<String, MetricValue>| match row.get(&metric.name)? {
            MetricValue::Integer(value) => Some(*value as f64),
            MetricValue::Float(value) => Some(*value),
        };
        columns.number(&metric.name, rows().map(value));
    }
}
