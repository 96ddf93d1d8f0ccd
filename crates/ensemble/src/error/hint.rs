//! Hints: how a user gets past an error.

use std::fmt;

use super::{Error, ErrorKind};

/// The next step for the user. Its text suits every interface; an interface with commands or options names them instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hint {
    /// The store has no run.
    AddRuns,
    /// The list of runs has their names and parameters.
    ListRuns,
    /// The list of runs has the parameters that an expression can name.
    ListParameters,
    /// No import is noted.
    ListImports,
    /// The mapping of definitions can be listed.
    ListMapping,
    /// The store is to be checked.
    CheckStore,
    /// The disk is full, or a quota is reached.
    FreeSpace,
    /// The limit on memory can be raised.
    RaiseMemory,
    /// The deadline can be later.
    RaiseDeadline,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AddRuns => "record a program, or add files",
            Self::ListRuns => "the list of runs has their names and parameters",
            Self::ListParameters => {
                "the list of runs has the parameters; `exists NAME` asks for one"
            }
            Self::ListImports => "recordings and imports are noted; the list of runs has all runs",
            Self::ListMapping => "the mapping has the definitions that are the same",
            Self::CheckStore => "check the store for damage",
            Self::FreeSpace => "free some space, or raise the limit, then try again",
            Self::RaiseMemory => "raise the limit on memory",
            Self::RaiseDeadline => "set a later deadline",
        })
    }
}

impl Error {
    /// The next step for the user; absent if the message already names it.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::UnknownAttribute { .. } => return Some(Hint::ListParameters),
            Self::UnknownRun { .. } => return Some(Hint::ListRuns),
            Self::NotMapped { .. } => return Some(Hint::ListMapping),
            Self::TooManyPairs { .. } => return Some(Hint::RaiseMemory),
            _ => {}
        }
        match self.kind() {
            ErrorKind::EmptyEnsemble => self.hint_on_runs(),
            ErrorKind::Damage => Some(Hint::CheckStore),
            ErrorKind::NoSpace => Some(Hint::FreeSpace),
            ErrorKind::Deadline => Some(Hint::RaiseDeadline),
            _ => None,
        }
    }

    /// The next step if no run is selected.
    const fn hint_on_runs(&self) -> Option<Hint> {
        match self {
            // These say it already.
            Self::Incomplete { .. } | Self::NothingImported { .. } | Self::Analysis(_) => None,
            Self::EmptyStore => Some(Hint::AddRuns),
            Self::NothingNew | Self::NothingAdded | Self::BatchRemoved { .. } => {
                Some(Hint::ListImports)
            }
            _ => Some(Hint::ListRuns),
        }
    }
}
