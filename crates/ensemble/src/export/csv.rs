//! Comma-separated values (RFC 4180): a header, `.` as decimal point, absent values empty.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use sheaf_model::{Progress, visible};

use super::check;
use super::rows::{Cell, Rows};

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

/// Writes a table row by row; `out` need not be buffered.
pub(super) fn write(rows: &impl Rows, out: &mut dyn Write, progress: &Progress) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(BufWriter::with_capacity(1 << 16, out));
    let names = rows.columns().iter().map(|column| csv_text(&column.name));
    let mut record = csv::ByteRecord::new();
    for name in names {
        record.push_field(name.as_bytes());
    }
    writer.write_byte_record(&record).map_err(cause)?;
    let mut cells = Vec::new();
    let mut number = String::new();
    for row in 0..rows.len() {
        check(progress, row, rows.len())?;
        rows.fill(row, &mut cells);
        record.clear();
        for cell in &cells {
            match cell {
                Cell::Absent => record.push_field(b""),
                Cell::Text(text) => record.push_field(csv_text(text).as_bytes()),
                Cell::Integer(_) | Cell::Float(_) => {
                    use std::fmt::Write as _;
                    number.clear();
                    // Writing to memory cannot fail.
                    let _ = write!(number, "{cell}");
                    record.push_field(number.as_bytes());
                }
            }
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
    use super::super::rows::{CellType, Column};
    use super::*;

    struct Table(Vec<Column>, Vec<Vec<Cell<'static>>>);

    impl Rows for Table {
        fn columns(&self) -> &[Column] {
            &self.0
        }

        fn len(&self) -> usize {
            self.1.len()
        }

        fn fill<'a>(&'a self, row: usize, cells: &mut Vec<Cell<'a>>) {
            cells.clone_from(&self.1[row]);
        }
    }

    #[test]
    fn hostile_texts_are_texts() {
        let column = |name: &str| Column {
            name: name.to_owned(),
            cell_type: CellType::Text,
            meaning: String::new(),
        };
        let rows = vec![
            vec![Cell::text("=cmd|'x'!A1"), Cell::Integer(-5)],
            vec![Cell::text("a,\"b\"\r\nc"), Cell::Absent],
            vec![Cell::text("-1"), Cell::float(-0.5)],
        ];
        let table = Table(vec![column("@name"), column("value")], rows);
        let mut bytes = Vec::new();
        write(&table, &mut bytes, &Progress::silent()).unwrap();
        let expected = "'@name,value\n'=cmd|'x'!A1,-5\n\"a,\"\"b\"\"\\r\\nc\",\n'-1,-0.5\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}
