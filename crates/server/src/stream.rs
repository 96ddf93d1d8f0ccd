//! Tables as Arrow IPC streams for browsers: float64, int32, booleans, dictionaries of text.

mod depth;
mod gate;
mod grain_diff;
mod history;
mod noise;
mod paths;
mod scale;
mod similar;
mod timeline;

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, RecordBatch,
};
use arrow::datatypes::{Field, Int32Type, Schema};
use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use sheaf_api::{Diff, ParamValue, Runs, Stats};

pub(crate) use depth::{grains, groups};
pub(crate) use gate::gate;
pub(crate) use grain_diff::grain_diff;
pub(crate) use history::history;
pub(crate) use noise::noise;
pub(crate) use paths::{loops, paths};
pub(crate) use scale::scale;
pub(crate) use similar::{projection, similar};
pub(crate) use timeline::{parallelism, timeline};

/// The bytes of a stream of one batch.
///
/// # Errors
/// When Arrow cannot write the batch.
pub(crate) fn to_bytes(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema())?;
    writer.write(batch)?;
    writer.finish()?;
    drop(writer);
    Ok(bytes)
}

#[derive(Default)]
struct Columns(Vec<(String, ArrayRef)>);

impl Columns {
    fn text<'a>(&mut self, name: &str, values: impl Iterator<Item = Option<&'a str>>) {
        let array: DictionaryArray<Int32Type> = values.collect();
        self.0.push((name.to_owned(), Arc::new(array)));
    }

    fn number(&mut self, name: &str, values: impl Iterator<Item = Option<f64>>) {
        self.0
            .push((name.to_owned(), Arc::new(values.collect::<Float64Array>())));
    }

    fn count(&mut self, name: &str, values: impl Iterator<Item = u64>) {
        let saturate = |value| i32::try_from(value).unwrap_or(i32::MAX);
        self.0.push((
            name.to_owned(),
            Arc::new(Int32Array::from_iter_values(values.map(saturate))),
        ));
    }

    fn small(&mut self, name: &str, values: impl Iterator<Item = Option<i32>>) {
        self.0
            .push((name.to_owned(), Arc::new(values.collect::<Int32Array>())));
    }

    /// Integers as floats, which hold them exactly up to 2⁵³.
    fn integer(&mut self, name: &str, values: impl Iterator<Item = Option<i64>>) {
        self.number(name, values.map(|value| value.map(|value| value as f64)));
    }

    fn truth(&mut self, name: &str, values: impl Iterator<Item = Option<bool>>) {
        self.0
            .push((name.to_owned(), Arc::new(values.collect::<BooleanArray>())));
    }

    fn param<'a>(&mut self, name: &str, values: impl Iterator<Item = Option<&'a ParamValue>>) {
        let values: Vec<_> = values.collect();
        let is_number = |value| matches!(value, None | Some(&ParamValue::Number(_)));
        if values.iter().copied().all(is_number) {
            self.number(
                name,
                values.iter().map(|value| match value {
                    Some(ParamValue::Number(number)) => Some(*number),
                    _ => None,
                }),
            );
        } else {
            let texts: Vec<_> = values.iter().map(|value| value.map(param_text)).collect();
            self.text(name, texts.iter().map(Option::as_deref));
        }
    }

    fn finish(self) -> Result<RecordBatch, ArrowError> {
        let field =
            |(name, array): &(String, ArrayRef)| Field::new(name, array.data_type().clone(), true);
        let schema = Schema::new(self.0.iter().map(field).collect::<Vec<_>>());
        RecordBatch::try_new(
            Arc::new(schema),
            self.0.into_iter().map(|(_, array)| array).collect(),
        )
    }
}

fn param_text(value: &ParamValue) -> String {
    match value {
        ParamValue::Boolean(value) => value.to_string(),
        ParamValue::Number(value) => value.to_string(),
        ParamValue::Text(value) => value.clone(),
    }
}

/// The run table.
pub(crate) fn runs(answer: &Runs) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.runs;
    let mut columns = Columns(Vec::new());
    columns.text("run", rows.iter().map(|row| Some(row.run.as_str())));
    columns.text("name", rows.iter().map(|row| Some(row.name.as_str())));
    columns.text("program", rows.iter().map(|row| Some(row.program.as_str())));
    columns.number(
        "grains",
        rows.iter()
            .map(|row| row.grains.map(|grains| grains as f64)),
    );
    columns.count("contexts", rows.iter().map(|row| row.contexts));
    columns.number(
        "elapsed_ns",
        rows.iter().map(|row| row.elapsed_ns.map(|ns| ns as f64)),
    );
    columns.number("total", rows.iter().map(|row| row.total));
    let complete: BooleanArray = rows.iter().map(|row| Some(row.is_complete)).collect();
    columns
        .0
        .push(("is_complete".to_owned(), Arc::new(complete)));
    for parameter in &answer.parameters {
        let name = format!("params.{}", parameter.name);
        columns.param(
            &name,
            rows.iter().map(|row| row.params.get(&parameter.name)),
        );
    }
    columns.finish()
}

/// Distributions.
pub(crate) fn stats(answer: &Stats) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.rows;
    let paths: Vec<_> = rows.iter().map(|row| row.path.join(" / ")).collect();
    let mut columns = Columns(Vec::new());
    columns.text("path", paths.iter().map(|path| Some(path.as_str())));
    columns.text("group", rows.iter().map(|row| Some(row.group.as_str())));
    let mut names: Vec<&String> = rows.iter().flat_map(|row| row.cohort.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        columns.param(
            &format!("cohort.{name}"),
            rows.iter().map(|row| row.cohort.get(name)),
        );
    }
    columns.text("metric", rows.iter().map(|row| Some(row.metric.as_str())));
    columns.text(
        "source_metric",
        rows.iter().map(|row| row.source_metric.as_deref()),
    );
    columns.text("scope", rows.iter().map(|row| Some(row.scope.as_str())));
    columns.text("unit", rows.iter().map(|row| Some(row.unit.as_str())));
    columns.count("runs", rows.iter().map(|row| row.runs));
    columns.count("absent", rows.iter().map(|row| row.absent));
    columns.count("not_measured", rows.iter().map(|row| row.not_measured));
    columns.number("count", rows.iter().map(|row| Some(row.count as f64)));
    columns.number("mean", rows.iter().map(|row| row.mean));
    columns.number("median", rows.iter().map(|row| row.median));
    columns.number("std", rows.iter().map(|row| row.std));
    columns.number("min", rows.iter().map(|row| row.min));
    columns.number("max", rows.iter().map(|row| row.max));
    columns.number("q1", rows.iter().map(|row| row.q1));
    columns.number("q3", rows.iter().map(|row| row.q3));
    columns.number("p05", rows.iter().map(|row| row.p05));
    columns.number("p95", rows.iter().map(|row| row.p95));
    columns.number("mad", rows.iter().map(|row| row.mad));
    let ends = |end: usize| rows.iter().map(move |row| row.median_ci.map(|ci| ci[end]));
    columns.number("median_ci_low", ends(0));
    columns.number("median_ci_high", ends(1));
    columns.number(
        "outliers",
        rows.iter()
            .map(|row| Some(row.box_plot.as_ref()?.outlier_count as f64)),
    );
    let modes = || rows.iter().map(|row| row.modes.as_ref());
    columns.number("low_mode", modes().map(|it| Some(it?.low.median)));
    columns.number("high_mode", modes().map(|it| Some(it?.high.median)));
    columns.number("load_balance", rows.iter().map(|row| row.load_balance));
    columns.number("share", rows.iter().map(|row| row.share));
    columns.finish()
}

/// Rows of a difference.
pub(crate) fn diff(answer: &Diff) -> Result<RecordBatch, ArrowError> {
    let rows = &answer.rows;
    let paths: Vec<_> = rows.iter().map(|row| row.path.join(" / ")).collect();
    let verdicts: Vec<_> = rows
        .iter()
        .map(|row| serde_json::to_value(row.verdict).unwrap_or_default())
        .collect();
    let mut columns = Columns(Vec::new());
    columns.text("path", paths.iter().map(|path| Some(path.as_str())));
    columns.text("group", rows.iter().map(|row| Some(row.group.as_str())));
    columns.text("metric", rows.iter().map(|row| Some(row.metric.as_str())));
    columns.number("a", rows.iter().map(|row| row.a));
    columns.number("b", rows.iter().map(|row| row.b));
    columns.number("delta", rows.iter().map(sheaf_api::DiffRow::known_delta));
    columns.number("impact", rows.iter().map(|row| row.impact));
    columns.number("ratio", rows.iter().map(|row| row.ratio));
    columns.number("ci_low", rows.iter().map(|row| row.ci.map(|ci| ci[0])));
    columns.number("ci_high", rows.iter().map(|row| row.ci.map(|ci| ci[1])));
    columns.number("shift", rows.iter().map(|row| row.shift));
    let ends = |end: usize| rows.iter().map(move |row| row.shift_ci.map(|ci| ci[end]));
    columns.number("shift_ci_low", ends(0));
    columns.number("shift_ci_high", ends(1));
    columns.number("p", rows.iter().map(|row| row.p));
    columns.number("q", rows.iter().map(|row| row.q));
    columns.number("cliffs_delta", rows.iter().map(|row| row.cliffs_delta));
    columns.text("compared_by", rows.iter().map(crate::csv::compared_by));
    columns.text("verdict", verdicts.iter().map(serde_json::Value::as_str));
    columns.text(
        "matched_by",
        rows.iter().map(|row| row.matched_by.as_deref()),
    );
    columns.count("runs_a", rows.iter().map(|row| row.runs_a));
    columns.count("runs_b", rows.iter().map(|row| row.runs_b));
    columns.count("n_a", rows.iter().map(|row| row.n_a));
    columns.count("n_b", rows.iter().map(|row| row.n_b));
    let joined = |path: &Option<Vec<String>>| path.as_ref().map(|path| path.join(" / "));
    let before: Vec<_> = rows.iter().map(|row| joined(&row.path_a)).collect();
    let after: Vec<_> = rows.iter().map(|row| joined(&row.path_b)).collect();
    columns.text("path_a", before.iter().map(Option::as_deref));
    columns.text("path_b", after.iter().map(Option::as_deref));
    columns.small("line_a", rows.iter().map(|row| row.line_a));
    columns.small("line_b", rows.iter().map(|row| row.line_b));
    let kinds: Vec<_> = rows
        .iter()
        .map(|row| crate::csv::kinds(&row.structure))
        .collect();
    let kinds = kinds
        .iter()
        .map(|kinds| Some(kinds.as_str()).filter(|kinds| !kinds.is_empty()));
    columns.text("structure", kinds);
    columns.finish()
}
