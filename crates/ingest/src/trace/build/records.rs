//! What replaying the events of a run yields, before definitions and contexts are known.

use sheaf_model::table::{FragmentEnd, GrainKind, WaitKind};

use super::fragment_list::FragmentList;
use super::sites::SiteId;
use crate::symbols::ConstructKind;
use crate::trace::WorkKind;
use rustc_hash::FxHashMap;

/// Row number in one of the lists below.
pub(super) type Slot = u32;

/// No row.
pub(super) const NONE: Slot = Slot::MAX;

/// The next row number of a list.
pub(super) fn next_slot<T>(list: &[T]) -> Slot {
    Slot::try_from(list.len()).unwrap_or(NONE)
}

/// Marks of a task that are not flags of the stored grain.
pub(super) mod mark {
    /// A create or begin event was seen.
    pub(in super::super) const ANNOUNCED: u8 = 1;
    /// It ran.
    pub(in super::super) const STARTED: u8 = 2;
    /// Its end was seen.
    pub(in super::super) const ENDED: u8 = 4;
    /// It only splits a taskloop further, or is the empty task before an undeferred one: no grain.
    pub(in super::super) const FOLDED: u8 = 8;
    /// A dispatch event gave its iterations.
    pub(in super::super) const HAS_RANGE: u8 = 16;
    /// It belongs to the process that this one was forked from.
    pub(in super::super) const ADOPTED: u8 = 32;
}

/// A task, team member or chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grain {
    /// Process, as an index into the inputs.
    pub(super) process: u32,
    /// Grain that created it.
    pub(super) parent: Slot,
    /// Pass of the parent through a construct in which it was created.
    pub(super) pass: Slot,
    pub(super) kind: GrainKind,
    pub(super) marks: u8,
    flags: u16,
    pub(super) site: SiteId,
    /// Region of a team member, taskloop of its tasks, construct of a chunk.
    pub(super) origin: Slot,
    pub(super) range: Slot,
    pub(super) sequence: u32,
    pub(super) index: u32,
    pub(super) created: i64,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) work: i64,
    /// Row of the time that it waited; [`NONE`] while it has not.
    waiting: Slot,
    pub(super) location: u32,
    /// Row of its live state; when all grains have ended, [`super::tables::grains`] keeps the grain's own slot here.
    pub(super) live: Slot,
}

// A run can have ten million.
const _: () = assert!(size_of::<Grain>() == 80);

/// A time that is not known.
pub(super) const NEVER: i64 = i64::MIN;

impl Grain {
    pub(super) fn new(process: u32, kind: GrainKind) -> Self {
        Self {
            process,
            parent: NONE,
            pass: NONE,
            kind,
            marks: 0,
            flags: 0,
            site: SiteId::NONE,
            origin: NONE,
            range: NONE,
            sequence: NONE,
            index: 0,
            created: NEVER,
            start: NEVER,
            end: NEVER,
            work: 0,
            waiting: NONE,
            location: NONE,
            live: NONE,
        }
    }

    pub(super) fn is(&self, mark: u8) -> bool {
        self.marks & mark != 0
    }

    /// The stored `flags`.
    pub(super) fn flags(&self) -> i32 {
        self.flags.into()
    }

    /// Sets bits of the stored `flags`, all of which are in the lower half.
    pub(super) fn flag(&mut self, bits: i32) {
        debug_assert!(u16::try_from(bits).is_ok(), "flags have 16 bits here");
        self.flags |= u16::try_from(bits).unwrap_or_default();
    }

    /// Whether it is an explicit task, in a taskloop or not.
    pub(super) fn is_explicit(&self) -> bool {
        matches!(self.kind, GrainKind::Task | GrainKind::TaskloopChunk)
    }
}

/// State of a task or chunk that ends with it.
#[derive(Debug, Clone)]
pub(super) struct Live {
    /// Children, regions and taskloops so far outside any construct.
    pub(super) forks: u32,
    /// Regions and taskloops so far.
    pub(super) constructs: u32,
    /// Worksharing constructs met so far.
    pub(super) met: u32,
    /// Region of its constructs: of a team member or initial task.
    pub(super) region: Slot,
    /// Pass through a construct that is open.
    pub(super) pass: Slot,
    /// Chunk that is open.
    pub(super) chunk: Slot,
    /// That chunk if it stands for all iterations of a loop, until the runtime reports its chunks.
    pub(super) whole_loop: Slot,
    /// Wait that is open.
    pub(super) wait: Slot,
    /// The last wait, when it was at a barrier of unknown cause and nothing was met since.
    pub(super) last_barrier: Slot,
    /// Regions it opened and did not leave yet.
    pub(super) open_regions: u32,
    /// Taskloop that is being created.
    pub(super) taskloop: Slot,
    /// Site of the taskgroup that was entered last.
    pub(super) taskgroup: SiteId,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            forks: 0,
            constructs: 0,
            met: 0,
            region: NONE,
            pass: NONE,
            chunk: NONE,
            whole_loop: NONE,
            wait: NONE,
            last_barrier: NONE,
            open_regions: 0,
            taskloop: NONE,
            taskgroup: SiteId::NONE,
        }
    }
}

/// A parallel region, or the surroundings of an initial task.
#[derive(Debug, Clone)]
pub(super) struct Region {
    pub(super) parent: Slot,
    pub(super) pass: Slot,
    pub(super) site: SiteId,
    pub(super) sequence: u32,
    pub(super) index: u32,
    pub(super) team_size: u32,
    pub(super) is_announced: bool,
    /// Team members, as their implicit tasks.
    pub(super) members: Vec<Slot>,
    /// Its constructs, by sequence number.
    pub(super) constructs: Vec<Slot>,
}

impl Default for Region {
    fn default() -> Self {
        Self {
            parent: NONE,
            pass: NONE,
            site: SiteId::NONE,
            sequence: NONE,
            index: 0,
            team_size: 0,
            is_announced: false,
            members: Vec::new(),
            constructs: Vec::new(),
        }
    }
}

/// A worksharing construct that the members of one region met together.
#[derive(Debug, Clone)]
pub(super) struct Construct {
    pub(super) region: Slot,
    pub(super) sequence: u32,
    pub(super) kind: WorkKind,
    pub(super) site: SiteId,
    /// Member that the site is of: the smallest that has one.
    pub(super) site_member: u32,
    /// Iterations of the whole loop.
    pub(super) count: u64,
    /// Members that execute it.
    pub(super) num_passes: u32,
    pub(super) chunks: Vec<Slot>,
}

/// One member's way through a construct.
#[derive(Debug, Clone)]
pub(super) struct Pass {
    pub(super) construct: Slot,
    pub(super) grain: Slot,
    pub(super) forks: u32,
    /// Work outside chunks.
    pub(super) work: i64,
    /// Negative while there was no wait.
    pub(super) waiting: i64,
}

/// A taskloop.
#[derive(Debug, Clone)]
pub(super) struct Taskloop {
    /// Task that met it, and that all its tasks name as parent.
    pub(super) encountered_by: Slot,
    /// Grain that it belongs to: that task, or the chunk that the task is in.
    pub(super) parent: Slot,
    pub(super) pass: Slot,
    pub(super) sequence: u32,
    pub(super) index: u32,
    pub(super) site: SiteId,
    /// Site of the taskgroup around it, for when its own is of no use.
    pub(super) taskgroup: SiteId,
    pub(super) count: u64,
    pub(super) tasks: Vec<Slot>,
    /// For each of these, the task that was running at its creation.
    pub(super) creators: Vec<Slot>,
}

/// The iterations of a chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub(super) first: i64,
    pub(super) iterations: u64,
    /// Tasks, regions and taskloops that it created.
    pub(super) forks: u32,
    /// Those of all chunks of the loop that begin before it.
    pub(super) forks_before: u32,
}

/// An interval of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fragment {
    pub(super) grain: Slot,
    pub(super) pass: Slot,
    pub(super) location: u32,
    pub(super) ended_by: FragmentEnd,
    pub(super) start: i64,
    pub(super) duration: i64,
}

/// An interval in which a worker waited and ran nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Idle {
    pub(super) grain: Slot,
    pub(super) pass: Slot,
    pub(super) location: u32,
    pub(super) duration: i64,
}

/// A grain's waits for locks or MPI at one place in the code: all its acquisitions there by one worker.
#[derive(Debug, Clone)]
pub(super) struct Pause {
    pub(super) key: PauseKey,
    /// The lock, or none where it was for several.
    pub(super) lock: Option<u64>,
    pub(super) waiting: i64,
    pub(super) held: i64,
    /// Bytes that calls of MPI handed over; absent if the calls do not state them.
    pub(super) bytes: Option<i64>,
}

/// The grain and place of a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PauseKey {
    pub(super) grain: Slot,
    pub(super) pass: Slot,
    pub(super) location: u32,
    pub(super) what: PauseKind,
}

/// Cause of such a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PauseKind {
    /// A lock, a section, an atomic construct, at a place.
    Lock(ConstructKind, SiteId),
    /// A call of MPI, by its number.
    Call(u16),
}

/// Work in which a thread had no processor, up to a reading of its processor time.
#[derive(Debug, Clone, Copy)]
pub(super) struct OffCpu {
    pub(super) grain: Slot,
    pub(super) pass: Slot,
    pub(super) location: u32,
    pub(super) duration: i64,
}

/// A join point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    pub(super) grain: Slot,
    pub(super) kind: WaitKind,
    pub(super) site: SiteId,
    pub(super) start: i64,
    pub(super) duration: i64,
}

/// An item of a depend clause.
#[derive(Debug, Clone, Copy)]
pub(super) struct DependItem {
    pub(super) task: Slot,
    pub(super) kind: crate::trace::DependenceKind,
    pub(super) address: u64,
}

/// A worker.
#[derive(Debug, Clone, Default)]
pub(super) struct Worker {
    pub(super) process: u32,
    pub(super) cpu: Option<u32>,
    /// Whether it ever ran a task.
    pub(super) has_worked: bool,
    /// Whether it is a thread of the runtime that only runs asynchronous work.
    pub(super) is_helper: bool,
}

/// Everything replayed, of all processes.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) grains: Vec<Grain>,
    /// Times that grains waited, apart from them: most never wait.
    waiting: Vec<i64>,
    pub(super) live: Vec<Live>,
    pub(super) free_live: Vec<Slot>,
    pub(super) regions: Vec<Region>,
    pub(super) constructs: Vec<Construct>,
    pub(super) passes: Vec<Pass>,
    pub(super) taskloops: Vec<Taskloop>,
    pub(super) ranges: Vec<Range>,
    pub(super) fragments: FragmentList,
    pub(super) idles: Vec<Idle>,
    pub(super) waits: Vec<Wait>,
    pub(super) pauses: Vec<Pause>,
    pub(super) pause_rows: FxHashMap<PauseKey, Slot>,
    pub(super) off_cpu: Vec<OffCpu>,
    pub(super) depends: Vec<DependItem>,
    pub(super) depend_pairs: Vec<(Slot, Slot)>,
    /// Grain, counter, increase.
    pub(super) counters: Vec<(Slot, u8, u64)>,
    pub(super) workers: Vec<Worker>,
    /// Messages and collective calls of MPI.
    pub(super) messages: super::messages::Calls,
    /// Largest team of the run.
    pub(super) max_team: u32,
}

impl Records {
    pub(super) fn grain(&self, slot: Slot) -> &Grain {
        &self.grains[slot as usize]
    }

    pub(super) fn grain_mut(&mut self, slot: Slot) -> &mut Grain {
        &mut self.grains[slot as usize]
    }

    /// How long a grain waited, if it did.
    pub(super) fn waiting(&self, grain: &Grain) -> Option<i64> {
        self.waiting.get(grain.waiting as usize).copied()
    }

    /// Makes a grain wait longer.
    pub(super) fn add_waiting(&mut self, grain: Slot, duration: i64) {
        let next = next_slot(&self.waiting);
        let Some(grain) = self.grains.get_mut(grain as usize) else {
            return;
        };
        if let Some(sum) = self.waiting.get_mut(grain.waiting as usize) {
            *sum += duration;
        } else {
            grain.waiting = next;
            self.waiting.push(duration);
        }
    }

    /// The live state of a grain, made when it has none.
    pub(super) fn live_mut(&mut self, grain: Slot) -> &mut Live {
        let mut slot = self.grains[grain as usize].live;
        if slot == NONE {
            slot = self.free_live.pop().unwrap_or_else(|| {
                self.live.push(Live::default());
                next_slot(&self.live) - 1
            });
            self.grains[grain as usize].live = slot;
        }
        &mut self.live[slot as usize]
    }

    /// The live state of a grain, when it has one.
    pub(super) fn live(&self, grain: Slot) -> Option<&Live> {
        let slot = self.grains.get(grain as usize)?.live;
        self.live.get(slot as usize)
    }

    pub(super) fn drop_live(&mut self, grain: Slot) {
        let slot = std::mem::replace(&mut self.grains[grain as usize].live, NONE);
        if let Some(live) = self.live.get_mut(slot as usize) {
            *live = Live::default();
            self.free_live.push(slot);
        }
    }

    pub(super) fn push_grain(&mut self, grain: Grain) -> Slot {
        self.grains.push(grain);
        next_slot(&self.grains) - 1
    }

    /// The row of a pause, for a lock.
    pub(super) fn pause(&mut self, key: PauseKey, lock: u64) -> Slot {
        let next = next_slot(&self.pauses);
        let row = *self.pause_rows.entry(key).or_insert(next);
        match self.pauses.get_mut(row as usize) {
            Some(known) if known.lock != Some(lock) => known.lock = None,
            Some(_) => {}
            None => self.pauses.push(Pause {
                key,
                lock: Some(lock),
                waiting: 0,
                held: 0,
                bytes: None,
            }),
        }
        row
    }

    /// The chunk that a task is in, else the task.
    pub(super) fn active(&self, task: Slot) -> Slot {
        match self.live(task) {
            Some(live) if live.chunk != NONE => live.chunk,
            _ => task,
        }
    }

    /// The pass in which `task` does its work; chunks have none, their work is their own.
    pub(super) fn active_pass(&self, task: Slot) -> Slot {
        match self.live(task) {
            Some(live) if live.chunk == NONE => live.pass,
            _ => NONE,
        }
    }

    /// Counts one more fork of `task` in the innermost of chunk, construct and task; returns the
    /// grain and pass it belongs to and its place there.
    pub(super) fn next_fork(&mut self, task: Slot) -> (Slot, Slot, u32) {
        let (grain, pass) = (self.active(task), self.active_pass(task));
        let forks = match self.passes.get_mut(pass as usize) {
            Some(pass) => &mut pass.forks,
            None => &mut self.live_mut(grain).forks,
        };
        let index = *forks;
        *forks = forks.saturating_add(1);
        self.live_mut(task).last_barrier = NONE;
        (grain, pass, index)
    }
}
