//! Where tests make a change of the file system fail, or stop everything after it.
//!
//! In programs the checks are empty and cost nothing.

#[cfg(not(test))]
use std::io;
use std::path::PathBuf;

use super::Place;

/// Whether content must reach the device. This crate's own tests simulate power cuts, and would
/// spend most of their time in waiting for it.
pub(super) const HAS_POWER_CUTS: bool = !cfg!(test);

/// One change of the file system.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(test), expect(dead_code, reason = "only tests look at changes"))]
pub(crate) enum Change {
    /// A folder is made.
    CreateFolder(PathBuf),
    /// An empty file is made.
    Create(PathBuf),
    /// Bytes are added to a file.
    Write(PathBuf, Vec<u8>),
    /// A file's content becomes durable.
    Sync(PathBuf),
    /// The names in a folder become durable.
    SyncFolder(PathBuf),
    /// A file or folder gets another name.
    Rename(PathBuf, PathBuf),
    /// A file goes.
    RemoveFile(PathBuf),
    /// An empty folder goes.
    RemoveFolder(PathBuf),
}

#[cfg(not(test))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
pub(super) fn before(_: impl FnOnce() -> Change) -> io::Result<()> {
    Ok(())
}

#[cfg(not(test))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
pub(super) fn before_write(_: &Place, bytes: &[u8]) -> io::Result<usize> {
    Ok(bytes.len())
}

#[cfg(test)]
pub(crate) use injected::{Fault, inject, record};
#[cfg(test)]
pub(super) use injected::{before, before_write};

#[cfg(test)]
mod injected {
    use std::cell::RefCell;
    use std::io;

    use super::{Change, Place};

    /// What happens instead of a change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The device fails once.
        Fail,
        /// The disk is full from then on; the write that meets it is cut in half.
        Full,
        /// A write takes half of the bytes.
        Short,
        /// The process is dead: no change happens any more, on this thread.
        Stop,
    }

    #[derive(Default)]
    struct Plan {
        fault: Option<(u64, Fault)>,
        changes: u64,
        is_stopped: bool,
        recorded: Option<Vec<Change>>,
    }

    thread_local! {
        static PLAN: RefCell<Plan> = RefCell::default();
    }

    /// Lets `fault` happen at the given change of this thread, counted from 0. Returns what `work`
    /// returned and the number of changes that it made or tried.
    pub(crate) fn inject<T>(at: u64, fault: Fault, work: impl FnOnce() -> T) -> (T, u64) {
        PLAN.set(Plan {
            fault: Some((at, fault)),
            ..Plan::default()
        });
        let result = work();
        (result, PLAN.take().changes)
    }

    /// Records the changes that `work` makes on this thread.
    pub(crate) fn record<T>(work: impl FnOnce() -> T) -> (T, Vec<Change>) {
        PLAN.set(Plan {
            recorded: Some(Vec::new()),
            ..Plan::default()
        });
        let result = work();
        (result, PLAN.take().recorded.unwrap_or_default())
    }

    pub(in crate::disk) fn before(change: impl FnOnce() -> Change) -> io::Result<()> {
        PLAN.with_borrow_mut(|plan| {
            plan.step(0)?;
            if let Some(recorded) = &mut plan.recorded {
                recorded.push(change());
            }
            Ok(())
        })
    }

    /// Bytes of a write that may go through.
    pub(in crate::disk) fn before_write(place: &Place, bytes: &[u8]) -> io::Result<usize> {
        PLAN.with_borrow_mut(|plan| {
            let allowed = plan.step(bytes.len())?;
            if let Some(recorded) = &mut plan.recorded {
                recorded.push(Change::Write(place.path(), bytes.to_vec()));
            }
            Ok(allowed)
        })
    }

    impl Plan {
        fn step(&mut self, bytes: usize) -> io::Result<usize> {
            if self.is_stopped {
                return Err(io::Error::other("the process is dead"));
            }
            let change = self.changes;
            self.changes += 1;
            let Some((at, fault)) = self.fault else {
                return Ok(bytes);
            };
            let is_full = fault == Fault::Full && change > at && bytes > 0;
            if change != at && !is_full {
                return Ok(bytes);
            }
            match fault {
                Fault::Fail => Err(io::Error::from_raw_os_error(5)),
                Fault::Full if bytes > 1 && change == at => Ok(bytes / 2),
                Fault::Full => Err(io::ErrorKind::StorageFull.into()),
                Fault::Short => Ok(bytes.div_ceil(2)),
                Fault::Stop => {
                    self.is_stopped = true;
                    Err(io::Error::other("the process is dead"))
                }
            }
        }
    }
}
