//! Tasks: creation, switches, dependences, cancellation.

use sheaf_model::table::{FragmentEnd, GrainKind, flags};

use super::{Mode, Replay};
use crate::trace::build::records::{DependItem, NONE, Slot, mark};
use crate::trace::build::sites::SiteId;
use crate::trace::{CodeAddress, DependenceKind, EventKind, TaskFlags, TaskId, TaskStatus};

impl Replay<'_> {
    pub(super) fn task_event(&mut self, lane: usize, now: i64, kind: EventKind) {
        match kind {
            EventKind::TaskCreate {
                task,
                parent,
                flags,
                has_dependences,
                site,
            } => {
                let mut bits = stored_flags(flags);
                if has_dependences {
                    bits |= flags::HAS_DEPENDENCES;
                }
                let empty = if flags.is_undeferred() && !has_dependences {
                    self.empty_task_before(lane, site)
                } else {
                    NONE
                };
                let is_new = self.create(lane, now, (task, parent), bits, site);
                if empty != NONE {
                    self.fold_empty_task(lane, empty, task, is_new);
                } else if is_new && flags.is_taskwait() {
                    self.await_empty_task(lane, task, site);
                }
            }
            EventKind::TaskSchedule {
                prior,
                status,
                next,
            } => {
                self.schedule(lane, now, prior, status, next);
            }
            EventKind::Dependence {
                task: Some(task),
                kind,
                address,
            } => {
                if matches!(kind, DependenceKind::Source | DependenceKind::Sink) {
                    self.tally.unused_events += 1;
                } else {
                    let task = self.task(task);
                    self.records.depends.push(DependItem {
                        task,
                        kind,
                        address,
                    });
                }
            }
            EventKind::TaskDependence {
                source: Some(source),
                sink: Some(sink),
            } => {
                let pair = (self.task(source), self.task(sink));
                self.records.depend_pairs.push(pair);
            }
            EventKind::Cancel {
                task: Some(task),
                flags,
                ..
            } if flags.is_discarded() => {
                let slot = self.task(task);
                self.records.grain_mut(slot).flag(flags::CANCELLED);
            }
            _ => self.tally.unused_events += 1,
        }
    }

    /// Whether the task is new and has a parent.
    fn create(
        &mut self,
        lane: usize,
        now: i64,
        (task, parent): (TaskId, Option<TaskId>),
        flags: i32,
        site: Option<CodeAddress>,
    ) -> bool {
        let parent = self.acting(lane, parent, now);
        let slot = self.task(task);
        if self.records.grain(slot).is(mark::ANNOUNCED) || parent == NONE || parent == slot {
            self.tally.odd_creations += 1;
            return false;
        }
        let current = self.lanes[lane].current;
        let is_running = self.lanes[lane].mode == Mode::Run;
        if is_running {
            self.settle(lane, now, FragmentEnd::Creation);
        }
        let site = self.site(site);
        let grain = self.records.grain_mut(slot);
        grain.marks |= mark::ANNOUNCED;
        grain.flag(flags);
        grain.created = now;
        grain.site = site;
        let taskloop = self.taskloop_of_creation(parent, current);
        if taskloop == NONE {
            self.place_task(slot, parent);
        } else {
            self.place_in_taskloop(slot, taskloop, current);
        }
        if is_running {
            self.resume(lane, now);
        }
        true
    }

    /// The taskloop that a new task belongs to. All its tasks name the encountering task as
    /// parent, also those that a task of the loop makes on splitting its range further: that
    /// one is not a grain then.
    fn taskloop_of_creation(&mut self, parent: Slot, current: Slot) -> Slot {
        if parent != current && current != NONE {
            let running = self.records.grain(current);
            let taskloop = running.origin;
            let is_split = running.kind == GrainKind::TaskloopChunk
                && self.records.taskloops[taskloop as usize].encountered_by == parent;
            if is_split {
                self.records.grain_mut(current).marks |= mark::FOLDED;
                return taskloop;
            }
        }
        self.records.live(parent).map_or(NONE, |live| live.taskloop)
    }

    fn place_task(&mut self, slot: Slot, parent: Slot) {
        let (creator, pass, index) = self.records.next_fork(parent);
        let construct = self
            .records
            .passes
            .get(pass as usize)
            .map(|pass| pass.construct);
        let sequence = construct
            .and_then(|construct| self.records.constructs.get(construct as usize))
            .map_or(NONE, |construct| construct.sequence);
        let grain = self.records.grain_mut(slot);
        grain.parent = creator;
        grain.pass = pass;
        grain.sequence = sequence;
        grain.index = index;
        // A taskgroup before this task is not that of a taskloop.
        self.records.live_mut(parent).taskgroup = SiteId::NONE;
    }

    fn place_in_taskloop(&mut self, slot: Slot, taskloop: Slot, creator: Slot) {
        let list = &mut self.records.taskloops[taskloop as usize];
        list.tasks.push(slot);
        list.creators.push(creator);
        let (parent, pass, sequence) = (list.parent, list.pass, list.sequence);
        let grain = self.records.grain_mut(slot);
        grain.kind = GrainKind::TaskloopChunk;
        grain.parent = parent;
        grain.pass = pass;
        grain.sequence = sequence;
        grain.origin = taskloop;
    }

    fn schedule(
        &mut self,
        lane: usize,
        now: i64,
        prior: Option<TaskId>,
        status: TaskStatus,
        next: Option<TaskId>,
    ) {
        let prior = prior.map_or(NONE, |prior| self.task(prior));
        if status == TaskStatus::TaskwaitComplete {
            self.end_empty_task(lane, now, prior);
            return;
        }
        if !status.is_switch() {
            self.tally.unused_events += 1;
            return;
        }
        let current = self.lanes[lane].current;
        let next = next.map_or(NONE, |next| self.task(next));
        let is_end = status.is_end() || status == TaskStatus::Detach;
        // A task that is dropped before it ran ends while another one runs on.
        if next == current && current != NONE && prior != current {
            if is_end && prior != NONE {
                self.end_task(prior, status, now);
            }
            return;
        }
        let is_end_of_current = is_end && prior == current;
        let ended_by = if is_end_of_current {
            FragmentEnd::GrainEnd
        } else {
            FragmentEnd::Switch
        };
        self.settle(lane, now, ended_by);
        if is_end && prior != NONE {
            self.end_task(prior, status, now);
        }
        let below = self.lanes[lane].stack.last().copied().unwrap_or(NONE);
        let next = if next == NONE { below } else { next };
        self.lanes[lane].current = next;
        if next != NONE {
            self.start(lane, next, now);
        }
        self.resume(lane, now);
    }

    /// Ends an explicit task; implicit ones end with their own event.
    fn end_task(&mut self, slot: Slot, status: TaskStatus, now: i64) {
        if !self.records.grain(slot).is_explicit() {
            self.tally.unused_events += 1;
            return;
        }
        if status == TaskStatus::Cancel {
            self.records.grain_mut(slot).flag(flags::CANCELLED);
        }
        self.end_grain(slot, now);
    }
}

fn stored_flags(reported: TaskFlags) -> i32 {
    let pairs = [
        (reported.is_undeferred(), flags::UNDEFERRED),
        (reported.is_untied(), flags::UNTIED),
        (reported.is_final(), flags::FINAL),
        (reported.is_mergeable(), flags::MERGEABLE),
        (reported.is_merged(), flags::MERGED),
    ];
    pairs
        .iter()
        .filter(|(is_set, _)| *is_set)
        .map(|(_, bit)| bit)
        .sum()
}
