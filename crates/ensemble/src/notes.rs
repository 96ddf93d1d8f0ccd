//! Files of a store's folder `notes`: read, listed, changed under a lock and replaced as a whole.
//!
//! Every operation goes through a handle of the folder and follows no link below the store, so that in a store that
//! others may write nothing outside of it is read or written. A file is written under a new name, made durable and
//! renamed, so that readers, which take no lock, see the old or the new one.

mod changes;

use std::fs::{File, TryLockError};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;

use crate::Error;

/// The store's folder of notes.
const FOLDER: &str = "notes";
/// File whose lock is held by whoever changes a note. It is empty and stays.
const LOCK: &str = ".lock";
/// A note is not larger than this.
pub(crate) const MAX_BYTES: u64 = 16 << 20;
/// How long another process may hold the lock before a change is given up.
const LOCK_TIME: Duration = Duration::from_secs(10);

/// The folder `notes` of a store, or a folder in it.
#[derive(Debug, Clone)]
pub(crate) struct Notes {
    store: PathBuf,
    /// Folders from the store to this one.
    steps: &'static [&'static str],
}

impl Notes {
    /// The notes of the store in a folder.
    pub(crate) fn of(store: &Path) -> Self {
        let store = store.to_owned();
        let steps = &[FOLDER];
        Self { store, steps }
    }

    /// The notes about imports, of which there are many.
    pub(crate) fn of_batches(store: &Path) -> Self {
        let store = store.to_owned();
        let steps = &[FOLDER, "batches"];
        Self { store, steps }
    }

    /// Where a note is, for messages.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        let folder = self
            .steps
            .iter()
            .fold(self.store.clone(), |at, step| at.join(step));
        if name.is_empty() {
            folder
        } else {
            folder.join(name)
        }
    }

    /// The text of a note; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be read; when it is a link, no file, no text or too large.
    pub(crate) fn read(&self, name: &str) -> Result<Option<String>, Error> {
        match self.open(false) {
            Ok(None) => Ok(None),
            Ok(Some(folder)) => read_file(&folder, name),
            Err(error) => Err(error),
        }
        .map_err(|source| self.error("read the note", name, source))
    }

    /// The names of all notes in order, without files that are being written.
    ///
    /// # Errors
    /// When the folder cannot be listed.
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        let listed = self
            .open(false)
            .and_then(|folder| folder.map_or(Ok(Vec::new()), |it| names(&it)));
        let mut names = listed.map_err(|source| self.error("list the notes", "", source))?;
        names.retain(|name| !name.starts_with('.'));
        Ok(names)
    }

    /// Takes the lock for changes, after at most ten seconds.
    ///
    /// # Errors
    /// When the folder cannot be made or written, or another process holds the lock.
    pub(crate) fn lock(&self) -> Result<LockedNotes<'_>, Error> {
        let locked = self.open(true).and_then(|folder| {
            let folder = folder.ok_or(io::ErrorKind::NotFound)?;
            let flags = OFlags::RDWR | OFlags::CREATE;
            let file = open_at(&folder, LOCK, flags)?;
            wait_for(&file)?;
            Ok((folder, file))
        });
        let (folder, lock) = locked.map_err(|source| self.error("lock the notes", LOCK, source))?;
        Ok(LockedNotes {
            notes: self,
            folder,
            _lock: lock,
        })
    }

    fn error(&self, action: &'static str, name: &str, source: io::Error) -> Error {
        let path = self.path(name);
        Error::Note {
            action,
            path,
            source,
        }
    }

    /// A handle of the folder, which is made when missing and `is_made`.
    fn open(&self, is_made: bool) -> io::Result<Option<OwnedFd>> {
        // The store is where the user says, also by way of links.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = rustix::fs::openat(CWD, &self.store, flags, Mode::empty())?;
        for step in self.steps {
            if is_made && changes::make_folder(&folder, step)? {
                changes::sync_names(&folder)?;
            }
            let flags = flags | OFlags::NOFOLLOW;
            folder = match rustix::fs::openat(&folder, *step, flags, Mode::empty()) {
                Ok(folder) => folder,
                Err(Errno::NOENT) if !is_made => return Ok(None),
                Err(Errno::NOTDIR | Errno::LOOP) => return Err(not_regular("a folder")),
                Err(error) => return Err(error.into()),
            };
        }
        Ok(Some(folder))
    }
}

/// The notes while no other process changes them.
#[derive(Debug)]
pub(crate) struct LockedNotes<'a> {
    notes: &'a Notes,
    folder: OwnedFd,
    /// Closing it frees the lock.
    _lock: File,
}

impl LockedNotes<'_> {
    /// Replaces a note, or makes it. It is durable afterwards.
    ///
    /// # Errors
    /// When it cannot be written; then the note is what it was before.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        self.replace(name, text)
            .map_err(|source| self.notes.error("write the note", name, source))
    }

    fn replace(&self, name: &str, text: &str) -> io::Result<()> {
        if text.len() as u64 > MAX_BYTES {
            // Nobody could read it afterwards.
            return Err(too_large("would have"));
        }
        self.remove_unfinished()?;
        let aside = format!(".{name}.{}", random_name());
        let mut file = changes::create(&self.folder, &aside)?;
        let written = changes::write(&mut file, text.as_bytes())
            .and_then(|()| changes::sync_content(&file))
            .and_then(|()| changes::rename(&self.folder, &aside, name));
        if written.is_err() {
            // The first failure is what matters; what is left is removed by the next change.
            let _ = changes::remove(&self.folder, &aside);
        }
        written?;
        changes::sync_names(&self.folder)
    }

    /// Files of processes that ended while they wrote: with the lock, nobody else is writing.
    fn remove_unfinished(&self) -> io::Result<()> {
        for name in names(&self.folder)? {
            if is_unfinished(&name) {
                changes::remove(&self.folder, &name)?;
            }
        }
        Ok(())
    }

    /// Removes a note; one that is gone already is fine.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Error> {
        match changes::remove(&self.folder, name) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(self.notes.error("remove the note", name, error)),
        }
    }

    /// Bytes of a note; 0 when it is gone.
    pub(crate) fn bytes(&self, name: &str) -> u64 {
        rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .ok()
            .and_then(|stat| u64::try_from(stat.st_size).ok())
            .unwrap_or(0)
    }
}

fn open_at(folder: &OwnedFd, name: &str, flags: OFlags) -> io::Result<File> {
    // A pipe in place of a file must not block.
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o666)) {
        Ok(file) => Ok(File::from(file)),
        Err(Errno::LOOP) => Err(not_regular("a file")),
        Err(error) => Err(error.into()),
    }
}

fn not_regular(what: &str) -> io::Error {
    let reason = format!("it is not {what}, and links are not followed");
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn read_file(folder: &OwnedFd, name: &str) -> io::Result<Option<String>> {
    let file = match open_at(folder, name, OFlags::RDONLY) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    if !file.metadata()?.is_file() {
        return Err(not_regular("a file"));
    }
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(too_large("has"));
    }
    Ok(Some(text))
}

fn too_large(has: &str) -> io::Error {
    let reason = format!("it {has} more than {} MB", MAX_BYTES >> 20);
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn names(folder: &OwnedFd) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Waits for the lock. File systems without locks are used without: each change is whole all the same.
fn wait_for(file: &File) -> io::Result<()> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() > LOCK_TIME => {
                return Err(io::ErrorKind::ResourceBusy.into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// 32 digits that nobody else can foresee: the keys of hashers come from the system's random source.
fn random_name() -> String {
    let number = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", number(), number())
}

/// Whether a name is one that [`LockedNotes::write`] gives to unfinished files.
fn is_unfinished(name: &str) -> bool {
    let rest = name
        .strip_prefix('.')
        .and_then(|name| name.rsplit_once('.'));
    rest.is_some_and(|(_, end)| end.len() == 32 && end.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests;
