//! What imports may hold, and how many there may be.

use std::time::Duration;

use sheaf_answers::ImportLimits;

/// Bounds on uploads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a file.
    pub file_bytes: u64,
    /// Bytes of an import.
    pub bytes: u64,
    /// Files of an import.
    pub files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 30,
            bytes: 16 << 30,
            files: 20_000,
        }
    }
}

impl Limits {
    pub(crate) fn to_wire(self) -> ImportLimits {
        ImportLimits {
            file_bytes: self.file_bytes.min(self.bytes),
            bytes: self.bytes,
            files: self.files,
            path_bytes: 1024,
            // As deep as folders are walked.
            depth: 32,
        }
    }
}

/// Imports that receive, wait or run, over all stores.
pub(super) const MAX_OPEN: usize = 16;

/// Outcomes that are kept.
pub(super) const MAX_KEPT: usize = 64;

/// How long an outcome is kept.
pub(super) const KEPT_FOR: Duration = Duration::from_secs(60 * 60);

/// An import that receives nothing for this long is given up.
pub(super) const IDLE: Duration = Duration::from_secs(15 * 60);
