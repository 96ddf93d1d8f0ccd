//! The store itself: opening, and the way to everything that can be done with it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::available_parallelism;

use serde::{Deserialize, Serialize};
use sheaf_model::{Progress, RunId};

use crate::disk::Place;
use crate::layout::{FORMAT_VERSION, Layout, MANIFEST, STORE_FILE};
use crate::lease::{self, Lease};
use crate::listing::{self, Listing};
use crate::log::{self, Changes};
use crate::manifest::check_version;
use crate::segment::{Checks, Segment};
use crate::{
    Compaction, Error, Exposure, Importer, Removal, Snapshot, Verification, Workspace, compact,
    disk, exposure, remove, repair, verify, workspace,
};

/// How often a listing or a read is tried again while others change the store.
const ATTEMPTS: usize = 100;

/// Oldest version of the layout that is read; writers bring it up to date.
const OLDEST_FORMAT_VERSION: u32 = 1;

/// A folder of runs. Cheap to clone; clones share what they read of the manifests.
///
/// ```
/// # fn main() -> Result<(), sheaf_store::Error> {
/// # let folder = tempfile::tempdir().unwrap();
/// use sheaf_model::{Progress, RunMeta, RunSummary, RunTables};
/// use sheaf_store::Store;
///
/// let store = Store::create_or_open(&folder.path().join("store"))?;
/// let mut importer = store.import()?;
/// importer.add(RunTables::without_grains(RunSummary::empty(RunMeta::new("fib", "trace"))))?;
/// importer.publish()?;
/// assert_eq!(store.snapshot()?.runs()[0].meta.program, "fib");
/// assert!(store.verify(&Progress::silent())?.is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    layout: Layout,
    checks: Checks,
    known: Mutex<Known>,
}

/// What is known from the latest snapshot. Segments never change, so each manifest is read once,
/// and equal listings are the same snapshot.
#[derive(Debug, Default)]
struct Known {
    segments: HashMap<String, Arc<Segment>>,
    entries: log::Entries,
    latest: Option<(Listing, Snapshot)>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoreFile {
    pub(crate) format_version: u32,
    #[serde(default)]
    created_by: String,
}

impl Store {
    /// Opens a store, which needs no right to write. Tables are compared with their checksums when
    /// they are first read.
    ///
    /// # Errors
    /// [`Error::NotAStore`], [`Error::NewerVersion`], [`Error::OlderVersion`],
    /// [`Error::Permission`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, Checks::OnFirstRead)
    }

    /// As [`Store::open`], with a choice of when tables are compared with their checksums.
    ///
    /// # Errors
    /// Those of [`Store::open`].
    pub fn open_with(path: &Path, checks: Checks) -> Result<Self, Error> {
        let layout = Layout::new(path);
        let file = layout.store_file();
        let not_a_store = |reason: String| Error::NotAStore {
            reason,
            path: path.to_owned(),
        };
        let Some(content) = disk::read(&file)? else {
            let reason = if path.is_dir() {
                "`store.json` is missing"
            } else {
                "there is no such folder"
            };
            return Err(not_a_store(reason.to_owned()));
        };
        let version = listing::format_version(&layout, &content)?;
        let readable = version.clamp(OLDEST_FORMAT_VERSION, FORMAT_VERSION);
        check_version("store", version, readable, &file.path())?;
        Ok(Self {
            inner: Arc::new(Inner {
                layout,
                checks,
                known: Mutex::default(),
            }),
        })
    }

    /// Opens a store, or makes one of a folder that is empty or not there yet.
    ///
    /// # Errors
    /// Those of [`Store::open`]; [`Error::NotAStore`] if the folder has other content.
    pub fn create_or_open(path: &Path) -> Result<Self, Error> {
        let layout = Layout::new(path);
        if !layout.store_file().exists() {
            create(&layout)?;
        }
        Self::open(path)
    }

    /// The store's folder.
    pub fn path(&self) -> &Path {
        self.inner.layout.root().root_path()
    }

    /// The runs of this moment: those of every segment, each once, without the removed ones.
    ///
    /// A run that several segments have is listed with the metadata that comes first in the
    /// order of their fields.
    ///
    /// # Errors
    /// [`Error::Vanished`] when the folder is gone; [`Error::Lost`] and [`Error::Log`] when
    /// something that was published is; [`Error::Damaged`] and [`Error::NewerVersion`] for a
    /// segment that cannot be listed; [`Error::Changed`] when the store changes faster than it can
    /// be listed.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        for _ in 0..ATTEMPTS {
            let listing = Listing::read(self.layout())?;
            let mut known = self.lock();
            let known = &mut *known;
            self.forget_lost(&listing, known)?;
            if let Some((latest, snapshot)) = &known.latest
                && *latest == listing
            {
                return Ok(snapshot.clone());
            }
            let Some(live) = listing::live(self.layout(), &listing, &mut known.entries)? else {
                continue;
            };
            let Some(segments) = self.open_segments(&live, &mut known.segments)? else {
                continue;
            };
            let snapshot = Snapshot::new(segments, &live.tombstones);
            known.latest = Some((listing, snapshot.clone()));
            return Ok(snapshot);
        }
        Err(self.restless())
    }

    /// Calls `read` with a snapshot, and again with a new one when compaction removed a segment
    /// under it.
    ///
    /// # Errors
    /// Those of [`Store::snapshot`] and of `read`.
    pub fn with_snapshot<T>(
        &self,
        mut read: impl FnMut(&Snapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        for _ in 0..ATTEMPTS {
            match read(&self.snapshot()?) {
                Err(error) if error.is_changed() => {}
                other => return other,
            }
        }
        Err(self.restless())
    }

    /// Begins an import, which becomes visible when it is published.
    ///
    /// # Errors
    /// [`Error::Permission`] for a store that cannot be written to; those of
    /// [`Store::snapshot`].
    pub fn import(&self) -> Result<Importer, Error> {
        self.check_presence()?;
        let lease = Lease::acquire(&self.inner.layout)?;
        self.ensure_log(&lease)?;
        Ok(Importer::new(self.clone(), self.snapshot()?, lease))
    }

    /// Fails if the store's folder is gone, as below a file system that was unmounted: nothing makes a folder in its
    /// place.
    fn check_presence(&self) -> Result<(), Error> {
        let layout = &self.inner.layout;
        if layout.store_file().exists() {
            Ok(())
        } else {
            let path = layout.root().path();
            Err(Error::Vanished { path })
        }
    }

    /// A folder for files that are on their way into the store, ignored by its readers.
    ///
    /// # Errors
    /// [`Error::Permission`] for a store that cannot be written to.
    pub fn workspace(&self) -> Result<Workspace, Error> {
        self.check_presence()?;
        Workspace::new(&self.inner.layout)
    }

    /// Removes the workspaces of dead processes; returns their number.
    ///
    /// # Errors
    /// When they cannot be listed or removed.
    pub fn remove_dead_workspaces(&self) -> Result<usize, Error> {
        workspace::remove_dead(&self.inner.layout)
    }

    /// Removes runs from sight; `compact` frees their space. Unknown runs are reported, not
    /// refused. A removed run can be imported again.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process compacts or removes.
    pub fn remove(&self, runs: &[RunId]) -> Result<Removal, Error> {
        remove::remove(self, runs)
    }

    /// Brings removed runs back, all or none, until `compact` or an import that merges segments has freed their space.
    ///
    /// # Errors
    /// [`Error::UnknownRun`] for a run that was not removed or is gone; [`Error::Busy`] while another process compacts or
    /// removes.
    pub fn restore(&self, runs: &[RunId]) -> Result<(), Error> {
        remove::restore(self, runs)
    }

    /// Checks everything: checksums, readability, numbers of rows, references between tables,
    /// and that each run's content matches its id.
    ///
    /// # Errors
    /// Only when the check itself fails; damage is in the result.
    pub fn verify(&self, progress: &Progress) -> Result<Verification, Error> {
        verify::verify(self, progress)
    }

    /// Merges segments, frees the space of removed runs, and removes leftovers of dead imports.
    /// Afterwards the same set of runs has the same files with the same bytes.
    ///
    /// Readers of older snapshots meet [`Error::Changed`]. When it fails or is cancelled, no run
    /// is lost.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process compacts or removes; [`Error::Damaged`], before
    /// anything is removed.
    pub fn compact(&self, progress: &Progress) -> Result<Compaction, Error> {
        compact::compact(self, progress)
    }

    /// What a compaction would do, without doing it.
    ///
    /// # Errors
    /// Those of [`Store::snapshot`], and of reading what would be kept.
    pub fn plan_compaction(&self, progress: &Progress) -> Result<Compaction, Error> {
        compact::plan(self, progress)
    }

    /// Rebuilds the log from what is there and sound, after a check like that of
    /// [`Store::verify`]. Damaged segments are set aside below `damaged`, not removed. The result
    /// has all that was wrong before.
    ///
    /// # Errors
    /// [`Error::Busy`] while another process compacts or removes; those of writing.
    pub fn repair(&self, progress: &Progress) -> Result<Verification, Error> {
        repair::repair(self, progress)
    }

    /// The store's folders, and the folder it is in, as far as others than this user may write to
    /// them: they can replace runs, and what they plant is read.
    pub fn exposures(&self) -> Vec<Exposure> {
        exposure::exposures(self.layout())
    }

    /// Takes the maintenance lease from a process that cannot be asked whether it still runs.
    /// Returns whether there was one.
    ///
    /// # Errors
    /// [`Error::Busy`] when the process is known to be running.
    pub fn break_lease(&self) -> Result<bool, Error> {
        lease::break_maintenance(self.layout())
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// Begins the log of a store that was made before there were logs.
    pub(crate) fn ensure_log(&self, lease: &Lease) -> Result<(), Error> {
        let layout = self.layout();
        if listing::version(layout)? >= FORMAT_VERSION {
            return Ok(());
        }
        let listing = Listing::read(layout)?;
        if listing.entries.is_empty() {
            let mut changes = Changes::default();
            for name in &listing.segments {
                if let Some(segment) = Segment::open(layout, name, self.inner.checks)? {
                    let runs = segment.runs().len() as u64;
                    changes.added.insert(name.clone(), runs);
                }
            }
            changes.bury(listing.tombstones);
            log::begin(layout, lease, changes)?;
        }
        describe(layout, lease)
    }

    /// Forgets what is known of segments whose manifest is gone.
    fn forget_lost(&self, listing: &Listing, known: &mut Known) -> Result<(), Error> {
        let folder = self.layout().segments();
        let present = match disk::have_file(&folder, &listing.segments, MANIFEST) {
            Ok(present) => present,
            Err(source) if disk::is_missing(&source) => return Ok(()),
            Err(source) => return Err(Error::io("list the folder", &folder.path(), source)),
        };
        for (name, is_present) in listing.segments.iter().zip(present) {
            if !is_present && known.segments.remove(name).is_some() {
                known.latest = None;
            }
        }
        Ok(())
    }

    /// The listed segments; `None` when one vanished since it was listed. A folder without
    /// manifest is not a segment, unless it was published as one.
    fn open_segments(
        &self,
        live: &listing::Live,
        known: &mut HashMap<String, Arc<Segment>>,
    ) -> Result<Option<Vec<Arc<Segment>>>, Error> {
        let is_new = |name: &&String| !known.contains_key(*name);
        let new: Vec<&String> = live.segments.iter().filter(is_new).collect();
        let mut opened = self.open_new(&new).into_iter();
        let mut segments = Vec::with_capacity(live.segments.len());
        for name in &live.segments {
            if let Some(segment) = known.get(name) {
                segments.push(Arc::clone(segment));
            } else if let Some(segment) = opened.next().transpose()?.flatten() {
                segments.push(Arc::new(segment));
            } else if !self.layout().segment(name).exists() {
                return Ok(None);
            } else if live.logged.contains(name) {
                return Err(listing::lost_manifest(self.layout(), name));
            }
        }
        *known = segments
            .iter()
            .map(|segment| (segment.name().to_owned(), Arc::clone(segment)))
            .collect();
        Ok(Some(segments))
    }

    /// Reads manifests on threads of its own. The caller holds a lock, and a thread of a pool that waits may begin
    /// other work that needs the same lock.
    fn open_new(&self, names: &[&String]) -> Vec<Result<Option<Segment>, Error>> {
        let open = |name: &&String| Segment::open(self.layout(), name, self.inner.checks);
        let threads = available_parallelism().map_or(1, usize::from);
        let threads = threads.min(names.len());
        if threads < 2 {
            return names.iter().map(open).collect();
        }
        let next = AtomicUsize::new(0);
        let opened: Vec<OnceLock<_>> = names.iter().map(|_| OnceLock::new()).collect();
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let (Some(name), Some(place)) = (names.get(at), opened.get(at)) else {
                    break;
                };
                let _ = place.set(open(name));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        opened
            .into_iter()
            .filter_map(OnceLock::into_inner)
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // It is only a cache: its entries are valid even after a panic.
        self.inner
            .known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn restless(&self) -> Error {
        Error::Changed {
            segment: self.path().display().to_string(),
        }
    }
}

/// Makes a store of a folder that has nothing else in it. Doing so twice at a time is fine.
fn create(layout: &Layout) -> Result<(), Error> {
    let ours = ["damaged", "log", "notes", "segments", "tmp"];
    let names = disk::names(layout.root())?;
    if let Some(other) = names.iter().find(|name| !ours.contains(&name.as_str())) {
        if other == STORE_FILE {
            return Ok(());
        }
        return Err(Error::NotAStore {
            reason: format!("the folder has other things in it, such as `{other}`"),
            path: layout.root().path(),
        });
    }
    disk::create_folders(&layout.segments())?;
    disk::create_folders(&layout.tombstones())?;
    disk::create_folders(&layout.leases())?;
    let lease = Lease::acquire(layout)?;
    log::begin(layout, &lease, Changes::default())?;
    describe(layout, &lease)
}

/// Writes the file that makes a folder a store of this version.
fn describe(layout: &Layout, lease: &Lease) -> Result<(), Error> {
    let description = StoreFile {
        format_version: FORMAT_VERSION,
        created_by: concat!("grainsheaf ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let mut content = serde_json::to_vec_pretty(&description)
        .map_err(|source| Error::internal("describe the store", source))?;
    content.push(b'\n');
    let aside: Place = lease.folder().join(STORE_FILE);
    disk::write(&aside, &content)?;
    disk::rename(&aside, &layout.store_file())?;
    disk::sync_folder(layout.root())
}
