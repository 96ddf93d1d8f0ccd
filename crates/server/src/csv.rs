//! Tables as comma-separated values: a header line, `.` as decimal point, absent values empty.
//!
//! Numbers are printed so that they read back exactly. Text that a spreadsheet would take for a
//! formula gets a leading apostrophe, because names come from traces.

mod depth;
mod gate;
mod grain_diff;
mod history;
mod noise;
mod paths;
mod scale;
mod similar;
mod timeline;

use std::collections::BTreeMap;
use std::io::{self, Write};

use sheaf_api::{Diff, DiffRow, ParamValue, Runs, Stats};
use sheaf_ensemble::csv_text;
use sheaf_model::visible;

use crate::StatsTable;

pub use depth::{grains, groups, problems};
pub use gate::gate;
pub(crate) use gate::lines as gate_lines;
pub use grain_diff::grain_diff;
pub use history::history;
pub(crate) use history::{HistoryLine, history_lines};
pub use noise::noise;
pub use paths::{loops, paths, scheduling};
pub use scale::scale;
pub use similar::{projection, similar};
pub use timeline::{parallelism, timeline};

/// The run table; parameters become columns `params.NAME`.
pub fn runs(answer: &Runs) -> String {
    let parameters: Vec<&str> = answer.parameters.iter().map(|p| p.name.as_str()).collect();
    let fixed = [
        "run",
        "name",
        "program",
        "format",
        "ranks",
        "workers",
        "grains",
        "contexts",
        "elapsed_ns",
        "reference_elapsed_ns",
        "is_complete",
        "total",
    ];
    let mut header: Vec<String> = fixed.iter().map(ToString::to_string).collect();
    header.extend(parameters.iter().map(|name| format!("params.{name}")));
    let rows = answer.runs.iter().map(|run| {
        let mut row = vec![
            run.run.clone(),
            text(&run.name),
            text(&run.program),
            text(&run.format),
            run.ranks.to_string(),
            option(run.workers.as_ref()),
            option(run.grains.as_ref()),
            run.contexts.to_string(),
            option(run.elapsed_ns.as_ref()),
            option(run.reference_elapsed_ns.as_ref()),
            run.is_complete.to_string(),
            option(run.total.as_ref()),
        ];
        row.extend(parameters.iter().map(|name| param(run.params.get(*name))));
        row
    });
    write(&header, rows)
}

/// Distributions; cohort parameters become columns `cohort.NAME`; paths are joined by ` / `.
pub fn stats(answer: &Stats) -> String {
    stats_rows(answer, &names(answer.rows.iter().map(|row| &row.cohort)))
}

/// The same with the columns of given parameters of cohorts.
fn stats_rows(answer: &Stats, cohort: &[&str]) -> String {
    let mut header: Vec<String> = vec!["path".into(), "group".into()];
    header.extend(cohort.iter().map(|name| format!("cohort.{name}")));
    let fixed = [
        "metric",
        "source_metric",
        "scope",
        "unit",
        "runs",
        "absent",
        "not_measured",
        "count",
        "mean",
        "median",
        "std",
        "min",
        "max",
        "q1",
        "q3",
        "p05",
        "p95",
        "mad",
        "median_ci_low",
        "median_ci_high",
        "outliers",
        "low_mode",
        "high_mode",
        "load_balance",
        "share",
    ];
    header.extend(fixed.iter().map(ToString::to_string));
    let rows = answer.rows.iter().map(|row| {
        let mut cells = vec![text(&row.path.join(" / ")), row.group.clone()];
        cells.extend(cohort.iter().map(|name| param(row.cohort.get(*name))));
        cells.extend([
            text(&row.metric),
            row.source_metric.as_deref().map(text).unwrap_or_default(),
            row.scope.clone(),
            row.unit.clone(),
            row.runs.to_string(),
            row.absent.to_string(),
            row.not_measured.to_string(),
            row.count.to_string(),
        ]);
        let numbers = [
            row.mean,
            row.median,
            row.std,
            row.min,
            row.max,
            row.q1,
            row.q3,
            row.p05,
            row.p95,
            row.mad,
            row.median_ci.map(|ends| ends[0]),
            row.median_ci.map(|ends| ends[1]),
            row.box_plot.as_ref().map(|plot| plot.outlier_count as f64),
            row.modes.as_ref().map(|modes| modes.low.median),
            row.modes.as_ref().map(|modes| modes.high.median),
            row.load_balance,
            row.share,
        ];
        cells.extend(numbers.iter().map(|number| option(number.as_ref())));
        cells
    });
    write(&header, rows)
}

/// Writes distributions part by part: memory does not grow with the depth of their paths.
///
/// # Errors
/// What the writer says.
pub fn write_stats(table: &StatsTable, out: &mut dyn Write) -> io::Result<()> {
    let cohort = table.cohort_names();
    let cohort: Vec<&str> = cohort.iter().map(String::as_str).collect();
    let mut is_first = true;
    table.in_parts(|part| {
        let text = stats_rows(part, &cohort);
        let rows = if std::mem::take(&mut is_first) {
            text.as_str()
        } else {
            text.split_once('\n').map_or("", |(_, rows)| rows)
        };
        out.write_all(rows.as_bytes())
    })?;
    if is_first {
        out.write_all(stats_rows(&table.whole(), &cohort).as_bytes())?;
    }
    Ok(())
}

/// Rows of a difference.
pub fn diff(answer: &Diff) -> String {
    let header: Vec<String> = [
        "path",
        "group",
        "metric",
        "a",
        "b",
        "delta",
        "impact",
        "ratio",
        "ci_low",
        "ci_high",
        "shift",
        "shift_ci_low",
        "shift_ci_high",
        "p",
        "q",
        "cliffs_delta",
        "compared_by",
        "verdict",
        "matched_by",
        "runs_a",
        "runs_b",
        "n_a",
        "n_b",
        "path_a",
        "path_b",
        "line_a",
        "line_b",
        "structure",
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    let rows = answer.rows.iter().map(|row| {
        let mut cells = vec![
            text(&row.path.join(" / ")),
            row.group.clone(),
            text(&row.metric),
        ];
        let numbers = [
            row.a,
            row.b,
            row.known_delta(),
            row.impact,
            row.ratio,
            row.ci.map(|ci| ci[0]),
            row.ci.map(|ci| ci[1]),
            row.shift,
            row.shift_ci.map(|ci| ci[0]),
            row.shift_ci.map(|ci| ci[1]),
            row.p,
            row.q,
            row.cliffs_delta,
        ];
        cells.extend(numbers.iter().map(|number| option(number.as_ref())));
        cells.push(compared_by(row).unwrap_or_default().to_owned());
        let verdict = serde_json::to_value(row.verdict).unwrap_or_default();
        cells.push(verdict.as_str().unwrap_or_default().to_owned());
        cells.push(row.matched_by.clone().unwrap_or_default());
        let counts = [row.runs_a, row.runs_b, row.n_a, row.n_b];
        cells.extend(counts.iter().map(ToString::to_string));
        let paths = [&row.path_a, &row.path_b];
        cells.extend(paths.map(|path| text(&path.as_deref().unwrap_or_default().join(" / "))));
        let lines = [row.line_a, row.line_b];
        cells.extend(lines.map(|line| line.map_or_else(String::new, |line| line.to_string())));
        cells.push(kinds(&row.structure));
        cells
    });
    write(&header, rows)
}

/// What a row was tested by: ratios, or differences where not all values are positive; absent where it was not.
pub(crate) fn compared_by(row: &DiffRow) -> Option<&'static str> {
    row.p?;
    match (row.ratio, row.shift) {
        (Some(_), _) => Some("ratio"),
        (None, Some(_)) => Some("difference"),
        (None, None) => None,
    }
}

/// Kinds of changes in one cell, apart by `+`.
pub(crate) fn kinds(kinds: &[sheaf_api::ChangeKind]) -> String {
    let name = |kind| serde_json::to_value(kind).unwrap_or_default();
    let names: Vec<serde_json::Value> = kinds.iter().map(name).collect();
    let names: Vec<&str> = names.iter().filter_map(serde_json::Value::as_str).collect();
    names.join("+")
}

fn names<'a>(maps: impl Iterator<Item = &'a BTreeMap<String, ParamValue>>) -> Vec<&'a str> {
    let mut names: Vec<&str> = maps
        .flat_map(|map| map.keys().map(String::as_str))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn write(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and every row has the header's length.
    let shown = |cells: &[String]| {
        cells
            .iter()
            .map(|cell| visible(cell).into_owned())
            .collect()
    };
    let header: csv::StringRecord = shown(header);
    let _ = writer.write_record(&header);
    for row in rows {
        let row: csv::StringRecord = shown(&row);
        let _ = writer.write_record(&row);
    }
    writer
        .into_inner()
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default()
}

fn text(text: &str) -> String {
    csv_text(text).into_owned()
}

fn option<T: ToString>(value: Option<&T>) -> String {
    value.map(T::to_string).unwrap_or_default()
}

fn param(value: Option<&ParamValue>) -> String {
    match value {
        None => String::new(),
        Some(ParamValue::Boolean(value)) => value.to_string(),
        Some(ParamValue::Number(value)) => value.to_string(),
        Some(ParamValue::Text(value)) => text(value),
    }
}
