//! The records of one thread.

use super::TraceProblem;
use super::coding::State;
use super::cursor::{Cursor, Damaged, Read};
use super::decode::{Chunk, ThreadStream};
use super::event::{CodeAddress, Event, EventKind, TaskId};
use super::format::tag;
use super::numbers::{DependenceKind, ThreadRole};

/// Iterator over the events of one thread.
///
/// A damaged record ends its chunk; the next chunk is decoded again.
#[derive(Debug)]
pub struct Events<'s, 'a> {
    stream: &'s ThreadStream<'a>,
    /// Position after the current one in the stream's chunks.
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

/// A record of several events that is being delivered.
#[derive(Debug, Clone, Copy)]
enum List {
    Dependences {
        task: Option<TaskId>,
        left: u64,
        address: u64,
    },
    Counters {
        index: u8,
        left: u64,
    },
    Members {
        communicator: u32,
        left: u64,
    },
    Requests {
        left: u64,
    },
}

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
        self.problems.push(TraceProblem::BadRecord {
            thread,
            sequence,
            at,
            tag,
            lost,
        });
        self.cursor = Cursor::new(&[]);
        self.list = None;
    }

    fn cursor_tag(&self, at: usize) -> u8 {
        let chunk = self
            .next_chunk
            .checked_sub(1)
            .and_then(|last| self.stream.chunks.get(last));
        chunk
            .and_then(|chunk| chunk.payload.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// One record or list item; `None` when it carries no event.
    fn step(&mut self) -> Read<Option<EventKind>> {
        if let Some(list) = self.list.take() {
            return self.list_item(list).map(Some);
        }
        let tag = self.cursor.byte()?;
        match tag {
            tag::SITE => {
                let snapshot = self.cursor.number32()?;
                let address = self.cursor.number()?;
                self.state.sites.push(CodeAddress { address, snapshot });
                Ok(None)
            }
            tag::CPU => Ok(Some(EventKind::Cpu {
                cpu: self.cursor.number32()?,
            })),
            tag::COUNTERS => self.counters(),
            tag::MPI_COMMUNICATOR..=tag::MPI_STATUS => self.message(tag),
            _ => self.timed(tag),
        }
    }

    fn time(&mut self) -> Read<()> {
        let delta = self.cursor.number()?;
        self.set_time(self.ticks.checked_add(delta).ok_or(Damaged)?);
        Ok(())
    }

    fn counters(&mut self) -> Read<Option<EventKind>> {
        let left = self.cursor.number()?;
        self.list = (left > 0).then_some(List::Counters { index: 0, left });
        Ok(None)
    }

    /// Records of what a call of MPI is about.
    fn message(&mut self, tag: u8) -> Read<Option<EventKind>> {
        let cursor = &mut self.cursor;
        let rank = |signed: i64| u32::try_from(signed).ok();
        let kind = match tag {
            tag::MPI_COMMUNICATOR => {
                let communicator = cursor.number32()?;
                let left = cursor.number()?;
                self.list = (left > 0).then_some(List::Members { communicator, left });
                return Ok(None);
            }
            tag::MPI_REQUESTS => {
                let left = cursor.number()?;
                self.list = (left > 0).then_some(List::Requests { left });
                return Ok(None);
            }
            tag::MPI_SEND => EventKind::MpiSend {
                communicator: cursor.number32()?,
                peer: cursor.number32()?,
                tag: cursor.signed()?,
                bytes: cursor.number()?,
            },
            tag::MPI_RECEIVE => EventKind::MpiReceive {
                communicator: cursor.number32()?,
                peer: rank(cursor.signed()?),
                tag: cursor.signed()?,
            },
            tag::MPI_COLLECTIVE => EventKind::MpiCollective {
                communicator: cursor.number32()?,
                root: rank(cursor.signed()?),
            },
            tag::MPI_REQUEST => EventKind::MpiRequest {
                request: cursor.number()?,
            },
            _ => EventKind::MpiStatus {
                request: cursor.number()?,
                peer: rank(cursor.signed()?),
                tag: cursor.signed()?,
            },
        };
        Ok(Some(kind))
    }

    fn list_item(&mut self, list: List) -> Read<EventKind> {
        match list {
            List::Members { communicator, left } => {
                let rest = List::Members {
                    communicator,
                    left: left - 1,
                };
                self.list = (left > 1).then_some(rest);
                Ok(EventKind::MpiMembers {
                    communicator,
                    first: self.cursor.number32()?,
                    step: self.cursor.signed()?,
                    count: self.cursor.number()?,
                })
            }
            List::Requests { left } => {
                self.list = (left > 1).then_some(List::Requests { left: left - 1 });
                Ok(EventKind::MpiRequestDone {
                    request: self.cursor.number()?,
                })
            }
            List::Dependences {
                task,
                left,
                address,
            } => {
                let kind = DependenceKind::from(self.cursor.number32()?);
                let address = address.wrapping_add_signed(self.cursor.signed()?);
                let rest = List::Dependences {
                    task,
                    left: left - 1,
                    address,
                };
                self.list = (left > 1).then_some(rest);
                Ok(EventKind::Dependence {
                    task,
                    kind,
                    address,
                })
            }
            List::Counters { index, left } => {
                let delta = self.cursor.number()?;
                let next = index.checked_add(1).ok_or(Damaged)?;
                let rest = List::Counters {
                    index: next,
                    left: left - 1,
                };
                self.list = (left > 1).then_some(rest);
                Ok(EventKind::Counter {
                    counter: index,
                    delta,
                })
            }
        }
    }

    /// Records that begin with a time.
    fn timed(&mut self, tag: u8) -> Read<Option<EventKind>> {
        let before = self.cursor;
        self.time()?;
        let (cursor, state) = (&mut self.cursor, &mut self.state);
        let kind = match tag {
            tag::THREAD_BEGIN => EventKind::ThreadBegin {
                role: ThreadRole::from(cursor.number32()?),
            },
            tag::THREAD_END => EventKind::ThreadEnd,
            tag::THREAD_TIME => EventKind::ThreadTime {
                used_ns: cursor.number()?,
            },
            tag::MPI_BEGIN => EventKind::MpiBegin {
                call: u16::try_from(cursor.number()?).map_err(|_| Damaged)?,
            },
            tag::MPI_END => EventKind::MpiEnd,
            tag::MPI_BYTES => EventKind::MpiBytes {
                bytes: cursor.number()?,
            },
            tag::PARALLEL_BEGIN..=tag::IMPLICIT_END => state.region_event(tag, cursor)?,
            tag::TASK_CREATE..=tag::COMPLETE | tag::TASK_DEPENDENCE => {
                state.task_event(tag, cursor)?
            }
            tag::DEPENDENCES => {
                let task = state.reference(cursor)?.map(TaskId);
                let left = cursor.number()?;
                self.list = (left > 0).then_some(List::Dependences {
                    task,
                    left,
                    address: 0,
                });
                return Ok(None);
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
        Ok(Some(kind))
    }

    /// Skips a record that the file's own table describes.
    fn unknown(&mut self, tag: u8) -> Read<EventKind> {
        let stream = self.stream;
        let known = stream.unknown.iter().find(|(known, _)| *known == tag);
        let (_, operands) = known.ok_or(Damaged)?;
        let list_start = operands.find('[').unwrap_or(operands.len());
        let (single, list) = operands.split_at(list_start);
        for operand in single.bytes() {
            self.skip(operand)?;
        }
        if list_start < operands.len() {
            let items = list.trim_matches(['[', ']']);
            let count = self.cursor.number()?;
            // A list of nothing would repeat as often as a damaged count states.
            let repeats = if items.is_empty() { 0 } else { count };
            for _ in 0..repeats {
                items.bytes().try_for_each(|operand| self.skip(operand))?;
            }
        }
        Ok(EventKind::Unknown { tag })
    }

    fn skip(&mut self, operand: u8) -> Read<()> {
        match operand {
            b't' => self.time(),
            b'v' | b'z' => self.cursor.number().map(drop),
            b'a' => self.state.acting(&mut self.cursor).map(drop),
            b'r' => self.state.reference(&mut self.cursor).map(drop),
            b's' => self.state.site(&mut self.cursor).map(drop),
            _ => Err(Damaged),
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
                Ok(Some(kind)) => {
                    let thread = self.stream.thread;
                    return Some(Event {
                        thread,
                        ticks: self.ticks,
                        time_ns: self.time_ns,
                        kind,
                    });
                }
                Ok(None) => {}
                Err(Damaged) => self.give_up(at),
            }
        }
    }
}
