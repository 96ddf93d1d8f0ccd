//! What one thread writes: its chunk, and the state its coding refers to.
//!
//! The hot path takes no lock, allocates nothing and makes no system call. A chunk has room
//! for the longest event when an event begins; only then is a new one fetched.
#![expect(unsafe_code, reason = "writes into the mapped trace file")]

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::counters::ThreadCounters;
use crate::file::{Chunk, ChunkHeader};
use crate::format::{
    CHUNK_HEADER_LEN, FOREIGN_SLOTS, ID_SHIFT, chunk_field, chunk_kind, clock as kind, tag,
};
use crate::process::{self, MAX_RUNTIMES, Trace};
use crate::{clock, cpu};

/// More than any event with its site, processor and counter records.
const LONGEST_EVENT: usize = 512;
const FIRST_CHUNK: usize = 64 << 10;
const LARGEST_CHUNK: usize = 1 << 20;
const SITE_SLOTS: usize = 256;
/// Slots in which an address may stand.
const SITE_WAYS: usize = 4;
/// Nanoseconds to the first renewal of a chunk's later clock pair; doubles up to the last.
const FIRST_RENEWAL_NS: u64 = 1_000_000;
const LAST_RENEWAL_NS: u64 = 1_000_000_000;

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
    /// When to renew the clock pair.
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

thread_local! {
    static STREAMS: [Cell<*mut Stream>; MAX_RUNTIMES] =
        const { [const { Cell::new(ptr::null_mut()) }; MAX_RUNTIMES] };
}

/// Records one event of runtime `R` on the calling thread.
#[inline(always)]
pub(crate) fn record<const R: usize>(write: impl FnOnce(&mut Stream)) {
    let mut stream = STREAMS.with(|streams| streams[R].get());
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
    let Some(trace) = process::trace() else { return ptr::null_mut() };
    let number = process::new_stream_number();
    let stream = Box::into_raw(Box::new(Stream::new(trace, number, R as u16)));
    process::with_shared(|shared| shared.streams.push(stream));
    STREAMS.with(|streams| streams[R].set(stream));
    stream
}

/// Ends the calling thread's stream: it may be one of very many.
pub(crate) fn close<const R: usize>() {
    let stream = STREAMS.with(|streams| streams[R].replace(ptr::null_mut()));
    if stream.is_null() {
        return;
    }
    process::with_shared(|shared| shared.forget_stream(stream));
    // SAFETY: made by `open`, and nobody else knows it any more.
    let stream = unsafe { Box::from_raw(stream) };
    stream.release();
    stream.chunk.unmap();
}

/// Drops the calling thread's streams without touching what they point to.
pub(crate) fn forget_thread() {
    STREAMS.with(|streams| streams.iter().for_each(|stream| stream.set(ptr::null_mut())));
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
            current: 0,
            last_given: own,
            last_wait: 0,
            cpu_location: cpu::location(),
            cpu: u32::MAX,
            site_count: 0,
            counters: ThreadCounters::open(),
            sites: [(0, 0); SITE_SLOTS],
            foreign: [0; FOREIGN_SLOTS],
            trace,
            number,
            runtime,
            os_thread: os_thread(),
            next_sequence: 0,
            renewal_ns: FIRST_RENEWAL_NS,
            chunk: Chunk { start: ptr::null_mut(), size: 0, file_offset: 0 },
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
        let doublings = (2 * self.next_sequence).min(LARGEST_CHUNK.ilog2());
        let size = (FIRST_CHUNK << doublings.min(16)).min(LARGEST_CHUNK);
        // A process that was forked behind our back must not write to its parent's file.
        let chunk = if self.trace.is_ours() {
            self.trace.file.add_chunk(size, &header).inspect_err(|&errno| {
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
    fn commit(&mut self) {
        let len = self.at.addr() - self.payload.addr();
        // SAFETY: the field lies in the header before the payload; only this thread writes it.
        let committed = unsafe {
            AtomicU32::from_ptr(self.payload.sub(CHUNK_HEADER_LEN - chunk_field::COMMITTED).cast())
        };
        // A chunk is far smaller than 4 GiB.
        committed.store(len as u32, Ordering::Release);
    }

    /// Writes the tag and the time of a record.
    #[inline(always)]
    pub(crate) fn begin(&mut self, tag: u8) {
        let now = if self.has_counter_clock { clock::counter() } else { clock::monotonic_ns() };
        // Clocks of processors may differ by a little: time stands still then.
        let delta = now.saturating_sub(self.last_ticks);
        self.last_ticks += delta;
        if now >= self.renew_at {
            self.renew_pair();
        }
        self.byte(tag);
        self.number(delta);
    }

    /// Renews the pair that serves as the chunk's last when the process is killed.
    #[cold]
    #[inline(never)]
    fn renew_pair(&mut self) {
        let (ticks, ns) = clock::pair(self.trace.clock);
        let field = |at| {
            // SAFETY: both fields lie in the chunk's header.
            unsafe { AtomicU64::from_ptr(self.chunk.start.add(at).cast()) }
        };
        // Invalid in between, so that no reader sees half of each.
        field(chunk_field::LATER_TICKS).store(0, Ordering::Release);
        field(chunk_field::LATER_NS).store(ns, Ordering::Release);
        field(chunk_field::LATER_TICKS).store(ticks, Ordering::Release);
        // The rate is not known here; counters run at one to five ticks per nanosecond.
        self.renew_at = ticks.saturating_add(self.renewal_ns * 2);
        self.renewal_ns = (self.renewal_ns * 2).min(LAST_RENEWAL_NS);
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        // SAFETY: the chunk has room for the longest event (`record` saw to it).
        unsafe {
            self.at.write(byte);
            self.at = self.at.add(1);
        }
    }

    /// Writes a number: its length in the trailing zero bits of the first byte.
    #[inline(always)]
    pub(crate) fn number(&mut self, value: u64) {
        let bits = 64 - (value | 1).leading_zeros();
        if bits > 56 {
            self.long_number(value);
            return;
        }
        // Bits divided by seven, rounded up, for 1 to 56 bits.
        let len = (bits * 9 + 64) >> 6;
        let word = ((value << 1) | 1) << (len - 1);
        // SAFETY: as in `byte`; bytes behind the number are written again by the next.
        unsafe {
            self.at.cast::<u64>().write_unaligned(word.to_le());
            self.at = self.at.add(len as usize);
        }
    }

    #[cold]
    #[inline(never)]
    fn long_number(&mut self, value: u64) {
        self.byte(0);
        // SAFETY: as in `byte`.
        unsafe {
            self.at.cast::<u64>().write_unaligned(value.to_le());
            self.at = self.at.add(8);
        }
    }

    /// Writes a signed number in zigzag form.
    #[inline(always)]
    pub(crate) fn signed(&mut self, value: i64) {
        self.number(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    /// Gives out the next number of a task or region.
    #[inline(always)]
    pub(crate) fn give(&mut self) -> u64 {
        self.last_given += 1;
        self.last_given
    }

    /// Gives out a number to a task that is current from now on.
    #[inline(always)]
    pub(crate) fn give_to_current(&mut self) -> u64 {
        self.current = self.give();
        self.current
    }

    /// Writes a reference to a task or region; 0 is none.
    #[inline(always)]
    pub(crate) fn reference(&mut self, id: u64) {
        let code = if id == self.current {
            u64::from(id != 0)
        } else if id == 0 {
            0
        } else if (id ^ self.last_given) >> ID_SHIFT == 0 {
            (self.last_given - id + 1) << 1
        } else {
            return self.foreign_reference(id);
        };
        self.number(code);
    }

    #[inline(never)]
    fn foreign_reference(&mut self, id: u64) {
        let stream = (id >> ID_SHIFT).wrapping_sub(1);
        let counter = (id & ((1 << ID_SHIFT) - 1)).cast_signed();
        let slot = &mut self.foreign[stream as usize % FOREIGN_SLOTS];
        let delta = counter - slot.cast_signed();
        *slot = counter.cast_unsigned();
        let zigzag = ((delta << 1) ^ (delta >> 63)).cast_unsigned();
        self.number((zigzag + 1) << 1 | 1);
        self.number(stream);
    }

    /// Writes a reference to the acting task, which is current from now on.
    #[inline(always)]
    pub(crate) fn acting(&mut self, id: u64) {
        self.reference(id);
        self.set_current(id);
    }

    #[inline(always)]
    pub(crate) fn set_current(&mut self, id: u64) {
        if id != 0 {
            self.current = id;
        }
    }

    #[inline(always)]
    pub(crate) fn is_current(&self, id: u64) -> bool {
        self.current == id
    }

    /// Writes the identity of a lock.
    pub(crate) fn wait_id(&mut self, id: u64) {
        self.signed(id.wrapping_sub(self.last_wait).cast_signed());
        self.last_wait = id;
    }

    /// The code of a site, defined if need be. Called before the record that uses it begins.
    #[inline(always)]
    pub(crate) fn site(&mut self, address: u64) -> u64 {
        if address == 0 {
            return 0;
        }
        let first = site_slot(address);
        let (known, index) = self.sites[first];
        if known == address { u64::from(index) + 1 } else { self.find_site(address, first) }
    }

    #[inline(never)]
    fn find_site(&mut self, address: u64, first: usize) -> u64 {
        for way in 1..SITE_WAYS {
            let (known, index) = self.sites[(first + way) % SITE_SLOTS];
            if known == address {
                return u64::from(index) + 1;
            }
        }
        self.define_site(address, first)
    }

    #[cold]
    #[inline(never)]
    fn define_site(&mut self, address: u64, first: usize) -> u64 {
        let snapshot =
            process::with_shared(|shared| shared.snapshot_of(self.trace, address));
        self.byte(tag::SITE);
        self.number(u64::from(snapshot));
        self.number(address);
        let index = self.site_count;
        self.site_count += 1;
        let free = (0..SITE_WAYS).find(|way| self.sites[(first + way) % SITE_SLOTS].0 == 0);
        let way = free.unwrap_or(index as usize % SITE_WAYS);
        self.sites[(first + way) % SITE_SLOTS] = (address, index);
        u64::from(index) + 1
    }

    /// Notes the processor if it is another than before. Called before a record begins.
    #[inline(always)]
    pub(crate) fn processor(&mut self) {
        if self.cpu_location.is_null() {
            return;
        }
        // SAFETY: the kernel keeps this word of the calling thread valid.
        let cpu = unsafe { self.cpu_location.read_volatile() };
        if cpu != self.cpu {
            self.change_processor(cpu);
        }
    }

    /// The same, where the kernel keeps no word for us and asking costs something.
    pub(crate) fn ask_processor(&mut self) {
        if self.cpu_location.is_null() {
            let cpu = cpu::ask();
            if cpu != self.cpu {
                self.change_processor(cpu);
            }
        } else {
            self.processor();
        }
    }

    #[cold]
    #[inline(never)]
    fn change_processor(&mut self, cpu: u32) {
        self.cpu = cpu;
        // Negative while the kernel has not registered the thread.
        if cpu.cast_signed() >= 0 {
            self.byte(tag::CPU);
            self.number(u64::from(cpu));
        }
    }

    /// Writes what the hardware counters gained. Called behind a record that bounds a fragment.
    #[inline(always)]
    pub(crate) fn counters(&mut self) {
        if self.counters.is_some() {
            self.write_counters();
        }
    }

    #[cold]
    #[inline(never)]
    fn write_counters(&mut self) {
        let Some(mut counters) = self.counters.take() else { return };
        let gains = counters.gains();
        self.byte(tag::COUNTERS);
        self.number(gains.len() as u64);
        for &gain in gains {
            self.number(gain);
        }
        self.counters = Some(counters);
    }

    /// Gives unused space of a stream of `runtime` back.
    ///
    /// # Safety
    ///
    /// The stream must be alive, and the shared state locked.
    pub(crate) unsafe fn release_tail(stream: *const Self, runtime: u16) {
        // SAFETY: the caller's promise; the owner changes these fields under the lock only.
        let (chunk, of, is_stopped, trace) = unsafe {
            (&(*stream).chunk, (*stream).runtime, (*stream).is_stopped, (*stream).trace)
        };
        if of == runtime && !is_stopped {
            release_chunk(trace, chunk);
        }
    }

    fn release(&self) {
        if !self.is_stopped {
            release_chunk(self.trace, &self.chunk);
        }
    }
}

fn release_chunk(trace: &Trace, chunk: &Chunk) {
    let committed = chunk.word(chunk_field::COMMITTED).load(Ordering::Acquire) as usize;
    trace.file.release_tail(chunk.file_offset, CHUNK_HEADER_LEN + committed, chunk.size);
}

/// Fibonacci hashing: call sites differ in their low bits, but not evenly.
#[inline(always)]
fn site_slot(address: u64) -> usize {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % SITE_SLOTS
}

fn os_thread() -> u32 {
    // SAFETY: has no preconditions.
    let id = unsafe { libc::gettid() };
    id.cast_unsigned()
}
