//! A trace as a whole: its header and where the chunks of each thread lie.

use super::clock::Clock;
use super::cursor::{u16_at, u32_at, u64_at};
use super::event::ThreadId;
use super::format::{self, CHUNK_ALIGN, CHUNK_HEADER_LEN, chunk_field, chunk_kind};
use super::header::{FixedHeader, RecordTable, TraceHeader, read_metadata};
use super::stream::Events;
use super::{TraceError, TraceProblem};

/// One trace: what one process recorded.
///
/// ```
/// use sheaf_ingest::trace::{Trace, TraceError};
///
/// assert_eq!(Trace::parse(b"PK").unwrap_err(), TraceError::NotATrace);
/// ```
#[derive(Debug, Clone)]
pub struct Trace<'a> {
    /// What the trace states about the process.
    pub header: TraceHeader,
    /// Streams that recorded something, by number.
    pub threads: Vec<ThreadStream<'a>>,
    /// The runtime closed the trace and nothing of it is missing, as far as headers show;
    /// damage inside chunks shows in [`Events::problems`].
    pub complete: bool,
    /// Why it is not complete, and what else is odd.
    pub problems: Vec<TraceProblem>,
}

/// What one native thread recorded for one OpenMP runtime.
#[derive(Debug, Clone)]
pub struct ThreadStream<'a> {
    /// Its number.
    pub thread: ThreadId,
    /// [`RuntimeInfo::index`](super::RuntimeInfo::index) of its runtime.
    pub runtime: u16,
    /// Thread id of the operating system; shared by the streams of one native thread.
    pub os_thread: u32,
    pub(super) chunks: Vec<Chunk<'a>>,
    pub(super) clock: Clock,
    /// Operands of records this reader does not know, by tag.
    pub(super) unknown: RecordTable,
}

/// A chunk of events with the state its decoding starts from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub(super) sequence: u32,
    pub(super) base: (u64, u64),
    pub(super) numbers_given: u64,
    pub(super) payload: &'a [u8],
}

impl<'a> Trace<'a> {
    /// Reads the headers of a trace.
    ///
    /// Accepts a trace that was not closed, and any prefix of one that is longer than its
    /// header.
    ///
    /// # Errors
    ///
    /// Fails when the bytes are not a trace, of another version or byte order, or end inside
    /// the header.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, TraceError> {
        let fixed = FixedHeader::parse(bytes)?;
        let mut problems = file_problems(&fixed, bytes.len() as u64);
        let mut header = fixed.to_header();
        let mut records = RecordTable::new();
        let mut found = Vec::new();
        for raw in scan_chunks(bytes, &mut problems) {
            match raw.kind {
                chunk_kind::METADATA => {
                    read_metadata(raw.chunk.payload, &mut header, &mut records, &mut problems);
                }
                chunk_kind::EVENTS => found.push(raw),
                _ => {}
            }
        }
        header.runtimes.sort_by_key(|runtime| runtime.index);
        let unknown = check_records(records, &mut problems);
        let clock = Clock::new(&fixed, last_pair(&fixed, &found));
        let threads = group_streams(found, clock, &unknown, &mut problems);
        Ok(Self {
            header,
            threads,
            complete: problems.is_empty(),
            problems,
        })
    }
}

impl<'a> ThreadStream<'a> {
    /// The events of the thread, in the order in which they happened.
    pub fn events(&self) -> Events<'_, 'a> {
        Events::new(self)
    }

    /// Bytes of records, all chunks together.
    pub fn len_bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.payload.len()).sum()
    }
}

fn file_problems(fixed: &FixedHeader, len: u64) -> Vec<TraceProblem> {
    let mut problems = Vec::new();
    let (started, finalized) = (fixed.runtimes_started, fixed.runtimes_finalized);
    if started == 0 || finalized < started {
        problems.push(TraceProblem::NotFinalized { started, finalized });
    }
    if len < fixed.allocated {
        problems.push(TraceProblem::FileCut {
            len,
            expected: fixed.allocated,
        });
    }
    if fixed.streams_stopped > 0 {
        let (streams, errno) = (fixed.streams_stopped, fixed.stop_errno);
        problems.push(TraceProblem::Stopped { streams, errno });
    }
    problems
}

struct RawChunk<'a> {
    kind: u16,
    runtime: u16,
    stream: u32,
    os_thread: u32,
    later: Option<(u64, u64)>,
    chunk: Chunk<'a>,
}

/// Walks from chunk to chunk; where there is none, looks for the next one page by page.
fn scan_chunks<'a>(bytes: &'a [u8], problems: &mut Vec<TraceProblem>) -> Vec<RawChunk<'a>> {
    let mut chunks = Vec::new();
    let mut at = format::FILE_HEADER_LEN;
    let mut gap_start = None;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        if let Some((raw, size)) = parse_chunk(rest, at as u64, problems) {
            note_gap(bytes, gap_start.take(), at, problems);
            chunks.push(raw);
            at = at.saturating_add(size);
        } else {
            gap_start.get_or_insert(at);
            at = at.saturating_add(CHUNK_ALIGN);
        }
    }
    note_gap(bytes, gap_start, bytes.len(), problems);
    chunks
}

/// Space that was handed out but never used is zero, and no problem.
fn note_gap(bytes: &[u8], start: Option<usize>, end: usize, problems: &mut Vec<TraceProblem>) {
    let Some(gap) = start.and_then(|start| bytes.get(start..end)) else {
        return;
    };
    if gap.iter().any(|&byte| byte != 0) {
        let offset = start.unwrap_or_default() as u64;
        problems.push(TraceProblem::NotAChunk {
            offset,
            len: gap.len() as u64,
        });
    }
}

fn parse_chunk<'a>(
    rest: &'a [u8],
    offset: u64,
    problems: &mut Vec<TraceProblem>,
) -> Option<(RawChunk<'a>, usize)> {
    let header = rest.get(..CHUNK_HEADER_LEN)?;
    if !header.starts_with(&format::CHUNK_MAGIC) {
        return None;
    }
    let size = usize::try_from(u32_at(header, chunk_field::SIZE)?).ok()?;
    if !(CHUNK_ALIGN..=format::MAX_CHUNK_LEN).contains(&size) || !size.is_multiple_of(CHUNK_ALIGN) {
        return None;
    }
    let stated = usize::try_from(u32_at(header, chunk_field::COMMITTED)?).ok()?;
    let room = size - CHUNK_HEADER_LEN;
    if stated > room {
        let (committed, room) = (stated as u64, room as u64);
        problems.push(TraceProblem::Overfull {
            offset,
            committed,
            room,
        });
    }
    let body = rest.get(CHUNK_HEADER_LEN..).unwrap_or_default();
    let payload = body.get(..stated.min(room)).unwrap_or(body);
    let raw = RawChunk {
        kind: u16_at(header, chunk_field::KIND)?,
        runtime: u16_at(header, chunk_field::RUNTIME)?,
        stream: u32_at(header, chunk_field::STREAM)?,
        os_thread: u32_at(header, chunk_field::OS_THREAD)?,
        later: Some((
            u64_at(header, chunk_field::LATER_TICKS)?,
            u64_at(header, chunk_field::LATER_NS)?,
        ))
        .filter(|&(ticks, _)| ticks != 0),
        chunk: Chunk {
            sequence: u32_at(header, chunk_field::SEQUENCE)?,
            base: (
                u64_at(header, chunk_field::BASE_TICKS)?,
                u64_at(header, chunk_field::BASE_NS)?,
            ),
            numbers_given: u64_at(header, chunk_field::NUMBERS_GIVEN)?,
            payload,
        },
    };
    Some((raw, size))
}

/// Compares the file's record table with ours; returns what only the file has.
fn check_records(records: RecordTable, problems: &mut Vec<TraceProblem>) -> RecordTable {
    if records.is_empty() {
        problems.push(TraceProblem::NoMetadata);
    }
    let mut unknown = RecordTable::new();
    for (tag, found) in records {
        match format::RECORDS.iter().find(|(known, _, _)| *known == tag) {
            Some((_, _, expected)) if *expected == found => {}
            Some((_, _, expected)) => problems.push(TraceProblem::RecordTable {
                tag,
                found,
                expected: (*expected).to_owned(),
            }),
            None => unknown.push((tag, found)),
        }
    }
    unknown
}

/// The latest clock pair: at finalize, else at set-up, at a chunk's start or later in a chunk.
fn last_pair(fixed: &FixedHeader, found: &[RawChunk<'_>]) -> (u64, u64) {
    if let Some(end) = fixed.end {
        return end;
    }
    let in_chunks = found
        .iter()
        .flat_map(|raw| [Some(raw.chunk.base), raw.later]);
    in_chunks
        .flatten()
        .chain(fixed.ready)
        .max()
        .unwrap_or(fixed.start)
}

fn group_streams<'a>(
    mut found: Vec<RawChunk<'a>>,
    clock: Clock,
    unknown: &RecordTable,
    problems: &mut Vec<TraceProblem>,
) -> Vec<ThreadStream<'a>> {
    found.sort_by_key(|raw| (raw.stream, raw.chunk.sequence));
    let mut threads: Vec<ThreadStream<'a>> = Vec::new();
    for raw in found {
        if threads
            .last()
            .is_none_or(|last| last.thread.0 != raw.stream)
        {
            threads.push(ThreadStream {
                thread: ThreadId(raw.stream),
                runtime: raw.runtime,
                os_thread: raw.os_thread,
                chunks: Vec::new(),
                clock,
                unknown: unknown.clone(),
            });
        }
        let Some(thread) = threads.last_mut() else {
            continue;
        };
        let expected = thread
            .chunks
            .last()
            .map_or(0, |chunk| chunk.sequence.saturating_add(1));
        if raw.chunk.sequence != expected {
            let (thread, sequence) = (raw.stream, expected);
            problems.push(TraceProblem::MissingChunk { thread, sequence });
        }
        thread.chunks.push(raw.chunk);
    }
    threads
}
