//! The changes of files that notes make. Tests make each of them fail; in programs the checks are empty.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

/// Makes a folder unless it is there. Returns whether it was made.
pub(super) fn make_folder(parent: &OwnedFd, name: &str) -> io::Result<bool> {
    before("make folder")?;
    match rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o777)) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Makes a file that was not there.
pub(super) fn create(folder: &OwnedFd, name: &str) -> io::Result<File> {
    before("create")?;
    super::open_at(folder, name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
}

pub(super) fn write(file: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let accepted = accepted_of(bytes)?;
        file.write_all(&bytes[..accepted])?;
        bytes = &bytes[accepted..];
    }
    Ok(())
}

/// Makes the content of a file durable.
pub(super) fn sync_content(file: &File) -> io::Result<()> {
    before("sync content")?;
    file.sync_all()
}

/// Gives a file another name, in place of the file that has it.
pub(super) fn rename(folder: &OwnedFd, from: &str, to: &str) -> io::Result<()> {
    before("rename")?;
    Ok(rustix::fs::renameat(folder, from, folder, to)?)
}

/// Removes a file.
pub(super) fn remove(folder: &OwnedFd, name: &str) -> io::Result<()> {
    before("remove")?;
    Ok(rustix::fs::unlinkat(folder, name, AtFlags::empty())?)
}

/// Makes the names in a folder durable, where the file system can.
pub(super) fn sync_names(folder: &OwnedFd) -> io::Result<()> {
    before("sync names")?;
    match rustix::fs::fsync(folder) {
        Ok(()) | Err(Errno::INVAL | Errno::NOTSUP | Errno::BADF) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(test))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
fn before(_: &'static str) -> io::Result<()> {
    Ok(())
}

#[cfg(not(test))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
fn accepted_of(bytes: &[u8]) -> io::Result<usize> {
    Ok(bytes.len())
}

#[cfg(test)]
pub(super) use injected::{Fault, inject};
#[cfg(test)]
use injected::{accepted_of, before};

#[cfg(test)]
mod injected {
    use std::cell::RefCell;
    use std::io;

    /// How a change fails.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(in crate::notes) enum Fault {
        /// It alone fails.
        Fail,
        /// The process ends before it: it and all later ones fail.
        Stop,
        /// It writes half of its bytes, and the process ends.
        Torn,
    }

    struct Injection {
        at: usize,
        fault: Fault,
        changes: Vec<&'static str>,
    }

    thread_local! {
        static INJECTION: RefCell<Option<Injection>> = const { RefCell::new(None) };
    }

    /// Does some work while the change number `at` fails. Returns the result of the work, and the changes it tried.
    pub(in crate::notes) fn inject<T>(
        at: usize,
        fault: Fault,
        work: impl FnOnce() -> T,
    ) -> (T, Vec<&'static str>) {
        let injection = Injection {
            at,
            fault,
            changes: Vec::new(),
        };
        INJECTION.set(Some(injection));
        let outcome = work();
        let changes = INJECTION.take().map(|injection| injection.changes);
        (outcome, changes.unwrap_or_default())
    }

    pub(super) fn before(change: &'static str) -> io::Result<()> {
        INJECTION.with_borrow_mut(|injection| {
            let Some(injection) = injection else {
                return Ok(());
            };
            let at = injection.changes.len();
            injection.changes.push(change);
            let is_failed = match injection.fault {
                Fault::Fail => at == injection.at,
                Fault::Stop => at >= injection.at,
                Fault::Torn => at > injection.at || (at == injection.at && change != "write"),
            };
            if is_failed {
                return Err(io::Error::other("injected"));
            }
            Ok(())
        })
    }

    pub(super) fn accepted_of(bytes: &[u8]) -> io::Result<usize> {
        before("write")?;
        INJECTION.with_borrow(|injection| match injection {
            Some(injection)
                if injection.fault == Fault::Torn
                    && injection.changes.len() == injection.at + 1 =>
            {
                Ok(bytes.len().div_ceil(2))
            }
            _ => Ok(bytes.len()),
        })
    }
}
