//! Workspaces: folders below `tmp` for files that are on their way into the store.

use std::path::{Path, PathBuf};

use crate::layout::Layout;
use crate::lease::{self, Lease};
use crate::{Error, disk};

/// Folder inside of a lease that tells workspaces from the work of importers.
const FILES: &str = "workspace";

/// A folder of its own below the store's `tmp`, removed with all it holds when dropped. What a
/// killed process left is a leftover like that of an importer.
#[derive(Debug)]
pub struct Workspace {
    folder: PathBuf,
    _lease: Lease,
}

impl Workspace {
    pub(crate) fn new(layout: &Layout) -> Result<Self, Error> {
        let lease = Lease::acquire(layout)?;
        let folder = lease.folder().join(FILES);
        disk::create_folders(&folder)?;
        Ok(Self {
            folder,
            _lease: lease,
        })
    }

    /// The folder to work in; empty at first.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Removes the workspaces of dead processes; returns how many there were.
pub(crate) fn remove_dead(layout: &Layout) -> Result<usize, Error> {
    let mut dead = lease::leftovers(layout)?;
    dead.retain(|path| path.join(FILES).is_dir());
    for path in &dead {
        lease::discard(path)?;
    }
    Ok(dead.len())
}
