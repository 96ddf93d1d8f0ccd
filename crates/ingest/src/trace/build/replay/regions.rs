//! Parallel regions and their members.

use sheaf_model::table::{FragmentEnd, GrainKind};

use super::Replay;
use crate::trace::build::records::{NONE, Region, Slot, mark, next_slot};
use crate::trace::{CodeAddress, EventKind, RegionId, TaskId};

impl Replay<'_> {
    pub(super) fn region_event(&mut self, lane: usize, now: i64, kind: EventKind) {
        match kind {
            EventKind::ParallelBegin {
                region, task, site, ..
            } => {
                self.parallel_begin(lane, now, region, task, site);
            }
            EventKind::ParallelEnd { region, .. } => self.parallel_end(lane, now, region),
            EventKind::ImplicitBegin {
                task,
                region,
                team_size,
                index,
                flags,
            } => {
                if flags.is_initial() && region.is_none() {
                    self.initial_begin(lane, now, task);
                } else {
                    self.member_begin(lane, now, (task, region), team_size, index);
                }
            }
            EventKind::ImplicitEnd { task, .. } => self.implicit_end(lane, now, task),
            _ => {}
        }
    }

    /// The row of a region, announced or not.
    fn region(&mut self, id: RegionId) -> Slot {
        let row = self.region_rows.row(id.0, id.creator());
        if *row == NONE {
            *row = next_slot(&self.records.regions);
            self.records.regions.push(Region::default());
        }
        *row
    }

    fn parallel_begin(
        &mut self,
        lane: usize,
        now: i64,
        region: RegionId,
        task: Option<TaskId>,
        site: Option<CodeAddress>,
    ) {
        let task = self.acting(lane, task, now);
        let region = self.region(region);
        if task == NONE || self.records.regions[region as usize].is_announced {
            self.tally.odd_regions += 1;
            return;
        }
        self.settle(lane, now, FragmentEnd::Enter);
        let site = self.site(site);
        let (parent, pass, index) = self.records.next_fork(task);
        let sequence = self.next_sequence(task, index);
        let live = self.records.live_mut(task);
        live.open_regions += 1;
        let row = &mut self.records.regions[region as usize];
        *row = Region {
            parent,
            pass,
            site,
            sequence,
            index,
            is_announced: true,
            members: std::mem::take(&mut row.members),
            constructs: std::mem::take(&mut row.constructs),
            team_size: row.team_size,
        };
        self.lanes[lane].regions.push(region);
        self.resume(lane, now);
    }

    /// Number of a region or taskloop within the grain that opens it.
    pub(super) fn next_sequence(&mut self, task: Slot, index: u32) -> u32 {
        if self.records.active(task) != task {
            return index;
        }
        let live = self.records.live_mut(task);
        let sequence = live.constructs;
        live.constructs = sequence.saturating_add(1);
        sequence
    }

    /// Workers report their end late, when needed again: the region is over for them now.
    fn parallel_end(&mut self, lane: usize, now: i64, region: Option<RegionId>) {
        let opened = self.lanes[lane].regions.pop();
        let named = region.map(|region| self.region(region));
        let Some(region) = named.or(opened) else {
            self.tally.odd_regions += 1;
            return;
        };
        let members = std::mem::take(&mut self.records.regions[region as usize].members);
        for &member in &members {
            self.clip_member(member, now);
        }
        self.records.regions[region as usize].members = members;
        self.settle(lane, now, FragmentEnd::Enter);
        self.leave_member(lane, region);
        let current = self.lanes[lane].current;
        if current != NONE {
            let live = self.records.live_mut(current);
            live.open_regions = live.open_regions.saturating_sub(1);
        }
        self.resume(lane, now);
    }

    /// The primary's own end in the region may be lost: it is out of it all the same.
    fn leave_member(&mut self, lane: usize, region: Slot) {
        let state = &mut self.lanes[lane];
        let Some(top) = state
            .stack
            .last()
            .and_then(|&top| self.records.grains.get(top as usize))
        else {
            return;
        };
        if top.kind == GrainKind::Implicit && top.origin == region {
            state.stack.pop();
            state.current = state.stack.last().copied().unwrap_or(NONE);
        }
    }

    fn clip_member(&mut self, member: Slot, now: i64) {
        let grain = self.records.grain(member);
        if grain.is(mark::ENDED) {
            return;
        }
        let lane = grain.location.wrapping_sub(self.first_worker) as usize;
        if self
            .lanes
            .get(lane)
            .is_some_and(|lane| lane.current == member)
        {
            self.settle(lane, now, FragmentEnd::GrainEnd);
        }
        self.region_end_wait(member);
        self.end_grain(member, now);
    }

    fn initial_begin(&mut self, lane: usize, now: i64, task: TaskId) {
        let slot = self.task(task);
        if self.records.grain(slot).is(mark::ANNOUNCED) {
            self.tally.odd_creations += 1;
            return;
        }
        let grain = self.records.grain_mut(slot);
        grain.kind = GrainKind::Initial;
        self.open_surroundings(slot);
        self.enter(lane, now, slot);
    }

    fn member_begin(
        &mut self,
        lane: usize,
        now: i64,
        (task, region): (TaskId, Option<RegionId>),
        team_size: u32,
        index: u32,
    ) {
        let opened = self.lanes[lane].regions.last().copied();
        let named = region.map(|region| self.region(region));
        let slot = self.task(task);
        let Some(region) = named.or(opened) else {
            // Without its region it is like a thread of its own.
            self.tally.odd_regions += 1;
            return self.initial_begin(lane, now, task);
        };
        if self.records.grain(slot).is(mark::ANNOUNCED) {
            self.tally.odd_creations += 1;
            return;
        }
        let row = &mut self.records.regions[region as usize];
        row.members.push(slot);
        row.team_size = row.team_size.max(team_size);
        self.records.max_team = self.records.max_team.max(team_size);
        let grain = self.records.grain_mut(slot);
        grain.kind = GrainKind::Implicit;
        grain.origin = region;
        grain.index = index;
        self.records.live_mut(slot).region = region;
        self.enter(lane, now, slot);
    }

    /// Makes an initial or implicit task current.
    fn enter(&mut self, lane: usize, now: i64, slot: Slot) {
        self.settle(lane, now, FragmentEnd::Switch);
        self.records.grain_mut(slot).marks |= mark::ANNOUNCED;
        self.start(lane, slot, now);
        let state = &mut self.lanes[lane];
        if state.stack.is_empty() && state.current != NONE {
            state.stack.push(state.current);
        }
        state.stack.push(slot);
        state.current = slot;
        self.resume(lane, now);
    }

    fn implicit_end(&mut self, lane: usize, now: i64, task: Option<TaskId>) {
        let slot = task.map_or(NONE, |task| self.task(task));
        let slot = if slot == NONE {
            self.lanes[lane].stack.last().copied().unwrap_or(NONE)
        } else {
            slot
        };
        if slot == NONE {
            self.tally.odd_regions += 1;
            return;
        }
        if self.lanes[lane].current == slot {
            self.settle(lane, now, FragmentEnd::GrainEnd);
        } else {
            self.settle(lane, now, FragmentEnd::Switch);
        }
        // A member that was clipped reports its end late.
        if !self.records.grain(slot).is(mark::ENDED) {
            self.region_end_wait(slot);
            self.end_grain(slot, now);
        }
        let state = &mut self.lanes[lane];
        if let Some(at) = state.stack.iter().rposition(|&entry| entry == slot) {
            state.stack.truncate(at);
        }
        state.current = state.stack.last().copied().unwrap_or(NONE);
        self.resume(lane, now);
    }
}
