//! Errors of starting the service.

use std::net::SocketAddr;
use std::path::PathBuf;

use sheaf_ensemble::Exposure;

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Others may write to a store: what they plant would be served.
    #[error(
        "{} may write to the store, and what they plant would be served; change its mode, or allow it with \
         `--allow-shared-store`: {}", exposure.writers, exposure.path.display()
    )]
    Exposed {
        /// The folder, and who may write to it.
        exposure: Exposure,
    },
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
    /// A folder with source files cannot be opened.
    #[error("cannot open the folder of `--source`; name a folder that exists: {}", path.display())]
    SourceFolder {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// There are not enough descriptors for the connections that are wanted.
    #[error(
        "`{wanted}` connections are more than the `{room}` for which this process has descriptors \
         (`{descriptors}`, less a reserve for files); lower `--max-connections`, or raise `ulimit -n`"
    )]
    Connections {
        /// Connections that are wanted.
        wanted: usize,
        /// Connections that are possible.
        room: usize,
        /// Descriptors that the process may open.
        descriptors: usize,
    },
    /// The service ended with an error of the system.
    #[error("the service stopped")]
    Run(#[source] std::io::Error),
}
