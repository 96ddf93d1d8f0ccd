//! Traces of the OpenMP recorder: bytes to events.
//!
//! [`Trace::parse`] looks at headers only and costs next to nothing; [`ThreadStream::events`]
//! decodes the records of one thread, in order, in time linear in their number. Any bytes are
//! accepted without panic: what is intact is delivered, what is not is a [`TraceProblem`].
//! The format is specified in the recorder's `TRACE.md`.

mod build;
mod clock;
mod coding;
mod cursor;
mod decode;
mod error;
mod event;
/// Numbers of the trace format: the recorder's own file, so that writer and reader cannot differ.
#[path = "../../../recorder/src/format.rs"]
pub mod format;
mod group;
mod header;
mod numbers;
mod read;
mod stream;
#[cfg(test)]
mod tests;

pub use build::{build, is_noted_variable};
pub use decode::{ThreadStream, Trace};
pub use error::{TraceError, TraceProblem};
pub use event::{CodeAddress, Event, EventKind, Mutex, RegionId, Sync, TaskId, ThreadId, Work};
pub use header::{ClockKind, CounterState, Location, Mapping, RuntimeInfo, TraceHeader};
pub use numbers::{
    CancelFlags, DependenceKind, DispatchKind, MutexKind, SyncKind, TaskFlags, TaskStatus,
    ThreadRole, WorkKind,
};
pub(crate) use read::READER;
pub use stream::Events;
