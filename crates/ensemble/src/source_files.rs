//! Source files that people may see: regular files below folders that the user allowed, and nothing else.
//!
//! A file's name comes from a recording, so it is hostile. It is split into names of folders. Each folder is opened
//! from the one before it, without following links, so no name leads out of an allowed folder.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

/// A file is not larger than this.
const MAX_BYTES: u64 = 4 << 20;
/// Folders on the way to a file.
const MAX_STEPS: usize = 64;
/// Characters of a line that are sent.
const MAX_LINE: usize = 2000;

/// Folders with source files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFolders(Vec<PathBuf>);

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// Path below the allowed folder.
    pub path: String,
    /// Its lines; those that are too long are cut, with `…` at their end.
    pub lines: Vec<String>,
    /// When the file was last changed, in nanoseconds since 1970, if the system knows it.
    pub modified_ns: Option<i64>,
}

/// Why the text of a file is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoSource {
    /// No folder is allowed.
    NoFolder,
    /// No allowed folder has it.
    NotFound,
    /// It has more than [`MAX_BYTES`].
    TooLarge,
    /// It has NUL bytes.
    NotText,
    /// It cannot be read.
    Failed(String),
}

impl SourceFolders {
    /// Folders in the order in which they are searched.
    ///
    /// # Errors
    /// If one of them is not a folder that can be opened.
    pub fn new(folders: Vec<PathBuf>) -> Result<Self, (PathBuf, io::Error)> {
        for folder in &folders {
            if let Err(error) = open_folder(folder) {
                return Err((folder.clone(), error));
            }
        }
        Ok(Self(folders))
    }

    /// Reads the file that a recording names. In each folder, the longest end of the name that leads to a file counts:
    /// `/home/me/app/src/sort.c` is `src/sort.c` below a copy of `app`.
    ///
    /// # Errors
    /// Why it is not shown.
    pub(crate) fn read(&self, name: &str) -> Result<SourceText, NoSource> {
        if self.0.is_empty() {
            return Err(NoSource::NoFolder);
        }
        let steps = steps(name).ok_or(NoSource::NotFound)?;
        for folder in &self.0 {
            let folder =
                open_folder(folder).map_err(|error| NoSource::Failed(error.to_string()))?;
            for start in 0..steps.len() {
                match open_file(&folder, &steps[start..]) {
                    Ok(file) => {
                        let modified_ns = modified(&file);
                        let lines = read_lines(file)?;
                        let path = steps[start..].join("/");
                        return Ok(SourceText {
                            path,
                            lines,
                            modified_ns,
                        });
                    }
                    Err(error) if is_elsewhere(error) => {}
                    Err(error) => return Err(NoSource::Failed(error.to_string())),
                }
            }
        }
        Err(NoSource::NotFound)
    }
}

/// Names of folders and the file; nothing if they cannot be names below a folder.
fn steps(name: &str) -> Option<Vec<&str>> {
    let steps = name.split(['/', '\\']);
    let steps: Vec<&str> = steps.filter(|step| !matches!(*step, "" | ".")).collect();
    // The folders before `..` need not exist, so only names after the last `..` count.
    let after = steps.iter().rposition(|step| *step == "..");
    let steps = steps.get(after.map_or(0, |at| at + 1)..)?.to_vec();
    let is_name = |step: &&str| step.len() <= 255 && !step.contains('\0');
    let is_fine = !steps.is_empty() && steps.len() <= MAX_STEPS && steps.iter().all(is_name);
    is_fine.then_some(steps)
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    // The user named this folder, so links on the way to it are allowed.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(CWD, path, flags, Mode::empty())?)
}

fn open_file(folder: &OwnedFd, steps: &[&str]) -> Result<File, Errno> {
    let (last, folders) = steps.split_last().ok_or(Errno::NOENT)?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mut at: Option<OwnedFd> = None;
    for step in folders {
        let parent = at.as_ref().unwrap_or(folder);
        let opened = rustix::fs::openat(parent, *step, flags | OFlags::DIRECTORY, Mode::empty())?;
        at = Some(opened);
    }
    // Opening a pipe must not block.
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = rustix::fs::openat(at.as_ref().unwrap_or(folder), *last, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Errno::NOENT);
    }
    Ok(File::from(file))
}

/// Whether a shorter end of the name, or another folder, may have the file. Links count as missing.
fn is_elsewhere(error: Errno) -> bool {
    matches!(
        error,
        Errno::NOENT
            | Errno::NOTDIR
            | Errno::LOOP
            | Errno::NAMETOOLONG
            | Errno::ISDIR
            | Errno::NXIO
    )
}

fn read_lines(file: File) -> Result<Vec<String>, NoSource> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| NoSource::Failed(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(NoSource::TooLarge);
    }
    if bytes.contains(&0) {
        return Err(NoSource::NotText);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().map(cut).collect())
}

fn modified(file: &File) -> Option<i64> {
    let time = file.metadata().ok()?.modified().ok()?;
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// An allowed folder with files, and a secret next to it.
    fn folders() -> (tempfile::TempDir, SourceFolders) {
        let outside = tempfile::tempdir().unwrap();
        let allowed = outside.path().join("app");
        std::fs::create_dir_all(allowed.join("src")).unwrap();
        std::fs::write(outside.path().join("secret.c"), "secret\n").unwrap();
        std::fs::write(allowed.join("src/sort.c"), "int main()\n{\n}\n").unwrap();
        std::fs::write(allowed.join("sort.c"), "other\n").unwrap();
        std::fs::write(allowed.join("binary.c"), b"\x7fELF\0").unwrap();
        std::fs::write(allowed.join("latin.c"), b"// gr\xfc\xdfe\n").unwrap();
        std::fs::write(allowed.join("long.c"), "x".repeat(3000)).unwrap();
        std::fs::write(allowed.join("large.c"), vec![b'\n'; 5 << 20]).unwrap();
        symlink("../secret.c", allowed.join("link.c")).unwrap();
        symlink("..", allowed.join("up")).unwrap();
        rustix::fs::mkfifoat(CWD, allowed.join("pipe.c"), Mode::from_raw_mode(0o600)).unwrap();
        let folders = SourceFolders::new(vec![allowed]).unwrap();
        (outside, folders)
    }

    #[test]
    fn the_longest_end_of_a_name_counts() {
        let (_outside, folders) = folders();
        for (name, path) in [
            ("/home/me/app/src/sort.c", "src/sort.c"),
            ("src/sort.c", "src/sort.c"),
            ("./build/../src//sort.c", "src/sort.c"),
            ("C:\\work\\src\\sort.c", "src/sort.c"),
            ("/other/sort.c", "sort.c"),
        ] {
            let text = folders.read(name);
            assert_eq!(text.map(|text| text.path).as_deref(), Ok(path), "{name}");
        }
        let lines = folders.read("src/sort.c").unwrap().lines;
        assert_eq!(lines, ["int main()", "{", "}"]);
        assert!(folders.read("latin.c").unwrap().lines[0].starts_with("// gr\u{fffd}"));
        assert_eq!(
            folders.read("long.c").unwrap().lines[0].chars().count(),
            2001
        );
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let (outside, folders) = folders();
        let absolute = outside.path().join("secret.c");
        for name in [
            "secret.c",
            "../secret.c",
            "src/../../secret.c",
            absolute.to_str().unwrap(),
            "link.c",
            "up/secret.c",
            "up/app/link.c",
            "pipe.c",
            "src",
            "",
            "/",
            "..",
            "a\0b.c",
            "etc/passwd",
            &"d/".repeat(100),
            &"n".repeat(300),
        ] {
            assert_eq!(folders.read(name), Err(NoSource::NotFound), "{name}");
        }
    }

    #[test]
    fn binary_and_large_files_are_refused() {
        let (_outside, folders) = folders();
        assert_eq!(folders.read("binary.c"), Err(NoSource::NotText));
        assert_eq!(folders.read("large.c"), Err(NoSource::TooLarge));
        assert_eq!(
            SourceFolders::default().read("sort.c"),
            Err(NoSource::NoFolder)
        );
        assert!(SourceFolders::new(vec!["/nowhere".into()]).is_err());
    }
}
