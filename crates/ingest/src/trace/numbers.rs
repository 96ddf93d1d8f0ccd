//! Numbers of the tools interface by name; those not known here are `Other`.

use std::fmt;

/// `ompt_task_flag_t` bits of a task.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TaskFlags(pub u32);

impl TaskFlags {
    /// The first task of a thread, outside any parallel region.
    pub fn is_initial(self) -> bool {
        self.0 & 0x1 != 0
    }
    /// The task of a team member.
    pub fn is_implicit(self) -> bool {
        self.0 & 0x2 != 0
    }
    /// A task made by a task generating construct.
    pub fn is_explicit(self) -> bool {
        self.0 & 0x4 != 0
    }
    /// A target task.
    pub fn is_target(self) -> bool {
        self.0 & 0x8 != 0
    }
    /// A taskwait with dependences, which is an empty task.
    pub fn is_taskwait(self) -> bool {
        self.0 & 0x10 != 0
    }
    /// Runs at once inside its parent: its time interrupts the parent.
    pub fn is_undeferred(self) -> bool {
        self.0 & 0x0800_0000 != 0
    }
    /// May move between threads at scheduling points.
    pub fn is_untied(self) -> bool {
        self.0 & 0x1000_0000 != 0
    }
    /// Created with a true `final` clause or inside such a task.
    pub fn is_final(self) -> bool {
        self.0 & 0x2000_0000 != 0
    }
    /// Has a `mergeable` clause.
    pub fn is_mergeable(self) -> bool {
        self.0 & 0x4000_0000 != 0
    }
    /// Was merged into its parent.
    pub fn is_merged(self) -> bool {
        self.0 & 0x8000_0000 != 0
    }
}

impl fmt::Debug for TaskFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskFlags({:#x})", self.0)
    }
}

/// `ompt_cancel_flag_t` bits of a cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CancelFlags(pub u32);

impl CancelFlags {
    /// This task asked for the cancellation.
    pub fn is_activated(self) -> bool {
        self.0 & 0x10 != 0
    }
    /// This task noticed that its construct is cancelled.
    pub fn is_detected(self) -> bool {
        self.0 & 0x20 != 0
    }
    /// This task is dropped without having run.
    pub fn is_discarded(self) -> bool {
        self.0 & 0x40 != 0
    }
    /// The cancelled construct is a taskgroup.
    pub fn is_taskgroup(self) -> bool {
        self.0 & 0x08 != 0
    }
}

impl fmt::Debug for CancelFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CancelFlags({:#x})", self.0)
    }
}

/// Declares an enumeration of runtime numbers with `Other` for those not known here.
macro_rules! runtime_numbers {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A number this reader does not know.
            Other(u32),
        }

        impl From<u32> for $name {
            fn from(number: u32) -> Self {
                match number {
                    $($number => Self::$variant,)*
                    other => Self::Other(other),
                }
            }
        }
    };
}

runtime_numbers! {
    /// Role of a native thread in the runtime.
    ThreadRole {
        /// The thread that started the program or first used the runtime.
        Initial = 1,
        /// Made by the runtime to join teams.
        Worker = 2,
        /// A helper of the runtime that runs no user code.
        Helper = 3,
        /// Not known to the runtime.
        Unknown = 4,
    }
}

runtime_numbers! {
    /// What became of the prior task of a schedule event.
    TaskStatus {
        /// It ended.
        Complete = 1,
        /// It is at a taskyield.
        Yield = 2,
        /// It ended because it was cancelled, possibly before it ran.
        Cancel = 3,
        /// Its code ended, it waits for its completion event.
        Detach = 4,
        /// Its completion event was fulfilled before its code ended: no switch.
        EarlyFulfill = 5,
        /// Its completion event was fulfilled after its code ended: no switch.
        LateFulfill = 6,
        /// It is suspended, or starts another task.
        Switch = 7,
        /// A taskwait with dependences is over: no switch.
        TaskwaitComplete = 8,
    }
}

impl TaskStatus {
    /// The thread goes over to another task; the others only report something.
    pub fn is_switch(self) -> bool {
        !matches!(
            self,
            Self::EarlyFulfill | Self::LateFulfill | Self::TaskwaitComplete
        )
    }
    /// The prior task is over.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Complete | Self::Cancel)
    }
}

runtime_numbers! {
    /// Kind of a synchronising region.
    SyncKind {
        /// A barrier of unknown cause (old runtimes).
        Barrier = 1,
        /// An implicit barrier, closing or worksharing (old runtimes).
        BarrierImplicit = 2,
        /// A barrier directive.
        BarrierExplicit = 3,
        /// Added by the implementation (after single in GCC-compiled programs).
        BarrierImplementation = 4,
        /// A taskwait.
        Taskwait = 5,
        /// A taskgroup, from entry to exit.
        Taskgroup = 6,
        /// A reduction.
        Reduction = 7,
        /// The barrier at the end of a worksharing construct.
        BarrierImplicitWorkshare = 8,
        /// The closing barrier of a parallel region.
        BarrierImplicitParallel = 9,
        /// The barrier at the end of teams.
        BarrierTeams = 10,
    }
}

runtime_numbers! {
    /// Kind of a worksharing construct.
    WorkKind {
        /// A loop of a schedule that the runtime does not report.
        Loop = 1,
        /// Sections.
        Sections = 2,
        /// A single, on the member that executes it.
        SingleExecutor = 3,
        /// A single, on the other members.
        SingleOther = 4,
        /// A Fortran workshare.
        Workshare = 5,
        /// A distribute loop.
        Distribute = 6,
        /// A taskloop, on the encountering task only.
        Taskloop = 7,
        /// A scope construct.
        Scope = 8,
        /// A loop with static schedule.
        LoopStatic = 10,
        /// A loop with dynamic schedule.
        LoopDynamic = 11,
        /// A loop with guided schedule.
        LoopGuided = 12,
        /// A loop with an implementation's own schedule.
        LoopOther = 13,
    }
}

impl WorkKind {
    /// A worksharing loop of any schedule (not a taskloop).
    pub fn is_loop(self) -> bool {
        matches!(
            self,
            Self::Loop
                | Self::LoopStatic
                | Self::LoopDynamic
                | Self::LoopGuided
                | Self::LoopOther
                | Self::Distribute
        )
    }
}

runtime_numbers! {
    /// What a dispatch event hands out.
    DispatchKind {
        /// One iteration.
        Iteration = 1,
        /// A section; comes once per thread and is not a range.
        Section = 2,
        /// A chunk of a worksharing loop.
        LoopChunk = 3,
        /// A chunk of a taskloop: first event of the task that executes it.
        TaskloopChunk = 4,
        /// A chunk of a distribute loop.
        DistributeChunk = 5,
    }
}

runtime_numbers! {
    /// Kind of mutual exclusion.
    MutexKind {
        /// A lock.
        Lock = 1,
        /// A lock that was tested.
        TestLock = 2,
        /// A nestable lock.
        NestLock = 3,
        /// A nestable lock that was tested.
        TestNestLock = 4,
        /// A critical section.
        Critical = 5,
        /// An atomic construct.
        Atomic = 6,
        /// An ordered section.
        Ordered = 7,
        /// A wait for another iteration, `ordered depend(sink: …)`: the recorder's own number.
        Doacross = 64,
    }
}

runtime_numbers! {
    /// Direction of a dependence.
    DependenceKind {
        /// Reads.
        In = 1,
        /// Writes (runtimes report `Inout` instead).
        Out = 2,
        /// Writes, or reads and writes.
        Inout = 3,
        /// Excludes its like.
        Mutexinoutset = 4,
        /// Doacross source.
        Source = 5,
        /// Doacross sink.
        Sink = 6,
        /// Runs together with its like.
        Inoutset = 7,
        /// `out` on all memory.
        OutAllMemory = 34,
        /// `inout` on all memory.
        InoutAllMemory = 35,
    }
}
