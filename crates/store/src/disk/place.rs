//! Where something is below a store's folder.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::{FOLDER, kind_of};

/// A path below a store's folder, or the folder itself. Only the way to the folder follows links.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    root: Arc<Path>,
    names: Vec<String>,
}

impl Place {
    /// The store's folder.
    pub(crate) fn root(path: &Path) -> Self {
        Self {
            root: path.into(),
            names: Vec::new(),
        }
    }

    /// What has the given name in this folder. `name` is one name, not a path.
    pub(crate) fn join(&self, name: &str) -> Self {
        debug_assert!(!name.contains('/'), "places are reached name by name");
        let mut names = self.names.clone();
        names.push(name.replace('/', "_"));
        Self {
            root: Arc::clone(&self.root),
            names,
        }
    }

    /// The folder that this is in; none for the store's folder.
    pub(crate) fn parent(&self) -> Option<Self> {
        let (_, above) = self.names.split_last()?;
        Some(Self {
            root: Arc::clone(&self.root),
            names: above.to_vec(),
        })
    }

    /// The store's folder and every folder on the way to this place, itself included.
    pub(crate) fn way_here(&self) -> impl Iterator<Item = Self> + '_ {
        (0..=self.names.len()).map(|depth| Self {
            root: Arc::clone(&self.root),
            names: self.names.iter().take(depth).cloned().collect(),
        })
    }

    /// The last name of the path.
    pub(crate) fn name(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    /// The path, for messages and for those who work in a folder of their own.
    pub(crate) fn path(&self) -> PathBuf {
        let names = self.names.iter();
        names.fold(self.root.to_path_buf(), |path, name| path.join(name))
    }

    /// The store's folder as its user named it.
    pub(crate) fn root_path(&self) -> &Path {
        &self.root
    }

    /// A handle of the folder.
    pub(crate) fn open_folder(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = rustix::fs::open(&*self.root, flags, Mode::empty())?;
        for name in &self.names {
            folder = open_below(&folder, OsStr::new(name))?;
        }
        Ok(folder)
    }

    /// A handle of the folder that this is in, and its name there.
    pub(crate) fn open_parent(&self) -> io::Result<(OwnedFd, &str)> {
        let parent = self.parent().ok_or_else(|| {
            let reason = "the store's own folder is not in the store";
            io::Error::new(io::ErrorKind::InvalidInput, reason)
        })?;
        Ok((parent.open_folder()?, self.name()))
    }

    /// What the system knows of the file itself, also of a link.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        if self.names.is_empty() {
            return Ok(rustix::fs::stat(&*self.root)?);
        }
        let (folder, name) = self.open_parent()?;
        let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(stat)
    }

    /// Whether there is anything of this name, a dangling link included.
    pub(crate) fn exists(&self) -> bool {
        self.stat().is_ok()
    }

    /// Whether there is a folder, and no link to one.
    pub(crate) fn is_folder(&self) -> bool {
        self.kind() == Some(FileType::Directory)
    }

    /// Whether there is a regular file, and no link to one.
    pub(crate) fn is_file(&self) -> bool {
        self.kind() == Some(FileType::RegularFile)
    }

    fn kind(&self) -> Option<FileType> {
        self.stat().ok().map(|stat| kind_of(&stat))
    }

    /// When the file or folder was last changed, to the second.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        let stat = self.stat().ok()?;
        let seconds = u64::try_from(stat.st_mtime).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    }
}

/// Opens a folder by its name in another one.
pub(super) fn open_below(folder: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    match rustix::fs::openat(folder, name, FOLDER, Mode::empty()) {
        Ok(opened) => Ok(opened),
        Err(source @ (Errno::NOTDIR | Errno::LOOP)) => Err(refuse_link(folder, name, source)),
        Err(source) => Err(source.into()),
    }
}

/// The error of a name that could not be opened: a link is called what it is.
pub(super) fn refuse_link(folder: &OwnedFd, name: &OsStr, source: Errno) -> io::Error {
    let is_link = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| kind_of(&stat) == FileType::Symlink);
    if is_link {
        let name = name.to_string_lossy();
        let reason = format!("`{name}` is a symbolic link, and links in a store are not followed");
        return io::Error::other(reason);
    }
    source.into()
}
