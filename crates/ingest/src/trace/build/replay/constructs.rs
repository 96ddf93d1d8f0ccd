//! Worksharing constructs, their chunks, and taskloops.

use sheaf_model::table::{FragmentEnd, GrainKind};

use super::Replay;
use crate::trace::build::records::{
    Construct, Grain, NONE, Pass, Range, Slot, Taskloop, mark, next_slot,
};
use crate::trace::build::sections::range_of_member;
use crate::trace::build::sites::SiteId;
use crate::trace::{DispatchKind, TaskId, Work, WorkKind};

impl Replay<'_> {
    pub(super) fn work_begin(&mut self, lane: usize, now: i64, work: Work) {
        let task = self.acting(lane, work.task, now);
        if task == NONE || self.records.grain(task).is(mark::ENDED) {
            self.tally.unused_events += 1;
            return;
        }
        if work.kind == WorkKind::Taskloop {
            self.taskloop_begin(task, &work);
            return;
        }
        let region = self.records.live_mut(task).region;
        if region == NONE {
            // An explicit task cannot meet a worksharing construct.
            self.tally.unused_events += 1;
            return;
        }
        self.settle(lane, now, FragmentEnd::Enter);
        self.close_chunk(task, now);
        let construct = self.meet(task, region, &work);
        let has_pass = work.kind.is_loop()
            || matches!(work.kind, WorkKind::SingleExecutor | WorkKind::Sections);
        let pass = if has_pass {
            self.open_pass(task, construct)
        } else {
            NONE
        };
        self.records.live_mut(task).pass = pass;
        self.resume(lane, now);
        let team_size = self.records.regions[region as usize].team_size;
        let member = self.records.grain(task).index;
        let is_alone = work.kind == WorkKind::LoopStatic && team_size == 1;
        if is_alone || work.kind == WorkKind::Sections {
            if let Some(range) = range_of_member(work.count, team_size, member) {
                self.chunk_begin(lane, now, task, range);
            }
            // Runtimes report no chunk of most static loops to a team of one.
            let live = self.records.live_mut(task);
            live.whole_loop = if is_alone { live.chunk } else { NONE };
        }
    }

    fn open_pass(&mut self, task: Slot, construct: Slot) -> Slot {
        let records = &mut *self.records;
        records.constructs[construct as usize].num_passes += 1;
        let pass = Pass {
            construct,
            grain: task,
            forks: 0,
            work: 0,
            waiting: -1,
        };
        records.passes.push(pass);
        next_slot(&records.passes) - 1
    }

    /// The construct that a member meets: each member meets the same ones in the same order.
    fn meet(&mut self, task: Slot, region: Slot, work: &Work) -> Slot {
        let site = self.site(work.site);
        let records = &mut *self.records;
        let member = records.grain(task).index;
        let live = records.live_mut(task);
        let sequence = live.met;
        live.met = sequence.saturating_add(1);
        live.last_barrier = NONE;
        live.taskgroup = SiteId::NONE;
        let known = records.regions[region as usize]
            .constructs
            .get(sequence as usize)
            .copied();
        let slot = known.unwrap_or_else(|| {
            let slot = next_slot(&records.constructs);
            records.constructs.push(Construct {
                region,
                sequence,
                kind: work.kind,
                site: SiteId::NONE,
                site_member: u32::MAX,
                count: 0,
                num_passes: 0,
                chunks: Vec::new(),
            });
            records.regions[region as usize].constructs.push(slot);
            slot
        });
        let construct = &mut records.constructs[slot as usize];
        construct.count = construct.count.max(work.count);
        if site != SiteId::NONE && member < construct.site_member {
            construct.site = site;
            construct.site_member = member;
        }
        slot
    }

    fn taskloop_begin(&mut self, task: Slot, work: &Work) {
        let site = self.site(work.site);
        let (parent, pass, index) = self.records.next_fork(task);
        let sequence = self.next_sequence(task, index);
        let slot = next_slot(&self.records.taskloops);
        let live = self.records.live_mut(task);
        let taskgroup = std::mem::replace(&mut live.taskgroup, SiteId::NONE);
        live.taskloop = slot;
        self.records.taskloops.push(Taskloop {
            encountered_by: task,
            parent,
            pass,
            sequence,
            index,
            site,
            taskgroup,
            count: work.count,
            tasks: Vec::new(),
            creators: Vec::new(),
        });
    }

    pub(super) fn work_end(&mut self, lane: usize, now: i64, work: Work) {
        let task = self.acting(lane, work.task, now);
        if task == NONE || self.records.grain(task).is(mark::ENDED) {
            return;
        }
        if work.kind == WorkKind::Taskloop {
            self.records.live_mut(task).taskloop = NONE;
            return;
        }
        self.leave_construct(lane, now, task);
    }

    /// Ends the construct that a task is in, with its chunk.
    pub(super) fn leave_construct(&mut self, lane: usize, now: i64, task: Slot) {
        let ended_by = if self.records.active(task) == task {
            FragmentEnd::Enter
        } else {
            FragmentEnd::GrainEnd
        };
        self.settle(lane, now, ended_by);
        self.close_chunk(task, now);
        self.records.live_mut(task).pass = NONE;
        self.resume(lane, now);
    }

    /// Whether the task is inside a construct whose end was not reported: code of GCC does not report the end of a single,
    /// and a member does not report the end of a loop or sections that it cancels.
    pub(super) fn is_in_construct(&self, task: Slot) -> bool {
        let live = self.records.live(task);
        live.is_some_and(|live| live.pass != NONE)
    }

    pub(super) fn dispatch(
        &mut self,
        lane: usize,
        now: i64,
        kind: DispatchKind,
        task: Option<TaskId>,
        (first, iterations): (i64, u64),
    ) {
        let range = Range {
            first,
            iterations,
            forks: 0,
            forks_before: 0,
        };
        let task = self.acting(lane, task, now);
        if task == NONE || self.records.grain(task).is(mark::ENDED) {
            self.tally.unused_events += 1;
            return;
        }
        match kind {
            DispatchKind::TaskloopChunk => {
                let slot = next_slot(&self.records.ranges);
                let grain = self.records.grain_mut(task);
                if grain.kind == GrainKind::TaskloopChunk {
                    grain.range = slot;
                    grain.marks |= mark::HAS_RANGE;
                    self.records.ranges.push(range);
                } else {
                    self.tally.unused_events += 1;
                }
            }
            DispatchKind::LoopChunk | DispatchKind::DistributeChunk | DispatchKind::Iteration => {
                self.chunk_begin(lane, now, task, range);
            }
            _ => self.tally.unused_events += 1,
        }
    }

    fn chunk_begin(&mut self, lane: usize, now: i64, task: Slot, range: Range) {
        let pass = self.records.live_mut(task).pass;
        let Some(construct) = self
            .records
            .passes
            .get(pass as usize)
            .map(|pass| pass.construct)
        else {
            self.tally.unused_events += 1;
            return;
        };
        if self.restart_chunk(lane, now, task, range) {
            return;
        }
        let is_next = self.records.active(task) != task;
        let ended_by = if is_next {
            FragmentEnd::GrainEnd
        } else {
            FragmentEnd::Enter
        };
        self.settle(lane, now, ended_by);
        self.close_chunk(task, now);
        let mut chunk = Grain::new(self.process, GrainKind::Chunk);
        chunk.parent = task;
        chunk.marks = mark::ANNOUNCED | mark::STARTED | mark::HAS_RANGE;
        chunk.origin = construct;
        chunk.range = next_slot(&self.records.ranges);
        chunk.sequence = self.records.constructs[construct as usize].sequence;
        chunk.created = now;
        chunk.start = now;
        chunk.location = self.worker(lane);
        self.records.ranges.push(range);
        let chunk = self.records.push_grain(chunk);
        self.records.constructs[construct as usize]
            .chunks
            .push(chunk);
        self.records.live_mut(task).chunk = chunk;
        self.resume(lane, now);
    }

    /// Makes the chunk that stands for a whole loop the first one that the runtime reports; whether there is such a chunk.
    fn restart_chunk(&mut self, lane: usize, now: i64, task: Slot, range: Range) -> bool {
        let live = self.records.live_mut(task);
        let chunk = std::mem::replace(&mut live.whole_loop, NONE);
        if chunk == NONE || chunk != live.chunk {
            return false;
        }
        // So far the member only got it.
        live.chunk = NONE;
        self.settle(lane, now, FragmentEnd::Enter);
        self.records.live_mut(task).chunk = chunk;
        let grain = self.records.grain_mut(chunk);
        (grain.created, grain.start) = (now, now);
        let slot = grain.range;
        if let Some(known) = self.records.ranges.get_mut(slot as usize) {
            *known = range;
        }
        self.resume(lane, now);
        true
    }

    /// Ends the chunk that a task is in.
    pub(super) fn close_chunk(&mut self, task: Slot, now: i64) {
        let Some(live) = self.records.live(task) else {
            return;
        };
        let chunk = live.chunk;
        if chunk == NONE {
            return;
        }
        self.records.live_mut(task).chunk = NONE;
        let forks = self.records.live(chunk).map_or(0, |live| live.forks);
        self.records.drop_live(chunk);
        let range = self.records.grain(chunk).range;
        if let Some(range) = self.records.ranges.get_mut(range as usize) {
            range.forks = forks;
        }
        let grain = self.records.grain_mut(chunk);
        grain.marks |= mark::ENDED;
        grain.end = now.max(grain.start);
    }
}
