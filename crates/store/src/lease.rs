//! Leases: folders below `tmp` that name the process that works there, and whether it is still alive.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::disk::{Owners, Place};
use crate::layout::{Layout, MANIFEST, STORE_FILE, content_hash, file_name};
use crate::{Error, catalogue, disk, log};
use sheaf_model::table::TABLES;

/// Work whose process cannot be asked is taken for dead when its lease was not renewed for this
/// long, and so is a folder without a lease. A living process of this machine keeps its lease for
/// as long as it lives.
const GRACE: Duration = Duration::from_secs(24 * 60 * 60);

/// How long compactions and removals wait for each other.
const PATIENCE: Duration = Duration::from_secs(1);

/// Name of the one lease that compaction and removal share.
const MAINTENANCE: &str = "maintenance";

const LEASE_FILE: &str = "lease.json";

/// Folder of a workspace inside of a lease's folder.
pub(crate) const WORKSPACE: &str = "workspace";

/// File of a tombstone inside of a lease's folder, before it is published.
pub(crate) const TOMBSTONE: &str = "tombstone.json";

/// Beginnings of the names that folders of segments have inside of a lease's folder.
const SEGMENT_FOLDERS: [&str; 3] = ["segment-", "retired-", "damaged-"];

/// Who holds a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    token: String,
    pid: u32,
    /// Machine name and process namespace; empty where they cannot be found out.
    host: String,
    /// Start time of the process, in ticks of the machine: distinguishes reused process ids.
    started: String,
    /// The machine's own id, which names of machines need not be.
    #[serde(default)]
    machine: String,
    /// The machine's present boot: no process survives another one.
    #[serde(default)]
    boot: String,
}

/// A folder of this process below `tmp`, removed with all it holds when dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    folder: Place,
    holder: Holder,
    owners: Owners,
}

/// Content of `tmp` without live work.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    /// Folders of dead processes, which may be removed.
    pub(crate) leftovers: Vec<Place>,
    /// What is not the store's, or not its owner's, and stays.
    pub(crate) foreign: Vec<Place>,
}

impl Lease {
    /// A folder of its own for an import.
    pub(crate) fn acquire(layout: &Layout) -> Result<Self, Error> {
        let holder = Holder::this_process();
        let folder = layout.leases().join(&holder.token);
        disk::create_folders(&folder)?;
        let owners = Owners::of(layout.root())?;
        let content = serde_json::to_vec(&holder)
            .map_err(|source| Error::internal("describe a lease", source))?;
        let lease = Self {
            folder,
            holder,
            owners,
        };
        disk::write(&lease.folder.join(LEASE_FILE), &content)?;
        Ok(lease)
    }

    /// As [`Lease::acquire_maintenance`], but waits a moment for another holder: imports that merge
    /// small segments hold the lease for less than that.
    pub(crate) fn await_maintenance(layout: &Layout) -> Result<Self, Error> {
        let start = Instant::now();
        loop {
            match Self::acquire_maintenance(layout) {
                Err(Error::Busy { .. }) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(PATIENCE / 100);
                }
                other => return other,
            }
        }
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
    pub(crate) fn folder(&self) -> &Place {
        &self.folder
    }

    /// Name of this piece of work, unlike any other's.
    pub(crate) fn token(&self) -> &str {
        &self.holder.token
    }

    /// Shows others that the work goes on, and fails when another process took over.
    pub(crate) fn renew(&self) -> Result<(), Error> {
        let file = self.folder.join(LEASE_FILE);
        if read_holder(&self.folder).as_ref() != Some(&self.holder) {
            return Err(Error::LeaseLost { path: file.path() });
        }
        disk::touch(&file).map_err(|source| Error::io("renew the lease", &file.path(), source))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if read_holder(&self.folder).is_none_or(|holder| holder == self.holder) {
            // What cannot be removed now is a leftover that `compact` finds.
            let _ = discard(&self.folder, &self.owners);
        }
    }
}

/// What is below `tmp` and belongs to no living work, sorted by name.
pub(crate) fn remains(layout: &Layout) -> Result<Remains, Error> {
    let owners = Owners::of(layout.root())?;
    let mut remains = Remains::default();
    for name in disk::names(&layout.leases())? {
        let folder = layout.leases().join(&name);
        if !is_lease_name(&name) || !folder.is_folder() || !owners.own_place(&folder) {
            if folder.exists() {
                remains.foreign.push(folder);
            }
        } else if is_dead(&folder) {
            let is_marked = read_holder(&folder).is_some() || is_unsigned(&folder);
            let foreign = foreign_entries(&folder, &owners)?;
            if is_marked && foreign.is_empty() {
                remains.leftovers.push(folder);
            } else if is_marked {
                remains.foreign.extend(foreign);
            } else {
                remains.foreign.push(folder);
            }
        }
    }
    Ok(remains)
}

/// Removes a lease's folder as far as it is the store's, the lease last: whoever is killed amid it
/// leaves a folder that still names its owner. Returns whether it is gone.
pub(crate) fn discard(folder: &Place, owners: &Owners) -> Result<bool, Error> {
    if !folder.is_folder() || !owners.own_place(folder) {
        return Ok(!folder.exists());
    }
    let mut is_empty = true;
    for name in disk::names(folder)? {
        let entry = folder.join(&name);
        is_empty &= match EntryKind::of(&name) {
            Some(EntryKind::Lease) => true,
            Some(EntryKind::Segment) => discard_segment(&entry, owners)?,
            Some(EntryKind::Workspace) => disk::remove_folder_tree(&entry, owners)?,
            Some(EntryKind::File) if entry.is_file() && owners.own_place(&entry) => {
                disk::remove_file(&entry)?;
                true
            }
            Some(EntryKind::File) | None => !entry.exists(),
        };
    }
    if !is_empty {
        return Ok(false);
    }
    disk::remove_files(folder, owners, |name| name == LEASE_FILE)?;
    disk::remove_empty_folder(folder)
}

/// Removes the files of a segment's folder, and the folder if nothing else is in it.
pub(crate) fn discard_segment(folder: &Place, owners: &Owners) -> Result<bool, Error> {
    if !folder.is_folder() || !owners.own_place(folder) {
        return Ok(!folder.exists());
    }
    // The manifest is removed first: without it the rest is not a segment.
    disk::remove_files(folder, owners, |name| name == MANIFEST)?;
    disk::remove_files(folder, owners, is_table_file)?;
    disk::remove_empty_folder(folder)
}

/// Whether a name is one of the files that a segment has.
pub(crate) fn is_segment_file(name: &str) -> bool {
    name == MANIFEST || is_table_file(name)
}

fn is_table_file(name: &str) -> bool {
    let mut tables = TABLES.iter().map(|table| table.name);
    tables.any(|table| file_name(table) == name)
        || [catalogue::RUNS, catalogue::PARAMS]
            .map(file_name)
            .contains(&name.to_owned())
}

/// What the store itself puts into a lease's folder.
enum EntryKind {
    Lease,
    Segment,
    Workspace,
    File,
}

impl EntryKind {
    fn of(name: &str) -> Option<Self> {
        match name {
            LEASE_FILE => Some(Self::Lease),
            WORKSPACE => Some(Self::Workspace),
            TOMBSTONE | STORE_FILE | log::ASIDE => Some(Self::File),
            _ => {
                let mut beginnings = SEGMENT_FOLDERS.iter();
                beginnings
                    .any(|beginning| name.starts_with(beginning))
                    .then_some(Self::Segment)
            }
        }
    }
}

/// What in a lease's folder is not the store's or not its owner's.
fn foreign_entries(folder: &Place, owners: &Owners) -> Result<Vec<Place>, Error> {
    let mut foreign = Vec::new();
    for name in disk::names(folder)? {
        let entry = folder.join(&name);
        let is_expected = match EntryKind::of(&name) {
            Some(EntryKind::Lease | EntryKind::File) => entry.is_file(),
            Some(EntryKind::Workspace) => entry.is_folder(),
            Some(EntryKind::Segment) if entry.is_folder() => {
                let names = disk::names(&entry)?;
                let others = names.iter().filter(|name| !is_segment_file(name));
                foreign.extend(others.map(|name| entry.join(name)));
                true
            }
            Some(EntryKind::Segment) | None => false,
        };
        if entry.exists() && !(is_expected && owners.own_place(&entry)) {
            foreign.push(entry);
        }
    }
    Ok(foreign)
}

fn is_lease_name(name: &str) -> bool {
    let is_token = name.len() == TOKEN_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_token || name == MAINTENANCE
}

/// Whether a folder holds nothing but what a process leaves that dies while it writes its lease.
fn is_unsigned(folder: &Place) -> bool {
    let names = disk::names(folder);
    names.is_ok_and(|names| names.iter().all(|name| name == LEASE_FILE))
}

fn is_older(place: &Place, limit: Duration) -> bool {
    let modified = place.modified();
    modified.is_some_and(|modified| modified.elapsed().is_ok_and(|age| age > limit))
}

fn is_dead(folder: &Place) -> bool {
    match read_holder(folder) {
        Some(holder) => holder
            .is_running()
            .map_or_else(|| is_older(&folder.join(LEASE_FILE), GRACE), |runs| !runs),
        None => is_older(folder, GRACE),
    }
}

/// Takes the maintenance lease from a holder that cannot be asked, such as a process of another
/// machine. Returns whether there was one.
///
/// # Errors
/// [`Error::Busy`] when the holder is known to be running.
pub(crate) fn break_maintenance(layout: &Layout) -> Result<bool, Error> {
    let shared = layout.leases().join(MAINTENANCE);
    if !shared.exists() {
        return Ok(false);
    }
    if read_holder(&shared).is_some_and(|holder| holder.is_running() == Some(true)) {
        return Err(busy(&shared));
    }
    evict(layout, &shared, |_| true)?;
    Ok(true)
}

fn evict_dead_holder(layout: &Layout, shared: &Place) -> Result<(), Error> {
    if !is_dead(shared) {
        return Err(busy(shared));
    }
    evict(layout, shared, is_dead)
}

/// Moves a lease out of the way. A lease that turns out to be a living one's, taken in the
/// meantime, is put back.
fn evict(layout: &Layout, shared: &Place, is_over: impl Fn(&Place) -> bool) -> Result<(), Error> {
    let aside = layout.leases().join(&Holder::this_process().token);
    if disk::rename(shared, &aside).is_err() {
        return Err(busy(shared));
    }
    if is_over(&aside) {
        discard(&aside, &Owners::of(layout.root())?)?;
        return Ok(());
    }
    disk::rename(&aside, shared)?;
    Err(busy(shared))
}

fn busy(shared: &Place) -> Error {
    let holder = read_holder(shared).map_or_else(
        || "another process".to_owned(),
        |holder| format!("process `{}` on `{}`", holder.pid, holder.host),
    );
    Error::Busy {
        holder,
        path: shared.path(),
    }
}

fn read_holder(folder: &Place) -> Option<Holder> {
    let content = disk::read(&folder.join(LEASE_FILE)).ok()??;
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
            machine: system_text("/etc/machine-id"),
            boot: system_text("/proc/sys/kernel/random/boot_id"),
        }
    }

    /// Whether the process still runs; `None` when that cannot be found out from here.
    fn is_running(&self) -> Option<bool> {
        let here = Self::this_process();
        if self.host.is_empty() || self.started.is_empty() {
            return None;
        }
        let is_machine = self.machine_name() == here.machine_name() && self.machine == here.machine;
        let has_rebooted = !self.boot.is_empty() && !here.boot.is_empty() && self.boot != here.boot;
        if is_machine && has_rebooted && !self.machine.is_empty() {
            return Some(false);
        }
        if self.host != here.host || self.machine != here.machine || has_rebooted {
            return None;
        }
        Some(process_start(self.pid).as_ref() == Some(&self.started))
    }

    fn machine_name(&self) -> &str {
        self.host.split(' ').next().unwrap_or_default()
    }
}

/// Digits of a lease's token.
const TOKEN_DIGITS: usize = 16;

fn new_token(host: &str, pid: u32) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let seed = format!("{host} {pid} {now} {count}");
    let hash = content_hash(seed.as_bytes());
    hash.chars().take(TOKEN_DIGITS).collect()
}

/// The machine and its process namespace, as far as the system reports them.
fn this_host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname");
    let namespace = fs::read_link("/proc/self/ns/pid");
    match (name, namespace) {
        (Ok(name), Ok(namespace)) => format!("{} {}", name.trim(), namespace.display()),
        _ => String::new(),
    }
}

fn system_text(path: &str) -> String {
    fs::read_to_string(path).map_or_else(|_| String::new(), |text| text.trim().to_owned())
}

/// Start time of a process; `None` if it does not exist. Field 22 of `/proc/PID/stat`,
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
