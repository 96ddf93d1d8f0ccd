//! Numbers of the trace format; the specification is `TRACE.md`.

/// First eight bytes of a trace.
pub const MAGIC: [u8; 8] = *b"GSTRACE\n";
/// Format version the recorder writes.
pub const VERSION: u16 = 1;
/// Written as a native integer: reads as this value only with the right byte order.
pub const BYTE_ORDER_MARK: u32 = 0x0102_0304;
/// Length of the file header; the first chunk starts here.
pub const FILE_HEADER_LEN: usize = 4096;
/// Chunks start and end at multiples of this.
pub const CHUNK_ALIGN: usize = 4096;
/// First four bytes of a chunk.
pub const CHUNK_MAGIC: [u8; 4] = *b"GSCK";
/// Length of a chunk's header; its payload follows.
pub const CHUNK_HEADER_LEN: usize = 128;
/// Largest size of a chunk, header included.
pub const MAX_CHUNK_LEN: usize = 1 << 26;
/// Position of the creating stream plus one inside task and region numbers.
pub const ID_SHIFT: u32 = 40;
/// Slots of the table of foreign reference numbers, indexed by creating stream.
pub const FOREIGN_SLOTS: usize = 64;

/// Offsets of fields in the file header.
pub mod file_field {
    /// `u16`: format version.
    pub const VERSION: usize = 8;
    /// `u16`: clock kind.
    pub const CLOCK: usize = 10;
    /// `u32`: byte order mark.
    pub const BYTE_ORDER: usize = 12;
    /// `u32`: process id.
    pub const PID: usize = 16;
    /// `u32`: number of the first stream of this process.
    pub const FIRST_STREAM: usize = 20;
    /// `u64`: clock value at start.
    pub const START_TICKS: usize = 24;
    /// `u64`: `CLOCK_MONOTONIC` nanoseconds at start.
    pub const START_NS: usize = 32;
    /// `u64`: nanoseconds since the Unix epoch at start.
    pub const START_WALL_NS: usize = 40;
    /// `u64`: clock value when set-up was done; 0 until then.
    pub const READY_TICKS: usize = 48;
    /// `u64`: `CLOCK_MONOTONIC` nanoseconds when set-up was done.
    pub const READY_NS: usize = 56;
    /// `u64`: clock value at the latest finalize; 0 before.
    pub const END_TICKS: usize = 64;
    /// `u64`: `CLOCK_MONOTONIC` nanoseconds at the latest finalize.
    pub const END_NS: usize = 72;
    /// `u32`: OpenMP runtimes that started recording.
    pub const RUNTIMES_STARTED: usize = 80;
    /// `u32`: OpenMP runtimes that called finalize.
    pub const RUNTIMES_FINALIZED: usize = 84;
    /// `u32`: streams that stopped because no chunk could be had.
    pub const STREAMS_STOPPED: usize = 88;
    /// `u32`: operating system error number of the first such failure.
    pub const STOP_ERRNO: usize = 92;
    /// `u64`: end of the last chunk that was handed out; the file is at least this long.
    pub const ALLOCATED: usize = 104;
}

/// Values of the clock kind.
pub mod clock {
    /// The time stamp counter in units of four.
    pub const TSC: u16 = 1;
    /// `CLOCK_MONOTONIC` nanoseconds.
    pub const MONOTONIC: u16 = 2;
}

/// Offsets of fields in a chunk header.
pub mod chunk_field {
    /// `u32`: size of the chunk, header included.
    pub const SIZE: usize = 4;
    /// `u16`: chunk kind.
    pub const KIND: usize = 8;
    /// `u16`: index of the runtime among those of the process.
    pub const RUNTIME: usize = 10;
    /// `u32`: bytes of payload that are valid; the last field to be written.
    pub const COMMITTED: usize = 12;
    /// `u32`: stream number.
    pub const STREAM: usize = 16;
    /// `u32`: position among the chunks of the stream.
    pub const SEQUENCE: usize = 20;
    /// `u64`: clock value the first record's time is relative to.
    pub const BASE_TICKS: usize = 24;
    /// `u64`: `CLOCK_MONOTONIC` nanoseconds at the same instant.
    pub const BASE_NS: usize = 32;
    /// `u32`: operating system's thread id.
    pub const OS_THREAD: usize = 40;
    /// `u64`: numbers the stream had given to tasks and regions before this chunk.
    pub const NUMBERS_GIVEN: usize = 48;
    /// `u64`: clock value of a later pair, renewed now and then; 0 while there is none.
    pub const LATER_TICKS: usize = 56;
    /// `u64`: `CLOCK_MONOTONIC` nanoseconds of the later pair.
    pub const LATER_NS: usize = 64;
}

/// Chunk kinds.
pub mod chunk_kind {
    /// Items of metadata.
    pub const METADATA: u16 = 1;
    /// Records of one stream.
    pub const EVENTS: u16 = 2;
}

/// Record tags.
pub mod tag {
    /// Defines the next site index of the stream.
    pub const SITE: u8 = 1;
    /// Processor the thread runs on.
    pub const CPU: u8 = 2;
    /// Increase of the hardware counters.
    pub const COUNTERS: u8 = 3;
    /// Thread begin.
    pub const THREAD_BEGIN: u8 = 5;
    /// Thread end.
    pub const THREAD_END: u8 = 6;
    /// Parallel begin.
    pub const PARALLEL_BEGIN: u8 = 7;
    /// Parallel end.
    pub const PARALLEL_END: u8 = 8;
    /// Implicit task begin.
    pub const IMPLICIT_BEGIN: u8 = 9;
    /// Implicit task end.
    pub const IMPLICIT_END: u8 = 10;
    /// Task create.
    pub const TASK_CREATE: u8 = 11;
    /// Task schedule, all fields given.
    pub const SCHEDULE: u8 = 12;
    /// Task schedule: current task, status switch.
    pub const SWITCH: u8 = 13;
    /// Task schedule: current task, status complete.
    pub const COMPLETE: u8 = 14;
    /// Dependences of a task, possibly one of several records.
    pub const DEPENDENCES: u8 = 15;
    /// Predecessor and successor.
    pub const TASK_DEPENDENCE: u8 = 16;
    /// Synchronising region begin.
    pub const SYNC_BEGIN: u8 = 17;
    /// Synchronising region end.
    pub const SYNC_END: u8 = 18;
    /// Wait begin.
    pub const WAIT_BEGIN: u8 = 19;
    /// Wait end.
    pub const WAIT_END: u8 = 20;
    /// Worksharing construct begin.
    pub const WORK_BEGIN: u8 = 21;
    /// Worksharing construct end.
    pub const WORK_END: u8 = 22;
    /// Dispatch.
    pub const DISPATCH: u8 = 23;
    /// Masked begin.
    pub const MASKED_BEGIN: u8 = 24;
    /// Masked end.
    pub const MASKED_END: u8 = 25;
    /// Mutex asked for.
    pub const MUTEX_ACQUIRE: u8 = 26;
    /// Mutex obtained.
    pub const MUTEX_ACQUIRED: u8 = 27;
    /// Mutex given back.
    pub const MUTEX_RELEASED: u8 = 28;
    /// Nestable lock taken again.
    pub const NEST_LOCK_BEGIN: u8 = 29;
    /// Nestable lock given back but kept.
    pub const NEST_LOCK_END: u8 = 30;
    /// Cancellation.
    pub const CANCEL: u8 = 31;
    /// Reduction begin.
    pub const REDUCTION_BEGIN: u8 = 32;
    /// Reduction end.
    pub const REDUCTION_END: u8 = 33;
    /// Processor time of the thread.
    pub const THREAD_TIME: u8 = 34;
    /// MPI call begin.
    pub const MPI_BEGIN: u8 = 35;
    /// MPI call end.
    pub const MPI_END: u8 = 36;
    /// Bytes that the open MPI call hands over.
    pub const MPI_BYTES: u8 = 37;
    /// Communicator that is met first, with its members.
    pub const MPI_COMMUNICATOR: u8 = 38;
    /// Message that the open MPI call sends.
    pub const MPI_SEND: u8 = 39;
    /// Message that the open MPI call asks for.
    pub const MPI_RECEIVE: u8 = 40;
    /// Communicator and root of the open MPI call.
    pub const MPI_COLLECTIVE: u8 = 41;
    /// Request that the open MPI call made.
    pub const MPI_REQUEST: u8 = 42;
    /// Requests that the open MPI call completed or started.
    pub const MPI_REQUESTS: u8 = 43;
    /// Sender and tag of a message that any was asked for.
    pub const MPI_STATUS: u8 = 44;
}

/// Operands of the records, in the notation of the record table:
/// `t` time, `v` number, `z` signed number, `a` acting task, `r` task or region reference,
/// `s` site, `[vz]` counted list.
pub const RECORDS: &[(u8, &str, &str)] = &[
    (tag::SITE, "site", "vv"),
    (tag::CPU, "cpu", "v"),
    (tag::COUNTERS, "counters", "[v]"),
    (tag::THREAD_BEGIN, "thread_begin", "tv"),
    (tag::THREAD_END, "thread_end", "t"),
    (tag::PARALLEL_BEGIN, "parallel_begin", "tavvs"),
    (tag::PARALLEL_END, "parallel_end", "travs"),
    (tag::IMPLICIT_BEGIN, "implicit_begin", "trvvv"),
    (tag::IMPLICIT_END, "implicit_end", "tavvv"),
    (tag::TASK_CREATE, "task_create", "tavs"),
    (tag::SCHEDULE, "schedule", "trva"),
    (tag::SWITCH, "switch", "ta"),
    (tag::COMPLETE, "complete", "ta"),
    (tag::DEPENDENCES, "dependences", "tr[vz]"),
    (tag::TASK_DEPENDENCE, "task_dependence", "trr"),
    (tag::SYNC_BEGIN, "sync_begin", "tvas"),
    (tag::SYNC_END, "sync_end", "tvas"),
    (tag::WAIT_BEGIN, "wait_begin", "tvas"),
    (tag::WAIT_END, "wait_end", "tvas"),
    (tag::WORK_BEGIN, "work_begin", "tvavs"),
    (tag::WORK_END, "work_end", "tvavs"),
    (tag::DISPATCH, "dispatch", "tvazv"),
    (tag::MASKED_BEGIN, "masked_begin", "tas"),
    (tag::MASKED_END, "masked_end", "tas"),
    (tag::MUTEX_ACQUIRE, "mutex_acquire", "tvvvzs"),
    (tag::MUTEX_ACQUIRED, "mutex_acquired", "tvzs"),
    (tag::MUTEX_RELEASED, "mutex_released", "tvzs"),
    (tag::NEST_LOCK_BEGIN, "nest_lock_begin", "tzs"),
    (tag::NEST_LOCK_END, "nest_lock_end", "tzs"),
    (tag::CANCEL, "cancel", "tavs"),
    (tag::REDUCTION_BEGIN, "reduction_begin", "tvas"),
    (tag::REDUCTION_END, "reduction_end", "tvas"),
    (tag::THREAD_TIME, "thread_time", "tv"),
    (tag::MPI_BEGIN, "mpi_begin", "tv"),
    (tag::MPI_END, "mpi_end", "t"),
    (tag::MPI_BYTES, "mpi_bytes", "tv"),
    (tag::MPI_COMMUNICATOR, "mpi_communicator", "v[vzv]"),
    (tag::MPI_SEND, "mpi_send", "vvzv"),
    (tag::MPI_RECEIVE, "mpi_receive", "vzz"),
    (tag::MPI_COLLECTIVE, "mpi_collective", "vz"),
    (tag::MPI_REQUEST, "mpi_request", "v"),
    (tag::MPI_REQUESTS, "mpi_requests", "[v]"),
    (tag::MPI_STATUS, "mpi_status", "vzz"),
];
