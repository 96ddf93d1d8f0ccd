//! Locks, critical and ordered sections, atomic constructs, other iterations: waiting for them is not work.

use sheaf_model::table::FragmentEnd;

use super::{Mode, Replay};
use crate::symbols::ConstructKind;
use crate::trace::build::records::{NONE, PauseKey, PauseKind, Slot};
use crate::trace::{Mutex, MutexKind};

/// A lock that was got faster was free: taking it costs that much, recording included, and is work.
const SHORTEST_WAIT_NS: i64 = 100;

/// A task asked for a lock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    lock: u64,
    time: i64,
    /// Begin of the interval that the worker was in: another one means that something came between.
    since: i64,
}

impl Asked {
    /// Since when the task of an interval waits, unless something came between.
    pub(super) fn since(self, interval: i64) -> Option<i64> {
        (self.since == interval).then_some(self.time)
    }
}

/// A task has a lock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    lock: u64,
    pause: Slot,
    time: i64,
}

impl Replay<'_> {
    pub(super) fn ask(&mut self, lane: usize, now: i64, mutex: Mutex) {
        let lane = &mut self.lanes[lane];
        lane.asked = (lane.mode == Mode::Run).then_some(Asked {
            lock: mutex.wait_id,
            time: now,
            since: lane.since,
        });
    }

    pub(super) fn get(&mut self, lane: usize, now: i64, mutex: Mutex) {
        let asked = self.lanes[lane].asked.take();
        let current = self.lanes[lane].current;
        if current == NONE || self.lanes[lane].mode != Mode::Run {
            self.tally.unused_events += 1;
            return;
        }
        let key = PauseKey {
            grain: self.records.active(current),
            pass: self.records.active_pass(current),
            location: self.worker(lane),
            what: PauseKind::Lock(kind(mutex.kind), self.site(mutex.site)),
        };
        let pause = self.records.pause(key, mutex.wait_id);
        let since = self.lanes[lane].since;
        let asked = asked.filter(|asked| asked.lock == mutex.wait_id);
        if let Some(asked) = asked.and_then(|asked| asked.since(since))
            && now.saturating_sub(asked) >= SHORTEST_WAIT_NS
        {
            self.settle(lane, asked, FragmentEnd::Lock);
            self.lanes[lane].mode = Mode::Pause(pause);
            self.settle(lane, now, FragmentEnd::Lock);
            self.resume(lane, now);
        }
        // Other iterations go on while this one does: it holds nothing.
        if mutex.kind != MutexKind::Doacross {
            self.lanes[lane].held.push(Held {
                lock: mutex.wait_id,
                pause,
                time: now,
            });
        }
    }

    /// Another thread may release a lock that is not a section. Its holding time is then unknown.
    pub(super) fn give_back(&mut self, lane: usize, now: i64, lock: u64) {
        let held = &mut self.lanes[lane].held;
        let Some(at) = held.iter().rposition(|held| held.lock == lock) else {
            return;
        };
        let held = held.remove(at);
        if let Some(pause) = self.records.pauses.get_mut(held.pause as usize) {
            let length = now.saturating_sub(held.time).max(0);
            pause.held = pause.held.saturating_add(length);
        }
    }
}

fn kind(mutex: MutexKind) -> ConstructKind {
    match mutex {
        MutexKind::Critical => ConstructKind::Critical,
        MutexKind::Ordered => ConstructKind::Ordered,
        MutexKind::Doacross => ConstructKind::Doacross,
        MutexKind::Atomic => ConstructKind::Atomic,
        _ => ConstructKind::Lock,
    }
}
