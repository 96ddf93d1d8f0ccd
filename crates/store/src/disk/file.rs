//! Files of a store, opened without following links.

use std::ffi::OsStr;
use std::io::{self, Write};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use super::faults::Change;
use super::place::refuse_link;
use super::{Place, faults, kind_of};

/// A new file that is written. Tests can make any write fail or stop half-way.
#[derive(Debug)]
pub(crate) struct File {
    inner: std::fs::File,
    place: Place,
}

/// Creates a file that must not exist.
pub(super) fn create(place: &Place) -> io::Result<File> {
    let (folder, name) = place.open_parent()?;
    faults::before(|| Change::Create(place.path()))?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&folder, name, flags, Mode::from_raw_mode(0o666))?;
    Ok(File {
        inner: file.into(),
        place: place.clone(),
    })
}

/// Opens a regular file for reading. Anything else is refused before it is read: opening a pipe
/// or a device must not wait.
pub(crate) fn open(place: &Place) -> io::Result<std::fs::File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open_regular(place, flags)
}

/// Sets the time of change of a regular file to now.
pub(crate) fn touch(place: &Place) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open_regular(place, flags)?.set_modified(std::time::SystemTime::now())
}

fn open_regular(place: &Place, flags: OFlags) -> io::Result<std::fs::File> {
    let (folder, name) = place.open_parent()?;
    let file = match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
        Ok(file) => file,
        Err(source @ Errno::LOOP) => return Err(refuse_link(&folder, OsStr::new(name), source)),
        Err(source) => return Err(source.into()),
    };
    if kind_of(&rustix::fs::fstat(&file)?) != FileType::RegularFile {
        return Err(io::Error::other(format!("`{name}` is not a regular file")));
    }
    Ok(file.into())
}

impl File {
    /// Makes the content durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        faults::before(|| Change::Sync(self.place.path()))?;
        if faults::HAS_POWER_CUTS {
            self.inner.sync_all()?;
        }
        Ok(())
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let allowed = faults::before_write(&self.place, bytes)?;
        self.inner.write(bytes.get(..allowed).unwrap_or(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
