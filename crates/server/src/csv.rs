//! Tables as comma-separated values: a header line, `.` as decimal point, absent values empty.
//!
//! Numbers are printed so that they read back exactly. Text that a spreadsheet would take for a
//! formula gets a leading apostrophe, because names come from traces.

use std::io::{self, Write};

use sheaf_answers::{MetricValue, ParamValue, Table, Values};
use sheaf_ensemble::csv_text;
use sheaf_model::visible;

/// A whole table.
pub fn to_text(table: &Table<'_>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = write(table, true, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Writes the rows of a table one by one, after a header line if there is to be one.
///
/// # Errors
/// Those of the writer.
pub fn write(table: &Table<'_>, has_header: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    if has_header {
        let names = table.columns().iter();
        writer.write_record(names.map(|column| text(&column.name)))?;
    }
    for row in 0..table.num_rows() {
        for column in table.columns() {
            writer.write_field(cell(&column.values, row))?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

fn cell(values: &Values<'_>, row: usize) -> String {
    match values {
        Values::Text(write) => {
            let mut cell = String::new();
            write(row, &mut |value| cell = value.map(text).unwrap_or_default());
            cell
        }
        Values::Number(values) => option(values(row)),
        Values::Integer(values) => option(values(row)),
        Values::Count(values) => option(values(row)),
        Values::Truth(values) => option(values(row)),
        Values::Metric(values) => match values(row) {
            None => String::new(),
            Some(MetricValue::Integer(value)) => value.to_string(),
            Some(MetricValue::Float(value)) => value.to_string(),
        },
        Values::Parameter(values) => match values(row) {
            None => String::new(),
            Some(value @ (ParamValue::Boolean(_) | ParamValue::Number(_))) => value.to_string(),
            Some(value) => text(&value.shown()),
        },
    }
}

fn text(text: &str) -> String {
    visible(&csv_text(text)).into_owned()
}

fn option(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
