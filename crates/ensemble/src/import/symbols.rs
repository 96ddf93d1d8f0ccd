//! Which executables and libraries are opened for the symbols of traces.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use sheaf_ingest::{ModuleFile, ModuleSource, NoSymbols};

use super::open::open_regular_itself;

/// Where executables and libraries that traces name may be. The path in a trace is chosen by
/// whoever wrote the trace.
///
/// ```
/// use sheaf_ensemble::SymbolFiles;
/// assert_eq!(SymbolFiles::default(), SymbolFiles::Below(Vec::new()), "nowhere");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolFiles {
    /// Anywhere on this machine but in the folders of the system: for traces of one's own.
    Anywhere,
    /// In these folders and those below them: for traces of others.
    Below(Vec<PathBuf>),
}

impl Default for SymbolFiles {
    fn default() -> Self {
        Self::Below(Vec::new())
    }
}

/// Folders whose files are made up by the system: some never end, some act when they are read.
const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Hands out executables and libraries from the file system of this machine.
pub(super) struct FileSystem {
    allowed: SymbolFiles,
}

impl FileSystem {
    pub(super) fn new(allowed: &SymbolFiles) -> Self {
        Self {
            allowed: allowed.clone(),
        }
    }

    fn open(&self, path: &Path) -> Result<File, NoSymbols> {
        // Programs are loaded from absolute paths.
        let is_plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
        if !path.is_absolute() || !path.components().all(is_plain) {
            return Err(NoSymbols::Missing);
        }
        // Before anything is looked at: whether a file exists is not for everybody to know.
        self.check(path)?;
        let real = fs::canonicalize(path).map_err(|error| why(&error))?;
        self.check(&real)?;
        let file = open_regular_itself(&real).map_err(|error| why(&error))?;
        // A folder above may have been exchanged for a link in between.
        let opened = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if opened.is_ok_and(|opened| opened != real) || is_of_system(&file) {
            return Err(NoSymbols::System);
        }
        Ok(file)
    }

    /// Whether a path may be opened; asked again of the path without links.
    fn check(&self, path: &Path) -> Result<(), NoSymbols> {
        if SYSTEM.iter().any(|folder| path.starts_with(folder)) {
            return Err(NoSymbols::System);
        }
        let holds = |folder: &PathBuf| {
            let real = folder.canonicalize();
            path.starts_with(folder) || real.is_ok_and(|real| path.starts_with(real))
        };
        let is_allowed = match &self.allowed {
            SymbolFiles::Anywhere => true,
            SymbolFiles::Below(folders) => folders.iter().any(holds),
        };
        if is_allowed {
            Ok(())
        } else {
            Err(NoSymbols::NotAllowed)
        }
    }
}

impl ModuleSource for FileSystem {
    fn module(&self, path: &str) -> Result<Box<dyn ModuleFile>, NoSymbols> {
        Ok(Box::new(self.open(Path::new(path))?))
    }
}

fn why(error: &io::Error) -> NoSymbols {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => NoSymbols::Missing,
        io::ErrorKind::InvalidInput => NoSymbols::Special,
        _ => NoSymbols::Unreadable,
    }
}

/// Whether the file is on the same device as a folder of the system that is mounted elsewhere.
fn is_of_system(file: &File) -> bool {
    let device = |path: &str| fs::metadata(path).map(|data| data.dev()).ok();
    let root = device("/");
    let own = file.metadata().map(|data| data.dev()).ok();
    SYSTEM.iter().any(|folder| {
        let found = device(folder);
        found.is_some() && found != root && found == own
    })
}

#[cfg(test)]
mod tests;
