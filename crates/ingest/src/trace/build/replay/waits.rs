//! Barriers, taskwaits and taskgroups.

use sheaf_model::table::{FragmentEnd, WaitKind};

use super::Replay;
use crate::trace::build::records::{NONE, Slot, Wait, mark, next_slot};
use crate::trace::build::sites::SiteId;
use crate::trace::{Sync, SyncKind};

impl Replay<'_> {
    pub(super) fn sync_begin(&mut self, lane: usize, now: i64, sync: Sync) {
        let task = self.acting(lane, sync.task, now);
        if task == NONE || self.records.grain(task).is(mark::ENDED) {
            return;
        }
        if sync.kind == SyncKind::Taskgroup {
            let site = self.site(sync.site);
            self.records.live_mut(task).taskgroup = site;
        } else if is_barrier(sync.kind) && self.is_in_construct(task) {
            // OpenMP forbids barriers inside constructs of a team, so the member left this one.
            self.leave_construct(lane, now, task);
        }
    }

    pub(super) fn sync_end(&mut self, lane: usize, sync: Sync) {
        let task = sync
            .task
            .map_or(self.lanes[lane].current, |task| self.task(task));
        if task != NONE && sync.kind == SyncKind::Taskgroup && self.records.live(task).is_some() {
            self.records.live_mut(task).taskgroup = SiteId::NONE;
        }
    }

    pub(super) fn wait_begin(&mut self, lane: usize, now: i64, sync: Sync) {
        let task = self.acting(lane, sync.task, now);
        if task == NONE || self.records.grain(task).is(mark::ENDED) {
            return;
        }
        let is_current = self.lanes[lane].current == task;
        if is_current {
            self.settle(lane, now, FragmentEnd::Wait);
        }
        self.close_wait(task, now);
        let grain = self.records.active(task);
        let site = self.site(sync.site);
        let wait = next_slot(&self.records.waits);
        let kind = stored_kind(sync.kind);
        self.records.waits.push(Wait {
            grain,
            kind,
            site,
            start: now,
            duration: -1,
        });
        self.records.live_mut(task).wait = wait;
        if is_current {
            self.resume(lane, now);
        }
    }

    pub(super) fn wait_end(&mut self, lane: usize, now: i64, sync: Sync) {
        let task = self.acting(lane, sync.task, now);
        if task == NONE || self.records.grain(task).is(mark::ENDED) {
            // A member that was clipped at the end of its region reports it late.
            return;
        }
        let is_current = self.lanes[lane].current == task;
        if is_current {
            self.settle(lane, now, FragmentEnd::Wait);
        }
        let wait = self.records.live(task).map_or(NONE, |live| live.wait);
        self.close_wait(task, now);
        if sync.kind == SyncKind::BarrierImplicit {
            self.records.live_mut(task).last_barrier = wait;
        }
        if is_current {
            self.resume(lane, now);
        }
    }

    pub(super) fn close_wait(&mut self, task: Slot, now: i64) {
        let Some(live) = self.records.live(task) else {
            return;
        };
        let open = live.wait;
        if let Some(wait) = self.records.waits.get_mut(open as usize) {
            wait.duration = now.saturating_sub(wait.start).max(0);
        }
        if open != NONE {
            self.records.live_mut(task).wait = NONE;
        }
    }

    /// Runtimes that do not distinguish barriers: the one a member ends in, or is in when its
    /// region is over, closes the region.
    pub(super) fn region_end_wait(&mut self, member: Slot) {
        let Some(live) = self.records.live(member) else {
            return;
        };
        for wait in [live.wait, live.last_barrier] {
            if let Some(wait) = self.records.waits.get_mut(wait as usize)
                && wait.kind == WaitKind::ImplicitBarrier
            {
                wait.kind = WaitKind::RegionEnd;
            }
        }
    }
}

fn is_barrier(kind: SyncKind) -> bool {
    matches!(
        kind,
        SyncKind::Barrier
            | SyncKind::BarrierImplicit
            | SyncKind::BarrierExplicit
            | SyncKind::BarrierImplementation
            | SyncKind::BarrierImplicitWorkshare
            | SyncKind::BarrierImplicitParallel
            | SyncKind::BarrierTeams
    )
}

fn stored_kind(kind: SyncKind) -> WaitKind {
    match kind {
        SyncKind::Taskwait => WaitKind::Taskwait,
        SyncKind::Taskgroup => WaitKind::Taskgroup,
        SyncKind::Barrier | SyncKind::BarrierExplicit => WaitKind::Barrier,
        SyncKind::BarrierImplicitParallel => WaitKind::RegionEnd,
        _ => WaitKind::ImplicitBarrier,
    }
}
