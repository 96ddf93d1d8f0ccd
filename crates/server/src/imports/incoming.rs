//! A file on its way in: written aside, counted, moved into place when it is whole.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use super::{Job, Refusal, UploadPath};

/// A file that is being received. Dropping it before [`Incoming::keep`] removes it.
pub(crate) struct Incoming {
    job: Arc<Job>,
    path: UploadPath,
    number: u64,
    file: File,
    part: PathBuf,
    bytes: u64,
    is_kept: bool,
}

impl Incoming {
    pub(super) fn new(
        job: Arc<Job>,
        path: UploadPath,
        number: u64,
        file: File,
        part: PathBuf,
    ) -> Self {
        Self {
            job,
            path,
            number,
            file,
            part,
            bytes: 0,
            is_kept: false,
        }
    }

    /// Fails when a file of this length will not fit.
    pub(crate) fn check_length(&self, bytes: u64) -> Result<(), Refusal> {
        let inner = self.job.lock();
        self.check(bytes, inner.bytes_beside(&self.path))
    }

    /// Writes what arrived next.
    pub(crate) fn write(&mut self, content: &[u8]) -> Result<(), Refusal> {
        let more = content.len() as u64;
        {
            let mut inner = self.job.lock();
            inner.receiving_folder()?;
            inner.check_latest(&self.path, self.number)?;
            self.check(more, inner.bytes_beside(&self.path))?;
            inner.bytes += more;
            inner.touched = Instant::now();
        }
        self.bytes += more;
        self.file
            .write_all(content)
            .map_err(Refusal::io("write the file"))
    }

    /// The file is whole; returns its length.
    pub(crate) fn keep(mut self) -> Result<u64, Refusal> {
        self.job
            .keep(&self.path, self.number, &self.part, self.bytes)?;
        self.is_kept = true;
        Ok(self.bytes)
    }

    /// Checks `more` bytes of this file against the limits, of which `taken` are used already.
    fn check(&self, more: u64, taken: u64) -> Result<(), Refusal> {
        let limits = &self.job.limits;
        let path = self.path.as_str();
        if self.bytes.saturating_add(more) > limits.file_bytes {
            return Err(Refusal::TooLarge(format!(
                "file `{path}` has more than the `{}` bytes that a file may have; use \
                 `grainsheaf add`",
                limits.file_bytes
            )));
        }
        if taken.saturating_add(more) > limits.bytes {
            return Err(Refusal::TooLarge(format!(
                "the import has more than `{}` bytes with file `{path}`; send the files in \
                 several imports, or use `grainsheaf add`",
                limits.bytes
            )));
        }
        Ok(())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let mut inner = self.job.lock();
        if inner.incoming.get(&self.path) == Some(&self.number) {
            inner.incoming.remove(&self.path);
        }
        inner.touched = Instant::now();
        if !self.is_kept {
            inner.bytes = inner.bytes.saturating_sub(self.bytes);
            // The whole workspace is gone when the import was cancelled meanwhile.
            let _ = std::fs::remove_file(&self.part);
        }
    }
}
