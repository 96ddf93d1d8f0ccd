//! Why an import cannot be done as asked.

use super::limits;

/// Why a request about an import is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{0}")]
    ReadOnly(String),
    #[error("no import `{0}`; its outcome may have been forgotten, or the service was restarted")]
    Unknown(String),
    #[error("{0}")]
    BadPath(String),
    #[error("{0}")]
    BadRequest(String),
    #[error("{0}")]
    Conflict(String),
    #[error("{0}")]
    TooLarge(String),
    #[error(
        "`{}` imports are under way, as many as there may be; wait until one ends",
        limits::MAX_OPEN
    )]
    TooManyImports,
    #[error(
        "`{0}` files are being received, as many as at once may be; wait until one has arrived"
    )]
    TooManyFiles(usize),
    #[error("`{0}` streams of events are open, as many as there may be; close one")]
    TooManyWatchers(usize),
    #[error("the service stops; start the import again later")]
    Stopping,
    #[error(transparent)]
    Ensemble(#[from] sheaf_ensemble::Error),
    #[error("cannot {action}: {source}")]
    Io {
        action: &'static str,
        source: std::io::Error,
    },
    #[error("{0}")]
    Internal(&'static str),
}

impl Refusal {
    /// For `map_err`.
    pub(super) fn io(action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, source }
    }
}
