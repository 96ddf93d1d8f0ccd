//! Scripts as the bytes of a trace, after the recorder's `TRACE.md`.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::script::ScriptProcess;
use crate::trace::format::{self, CHUNK_ALIGN, CHUNK_HEADER_LEN, FILE_HEADER_LEN, RECORDS, tag};
use crate::trace::format::{chunk_field, chunk_kind, clock, file_field};
use crate::trace::{CodeAddress, Event, EventKind, SyncKind, TaskId, TaskStatus, Work, WorkKind};

pub(super) fn encode(process: &ScriptProcess) -> Vec<u8> {
    let mut encoder = Encoder {
        numbers: HashMap::new(),
        streams: Vec::new(),
    };
    encoder
        .streams
        .resize_with(process.threads.len(), Stream::default);
    let mut events: Vec<&Event> = process.threads.iter().flatten().collect();
    events.sort_by_key(|event| event.ticks);
    for event in events {
        encoder.event(event);
    }
    let mut file = vec![0; FILE_HEADER_LEN];
    chunk(&mut file, chunk_kind::METADATA, 0, &metadata());
    for (stream, content) in (0..).zip(&encoder.streams) {
        chunk(&mut file, chunk_kind::EVENTS, stream, &content.bytes);
    }
    put(&mut file, 0, &format::MAGIC);
    put(
        &mut file,
        file_field::VERSION,
        &format::VERSION.to_le_bytes(),
    );
    put(
        &mut file,
        file_field::CLOCK,
        &clock::MONOTONIC.to_le_bytes(),
    );
    put(
        &mut file,
        file_field::BYTE_ORDER,
        &format::BYTE_ORDER_MARK.to_le_bytes(),
    );
    put(
        &mut file,
        file_field::RUNTIMES_STARTED,
        &1_u32.to_le_bytes(),
    );
    put(
        &mut file,
        file_field::RUNTIMES_FINALIZED,
        &1_u32.to_le_bytes(),
    );
    let len = file.len() as u64;
    put(&mut file, file_field::ALLOCATED, &len.to_le_bytes());
    file
}

#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    last_time: u64,
    given: u64,
    num_sites: u64,
    /// Counters of other streams that were mentioned last.
    foreign: HashMap<u64, u64>,
}

struct Encoder {
    /// Stream and counter of each number of the script.
    numbers: HashMap<u64, (usize, u64)>,
    streams: Vec<Stream>,
}

impl Encoder {
    fn event(&mut self, event: &Event) {
        let at = event.thread.0 as usize;
        let site = site_of(event.kind).map(|site| self.define_site(at, site));
        let site = site.unwrap_or(0);
        let stream = &mut self.streams[at];
        let delta = event.ticks - stream.last_time;
        stream.last_time = event.ticks;
        let mut record = Record {
            tag: 0,
            bytes: number(delta),
            gives: None,
        };
        self.operands(at, event.kind, site, &mut record);
        let stream = &mut self.streams[at];
        if record.tag == tag::CPU {
            // The one record without a time.
            record.bytes.drain(..number(delta).len());
            stream.last_time -= delta;
        }
        stream.bytes.push(record.tag);
        stream.bytes.extend(record.bytes);
        if let Some(id) = record.gives {
            stream.given += 1;
            self.numbers.insert(id, (at, stream.given));
        }
    }

    fn operands(&mut self, at: usize, kind: EventKind, site: u64, record: &mut Record) {
        match kind {
            EventKind::ParallelBegin {
                region,
                task,
                requested,
                flags,
                ..
            } => {
                record.start(tag::PARALLEL_BEGIN, Some(region.0));
                self.reference(at, task, record);
                record.numbers(&[requested.into(), flags.into(), site]);
            }
            EventKind::ParallelEnd {
                region,
                task,
                flags,
                ..
            } => {
                record.start(tag::PARALLEL_END, None);
                self.reference(at, region.map(|region| TaskId(region.0)), record);
                self.reference(at, task, record);
                record.numbers(&[flags.into(), site]);
            }
            EventKind::ImplicitBegin {
                task,
                region,
                team_size,
                index,
                flags,
            } => {
                record.start(tag::IMPLICIT_BEGIN, Some(task.0));
                self.reference(at, region.map(|region| TaskId(region.0)), record);
                record.numbers(&[team_size.into(), index.into(), flags.0.into()]);
            }
            EventKind::ImplicitEnd {
                task,
                team_size,
                index,
                flags,
            } => {
                record.start(tag::IMPLICIT_END, None);
                self.reference(at, task, record);
                record.numbers(&[team_size.into(), index.into(), flags.0.into()]);
            }
            EventKind::Cpu { cpu } => {
                record.start(tag::CPU, None);
                record.numbers(&[cpu.into()]);
            }
            EventKind::ThreadTime { used_ns } => {
                record.start(tag::THREAD_TIME, None);
                record.numbers(&[used_ns]);
            }
            _ => self.task_operands(at, kind, site, record),
        }
    }

    fn task_operands(&mut self, at: usize, kind: EventKind, site: u64, record: &mut Record) {
        match kind {
            EventKind::TaskCreate {
                task,
                parent,
                flags,
                has_dependences,
                ..
            } => {
                record.start(tag::TASK_CREATE, Some(task.0));
                self.reference(at, parent, record);
                let packed = u64::from((flags.0 ^ 4).rotate_left(5)) << 1;
                record.numbers(&[packed | u64::from(has_dependences), site]);
            }
            EventKind::TaskSchedule {
                prior,
                status,
                next,
            } => {
                record.start(tag::SCHEDULE, None);
                self.reference(at, prior, record);
                record.numbers(&[if status == TaskStatus::Complete { 1 } else { 7 }]);
                self.reference(at, next, record);
            }
            EventKind::WorkBegin(work) => self.work(at, tag::WORK_BEGIN, work, site, record),
            EventKind::WorkEnd(work) => self.work(at, tag::WORK_END, work, site, record),
            EventKind::Dispatch {
                task,
                start,
                iterations,
                kind,
            } => {
                record.start(tag::DISPATCH, None);
                let is_loop = kind == crate::trace::DispatchKind::LoopChunk;
                record.numbers(&[if is_loop { 3 } else { 4 }]);
                self.reference(at, task, record);
                record.numbers(&[zigzag(start), iterations]);
            }
            EventKind::SyncBegin(sync)
            | EventKind::SyncEnd(sync)
            | EventKind::WaitBegin(sync)
            | EventKind::WaitEnd(sync) => {
                let tag = match kind {
                    EventKind::SyncBegin(_) => tag::SYNC_BEGIN,
                    EventKind::SyncEnd(_) => tag::SYNC_END,
                    EventKind::WaitBegin(_) => tag::WAIT_BEGIN,
                    _ => tag::WAIT_END,
                };
                record.start(tag, None);
                record.numbers(&[sync_number(sync.kind)]);
                self.reference(at, sync.task, record);
                record.numbers(&[site]);
            }
            other => panic!("scripts that are encoded have no {other:?}"),
        }
    }

    fn work(&mut self, at: usize, tag: u8, work: Work, site: u64, record: &mut Record) {
        let kind = match work.kind {
            WorkKind::SingleExecutor => 3,
            WorkKind::SingleOther => 4,
            WorkKind::Taskloop => 7,
            WorkKind::LoopStatic => 10,
            _ => 11,
        };
        record.start(tag, None);
        record.numbers(&[kind]);
        self.reference(at, work.task, record);
        record.numbers(&[work.count, site]);
    }

    fn reference(&mut self, at: usize, id: Option<TaskId>, record: &mut Record) {
        let Some(&(stream, counter)) = id.and_then(|id| self.numbers.get(&id.0)) else {
            record.numbers(&[0]);
            return;
        };
        let own = &mut self.streams[at];
        if stream == at {
            record.numbers(&[(own.given - counter + 1) * 2]);
            return;
        }
        let stream = stream as u64;
        let last = own.foreign.insert(stream, counter).unwrap_or(0);
        let delta = counter.cast_signed() - last.cast_signed();
        record.numbers(&[((zigzag(delta) + 1) << 1) | 1, stream]);
    }

    fn define_site(&mut self, at: usize, site: CodeAddress) -> u64 {
        let stream = &mut self.streams[at];
        stream.bytes.push(tag::SITE);
        stream
            .bytes
            .extend([number(site.snapshot.into()), number(site.address)].concat());
        stream.num_sites += 1;
        stream.num_sites
    }
}

struct Record {
    tag: u8,
    bytes: Vec<u8>,
    gives: Option<u64>,
}

impl Record {
    fn start(&mut self, tag: u8, gives: Option<u64>) {
        self.tag = tag;
        self.gives = gives;
    }

    fn numbers(&mut self, values: &[u64]) {
        self.bytes
            .extend(values.iter().flat_map(|&value| number(value)));
    }
}

fn site_of(kind: EventKind) -> Option<CodeAddress> {
    match kind {
        EventKind::ParallelBegin { site, .. }
        | EventKind::ParallelEnd { site, .. }
        | EventKind::TaskCreate { site, .. } => site,
        EventKind::WorkBegin(work) | EventKind::WorkEnd(work) => work.site,
        EventKind::SyncBegin(sync)
        | EventKind::SyncEnd(sync)
        | EventKind::WaitBegin(sync)
        | EventKind::WaitEnd(sync) => sync.site,
        _ => None,
    }
}

fn sync_number(kind: SyncKind) -> u64 {
    match kind {
        SyncKind::BarrierImplicit => 2,
        SyncKind::Taskwait => 5,
        SyncKind::Taskgroup => 6,
        SyncKind::BarrierImplicitParallel => 9,
        _ => 8,
    }
}

fn metadata() -> Vec<u8> {
    let records = RECORDS
        .iter()
        .fold(String::new(), |mut table, (tag, name, operands)| {
            let _ = writeln!(table, "{tag} {name} {operands}");
            table
        });
    let items = [
        ("records", records.as_str()),
        ("mappings", "0\n1000 2000 0 - ./prog\n"),
    ];
    let texts = items.iter().flat_map(|&(key, value)| [key, value]);
    texts
        .flat_map(|text| [number(text.len() as u64), text.as_bytes().to_vec()].concat())
        .collect()
}

fn chunk(file: &mut Vec<u8>, kind: u16, stream: u32, payload: &[u8]) {
    let at = file.len();
    let size = (CHUNK_HEADER_LEN + payload.len()).next_multiple_of(CHUNK_ALIGN);
    file.resize(at + size, 0);
    let narrow = |len: usize| u32::try_from(len).unwrap().to_le_bytes();
    put(file, at, &format::CHUNK_MAGIC);
    put(file, at + chunk_field::SIZE, &narrow(size));
    put(file, at + chunk_field::KIND, &kind.to_le_bytes());
    put(file, at + chunk_field::COMMITTED, &narrow(payload.len()));
    put(file, at + chunk_field::STREAM, &stream.to_le_bytes());
    put(file, at + CHUNK_HEADER_LEN, payload);
}

fn put(file: &mut [u8], at: usize, value: &[u8]) {
    file[at..at + value.len()].copy_from_slice(value);
}

fn number(value: u64) -> Vec<u8> {
    let bits = 64 - (value | 1).leading_zeros();
    if bits > 56 {
        return [&[0], &value.to_le_bytes()[..]].concat();
    }
    let len = bits.div_ceil(7);
    let word = ((value << 1) | 1) << (len - 1);
    word.to_le_bytes()[..len as usize].to_vec()
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}
