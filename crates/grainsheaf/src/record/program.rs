//! The program of a command line: found, checked, looked into.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::libraries::{Linkage, has_wrapped_calls, linkage};
use crate::failure::Failure;

/// Scripts up to this size are searched for the program they start.
const MAX_SCRIPT: u64 = 64 << 10;

/// What a command line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// The file that is executed first.
    pub(crate) started: PathBuf,
    /// The inspected file: the one with an OpenMP runtime, started by wrappers such as
    /// `mpirun`, `env`, `numactl` or a script; else the one that is executed first.
    pub(crate) path: PathBuf,
    /// How it is linked.
    pub(crate) linkage: Linkage,
    /// Whether it calls functions that the recorder wraps, so that the recorder is loaded before its libraries.
    pub(crate) has_wrapped_calls: bool,
}

impl Program {
    /// File name for people.
    pub(crate) fn name(&self) -> String {
        self.path
            .file_name()
            .unwrap_or(self.path.as_os_str())
            .to_string_lossy()
            .into_owned()
    }

    /// File name of what is executed first, for people.
    pub(crate) fn started_name(&self) -> String {
        let name = self.started.file_name().unwrap_or(self.started.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Whether the looked-into file is started by another.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.started != self.path
    }
}

/// Finds what `command` runs.
///
/// # Errors
/// When its first word names nothing that can be executed.
pub(crate) fn find(command: &[OsString]) -> Result<Program, Failure> {
    let first = command.first().map(OsString::as_os_str).unwrap_or_default();
    let started = executable(first)?;
    let own = linkage(&started);
    if !matches!(own, Linkage::OpenMp { .. }) {
        let words = words_of(command)
            .into_iter()
            .chain(words_of_script(&started));
        for word in words {
            let Ok(path) = executable(&word) else {
                continue;
            };
            let found = linkage(&path);
            if matches!(found, Linkage::OpenMp { .. }) {
                return Ok(Program {
                    started,
                    has_wrapped_calls: has_wrapped_calls(&path),
                    path,
                    linkage: found,
                });
            }
        }
    }
    Ok(Program {
        has_wrapped_calls: has_wrapped_calls(&started),
        path: started.clone(),
        started,
        linkage: own,
    })
}

/// Arguments that could name a program, those of `sh -c "…"` split at blanks.
fn words_of(command: &[OsString]) -> Vec<OsString> {
    let mut words = Vec::new();
    for argument in command.iter().skip(1) {
        let text = argument.to_string_lossy();
        if text.contains(char::is_whitespace) {
            words.extend(split(&text));
        } else if !text.starts_with('-') {
            words.push(argument.clone());
        }
    }
    words
}

/// The words of a script that `started` may be.
fn words_of_script(started: &Path) -> Vec<OsString> {
    let is_small = started
        .metadata()
        .is_ok_and(|metadata| metadata.len() <= MAX_SCRIPT);
    let text = if is_small {
        std::fs::read_to_string(started).unwrap_or_default()
    } else {
        String::new()
    };
    if text.starts_with("#!") {
        split(&text)
    } else {
        Vec::new()
    }
}

/// Words that look like paths: bare words of a script are shell commands far more often than
/// programs to record.
fn split(text: &str) -> Vec<OsString> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '(' | ')' | '&' | '|'))
        .filter(|word| word.contains('/'))
        .map(OsString::from)
        .collect()
}

/// The file that executing `name` runs.
fn executable(name: &OsStr) -> Result<PathBuf, Failure> {
    let shown = name.to_string_lossy().into_owned();
    let path = Path::new(name);
    if path.components().count() > 1 || shown.contains('/') {
        return check(path, &shown);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .map(|folder| folder.join(path))
        .find(|candidate| check(candidate, &shown).is_ok());
    found.ok_or_else(|| {
        let failure = Failure::usage(format!("no program `{shown}` in PATH"));
        if path.is_file() {
            failure.with_hint(format!("for the one in this folder write `./{shown}`"))
        } else {
            failure.with_hint("give its path, after `--`")
        }
    })
}

fn check(path: &Path, shown: &str) -> Result<PathBuf, Failure> {
    let Ok(metadata) = path.metadata() else {
        return Err(
            Failure::usage(format!("no program `{shown}`")).with_hint("check the path after `--`")
        );
    };
    if metadata.is_dir() {
        return Err(Failure::usage(format!(
            "`{shown}` is a folder, not a program"
        )));
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(
            Failure::usage(format!("`{shown}` is not executable")).with_hint(format!(
                "make it so with `chmod +x {shown}`, or name its interpreter first"
            )),
        );
    }
    Ok(path.to_owned())
}
