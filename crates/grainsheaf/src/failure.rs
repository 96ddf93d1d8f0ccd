//! Why a command did not do what was asked: message, hint, exit status.

use std::error::Error;
use std::fmt::Write as _;

use sheaf_ensemble::ErrorKind;

/// Exit statuses, as the contract with scripts fixes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// The comparison failed as asked, or the store is damaged.
    Failed = 1,
    /// Usage or configuration.
    Usage = 2,
    /// Some input was refused; the rest was done.
    Refused = 3,
    /// The runs cannot tell, and the gate is strict.
    Inconclusive = 4,
    /// A fault of this program.
    Internal = 5,
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

impl From<sheaf_ensemble::Error> for Failure {
    fn from(error: sheaf_ensemble::Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::Cancelled | ErrorKind::Deadline => Exit::Interrupted,
            ErrorKind::Input => Exit::Refused,
            ErrorKind::Internal => Exit::Internal,
            ErrorKind::BadLens
            | ErrorKind::EmptyEnsemble
            | ErrorKind::NothingInCommon
            | ErrorKind::Store
            | ErrorKind::TooLarge
            | ErrorKind::Unknown
            | ErrorKind::Usage => Exit::Usage,
        };
        Self {
            message: chain(&error),
            hint: error.hint(),
            exit,
        }
    }
}
