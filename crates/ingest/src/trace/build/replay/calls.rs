//! Time that grains spend in MPI, and work for which they had no processor.

use sheaf_model::table::FragmentEnd;

use super::{Mode, Replay};
use crate::trace::EventKind;
use crate::trace::build::records::{NONE, OffCpu, PauseKey, PauseKind};

/// Less than that is not noticed: the processor time is read a little later than the clock.
const SHORTEST_ABSENCE_NS: i64 = 10_000;

impl Replay<'_> {
    pub(super) fn call_begin(&mut self, lane: usize, now: i64, call: u16) {
        self.records.messages.begin(lane, now, call);
        let current = self.lanes[lane].current;
        if current == NONE || self.lanes[lane].mode != Mode::Run {
            self.tally.unused_events += 1;
            return;
        }
        let key = PauseKey {
            grain: self.records.active(current),
            pass: self.records.active_pass(current),
            location: self.worker(lane),
            what: PauseKind::Call(call),
        };
        let pause = self.records.pause(key, 0);
        self.settle(lane, now, FragmentEnd::Message);
        self.lanes[lane].mode = Mode::Pause(pause);
    }

    pub(super) fn call_message(&mut self, lane: usize, message: EventKind) {
        if let Some(bytes) = self.records.messages.note(lane, message) {
            self.call_bytes(lane, bytes);
        }
    }

    pub(super) fn call_bytes(&mut self, lane: usize, bytes: u64) {
        let open = match self.lanes[lane].mode {
            Mode::Pause(pause) => self.records.pauses.get_mut(pause as usize),
            _ => None,
        };
        match open {
            Some(pause) if matches!(pause.key.what, PauseKind::Call(_)) => {
                let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
                pause.bytes = Some(pause.bytes.unwrap_or(0).saturating_add(bytes));
            }
            _ => self.tally.unused_events += 1,
        }
    }

    pub(super) fn call_end(&mut self, lane: usize, now: i64) {
        self.records.messages.end(lane, now);
        if matches!(self.lanes[lane].mode, Mode::Pause(_)) {
            self.settle(lane, now, FragmentEnd::Message);
            self.resume(lane, now);
        }
    }

    /// Of the time since the last reading in which the thread ran tasks, the part for which it had no processor is at
    /// least what its processor time is shorter: in waits it may have used some too.
    pub(super) fn thread_time(&mut self, lane: usize, now: i64, used_ns: u64) {
        let location = self.worker(lane);
        let state = &mut self.lanes[lane];
        let open = if state.mode == Mode::Run {
            // The reading can come before the lock that the task waits for, so that the interval is not over yet.
            let asked = state.asked.and_then(|asked| asked.since(state.since));
            asked.unwrap_or(now).saturating_sub(state.since).max(0)
        } else {
            0
        };
        let ran = state.ran.saturating_add(open);
        if open > 0 {
            let task = state.current;
            state.ran_last = Some((self.records.active(task), self.records.active_pass(task)));
        }
        let used = i64::try_from(used_ns).unwrap_or(i64::MAX);
        let absent = ran
            .saturating_sub(state.ran_at_reading)
            .saturating_sub(used);
        state.ran_at_reading = ran;
        if let Some((grain, pass)) = state.ran_last.take() {
            let is_noticed = absent >= SHORTEST_ABSENCE_NS;
            self.records.off_cpu.push(OffCpu {
                grain,
                pass,
                location,
                duration: if is_noticed { absent } else { 0 },
            });
        }
    }
}
