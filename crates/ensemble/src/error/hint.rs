//! Hints: how a user gets past an error.

use super::{Error, ErrorKind};

impl Error {
    /// The next step for the user; absent if the message already names it.
    pub fn hint(&self) -> Option<String> {
        if matches!(self, Self::UnknownAttribute { .. }) {
            let hint = "`grainsheaf runs` lists the parameters; `exists NAME` asks for one";
            return Some(hint.to_owned());
        }
        match self.kind() {
            ErrorKind::EmptyEnsemble => self.hint_on_runs().map(str::to_owned),
            ErrorKind::Damage => Some("check the store with `grainsheaf verify`".to_owned()),
            ErrorKind::NoSpace => {
                Some("free some space, or raise the limit, then try again".to_owned())
            }
            _ => None,
        }
    }

    /// The next step if no run is selected.
    const fn hint_on_runs(&self) -> Option<&'static str> {
        match self {
            // These say it already.
            Self::EmptyStore
            | Self::Incomplete { .. }
            | Self::NothingImported { .. }
            | Self::Analysis(_) => None,
            Self::NothingNew | Self::BatchRemoved { .. } => Some(
                "`grainsheaf add` and `record` note the runs of each import; `grainsheaf runs` lists all runs",
            ),
            _ => Some("`grainsheaf runs` lists the runs with their parameters"),
        }
    }
}
