//! The program of a command line: found, checked, looked into.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::launch::Ending;
use super::libraries::{Linkage, has_wrapped_calls, linkage};
use crate::failure::Failure;

/// Scripts up to this size are searched for the program they start.
const MAX_SCRIPT: u64 = 64 << 10;
/// Files that are looked into per command line; scripts may name many.
const MAX_FILES: usize = 1_000;
/// Programs that start the ranks of MPI programs, without what follows in names such as `mpirun.openmpi`.
const LAUNCHERS: &[&str] = &[
    "aprun", "ibrun", "jsrun", "mpiexec", "mpirun", "orterun", "prterun", "prun", "srun",
];

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
    /// Whether it calls functions that the recorder wraps, so that the recorder is loaded before its libraries. What a
    /// launcher of MPI starts is assumed to: a program that loads MPI later, or that is not found, shows no calls.
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
    fn started_name(&self) -> String {
        let name = self.started.file_name().unwrap_or(self.started.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// When the looked-into file was last changed, in ns since 1970.
    pub(crate) fn built(&self) -> Option<i64> {
        let changed = self.path.metadata().ok()?.modified().ok()?;
        let since = changed.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok()
    }

    /// Whether the looked-into file is started by another.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.started != self.path
    }

    /// Name of what ended a launch: a status is that of a wrapper, which may not even have started the program, and a
    /// signal ends what a wrapper became.
    pub(crate) fn name_of_ended(&self, ending: Ending) -> String {
        if self.is_wrapped() && matches!(ending, Ending::Exit(_)) {
            self.started_name()
        } else {
            self.name()
        }
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
    let (named, is_launched) = match own {
        Linkage::OpenMp { .. } => (None, false),
        _ => look_into_words(command, &started),
    };
    let (path, linkage) = named.unwrap_or_else(|| (started.clone(), own));
    Ok(Program {
        has_wrapped_calls: is_launched || has_wrapped_calls(&path),
        started,
        path,
        linkage,
    })
}

/// The first program with an OpenMP runtime that the command line names, or a script that is named there, and whether a
/// launcher of MPI stands before it.
fn look_into_words(command: &[OsString], started: &Path) -> (Option<(PathBuf, Linkage)>, bool) {
    let mut is_launched = is_launcher(started);
    let mut waiting = VecDeque::from(words_of(command));
    waiting.extend(words_of_script(started));
    // Scripts may start each other in circles.
    let mut seen = BTreeSet::from([started.to_owned()]);
    while let Some(word) = waiting.pop_front() {
        let Ok(path) = executable(&word) else {
            continue;
        };
        if !seen.insert(path.clone()) {
            continue;
        }
        let found = linkage(&path);
        if matches!(found, Linkage::OpenMp { .. }) {
            return (Some((path, found)), is_launched);
        }
        is_launched |= is_launcher(&path);
        if seen.len() < MAX_FILES {
            waiting.extend(words_of_script(&path));
        }
    }
    (None, is_launched)
}

/// Whether a program starts the ranks of others, by its name.
fn is_launcher(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let first = name.split(['.', '_', '-']).next();
    first.is_some_and(|first| LAUNCHERS.contains(&first))
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

/// The words of a script that `path` may be.
fn words_of_script(path: &Path) -> Vec<OsString> {
    let is_small = path
        .metadata()
        .is_ok_and(|metadata| metadata.len() <= MAX_SCRIPT);
    let text = if is_small {
        std::fs::read_to_string(path).unwrap_or_default()
    } else {
        String::new()
    };
    if text.starts_with("#!") {
        split(&text)
    } else {
        Vec::new()
    }
}

/// Words that look like paths, and launchers: other bare words of a script are shell commands far more often than
/// programs to record.
fn split(text: &str) -> Vec<OsString> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '(' | ')' | '&' | '|'))
        .filter(|word| word.contains('/') || is_launcher(Path::new(word)))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn script(folder: &Path, name: &str, text: &str) -> OsString {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.into()
    }

    #[test]
    fn launchers_are_known_by_their_names() {
        for name in [
            "mpirun",
            "/usr/bin/mpiexec.hydra",
            "mpirun.openmpi",
            "mpirun_rsh",
            "srun",
        ] {
            assert!(is_launcher(Path::new(name)), "{name}");
        }
        for name in ["/opt/mpirun/env", "mpicc", "srunner", "sh"] {
            assert!(!is_launcher(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn what_a_launcher_starts_may_call_mpi() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| script(folder.path(), name, text);
        let launcher = at("mpirun", "exec \"$@\"");
        let inner = at("inner.sh", "exec $PROGRAM");
        let own = at("own.sh", &format!("{} -n 2 $PROGRAM", launcher.display()));
        let circle = at(
            "circle.sh",
            &folder.path().join("circle2.sh").to_string_lossy(),
        );
        let circle2 = at("circle2.sh", &circle.to_string_lossy());
        let cases = [
            (vec![launcher.clone(), inner.clone()], true),
            (vec!["env".into(), launcher, inner.clone()], true),
            (vec!["env".into(), own.clone()], true),
            (vec![own], true),
            (vec![inner], false),
            (vec![circle, circle2], false),
        ];
        for (command, expected) in cases {
            let found = find(&command).unwrap();
            assert_eq!(found.has_wrapped_calls, expected, "{command:?}");
            assert!(!found.is_wrapped(), "{found:?}");
        }
    }
}
