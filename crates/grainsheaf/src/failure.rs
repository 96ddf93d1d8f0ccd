//! Why a command did not do what was asked: message, hint, exit status.

use std::error::Error;
use std::fmt::Write as _;
use std::io;

use sheaf_ensemble::{ErrorKind, Hint};

/// Exit statuses, as the contract with scripts fixes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// The gate failed, or the comparison that was asked to fail.
    Failed = 1,
    /// Usage or configuration.
    Usage = 2,
    /// Some input was refused; the rest was done.
    Refused = 3,
    /// The runs cannot decide a strict gate.
    Inconclusive = 4,
    /// A fault of this program, or of the system below it.
    Internal = 5,
    /// Another process maintains the store.
    Busy = 6,
    /// No space or no permission, also for standard output.
    NotWritable = 7,
    /// The store is damaged.
    Damaged = 8,
    /// Stopped by a signal, as shells report it.
    Interrupted = 130,
}

/// What failed, with which value, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What failed, with which value.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
    /// Status to end with.
    pub(crate) exit: Exit,
}

impl Failure {
    /// A failure with a status.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            exit,
        }
    }

    /// A mistake in arguments or configuration.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A file that the user named, or standard output or input, cannot be read or written.
    pub(crate) fn io(message: &str, source: &io::Error) -> Self {
        let exit = match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem => Exit::NotWritable,
            _ => Exit::Usage,
        };
        Self::new(exit, format!("{message}: {}", chain(source)))
    }

    /// The same about a file, which ends the message.
    pub(crate) fn file(message: &str, source: &io::Error, path: &std::path::Path) -> Self {
        let mut failure = Self::io(message, source);
        // Writing to a string does not fail.
        let _ = write!(failure.message, ": {}", path.display());
        failure
    }

    /// A fault of the system or of this program.
    pub(crate) fn internal(message: &str, source: &dyn Error) -> Self {
        Self::new(Exit::Internal, format!("{message}: {}", chain(source)))
    }

    /// The same with advice.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The error's message and those of its sources, each once.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let message = cause.to_string();
        if !text.contains(&message) {
            // Writing to a string does not fail.
            let _ = write!(text, ": {message}");
        }
        source = cause.source();
    }
    text
}

/// The status that commands end with after an error of the engine.
const fn exit_of(kind: ErrorKind) -> Exit {
    match kind {
        ErrorKind::Cancelled | ErrorKind::Deadline => Exit::Interrupted,
        ErrorKind::Input => Exit::Refused,
        ErrorKind::Internal | ErrorKind::System => Exit::Internal,
        ErrorKind::Busy => Exit::Busy,
        ErrorKind::NoSpace | ErrorKind::Permission => Exit::NotWritable,
        ErrorKind::Damage => Exit::Damaged,
        ErrorKind::BadLens
        | ErrorKind::EmptyEnsemble
        | ErrorKind::Gone
        | ErrorKind::NothingInCommon
        | ErrorKind::Store
        | ErrorKind::TooLarge
        | ErrorKind::Unknown
        | ErrorKind::Usage => Exit::Usage,
    }
}

/// The hint with the commands and options that it needs.
fn command_of(hint: Hint) -> String {
    let text = match hint {
        Hint::AddRuns => "`grainsheaf record` records a program, `grainsheaf add` adds files",
        Hint::ListRuns => "`grainsheaf runs` lists the runs with their parameters",
        Hint::ListParameters => {
            "`grainsheaf runs` lists the parameters; `exists NAME` asks for one"
        }
        Hint::ListImports => {
            "`grainsheaf add` and `record` note the runs of each import; `grainsheaf runs` lists all runs"
        }
        Hint::ListMapping => "`grainsheaf match` lists which definitions are the same",
        Hint::CheckStore => {
            "`grainsheaf verify` lists all damage; `grainsheaf verify --repair` accepts the loss"
        }
        Hint::RaiseMemory => "`--memory` of `grainsheaf similar` raises the limit",
        Hint::RaiseDeadline => "`--deadline` sets a later one",
        Hint::FreeSpace => return hint.to_string(),
    };
    text.to_owned()
}

impl From<sheaf_ensemble::Error> for Failure {
    fn from(error: sheaf_ensemble::Error) -> Self {
        Self {
            message: chain(&error),
            hint: error.hint().map(command_of),
            exit: exit_of(error.kind()),
        }
    }
}

impl From<sheaf_server::Error> for Failure {
    fn from(error: sheaf_server::Error) -> Self {
        match error {
            sheaf_server::Error::Store(error) => error.into(),
            sheaf_server::Error::Bind { ref source, .. }
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                Self::new(Exit::NotWritable, chain(&error))
            }
            sheaf_server::Error::Run(_) => Self::new(Exit::Internal, chain(&error)),
            error => Self::usage(chain(&error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_the_system_have_their_own_status() {
        let check = |code: i32, expected: Exit| {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(
                Failure::io("cannot write", &error).exit,
                expected,
                "{error}"
            );
        };
        for code in [
            libc::ENOSPC,
            libc::EDQUOT,
            libc::EFBIG,
            libc::EACCES,
            libc::EROFS,
        ] {
            check(code, Exit::NotWritable);
        }
        check(libc::ENOENT, Exit::Usage);
    }
}
