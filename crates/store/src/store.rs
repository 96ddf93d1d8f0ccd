//! The store itself: opening, and the way to everything that can be done with it.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use sheaf_model::{Progress, RunId};

use crate::layout::{FORMAT_VERSION, Layout, is_segment_name, parse_tombstone};
use crate::lease::Lease;
use crate::manifest::check_version;
use crate::segment::Segment;
use crate::{
    Compaction, Error, Importer, Removal, Snapshot, Verification, Workspace, compact, disk, remove,
    verify, workspace,
};

/// How often a listing or a read is tried again while others change the store.
const ATTEMPTS: usize = 100;

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
    known: Mutex<Known>,
}

/// What is known from the latest snapshot. Segments never change, so each manifest is read once,
/// and equal listings are the same snapshot.
#[derive(Debug, Default)]
struct Known {
    segments: HashMap<String, Arc<Segment>>,
    latest: Option<(Listing, Snapshot)>,
}

/// The names that a snapshot is made of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listing {
    pub(crate) segments: Vec<String>,
    /// Runs that were removed, each with the segment that still holds its rows.
    pub(crate) tombstones: BTreeSet<(RunId, String)>,
}

#[derive(Serialize, Deserialize)]
struct StoreFile {
    format_version: u32,
    #[serde(default)]
    created_by: String,
}

impl Store {
    /// Opens a store, which needs no right to write.
    ///
    /// # Errors
    /// [`Error::NotAStore`], [`Error::NewerVersion`], [`Error::OlderVersion`],
    /// [`Error::Permission`].
    pub fn open(path: &Path) -> Result<Self, Error> {
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
        let description: StoreFile = serde_json::from_slice(&content)
            .map_err(|source| not_a_store(format!("`store.json` is unreadable ({source})")))?;
        check_version("store", description.format_version, FORMAT_VERSION, &file)?;
        let known = Mutex::default();
        Ok(Self {
            inner: Arc::new(Inner { layout, known }),
        })
    }

    /// Opens a store, or makes one of a folder that is empty or not there yet.
    ///
    /// # Errors
    /// Those of [`Store::open`]; [`Error::NotAStore`] when the folder holds other things.
    pub fn create_or_open(path: &Path) -> Result<Self, Error> {
        let layout = Layout::new(path);
        if !layout.store_file().exists() {
            create(&layout)?;
        }
        Self::open(path)
    }

    /// The store's folder.
    pub fn path(&self) -> &Path {
        self.inner.layout.root()
    }

    /// The runs of this moment: those of every segment, each once, without the removed ones.
    ///
    /// A run that several segments have is listed with the metadata that comes first in the
    /// order of their fields.
    ///
    /// # Errors
    /// [`Error::Damaged`] and [`Error::NewerVersion`] for a segment that cannot be listed;
    /// [`Error::Changed`] when the store changes faster than it can be listed.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        for _ in 0..ATTEMPTS {
            let listing = self.listing()?;
            let mut known = self.lock();
            if let Some((latest, snapshot)) = &known.latest
                && *latest == listing
            {
                return Ok(snapshot.clone());
            }
            let Some(segments) = self.open_segments(&listing, &mut known)? else {
                continue;
            };
            let snapshot = Snapshot::new(segments, &listing.tombstones);
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
        let lease = Lease::acquire(&self.inner.layout)?;
        Ok(Importer::new(self.clone(), self.snapshot()?, lease))
    }

    /// A folder for files that are on their way into the store, ignored by its readers.
    ///
    /// # Errors
    /// [`Error::Permission`] for a store that cannot be written to.
    pub fn workspace(&self) -> Result<Workspace, Error> {
        Workspace::new(&self.inner.layout)
    }

    /// Removes the workspaces that dead processes left behind; returns how many there were.
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

    /// Checks everything: checksums, readability, numbers of rows, references between tables,
    /// and that each run's content is what its id says.
    ///
    /// # Errors
    /// Only when the check itself fails; damage is in the result.
    pub fn verify(&self, progress: &Progress) -> Result<Verification, Error> {
        verify::verify(self, progress)
    }

    /// Merges segments, frees the space of removed runs, removes what dead imports left behind.
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

    pub(crate) fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// Names of segments and tombstones at one moment. Listing a folder is not atomic, but two
    /// equal listings in a row missed nothing that was there all the time between them.
    pub(crate) fn listing(&self) -> Result<Listing, Error> {
        let mut last = self.list_once()?;
        for _ in 0..ATTEMPTS {
            let next = self.list_once()?;
            if next == last {
                return Ok(next);
            }
            last = next;
        }
        Err(self.restless())
    }

    fn list_once(&self) -> Result<Listing, Error> {
        let layout = &self.inner.layout;
        let mut segments = disk::names(&layout.segments())?;
        segments.retain(|name| is_segment_name(name));
        let tombstones = disk::names(&layout.tombstones())?;
        Ok(Listing {
            segments,
            tombstones: tombstones
                .iter()
                .filter_map(|name| parse_tombstone(name))
                .collect(),
        })
    }

    /// The listed segments; `None` when one vanished since it was listed. A folder without
    /// manifest is no segment.
    fn open_segments(
        &self,
        listing: &Listing,
        known: &mut Known,
    ) -> Result<Option<Vec<Arc<Segment>>>, Error> {
        let mut segments = Vec::with_capacity(listing.segments.len());
        for name in &listing.segments {
            if let Some(segment) = known.segments.get(name) {
                segments.push(Arc::clone(segment));
            } else if let Some(segment) = Segment::open(self.layout(), name)? {
                segments.push(Arc::new(segment));
            } else if !self.layout().segment(name).exists() {
                return Ok(None);
            }
        }
        known.segments = segments
            .iter()
            .map(|segment| (segment.name().to_owned(), Arc::clone(segment)))
            .collect();
        Ok(Some(segments))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // It only caches: whatever a panicking thread left in it is true.
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
    let ours = ["notes", "segments", "tmp"];
    let names = disk::names(layout.root())?;
    if let Some(other) = names.iter().find(|name| !ours.contains(&name.as_str())) {
        if other == "store.json" {
            return Ok(());
        }
        return Err(Error::NotAStore {
            reason: format!("the folder has other things in it, such as `{other}`"),
            path: layout.root().to_owned(),
        });
    }
    disk::create_folders(&layout.segments())?;
    disk::create_folders(&layout.tombstones())?;
    disk::create_folders(&layout.leases())?;
    let lease = Lease::acquire(layout)?;
    let description = StoreFile {
        format_version: FORMAT_VERSION,
        created_by: concat!("grainsheaf ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let mut content = serde_json::to_vec_pretty(&description)
        .map_err(|source| Error::internal("describe the store", source))?;
    content.push(b'\n');
    let aside = lease.folder().join("store.json");
    disk::write(&aside, &content)?;
    disk::rename(&aside, &layout.store_file())?;
    disk::sync_folder(layout.root())
}
