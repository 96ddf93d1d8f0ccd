//! From the text of a task-stats table to its columns.

use std::borrow::Cow;
use std::io::Read;

use csv::{ByteRecord, ErrorKind, ReaderBuilder};
use sheaf_model::Report;

use super::column::Numbers;
use super::ending::Ending;
use super::meaning::Meaning;
use super::number::{Number, number};
use super::table::Table;
use super::{parents, times};
use crate::records::Records;
use crate::{Error, Format, limits, lossy};
use rustc_hash::FxHashSet;

/// Columns without which there is no structure.
const NEEDED: [&str; 3] = ["task", "parent", "joins_at"];

/// Columns of another text of the same tools: attributes of drawn nodes.
const DRAWN: &str = "shape";

fn reader<R: Read>(text: R) -> csv::Reader<R> {
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .buffer_capacity(256 << 10)
        .from_reader(text)
}

/// Whether a text begins like a task-stats table.
pub(crate) fn recognises(start: &[u8]) -> bool {
    let mut header = ByteRecord::new();
    if !matches!(reader(start).read_byte_record(&mut header), Ok(true)) {
        return false;
    }
    let has = |name: &str| header.iter().any(|field| field == name.as_bytes());
    NEEDED.iter().all(|name| has(name)) && !has(DRAWN)
}

/// A table with the rows whose place in the program is not known.
pub(crate) struct Found {
    pub(crate) table: Table,
    pub(crate) displaced: Vec<u32>,
}

/// Reads a table, resolves parents, and fills in work.
pub(crate) fn read<R: Read>(text: R, report: &mut Report) -> Result<Found, Error> {
    let mut rows = Rows::default();
    let records = Records::new(text, "a row", limits::RECORD);
    let mut reader = reader(Ending::new(records));
    let mut record = ByteRecord::new();
    while next(&mut reader, &mut record)? {
        reader.get_mut().inner.begin();
        if rows.columns.is_empty() {
            rows.header(&record, report)?;
        } else {
            let end = reader.position().byte();
            let may_be_cut = reader.get_ref().may_be_cut(end);
            rows.row(&record, may_be_cut, report);
        }
    }
    let mut table = rows.finish(report)?;
    let displaced = parents::resolve(&mut table, report);
    times::fill_in_instants(&mut table, report);
    times::fill_in_work(&mut table, report);
    Ok(Found { table, displaced })
}

fn next<R: Read>(reader: &mut csv::Reader<R>, record: &mut ByteRecord) -> Result<bool, Error> {
    reader.read_byte_record(record).map_err(|error| {
        let line = error.position().map_or(0, csv::Position::line);
        let reason = error.to_string();
        match error.into_kind() {
            ErrorKind::Io(source) => Error::from(source),
            _ => Error::malformed(Format::Mir, format!("line {line}"), reason),
        }
    })
}

/// Rows that are being read.
#[derive(Default)]
struct Rows {
    table: Table,
    columns: Vec<Column>,
    /// Where the columns of task and parent are.
    task_at: usize,
    parent_at: usize,
    known: FxHashSet<i64>,
    /// The first row that was skipped, with the reason.
    first_skipped: Option<(u64, String)>,
}

/// A column of the file.
struct Column {
    name: String,
    meaning: Meaning,
    num_invalid: u64,
    first_invalid: Option<String>,
}

fn line(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

impl Rows {
    fn header(&mut self, header: &ByteRecord, report: &mut Report) -> Result<(), Error> {
        if header.len() > limits::COLUMNS {
            return Err(Error::TooLong {
                what: "the table",
                limit: limits::COLUMNS as u64,
                unit: "columns",
                at: format!("line {}", line(header)),
            });
        }
        for field in header {
            let name = lossy::decode(field.trim_ascii());
            let is_repaired = matches!(name, Cow::Owned(_));
            report.add("repaired_texts", is_repaired.into(), || {
                Some(format!("line {}", line(header)))
            });
            let name = name.into_owned();
            let is_repeated = self.columns.iter().any(|column| column.name == name);
            let meaning = match self.table.declare(&name) {
                _ if is_repeated => {
                    report.add("skipped_columns", 1, || Some(name.clone()));
                    Meaning::Ignored
                }
                Some(meaning) => meaning,
                None => self.table.add_measured(&name),
            };
            self.columns.push(Column {
                name,
                meaning,
                num_invalid: 0,
                first_invalid: None,
            });
        }
        for name in NEEDED {
            if !self.columns.iter().any(|column| column.name == name) {
                let at = format!("line {}", line(header));
                let reason = format!("the table has no column `{name}`");
                return Err(Error::malformed(Format::Mir, at, reason));
            }
        }
        let place = |name| self.columns.iter().position(|column| column.name == name);
        self.task_at = place("task").unwrap_or_default();
        self.parent_at = place("parent").unwrap_or_default();
        Ok(())
    }

    /// Takes a row, unless its end may be missing: the number in its last cell is then another.
    fn row(&mut self, record: &ByteRecord, may_be_cut: bool, report: &mut Report) {
        self.table.is_cut = may_be_cut || record.len() < self.columns.len();
        let task = match self.usable(record, may_be_cut) {
            Ok(Some(task)) => task,
            Ok(None) => {
                report.add("skipped_background_tasks", 1, || {
                    Some(format!("line {}", line(record)))
                });
                return;
            }
            Err(reason) => {
                report.add("skipped_rows", 1, || {
                    Some(format!("line {}: {reason}", line(record)))
                });
                self.first_skipped
                    .get_or_insert_with(|| (line(record), reason));
                return;
            }
        };
        if !self.known.insert(task) {
            report.add("skipped_repeated_tasks", 1, || {
                Some(format!("line {}: task {task}", line(record)))
            });
            return;
        }
        let row = self.table.rows;
        self.table.rows += 1;
        for (column, field) in self.columns.iter_mut().zip(record) {
            if !self.table.set(row, column.meaning, field) {
                column.num_invalid += 1;
                column.first_invalid.get_or_insert_with(|| {
                    let shown: String = lossy::decode(field).chars().take(40).collect();
                    format!("line {}: {} `{shown}`", line(record), column.name)
                });
            }
        }
    }

    /// The row's task; nothing for the profiler's own task, which has no parent.
    fn usable(&self, record: &ByteRecord, may_be_cut: bool) -> Result<Option<i64>, String> {
        let (found, expected) = (record.len(), self.columns.len());
        if found != expected {
            return Err(format!("{found} fields instead of {expected}"));
        }
        if may_be_cut {
            return Err("no line break, so its last value may be cut".to_owned());
        }
        let field = |at: usize| record.get(at).unwrap_or_default();
        match number(field(self.parent_at)) {
            Number::Absent => return Ok(None),
            Number::Integer(parent) if parent >= 0 => {}
            _ => return Err("the parent is not the number of a task".to_owned()),
        }
        match number(field(self.task_at)) {
            Number::Integer(task) if task > 0 => Ok(Some(task)),
            _ => Err("the task has no number above 0".to_owned()),
        }
    }

    fn finish(mut self, report: &mut Report) -> Result<Table, Error> {
        if self.columns.is_empty() {
            return Err(Error::Empty {
                format: Format::Mir,
            });
        }
        if self.table.is_empty() {
            return Err(match self.first_skipped {
                Some((line, reason)) => {
                    let reason = format!("no row can be used; the first has {reason}");
                    Error::malformed(Format::Mir, format!("line {line}"), reason)
                }
                None => Error::Empty {
                    format: Format::Mir,
                },
            });
        }
        let rows = self.table.len() as u64;
        report.add("read_tasks", rows, || None);
        let (count, first) = self.table.texts.repaired();
        report.add("repaired_texts", count, || first);
        for column in &self.columns {
            if let Meaning::Measured(at) = column.meaning {
                let numbers = self.table.measured.get(at).map(|(_, numbers)| numbers);
                if column.num_invalid > 0 && numbers.is_some_and(Numbers::is_absent) {
                    report.add("skipped_columns", 1, || Some(column.name.clone()));
                    continue;
                }
            }
            report.add("skipped_values", column.num_invalid, || {
                column.first_invalid.clone()
            });
        }
        let measured = &mut self.table.measured;
        measured.retain(|(_, numbers)| !numbers.is_absent());
        Ok(self.table)
    }
}
