//! A store opened for questions.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use sheaf_model::table::Values;
use sheaf_model::{Lens, Progress, RunId, RunSelector, RunSummary};
use sheaf_store::{Compaction, Snapshot, Store, Verification, Workspace};

use crate::batches::{Batches, Caller};
use crate::cache::{Cache, Tables};
use crate::depth::{DepthCache, GrainDiffs};
use crate::questions::with_main_metric;
use crate::runs::RunEntry;
use crate::scale::AccountCache;
use crate::similar::StructureCache;
use crate::{Error, select};

/// A store opened for questions and imports. Cheap to share behind an `Arc`.
pub struct Ensemble {
    pub(crate) store: Store,
    cache: Cache,
    pub(crate) depths: DepthCache,
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
        Ok(Self {
            store: Store::open(path)?,
            cache: Cache::default(),
            depths: DepthCache::default(),
            grain_diffs: GrainDiffs::default(),
            accounts: AccountCache::default(),
            structures: StructureCache::default(),
            caller: Caller::default(),
        })
    }

    /// Opens a store, and makes an empty one where there is none.
    ///
    /// # Errors
    /// When the folder cannot be written or holds something else.
    pub fn create_or_open(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            store: Store::create_or_open(path)?,
            cache: Cache::default(),
            depths: DepthCache::default(),
            grain_diffs: GrainDiffs::default(),
            accounts: AccountCache::default(),
            structures: StructureCache::default(),
            caller: Caller::default(),
        })
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
    pub fn verify(&self, progress: &Progress) -> Result<Verification, Error> {
        Ok(self.store.verify(progress)?)
    }

    /// What is wrong with the store's notes, as path and reason with what to do: those on imports and the mapping.
    ///
    /// # Errors
    /// When the folder of the notes cannot be read at all.
    pub fn verify_notes(&self) -> Result<Vec<(PathBuf, String)>, Error> {
        let mut damaged = Vec::new();
        self.check_batches(&mut damaged)?;
        self.check_mapping(&mut damaged);
        Ok(damaged)
    }

    /// Merges segments, drops removed runs and leftovers. The same runs give the same bytes.
    ///
    /// # Errors
    /// When the store is damaged, cannot be written, or is being maintained by another process.
    pub fn compact(&self, progress: &Progress) -> Result<Compaction, Error> {
        Ok(self.store.compact(progress)?)
    }

    /// Removes the runs that the selectors name, all or none.
    ///
    /// # Errors
    /// When a selector names nothing, or the store cannot be written.
    pub fn remove(&self, selectors: &[String]) -> Result<Vec<RunId>, Error> {
        let snapshot = self.store.snapshot()?;
        let entries = self.entries_of(&snapshot);
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

    /// Every run, in canonical order: by name, then id.
    pub(crate) fn entries(&self) -> Result<Vec<RunEntry>, Error> {
        Ok(self.entries_of(&self.store.snapshot()?))
    }

    fn entries_of(&self, snapshot: &Snapshot) -> Vec<RunEntry> {
        let batches = Batches::new(self.path().to_owned(), self.caller.clone());
        entries(snapshot, &Arc::new(batches))
    }

    /// Summaries of runs for a question about `lens`, in the order asked for: without values by location where
    /// totals are enough.
    pub(crate) fn summaries_for(
        &self,
        lens: &Lens,
        runs: &[&RunEntry],
    ) -> Result<Vec<Arc<RunSummary>>, Error> {
        let summaries = self.summaries(runs, Tables::Totals)?;
        let lens = with_main_metric(lens, &summaries);
        if sheaf_analysis::needs_values(&lens, &summaries) {
            return self.summaries(runs, Tables::Values);
        }
        Ok(summaries)
    }

    /// Summaries of runs with the given tables, in the order asked for; from the cache where it has them.
    pub(crate) fn summaries(
        &self,
        runs: &[&RunEntry],
        tables: Tables,
    ) -> Result<Vec<Arc<RunSummary>>, Error> {
        // Held from here on: what is read next may push it out of the cache.
        let mut found: BTreeMap<RunId, Arc<RunSummary>> = runs
            .iter()
            .filter_map(|run| Some((run.meta.id, self.cache.get(run.meta.id, tables)?)))
            .collect();
        let missing: Vec<RunId> = runs
            .iter()
            .map(|run| run.meta.id)
            .filter(|id| !found.contains_key(id))
            .collect();
        if !missing.is_empty() {
            let summaries = self.store.with_snapshot(|snapshot| {
                slices(snapshot, &missing)
                    .into_par_iter()
                    .map(|runs| {
                        let summaries = read(snapshot, runs, tables)?;
                        let kept = summaries.into_iter().map(|one| self.cache.put(one, tables));
                        Ok(kept.collect())
                    })
                    .collect::<Result<Vec<Vec<Arc<RunSummary>>>, sheaf_store::Error>>()
            })?;
            let summaries = summaries.into_iter().flatten();
            found.extend(summaries.map(|summary| (summary.meta.id, summary)));
        }
        runs.iter()
            .map(|run| {
                let id = run.meta.id;
                let summary = found.get(&id).cloned();
                let summary = summary.ok_or(sheaf_store::Error::UnknownRun { run: id })?;
                // Names and parameters are not part of the content that the id stands for.
                if summary.meta == run.meta {
                    return Ok(summary);
                }
                Ok(Arc::new(RunSummary {
                    meta: run.meta.clone(),
                    ..(*summary).clone()
                }))
            })
            .collect()
    }
}

/// Values by location in memory at once, beside those that are kept.
const SLICE_ROWS: u64 = 4_000_000;

/// Runs in at least as many slices as there are threads; each slice reads a file once.
fn slices<'a>(snapshot: &Snapshot, runs: &'a [RunId]) -> Vec<&'a [RunId]> {
    let most = runs.len().div_ceil(rayon::current_num_threads()).max(1);
    let rows = |id: &RunId| snapshot.run(*id).map_or(0, |run| run.rows(Values::NAME));
    let mut slices = Vec::new();
    let mut rest = runs;
    while !rest.is_empty() {
        let mut sum = 0;
        let fits = |run: &&RunId| {
            sum += rows(run);
            sum <= SLICE_ROWS
        };
        let number = rest.iter().take(most).take_while(fits).count().max(1);
        let (slice, later) = rest.split_at(number);
        slices.push(slice);
        rest = later;
    }
    slices
}

fn read(
    snapshot: &Snapshot,
    runs: &[RunId],
    tables: Tables,
) -> Result<Vec<RunSummary>, sheaf_store::Error> {
    match tables {
        Tables::Totals => snapshot.summaries_by_totals(runs),
        Tables::Values => snapshot.summaries(runs),
    }
}

fn entries(snapshot: &Snapshot, batches: &Arc<Batches>) -> Vec<RunEntry> {
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
    entries.sort_by(|a, b| (&a.meta.name, a.meta.id).cmp(&(&b.meta.name, b.meta.id)));
    entries
}
