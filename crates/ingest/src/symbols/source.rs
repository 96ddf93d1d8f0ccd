//! Where modules come from, and why one has no symbols.

use std::io;

/// An opened executable or library, of which any range can be read.
pub trait ModuleFile: io::Read + io::Seek + Send {}

impl<T: io::Read + io::Seek + Send> ModuleFile for T {}

/// Opens executables and libraries by the path that a trace names.
///
/// The path is hostile: an implementation opens only what it would open for anybody.
pub trait ModuleSource: Send + Sync {
    /// The module at `path`.
    ///
    /// # Errors
    /// Why it has no symbols.
    fn module(&self, path: &str) -> Result<Box<dyn ModuleFile>, NoSymbols>;
}

/// A source that has no modules: code is named by `module+0xoffset`.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModules;

impl ModuleSource for NoModules {
    fn module(&self, _path: &str) -> Result<Box<dyn ModuleFile>, NoSymbols> {
        Err(NoSymbols::Missing)
    }
}

/// Why a module has no symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoSymbols {
    /// There is no such file.
    Missing,
    /// The file is another build than the one that ran.
    OtherBuild,
    /// It is not a regular file: a folder, a pipe, a device.
    Special,
    /// It is below `/proc`, `/sys` or `/dev`.
    System,
    /// It is outside of the folders that the operator allows.
    NotAllowed,
    /// The file, or what has to be read of it, is larger than the bounds.
    TooLarge,
    /// Its first bytes are not those of an ELF file.
    NotElf,
    /// It is an ELF file that cannot be read.
    Unreadable,
    /// Reading took longer than the deadline.
    Slow,
}

impl NoSymbols {
    /// Kind of the finding that reports it.
    pub(crate) const fn finding(self) -> &'static str {
        match self {
            Self::Missing => "skipped_sites_of_missing_modules",
            Self::OtherBuild => "skipped_sites_of_rebuilt_modules",
            Self::Special => "skipped_sites_of_special_files",
            Self::System => "skipped_sites_of_system_files",
            Self::NotAllowed => "skipped_sites_outside_allowed_folders",
            Self::TooLarge => "skipped_sites_of_too_large_modules",
            Self::NotElf => "skipped_sites_of_files_that_are_not_elf",
            Self::Unreadable => "skipped_sites_of_unreadable_modules",
            Self::Slow => "skipped_sites_of_slow_modules",
        }
    }
}
