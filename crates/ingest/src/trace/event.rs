//! What one thread recorded: events in the order in which they happened.
//!
//! Events state what the OpenMP runtime reported, nothing is inferred: regions of explicit
//! tasks, ends that the runtime reports late and similar rules are for the reader of
//! events. Numbers a newer runtime may add arrive as `Other`.

use super::numbers::{
    CancelFlags, DependenceKind, DispatchKind, MutexKind, SyncKind, TaskFlags, TaskStatus,
    ThreadRole, WorkKind,
};

/// One recorded happening on one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The stream it was recorded in.
    pub thread: ThreadId,
    /// Raw value of the recording clock; never decreases within a thread.
    pub ticks: u64,
    /// The same instant as `CLOCK_MONOTONIC` nanoseconds of the recording host; never
    /// decreases within a thread. Subtract [`TraceHeader::start_ns`] for time since start.
    ///
    /// [`TraceHeader::start_ns`]: super::TraceHeader::start_ns
    pub time_ns: u64,
    /// What happened.
    pub kind: EventKind,
}

/// Number of a recording stream: one per OpenMP runtime and native thread.
///
/// Unique within a process and its forked children, counted from zero in the order in
/// which threads first reported something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

/// Number of a task, unique within a trace: never reused, unlike the runtime's own.
///
/// Tasks and regions share one number space; see [`TaskId::creator`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(pub u64);

/// Number of a parallel region, unique within a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(pub u64);

impl TaskId {
    /// The thread that gave out the number, which is the one that created the task.
    ///
    /// A creator below [`TraceHeader::first_thread`] states that the task was created before
    /// this process was forked from its parent: it has no create or begin event here.
    ///
    /// [`TraceHeader::first_thread`]: super::TraceHeader::first_thread
    pub fn creator(self) -> ThreadId {
        id_creator(self.0)
    }
}

impl RegionId {
    /// The thread that encountered the region; see [`TaskId::creator`].
    pub fn creator(self) -> ThreadId {
        id_creator(self.0)
    }
}

fn id_creator(id: u64) -> ThreadId {
    let stream = (id >> super::format::ID_SHIFT).saturating_sub(1);
    ThreadId(u32::try_from(stream).unwrap_or(u32::MAX))
}

/// A code pointer: the return address of a call into the OpenMP runtime.
///
/// It lies just after the call, so the source line is that of `address - 1`. Resolve it to
/// a module with [`TraceHeader::locate`], which subtracts the one. Equal addresses of one
/// snapshot are one site; with several snapshots, prefer (module, offset) as the key.
///
/// [`TraceHeader::locate`]: super::TraceHeader::locate
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeAddress {
    /// Absolute address in the recorded process.
    pub address: u64,
    /// Index of the mapping snapshot that was current when the address was first seen.
    pub snapshot: u32,
}

/// What happened, with what the runtime stated about it.
///
/// "Absent" fields are `None`: the runtime passed a null pointer, or named a task that no
/// event of this process announced. `site` is `None` where the runtime has no code pointer
/// (workers at closing barriers, most events of a team of one's loops), and may point into
/// the runtime itself (taskloop, tail calls).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// The native thread starts to serve the runtime. First event of a stream, except where
    /// a thread was known to the runtime before it reported (after a fork).
    ThreadBegin {
        /// Role the runtime gives the thread.
        role: ThreadRole,
    },
    /// The native thread leaves the runtime; a few events may still follow.
    ThreadEnd,
    /// A parallel region is encountered; reported on the primary thread only.
    ParallelBegin {
        /// The new region.
        region: RegionId,
        /// Task that encountered it; the outer implicit task for nested regions.
        task: Option<TaskId>,
        /// Team size asked for, not the size it gets.
        requested: u32,
        /// `ompt_parallel_flag_t` bits as reported.
        flags: u32,
        /// The construct.
        site: Option<CodeAddress>,
    },
    /// The primary thread goes on after the region. Intervals of members of the region are
    /// to be clipped here.
    ParallelEnd {
        /// The region that ends; absent when the runtime passed none.
        region: Option<RegionId>,
        /// Task that encountered it.
        task: Option<TaskId>,
        /// `ompt_parallel_flag_t` bits as reported.
        flags: u32,
        /// The construct, as in the begin event or absent.
        site: Option<CodeAddress>,
    },
    /// A team member starts its implicit task, or a thread its initial task.
    ImplicitBegin {
        /// The new implicit task, current on this thread from now on.
        task: TaskId,
        /// Its region; absent for initial tasks. Later events of the task do not repeat it:
        /// the region of an explicit task is the one of its parent.
        region: Option<RegionId>,
        /// Number of team members.
        team_size: u32,
        /// Index in the team; 1 for an initial task.
        index: u32,
        /// Says whether it is an initial task.
        flags: TaskFlags,
    },
    /// The implicit task ends. Workers report it only when needed again or at shutdown, so it
    /// includes idle time after the region.
    ImplicitEnd {
        /// The task that ends; what was current before it is current again.
        task: Option<TaskId>,
        /// Number of team members; may be 0.
        team_size: u32,
        /// Index in the team.
        index: u32,
        /// Flags as reported.
        flags: TaskFlags,
    },
    /// A task is created on the thread that runs its parent.
    TaskCreate {
        /// The new task.
        task: TaskId,
        /// The encountering task. All tasks of a taskloop name the task that encountered the
        /// construct, also those made by splitting helpers on other threads.
        parent: Option<TaskId>,
        /// Undeferred, untied, final, mergeable, merged.
        flags: TaskFlags,
        /// The task has a depend clause; [`EventKind::Dependence`] events follow.
        has_dependences: bool,
        /// The creating construct.
        site: Option<CodeAddress>,
    },
    /// The thread changes from one task to another. Also statuses that change nothing
    /// (see [`TaskStatus::is_switch`]), with `next` absent.
    TaskSchedule {
        /// Task that stops running, or that the status is about.
        prior: Option<TaskId>,
        /// Why: what became of `prior`.
        status: TaskStatus,
        /// Task that runs from now on; its first appearance here starts it.
        next: Option<TaskId>,
    },
    /// One item of a task's depend clause, in clause order, before the task can start.
    Dependence {
        /// The dependent task.
        task: Option<TaskId>,
        /// Direction; `out` and `inout` both arrive as `Inout`.
        kind: DependenceKind,
        /// Address of the variable: an identity within this run only.
        address: u64,
    },
    /// A predecessor had not finished when its successor was created. Incomplete by nature:
    /// edges are computed from the addresses, this is a cross-check.
    TaskDependence {
        /// The predecessor.
        source: Option<TaskId>,
        /// The successor.
        sink: Option<TaskId>,
    },
    /// A barrier, taskwait or taskgroup is entered.
    SyncBegin(Sync),
    /// It is left.
    SyncEnd(Sync),
    /// The waiting inside it begins: the current fragment ends here.
    WaitBegin(Sync),
    /// The waiting ends. A task switched to while its wait is open only goes on waiting.
    WaitEnd(Sync),
    /// A reduction begins (no known runtime reports it).
    ReductionBegin(Sync),
    /// A reduction ends.
    ReductionEnd(Sync),
    /// A member meets a worksharing construct or taskloop.
    WorkBegin(Work),
    /// It leaves the construct. Its site may differ from begin's: use begin's.
    WorkEnd(Work),
    /// A chunk of a loop, or another unit of work of a construct, begins. It ends at the next
    /// dispatch of the same task or at the end of the construct.
    Dispatch {
        /// What is handed out.
        kind: DispatchKind,
        /// Task that executes it.
        task: Option<TaskId>,
        /// First iteration for chunks: logical number with clang, the loop variable (so
        /// possibly negative) with GCC. Otherwise the runtime's instance word.
        start: i64,
        /// Number of iterations of a chunk; 0 for other kinds.
        iterations: u64,
    },
    /// A masked (master) region is entered by the primary thread.
    MaskedBegin {
        /// Task that executes it.
        task: Option<TaskId>,
        /// The construct.
        site: Option<CodeAddress>,
    },
    /// The masked region is left.
    MaskedEnd {
        /// Task that executed it.
        task: Option<TaskId>,
        /// The construct.
        site: Option<CodeAddress>,
    },
    /// The current task of the thread asks for a lock, critical or ordered section. Mutex
    /// events name no task: it is the current one of the thread.
    MutexAcquire {
        /// The lock.
        mutex: Mutex,
        /// `omp_sync_hint_t` as reported.
        hint: u32,
        /// Number of the implementation chosen by the runtime.
        implementation: u32,
    },
    /// The current task got it.
    MutexAcquired(Mutex),
    /// The current task gave it back; the site may be absent or another thread's.
    MutexReleased(Mutex),
    /// A nestable lock that is already held is taken again.
    NestLockBegin {
        /// Identity of the lock within this run.
        wait_id: u64,
        /// The call.
        site: Option<CodeAddress>,
    },
    /// A nestable lock is given back without being released.
    NestLockEnd {
        /// Identity of the lock within this run.
        wait_id: u64,
        /// The call.
        site: Option<CodeAddress>,
    },
    /// A construct is cancelled, a cancellation is noticed, or a task is dropped.
    Cancel {
        /// The cancelling or dropped task.
        task: Option<TaskId>,
        /// `ompt_cancel_flag_t` bits as reported.
        flags: CancelFlags,
        /// The construct.
        site: Option<CodeAddress>,
    },
    /// The thread runs on this processor from the next event on (until the next `Cpu`).
    Cpu {
        /// Number of the processor as the kernel counts.
        cpu: u32,
    },
    /// A hardware counter's increase on this thread since its previous `Counter` event (since
    /// thread begin for the first). Follows the event at whose time it was read.
    Counter {
        /// Index into the counters named in the header.
        counter: u8,
        /// The increase.
        delta: u64,
    },
    /// Processor time that the thread used since its previous such event, or since its stream began.
    ThreadTime {
        /// Nanoseconds.
        used_ns: u64,
    },
    /// The thread calls MPI.
    MpiBegin {
        /// Number of the function, in the item `mpi_calls` of the header.
        call: u16,
    },
    /// The open call of MPI hands over a message.
    MpiBytes {
        /// Its size in bytes.
        bytes: u64,
    },
    /// The call returns.
    MpiEnd,
    /// A communicator has these members, after those of earlier such events. Ranks are those of `MPI_COMM_WORLD`.
    MpiMembers {
        /// Its number in the process.
        communicator: u32,
        /// First rank.
        first: u32,
        /// Difference of each rank to the one before.
        step: i64,
        /// Number of ranks.
        count: u64,
    },
    /// The open call of MPI sends a message.
    MpiSend {
        /// Number of the communicator.
        communicator: u32,
        /// Rank of the receiver there.
        peer: u32,
        /// Tag.
        tag: i64,
        /// Size in bytes.
        bytes: u64,
    },
    /// The open call of MPI asks for a message.
    MpiReceive {
        /// Number of the communicator.
        communicator: u32,
        /// Rank of the sender there; absent if any may be.
        peer: Option<u32>,
        /// Tag; -1 for any.
        tag: i64,
    },
    /// The open call of MPI is one of all members of a communicator.
    MpiCollective {
        /// Number of the communicator.
        communicator: u32,
        /// Rank of the root there; absent without one.
        root: Option<u32>,
    },
    /// The open call of MPI made a request.
    MpiRequest {
        /// Its handle, which another request may have later.
        request: u64,
    },
    /// The open call of MPI completed a request, or started it.
    MpiRequestDone {
        /// Its handle.
        request: u64,
    },
    /// Sender and tag of a message, if any were asked for.
    MpiStatus {
        /// Handle of the request; 0 of a message that the open call received itself.
        request: u64,
        /// Rank of the sender in the communicator; absent if nobody was.
        peer: Option<u32>,
        /// Tag.
        tag: i64,
    },
    /// A record of a kind this reader does not know, described by the file and skipped.
    Unknown {
        /// Its tag.
        tag: u8,
    },
}

/// A synchronising region as named by its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sync {
    /// What kind of region.
    pub kind: SyncKind,
    /// Task that synchronises; the region is the one of its implicit task.
    pub task: Option<TaskId>,
    /// The construct; absent on workers at closing barriers.
    pub site: Option<CodeAddress>,
}

/// A worksharing construct as named by its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// What kind of construct; the schedule is what the runtime chose.
    pub kind: WorkKind,
    /// Task that meets it: an implicit task, or the encountering task of a taskloop.
    pub task: Option<TaskId>,
    /// Iterations of the whole loop, or number of sections; 1 for single.
    pub count: u64,
    /// The construct.
    pub site: Option<CodeAddress>,
}

/// A lock as named by mutex events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutex {
    /// What kind of exclusion.
    pub kind: MutexKind,
    /// Identity of the lock within this run.
    pub wait_id: u64,
    /// The construct or call.
    pub site: Option<CodeAddress>,
}
