//! The records of one thread.

use super::TraceProblem;
use super::cursor::{Cursor, unzigzag};
use super::decode::{Chunk, ThreadStream};
use super::event::{
    CancelFlags, CodeAddress, DependenceKind, DispatchKind, Event, EventKind, Mutex, RegionId,
    Sync, TaskFlags, TaskId, TaskStatus, ThreadRole, Work,
};
use super::format::{FOREIGN_SLOTS, ID_SHIFT, tag};

/// Iterator over the events of one thread.
///
/// A damaged record ends its chunk; the next chunk is decoded again.
#[derive(Debug)]
pub struct Events<'s, 'a> {
    stream: &'s ThreadStream<'a>,
    /// Position behind the current one in the stream's chunks.
    next_chunk: usize,
    sequence: u32,
    payload_len: usize,
    cursor: Cursor<'a>,
    state: State,
    list: Option<List>,
    ticks: u64,
    time_ns: u64,
    problems: Vec<TraceProblem>,
}

/// What the coding of records refers back to; starts anew in each chunk.
#[derive(Debug)]
struct State {
    /// Acting task of the previous record that named one.
    current: u64,
    /// Last number the stream gave out.
    last_given: u64,
    /// Own part of all numbers of the stream.
    own: u64,
    /// Last number seen of each other stream.
    foreign: [u64; FOREIGN_SLOTS],
    sites: Vec<CodeAddress>,
    last_wait: u64,
}

/// A record of several events that is being delivered.
#[derive(Debug, Clone, Copy)]
enum List {
    Dependences { task: Option<TaskId>, left: u64, address: u64 },
    Counters { index: u8, left: u64 },
}

const COUNTER_MASK: u64 = (1 << ID_SHIFT) - 1;

impl<'s, 'a> Events<'s, 'a> {
    pub(super) fn new(stream: &'s ThreadStream<'a>) -> Self {
        Self {
            stream,
            next_chunk: 0,
            sequence: 0,
            payload_len: 0,
            cursor: Cursor::new(&[]),
            state: State::new(stream.thread.0, 0),
            list: None,
            ticks: 0,
            time_ns: 0,
            problems: Vec::new(),
        }
    }

    /// Damage met so far; all of the thread's once the iterator has ended.
    pub fn problems(&self) -> &[TraceProblem] {
        &self.problems
    }

    fn enter_chunk(&mut self) -> Option<()> {
        let &chunk: &Chunk<'a> = self.stream.chunks.get(self.next_chunk)?;
        self.next_chunk += 1;
        self.sequence = chunk.sequence;
        self.payload_len = chunk.payload.len();
        self.cursor = Cursor::new(chunk.payload);
        self.state = State::new(self.stream.thread.0, chunk.numbers_given);
        self.list = None;
        self.set_time(chunk.base.0);
        Some(())
    }

    /// Damage may make times jump; they never go back.
    fn set_time(&mut self, ticks: u64) {
        self.ticks = self.ticks.max(ticks);
        self.time_ns = self.stream.clock.to_ns(self.ticks);
    }

    /// Leaves the rest of the chunk out.
    fn give_up(&mut self, at: usize) {
        let tag = self.cursor_tag(at);
        let lost = self.payload_len.saturating_sub(at);
        let thread = self.stream.thread.0;
        let sequence = self.sequence;
        self.problems.push(TraceProblem::BadRecord { thread, sequence, at, tag, lost });
        self.cursor = Cursor::new(&[]);
        self.list = None;
    }

    fn cursor_tag(&self, at: usize) -> u8 {
        let chunk = self.next_chunk.checked_sub(1).and_then(|last| self.stream.chunks.get(last));
        chunk.and_then(|chunk| chunk.payload.get(at)).copied().unwrap_or_default()
    }

    /// One record or list item; `Some(None)` when it carries no event.
    fn step(&mut self) -> Option<Option<EventKind>> {
        if let Some(list) = self.list.take() {
            return self.list_item(list).map(Some);
        }
        let tag = self.cursor.byte()?;
        match tag {
            tag::SITE => {
                let snapshot = self.cursor.number32()?;
                let address = self.cursor.number()?;
                self.state.sites.push(CodeAddress { address, snapshot });
                Some(None)
            }
            tag::CPU => Some(Some(EventKind::Cpu { cpu: self.cursor.number32()? })),
            tag::COUNTERS => self.counters(),
            _ => self.timed(tag),
        }
    }

    fn time(&mut self) -> Option<()> {
        let delta = self.cursor.number()?;
        self.set_time(self.ticks.checked_add(delta)?);
        Some(())
    }

    fn counters(&mut self) -> Option<Option<EventKind>> {
        let left = self.cursor.number()?;
        self.list = (left > 0).then_some(List::Counters { index: 0, left });
        Some(None)
    }

    fn list_item(&mut self, list: List) -> Option<EventKind> {
        match list {
            List::Dependences { task, left, address } => {
                let kind = DependenceKind::from(self.cursor.number32()?);
                let address = address.wrapping_add_signed(self.cursor.signed()?);
                let rest = List::Dependences { task, left: left - 1, address };
                self.list = (left > 1).then_some(rest);
                Some(EventKind::Dependence { task, kind, address })
            }
            List::Counters { index, left } => {
                let delta = self.cursor.number()?;
                let rest = List::Counters { index: index.checked_add(1)?, left: left - 1 };
                self.list = (left > 1).then_some(rest);
                Some(EventKind::Counter { counter: index, delta })
            }
        }
    }

    /// Records that begin with a time.
    fn timed(&mut self, tag: u8) -> Option<Option<EventKind>> {
        let before = self.cursor;
        self.time()?;
        let (cursor, state) = (&mut self.cursor, &mut self.state);
        let kind = match tag {
            tag::THREAD_BEGIN => {
                EventKind::ThreadBegin { role: ThreadRole::from(cursor.number32()?) }
            }
            tag::THREAD_END => EventKind::ThreadEnd,
            tag::PARALLEL_BEGIN..=tag::IMPLICIT_END => state.region_event(tag, cursor)?,
            tag::TASK_CREATE..=tag::COMPLETE | tag::TASK_DEPENDENCE => {
                state.task_event(tag, cursor)?
            }
            tag::DEPENDENCES => {
                let task = state.reference(cursor)?.map(TaskId);
                let left = cursor.number()?;
                self.list = (left > 0).then_some(List::Dependences { task, left, address: 0 });
                return Some(None);
            }
            tag::MUTEX_ACQUIRE..=tag::NEST_LOCK_END => state.mutex_event(tag, cursor)?,
            tag::SYNC_BEGIN..=tag::CANCEL | tag::REDUCTION_BEGIN | tag::REDUCTION_END => {
                state.construct_event(tag, cursor)?
            }
            _ => {
                self.cursor = before;
                return self.unknown(tag).map(Some);
            }
        };
        Some(Some(kind))
    }

    /// Skips a record that the file's own table describes.
    fn unknown(&mut self, tag: u8) -> Option<EventKind> {
        let stream = self.stream;
        let (_, operands) = stream.unknown.iter().find(|(known, _)| *known == tag)?;
        let list_start = operands.find('[').unwrap_or(operands.len());
        let (single, list) = operands.split_at(list_start);
        for operand in single.bytes() {
            self.skip(operand)?;
        }
        if list_start < operands.len() {
            let items = list.trim_matches(['[', ']']);
            for _ in 0..self.cursor.number()? {
                items.bytes().try_for_each(|operand| self.skip(operand))?;
                // A list of nothing would repeat as often as a damaged count says.
                self.cursor.remaining().checked_sub(usize::from(items.is_empty()))?;
                if items.is_empty() {
                    break;
                }
            }
        }
        Some(EventKind::Unknown { tag })
    }

    fn skip(&mut self, operand: u8) -> Option<()> {
        match operand {
            b't' => self.time(),
            b'v' | b'z' => self.cursor.number().map(drop),
            b'a' => self.state.acting(&mut self.cursor).map(drop),
            b'r' => self.state.reference(&mut self.cursor).map(drop),
            b's' => self.state.site(&mut self.cursor).map(drop),
            _ => None,
        }
    }
}

impl Iterator for Events<'_, '_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            if self.cursor.is_empty() && self.list.is_none() {
                self.enter_chunk()?;
                continue;
            }
            let at = self.payload_len - self.cursor.remaining();
            match self.step() {
                Some(Some(kind)) => {
                    let thread = self.stream.thread;
                    return Some(Event { thread, ticks: self.ticks, time_ns: self.time_ns, kind });
                }
                Some(None) => {}
                None => self.give_up(at),
            }
        }
    }
}

impl State {
    fn new(stream: u32, numbers_given: u64) -> Self {
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
    fn reference(&mut self, cursor: &mut Cursor<'_>) -> Option<Option<u64>> {
        let code = cursor.number()?;
        let id = match code {
            0 => return Some(None),
            1 => self.current,
            _ if code.is_multiple_of(2) => {
                let back = (code >> 1) - 1;
                self.own | (self.last_given & COUNTER_MASK).checked_sub(back)?
            }
            _ => {
                let delta = unzigzag((code >> 1) - 1);
                let stream = u64::from(cursor.number32()?);
                let slot = usize::try_from(stream).ok()? % FOREIGN_SLOTS;
                let last = self.foreign.get_mut(slot)?;
                *last = last.wrapping_add_signed(delta) & COUNTER_MASK;
                ((stream + 1) << ID_SHIFT) | *last
            }
        };
        Some((id != 0).then_some(id))
    }

    /// A reference that also says which task is current.
    fn acting(&mut self, cursor: &mut Cursor<'_>) -> Option<Option<u64>> {
        let id = self.reference(cursor)?;
        self.current = id.unwrap_or(self.current);
        Some(id)
    }

    fn site(&self, cursor: &mut Cursor<'_>) -> Option<Option<CodeAddress>> {
        match cursor.number()? {
            0 => Some(None),
            n => Some(Some(*self.sites.get(usize::try_from(n - 1).ok()?)?)),
        }
    }

    fn region_event(&mut self, tag: u8, cursor: &mut Cursor<'_>) -> Option<EventKind> {
        Some(match tag {
            tag::PARALLEL_BEGIN => {
                let task = self.acting(cursor)?.map(TaskId);
                let (requested, flags) = (cursor.number32()?, cursor.number32()?);
                let site = self.site(cursor)?;
                let region = RegionId(self.give());
                EventKind::ParallelBegin { region, task, requested, flags, site }
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
                EventKind::ImplicitBegin { task, region, team_size, index, flags }
            }
            _ => EventKind::ImplicitEnd {
                task: self.acting(cursor)?.map(TaskId),
                team_size: cursor.number32()?,
                index: cursor.number32()?,
                flags: TaskFlags(cursor.number32()?),
            },
        })
    }

    fn task_event(&mut self, tag: u8, cursor: &mut Cursor<'_>) -> Option<EventKind> {
        let task_of = |id: u64| (id != 0).then_some(TaskId(id));
        let (prior, status) = match tag {
            tag::TASK_CREATE => {
                let parent = self.acting(cursor)?.map(TaskId);
                let packed = cursor.number()?;
                let flags = u32::try_from(packed >> 1).ok()?.rotate_right(5) ^ 4;
                let site = self.site(cursor)?;
                return Some(EventKind::TaskCreate {
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
                return Some(EventKind::TaskDependence { source, sink });
            }
            tag::SWITCH => (task_of(self.current), TaskStatus::Switch),
            tag::COMPLETE => (task_of(self.current), TaskStatus::Complete),
            _ => {
                let prior = self.reference(cursor)?.map(TaskId);
                (prior, TaskStatus::from(cursor.number32()?))
            }
        };
        let next = self.acting(cursor)?.map(TaskId);
        Some(EventKind::TaskSchedule { prior, status, next })
    }

    fn construct_event(&mut self, tag: u8, cursor: &mut Cursor<'_>) -> Option<EventKind> {
        Some(match tag {
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

    fn sync(&mut self, cursor: &mut Cursor<'_>) -> Option<Sync> {
        let kind = cursor.number32()?.into();
        let task = self.acting(cursor)?.map(TaskId);
        Some(Sync { kind, task, site: self.site(cursor)? })
    }

    fn work(&mut self, cursor: &mut Cursor<'_>) -> Option<Work> {
        let kind = cursor.number32()?.into();
        let task = self.acting(cursor)?.map(TaskId);
        Some(Work { kind, task, count: cursor.number()?, site: self.site(cursor)? })
    }

    fn mutex_event(&mut self, tag: u8, cursor: &mut Cursor<'_>) -> Option<EventKind> {
        if matches!(tag, tag::NEST_LOCK_BEGIN | tag::NEST_LOCK_END) {
            let (wait_id, site) = (self.wait_id(cursor)?, self.site(cursor)?);
            return Some(match tag {
                tag::NEST_LOCK_BEGIN => EventKind::NestLockBegin { wait_id, site },
                _ => EventKind::NestLockEnd { wait_id, site },
            });
        }
        let kind = cursor.number32()?.into();
        let detail = match tag {
            tag::MUTEX_ACQUIRE => (cursor.number32()?, cursor.number32()?),
            _ => (0, 0),
        };
        let mutex = Mutex { kind, wait_id: self.wait_id(cursor)?, site: self.site(cursor)? };
        Some(match tag {
            tag::MUTEX_ACQUIRE => {
                EventKind::MutexAcquire { mutex, hint: detail.0, implementation: detail.1 }
            }
            tag::MUTEX_ACQUIRED => EventKind::MutexAcquired(mutex),
            _ => EventKind::MutexReleased(mutex),
        })
    }

    fn wait_id(&mut self, cursor: &mut Cursor<'_>) -> Option<u64> {
        self.last_wait = self.last_wait.wrapping_add_signed(cursor.signed()?);
        Some(self.last_wait)
    }
}
