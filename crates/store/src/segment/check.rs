//! Comparing files with the checksums of the manifest.

use std::fs::File;
use std::io::{self, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use super::Segment;
use crate::layout::{file_name, short_hash, table};
use crate::manifest::FileEntry;
use crate::{Error, disk};

/// Whether tables are compared with their checksums before they are read for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Checks {
    /// Each file once per process, when it is first opened: costs reading it as a whole.
    #[default]
    OnFirstRead,
    /// Only where a question asks for it, with [`Snapshot::check_files`](crate::Snapshot::check_files).
    WhenAsked,
}

impl Segment {
    /// Compares a file with its checksum, whether that was done before or not.
    pub(crate) fn check_file(&self, entry: &FileEntry) -> Result<(), Error> {
        let mut file = self.open_named(&entry.table)?;
        self.check_content(&mut file, entry)
    }

    /// Compares the file of a table with its checksum, once in this process.
    pub(crate) fn check_table(&self, table_place: usize) -> Result<(), Error> {
        let name = table(table_place).name;
        let Some(entry) = self.files.iter().find(|file| file.table == name) else {
            return Ok(());
        };
        let mut file = self.open_named(name)?;
        self.check_once(table_place, &mut file, entry)
    }

    /// Compares an open file with its checksum unless that was done before in this process.
    /// Readers of the same table wait for each other here.
    pub(super) fn check_once(
        &self,
        table_place: usize,
        file: &mut File,
        entry: &FileEntry,
    ) -> Result<(), Error> {
        let Some(cell) = self.checked.get(table_place) else {
            return self.check_content(file, entry);
        };
        let mut is_checked = cell.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_checked {
            self.check_content(file, entry)?;
            *is_checked = true;
        }
        Ok(())
    }

    fn check_content(&self, file: &mut File, entry: &FileEntry) -> Result<(), Error> {
        let name = file_name(&entry.table);
        let mut hasher = blake3::Hasher::new();
        hasher
            .update_reader(&mut *file)
            .and_then(|_| file.rewind())
            .map_err(|source| {
                Error::io("read the file", &self.folder.join(&name).path(), source)
            })?;
        let found = hasher.count();
        if found != entry.bytes {
            let reason = format!("it has `{found}` bytes instead of `{}`", entry.bytes);
            return Err(Error::damaged(&self.name, &name, reason));
        }
        if short_hash(&hasher.finalize()) != entry.blake3 {
            let reason = "its checksum is not the published one";
            return Err(Error::damaged(&self.name, &name, reason));
        }
        Ok(())
    }

    /// Opens the file of a table.
    pub(super) fn open_named(&self, table: &str) -> Result<File, Error> {
        let name = file_name(table);
        let place = self.folder.join(&name);
        match disk::open(&place) {
            Ok(file) => Ok(file),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                if self.is_present() {
                    return Err(Error::damaged(&self.name, &name, "a file is missing"));
                }
                let segment = self.name.clone();
                Err(Error::Changed { segment })
            }
            Err(source) => Err(Error::io("open the file", &place.path(), source)),
        }
    }
}

/// Runs a decoder on content that may be damaged: what makes it panic is damage too, and must not
/// end the process.
pub(super) fn guarded<T>(
    decode: impl FnOnce() -> Result<T, Error>,
    damaged: impl FnOnce(String) -> Error,
) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|panic| {
        let reason = panic
            .downcast_ref::<&str>()
            .map(|reason| (*reason).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(damaged(format!("it is unreadable ({reason})")))
    })
}
