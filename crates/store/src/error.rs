//! What can go wrong between a store's folder and its reader or writer.

use std::io;
use std::path::{Path, PathBuf};

use sheaf_model::{Cancelled, RunId};

/// Why a store could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder holds no store.
    #[error("not a store: {reason}; create one by importing into an empty folder: {}", path.display())]
    NotAStore {
        /// What is missing or in the way.
        reason: String,
        /// The folder.
        path: PathBuf,
    },
    /// The folder was written by a later version.
    #[error("{what} has format version `{found}`, this version reads up to `{supported}`; update Grainsheaf: {}", path.display())]
    NewerVersion {
        /// `store`, `segment` or `table schema`.
        what: &'static str,
        /// The version found.
        found: u32,
        /// The latest version known here.
        supported: u32,
        /// The file with the version.
        path: PathBuf,
    },
    /// The folder was written by a version that is not supported any more.
    #[error("{what} has format version `{found}`, older than `{supported}`; import the runs again: {}", path.display())]
    OlderVersion {
        /// `store`, `segment` or `table schema`.
        what: &'static str,
        /// The version found.
        found: u32,
        /// The version known here.
        supported: u32,
        /// The file with the version.
        path: PathBuf,
    },
    /// The file system does not allow it.
    #[error("no permission to {action}; check the owner and mode: {}", path.display())]
    Permission {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file system failed.
    #[error("cannot {action}: {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A published file differs from its manifest.
    #[error("segment `{segment}` is damaged, {reason}: {file}")]
    Damaged {
        /// The segment.
        segment: String,
        /// The file within the segment.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// The description of a folder that has segments cannot be read.
    #[error("`store.json` is damaged ({reason}), and segments are next to it; copy it from a backup, or from another store of this version: {}", path.display())]
    Description {
        /// Fault of the text.
        reason: String,
        /// The store's folder.
        path: PathBuf,
    },
    /// Something that was published is not there any more.
    #[error("{what} is missing, though the store's log lists it; restore it from a backup, or accept the loss by a repair: {}", path.display())]
    Lost {
        /// What is missing, with its name.
        what: String,
        /// Where it should be.
        path: PathBuf,
    },
    /// An entry of the store's log is missing or damaged.
    #[error(
        "the store's log is damaged, {reason}; check the store and rebuild the log by a repair: {entry}"
    )]
    Log {
        /// The entry's file within the store.
        entry: String,
        /// What is wrong.
        reason: String,
    },
    /// The folder of an open store is gone.
    #[error("the store is gone, `store.json` is missing; was its folder unmounted, moved or removed?: {}", path.display())]
    Vanished {
        /// The folder.
        path: PathBuf,
    },
    /// A segment of the snapshot was compacted away; a new snapshot has its runs.
    #[error("segment `{segment}` was compacted meanwhile; take a new snapshot and try again")]
    Changed {
        /// The segment that is gone.
        segment: String,
    },
    /// Another process compacts the store or removes runs from it.
    #[error("the store is being maintained by {holder}; try again when that is done: {}", path.display())]
    Busy {
        /// Process and machine.
        holder: String,
        /// The lease.
        path: PathBuf,
    },
    /// This process's lease was taken over, so it may not go on.
    #[error("the lease was lost; start again: {}", path.display())]
    LeaseLost {
        /// The lease.
        path: PathBuf,
    },
    /// The snapshot has no such run.
    #[error("run `{run}` is not in the store")]
    UnknownRun {
        /// The run looked for.
        run: RunId,
    },
    /// The model has no such table.
    #[error("there is no table `{table}`")]
    UnknownTable {
        /// The table looked for.
        table: String,
    },
    /// A parameter cannot be stored.
    #[error("parameter `{key}` of run `{run}` is not a number (NaN); leave it out")]
    Parameter {
        /// Name of the run.
        run: String,
        /// The parameter.
        key: String,
    },
    /// A table file could not be written.
    #[error("cannot write a table: {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: parquet::errors::ParquetError,
    },
    /// Batches could not be joined, or a manifest not be put into words.
    #[error("internal: cannot {action}")]
    Internal {
        /// What was tried.
        action: &'static str,
        /// The reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The tables break the model's rules.
    #[error(transparent)]
    Table(#[from] sheaf_model::Error),
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Error {
    /// Whether a new snapshot may succeed where this one failed.
    pub const fn is_changed(&self) -> bool {
        matches!(self, Self::Changed { .. })
    }

    /// Whether published data is at fault, as opposed to the request or the machine.
    pub const fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. } | Self::Description { .. } | Self::Lost { .. } | Self::Log { .. }
        )
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Permission {
                    action,
                    path,
                    source,
                }
            }
            _ => Self::Io {
                action,
                path,
                source,
            },
        }
    }

    pub(crate) fn internal(
        action: &'static str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Internal {
            action,
            source: source.into(),
        }
    }

    pub(crate) fn damaged(segment: &str, file: &str, reason: impl Into<String>) -> Self {
        Self::Damaged {
            segment: segment.to_owned(),
            file: file.to_owned(),
            reason: reason.into(),
        }
    }
}
