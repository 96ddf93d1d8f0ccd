//! Removing what is the store's own, and nothing else.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, Stat};

use super::faults::Change;
use super::place::open_below;
use super::{Place, faults, is_missing, kind_of};
use crate::Error;

/// Whose files may be removed: those of this process's user and of the store's owner, on the
/// store's own file system.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owners {
    process: u32,
    store: u32,
    device: u64,
}

impl Owners {
    /// The owners of the store at `root`.
    pub(crate) fn of(root: &Place) -> Result<Self, Error> {
        let stat = root
            .stat()
            .map_err(|source| Error::io("read the owner of the folder", &root.path(), source))?;
        Ok(Self {
            process: rustix::process::geteuid().as_raw(),
            store: stat.st_uid,
            device: stat.st_dev,
        })
    }

    /// Whether a file belongs to one of them.
    pub(crate) fn own(&self, stat: &Stat) -> bool {
        (stat.st_uid == self.process || stat.st_uid == self.store) && stat.st_dev == self.device
    }

    /// Whether what is at a place belongs to one of them.
    pub(crate) fn own_place(&self, place: &Place) -> bool {
        place.stat().is_ok_and(|stat| self.own(&stat))
    }
}

/// Removes the regular files of a folder that are ours and whose names `is_known` accepts.
/// Returns the names of all that stays.
pub(crate) fn remove_files(
    folder: &Place,
    owners: &Owners,
    is_known: impl Fn(&str) -> bool,
) -> Result<Vec<String>, Error> {
    let mut kept = Vec::new();
    for name in super::names(folder)? {
        let place = folder.join(&name);
        let is_ours = place
            .stat()
            .is_ok_and(|stat| owners.own(&stat) && kind_of(&stat) == FileType::RegularFile);
        if is_known(&name) && is_ours {
            remove_file(&place)?;
        } else {
            kept.push(name);
        }
    }
    Ok(kept)
}

/// Removes a name that is not a folder; a missing one is fine.
pub(crate) fn remove_file(place: &Place) -> Result<(), Error> {
    let removed = place.open_parent().and_then(|(folder, name)| {
        faults::before(|| Change::RemoveFile(place.path()))?;
        Ok(rustix::fs::unlinkat(&folder, name, AtFlags::empty())?)
    });
    tolerate_missing(removed).map_err(|source| Error::io("remove the file", &place.path(), source))
}

/// Removes a folder if it is empty. Returns whether it is gone.
pub(crate) fn remove_empty_folder(place: &Place) -> Result<bool, Error> {
    let removed = place.open_parent().and_then(|(folder, name)| {
        faults::before(|| Change::RemoveFolder(place.path()))?;
        Ok(rustix::fs::unlinkat(&folder, name, AtFlags::REMOVEDIR)?)
    });
    match tolerate_missing(removed) {
        Ok(()) => Ok(true),
        Err(source) if source.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        Err(source) => Err(Error::io("remove the folder", &place.path(), source)),
    }
}

/// Removes a folder of our own with all that is ours in it, links themselves included, but never
/// what they lead to. Returns whether it is gone; what belongs to others stays.
pub(crate) fn remove_folder_tree(place: &Place, owners: &Owners) -> Result<bool, Error> {
    if !owners.own_place(place) {
        return Ok(!place.exists());
    }
    // Folders in the order found, each after the one it is in. The depth is data: no recursion.
    let mut folders = vec![place.clone()];
    let mut next = 0;
    while let Some(folder) = folders.get(next).cloned() {
        let below = remove_owned_files(&folder, owners)
            .map_err(|source| Error::io("remove the folder", &folder.path(), source))?;
        folders.extend(below);
        next += 1;
    }
    for folder in folders.iter().rev() {
        remove_empty_folder(folder)?;
    }
    Ok(!place.exists())
}

/// Removes what is ours in a folder and no folder; returns the folders in it that are ours.
fn remove_owned_files(place: &Place, owners: &Owners) -> io::Result<Vec<Place>> {
    let (above, name) = place.open_parent()?;
    let folder = match open_below(&above, OsStr::new(name)) {
        Ok(folder) => folder,
        Err(source) if is_missing(&source) => return Ok(Vec::new()),
        Err(source) => return Err(source),
    };
    let mut folders = Vec::new();
    for entry in rustix::fs::Dir::read_from(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if matches!(name.as_str(), "." | "..") {
            continue;
        }
        match owned_entry(&folder, &name, owners) {
            Some(FileType::Directory) => folders.push(place.join(&name)),
            Some(_) => {
                faults::before(|| Change::RemoveFile(place.join(&name).path()))?;
                let removed = rustix::fs::unlinkat(&folder, &name, AtFlags::empty());
                tolerate_missing(removed.map_err(Into::into))?;
            }
            None => {}
        }
    }
    Ok(folders)
}

fn owned_entry(folder: &OwnedFd, name: &str, owners: &Owners) -> Option<FileType> {
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    owners.own(&stat).then(|| kind_of(&stat))
}

fn tolerate_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(source) if is_missing(&source) => Ok(()),
        other => other,
    }
}
