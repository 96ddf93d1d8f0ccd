//! What one thread writes: its chunk, and the state its coding refers to.
//!
//! The hot path takes no lock, allocates nothing and makes no system call. A chunk has room
//! for the longest event when an event begins; only then is a new one fetched.
#![expect(unsafe_code, reason = "writes into the mapped trace file")]
#![expect(
    clippy::inline_always,
    reason = "parts of the hot path, each used in many callbacks: calls would dominate their cost"
)]

mod coding;

use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::counters::ThreadCounters;
use crate::file::{Chunk, ChunkHeader};
use crate::format::{
    CHUNK_HEADER_LEN, FOREIGN_SLOTS, ID_SHIFT, chunk_field, chunk_kind, clock as kind,
};
use crate::process::{self, Trace};
use crate::{clock, cpu, current, usage};

/// More than any event with its site, processor and counter records.
const LONGEST_EVENT: usize = 512;
const FIRST_CHUNK: usize = 64 << 10;
const MAX_CHUNK: usize = 1 << 20;
const SITE_SLOTS: usize = 256;
/// Slots in which an address may stand.
const SITE_WAYS: usize = 4;
/// Nanoseconds to the first renewal of a chunk's later clock pair; doubles up to the last.
const FIRST_RENEWAL_NS: u64 = 1_000_000;
const LAST_RENEWAL_NS: u64 = 1_000_000_000;

/// Time between two readings of a thread's processor time, at least: a reading costs some 300 ns.
const THREAD_TIME_NS: u64 = 100_000;

/// The stream of one thread and runtime.
#[repr(align(64))]
pub(crate) struct Stream {
    /// Next byte to be written.
    at: *mut u8,
    /// An event may begin up to here.
    limit: *const u8,
    /// First byte of the current payload.
    payload: *mut u8,
    has_counter_clock: bool,
    /// Clock value of the previous record.
    last_ticks: u64,
    /// When the next periodic task is due: the earlier of the two below.
    renew_at: u64,
    /// Task that was named as acting last.
    current: u64,
    /// Number that was given out last.
    last_given: u64,
    last_wait: u64,
    cpu_location: *const u32,
    cpu: u32,
    site_count: u32,
    counters: Option<Box<ThreadCounters>>,
    /// When to renew the clock pair.
    pair_due: u64,
    /// From when on the thread's processor time is read again; never where it is not recorded.
    thread_time_due: u64,
    /// The thread's processor time when it was read last.
    thread_time: u64,
    sites: [(u64, u32); SITE_SLOTS],
    /// Last number seen of other streams; the coding's reference.
    foreign: [u64; FOREIGN_SLOTS],
    trace: &'static Trace,
    number: u32,
    runtime: u16,
    os_thread: u32,
    next_sequence: u32,
    renewal_ns: u64,
    chunk: Chunk,
    /// The chunk is memory of our own that is never stored.
    is_stopped: bool,
}

/// Records one event of runtime `R` on the calling thread.
#[inline(always)]
pub(crate) fn record<const R: usize>(write: impl FnOnce(&mut Stream)) {
    let mut stream = current::get::<R>();
    if stream.is_null() {
        stream = open::<R>();
        if stream.is_null() {
            return;
        }
    }
    // SAFETY: the stream belongs to this thread, and callbacks do not nest.
    let stream = unsafe { &mut *stream };
    if stream.at.cast_const() > stream.limit {
        stream.change_chunk();
    }
    write(stream);
    stream.commit();
}

#[cold]
fn open<const R: usize>() -> *mut Stream {
    if process::is_forking() {
        return ptr::null_mut();
    }
    let Some(trace) = process::trace() else {
        return ptr::null_mut();
    };
    let number = process::new_stream_number();
    let stream = Box::into_raw(Box::new(Stream::new(
        trace,
        number,
        process::runtime_index::<R>(),
    )));
    process::with_shared(|shared| shared.streams.push(stream));
    current::set::<R>(stream);
    stream
}

/// Whether the calling thread, or another, has reported something of runtime `R` that is stored.
pub(crate) fn is_open<const R: usize>() -> bool {
    !current::get::<R>().is_null() || process::opened_trace().is_some()
}

/// Whether processor time is recorded: unless `GRAINSHEAF_THREAD_TIME` is `off`.
fn has_thread_time() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| !std::env::var("GRAINSHEAF_THREAD_TIME").is_ok_and(|value| value == "off"))
}

/// Ends the calling thread's stream: it may be one of very many.
pub(crate) fn close<const R: usize>() {
    let stream = current::get::<R>();
    current::set::<R>(ptr::null_mut());
    if stream.is_null() {
        return;
    }
    if R == 0 {
        usage::end_thread();
    }
    process::with_shared(|shared| shared.forget_stream(stream));
    // SAFETY: made by `open`, and no other thread has it any more.
    let stream = unsafe { Box::from_raw(stream) };
    stream.release();
    stream.chunk.unmap();
}

impl Stream {
    fn new(trace: &'static Trace, number: u32, runtime: u16) -> Self {
        let own = (u64::from(number) + 1) << ID_SHIFT;
        let mut stream = Self {
            at: ptr::null_mut(),
            limit: ptr::null(),
            payload: ptr::null_mut(),
            has_counter_clock: trace.clock == kind::TSC,
            last_ticks: 0,
            renew_at: 0,
            pair_due: 0,
            current: 0,
            last_given: own,
            last_wait: 0,
            cpu_location: cpu::location(),
            cpu: u32::MAX,
            site_count: 0,
            counters: ThreadCounters::open(),
            thread_time_due: if has_thread_time() { 0 } else { u64::MAX },
            thread_time: usage::thread_time(),
            sites: [(0, 0); SITE_SLOTS],
            foreign: [0; FOREIGN_SLOTS],
            trace,
            number,
            runtime,
            os_thread: os_thread(),
            next_sequence: 0,
            renewal_ns: FIRST_RENEWAL_NS,
            chunk: Chunk {
                start: ptr::null_mut(),
                size: 0,
                file_offset: 0,
            },
            is_stopped: false,
        };
        stream.enter_chunk();
        stream
    }

    #[cold]
    #[inline(never)]
    fn change_chunk(&mut self) {
        if self.is_stopped {
            self.rewind();
            return;
        }
        let old = (self.chunk.start, self.chunk.size);
        self.enter_chunk();
        // SAFETY: nothing points into the old chunk any more.
        unsafe { libc::munmap(old.0.cast(), old.1) };
    }

    /// Fetches a chunk, or memory to be thrown away when there is none to be had.
    fn enter_chunk(&mut self) {
        let base = clock::pair(self.trace.clock);
        let header = ChunkHeader {
            kind: chunk_kind::EVENTS,
            runtime: self.runtime,
            stream: self.number,
            sequence: self.next_sequence,
            base,
            os_thread: self.os_thread,
            numbers_given: self.last_given & ((1 << ID_SHIFT) - 1),
        };
        let doublings = (2 * self.next_sequence).min(MAX_CHUNK.ilog2());
        let size = (FIRST_CHUNK << doublings.min(16)).min(MAX_CHUNK);
        // A process that was forked without notice must not write to its parent's file.
        let chunk = if self.trace.is_ours() {
            self.trace
                .file
                .add_chunk(size, &header)
                .inspect_err(|&errno| {
                    self.trace.file.note_stop(errno);
                })
        } else {
            Err(libc::EPERM)
        };
        let chunk = chunk.unwrap_or_else(|_| {
            self.is_stopped = true;
            Chunk::scratch(FIRST_CHUNK)
        });
        process::with_shared(|_| self.chunk = chunk);
        self.next_sequence += 1;
        self.last_ticks = base.0;
        self.pair_due = base.0;
        self.renew_at = base.0;
        self.rewind();
    }

    /// Starts at the beginning of the chunk with a coding that refers to nothing.
    fn rewind(&mut self) {
        // SAFETY: chunks are larger than their header and the longest event.
        unsafe {
            self.payload = self.chunk.start.add(CHUNK_HEADER_LEN);
            self.limit = self.chunk.start.add(self.chunk.size - LONGEST_EVENT);
        }
        self.at = self.payload;
        self.current = 0;
        self.last_wait = 0;
        self.cpu = u32::MAX;
        self.site_count = 0;
        self.sites = [(0, 0); SITE_SLOTS];
        self.foreign = [0; FOREIGN_SLOTS];
    }

    /// Declares everything written so far valid.
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "chunks are far smaller than 4 GiB"
    )]
    fn commit(&mut self) {
        let len = self.at.addr() - self.payload.addr();
        // SAFETY: the field lies in the header before the payload; only this thread writes it.
        let committed = unsafe {
            AtomicU32::from_ptr(
                self.payload
                    .sub(CHUNK_HEADER_LEN - chunk_field::COMMITTED)
                    .cast(),
            )
        };
        committed.store(len as u32, Ordering::Release);
    }

    /// Gives unused space of a stream of `runtime` back.
    ///
    /// # Safety
    ///
    /// The stream must be alive, and the shared state locked.
    pub(crate) unsafe fn release_tail(stream: *const Self, runtime: u16) {
        // SAFETY: the caller's promise; the owner changes these fields under the lock only.
        let (chunk, of, is_stopped, trace) = unsafe {
            (
                &(*stream).chunk,
                (*stream).runtime,
                (*stream).is_stopped,
                (*stream).trace,
            )
        };
        if of == runtime && !is_stopped {
            release_chunk(trace, chunk);
        }
    }

    /// The operating system's number of the thread, if the stream is of the first runtime.
    ///
    /// # Safety
    ///
    /// The stream must be alive, and the shared state locked.
    pub(crate) unsafe fn thread_of_first(stream: *const Self) -> Option<u32> {
        // SAFETY: the caller's promise; these fields never change.
        let (runtime, os_thread) = unsafe { ((*stream).runtime, (*stream).os_thread) };
        (runtime == 0).then_some(os_thread)
    }

    fn release(&self) {
        if !self.is_stopped {
            release_chunk(self.trace, &self.chunk);
        }
    }
}

fn release_chunk(trace: &Trace, chunk: &Chunk) {
    let committed = chunk.word(chunk_field::COMMITTED).load(Ordering::Acquire) as usize;
    trace
        .file
        .release_tail(chunk.file_offset, CHUNK_HEADER_LEN + committed, chunk.size);
}

fn os_thread() -> u32 {
    // SAFETY: has no preconditions.
    let id = unsafe { libc::gettid() };
    id.cast_unsigned()
}
