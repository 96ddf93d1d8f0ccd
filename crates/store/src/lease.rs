//! Leases: folders below `tmp` that say which process works there, and whether it still does.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::layout::{Layout, content_hash};
use crate::{Error, disk};

/// Work whose process cannot be asked is taken for dead when its lease was not renewed for this
/// long. A living process of this machine keeps its lease for as long as it lives.
const GRACE: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder without a readable lease was just made, or its maker died at that very moment.
const UNSIGNED_GRACE: Duration = Duration::from_secs(10 * 60);

/// Name of the one lease that compaction and removal share.
const MAINTENANCE: &str = "maintenance";

const LEASE_FILE: &str = "lease.json";

/// Who holds a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    token: String,
    pid: u32,
    /// Machine and process namespace; empty where they cannot be told.
    host: String,
    /// When the process began, in the machine's own count: tells apart reused process numbers.
    started: String,
}

/// A folder of this process below `tmp`, removed with all it holds when dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    folder: PathBuf,
    holder: Holder,
}

impl Lease {
    /// A folder of its own for an import.
    pub(crate) fn acquire(layout: &Layout) -> Result<Self, Error> {
        let holder = Holder::this_process();
        let folder = layout.leases().join(&holder.token);
        disk::create_folders(&folder)?;
        let content = serde_json::to_vec(&holder)
            .map_err(|source| Error::internal("describe a lease", source))?;
        let lease = Self { folder, holder };
        disk::write(&lease.folder.join(LEASE_FILE), &content)?;
        Ok(lease)
    }

    /// The one folder for compaction and removal: at most one process at a time has it.
    pub(crate) fn acquire_maintenance(layout: &Layout) -> Result<Self, Error> {
        let mut lease = Self::acquire(layout)?;
        let shared = layout.leases().join(MAINTENANCE);
        if !disk::rename(&lease.folder, &shared)? {
            evict_dead_holder(layout, &shared)?;
            if !disk::rename(&lease.folder, &shared)? {
                return Err(busy(&shared));
            }
        }
        lease.folder = shared;
        Ok(lease)
    }

    /// The folder to work in.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Name of this piece of work, unlike any other's.
    pub(crate) fn token(&self) -> &str {
        &self.holder.token
    }

    /// Tells others that the work goes on, and fails when another process took over.
    pub(crate) fn renew(&self) -> Result<(), Error> {
        let path = self.folder.join(LEASE_FILE);
        if read_holder(&self.folder).as_ref() != Some(&self.holder) {
            return Err(Error::LeaseLost { path });
        }
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()))
            .map_err(|source| Error::io("renew the lease", &path, source))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if read_holder(&self.folder).is_none_or(|holder| holder == self.holder) {
            // What cannot be removed now is a leftover that `compact` finds.
            let _ = discard(&self.folder);
        }
    }
}

/// What is below `tmp` and belongs to no living work, sorted by path.
pub(crate) fn leftovers(layout: &Layout) -> Result<Vec<PathBuf>, Error> {
    let folder = layout.leases();
    let mut found = Vec::new();
    for name in disk::names(&folder)? {
        let path = folder.join(name);
        if is_dead(&path) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Removes a lease's folder, and the lease last: whoever is killed amid it leaves a folder that
/// still tells whose it was, and not one that counts as just made.
pub(crate) fn discard(folder: &Path) -> Result<(), Error> {
    if !folder.is_dir() {
        return disk::remove(folder);
    }
    for name in disk::names(folder)? {
        if name != LEASE_FILE {
            disk::remove(&folder.join(name))?;
        }
    }
    disk::remove(folder)
}

/// Whether a file or folder was not touched for so long that nobody can be at work on it.
pub(crate) fn is_abandoned(path: &Path) -> bool {
    is_older(path, GRACE)
}

fn is_older(path: &Path, limit: Duration) -> bool {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age > limit))
}

fn is_dead(folder: &Path) -> bool {
    match read_holder(folder) {
        Some(holder) => holder
            .is_running()
            .map_or_else(|| is_abandoned(&folder.join(LEASE_FILE)), |runs| !runs),
        None => is_older(folder, UNSIGNED_GRACE),
    }
}

/// Moves a dead process's lease out of the way. A lease that turns out to be a living one's,
/// taken in the meantime, is put back.
fn evict_dead_holder(layout: &Layout, shared: &Path) -> Result<(), Error> {
    if !is_dead(shared) {
        return Err(busy(shared));
    }
    let aside = layout.leases().join(Holder::this_process().token);
    if disk::rename(shared, &aside).is_err() {
        return Err(busy(shared));
    }
    if is_dead(&aside) {
        return discard(&aside);
    }
    disk::rename(&aside, shared)?;
    Err(busy(shared))
}

fn busy(shared: &Path) -> Error {
    let holder = read_holder(shared).map_or_else(
        || "another process".to_owned(),
        |holder| format!("process `{}` on `{}`", holder.pid, holder.host),
    );
    Error::Busy {
        holder,
        path: shared.to_owned(),
    }
}

fn read_holder(folder: &Path) -> Option<Holder> {
    let content = fs::read(folder.join(LEASE_FILE)).ok()?;
    serde_json::from_slice(&content).ok()
}

impl Holder {
    fn this_process() -> Self {
        let pid = std::process::id();
        let host = this_host();
        let started = process_start(pid).unwrap_or_default();
        Self {
            token: new_token(&host, pid),
            pid,
            host,
            started,
        }
    }

    /// Whether the process still runs; `None` when that cannot be told from here.
    fn is_running(&self) -> Option<bool> {
        if self.host.is_empty() || self.started.is_empty() || self.host != this_host() {
            return None;
        }
        Some(process_start(self.pid).as_ref() == Some(&self.started))
    }
}

fn new_token(host: &str, pid: u32) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let seed = format!("{host} {pid} {now} {count}");
    content_hash(seed.as_bytes()).chars().take(16).collect()
}

/// The machine and its process namespace, as far as the system tells.
fn this_host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname");
    let namespace = fs::read_link("/proc/self/ns/pid");
    match (name, namespace) {
        (Ok(name), Ok(namespace)) => format!("{} {}", name.trim(), namespace.display()),
        _ => String::new(),
    }
}

/// When a process began; `None` when there is no such process. Field 22 of `/proc/PID/stat`,
/// counted from the end of the command, which may hold blanks (proc(5)).
fn process_start(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}
