//! Choosing and writing the segments of a compaction.

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use sheaf_model::{Progress, RunId};

use super::{count_copies, total_rows};
use crate::disk::Place;
use crate::layout::{Layout, TableRows, hash_of};
use crate::lease::Lease;
use crate::log::{self, Changes};
use crate::manifest::RunEntry;
use crate::row_groups::Part;
use crate::segment::{Checks, Segment};
use crate::staging::{RowSource, Staged};
use crate::{Error, Snapshot, StoredRun, disk};

/// What choosing the segments of a compaction needs.
pub(super) struct Files<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// How many segments hold each run, whether it is removed there or not.
    pub(super) copies: BTreeMap<RunId, usize>,
    pub(super) progress: &'a Progress,
}

impl<'a> Files<'a> {
    /// The segment that has just these runs already, in the bytes that would be written. Where
    /// another segment has a copy that will go, this one must be sound: a run can have been
    /// imported again because this one is not.
    pub(super) fn find_existing(&self, group: &[usize]) -> Result<Option<&'a Segment>, Error> {
        let wanted: Vec<RunEntry> = self
            .runs(group)
            .map(|run| RunEntry::new(&run.meta, run.table_rows()))
            .collect();
        for segment in self.snapshot.segments() {
            let is_wanted = segment.is_current()
                && segment.runs().len() == wanted.len()
                && segment.entries().eq(wanted.iter().cloned());
            if is_wanted && (self.has_only_copies(segment) || self.is_sound(segment)?) {
                return Ok(Some(segment));
            }
        }
        Ok(None)
    }

    fn has_only_copies(&self, segment: &Segment) -> bool {
        let mut runs = segment.runs().iter();
        runs.all(|(meta, _)| self.copies.get(&meta.id) == Some(&1))
    }

    fn is_sound(&self, segment: &Segment) -> Result<bool, Error> {
        match self.check_files(segment) {
            Ok(()) => Ok(true),
            Err(error) if error.is_damage() => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn check_files(&self, segment: &Segment) -> Result<(), Error> {
        for file in segment.files() {
            self.progress.check()?;
            segment.check_file(file)?;
        }
        Ok(())
    }

    fn runs(&self, group: &[usize]) -> impl Iterator<Item = &'a StoredRun> {
        let runs = self.snapshot.runs();
        group.iter().filter_map(|index| runs.get(*index))
    }
}

/// What writing the segments of a compaction needs.
pub(super) struct Work<'a> {
    layout: &'a Layout,
    lease: &'a Lease,
    pub(super) files: Files<'a>,
    done: u64,
    total: u64,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        layout: &'a Layout,
        lease: &'a Lease,
        snapshot: &'a Snapshot,
        progress: &'a Progress,
    ) -> Self {
        Self {
            layout,
            lease,
            files: Files {
                snapshot,
                copies: count_copies(snapshot),
                progress,
            },
            done: 0,
            total: snapshot.runs().iter().map(total_rows).sum(),
        }
    }

    /// Gives a segment the name of its content.
    pub(super) fn keep(&self, segment: &Segment) -> Result<String, Error> {
        let name = hash_of(segment.name());
        if name != segment.name() {
            self.unlist(segment.name())?;
            self.install(segment.folder(), name)?;
        }
        Ok(name.to_owned())
    }

    /// Takes a segment that gets another name out of the log: it is under one of both names at
    /// every moment, and the log requires neither until all is done.
    fn unlist(&self, name: &str) -> Result<(), Error> {
        let mut changes = Changes::default();
        changes.unlisted.insert(name.to_owned());
        log::append(self.layout, self.lease, &changes)
    }

    /// Publishes a sound segment's folder under a name. Another folder of that name has the same
    /// content, unless it is damaged.
    fn install(&self, folder: &Place, name: &str) -> Result<(), Error> {
        self.lease.renew()?;
        let target = self.layout.segment(name);
        if !disk::rename(folder, &target)? {
            let is_sound = match Segment::open(self.layout, name, Checks::WhenAsked) {
                Ok(Some(segment)) => self.files.is_sound(&segment)?,
                Ok(None) => false,
                Err(error) if error.is_damage() => false,
                Err(error) => return Err(error),
            };
            if !is_sound {
                self.unlist(name)?;
                let aside = self.lease.folder().join(&format!("damaged-{name}"));
                disk::rename(&target, &aside)?;
                disk::rename(folder, &target)?;
            }
        }
        disk::sync_folder(&self.layout.segments())
    }

    pub(super) fn write(&mut self, group: &[usize]) -> Result<String, Error> {
        self.check_sources(group)?;
        let runs: Vec<_> = self
            .files
            .runs(group)
            .map(|run| ((*run.meta).clone(), *run.table_rows()))
            .collect();
        let rows: Vec<(RunId, TableRows)> =
            runs.iter().map(|(meta, rows)| (meta.id, *rows)).collect();
        let folder = self.lease.folder().join(&format!("segment-{}", self.done));
        let mut source = Stored { work: self, group };
        let sealed = Staged::write(&folder, &rows, &mut source)?.seal(&runs)?;
        self.install(sealed.folder(), sealed.hash())?;
        Ok(sealed.hash().to_owned())
    }

    /// Fails for damaged sources: what is written from them would look sound.
    fn check_sources(&self, group: &[usize]) -> Result<(), Error> {
        for segment in self.files.snapshot.sources(group) {
            self.files.check_files(segment)?;
        }
        Ok(())
    }
}

/// The runs of a group where they are now.
struct Stored<'w, 'a> {
    work: &'w mut Work<'a>,
    group: &'w [usize],
}

impl RowSource for Stored<'_, '_> {
    fn rows(&mut self, table_place: usize, parts: &[Part]) -> Result<Vec<RecordBatch>, Error> {
        let work = &mut *self.work;
        let progress = work.files.progress;
        progress.check()?;
        work.lease.renew()?;
        work.done += parts.iter().map(Part::len).sum::<u64>();
        progress.report("compact", work.done, Some(work.total));
        let parts: Vec<Part> = parts
            .iter()
            .filter_map(|part| {
                Some(Part {
                    run: *self.group.get(part.run)?,
                    rows: part.rows.clone(),
                })
            })
            .collect();
        work.files.snapshot.read_parts(table_place, &parts)
    }
}
