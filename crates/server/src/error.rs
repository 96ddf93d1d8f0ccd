//! Errors of starting the service.

use std::net::SocketAddr;

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A store cannot be opened.
    #[error(transparent)]
    Store(#[from] sheaf_ensemble::Error),
    /// No store was given.
    #[error("no store to serve; name one with `--store DIR`")]
    NoStore,
    /// The address cannot be bound.
    #[error("cannot listen on `{address}`; choose another with `--bind` and `--port`")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The service ended with an error of the system.
    #[error("the service stopped")]
    Run(#[source] std::io::Error),
}
