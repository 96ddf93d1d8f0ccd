//! Importing: runs are checked, gathered, written aside and published together.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow::array::RecordBatch;
use sheaf_model::{ParamValue, RunId, RunMeta, RunTables};

use crate::layout::TableRows;
use crate::lease::Lease;
use crate::log::{self, Changes};
use crate::manifest::RunEntry;
use crate::row_groups::Part;
use crate::run_tables::{Table, rows_of, to_tables};
use crate::staging::{RowSource, Staged};
use crate::{Error, Snapshot, Store, compact};

/// Bytes of tables that are gathered before they are written as a segment.
const GATHERED_BYTES: usize = 8 << 20;

/// A run with more grains than this is a segment of its own.
pub(crate) const LARGE_RUN_GRAINS: u64 = 1 << 20;

/// A run whose references and parameters are sound and whose id is known. Making one costs a
/// pass over all its values, which several threads can do at once before they share an importer.
#[derive(Debug)]
pub struct CheckedRun {
    meta: RunMeta,
    tables: Vec<Table>,
}

/// What became of a run that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// The import will publish it.
    New(RunId),
    /// The store or this import had it already.
    Present(RunId),
}

/// What an import published.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Published {
    /// Names of the new segments.
    pub segments: Vec<String>,
    /// The new runs, by id.
    pub runs: Vec<RunId>,
}

/// An import in progress. Nothing is visible before [`Importer::publish`]; dropping it discards
/// what was added.
///
/// It holds up to about 16 MB of tables; when more come, or a run of a million grains does, a
/// segment is written aside.
pub struct Importer {
    store: Store,
    present: Snapshot,
    lease: Lease,
    gathered: BTreeMap<RunId, CheckedRun>,
    gathered_bytes: usize,
    staged: Vec<StagedSegment>,
}

/// Tables on disk, whose metadata can still change: the same run may come again.
struct StagedSegment {
    tables: Staged,
    runs: Vec<(RunMeta, TableRows)>,
}

impl CheckedRun {
    /// Checks a run and computes its id, which replaces the one in its metadata.
    ///
    /// # Errors
    /// [`Error::Table`] for a wrong reference, [`Error::Parameter`] for a NaN.
    pub fn new(mut tables: RunTables) -> Result<Self, Error> {
        tables.validate()?;
        tables.summary.meta_mut().id = tables.content_id();
        Self::identified(tables)
    }

    /// Takes a run that its reader has validated, and whose metadata hold its content id.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a NaN.
    pub fn identified(tables: RunTables) -> Result<Self, Error> {
        debug_assert!(tables.validate().is_ok(), "the reader validates");
        debug_assert_eq!(tables.summary.meta.id, tables.content_id());
        let meta = &tables.summary.meta;
        let is_nan = |value: &ParamValue| matches!(value, ParamValue::Number(n) if n.is_nan());
        if let Some((key, _)) = meta.params.iter().find(|(_, value)| is_nan(value)) {
            return Err(Error::Parameter {
                run: meta.name.clone(),
                key: key.clone(),
            });
        }
        Ok(Self {
            tables: to_tables(&tables)?,
            meta: Arc::unwrap_or_clone(tables.summary.meta),
        })
    }

    /// The run's id.
    pub fn id(&self) -> RunId {
        self.meta.id
    }

    fn rows(&self) -> TableRows {
        rows_of(&self.tables)
    }

    fn grains(&self) -> u64 {
        crate::layout::table_index(sheaf_model::table::Grains::NAME)
            .and_then(|index| self.tables.get(index))
            .map_or(0, |table| table.len() as u64)
    }

    fn memory(&self) -> usize {
        self.tables.iter().map(Table::memory).sum()
    }
}

impl Importer {
    pub(crate) fn new(store: Store, present: Snapshot, lease: Lease) -> Self {
        Self {
            store,
            present,
            lease,
            gathered: BTreeMap::new(),
            gathered_bytes: 0,
            staged: Vec::new(),
        }
    }

    /// Whether the store had the run when the import began, or the import has it by now.
    pub fn has(&self, run: RunId) -> bool {
        self.present.run(run).is_some() || self.is_held(run)
    }

    /// Whether the import will publish the run.
    fn is_held(&self, run: RunId) -> bool {
        let mut staged = self.staged.iter();
        self.gathered.contains_key(&run) || staged.any(|segment| segment.find(run).is_some())
    }

    /// Names of parameters that are lost when a run is added whose content is there already: of the metadata that are not
    /// kept, those that the others lack or have with another value. Linear in the parameters.
    pub fn lost_parameters(&self, run: &CheckedRun) -> Vec<String> {
        let Some(known) = self.known(run.id()) else {
            return Vec::new();
        };
        let (kept, left) = if comes_before(&run.meta, known) {
            (&run.meta, known)
        } else {
            (known, &run.meta)
        };
        let lost = left.params.iter();
        let lost = lost.filter(|(name, value)| kept.params.get(*name) != Some(*value));
        lost.map(|(name, _)| name.clone()).collect()
    }

    /// The metadata of a run that the store will have.
    fn known(&self, run: RunId) -> Option<&RunMeta> {
        let gathered = self.gathered.get(&run).map(|run| &run.meta);
        let staged = || {
            let mut staged = self.staged.iter();
            staged.find_map(|segment| segment.runs.get(segment.find(run)?).map(|(meta, _)| meta))
        };
        let present = || self.present.run(run).map(|run| &*run.meta);
        gathered.or_else(staged).or_else(present)
    }

    /// Checks and adds a run.
    ///
    /// # Errors
    /// Those of [`CheckedRun::new`] and [`Importer::add_checked`].
    pub fn add(&mut self, run: RunTables) -> Result<Added, Error> {
        self.add_checked(CheckedRun::new(run)?)
    }

    /// Adds a run. Of runs that differ only in metadata, the one whose metadata comes first, field
    /// by field, is kept, whichever was imported first: a run that the store has with metadata that
    /// come later is written once more.
    ///
    /// # Errors
    /// Those of writing, when enough has been gathered.
    pub fn add_checked(&mut self, run: CheckedRun) -> Result<Added, Error> {
        let id = run.id();
        if self.is_held(id) {
            self.prefer(&run.meta);
            return Ok(Added::Present(id));
        }
        if let Some(present) = self.present.run(id) {
            if comes_before(&run.meta, &present.meta) {
                self.gather(run)?;
            }
            return Ok(Added::Present(id));
        }
        self.gather(run)?;
        Ok(Added::New(id))
    }

    fn gather(&mut self, run: CheckedRun) -> Result<(), Error> {
        let id = run.id();
        if run.grains() > LARGE_RUN_GRAINS {
            self.stage(BTreeMap::from([(id, run)]))?;
        } else {
            self.gathered_bytes += run.memory();
            self.gathered.insert(id, run);
            if self.gathered_bytes >= GATHERED_BYTES {
                self.stage_gathered()?;
            }
        }
        Ok(())
    }

    /// Publishes what was added. Each segment appears as a whole; an import of more than about
    /// 16 MB has several, which appear one after the other. What was published is in the store's
    /// log when this returns. When there are many small segments, eight of them are merged: the
    /// cost of that is bounded.
    ///
    /// # Errors
    /// Those of writing. Segments published before the failure stay.
    pub fn publish(mut self) -> Result<Published, Error> {
        self.stage_gathered()?;
        let mut published = Published::default();
        let mut changes = Changes::default();
        for segment in std::mem::take(&mut self.staged) {
            self.lease.renew()?;
            let ids = segment.runs.iter().map(|(meta, _)| meta.id);
            published.runs.extend(ids);
            let runs = segment.runs.len() as u64;
            let sealed = segment.tables.seal(&segment.runs)?;
            let name = sealed.publish(self.store.layout(), self.lease.token())?;
            changes.added.insert(name.clone(), runs);
            published.segments.push(name);
        }
        if !changes.is_empty() {
            log::append_imported(self.store.layout(), &self.lease, &changes)?;
            // The runs are published even if this fails; the next import or a compaction
            // meets the same.
            let _ = compact::merge_small(&self.store);
        }
        published.runs.sort_unstable();
        Ok(published)
    }

    fn stage_gathered(&mut self) -> Result<(), Error> {
        self.gathered_bytes = 0;
        let runs = std::mem::take(&mut self.gathered);
        if runs.is_empty() {
            return Ok(());
        }
        self.stage(runs)
    }

    fn stage(&mut self, runs: BTreeMap<RunId, CheckedRun>) -> Result<(), Error> {
        self.lease.renew()?;
        let folder = format!("segment-{}", self.staged.len());
        let mut source = Gathered(runs.into_values().collect());
        let rows: Vec<_> = source.0.iter().map(|run| (run.id(), run.rows())).collect();
        let tables = Staged::write(&self.lease.folder().join(&folder), &rows, &mut source)?;
        let runs = source.0.into_iter().map(|run| {
            let rows = run.rows();
            (run.meta, rows)
        });
        self.staged.push(StagedSegment {
            tables,
            runs: runs.collect(),
        });
        Ok(())
    }

    /// Takes over the metadata of a run that came again where it comes before the known one.
    fn prefer(&mut self, meta: &RunMeta) {
        let gathered = self.gathered.get_mut(&meta.id);
        let known = gathered.map(|run| &mut run.meta).or_else(|| {
            let mut staged = self.staged.iter_mut();
            staged.find_map(|segment| {
                let index = segment.find(meta.id)?;
                segment.runs.get_mut(index).map(|(meta, _)| meta)
            })
        });
        if let Some(known) = known
            && comes_before(meta, known)
        {
            *known = meta.clone();
        }
    }
}

/// Whether the metadata of a run are the ones to keep, of two of the same content.
fn comes_before(meta: &RunMeta, known: &RunMeta) -> bool {
    let rows = TableRows::default();
    RunEntry::new(meta, &rows) < RunEntry::new(known, &rows)
}

impl fmt::Debug for Importer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Importer")
            .field("gathered", &self.gathered.len())
            .field("staged", &self.staged.len())
            .finish_non_exhaustive()
    }
}

impl StagedSegment {
    fn find(&self, run: RunId) -> Option<usize> {
        self.runs
            .binary_search_by(|(meta, _)| meta.id.cmp(&run))
            .ok()
    }
}

/// Runs in memory, by id.
struct Gathered(Vec<CheckedRun>);

impl RowSource for Gathered {
    fn rows(&mut self, table_place: usize, parts: &[Part]) -> Result<Vec<RecordBatch>, Error> {
        let mut batches = Vec::with_capacity(parts.len());
        for part in parts {
            let Some(run) = self.0.get(part.run) else {
                continue;
            };
            let first = usize::try_from(part.rows.start).unwrap_or(usize::MAX);
            let rows = usize::try_from(part.len()).unwrap_or(usize::MAX);
            if let Some(table) = run.tables.get(table_place) {
                batches.push(table.batch_of(first..first.saturating_add(rows))?);
            }
        }
        Ok(batches)
    }
}
