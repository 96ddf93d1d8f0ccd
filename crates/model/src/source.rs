//! Where a run was read from.

/// Name of the source of runs that `record` adds, whose trace is a temporary file.
pub const RECORDED: &str = "recorded";

/// The files that a run was read from. It does not belong to the run's content and does not change its id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RunSource {
    /// Name of the file as the user named it, or its path below a folder that the user named; of several files that of
    /// their folder or of the first in order. [`RECORDED`] for runs that were recorded. Never an absolute path.
    pub file: String,
    /// Number of files: several if processes or ranks wrote a file each, or a folder is one database.
    pub files: u64,
    /// Size of these files in bytes, compressed if they are.
    pub bytes: u64,
    /// Version of Grainsheaf that read them.
    pub reader: String,
}
