//! Where the dynamic linker finds libraries, and which OpenMP runtime a program ends up with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::elf::{self, Binary, Dynamic};

/// Libraries looked at per program; real programs need some hundreds at most.
const MAX_LIBRARIES: usize = 2_000;

/// Whose OpenMP runtime a library is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vendor {
    /// LLVM's libomp.
    Llvm,
    /// Intel's libiomp5.
    Intel,
    /// GNU's libgomp, which has no tools interface.
    Gnu,
}

impl Vendor {
    /// The vendor of a library of this file name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let file = Path::new(name).file_name()?.to_string_lossy();
        let is = |stem: &str| {
            file.strip_prefix(stem)
                .is_some_and(|rest| rest.starts_with(".so") || rest.starts_with('-'))
        };
        if is("libiomp5") {
            Some(Self::Intel)
        } else if is("libomp") || is("libomp5") {
            Some(Self::Llvm)
        } else if is("libgomp") {
            Some(Self::Gnu)
        } else {
            None
        }
    }

    /// The vendor of a library file, with links resolved: LLVM's library is also installed under the names of
    /// the others.
    pub(crate) fn of_file(path: &Path) -> Option<Self> {
        let real = path.canonicalize().ok();
        let real = real.and_then(|real| Self::of(&real.to_string_lossy()));
        real.or_else(|| Self::of(&path.to_string_lossy()))
    }

    /// For sentences: `LLVM`.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Llvm => "LLVM",
            Self::Intel => "Intel",
            Self::Gnu => "GNU",
        }
    }

    /// Value of the parameter `runtime`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Llvm => "llvm",
            Self::Intel => "intel",
            Self::Gnu => "gnu",
        }
    }
}

/// How an executable is linked, as far as OpenMP goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// It or one of its libraries needs this OpenMP runtime.
    OpenMp {
        /// Whose.
        vendor: Vendor,
        /// Name it is needed by.
        library: String,
    },
    /// It is linked dynamically, to no OpenMP runtime.
    NoOpenMp,
    /// It is linked statically.
    Static,
    /// It is not an executable that can be looked into, such as a script.
    Unknown,
}

/// Looks for the first OpenMP runtime that `path` or one of its libraries needs.
pub(crate) fn linkage(path: &Path) -> Linkage {
    let first = match elf::inspect(path) {
        Binary::Dynamic(dynamic) => dynamic,
        Binary::Static => return Linkage::Static,
        Binary::Other => return Linkage::Unknown,
    };
    let runtime = search_libraries(first, |dynamic, system| {
        let library = dynamic.needed.iter().find(|it| Vendor::of(it).is_some())?;
        let file = find_in(library, dynamic.search.iter().chain(system));
        Some(Linkage::OpenMp {
            vendor: file
                .and_then(|file| Vendor::of_file(&file))
                .or_else(|| Vendor::of(library))?,
            library: library.clone(),
        })
    });
    runtime.unwrap_or(Linkage::NoOpenMp)
}

/// Whether a program, or a library that it needs, calls functions that the recorder wraps: those of MPI, and LLVM's for
/// `ordered depend(sink: …)`.
pub(crate) fn has_wrapped_calls(path: &Path) -> bool {
    let Binary::Dynamic(first) = elf::inspect(path) else {
        return false;
    };
    let found = search_libraries(first, |dynamic, _| {
        let is_found = dynamic.has_doacross || dynamic.needed.iter().any(|it| is_mpi(it));
        is_found.then_some(())
    });
    found.is_some()
}

/// The first answer of `look`, which sees a program and its libraries, but for OpenMP runtimes, breadth first as the
/// linker loads them, and the folders that are searched for every program.
fn search_libraries<T>(
    first: Dynamic,
    look: impl Fn(&Dynamic, &[PathBuf]) -> Option<T>,
) -> Option<T> {
    let system = system_folders();
    let mut waiting = std::collections::VecDeque::from([first]);
    let mut seen = BTreeSet::new();
    while let Some(dynamic) = waiting.pop_front() {
        if let Some(found) = look(&dynamic, &system) {
            return Some(found);
        }
        for library in &dynamic.needed {
            let is_new = Vendor::of(library).is_none()
                && seen.len() < MAX_LIBRARIES
                && seen.insert(library.clone());
            if is_new {
                let found = find_in(library, dynamic.search.iter().chain(&system));
                if let Some(Binary::Dynamic(next)) = found.map(|found| elf::inspect(&found)) {
                    waiting.push_back(next);
                }
            }
        }
    }
    None
}

/// `libmpi.so.40` of Open MPI and Intel, `libmpich.so.12` of MPICH and MVAPICH.
fn is_mpi(library: &str) -> bool {
    let file = library.rsplit('/').next().unwrap_or_default();
    file.starts_with("libmpi.so") || file.starts_with("libmpich.so")
}

/// The first file called `name` in `folders`.
pub(crate) fn find_in<'a>(
    name: &str,
    mut folders: impl Iterator<Item = &'a PathBuf>,
) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()))
}

/// Folders the dynamic linker searches for any program: `LD_LIBRARY_PATH`, those of
/// `/etc/ld.so.conf`, the usual ones.
pub(crate) fn system_folders() -> Vec<PathBuf> {
    let given = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&given)
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    let mut files = vec![PathBuf::from("/etc/ld.so.conf")];
    files.extend(sorted_entries(Path::new("/etc/ld.so.conf.d")));
    for file in files {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| line.starts_with('/'));
        folders.extend(lines.map(PathBuf::from));
    }
    let machine = format!("{}-linux-gnu", std::env::consts::ARCH);
    folders.extend(
        [format!("/lib/{machine}"), format!("/usr/lib/{machine}")]
            .into_iter()
            .map(PathBuf::from),
    );
    folders
        .extend(["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    folders
}

/// Entries of a folder in order of name; none when it cannot be read.
pub(crate) fn sorted_entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_behind_links() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (
            folder.path().join("libomp.so.5"),
            folder.path().join("libiomp5.so"),
        );
        std::fs::write(&real, "").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(Vendor::of_file(&link), Some(Vendor::Llvm));
        std::fs::remove_file(&real).unwrap();
        assert_eq!(Vendor::of_file(&link), Some(Vendor::Intel));
    }

    #[test]
    fn runtimes_are_known_by_their_file_names() {
        let cases = [
            ("libomp.so.5", Some(Vendor::Llvm)),
            ("/usr/lib/llvm-19/lib/libomp.so", Some(Vendor::Llvm)),
            ("libomp-19.so.5", Some(Vendor::Llvm)),
            ("libiomp5.so", Some(Vendor::Intel)),
            ("libgomp.so.1", Some(Vendor::Gnu)),
            ("libompitrace.so", None),
            ("libomptarget.so", None),
            ("libc.so.6", None),
        ];
        for (name, expected) in cases {
            assert_eq!(Vendor::of(name), expected, "{name}");
        }
    }
}
