//! The few file-system operations that the store is made of.
//!
//! Every operation names a [`Place`] below the store's folder and reaches it through directory
//! handles that do not follow symbolic links, so that a link planted by another user neither
//! redirects a write nor widens a removal. Everything that changes the store goes through here,
//! so that tests can make any single change fail, stop or get lost.

pub(crate) mod faults;
mod file;
mod place;
mod removal;

use std::io::{self, Write};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};

use crate::Error;
pub(crate) use file::{File, open, touch};
pub(crate) use place::Place;
pub(crate) use removal::{
    Owners, remove_empty_folder, remove_file, remove_files, remove_folder_tree,
};

use faults::Change;
#[cfg(test)]
pub(crate) use faults::{Fault, inject, record};

/// Creates a folder and those above it; existing ones are fine.
pub(crate) fn create_folders(place: &Place) -> Result<(), Error> {
    for folder in place.way_here() {
        if !folder.is_folder() {
            let created = if folder.parent().is_none() {
                create_root(&folder)
            } else {
                create_one_folder(&folder)
            };
            created.map_err(|source| Error::io("create the folder", &folder.path(), source))?;
        }
    }
    Ok(())
}

/// The user chooses the store's own folder, so links on the way to it are followed.
fn create_root(place: &Place) -> io::Result<()> {
    faults::before(|| Change::CreateFolder(place.path()))?;
    std::fs::create_dir_all(place.path())
}

fn create_one_folder(place: &Place) -> io::Result<()> {
    let (folder, name) = place.open_parent()?;
    faults::before(|| Change::CreateFolder(place.path()))?;
    match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
        Ok(()) => Ok(()),
        // If it is not a folder, opening it reports what it is.
        Err(rustix::io::Errno::EXIST) => place.open_folder().map(drop),
        Err(source) => Err(source.into()),
    }
}

/// Creates a file that must not exist, for writing.
pub(crate) fn create(place: &Place) -> Result<File, Error> {
    file::create(place).map_err(|source| Error::io("create the file", &place.path(), source))
}

/// Writes a whole new file and makes it durable.
pub(crate) fn write(place: &Place, content: &[u8]) -> Result<(), Error> {
    let mut file = create(place)?;
    file.write_all(content)
        .map_err(|source| Error::io("write the file", &place.path(), source))?;
    sync(&file, place)
}

/// Makes a file's content durable.
pub(crate) fn sync(file: &File, place: &Place) -> Result<(), Error> {
    file.sync()
        .map_err(|source| Error::io("sync the file", &place.path(), source))
}

/// Makes the names in a folder durable. File systems that cannot do it are left alone.
pub(crate) fn sync_folder(place: &Place) -> Result<(), Error> {
    let failed = |source| Error::io("sync the folder", &place.path(), source);
    let folder = place.open_folder().map_err(failed)?;
    faults::before(|| Change::SyncFolder(place.path())).map_err(failed)?;
    if !faults::HAS_POWER_CUTS {
        return Ok(());
    }
    match rustix::fs::fsync(folder) {
        Err(rustix::io::Errno::IO | rustix::io::Errno::NOSPC | rustix::io::Errno::DQUOT) => {
            Err(failed(io::Error::other("the device does not keep it")))
        }
        _ => Ok(()),
    }
}

/// Renames; a folder replaces only an empty one. Returns whether it happened, or whether the
/// target was there already.
pub(crate) fn rename(from: &Place, to: &Place) -> Result<bool, Error> {
    rename_with(from, to, RenameFlags::empty())
}

/// Renames to a name that must be free. Returns whether it was.
pub(crate) fn rename_new(from: &Place, to: &Place) -> Result<bool, Error> {
    match rename_with(from, to, RenameFlags::NOREPLACE) {
        Err(Error::Io { source, .. }) if is_unsupported(&source) => link_new(from, to),
        other => other,
    }
}

/// File systems of clusters know no conditional rename, but their links are as exclusive.
fn link_new(from: &Place, to: &Place) -> Result<bool, Error> {
    let failed = |source: io::Error| Error::io("publish the file", &to.path(), source);
    let (from_folder, from_name) = from.open_parent().map_err(failed)?;
    let (to_folder, to_name) = to.open_parent().map_err(failed)?;
    faults::before(|| Change::Rename(from.path(), to.path())).map_err(failed)?;
    match rustix::fs::linkat(
        &from_folder,
        from_name,
        &to_folder,
        to_name,
        AtFlags::empty(),
    ) {
        Ok(()) => {
            // The name aside belongs to a lease's folder, which is removed with all it holds.
            let _ = rustix::fs::unlinkat(&from_folder, from_name, AtFlags::empty());
            Ok(true)
        }
        Err(rustix::io::Errno::EXIST) => Ok(false),
        Err(source) => Err(failed(source.into())),
    }
}

fn rename_with(from: &Place, to: &Place, flags: RenameFlags) -> Result<bool, Error> {
    let failed = |source: io::Error| Error::io("rename the file", &from.path(), source);
    let (from_folder, from_name) = from.open_parent().map_err(failed)?;
    let (to_folder, to_name) = to.open_parent().map_err(failed)?;
    faults::before(|| Change::Rename(from.path(), to.path())).map_err(failed)?;
    let renamed = if flags.is_empty() {
        rustix::fs::renameat(&from_folder, from_name, &to_folder, to_name)
    } else {
        rustix::fs::renameat_with(&from_folder, from_name, &to_folder, to_name, flags)
    };
    match renamed {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::NOTEMPTY | rustix::io::Errno::EXIST) => Ok(false),
        Err(source) => Err(failed(source.into())),
    }
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput
    )
}

/// The content of a regular file; `None` when there is none.
pub(crate) fn read(place: &Place) -> Result<Option<Vec<u8>>, Error> {
    let read = open(place).and_then(|mut file| {
        let mut content = Vec::new();
        io::Read::read_to_end(&mut file, &mut content)?;
        Ok(content)
    });
    match read {
        Ok(content) => Ok(Some(content)),
        Err(source) if is_missing(&source) => Ok(None),
        Err(source) => Err(Error::io("read the file", &place.path(), source)),
    }
}

/// The names in a folder, sorted; none if the folder does not exist.
pub(crate) fn names(place: &Place) -> Result<Vec<String>, Error> {
    let entries = entries(place)?.into_iter();
    Ok(entries.map(|(name, _)| name).collect())
}

/// The names of the folders in a folder, sorted; links to folders are none.
pub(crate) fn folder_names(place: &Place) -> Result<Vec<String>, Error> {
    let entries = entries(place)?.into_iter();
    let folders = entries.filter(|(name, kind)| match kind {
        FileType::Directory => true,
        // Some file systems do not report the type in the listing.
        FileType::Unknown => place.join(name).is_folder(),
        _ => false,
    });
    Ok(folders.map(|(name, _)| name).collect())
}

/// The entries of a folder, sorted by name; none if the folder does not exist.
fn entries(place: &Place) -> Result<Vec<(String, FileType)>, Error> {
    let failed = |source: io::Error| Error::io("list the folder", &place.path(), source);
    let folder = match place.open_folder() {
        Ok(folder) => folder,
        Err(source) if is_missing(&source) => return Ok(Vec::new()),
        Err(source) => return Err(failed(source)),
    };
    let mut entries = Vec::new();
    for entry in rustix::fs::Dir::read_from(&folder).map_err(|source| failed(source.into()))? {
        let entry = entry.map_err(|source| failed(source.into()))?;
        let name = entry.file_name().to_string_lossy();
        if name != "." && name != ".." {
            entries.push((name.into_owned(), entry.file_type()));
        }
    }
    entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Ok(entries)
}

/// What the system knows of everything in a folder, by name and through one handle; of links themselves, not of
/// where they lead.
pub(crate) fn stats(place: &Place) -> io::Result<Vec<(Place, Stat)>> {
    let folder = place.open_folder()?;
    let mut found = Vec::new();
    for entry in rustix::fs::Dir::read_from(&folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy();
        if name == "." || name == ".." {
            continue;
        }
        // A file that was removed after the listing has no entry.
        if let Ok(stat) = rustix::fs::statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
        {
            found.push((place.join(&name), stat));
        }
    }
    found.sort_unstable_by(|(a, _), (b, _)| a.name().cmp(b.name()));
    Ok(found)
}

/// Those of the given folders in a folder that have a file of a given name, in one look each.
pub(crate) fn have_file(place: &Place, folders: &[String], file: &str) -> io::Result<Vec<bool>> {
    let above = place.open_folder()?;
    let has_file = |folder: &String| {
        let path = format!("{folder}/{file}");
        rustix::fs::statat(&above, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    };
    Ok(folders.iter().map(has_file).collect())
}

/// Whether an error means that a name leads to nothing.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Flags of every folder that is opened below the store.
const FOLDER: OFlags = OFlags::DIRECTORY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The kind of file that a `st_mode` describes.
pub(crate) fn kind_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}
