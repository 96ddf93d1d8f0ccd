//! Waits for dependences: `taskwait depend`, and the wait before an undeferred task with dependences.
//!
//! Runtimes report such a wait as an empty task: it is created, has the dependences, and is over as soon as all that it
//! depends on is. Its creator waits for it, and meanwhile its thread may run other tasks. The grain of an empty task
//! has no work. It is no wait in the tables, because waits collect all tasks that were created before.
//!
//! For an undeferred task compilers call the runtime twice, and only the first call has the dependences. Such an empty
//! task is no grain: its dependences are those of the task itself.

use sheaf_model::table::{FragmentEnd, flags};

use super::{Mode, Replay};
use crate::trace::build::records::{Fragment, NONE, Slot, mark};
use crate::trace::{CodeAddress, TaskId};

/// Stands for the wait of a task for dependences, which has no row among the waits.
pub(super) const FOR_DEPENDENCES: Slot = NONE - 1;

/// Bytes of code between the two calls for an undeferred task, at most. Clang has 13 to 19. The call that prepares
/// another construct is in between if there are two, and takes 46 with its arguments.
const MAX_BETWEEN_CALLS: u64 = 32;

/// The empty task that a thread created last.
#[derive(Debug, Clone, Copy)]
pub(super) struct EmptyTask {
    slot: Slot,
    site: Option<CodeAddress>,
}

impl Replay<'_> {
    /// The current task has created an empty task and waits until that is over.
    pub(super) fn await_empty_task(
        &mut self,
        lane: usize,
        task: TaskId,
        site: Option<CodeAddress>,
    ) {
        let slot = self.task(task);
        let current = self.lanes[lane].current;
        self.records.grain_mut(slot).flag(flags::MERGED);
        if self.lanes[lane].mode == Mode::Run {
            self.records.live_mut(current).wait = FOR_DEPENDENCES;
            self.lanes[lane].mode = Mode::Wait;
        }
        self.lanes[lane].empty_task = Some(EmptyTask { slot, site });
    }

    /// An empty task is over: it ran at this instant, and its creator continues.
    pub(super) fn end_empty_task(&mut self, lane: usize, now: i64, slot: Slot) {
        let is_open = self.records.grains.get(slot as usize).is_some_and(|grain| {
            grain.is(mark::ANNOUNCED)
                && !grain.is(mark::STARTED | mark::ENDED)
                && grain.flags() & flags::MERGED != 0
        });
        if !is_open {
            self.tally.unused_events += 1;
            return;
        }
        self.settle(lane, now, FragmentEnd::Switch);
        let current = self.lanes[lane].current;
        let wait = self.records.live(current).map_or(NONE, |live| live.wait);
        if wait == FOR_DEPENDENCES {
            self.close_wait(current, now);
        }
        let (start, location) = (self.lanes[lane].since, self.worker(lane));
        self.start(lane, slot, start);
        self.records.workers[location as usize].has_worked = true;
        self.records.fragments.push(&Fragment {
            grain: slot,
            pass: NONE,
            location,
            ended_by: FragmentEnd::GrainEnd,
            start,
            duration: 0,
        });
        self.end_grain(slot, start);
        self.resume(lane, now);
    }

    /// The empty task whose dependences a task has that is created undeferred at a site; [`NONE`] if it has none. If it
    /// has some, its creator still waits.
    pub(super) fn empty_task_before(&mut self, lane: usize, site: Option<CodeAddress>) -> Slot {
        let lane = &mut self.lanes[lane];
        let Some(EmptyTask { slot, site: first }) = lane.empty_task else {
            return NONE;
        };
        let grain = self.records.grain(slot);
        // Its creator did nothing that the trace shows since then.
        let is_next = lane.mode == Mode::Run && grain.is(mark::ENDED) && grain.end == lane.since;
        if !is_next || !is_one_construct(first, site) {
            return NONE;
        }
        lane.mode = Mode::Wait;
        slot
    }

    /// Makes the dependences and the creation of an empty task those of the task behind it, if that is new.
    pub(super) fn fold_empty_task(&mut self, lane: usize, empty: Slot, task: TaskId, is_new: bool) {
        if !is_new {
            self.lanes[lane].mode = Mode::Run;
            return;
        }
        let slot = self.task(task);
        let row = self.records.grain_mut(empty);
        let created = row.created;
        row.marks |= mark::FOLDED;
        row.origin = slot;
        let row = self.records.grain_mut(slot);
        row.flag(flags::HAS_DEPENDENCES);
        row.created = created;
    }
}

/// Whether two calls of the runtime, one after the other, are those for an undeferred task with dependences. With GCC
/// they have one address, because the program calls the runtime once.
fn is_one_construct(first: Option<CodeAddress>, second: Option<CodeAddress>) -> bool {
    let (Some(first), Some(second)) = (first, second) else {
        return false;
    };
    let between = second.address.checked_sub(first.address);
    between.is_some_and(|between| between <= MAX_BETWEEN_CALLS)
}
