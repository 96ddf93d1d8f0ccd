//! A published segment: its manifest, and rows of its runs.

mod check;
mod decode;

use std::fs::File;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::PageIndexPolicy;
use sheaf_model::RunMeta;
use sheaf_model::table::ColumnSink;

use crate::disk::Place;
use crate::layout::{
    Layout, MANIFEST, TABLE_COUNT, TableRows, WRITER_VERSION, file_name, table, table_index,
};
use crate::manifest::{Contents, FileEntry, RunEntry};
use crate::row_groups::Part;
use crate::{Error, disk};
pub use check::Checks;
use check::guarded;

/// A segment whose manifest was read. Files are opened when rows are asked for.
#[derive(Debug)]
pub(crate) struct Segment {
    name: String,
    folder: Place,
    is_current: bool,
    runs: Vec<(Arc<RunMeta>, TableRows)>,
    /// First row of each run in each table, followed by the sizes of the tables.
    starts: Vec<TableRows>,
    files: Vec<FileEntry>,
    metadata: [OnceLock<ArrowReaderMetadata>; TABLE_COUNT],
    checks: Checks,
    /// Whether each table was compared with its checksum.
    checked: [Mutex<bool>; TABLE_COUNT],
}

impl Segment {
    /// Reads the manifest of a segment; `None` if the segment does not exist.
    pub(crate) fn open(layout: &Layout, name: &str, checks: Checks) -> Result<Option<Self>, Error> {
        let folder = layout.segment(name);
        let place = folder.join(MANIFEST);
        let Some(bytes) = disk::read(&place)? else {
            return Ok(None);
        };
        let manifest = Contents::parse(name, &place.path(), &bytes)?;
        let damaged = |reason: String| Error::damaged(name, MANIFEST, reason);
        let runs = manifest.runs;
        if !runs.is_sorted_by(|(a, _), (b, _)| a.id < b.id) {
            return Err(damaged("its runs are not in order".to_owned()));
        }
        let segment = Self {
            name: name.to_owned(),
            folder,
            is_current: manifest.writer_version == WRITER_VERSION,
            starts: starts(&runs),
            runs,
            files: manifest.files,
            metadata: [const { OnceLock::new() }; TABLE_COUNT],
            checks,
            checked: [const { Mutex::new(false) }; TABLE_COUNT],
        };
        segment.check_rows().map_err(damaged)?;
        Ok(Some(segment))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn folder(&self) -> &Place {
        &self.folder
    }

    /// When its files are compared with their checksums.
    pub(crate) const fn checks(&self) -> Checks {
        self.checks
    }

    /// Whether this version would write the same bytes for the same runs.
    pub(crate) const fn is_current(&self) -> bool {
        self.is_current
    }

    /// The runs with their rows per table, by id.
    pub(crate) fn runs(&self) -> &[(Arc<RunMeta>, TableRows)] {
        &self.runs
    }

    pub(crate) fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// The manifest's lines about the runs.
    pub(crate) fn entries(&self) -> impl Iterator<Item = RunEntry> + '_ {
        self.runs
            .iter()
            .map(|(meta, rows)| RunEntry::new(meta, rows))
    }

    /// Whether the segment still is where its snapshot found it.
    pub(crate) fn is_present(&self) -> bool {
        self.folder.join(MANIFEST).is_file()
    }

    /// Rows of a table, one batch per part; parts are in the order of the segment's rows. With
    /// `columns`, only those.
    pub(crate) fn read(
        &self,
        table_place: usize,
        parts: &[Part],
        columns: Option<&[&str]>,
    ) -> Result<Vec<RecordBatch>, Error> {
        let schema = projected(&(table(table_place).schema)(), columns)?;
        let mut ranges = Vec::with_capacity(parts.len());
        for part in parts {
            ranges.push(self.absolute(table_place, part)?);
        }
        debug_assert!(ranges.is_sorted_by(|a, b| a.end <= b.start));
        let rows: usize = ranges.iter().map(ExactSizeIterator::len).sum();
        let all = if rows == 0 {
            RecordBatch::new_empty(schema)
        } else {
            self.decode(table_place, &ranges, rows, &schema)?
        };
        let mut first = 0;
        let mut batches = Vec::with_capacity(ranges.len());
        for range in &ranges {
            batches.push(all.slice(first, range.len()));
            first += range.len();
        }
        Ok(batches)
    }

    /// Passes the rows of a part, column by column, to what makes a table in compact form of them.
    pub(crate) fn fill(
        &self,
        table_place: usize,
        part: &Part,
        sinks: Vec<(&'static str, &mut dyn ColumnSink)>,
    ) -> Result<(), Error> {
        let rows = self.absolute(table_place, part)?;
        if rows.is_empty() {
            return Ok(());
        }
        self.decode_into(table_place, &rows, sinks)
    }

    /// The rows of runs, by place and ascending, cut where row groups begin: the parts of each row group.
    pub(crate) fn parts_by_row_group(
        &self,
        table_place: usize,
        runs: &[usize],
    ) -> Result<Vec<Vec<Part>>, Error> {
        let mut groups: Vec<Vec<Part>> = Vec::new();
        if runs.iter().all(|run| self.rows(table_place, *run) == 0) {
            return Ok(groups);
        }
        let metadata = self.metadata(table_place)?.metadata().clone();
        let mut ends = Vec::with_capacity(metadata.num_row_groups());
        let mut end = 0_u64;
        for group in metadata.row_groups() {
            end += u64::try_from(group.num_rows()).unwrap_or_default();
            ends.push(end);
        }
        let mut last = None;
        for &run in runs {
            let start = self.absolute(table_place, &Part::whole(run, 0))?.start as u64;
            let rows = self.rows(table_place, run);
            let mut first = 0;
            while first < rows {
                let group = ends.partition_point(|end| *end <= start + first);
                let end = ends.get(group).map_or(rows, |end| (end - start).min(rows));
                if last != Some(group) {
                    groups.push(Vec::new());
                    last = Some(group);
                }
                if let Some(parts) = groups.last_mut() {
                    parts.push(Part {
                        run,
                        rows: first..end,
                    });
                }
                first = end;
            }
        }
        Ok(groups)
    }

    /// Compressed bytes that a run's rows of a table take: those of its own row groups, and its
    /// share of those that it has with other runs.
    pub(crate) fn run_bytes(&self, table_place: usize, run: usize) -> Result<u64, Error> {
        let rows = self.absolute(table_place, &Part::whole(run, self.rows(table_place, run)))?;
        if rows.is_empty() {
            return Ok(0);
        }
        let metadata = self.metadata(table_place)?;
        let mut first = 0_usize;
        let mut bytes = 0;
        for group in metadata.metadata().row_groups() {
            let len = usize::try_from(group.num_rows()).unwrap_or_default();
            let common = rows
                .end
                .min(first + len)
                .saturating_sub(rows.start.max(first));
            let size = u128::try_from(group.compressed_size()).unwrap_or_default();
            bytes += size * common as u128 / (len as u128).max(1);
            first += len;
        }
        Ok(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    fn rows(&self, table_place: usize, run: usize) -> u64 {
        self.runs
            .get(run)
            .and_then(|(_, rows)| rows.get(table_place))
            .copied()
            .unwrap_or_default()
    }

    fn absolute(&self, table_place: usize, part: &Part) -> Result<Range<usize>, Error> {
        let start = self
            .starts
            .get(part.run)
            .and_then(|starts| starts.get(table_place))
            .copied()
            .unwrap_or_default();
        let end = part.rows.end.min(self.rows(table_place, part.run));
        let to_usize = |row: u64| {
            usize::try_from(row).map_err(|source| Error::internal("address a row", source))
        };
        Ok(to_usize(start + part.rows.start.min(end))?..to_usize(start + end)?)
    }

    fn metadata(&self, table_place: usize) -> Result<&ArrowReaderMetadata, Error> {
        let Some(cell) = self.metadata.get(table_place) else {
            return Err(self.damaged(table_place, "there is no such table".to_owned()));
        };
        if let Some(metadata) = cell.get() {
            return Ok(metadata);
        }
        let file = self.open_file(table_place)?;
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
        let failed = |reason: String| self.damaged(table_place, reason);
        let load = || {
            ArrowReaderMetadata::load(&file, options).map_err(|source| failed(unreadable(&source)))
        };
        let metadata = guarded(load, failed)?;
        let found = metadata.metadata().file_metadata().num_rows();
        let rows = self
            .starts
            .last()
            .and_then(|totals| totals.get(table_place));
        if u64::try_from(found).ok().as_ref() != rows {
            let reason = format!("it has `{found}` rows, not those of its runs");
            return Err(self.damaged(table_place, reason));
        }
        Ok(cell.get_or_init(|| metadata))
    }

    /// The file of a table, compared with its checksum when this process opens it first.
    fn open_file(&self, table_place: usize) -> Result<File, Error> {
        let name = table(table_place).name;
        let mut file = self.open_named(name)?;
        let Some(entry) = self.files.iter().find(|file| file.table == name) else {
            return Ok(file);
        };
        let place = self.folder.join(&file_name(name));
        let found = file
            .metadata()
            .map_err(|source| Error::io("open the file", &place.path(), source))?
            .len();
        if entry.bytes != found {
            let reason = format!("it has `{found}` bytes instead of `{}`", entry.bytes);
            return Err(self.damaged(table_place, reason));
        }
        if self.checks == Checks::OnFirstRead {
            self.check_once(table_place, &mut file, entry)?;
        }
        Ok(file)
    }

    fn damaged(&self, table_place: usize, reason: String) -> Error {
        Error::damaged(&self.name, &file_name(table(table_place).name), reason)
    }

    fn check_rows(&self) -> Result<(), String> {
        let Some(totals) = self.starts.last() else {
            return Ok(());
        };
        for (place, total) in totals.iter().enumerate() {
            let name = table(place).name;
            let file = self.files.iter().find(|file| file.table == name);
            let rows = file.map_or(0, |file| file.rows);
            if rows != *total {
                return Err(format!(
                    "table `{name}` has `{rows}` rows, its runs `{total}`"
                ));
            }
        }
        Ok(())
    }
}

fn starts(runs: &[(Arc<RunMeta>, TableRows)]) -> Vec<TableRows> {
    let mut start = [0_u64; TABLE_COUNT];
    let mut starts = vec![start];
    for (_, rows) in runs {
        for (start, rows) in start.iter_mut().zip(rows) {
            *start = start.saturating_add(*rows);
        }
        starts.push(start);
    }
    starts
}

fn projected(schema: &SchemaRef, columns: Option<&[&str]>) -> Result<SchemaRef, Error> {
    let Some(columns) = columns else {
        return Ok(Arc::clone(schema));
    };
    let places: Vec<usize> = (0..schema.fields().len())
        .filter(|place| columns.contains(&schema.field(*place).name().as_str()))
        .collect();
    schema
        .project(&places)
        .map(Arc::new)
        .map_err(|source| Error::internal("choose columns", source))
}

fn unreadable(source: &ParquetError) -> String {
    format!("it is unreadable ({source})")
}

/// The place of a table by name.
pub(crate) fn place_of(name: &str) -> Result<usize, Error> {
    table_index(name).ok_or_else(|| Error::UnknownTable {
        table: name.to_owned(),
    })
}
