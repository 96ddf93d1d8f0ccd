//! Tables as comma-separated values: a header line, `.` as decimal point, absent values empty.
//!
//! Numbers are printed so that they read back exactly. Text that a spreadsheet would take for a
//! formula gets a leading apostrophe, because names come from traces.

use std::io::{self, Write};

use sheaf_answers::{MetricValue, ParamValue, Table, Values};
use sheaf_ensemble::csv_text;
use sheaf_model::visible;

use crate::StatsTable;

/// Writes distributions part by part: memory does not grow with the depth of their paths.
///
/// # Errors
/// What the writer says.
pub fn write_stats(table: &StatsTable, out: &mut dyn Write) -> io::Result<()> {
    let cohort = table.cohort_names();
    let cohort: Vec<&str> = cohort.iter().map(String::as_str).collect();
    let mut is_first = true;
    table.in_parts(|part| {
        let text = to_text(&part.table_of_cohorts(&cohort));
        let rows = if std::mem::take(&mut is_first) {
            text.as_str()
        } else {
            text.split_once('\n').map_or("", |(_, rows)| rows)
        };
        out.write_all(rows.as_bytes())
    })?;
    if is_first {
        let text = to_text(&table.whole().table_of_cohorts(&cohort));
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// A whole table.
pub fn to_text(table: &Table) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and every row has the header's length.
    let header: csv::StringRecord = table
        .columns()
        .iter()
        .map(|column| visible(&csv_text(&column.name)).into_owned())
        .collect();
    let _ = writer.write_record(&header);
    for row in 0..table.num_rows() {
        let cells: csv::StringRecord = table
            .columns()
            .iter()
            .map(|column| cell(&column.values, row))
            .collect();
        let _ = writer.write_record(&cells);
    }
    writer
        .into_inner()
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default()
}

fn cell(values: &Values, row: usize) -> String {
    match values {
        Values::Text(values) => values[row].as_deref().map(text).unwrap_or_default(),
        Values::Number(values) => option(values[row].as_ref()),
        Values::Integer(values) => option(values[row].as_ref()),
        Values::Count(values) => option(values[row].as_ref()),
        Values::Truth(values) => option(values[row].as_ref()),
        Values::Metric(values) => match values[row] {
            None => String::new(),
            Some(MetricValue::Integer(value)) => value.to_string(),
            Some(MetricValue::Float(value)) => value.to_string(),
        },
        Values::Parameter(values) => match &values[row] {
            None => String::new(),
            Some(ParamValue::Boolean(value)) => value.to_string(),
            Some(ParamValue::Number(value)) => value.to_string(),
            Some(ParamValue::Text(value)) => text(value),
        },
    }
}

fn text(text: &str) -> String {
    visible(&csv_text(text)).into_owned()
}

fn option<T: ToString>(value: Option<&T>) -> String {
    value.map(T::to_string).unwrap_or_default()
}
