//! Opens files whose path somebody else chose: nothing but regular files, without ever waiting.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens the regular file at `path`, or fails; never blocks on a pipe or a device.
///
/// What is not regular is not even opened, since that alone makes some devices act; what was
/// exchanged in between is found by asking the opened file.
///
/// # Errors
/// When there is no such file, or it is not a regular one (kind [`io::ErrorKind::InvalidInput`]).
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    open(path, 0)
}

/// Like [`open_regular`], and fails when the last part of the path is a link.
pub(super) fn open_regular_itself(path: &Path) -> io::Result<File> {
    open(path, libc::O_NOFOLLOW)
}

fn open(path: &Path, flags: i32) -> io::Result<File> {
    let is_special = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    if !path.metadata()?.is_file() {
        return Err(is_special());
    }
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | flags)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(is_special());
    }
    Ok(file)
}
