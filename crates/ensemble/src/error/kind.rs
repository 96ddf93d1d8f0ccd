//! Kinds of errors, and those of errors from below.

use std::error::Error as _;

use super::Error;

/// What kind of failure it is; callers branch on this alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The question is malformed.
    Usage,
    /// The lens or an expression is malformed.
    BadLens,
    /// A run, group, metric or parameter that was named does not exist.
    Unknown,
    /// The lens selects no runs.
    EmptyEnsemble,
    /// The sides have no group in common.
    NothingInCommon,
    /// The folder is not a store that this version reads.
    Store,
    /// The folder of an open store was unmounted, moved or removed.
    Gone,
    /// Another process maintains the store.
    Busy,
    /// The file system has no space left, or the quota or size limit of the user is reached.
    NoSpace,
    /// The file system does not allow a file to be read or written.
    Permission,
    /// Stored data is not what was published.
    Damage,
    /// The system failed: a device, the network or a limit of the process.
    System,
    /// An input cannot be read.
    Input,
    /// Its user cancelled the work.
    Cancelled,
    /// The work took longer than its deadline.
    Deadline,
    /// The answer takes more memory than it may.
    TooLarge,
    /// A fault of ours.
    Internal,
}

fn kind_of_store_error(error: &sheaf_store::Error) -> ErrorKind {
    use sheaf_store::Error as Store;
    match error {
        Store::Cancelled(_) => ErrorKind::Cancelled,
        Store::Busy { .. } | Store::LeaseLost { .. } => ErrorKind::Busy,
        Store::Permission { .. } => ErrorKind::Permission,
        Store::Vanished { .. } => ErrorKind::Gone,
        Store::NotAStore { .. } | Store::NewerVersion { .. } | Store::OlderVersion { .. } => {
            ErrorKind::Store
        }
        error if error.is_damage() => ErrorKind::Damage,
        error => match io_source(error) {
            Some(source) => kind_of_io_error(source),
            None if matches!(error, Store::Internal { .. } | Store::Write { .. }) => {
                ErrorKind::Internal
            }
            None => ErrorKind::Store,
        },
    }
}

/// The error of the system that an error comes from, if one does.
fn io_source(error: &sheaf_store::Error) -> Option<&std::io::Error> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        source = error.source();
    }
    None
}

/// The kind of a failure of the file system.
fn kind_of_io_error(error: &std::io::Error) -> ErrorKind {
    use std::io::ErrorKind as Io;
    match error.kind() {
        Io::StorageFull | Io::QuotaExceeded | Io::FileTooLarge => ErrorKind::NoSpace,
        Io::PermissionDenied | Io::ReadOnlyFilesystem => ErrorKind::Permission,
        Io::ResourceBusy => ErrorKind::Busy,
        // A file of the store is not a regular file, too large, or does not hold text.
        Io::InvalidData => ErrorKind::Damage,
        _ => ErrorKind::System,
    }
}

impl Error {
    /// The kind of the failure: callers branch on it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Cancelled(_) => ErrorKind::Cancelled,
            Self::Store(error) => kind_of_store_error(error),
            Self::Export { source } | Self::Note { source, .. } => kind_of_io_error(source),
            Self::Deadline { .. } => ErrorKind::Deadline,
            Self::AnswerTooLarge { .. } | Self::DeepContexts { .. } | Self::TooManyPairs { .. } => {
                ErrorKind::TooLarge
            }
            Self::Analysis(error) => match error.kind() {
                sheaf_analysis::ErrorKind::Unknown => ErrorKind::Unknown,
                sheaf_analysis::ErrorKind::EmptyEnsemble => ErrorKind::EmptyEnsemble,
                sheaf_analysis::ErrorKind::BadQuestion => ErrorKind::Usage,
                sheaf_analysis::ErrorKind::Cancelled => ErrorKind::Cancelled,
                _ => ErrorKind::Internal,
            },
            Self::UnknownRun { .. }
            | Self::UnknownBatch { .. }
            | Self::NotMapped { .. }
            | Self::AmbiguousRun { .. }
            | Self::UnknownAttribute { .. }
            | Self::UnknownGrainMetric { .. }
            | Self::NotMeasured { .. }
            | Self::NoTimes { .. }
            | Self::UnknownGrainAttribute { .. }
            | Self::UnknownProblem { .. }
            | Self::UnknownGrain { .. }
            | Self::UnknownDefinition { .. }
            | Self::NotCorrected { .. }
            | Self::Determined { .. }
            | Self::UnknownGroup { .. } => ErrorKind::Unknown,
            Self::Expression { .. } | Self::Threshold { .. } => ErrorKind::BadLens,
            Self::EmptySelection { .. }
            | Self::Incomplete { .. }
            | Self::NothingNew
            | Self::NothingAdded
            | Self::NothingImported { .. }
            | Self::BatchRemoved { .. }
            | Self::EmptyStore => ErrorKind::EmptyEnsemble,
            Self::DamagedNote { .. } | Self::DamagedTables { .. } => ErrorKind::Damage,
            Self::NoSides
            | Self::SameRuns { .. }
            | Self::Contradiction { .. }
            | Self::OutOfRange { .. }
            | Self::NoGrains { .. }
            | Self::Reference { .. }
            | Self::NotComparable { .. }
            | Self::NotSchedulable { .. }
            | Self::Sidecar { .. }
            | Self::UnknownFormat { .. }
            | Self::Setting { .. }
            | Self::NotExportable { .. } => ErrorKind::Usage,
            Self::Read { .. } => ErrorKind::Input,
        }
    }
}
