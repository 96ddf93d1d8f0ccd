//! Replays the events of one process: who ran what when.
//!
//! All threads advance together in the order of time, each with the task that is current on it.
//! A worker is always in one of three modes: it runs its current task, it waits inside it, or
//! neither. Every event that may change the mode first settles the interval since the previous
//! one, so intervals of a worker follow each other without overlap, whatever the events state.

mod calls;
mod constructs;
mod depend_waits;
mod locks;
mod regions;
mod tasks;
mod waits;

use sheaf_model::table::{FragmentEnd, GrainKind, flags};

use super::merge::{EventSource, Merge};
use super::numbering::Numbering;
use super::records::{
    Fragment, Grain, Idle, NEVER, NONE, Records, Region, Slot, Worker, mark, next_slot,
};
use super::sites::Sites;
use super::tally::Tally;
use crate::ahead::try_take_all;
use crate::trace::{CodeAddress, Event, EventKind, TaskId, ThreadId, TraceProblem};
use depend_waits::EmptyTask;
use locks::{Asked, Held};

/// One process to replay.
pub(super) struct ProcessEvents<S> {
    /// Number of the process among those of the run.
    pub(super) process: u32,
    /// Streams below belong to the process it was forked from.
    pub(super) first_thread: ThreadId,
    /// Added to the recorded nanoseconds: gives time since the start of the run.
    pub(super) shift: i64,
    /// Events per thread.
    pub(super) threads: Vec<S>,
}

/// Replays a process into `records`; returns what was damaged. `check` is asked now and then
/// whether to go on.
pub(super) fn replay<S: EventSource + Send>(
    input: ProcessEvents<S>,
    records: &mut Records,
    sites: &mut Sites,
    tally: &mut Tally,
    mut check: impl FnMut(u64) -> Result<(), sheaf_model::Cancelled>,
) -> Result<Vec<TraceProblem>, sheaf_model::Cancelled> {
    const EVENTS_PER_CHECK: u64 = 1 << 16;
    let first_grain = next_slot(&records.grains);
    let first_worker = next_slot(&records.workers);
    let worker = Worker {
        process: input.process,
        ..Worker::default()
    };
    records
        .workers
        .extend(input.threads.iter().map(|_| worker.clone()));
    let lanes = (0..input.threads.len()).map(|_| Lane::default()).collect();
    let mut replay = Replay {
        process: input.process,
        first_thread: input.first_thread,
        first_worker,
        shift: input.shift,
        tasks: Numbering::default(),
        region_rows: Numbering::default(),
        lanes,
        records,
        sites,
        tally,
    };
    let mut merge = Merge::new(input.threads);
    let mut num_events = 0;
    try_take_all(&mut merge, |(lane, event)| {
        num_events += 1;
        if num_events % EVENTS_PER_CHECK == 0 {
            check(num_events)?;
        }
        replay.apply(lane, &event);
        Ok(())
    })?;
    replay.tally.events += num_events;
    replay.finish(first_grain);
    Ok(merge
        .sources()
        .iter()
        .flat_map(|source| source.problems().to_vec())
        .collect())
}

/// What a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Nothing that is of the program.
    #[default]
    Idle,
    /// It runs its current task.
    Run,
    /// Its current task waits and nothing else runs.
    Wait,
    /// Its current task waits by itself, in a pause.
    Pause(Slot),
}

#[derive(Debug)]
struct Lane {
    current: Slot,
    /// Implicit and initial tasks that the current one stands on, outermost first.
    stack: Vec<Slot>,
    /// Regions this thread opened and did not leave yet.
    regions: Vec<Slot>,
    mode: Mode,
    since: i64,
    last: i64,
    /// Grain that the next counter reading belongs to.
    counted: Slot,
    /// The lock that the current task asked for.
    asked: Option<Asked>,
    /// Time in which it ran tasks, without the interval that is open.
    ran: i64,
    /// The same at the last reading of its processor time.
    ran_at_reading: i64,
    /// Grain and pass that ran last since then.
    ran_last: Option<(Slot, Slot)>,
    /// Locks that were got on this thread and not given back, in this order.
    held: Vec<Held>,
    empty_task: Option<EmptyTask>,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            current: NONE,
            stack: Vec::new(),
            regions: Vec::new(),
            mode: Mode::Idle,
            since: 0,
            last: 0,
            counted: NONE,
            asked: None,
            ran: 0,
            ran_at_reading: 0,
            ran_last: None,
            held: Vec::new(),
            empty_task: None,
        }
    }
}

struct Replay<'r> {
    process: u32,
    first_thread: ThreadId,
    first_worker: u32,
    shift: i64,
    tasks: Numbering,
    region_rows: Numbering,
    lanes: Vec<Lane>,
    records: &'r mut Records,
    sites: &'r mut Sites,
    tally: &'r mut Tally,
}

impl Replay<'_> {
    fn apply(&mut self, lane: usize, event: &Event) {
        let recorded = i64::try_from(event.time_ns).unwrap_or(i64::MAX);
        let now = recorded.saturating_add(self.shift);
        self.lanes[lane].last = now;
        match event.kind {
            EventKind::TaskCreate { .. }
            | EventKind::TaskSchedule { .. }
            | EventKind::Dependence { .. }
            | EventKind::TaskDependence { .. }
            | EventKind::Cancel { .. } => self.task_event(lane, now, event.kind),
            EventKind::ParallelBegin { .. }
            | EventKind::ParallelEnd { .. }
            | EventKind::ImplicitBegin { .. }
            | EventKind::ImplicitEnd { .. } => self.region_event(lane, now, event.kind),
            EventKind::WorkBegin(work) => self.work_begin(lane, now, work),
            EventKind::WorkEnd(work) => self.work_end(lane, now, work),
            EventKind::Dispatch {
                kind,
                task,
                start,
                iterations,
            } => {
                self.dispatch(lane, now, kind, task, (start, iterations));
            }
            EventKind::SyncBegin(sync) => self.sync_begin(lane, now, sync),
            EventKind::SyncEnd(sync) => self.sync_end(lane, sync),
            EventKind::WaitBegin(sync) => self.wait_begin(lane, now, sync),
            EventKind::WaitEnd(sync) => self.wait_end(lane, now, sync),
            EventKind::Cpu { cpu } => {
                let worker = self.worker(lane);
                self.records.workers[worker as usize].cpu.get_or_insert(cpu);
            }
            EventKind::Counter { counter, delta } => {
                let grain = self.lanes[lane].counted;
                if grain == NONE {
                    self.tally.loose_counters += 1;
                } else {
                    self.records.counters.push((grain, counter, delta));
                }
            }
            EventKind::MutexAcquire { mutex, .. } => self.ask(lane, now, mutex),
            EventKind::MutexAcquired(mutex) => self.get(lane, now, mutex),
            EventKind::MutexReleased(mutex) => self.give_back(lane, now, mutex.wait_id),
            // The lock was held already.
            EventKind::NestLockBegin { .. } => self.lanes[lane].asked = None,
            EventKind::ThreadTime { used_ns } => self.thread_time(lane, now, used_ns),
            EventKind::MpiBegin { call } => self.call_begin(lane, now, call),
            EventKind::MpiBytes { bytes } => self.call_bytes(lane, bytes),
            EventKind::MpiEnd => self.call_end(lane, now),
            EventKind::MpiMembers { .. }
            | EventKind::MpiSend { .. }
            | EventKind::MpiReceive { .. }
            | EventKind::MpiCollective { .. }
            | EventKind::MpiRequest { .. }
            | EventKind::MpiRequestDone { .. }
            | EventKind::MpiStatus { .. } => self.call_message(lane, event.kind),
            EventKind::Unknown { .. } => self.tally.unknown_events += 1,
            EventKind::ThreadBegin { .. }
            | EventKind::ThreadEnd
            | EventKind::NestLockEnd { .. } => {}
            _ => self.tally.unused_events += 1,
        }
    }

    fn worker(&self, lane: usize) -> u32 {
        self.first_worker + u32::try_from(lane).unwrap_or_default()
    }

    fn site(&mut self, address: Option<CodeAddress>) -> super::sites::SiteId {
        self.sites.intern(self.process, address)
    }

    /// The row of a task. One that nothing announced yet gets a row all the same: the thread
    /// that did may have a clock that runs a little late.
    fn task(&mut self, id: TaskId) -> Slot {
        let row = self.tasks.row(id.0, id.creator());
        if *row != NONE {
            return *row;
        }
        let slot = self
            .records
            .push_grain(Grain::new(self.process, GrainKind::Task));
        *row = slot;
        if id.creator() < self.first_thread {
            self.adopt(slot);
        }
        slot
    }

    /// A task that was running when the process was forked is the child's initial task.
    fn adopt(&mut self, slot: Slot) {
        self.tally.adopted_tasks += 1;
        let grain = self.records.grain_mut(slot);
        grain.kind = GrainKind::Initial;
        grain.marks |= mark::ANNOUNCED | mark::STARTED | mark::ADOPTED;
        self.open_surroundings(slot);
    }

    /// Makes the region that constructs outside any parallel region belong to.
    fn open_surroundings(&mut self, initial: Slot) {
        let region = next_slot(&self.records.regions);
        let members = vec![initial];
        self.records.regions.push(Region {
            members,
            is_announced: true,
            ..Region::default()
        });
        self.records.grain_mut(initial).origin = region;
        self.records.live_mut(initial).region = region;
    }

    /// The task that an event names, else the thread's current one. A thread whose current task
    /// is not known, after a fork or a loss, goes on with the one named.
    fn acting(&mut self, lane: usize, id: Option<TaskId>, now: i64) -> Slot {
        let named = id.map_or(NONE, |id| self.task(id));
        if self.lanes[lane].current == NONE && named != NONE {
            self.lanes[lane].current = named;
            self.start(lane, named, now);
            self.resume(lane, now);
        }
        if named == NONE {
            self.lanes[lane].current
        } else {
            named
        }
    }

    fn start(&mut self, lane: usize, slot: Slot, now: i64) {
        let worker = self.worker(lane);
        let grain = self.records.grain_mut(slot);
        grain.location = worker;
        grain.marks |= mark::STARTED;
        if grain.start == NEVER {
            grain.start = now;
        }
    }

    /// Closes the interval that a worker is in.
    fn settle(&mut self, lane: usize, now: i64, ended_by: FragmentEnd) {
        let location = self.worker(lane);
        let lane = &mut self.lanes[lane];
        let mode = std::mem::take(&mut lane.mode);
        let start = lane.since;
        lane.since = now.max(start);
        let duration = now.saturating_sub(start).max(0);
        lane.counted = NONE;
        if mode == Mode::Idle {
            return;
        }
        let records = &mut *self.records;
        let (grain, pass) = (
            records.active(lane.current),
            records.active_pass(lane.current),
        );
        records.workers[location as usize].has_worked = true;
        let row = records.grain_mut(grain);
        if mode == Mode::Run {
            lane.counted = grain;
            lane.ran = lane.ran.saturating_add(duration);
            lane.ran_last = Some((grain, pass));
            row.work += duration;
            row.location = location;
            let fragment = Fragment {
                grain,
                pass,
                location,
                ended_by,
                start,
                duration,
            };
            records.fragments.push(&fragment);
            if let Some(pass) = records.passes.get_mut(pass as usize) {
                pass.work += duration;
            }
        } else if let Mode::Pause(pause) = mode {
            records.add_waiting(grain, duration);
            if let Some(pause) = records.pauses.get_mut(pause as usize) {
                pause.waiting = pause.waiting.saturating_add(duration);
            }
        } else {
            records.add_waiting(grain, duration);
            records.idles.push(Idle {
                grain,
                pass,
                location,
                duration,
            });
            if let Some(pass) = records.passes.get_mut(pass as usize) {
                pass.waiting = pass.waiting.max(0) + duration;
            }
        }
    }

    /// Opens the interval that the worker is in now.
    fn resume(&mut self, lane: usize, now: i64) {
        let lane = &mut self.lanes[lane];
        lane.since = now.max(lane.since);
        lane.mode = Mode::Idle;
        let Some(grain) = self.records.grains.get(lane.current as usize) else {
            return;
        };
        if grain.is(mark::ENDED) {
            return;
        }
        lane.mode = match self.records.live(lane.current) {
            Some(live) if live.wait != NONE => Mode::Wait,
            Some(live) if live.open_regions > 0 => Mode::Idle,
            _ => Mode::Run,
        };
    }

    /// Ends a grain with all that is open in it; a second end is only counted.
    fn end_grain(&mut self, slot: Slot, now: i64) {
        if self.records.grain(slot).is(mark::ENDED) {
            self.tally.repeated_ends += 1;
            return;
        }
        self.close_wait(slot, now);
        self.close_chunk(slot, now);
        let grain = self.records.grain_mut(slot);
        grain.marks |= mark::ENDED;
        if grain.is(mark::STARTED) {
            grain.end = now.max(grain.start);
        }
        self.records.drop_live(slot);
    }

    /// Closes what is open when the events end.
    fn finish(&mut self, first_grain: Slot) {
        let mut process_end = i64::MIN;
        for lane in 0..self.lanes.len() {
            let last = self.lanes[lane].last;
            process_end = process_end.max(last);
            self.settle(lane, last, FragmentEnd::TraceEnd);
        }
        for slot in first_grain..next_slot(&self.records.grains) {
            let grain = self.records.grain(slot);
            if grain.is(mark::ENDED) || grain.kind == GrainKind::Chunk {
                continue;
            }
            let is_adopted = grain.is(mark::ADOPTED);
            let end = self.last_seen(grain).unwrap_or(process_end);
            self.end_grain(slot, end);
            if !is_adopted {
                self.records.grain_mut(slot).flag(flags::INCOMPLETE);
                self.tally.unfinished_tasks += 1;
            }
        }
    }

    /// Time of the last event of the thread that ran a grain last.
    fn last_seen(&self, grain: &Grain) -> Option<i64> {
        let lane = grain.location.checked_sub(self.first_worker)?;
        self.lanes.get(lane as usize).map(|lane| lane.last)
    }
}
