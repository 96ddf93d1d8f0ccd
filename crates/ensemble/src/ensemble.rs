//! A store opened for questions.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sheaf_answers::{Compact, DamagedFile, Verify};
use sheaf_model::{Progress, RunId, RunSelector};
use sheaf_store::{Checks, Compaction, Damage, Exposure, Snapshot, Store, Verification, Workspace};

use crate::batches::{Batches, Caller};
use crate::bounded_cache::BoundedCache;
use crate::cache::SummaryCache;
use crate::corrections::{self, Corrections};
use crate::notes::Notes;
use crate::run_detail::{GrainDiffs, MAX_GRAIN_DIFFS, OpenRuns};
use crate::runs::RunEntry;
use crate::runs::table::RunFigures;
use crate::scale::{AccountCache, MAX_ACCOUNTS};
use crate::similar::{MAX_STRUCTURES, StructureCache};
use crate::{Error, mapping, parameter_rules, part_rules, run_notes, select};

/// A store opened for questions and imports. Cheap to share behind an `Arc`.
pub struct Ensemble {
    pub(crate) store: Store,
    pub(crate) cache: SummaryCache,
    pub(crate) run_figures: RunFigures,
    pub(crate) open_runs: OpenRuns,
    pub(crate) grain_diffs: GrainDiffs,
    pub(crate) accounts: AccountCache,
    pub(crate) structures: StructureCache,
    caller: Caller,
}

impl Ensemble {
    /// Opens a store that exists.
    ///
    /// # Errors
    /// When there is no store, or one of a later version.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self::of(Store::open(path)?))
    }

    /// As [`Ensemble::open`], with a choice of when tables are compared with their checksums. Diffs,
    /// gates and exports always do.
    ///
    /// # Errors
    /// Those of [`Ensemble::open`].
    pub fn open_with(path: &Path, checks: Checks) -> Result<Self, Error> {
        Ok(Self::of(Store::open_with(path, checks)?))
    }

    /// Opens a store, and makes an empty one where there is none.
    ///
    /// # Errors
    /// When the folder cannot be written or holds something else.
    pub fn create_or_open(path: &Path) -> Result<Self, Error> {
        Ok(Self::of(Store::create_or_open(path)?))
    }

    fn of(store: Store) -> Self {
        Self {
            store,
            cache: SummaryCache::default(),
            run_figures: RunFigures::default(),
            open_runs: OpenRuns::default(),
            grain_diffs: BoundedCache::new(MAX_GRAIN_DIFFS),
            accounts: BoundedCache::new(MAX_ACCOUNTS),
            structures: BoundedCache::new(MAX_STRUCTURES),
            caller: Caller::default(),
        }
    }

    /// The same store, whose imports and questions come from `caller`: `@new` prefers its imports.
    #[must_use]
    pub fn for_caller(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The store's folder.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Checks every file against its manifest and every table against the model.
    ///
    /// # Errors
    /// When the folder cannot be read at all; damage is part of the answer.
    pub fn verify(&self, progress: &Progress) -> Result<Verify, Error> {
        self.describe_checked(self.store.verify(progress)?)
    }

    /// Checks as [`Ensemble::verify`], sets damaged segments aside, and begins the store's log anew
    /// with what is sound. Returns what was wrong before.
    ///
    /// # Errors
    /// When the store cannot be written, or is being maintained by another process.
    pub fn repair(&self, progress: &Progress) -> Result<Verify, Error> {
        self.describe_checked(self.store.repair(progress)?)
    }

    /// What [`Ensemble::compact`] would do, without doing it.
    ///
    /// # Errors
    /// When the store is damaged.
    pub fn plan_compaction(&self, progress: &Progress) -> Result<Compact, Error> {
        Ok(compacted(&self.store.plan_compaction(progress)?, true))
    }

    /// Takes the lease of maintenance from a process that cannot be asked whether it still runs.
    /// Returns whether there was one.
    ///
    /// # Errors
    /// When the process is known to be running.
    pub fn break_lease(&self) -> Result<bool, Error> {
        Ok(self.store.break_lease()?)
    }

    /// The store's folders that others may write to.
    pub fn exposures(&self) -> Vec<Exposure> {
        self.store.exposures()
    }

    /// What was found wrong in segments, and in the store's notes: notes on imports, the mapping, corrected parameters,
    /// notes on runs, and rules about parameters and parts of programs.
    fn describe_checked(&self, segments: Verification) -> Result<Verify, Error> {
        let segment = |damage: Damage| DamagedFile {
            path: if damage.segment.is_empty() {
                damage.file
            } else {
                format!("segments/{}/{}", damage.segment, damage.file)
            },
            reason: damage.reason,
        };
        let mut damaged: Vec<DamagedFile> = segments.damaged.into_iter().map(segment).collect();
        let mut found = Vec::new();
        self.check_batches(&mut found)?;
        let notes = Notes::of(self.path());
        let read = [
            (mapping::NAME, self.mapping().err()),
            (corrections::NAME, self.corrected_params().err()),
            (run_notes::NAME, self.run_notes().err()),
            (parameter_rules::NAME, self.parameter_rules().err()),
            (part_rules::NAME, self.part_rules().err()),
        ];
        for (name, error) in read {
            found.extend(error.map(|error| (notes.path(name), error.reason_alone())));
        }
        damaged.extend(found.into_iter().map(|(path, reason)| {
            let path = path.strip_prefix(self.path()).unwrap_or(&path).display();
            DamagedFile {
                path: path.to_string(),
                reason,
            }
        }));
        Ok(Verify {
            schema: "verify/1".to_owned(),
            runs: segments.runs as u64,
            segments: segments.segments as u64,
            ok: damaged.is_empty(),
            damaged,
            leftovers: texts(&segments.leftovers),
            foreign: texts(&segments.foreign),
            set_aside: texts(&segments.set_aside),
        })
    }

    /// Merges segments, drops removed runs and leftovers. The same runs give the same bytes.
    ///
    /// # Errors
    /// When the store is damaged, cannot be written, or is being maintained by another process.
    pub fn compact(&self, progress: &Progress) -> Result<Compact, Error> {
        Ok(compacted(&self.store.compact(progress)?, false))
    }

    /// Removes the runs that the selectors name, all or none.
    ///
    /// # Errors
    /// When a selector names nothing, or the store cannot be written.
    pub fn remove(&self, selectors: &[String]) -> Result<Vec<RunId>, Error> {
        let snapshot = self.store.snapshot()?;
        let entries = self.entries_of(&snapshot, &self.corrections()?);
        let all: Vec<&RunEntry> = entries.iter().collect();
        let mut runs = Vec::new();
        for selector in selectors {
            let found = select::side(&all, &RunSelector(selector.clone()))?;
            runs.extend(found.iter().map(|run| run.meta.id));
        }
        runs.sort_unstable();
        runs.dedup();
        Ok(self.store.remove(&runs)?.removed)
    }

    /// Brings removed runs back by their ids, all or none, until their space is freed.
    ///
    /// # Errors
    /// When an id belongs to no removed run, when the space of one is freed already, or when the store cannot be written.
    pub fn restore(&self, ids: &[String]) -> Result<Vec<RunId>, Error> {
        let gone = |id: &str| Error::UnknownRun {
            selector: id.to_owned(),
            nearest:
                " among the removed runs that the store still holds; import it again if it is gone"
                    .to_owned(),
        };
        let parse = |id: &String| id.parse().map_err(|_| gone(id));
        let runs: Vec<RunId> = ids.iter().map(parse).collect::<Result<_, _>>()?;
        match self.store.restore(&runs) {
            Err(sheaf_store::Error::UnknownRun { run }) => Err(gone(&run.to_string())),
            restored => Ok(restored.map(|()| runs)?),
        }
    }

    /// A folder beside the segments for files that are on their way into the store, removed with
    /// all it holds when dropped.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn workspace(&self) -> Result<Workspace, Error> {
        Ok(self.store.workspace()?)
    }

    /// Removes the workspaces that dead processes left behind; returns how many there were.
    ///
    /// # Errors
    /// When they cannot be listed or removed.
    pub fn remove_dead_workspaces(&self) -> Result<usize, Error> {
        Ok(self.store.remove_dead_workspaces()?)
    }

    /// Number of segments of the store.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub fn num_segments(&self) -> Result<usize, Error> {
        Ok(self.store.snapshot()?.num_segments())
    }

    /// Every run of a snapshot, in canonical order: by name, then id.
    pub(crate) fn entries_of(
        &self,
        snapshot: &Snapshot,
        corrections: &Corrections,
    ) -> Vec<RunEntry> {
        let batches = Batches::new(self.path().to_owned(), self.caller.clone());
        entries(snapshot, &Arc::new(batches), corrections)
    }
}

fn entries(
    snapshot: &Snapshot,
    batches: &Arc<Batches>,
    corrections: &Corrections,
) -> Vec<RunEntry> {
    let mut entries: Vec<RunEntry> = snapshot
        .runs()
        .iter()
        .map(|run| RunEntry {
            meta: run.meta.clone(),
            grains: run.has_grains().then_some(run.meta.grains),
            contexts: i64::try_from(run.contexts()).unwrap_or(i64::MAX),
            batches: Arc::clone(batches),
        })
        .collect();
    for entry in &mut entries {
        corrections.apply(&mut entry.meta);
    }
    entries.sort_by(|a, b| (&a.meta.name, a.meta.id).cmp(&(&b.meta.name, b.meta.id)));
    entries
}

fn compacted(found: &Compaction, is_dry_run: bool) -> Compact {
    Compact {
        schema: "compact/1".to_owned(),
        runs: found.runs as u64,
        segments_before: found.before as u64,
        segments: found.segments as u64,
        removed_leftovers: found.leftovers.len() as u64,
        removed: texts(&found.removed),
        foreign: texts(&found.foreign),
        is_dry_run,
    }
}

fn texts(paths: &[PathBuf]) -> Vec<String> {
    let paths = paths.iter();
    paths.map(|path| path.display().to_string()).collect()
}
