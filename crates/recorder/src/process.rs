//! What the threads of a process share: the trace file, stream numbers, mappings.
//!
//! After a fork the child starts anew with a file of its own, opened at its first event, so
//! that a child which only executes another program leaves none.
#![expect(
    unsafe_code,
    reason = "shared state is guarded by a lock that a fork can hand over"
)]

use std::cell::UnsafeCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::{process, ptr};

use crate::counters;
use crate::file::{ChunkHeader, Start, TraceFile};
use crate::format::{self, CHUNK_HEADER_LEN, chunk_kind, file_field};
use crate::mappings::Snapshot;
use crate::metadata::{self, Items};
use crate::stream::Stream;
use crate::{clock, current, mpi, usage};

/// OpenMP runtimes one process can have recorded; each has its own set of callbacks.
pub(crate) const MAX_RUNTIMES: usize = 4;

/// A runtime's number as it is stored.
#[expect(clippy::cast_possible_truncation, reason = "runtimes are few")]
pub(crate) const fn runtime_index<const R: usize>() -> u16 {
    assert!(R < MAX_RUNTIMES);
    R as u16
}

/// Times the mappings are read again for an address that lies in none.
const MAX_SNAPSHOTS: u32 = 256;

/// An open trace. Lives as long as the process.
pub(crate) struct Trace {
    pub(crate) file: TraceFile,
    pub(crate) clock: u16,
    pub(crate) process_id: u32,
}

/// State under the lock.
pub(crate) struct Shared {
    folder: Option<PathBuf>,
    forked_from: Option<u32>,
    snapshot: Snapshot,
    snapshots: u32,
    /// Metadata items of the runtimes, kept for the files of forked children.
    runtimes: Vec<String>,
    pub(crate) streams: Vec<*mut Stream>,
    /// The forking thread's streams, amid a fork.
    suspended: [*mut Stream; MAX_RUNTIMES],
}

static TRACE: AtomicPtr<Trace> = AtomicPtr::new(ptr::null_mut());
static NEXT_STREAM: AtomicU32 = AtomicU32::new(0);
static OPEN_FAILED: AtomicBool = AtomicBool::new(false);
static SHARED: Lock = Lock {
    is_taken: AtomicBool::new(false),
    shared: UnsafeCell::new(Shared {
        folder: None,
        forked_from: None,
        snapshot: Snapshot::none(),
        snapshots: 0,
        runtimes: Vec::new(),
        streams: Vec::new(),
        suspended: [ptr::null_mut(); MAX_RUNTIMES],
    }),
};

/// A lock that a fork handler can take in one function and release in another.
struct Lock {
    is_taken: AtomicBool,
    shared: UnsafeCell<Shared>,
}

// SAFETY: the cell is used only while the lock is held.
unsafe impl Sync for Lock {}

impl Lock {
    fn take(&self) {
        while self.is_taken.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
    }

    fn release(&self) {
        self.is_taken.store(false, Ordering::Release);
    }
}

/// Runs `work` on the shared state; never on the hot path.
pub(crate) fn with_shared<T>(work: impl FnOnce(&mut Shared) -> T) -> T {
    SHARED.take();
    // SAFETY: the lock is held, and no caller nests calls.
    let result = work(unsafe { &mut *SHARED.shared.get() });
    SHARED.release();
    result
}

/// The number of a new stream.
pub(crate) fn new_stream_number() -> u32 {
    NEXT_STREAM.fetch_add(1, Ordering::Relaxed)
}

/// The trace of this process, if it is open.
pub(crate) fn opened_trace() -> Option<&'static Trace> {
    // SAFETY: null, or a trace that is never freed.
    unsafe { TRACE.load(Ordering::Acquire).as_ref() }
}

/// The trace of this process, opened if need be; `None` when it cannot be.
pub(crate) fn trace() -> Option<&'static Trace> {
    opened_trace().or_else(|| with_shared(open_trace))
}

fn open_trace(shared: &mut Shared) -> Option<&'static Trace> {
    if opened_trace().is_some() || OPEN_FAILED.load(Ordering::Relaxed) {
        return opened_trace();
    }
    let clock_kind = clock::choose();
    let start = Start {
        clock: clock_kind,
        process_id: process::id(),
        first_stream: NEXT_STREAM.load(Ordering::Relaxed),
        pair: clock::pair(clock_kind),
        wall_ns: clock::wall_ns(),
    };
    let folder = shared.folder.get_or_insert_with(trace_folder);
    let path = folder.join(format!("{}-{}.gstrace", start.process_id, start.wall_ns));
    match TraceFile::create(&path, &start) {
        Ok(file) => {
            let process_id = start.process_id;
            let trace = Box::leak(Box::new(Trace {
                file,
                clock: clock_kind,
                process_id,
            }));
            shared.describe(trace);
            let (ticks, ns) = clock::pair(clock_kind);
            trace
                .file
                .long(file_field::READY_NS)
                .store(ns, Ordering::Relaxed);
            trace
                .file
                .long(file_field::READY_TICKS)
                .store(ticks, Ordering::Release);
            TRACE.store(trace, Ordering::Release);
            Some(trace)
        }
        Err(errno) => {
            OPEN_FAILED.store(true, Ordering::Relaxed);
            complain(&path.to_string_lossy(), errno);
            None
        }
    }
}

/// The output folder as an absolute path: the program may change its own later.
fn trace_folder() -> PathBuf {
    let folder = PathBuf::from(std::env::var_os("GRAINSHEAF_TRACE_DIR").unwrap_or_default());
    let folder = std::env::current_dir().unwrap_or_default().join(folder);
    if !is_of_launch() {
        // A failure shows when the file is created.
        let _ = std::fs::create_dir_all(&folder);
    }
    folder
}

/// Whether `record` chose the folder. It creates the folder and removes it after the launch, so a process that runs on
/// must not create it again: nobody would read or remove it.
fn is_of_launch() -> bool {
    std::env::var_os("GRAINSHEAF_LAUNCH").is_some()
}

/// Prints on standard error why nothing is recorded, because there is no trace for a note.
fn complain(path: &str, errno: i32) {
    let text = if errno == libc::ENOENT && is_of_launch() {
        format!(
            "grainsheaf: this process is not recorded: the launch ended, or its folder is on another machine: {path}\n"
        )
    } else {
        let error = std::io::Error::from_raw_os_error(errno);
        format!("grainsheaf: cannot create the trace ({error}), nothing is recorded: {path}\n")
    };
    // SAFETY: plain system call on valid memory.
    unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
}

impl Trace {
    /// Adds a chunk of metadata; without space for it, the trace lacks it.
    fn write_items(&self, items: &Items) {
        let payload = items.bytes();
        let size = (payload.len() + CHUNK_HEADER_LEN).next_multiple_of(format::CHUNK_ALIGN);
        let header = ChunkHeader {
            kind: chunk_kind::METADATA,
            runtime: 0,
            stream: 0,
            sequence: 0,
            base: clock::pair(self.clock),
            os_thread: 0,
            numbers_given: 0,
        };
        match self.file.add_chunk(size, &header) {
            Ok(chunk) => chunk.fill(payload),
            Err(errno) => self.file.note_stop(errno),
        }
    }

    /// This process is the one that opened the trace.
    pub(crate) fn is_ours(&self) -> bool {
        self.process_id == process::id()
    }
}

impl Shared {
    fn describe(&mut self, trace: &Trace) {
        let mut items = Items::default();
        metadata::describe_process(&mut items);
        counters::describe(&mut items);
        usage::describe_start(&mut items);
        items.add("mpi_calls", mpi::NAMES.join(" ").as_bytes());
        if let Some(parent) = self.forked_from {
            items.add("forked_from", parent.to_string().as_bytes());
        }
        for runtime in &self.runtimes {
            items.add("runtime", runtime.as_bytes());
        }
        trace.write_items(&items);
        let started = u32::try_from(self.runtimes.len()).unwrap_or_default();
        trace
            .file
            .word(file_field::RUNTIMES_STARTED)
            .store(started, Ordering::Relaxed);
        self.snapshots = 0;
        self.add_snapshot(trace, Snapshot::take());
    }

    fn add_snapshot(&mut self, trace: &Trace, snapshot: Snapshot) {
        let mut items = Items::default();
        items.add("mappings", snapshot.describe(self.snapshots).as_bytes());
        trace.write_items(&items);
        self.snapshot = snapshot;
        self.snapshots += 1;
    }

    /// Adds items that are known at the end only.
    fn describe_end(&self, trace: &Trace) {
        let mut items = Items::default();
        // SAFETY: streams are removed from the list before they are freed, and the lock is held.
        let threads = self
            .streams
            .iter()
            .filter_map(|&stream| unsafe { Stream::thread_of_first(stream) });
        usage::describe_end(&mut items, threads);
        if let Some(path) = self.snapshot.reached_gnu_runtime() {
            items.add("other_runtime", path.as_bytes());
        }
        trace.write_items(&items);
    }

    /// Number of a snapshot that contains the call before a return address, of the current
    /// one if none does.
    pub(crate) fn snapshot_of(&mut self, trace: &Trace, address: u64) -> u32 {
        let call = address.wrapping_sub(1);
        if !self.snapshot.contains(call) {
            self.renew_snapshot(trace);
        }
        self.snapshots.saturating_sub(1)
    }

    fn renew_snapshot(&mut self, trace: &Trace) {
        if self.snapshots < MAX_SNAPSHOTS {
            let now = Snapshot::take();
            if now != self.snapshot {
                self.add_snapshot(trace, now);
            }
        }
    }

    pub(crate) fn forget_stream(&mut self, stream: *mut Stream) {
        self.streams.retain(|&known| known != stream);
    }
}

/// Registers a runtime; `item` describes it.
pub(crate) fn add_runtime(item: String) {
    with_shared(|shared| {
        let trace = opened_trace();
        if let Some(trace) = trace {
            let mut items = Items::default();
            items.add("runtime", item.as_bytes());
            trace.write_items(&items);
            trace
                .file
                .word(file_field::RUNTIMES_STARTED)
                .fetch_add(1, Ordering::Relaxed);
        }
        shared.runtimes.push(item);
        if trace.is_none() {
            open_trace(shared);
        }
    });
}

/// Closes the trace for one runtime; the others go on.
pub(crate) fn finalize_runtime(runtime: u16) {
    let Some(trace) = opened_trace().filter(|trace| trace.is_ours()) else {
        return;
    };
    with_shared(|shared| {
        shared.renew_snapshot(trace);
        shared.describe_end(trace);
        for &stream in &shared.streams {
            // SAFETY: streams are removed from the list before they are freed, and their
            // chunks change under the lock only.
            unsafe { Stream::release_tail(stream, runtime) };
        }
        let (ticks, ns) = clock::pair(trace.clock);
        trace
            .file
            .long(file_field::END_NS)
            .store(ns, Ordering::Relaxed);
        trace
            .file
            .long(file_field::END_TICKS)
            .store(ticks, Ordering::Release);
        trace
            .file
            .word(file_field::RUNTIMES_FINALIZED)
            .fetch_add(1, Ordering::Release);
    });
}

/// Has forked children start anew.
pub(crate) fn watch_forks() {
    static WATCHED: AtomicBool = AtomicBool::new(false);
    if !WATCHED.swap(true, Ordering::Relaxed) {
        // SAFETY: the handlers stay loaded as long as the process.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child)) };
    }
}

/// The thread that forks, from before the fork until after it, in parent and child; 0 when none does.
static FORKER: AtomicU64 = AtomicU64::new(0);

/// Whether the calling thread is amid a fork. What happens then is not recorded: in the child, handlers
/// of the runtimes run before ours, where the stream would still be the parent's and the pages of the
/// counters are not mapped any more.
pub(crate) fn is_forking() -> bool {
    let forker = FORKER.load(Ordering::Relaxed);
    forker != 0 && forker == this_thread()
}

/// The same in parent and child, never 0.
fn this_thread() -> u64 {
    // SAFETY: has no preconditions.
    unsafe { libc::pthread_self() }
}

unsafe extern "C" fn before_fork() {
    SHARED.take();
    FORKER.store(this_thread(), Ordering::Relaxed);
    // SAFETY: the lock is held.
    let shared = unsafe { &mut *SHARED.shared.get() };
    shared.suspended = current::take();
}

unsafe extern "C" fn after_fork() {
    // SAFETY: the lock was taken before the fork by this very thread.
    let shared = unsafe { &mut *SHARED.shared.get() };
    current::restore(shared.suspended);
    FORKER.store(0, Ordering::Relaxed);
    SHARED.release();
}

/// The file, its mappings and the streams belong to the parent: forget them all. Stream
/// numbers go on, so that inherited task numbers cannot be mistaken for the child's.
unsafe extern "C" fn in_child() {
    let parent = opened_trace().map(|trace| trace.process_id);
    TRACE.store(ptr::null_mut(), Ordering::Release);
    // SAFETY: the lock was taken before the fork by this very thread.
    let shared = unsafe { &mut *SHARED.shared.get() };
    shared.streams.clear();
    usage::forget();
    shared.forked_from = parent.or(shared.forked_from);
    FORKER.store(0, Ordering::Relaxed);
    SHARED.release();
}
