//! Folders that the recorder writes into, and what it left there.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sheaf_ensemble::{AddOptions, Input, SIDECAR, Sidecar};
use tempfile::TempDir;

use super::leftovers;
use super::libraries::sorted_entries;
use crate::failure::Failure;

/// End of the names of the recorder's files: `PID-START.gstrace`.
const TRACE_END: &str = ".gstrace";

/// Bytes that must fit, so that a full disk is noticed.
const PROBE_BYTES: usize = 256 << 10;

/// The folder of one launch's traces, removed with it unless kept.
#[derive(Debug)]
pub(crate) struct TraceFolder {
    path: PathBuf,
    /// Holds a private folder, and the runtime's log in any case.
    private: TempDir,
    /// Says that the private folder is in use.
    _mark: fs::File,
}

impl TraceFolder {
    /// Makes a folder: in `kept` under `name`, else a private one that goes away.
    ///
    /// # Errors
    /// When it cannot be made or nothing can be written to it.
    pub(crate) fn make(kept: Option<&Path>, name: &str) -> Result<Self, Failure> {
        let private = tempfile::Builder::new()
            .prefix(leftovers::PREFIX)
            .tempdir()
            .map_err(|error| cannot_write(&std::env::temp_dir(), &error))?;
        let mark = leftovers::mark(private.path())
            .map_err(|error| cannot_write(private.path(), &error))?;
        let path = match kept {
            None => private.path().join("traces"),
            Some(folder) => unused(folder, name),
        };
        let path = std::path::absolute(&path).unwrap_or(path);
        fs::create_dir_all(&path)
            .and_then(|()| probe(&path))
            .map_err(|error| cannot_write(&path, &error))?;
        Ok(Self {
            path,
            private,
            _mark: mark,
        })
    }

    /// Where the recorder writes.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The traces, in order of name; empty files are none.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let is_trace = |path: &PathBuf| {
            let is_sidecar = path.file_name().is_some_and(|name| name == SIDECAR);
            !is_sidecar
                && path
                    .metadata()
                    .is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
        };
        sorted_entries(&self.path)
            .into_iter()
            .filter(is_trace)
            .collect()
    }

    /// The traces as one input: several processes of one launch are one run.
    pub(crate) fn input(&self, name: &str) -> Option<Input> {
        let mut files = self.files();
        match files.len() {
            0 => None,
            1 => files.pop().map(Input::Path),
            _ => Some(Input::Bundle {
                name: name.to_owned(),
                files,
            }),
        }
    }

    /// Text of a description that gives `exit_status` to the run of a process, if the process has a trace. Of several
    /// traces, the last is of the program that ended so: a process may execute one program after another.
    pub(crate) fn exit_status(&self, process: u32, status: i32) -> Option<String> {
        let of_process = |path: PathBuf| {
            let name = path.file_name()?.to_str()?.to_owned();
            let (number, start) = name.strip_suffix(TRACE_END)?.split_once('-')?;
            let is_of_process = number.parse() == Ok(process);
            Some((start.parse::<u64>().ok()?, name)).filter(|_| is_of_process)
        };
        let (_, last) = self.files().into_iter().filter_map(of_process).max()?;
        Some(format!(
            "\n[[files]]\nmatch = \"{last}\"\nparams = {{ exit_status = {status} }}\n"
        ))
    }

    /// Writes the parameters that the traces lack next to them, so that adding them again gives the same run; `more`
    /// are sections of single traces.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn describe(&self, options: &AddOptions, more: &str) -> Result<(), Failure> {
        let text = Sidecar::to_toml(options) + more;
        fs::write(self.path.join(SIDECAR), text).map_err(|error| cannot_write(&self.path, &error))
    }

    /// Whether the recorder created a file that it could not write to.
    pub(crate) fn has_empty(&self) -> bool {
        let is_empty = |path: &PathBuf| {
            let is_trace = path.to_string_lossy().ends_with(TRACE_END);
            is_trace && path.metadata().is_ok_and(|metadata| metadata.len() == 0)
        };
        sorted_entries(&self.path).iter().any(is_empty)
    }

    /// Whether nothing more can be written here.
    pub(crate) fn is_full(&self) -> bool {
        probe(&self.path).is_err_and(|error| is_out_of_space(&error))
    }

    /// Keeps the traces and prints their folder.
    pub(crate) fn keep(self) -> PathBuf {
        if self.path.starts_with(self.private.path()) {
            leftovers::unmark(self.private.path());
            let _ = self.private.keep();
        }
        self.path
    }
}

/// A folder of this name that does not exist yet, so that no two launches share one.
fn unused(folder: &Path, name: &str) -> PathBuf {
    let plain: String = name
        .chars()
        .map(|c| if c == '/' || c.is_control() { '_' } else { c })
        .collect();
    let first = folder.join(&plain);
    if !first.exists() {
        return first;
    }
    let numbered = (2_u32..).map(|number| folder.join(format!("{plain}-{number}")));
    numbered
        .take(1_000_000)
        .find(|path| !path.exists())
        .unwrap_or(first)
}

fn probe(folder: &Path) -> io::Result<()> {
    let path = folder.join(OsStr::new(".probe"));
    let result = fs::File::create(&path).and_then(|mut file| {
        file.write_all(&vec![0; PROBE_BYTES])?;
        // Some file systems report a full disk only now.
        file.sync_data()
    });
    let removed = fs::remove_file(&path);
    result.and(removed)
}

fn is_out_of_space(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded)
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    if is_out_of_space(error) {
        return disk_full(path);
    }
    Failure::file("cannot write traces", error, path)
        .with_hint("name a writable folder with `--keep-traces DIR` or TMPDIR")
}

/// The failure of a launch whose traces do not fit.
pub(crate) fn disk_full(path: &Path) -> Failure {
    Failure::new(
        crate::failure::Exit::NotWritable,
        format!("no space for traces: {}", path.display()),
    )
    .with_hint("make space, or name a folder elsewhere with `--keep-traces DIR` or TMPDIR")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_are_one_input() {
        let folder = TraceFolder::make(None, "t1-r1").unwrap();
        assert!(folder.input("run").is_none());
        fs::write(folder.path().join("b.trace"), "b").unwrap();
        fs::write(folder.path().join("empty.trace"), "").unwrap();
        assert!(
            matches!(folder.input("run"), Some(Input::Path(path)) if path.ends_with("b.trace"))
        );
        fs::write(folder.path().join("a.trace"), "a").unwrap();
        folder.describe(&AddOptions::default(), "").unwrap();
        let Some(Input::Bundle { name, files }) = folder.input("run") else {
            panic!("no bundle")
        };
        assert_eq!((name.as_str(), files.len()), ("run", 2));
        assert!(files[0].ends_with("a.trace"));
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn the_last_trace_of_a_process_has_its_status() {
        let folder = TraceFolder::make(None, "t1-r1").unwrap();
        for name in [
            "7-90.gstrace",
            "7-100.gstrace",
            "8-300.gstrace",
            "7-x",
            "trace",
        ] {
            fs::write(folder.path().join(name), "text").unwrap();
        }
        let expected = "\n[[files]]\nmatch = \"7-100.gstrace\"\nparams = { exit_status = 3 }\n";
        assert_eq!(folder.exit_status(7, 3).as_deref(), Some(expected));
        assert_eq!(folder.exit_status(9, 3), None);
        assert!(Sidecar::parse(expected, Path::new(SIDECAR)).is_ok());
    }

    #[test]
    fn empty_traces_are_seen() {
        let folder = TraceFolder::make(None, "t1-r1").unwrap();
        let path = folder.path().join("1-1.gstrace");
        fs::write(&path, "trace").unwrap();
        assert!(!folder.has_empty());
        fs::write(&path, "").unwrap();
        assert!(folder.has_empty());
    }

    #[test]
    fn kept_folders_are_never_shared() {
        let kept = tempfile::tempdir().unwrap();
        let first = TraceFolder::make(Some(kept.path()), "sort/t1-r1").unwrap();
        let second = TraceFolder::make(Some(kept.path()), "sort/t1-r1").unwrap();
        assert_eq!(first.path(), kept.path().join("sort_t1-r1"));
        assert_eq!(second.path(), kept.path().join("sort_t1-r1-2"));
        assert!(second.keep().exists());
    }

    #[test]
    fn a_full_disk_is_named() {
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        assert_eq!(
            cannot_write(Path::new("/t"), &full).message,
            "no space for traces: /t"
        );
        let refused = io::Error::from_raw_os_error(libc::EACCES);
        assert!(
            cannot_write(Path::new("/t"), &refused)
                .message
                .starts_with("cannot write traces")
        );
    }
}
