//! The coding of one chunk's records, and the events they mean.

use super::cursor::{Cursor, Damaged, Read, unzigzag};
use super::event::{CodeAddress, EventKind, Mutex, RegionId, Sync, TaskId, Work};
use super::format::{FOREIGN_SLOTS, ID_SHIFT, tag};
use super::numbers::{CancelFlags, DispatchKind, TaskFlags, TaskStatus};

/// What the coding of records refers back to; starts anew in each chunk.
#[derive(Debug)]
pub(super) struct State {
    /// Acting task of the previous record that named one.
    current: u64,
    /// Last number the stream gave out.
    last_given: u64,
    /// Own part of all numbers of the stream.
    own: u64,
    /// Last number seen of each other stream.
    foreign: [u64; FOREIGN_SLOTS],
    pub(super) sites: Vec<CodeAddress>,
    last_wait: u64,
}

const COUNTER_MASK: u64 = (1 << ID_SHIFT) - 1;

impl State {
    pub(super) fn new(stream: u32, numbers_given: u64) -> Self {
        let own = (u64::from(stream) + 1) << ID_SHIFT;
        Self {
            current: 0,
            last_given: own | (numbers_given & COUNTER_MASK),
            own,
            foreign: [0; FOREIGN_SLOTS],
            sites: Vec::new(),
            last_wait: 0,
        }
    }

    fn give(&mut self) -> u64 {
        let counter = (self.last_given & COUNTER_MASK).wrapping_add(1) & COUNTER_MASK;
        self.last_given = self.own | counter;
        self.last_given
    }

    /// A task or region: none, the current one, one of this stream's, or another stream's.
    pub(super) fn reference(&mut self, cursor: &mut Cursor<'_>) -> Read<Option<u64>> {
        let code = cursor.number()?;
        let id = match code {
            0 => return Ok(None),
            1 => self.current,
            _ if code.is_multiple_of(2) => {
                let back = (code >> 1) - 1;
                self.own
                    | (self.last_given & COUNTER_MASK)
                        .checked_sub(back)
                        .ok_or(Damaged)?
            }
            _ => {
                let delta = unzigzag((code >> 1) - 1);
                let stream = u64::from(cursor.number32()?);
                let slot = usize::try_from(stream).map_err(|_| Damaged)? % FOREIGN_SLOTS;
                let last = self.foreign.get_mut(slot).ok_or(Damaged)?;
                *last = last.wrapping_add_signed(delta) & COUNTER_MASK;
                ((stream + 1) << ID_SHIFT) | *last
            }
        };
        Ok((id != 0).then_some(id))
    }

    /// A reference that also states which task is current.
    pub(super) fn acting(&mut self, cursor: &mut Cursor<'_>) -> Read<Option<u64>> {
        let id = self.reference(cursor)?;
        self.current = id.unwrap_or(self.current);
        Ok(id)
    }

    pub(super) fn site(&self, cursor: &mut Cursor<'_>) -> Read<Option<CodeAddress>> {
        let Some(index) = cursor.number()?.checked_sub(1) else {
            return Ok(None);
        };
        let site = usize::try_from(index)
            .ok()
            .and_then(|index| self.sites.get(index));
        site.copied().map(Some).ok_or(Damaged)
    }

    pub(super) fn region_event(&mut self, tag: u8, cursor: &mut Cursor<'_>) -> Read<EventKind> {
        Ok(match tag {
            tag::PARALLEL_BEGIN => {
                let task = self.acting(cursor)?.map(TaskId);
                let (requested, flags) = (cursor.number32()?, cursor.number32()?);
                let site = self.site(cursor)?;
                let region = RegionId(self.give());
                EventKind::ParallelBegin {
                    region,
                    task,
                    requested,
                    flags,
                    site,
                }
            }
            tag::PARALLEL_END => EventKind::ParallelEnd {
                region: self.reference(cursor)?.map(RegionId),
                task: self.acting(cursor)?.map(TaskId),
                flags: cursor.number32()?,
                site: self.site(cursor)?,
            },
            tag::IMPLICIT_BEGIN => {
                let region = self.reference(cursor)?.map(RegionId);
                let (team_size, index) = (cursor.number32()?, cursor.number32()?);
                let flags = TaskFlags(cursor.number32()?);
                self.current = self.give();
                let task = TaskId(self.current);
                EventKind::ImplicitBegin {
                    task,
                    region,
                    team_size,
                    index,
                    flags,
                }
            }
            _ => EventKind::ImplicitEnd {
                task: self.acting(cursor)?.map(TaskId),
                team_size: cursor.number32()?,
                index: cursor.number32()?,
                flags: TaskFlags(cursor.number32()?),
            },
        })
    }

    pub(super) fn task_event(&mut self, tag: u8, cursor: &mut Cursor<'_>) -> Read<EventKind> {
        let task_of = |id: u64| (id != 0).then_some(TaskId(id));
        let (prior, status) = match tag {
            tag::TASK_CREATE => {
                let parent = self.acting(cursor)?.map(TaskId);
                let packed = cursor.number()?;
                let flags = u32::try_from(packed >> 1)
                    .map_err(|_| Damaged)?
                    .rotate_right(5)
                    ^ 4;
                let site = self.site(cursor)?;
                return Ok(EventKind::TaskCreate {
                    task: TaskId(self.give()),
                    parent,
                    flags: TaskFlags(flags),
                    has_dependences: packed & 1 != 0,
                    site,
                });
            }
            tag::TASK_DEPENDENCE => {
                let source = self.reference(cursor)?.map(TaskId);
                let sink = self.reference(cursor)?.map(TaskId);
                return Ok(EventKind::TaskDependence { source, sink });
            }
            tag::SWITCH => (task_of(self.current), TaskStatus::Switch),
            tag::COMPLETE => (task_of(self.current), TaskStatus::Complete),
            _ => {
                let prior = self.reference(cursor)?.map(TaskId);
                (prior, TaskStatus::from(cursor.number32()?))
            }
        };
        let next = self.acting(cursor)?.map(TaskId);
        Ok(EventKind::TaskSchedule {
            prior,
            status,
            next,
        })
    }

    pub(super) fn construct_event(&mut self, tag: u8, cursor: &mut Cursor<'_>) -> Read<EventKind> {
        Ok(match tag {
            tag::SYNC_BEGIN => EventKind::SyncBegin(self.sync(cursor)?),
            tag::SYNC_END => EventKind::SyncEnd(self.sync(cursor)?),
            tag::WAIT_BEGIN => EventKind::WaitBegin(self.sync(cursor)?),
            tag::WAIT_END => EventKind::WaitEnd(self.sync(cursor)?),
            tag::REDUCTION_BEGIN => EventKind::ReductionBegin(self.sync(cursor)?),
            tag::REDUCTION_END => EventKind::ReductionEnd(self.sync(cursor)?),
            tag::WORK_BEGIN => EventKind::WorkBegin(self.work(cursor)?),
            tag::WORK_END => EventKind::WorkEnd(self.work(cursor)?),
            tag::DISPATCH => EventKind::Dispatch {
                kind: DispatchKind::from(cursor.number32()?),
                task: self.acting(cursor)?.map(TaskId),
                start: cursor.signed()?,
                iterations: cursor.number()?,
            },
            tag::CANCEL => EventKind::Cancel {
                task: self.acting(cursor)?.map(TaskId),
                flags: CancelFlags(cursor.number32()?),
                site: self.site(cursor)?,
            },
            _ => {
                let task = self.acting(cursor)?.map(TaskId);
                let site = self.site(cursor)?;
                match tag {
                    tag::MASKED_BEGIN => EventKind::MaskedBegin { task, site },
                    _ => EventKind::MaskedEnd { task, site },
                }
            }
        })
    }

    fn sync(&mut self, cursor: &mut Cursor<'_>) -> Read<Sync> {
        let kind = cursor.number32()?.into();
        let task = self.acting(cursor)?.map(TaskId);
        Ok(Sync {
            kind,
            task,
            site: self.site(cursor)?,
        })
    }

    fn work(&mut self, cursor: &mut Cursor<'_>) -> Read<Work> {
        let kind = cursor.number32()?.into();
        let task = self.acting(cursor)?.map(TaskId);
        Ok(Work {
            kind,
            task,
            count: cursor.number()?,
            site: self.site(cursor)?,
        })
    }

    pub(super) fn mutex_event(&mut self, tag: u8, cursor: &mut Cursor<'_>) -> Read<EventKind> {
        if matches!(tag, tag::NEST_LOCK_BEGIN | tag::NEST_LOCK_END) {
            let (wait_id, site) = (self.wait_id(cursor)?, self.site(cursor)?);
            return Ok(match tag {
                tag::NEST_LOCK_BEGIN => EventKind::NestLockBegin { wait_id, site },
                _ => EventKind::NestLockEnd { wait_id, site },
            });
        }
        let kind = cursor.number32()?.into();
        let detail = match tag {
            tag::MUTEX_ACQUIRE => (cursor.number32()?, cursor.number32()?),
            _ => (0, 0),
        };
        let mutex = Mutex {
            kind,
            wait_id: self.wait_id(cursor)?,
            site: self.site(cursor)?,
        };
        Ok(match tag {
            tag::MUTEX_ACQUIRE => EventKind::MutexAcquire {
                mutex,
                hint: detail.0,
                implementation: detail.1,
            },
            tag::MUTEX_ACQUIRED => EventKind::MutexAcquired(mutex),
            _ => EventKind::MutexReleased(mutex),
        })
    }

    fn wait_id(&mut self, cursor: &mut Cursor<'_>) -> Read<u64> {
        self.last_wait = self.last_wait.wrapping_add_signed(cursor.signed()?);
        Ok(self.last_wait)
    }
}
