//! Workspaces: folders below `tmp` for files that are on their way into the store.

use std::path::{Path, PathBuf};

use crate::disk::Owners;
use crate::layout::Layout;
use crate::lease::{self, Lease, WORKSPACE};
use crate::{Error, disk};

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
        let folder = lease.folder().join(WORKSPACE);
        disk::create_folders(&folder)?;
        Ok(Self {
            folder: folder.path(),
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
    let owners = Owners::of(layout.root())?;
    let mut removed = 0;
    for folder in lease::remains(layout)?.leftovers {
        if folder.join(WORKSPACE).is_folder() && lease::discard(&folder, &owners)? {
            removed += 1;
        }
    }
    Ok(removed)
}
