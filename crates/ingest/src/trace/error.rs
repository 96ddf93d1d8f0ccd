//! What can be wrong with a trace.

use thiserror::Error;

/// Why a file cannot be read as a trace at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// Another kind of file.
    #[error("not a recorder trace: it does not start with `GSTRACE`")]
    NotATrace,
    /// The file ends inside its header.
    #[error(
        "trace header is cut short: {len} bytes of {need}; nothing was recorded or the copy \
         is incomplete, record or copy the run again"
    )]
    HeaderTruncated {
        /// Length of the file.
        len: usize,
        /// Length of a header.
        need: usize,
    },
    /// A format version other than ours.
    #[error(
        "trace has format version {found}, this program reads version {reads}; use the \
         recorder that belongs to this program, or a newer program"
    )]
    Version {
        /// Version of the file.
        found: u16,
        /// Version read here.
        reads: u16,
    },
    /// Recorded on a machine of the other byte order, or damaged.
    #[error("trace has byte order mark `{mark:#010x}`; only little-endian traces are read")]
    ByteOrder {
        /// The mark as found.
        mark: u32,
    },
    /// A clock kind no version has.
    #[error("trace names clock kind {kind}, known are 1 (counter) and 2 (monotonic)")]
    Clock {
        /// The kind as found.
        kind: u16,
    },
}

/// What is missing or damaged in a trace that can be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraceProblem {
    /// The process ended without the runtime's finalize: `_exit`, a signal, exit in a region.
    #[error(
        "the program ended without closing the trace ({finalized} of {started} OpenMP \
         runtimes did); tasks may lack their ends"
    )]
    NotFinalized {
        /// Runtimes that started.
        started: u32,
        /// Runtimes that finalized.
        finalized: u32,
    },
    /// The file is shorter than the recorder made it.
    #[error("the file ends at byte {len} of {expected}; copy it again")]
    FileCut {
        /// Length of the file.
        len: u64,
        /// Length the header asks for.
        expected: u64,
    },
    /// The recorder could not extend the file.
    #[error(
        "recording stopped early on {streams} thread{}: {}",
        if *streams == 1 { "" } else { "s" },
        cause_of_stop(*errno)
    )]
    Stopped {
        /// Threads that stopped.
        streams: u32,
        /// Number of the first error.
        errno: u32,
    },
    /// Bytes where a chunk should be are not one.
    #[error("no chunk header at byte {offset}; {len} bytes skipped")]
    NotAChunk {
        /// Where.
        offset: u64,
        /// How many bytes.
        len: u64,
    },
    /// A chunk states that it holds more than it can.
    #[error("chunk at byte {offset} holds {committed} bytes but has room for {room}")]
    Overfull {
        /// Where.
        offset: u64,
        /// Stated.
        committed: u64,
        /// Possible.
        room: u64,
    },
    /// A chunk of a stream is missing.
    #[error("chunk {sequence} of thread {thread} is missing; its events are lost")]
    MissingChunk {
        /// Stream number.
        thread: u32,
        /// The first missing position.
        sequence: u32,
    },
    /// A metadata item is cut short or cannot be understood.
    #[error("an item of the trace's metadata is damaged and left out")]
    MetadataCut,
    /// The metadata lacks its core: command line and record table.
    #[error("the trace's metadata is missing")]
    NoMetadata,
    /// The record table contradicts this reader.
    #[error("the trace writes record `{tag}` as `{found}`, expected `{expected}`")]
    RecordTable {
        /// The tag.
        tag: u8,
        /// Operands in the file.
        found: String,
        /// Operands known here.
        expected: String,
    },
    /// A record cannot be decoded; the rest of its chunk is left out.
    #[error(
        "damaged record (tag {tag}) of thread {thread}, chunk {sequence}, byte {at}; {lost} \
         bytes of events left out"
    )]
    BadRecord {
        /// Stream number.
        thread: u32,
        /// Chunk of the stream.
        sequence: u32,
        /// Position in the chunk's payload.
        at: usize,
        /// The tag.
        tag: u8,
        /// Bytes not decoded.
        lost: usize,
    },
}

/// Numbers of errors of Linux, on which the recorder runs.
const EBADF: u32 = 9;
const EFBIG: u32 = 27;

/// Why the recorder could not extend a file, by the number of the system's error, and what to do.
pub(crate) fn cause_of_stop(errno: u32) -> String {
    match errno {
        EBADF => "the program closed the recorder's file, which cannot be opened again".to_owned(),
        EFBIG => {
            "the limit on the size of files (`ulimit -f`) was reached; raise it: `ulimit -f unlimited`".to_owned()
        }
        number => format!(
            "the trace folder refused space (operating system error {number}); free space or set another folder"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_follow_from_error_numbers() {
        let text = |errno| TraceProblem::Stopped { streams: 1, errno }.to_string();
        assert!(
            text(9)
                .ends_with("the program closed the recorder's file, which cannot be opened again")
        );
        assert!(text(27).contains("the limit on the size of files (`ulimit -f`) was reached"));
        assert!(text(28).contains("the trace folder refused space (operating system error 28)"));
    }

    #[test]
    fn one_thread_is_singular() {
        let text = |streams| TraceProblem::Stopped { streams, errno: 28 }.to_string();
        assert!(text(1).starts_with("recording stopped early on 1 thread: "));
        assert!(text(2).starts_with("recording stopped early on 2 threads: "));
    }
}
