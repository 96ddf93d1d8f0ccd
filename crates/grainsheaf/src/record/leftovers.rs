//! Folders that a recording leaves when it is killed, and how the next one removes them.
//!
//! A private folder holds a file that is locked as long as the recording, or a program that it started, is there.
//! A folder is left over if no process locks its lock file. Folders that are kept on purpose have no such file.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Beginning of the names of private folders.
pub(crate) const PREFIX: &str = "grainsheaf-";
const MARK: &str = ".in-use";
const NEW_MARK: &str = ".in-use.new";
/// The mark's descriptor has at least this number: programs that count on low ones find them free.
const MARK_DESCRIPTOR: i32 = 900;

/// Marks a private folder as in use for as long as the file, or what inherited it, is open.
///
/// # Errors
/// When the mark cannot be made.
#[expect(
    unsafe_code,
    reason = "the standard library opens files so that programs do not inherit them"
)]
pub(crate) fn mark(folder: &Path) -> io::Result<File> {
    // It gets its name when it is locked: another recording would take an unlocked mark for one that is left over.
    let unlocked = folder.join(NEW_MARK);
    let file = File::create_new(&unlocked)?;
    file.lock()?;
    fs::rename(&unlocked, folder.join(MARK))?;
    // SAFETY: plain system call on a descriptor that is open. The recorded program goes on writing when we are
    // killed, so it is to inherit the lock, which copies of a descriptor share.
    let high = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD, MARK_DESCRIPTOR) };
    if high >= 0 {
        // SAFETY: the descriptor is new, and nothing else owns it.
        return Ok(unsafe { File::from_raw_fd(high) });
    }
    // SAFETY: as for the first call. The limit of this process allows no higher number.
    unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) };
    Ok(file)
}

/// Takes the mark away: the folder stays.
pub(crate) fn unmark(folder: &Path) {
    // When it cannot be removed, the folder is still in use as long as we are here.
    let _ = fs::remove_file(folder.join(MARK));
}

/// Removes folders that killed recordings left in a folder for temporary files; returns them by name. Only folders that the user
/// of this process owns, and never through a link.
pub(crate) fn remove(within: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(within) else {
        return Vec::new();
    };
    let mut removed: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX))
        .map(|entry| entry.path())
        .filter(|path| is_left_over(path) && fs::remove_dir_all(path).is_ok())
        .collect();
    removed.sort();
    removed
}

fn is_left_over(folder: &Path) -> bool {
    let own = current_user();
    let is_own = |path: &Path| {
        fs::symlink_metadata(path)
            .is_ok_and(|found| found.uid() == own && !found.file_type().is_symlink())
    };
    let mark = folder.join(MARK);
    if !is_own(folder) || !is_own(&mark) {
        return false;
    }
    let file = fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW)
        .open(&mark);
    file.is_ok_and(|file| file.try_lock().is_ok())
}

#[expect(unsafe_code, reason = "the standard library does not return the user")]
fn current_user() -> u32 {
    // SAFETY: has no preconditions and cannot fail.
    unsafe { libc::geteuid() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_uses_is_removed() {
        let within = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = within.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("trace"), "text").unwrap();
            path
        };
        let used = folder("grainsheaf-used");
        let lock = mark(&used).unwrap();
        assert!(lock.as_raw_fd() >= MARK_DESCRIPTOR);
        let left = folder("grainsheaf-left");
        fs::write(left.join(MARK), "").unwrap();
        let kept = folder("grainsheaf-kept");
        drop(mark(&kept).unwrap());
        unmark(&kept);
        let other = folder("other");
        fs::write(other.join(MARK), "").unwrap();
        std::os::unix::fs::symlink(&other, within.path().join("grainsheaf-link")).unwrap();
        assert_eq!(remove(within.path()), std::slice::from_ref(&left));
        assert!(!left.exists() && used.exists() && kept.exists() && other.join("trace").exists());
        drop(lock);
        assert_eq!(remove(within.path()), [used]);
    }
}
