//! The few file-system operations that the store is made of, each atomic or retried by others.
//!
//! Everything that changes the store goes through here, so that tests can stop the process
//! before any single change.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::Error;

/// Creates a folder and those above it; existing ones are fine.
pub(crate) fn create_folders(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    before_change();
    fs::create_dir_all(path).map_err(|source| Error::io("create the folder", path, source))
}

/// Creates a file that must not exist, for writing.
pub(crate) fn create(path: &Path) -> Result<File, Error> {
    before_change();
    File::create_new(path).map_err(|source| Error::io("create the file", path, source))
}

/// Writes a whole new file and makes it durable.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    let mut file = create(path)?;
    before_change();
    file.write_all(content)
        .map_err(|source| Error::io("write the file", path, source))?;
    sync(&file, path)
}

/// Makes a file's content durable.
pub(crate) fn sync(file: &File, path: &Path) -> Result<(), Error> {
    before_change();
    file.sync_all()
        .map_err(|source| Error::io("sync the file", path, source))
}

/// Makes the names in a folder durable. File systems that cannot do it are left alone.
pub(crate) fn sync_folder(path: &Path) -> Result<(), Error> {
    let synced = File::open(path).and_then(|folder| folder.sync_all());
    match synced {
        Err(source) if source.kind() == io::ErrorKind::NotFound => {
            Err(Error::io("sync the folder", path, source))
        }
        _ => Ok(()),
    }
}

/// Renames; a folder replaces only an empty one. Tells whether it happened or the target was
/// there already.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<bool, Error> {
    before_change();
    match fs::rename(from, to) {
        Ok(()) => Ok(true),
        Err(source)
            if matches!(
                source.kind(),
                io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists
            ) =>
        {
            Ok(false)
        }
        Err(source) => Err(Error::io("rename the file", from, source)),
    }
}

/// Removes a file; a missing one is fine.
pub(crate) fn remove_file(path: &Path) -> Result<(), Error> {
    before_change();
    tolerate_missing(fs::remove_file(path))
        .map_err(|source| Error::io("remove the file", path, source))
}

/// Removes a file or a folder with all it holds; a missing one is fine.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    if !path.is_dir() {
        return remove_file(path);
    }
    before_change();
    tolerate_missing(fs::remove_dir_all(path))
        .map_err(|source| Error::io("remove the folder", path, source))
}

/// The content of a file; `None` when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(source) if is_missing(&source) => Ok(None),
        Err(source) => Err(Error::io("read the file", path, source)),
    }
}

/// The names in a folder, sorted; none when there is no folder.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, Error> {
    let failed = |source| Error::io("list the folder", path, source);
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(source) if is_missing(&source) => return Ok(Vec::new()),
        Err(source) => return Err(failed(source)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(
            entry
                .map_err(failed)?
                .file_name()
                .to_string_lossy()
                .into_owned(),
        );
    }
    names.sort_unstable();
    Ok(names)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn tolerate_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(source) if is_missing(&source) => Ok(()),
        other => other,
    }
}

#[cfg(not(test))]
fn before_change() {}

#[cfg(test)]
use crash::before_change;

/// Stops the test process before the change with a given number.
#[cfg(test)]
pub(crate) mod crash {
    use std::sync::atomic::{AtomicU64, Ordering};

    static CHANGES: AtomicU64 = AtomicU64::new(0);
    static LAST: AtomicU64 = AtomicU64::new(u64::MAX);

    pub(super) fn before_change() {
        if CHANGES.fetch_add(1, Ordering::Relaxed) >= LAST.load(Ordering::Relaxed) {
            std::process::abort();
        }
    }

    /// Lets `changes` more changes happen, then aborts the process.
    pub(crate) fn after(changes: u64) {
        LAST.store(
            CHANGES.load(Ordering::Relaxed).saturating_add(changes),
            Ordering::Relaxed,
        );
    }

    /// Changes so far.
    pub(crate) fn changes() -> u64 {
        CHANGES.load(Ordering::Relaxed)
    }
}
