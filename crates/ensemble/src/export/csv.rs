//! Tables as comma-separated values (RFC 4180): a header, `.` as decimal point, absent values empty.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use sheaf_answers::Table;
use sheaf_model::visible;

use super::cells::push_cell;

/// Text that a spreadsheet takes as text: what it would take for a formula gets an apostrophe in
/// front, and what cannot be seen is written out, because names come from traces.
///
/// ```
/// assert_eq!(sheaf_ensemble::csv_text("=1+2"), "'=1+2");
/// assert_eq!(sheaf_ensemble::csv_text("fib"), "fib");
/// assert_eq!(sheaf_ensemble::csv_text("a\nb"), r"a\nb");
/// ```
pub fn csv_text(text: &str) -> Cow<'_, str> {
    let text = visible(text);
    if text.starts_with(['=', '+', '-', '@']) {
        Cow::Owned(format!("'{text}"))
    } else {
        text
    }
}

/// A whole table.
pub fn to_text(table: &Table<'_>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = write(table, true, &mut bytes);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Writes the rows of a table one by one, after a header line if `has_header`; `out` need not be buffered.
///
/// # Errors
/// Those of the writer.
pub fn write(table: &Table<'_>, has_header: bool, out: &mut dyn Write) -> io::Result<()> {
    write_checked(table, has_header, out, |_| Ok(()))
}

/// As [`write`]; stops if `check`, which is given the number of each row, fails.
pub(super) fn write_checked(
    table: &Table<'_>,
    has_header: bool,
    out: &mut dyn Write,
    check: impl Fn(usize) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 16, out));
    if has_header {
        let names = table.columns().iter().map(|column| csv_text(&column.name));
        let names: csv::ByteRecord = names.map(|name| name.as_bytes().to_vec()).collect();
        writer.write_byte_record(&names).map_err(cause)?;
    }
    let mut record = csv::ByteRecord::new();
    let mut cell = String::new();
    for row in 0..table.num_rows() {
        check(row)?;
        record.clear();
        for column in table.columns() {
            cell.clear();
            push_cell(&column.values, row, csv_text, &mut cell);
            record.push_field(cell.as_bytes());
        }
        writer.write_byte_record(&record).map_err(cause)?;
    }
    writer.flush()
}

/// The failure of the output itself.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text, and a number.
    type Row = (&'static str, Option<f64>);

    sheaf_answers::columns! {
        fn columns(row: Row) {
            Text name: "Name" = Some(row.0.into());
            Number value: "Value" = row.1;
        }
    }

    #[test]
    fn hostile_texts_are_texts() {
        let rows: [Row; 3] = [
            ("=cmd|'x'!A1", Some(-5.0)),
            ("a,\"b\"\r\nc", None),
            ("-1", Some(-0.5)),
        ];
        let mut table = Table::new(rows.as_slice(), columns());
        table.columns_mut()[0].name = "@name".into();
        let expected = "'@name,value\n'=cmd|'x'!A1,-5\n\"a,\"\"b\"\"\\r\\nc\",\n'-1,-0.5\n";
        assert_eq!(to_text(&table), expected);
    }
}
