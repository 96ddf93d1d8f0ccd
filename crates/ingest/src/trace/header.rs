//! What a trace states about the process it was recorded in.

use super::cursor::{Cursor, u16_at, u32_at, u64_at};
use super::event::{CodeAddress, ThreadId};
use super::format::{self, clock, file_field};
use super::{TraceError, TraceProblem};

/// Everything a trace states about its process, apart from events.
///
/// Texts that are not UTF-8 are converted with replacement characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceHeader {
    /// Version of the format.
    pub version: u16,
    /// Clock of [`Event::ticks`](super::Event::ticks).
    pub clock: ClockKind,
    /// Process id.
    pub process_id: u32,
    /// Process it was forked from while being recorded.
    pub forked_from: Option<u32>,
    /// Number of the first stream of this process: not 0 only after a fork. Tasks with a
    /// creator below it belong to the parent process.
    pub first_thread: ThreadId,
    /// Clock value at the start of recording.
    pub start_ticks: u64,
    /// `CLOCK_MONOTONIC` nanoseconds at the same instant.
    pub start_ns: u64,
    /// Nanoseconds since the Unix epoch at the same instant.
    pub start_wall_ns: u64,
    /// Time of the last finalize, `CLOCK_MONOTONIC` nanoseconds; absent when the process
    /// ended without one.
    pub end_ns: Option<u64>,
    /// Version of the recorder.
    pub recorder: Option<String>,
    /// Command line, program first.
    pub command: Vec<String>,
    /// Path of the executable.
    pub executable: Option<String>,
    /// Working directory at start.
    pub working_directory: Option<String>,
    /// Host name.
    pub host: Option<String>,
    /// Environment variables that concern OpenMP, MPI, batch systems and the recorder.
    pub environment: Vec<(String, String)>,
    /// MPI rank, from the environment.
    pub rank: Option<u32>,
    /// Number of MPI ranks, from the environment.
    pub rank_count: Option<u32>,
    /// Hardware counters.
    pub counters: CounterState,
    /// OpenMP runtimes of the process, in the order in which they started.
    pub runtimes: Vec<RuntimeInfo>,
    /// Executable mappings of the process, one list per time they were looked at, each
    /// sorted by start address.
    pub mappings: Vec<Vec<Mapping>>,
    /// Items of metadata this reader does not know, with their values.
    pub other: Vec<(String, String)>,
}

/// Clock of the raw times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockKind {
    /// The processor's time stamp counter, constant and non-stop, in units of four.
    Tsc,
    /// `CLOCK_MONOTONIC` nanoseconds.
    Monotonic,
}

/// Whether hardware counters were recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CounterState {
    /// They were, under these names; user space only, per thread.
    Recorded(Vec<String>),
    /// They were not: absent, not zero.
    Absent {
        /// Why not.
        reason: String,
    },
}

/// One OpenMP runtime of the process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuntimeInfo {
    /// Number among the runtimes of the process; see [`ThreadStream::runtime`].
    ///
    /// [`ThreadStream::runtime`]: super::ThreadStream::runtime
    pub index: u16,
    /// What it calls itself; does not identify its version.
    pub version: String,
    /// Version of the tools interface, such as 201611.
    pub tools_version: u32,
    /// Path of the library; absent when it could not be found.
    pub library: Option<String>,
    /// Size of the library.
    pub library_bytes: Option<u64>,
    /// Hash of the library as specified in `TRACE.md`.
    pub library_hash: Option<u64>,
    /// Result of registering each callback: (name, 0 error, 1 never, 2 impossible,
    /// 3 sometimes, 4 sometimes paired, 5 always). "Always" is a promise, not a fact.
    pub callbacks: Vec<(String, u32)>,
}

/// One executable mapping.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// Offset of the first byte in the file.
    pub file_offset: u64,
    /// File, or a name in brackets.
    pub path: String,
    /// GNU build id of the file in hexadecimal.
    pub build_id: Option<String>,
}

/// Where a code address lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location<'a> {
    /// The mapping that contains the call.
    pub mapping: &'a Mapping,
    /// Offset of the call (the return address less one) in the mapped file. To look it up in
    /// debug information, turn it into an address with the file's program headers.
    pub file_offset: u64,
}

impl TraceHeader {
    /// Value of an environment variable of the process.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let found = self.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The program: its executable, else the first word of its command.
    pub fn program(&self) -> Option<&str> {
        let path = self.executable.as_ref().or(self.command.first());
        path.map(String::as_str)
    }

    /// Module and file offset of the call before a return address; `None` when the address
    /// is in no known mapping.
    pub fn locate(&self, code: CodeAddress) -> Option<Location<'_>> {
        let call = code.address.checked_sub(1)?;
        let current = usize::try_from(code.snapshot).ok()?;
        let in_snapshot = |index: usize| {
            let list = self.mappings.get(index)?;
            let behind = list.partition_point(|mapping| mapping.start <= call);
            let mapping = list.get(behind.checked_sub(1)?)?;
            let file_offset = (call - mapping.start).checked_add(mapping.file_offset)?;
            (call < mapping.end).then_some(Location {
                mapping,
                file_offset,
            })
        };
        in_snapshot(current).or_else(|| (0..self.mappings.len()).rev().find_map(in_snapshot))
    }
}

/// The fixed part of a file's header.
#[derive(Debug, Clone, Copy)]
pub(super) struct FixedHeader {
    pub(super) version: u16,
    pub(super) clock: ClockKind,
    pub(super) process_id: u32,
    pub(super) first_stream: u32,
    pub(super) start: (u64, u64),
    pub(super) start_wall_ns: u64,
    pub(super) ready: Option<(u64, u64)>,
    pub(super) end: Option<(u64, u64)>,
    pub(super) runtimes_started: u32,
    pub(super) runtimes_finalized: u32,
    pub(super) streams_stopped: u32,
    pub(super) stop_errno: u32,
    pub(super) allocated: u64,
}

impl FixedHeader {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, TraceError> {
        let magic = format::MAGIC.len();
        if bytes.get(..magic.min(bytes.len())) != format::MAGIC.get(..magic.min(bytes.len())) {
            return Err(TraceError::NotATrace);
        }
        let truncated = TraceError::HeaderTruncated {
            len: bytes.len(),
            need: format::FILE_HEADER_LEN,
        };
        let Some(header) = bytes.get(..format::FILE_HEADER_LEN) else {
            return Err(truncated);
        };
        let number16 = |at| u16_at(header, at).unwrap_or_default();
        let number = |at| u32_at(header, at).unwrap_or_default();
        let long = |at| u64_at(header, at).unwrap_or_default();
        if number(file_field::BYTE_ORDER) != format::BYTE_ORDER_MARK {
            return Err(TraceError::ByteOrder {
                mark: number(file_field::BYTE_ORDER),
            });
        }
        let version = number16(file_field::VERSION);
        if version != format::VERSION {
            return Err(TraceError::Version {
                found: version,
                reads: format::VERSION,
            });
        }
        let clock = match number16(file_field::CLOCK) {
            clock::TSC => ClockKind::Tsc,
            clock::MONOTONIC => ClockKind::Monotonic,
            other => return Err(TraceError::Clock { kind: other }),
        };
        let pair = |ticks, ns| (long(ticks) != 0).then(|| (long(ticks), long(ns)));
        Ok(Self {
            version,
            clock,
            process_id: number(file_field::PID),
            first_stream: number(file_field::FIRST_STREAM),
            start: (long(file_field::START_TICKS), long(file_field::START_NS)),
            start_wall_ns: long(file_field::START_WALL_NS),
            ready: pair(file_field::READY_TICKS, file_field::READY_NS),
            end: pair(file_field::END_TICKS, file_field::END_NS),
            runtimes_started: number(file_field::RUNTIMES_STARTED),
            runtimes_finalized: number(file_field::RUNTIMES_FINALIZED),
            streams_stopped: number(file_field::STREAMS_STOPPED),
            stop_errno: number(file_field::STOP_ERRNO),
            allocated: long(file_field::ALLOCATED),
        })
    }

    pub(super) fn to_header(self) -> TraceHeader {
        TraceHeader {
            version: self.version,
            clock: self.clock,
            process_id: self.process_id,
            forked_from: None,
            first_thread: ThreadId(self.first_stream),
            start_ticks: self.start.0,
            start_ns: self.start.1,
            start_wall_ns: self.start_wall_ns,
            end_ns: self.end.map(|(_, ns)| ns),
            recorder: None,
            command: Vec::new(),
            executable: None,
            working_directory: None,
            host: None,
            environment: Vec::new(),
            rank: None,
            rank_count: None,
            counters: CounterState::Absent {
                reason: "not stated by the trace".to_owned(),
            },
            runtimes: Vec::new(),
            mappings: Vec::new(),
            other: Vec::new(),
        }
    }
}

/// The record table of a file: operands by tag.
pub(super) type RecordTable = Vec<(u8, String)>;

/// Adds the items of one metadata chunk; an item that is cut short ends the chunk.
pub(super) fn read_metadata(
    payload: &[u8],
    header: &mut TraceHeader,
    records: &mut RecordTable,
    problems: &mut Vec<TraceProblem>,
) {
    let mut cursor = Cursor::new(payload);
    while !cursor.is_empty() {
        let (Some(key), Some(value)) = (text(&mut cursor), text(&mut cursor)) else {
            problems.push(TraceProblem::MetadataCut);
            return;
        };
        apply_item(&key, value, header, records, problems);
    }
}

fn text(cursor: &mut Cursor<'_>) -> Option<String> {
    let len = usize::try_from(cursor.number().ok()?).ok()?;
    Some(String::from_utf8_lossy(cursor.take(len).ok()?).into_owned())
}

fn apply_item(
    key: &str,
    value: String,
    header: &mut TraceHeader,
    records: &mut RecordTable,
    problems: &mut Vec<TraceProblem>,
) {
    match key {
        "recorder" => header.recorder = Some(value),
        "command" => header.command = value.split_terminator('\0').map(str::to_owned).collect(),
        "executable" => header.executable = Some(value),
        "working_directory" => header.working_directory = Some(value),
        "host" => header.host = Some(value),
        "environment" => header.environment.extend(
            value
                .split_once('=')
                .map(|(name, text)| (name.to_owned(), text.to_owned())),
        ),
        "rank" => header.rank = value.parse().ok(),
        "rank_count" => header.rank_count = value.parse().ok(),
        "forked_from" => header.forked_from = value.parse().ok(),
        "counters" => {
            let names = value.split_whitespace().map(str::to_owned).collect();
            header.counters = CounterState::Recorded(names);
        }
        "no_counters" => header.counters = CounterState::Absent { reason: value },
        "runtime" => header.runtimes.push(parse_runtime(&value)),
        "mappings" => add_mappings(&value, header, problems),
        "records" => records.extend(value.lines().filter_map(parse_record_line)),
        _ => header.other.push((key.to_owned(), value)),
    }
}

fn parse_record_line(line: &str) -> Option<(u8, String)> {
    let mut words = line.split(' ');
    let tag = words.next()?.parse().ok()?;
    let (_name, operands) = (words.next()?, words.next()?);
    Some((tag, operands.to_owned()))
}

fn parse_runtime(text: &str) -> RuntimeInfo {
    let mut info = RuntimeInfo::default();
    for line in text.lines() {
        let Some((key, value)) = line.split_once(' ') else {
            continue;
        };
        match key {
            "index" => info.index = value.parse().unwrap_or_default(),
            "version" => value.clone_into(&mut info.version),
            "tools_version" => info.tools_version = value.parse().unwrap_or_default(),
            "library" => info.library = Some(value.to_owned()),
            "library_bytes" => info.library_bytes = value.parse().ok(),
            "library_hash" => info.library_hash = u64::from_str_radix(value, 16).ok(),
            "callback" => info.callbacks.extend(
                value
                    .split_once(' ')
                    .and_then(|(name, result)| Some((name.to_owned(), result.parse().ok()?))),
            ),
            _ => {}
        }
    }
    info
}

/// Snapshots are numbered; one that is missing (its chunk was lost) stays an empty list.
fn add_mappings(text: &str, header: &mut TraceHeader, problems: &mut Vec<TraceProblem>) {
    const MAX_SNAPSHOTS: usize = 1 << 16;
    let mut lines = text.lines();
    let number = lines.next().and_then(|first| first.parse::<usize>().ok());
    let Some(number) = number.filter(|&number| number < MAX_SNAPSHOTS) else {
        problems.push(TraceProblem::MetadataCut);
        return;
    };
    if header.mappings.len() <= number {
        header.mappings.resize(number + 1, Vec::new());
    }
    let mut list: Vec<Mapping> = lines.filter_map(parse_mapping).collect();
    list.sort_by_key(|mapping| mapping.start);
    if let Some(slot) = header.mappings.get_mut(number) {
        *slot = list;
    }
}

fn parse_mapping(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(5, ' ');
    let mut hex = || u64::from_str_radix(words.next()?, 16).ok();
    let (start, end, file_offset) = (hex()?, hex()?, hex()?);
    let build_id = words.next().filter(|&id| id != "-").map(str::to_owned);
    Some(Mapping {
        start,
        end,
        file_offset,
        path: words.next()?.to_owned(),
        build_id,
    })
}
