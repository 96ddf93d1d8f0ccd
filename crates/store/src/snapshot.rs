//! A consistent list of runs, and their tables.

mod many;
mod summaries;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use arrow::array::RecordBatch;
use rayon::prelude::*;
use sheaf_model::table::{
    ColumnSink, Contexts, Counters, Dependences, Fragments, FragmentsBuilder, Grains,
    GrainsBuilder, TABLES, TableSchema, Waits,
};
use sheaf_model::{RunId, RunMeta, RunTables};

use crate::Error;
use crate::layout::{TABLE_COUNT, TableRows, table, table_index};
use crate::manifest::RunEntry;
use crate::row_groups::Part;
use crate::run_tables;
use crate::segment::{Checks, Segment, place_of};

/// The runs of a store at one moment. Cheap to clone.
///
/// Runs are listed without opening any table. Tables are read when asked for; once compaction
/// has removed their segment that fails with [`Error::Changed`], which
/// [`Store::with_snapshot`](crate::Store::with_snapshot) handles.
#[derive(Debug, Clone)]
pub struct Snapshot {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    segments: Vec<Arc<Segment>>,
    runs: Vec<StoredRun>,
    places: Vec<Place>,
}

/// Where a run's rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    segment: usize,
    run: usize,
}

/// A run of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// Its metadata.
    pub meta: Arc<RunMeta>,
    rows: TableRows,
}

/// Rows and compressed bytes of one table of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// Name of the table.
    pub name: &'static str,
    /// Rows.
    pub rows: u64,
    /// Bytes on disk; the run's share where it shares row groups with other runs.
    pub bytes: u64,
}

impl StoredRun {
    pub(crate) const fn new(meta: Arc<RunMeta>, rows: TableRows) -> Self {
        Self { meta, rows }
    }

    /// Rows of a table; 0 for tables that do not exist.
    pub fn rows(&self, table: &str) -> u64 {
        table_index(table)
            .and_then(|index| self.rows.get(index))
            .copied()
            .unwrap_or_default()
    }

    /// Calling contexts of the run.
    pub fn contexts(&self) -> u64 {
        self.rows(Contexts::NAME)
    }

    /// Whether the run has grains of any kind; call profiles have none.
    pub fn has_grains(&self) -> bool {
        self.rows(Grains::NAME) > 0
    }

    pub(crate) const fn table_rows(&self) -> &TableRows {
        &self.rows
    }
}

impl Snapshot {
    pub(crate) fn new(segments: Vec<Arc<Segment>>, tombstones: &BTreeSet<(RunId, String)>) -> Self {
        let num_copies = segments.iter().map(|segment| segment.runs().len()).sum();
        let mut copies: Vec<(RunId, Place)> = Vec::with_capacity(num_copies);
        for (place, segment) in segments.iter().enumerate() {
            for (run, (meta, _)) in segment.runs().iter().enumerate() {
                // Most stores have no tombstones: the name is copied only if there are some.
                let is_removed = !tombstones.is_empty()
                    && tombstones.contains(&(meta.id, segment.name().to_owned()));
                if !is_removed {
                    let place = Place {
                        segment: place,
                        run,
                    };
                    copies.push((meta.id, place));
                }
            }
        }
        copies.sort_unstable();
        let mut runs = Vec::with_capacity(copies.len());
        let mut places = Vec::with_capacity(copies.len());
        for copies in copies.chunk_by(|a, b| a.0 == b.0) {
            if let Some((place, (meta, rows))) = choose(&segments, copies) {
                places.push(place);
                runs.push(StoredRun::new(Arc::clone(meta), *rows));
            }
        }
        Self {
            inner: Arc::new(Inner {
                segments,
                runs,
                places,
            }),
        }
    }

    /// Compares the files of runs with their checksums, each at most once in this process. A store
    /// that is open with [`Checks::OnFirstRead`] has compared all that was read.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn check_files(&self, runs: &[RunId]) -> Result<(), Error> {
        let mut indices = Vec::with_capacity(runs.len());
        for run in runs {
            indices.push(self.index(*run)?);
        }
        let unchecked = |segment: &&Segment| segment.checks() == Checks::WhenAsked;
        let segments: Vec<&Segment> = self.sources(&indices).filter(unchecked).collect();
        segments.par_iter().try_for_each(|segment| {
            (0..TABLE_COUNT).try_for_each(|table_place| segment.check_table(table_place))
        })
    }

    /// Number of segments that the runs are in.
    pub fn num_segments(&self) -> usize {
        self.inner.segments.len()
    }

    /// The runs, by id.
    pub fn runs(&self) -> &[StoredRun] {
        &self.inner.runs
    }

    /// The run with the given id.
    pub fn run(&self, id: RunId) -> Option<&StoredRun> {
        let index = self.index(id).ok()?;
        self.inner.runs.get(index)
    }

    /// All tables of a run.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn tables(&self, run: RunId) -> Result<RunTables, Error> {
        let (meta, batches) = self.tables_of(run, TABLE_COUNT)?;
        run_tables::from_batches(meta, &batches)
    }

    /// Grains of a run.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn grains(&self, run: RunId) -> Result<Grains, Error> {
        let mut grains = GrainsBuilder::default();
        self.fill(run, Grains::NAME, grains.sinks())?;
        Ok(grains.finish())
    }

    /// Grains of the given contexts, which stand together, and the row of the first. Only those
    /// rows are decoded.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn grains_in(&self, run: RunId, contexts: Range<i32>) -> Result<(u64, Grains), Error> {
        let column = self.columns(run, Grains::NAME, &["context"], None)?;
        let rows = rows_of_contexts(&column, &contexts);
        let batch = self.read(run, Grains::NAME, None, Some(rows.clone()))?;
        Ok((rows.start, Grains::from_batch(&batch)?))
    }

    /// Fragments of a run's grains.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn fragments(&self, run: RunId) -> Result<Fragments, Error> {
        let mut fragments = FragmentsBuilder::default();
        self.fill(run, Fragments::NAME, fragments.sinks())?;
        Ok(fragments.finish())
    }

    /// Waits of a run's grains.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn waits(&self, run: RunId) -> Result<Waits, Error> {
        Ok(Waits::from_batch(&self.table(run, &Waits::SCHEMA)?)?)
    }

    /// Dependences between a run's grains.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn dependences(&self, run: RunId) -> Result<Dependences, Error> {
        Ok(Dependences::from_batch(
            &self.table(run, &Dependences::SCHEMA)?,
        )?)
    }

    /// Hardware counters of a run's grains.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn counters(&self, run: RunId) -> Result<Counters, Error> {
        Ok(Counters::from_batch(&self.table(run, &Counters::SCHEMA)?)?)
    }

    /// Some columns of a table of a run, in the order of the schema, and of all rows or some.
    /// Columns that the table lacks are left out.
    ///
    /// # Errors
    /// [`Error::UnknownTable`], [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn columns(
        &self,
        run: RunId,
        table: &str,
        columns: &[&str],
        rows: Option<Range<u64>>,
    ) -> Result<RecordBatch, Error> {
        self.read(run, table, Some(columns), rows)
    }

    /// Rows and bytes of every table of a run.
    ///
    /// # Errors
    /// [`Error::UnknownRun`], [`Error::Changed`], [`Error::Damaged`].
    pub fn table_sizes(&self, run: RunId) -> Result<Vec<TableSize>, Error> {
        let (segment, place) = self.locate(self.index(run)?)?;
        let mut sizes = Vec::with_capacity(TABLE_COUNT);
        for (index, table) in TABLES.iter().enumerate() {
            sizes.push(TableSize {
                name: table.name,
                rows: self.run(run).map_or(0, |run| run.rows(table.name)),
                bytes: segment.run_bytes(index, place)?,
            });
        }
        Ok(sizes)
    }

    /// The first `tables` tables of the runs at `indices`, which are ascending.
    pub(crate) fn read_runs(
        &self,
        indices: &[usize],
        tables: usize,
    ) -> Result<Vec<Vec<RecordBatch>>, Error> {
        self.read_some(indices, tables, |_, _| true)
    }

    /// The same, with no rows of the tables of runs that are not wanted.
    fn read_some(
        &self,
        indices: &[usize],
        tables: usize,
        is_wanted: impl Fn(usize, usize) -> bool + Sync,
    ) -> Result<Vec<Vec<RecordBatch>>, Error> {
        let columns: Vec<Vec<RecordBatch>> = (0..tables)
            .into_par_iter()
            .map(|place| {
                let rows = |index| {
                    if is_wanted(place, index) {
                        self.rows(place, index)
                    } else {
                        0
                    }
                };
                let parts: Vec<Part> = indices
                    .iter()
                    .map(|index| Part::whole(*index, rows(*index)))
                    .collect();
                self.read_parts(place, &parts)
            })
            .collect::<Result<_, Error>>()?;
        Ok((0..indices.len())
            .map(|run| {
                let tables = columns.iter().filter_map(|batches| batches.get(run));
                tables.cloned().collect()
            })
            .collect())
    }

    /// Rows of a table for each part, whose runs are places in [`Snapshot::runs`], ascending.
    pub(crate) fn read_parts(
        &self,
        table_place: usize,
        parts: &[Part],
    ) -> Result<Vec<RecordBatch>, Error> {
        let mut by_segment: BTreeMap<usize, (Vec<usize>, Vec<Part>)> = BTreeMap::new();
        for (order, part) in parts.iter().enumerate() {
            let Some(place) = self.inner.places.get(part.run) else {
                continue;
            };
            let (orders, wanted) = by_segment.entry(place.segment).or_default();
            orders.push(order);
            wanted.push(Part {
                run: place.run,
                rows: part.rows.clone(),
            });
        }
        let read: Vec<Vec<(usize, RecordBatch)>> = by_segment
            .into_par_iter()
            .map(|(segment, (orders, parts))| {
                let segment = self.inner.segments.get(segment);
                let batches = segment.map_or(Ok(Vec::new()), |segment| {
                    segment.read(table_place, &parts, None)
                })?;
                Ok(orders.into_iter().zip(batches).collect())
            })
            .collect::<Result<_, Error>>()?;
        let mut batches: Vec<(usize, RecordBatch)> = read.into_iter().flatten().collect();
        batches.sort_unstable_by_key(|(order, _)| *order);
        Ok(batches.into_iter().map(|(_, batch)| batch).collect())
    }

    /// The segments of the snapshot, by name.
    pub(crate) fn segments(&self) -> &[Arc<Segment>] {
        &self.inner.segments
    }

    /// The runs, by place in [`Snapshot::runs`], whose rows are in the segments at the given places.
    pub(crate) fn runs_in(&self, segments: &[usize]) -> Vec<usize> {
        let places = self.inner.places.iter().enumerate();
        places
            .filter(|(_, place)| segments.contains(&place.segment))
            .map(|(run, _)| run)
            .collect()
    }

    /// The segments that hold the runs at the given places, each once.
    pub(crate) fn sources(&self, indices: &[usize]) -> impl Iterator<Item = &Segment> {
        let places = indices
            .iter()
            .filter_map(|index| self.inner.places.get(*index));
        let segments: BTreeSet<usize> = places.map(|place| place.segment).collect();
        segments
            .into_iter()
            .filter_map(|segment| self.inner.segments.get(segment))
            .map(AsRef::as_ref)
    }

    fn tables_of(
        &self,
        run: RunId,
        tables: usize,
    ) -> Result<(Arc<RunMeta>, Vec<RecordBatch>), Error> {
        let index = self.index(run)?;
        let mut batches = self.read_runs(&[index], tables)?;
        Ok((self.meta(index), batches.pop().unwrap_or_default()))
    }

    fn table(&self, run: RunId, table: &TableSchema) -> Result<RecordBatch, Error> {
        self.read(run, table.name, None, None)
    }

    fn fill(
        &self,
        run: RunId,
        table: &str,
        sinks: Vec<(&'static str, &mut dyn ColumnSink)>,
    ) -> Result<(), Error> {
        let table_place = place_of(table)?;
        let index = self.index(run)?;
        let (segment, run) = self.locate(index)?;
        let whole = Part::whole(run, self.rows(table_place, index));
        segment.fill(table_place, &whole, sinks)
    }

    fn read(
        &self,
        run: RunId,
        table: &str,
        columns: Option<&[&str]>,
        rows: Option<Range<u64>>,
    ) -> Result<RecordBatch, Error> {
        let table_place = place_of(table)?;
        let index = self.index(run)?;
        let (segment, run) = self.locate(index)?;
        let rows = rows.unwrap_or(0..self.rows(table_place, index));
        let mut batches = segment.read(table_place, &[Part { run, rows }], columns)?;
        batches.pop().map_or_else(|| Ok(empty(table_place)), Ok)
    }

    fn index(&self, id: RunId) -> Result<usize, Error> {
        self.inner
            .runs
            .binary_search_by(|run| run.meta.id.cmp(&id))
            .map_err(|_| Error::UnknownRun { run: id })
    }

    fn locate(&self, index: usize) -> Result<(&Segment, usize), Error> {
        let place = self.inner.places.get(index);
        place
            .and_then(|place| {
                let segment = self.inner.segments.get(place.segment)?;
                Some((segment.as_ref(), place.run))
            })
            .ok_or_else(|| Error::internal("find a run's segment", "no such place"))
    }

    fn meta(&self, index: usize) -> Arc<RunMeta> {
        let run = self.inner.runs.get(index);
        run.map_or_else(
            || Arc::new(RunMeta::new("", "")),
            |run| Arc::clone(&run.meta),
        )
    }

    fn rows(&self, table_place: usize, index: usize) -> u64 {
        let run = self.inner.runs.get(index);
        run.and_then(|run| run.rows.get(table_place))
            .copied()
            .unwrap_or_default()
    }
}

/// Of several copies of a run, the one whose metadata comes first, then that of the segment whose
/// name comes first.
fn choose<'a>(
    segments: &'a [Arc<Segment>],
    copies: &[(RunId, Place)],
) -> Option<(Place, &'a (Arc<RunMeta>, TableRows))> {
    let find = |(_, place): &(RunId, Place)| {
        Some((*place, segments.get(place.segment)?.runs().get(place.run)?))
    };
    if let [only] = copies {
        return find(only);
    }
    copies
        .iter()
        .filter_map(find)
        .min_by_key(|(place, (meta, rows))| (RunEntry::new(meta, rows), place.segment))
}

/// The rows of ascending contexts that fall into a range.
fn rows_of_contexts(column: &RecordBatch, contexts: &Range<i32>) -> Range<u64> {
    use arrow::array::AsArray;
    use arrow::datatypes::Int32Type;
    let values = column
        .columns()
        .first()
        .and_then(|array| array.as_primitive_opt::<Int32Type>())
        .map_or(&[][..], |array| array.values());
    let first = values.partition_point(|context| *context < contexts.start);
    let end = values.partition_point(|context| *context < contexts.end);
    first as u64..end.max(first) as u64
}

fn empty(table_place: usize) -> RecordBatch {
    RecordBatch::new_empty((table(table_place).schema)())
}
