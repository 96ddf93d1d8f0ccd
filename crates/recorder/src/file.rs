//! The trace file: one per process, mapped into memory piece by piece.
//!
//! What is written to a shared mapping belongs to the kernel at once, so nothing is lost
//! when the process is killed, and nothing has to be flushed.
//!
//! A program may close descriptors that it did not open, as daemons do, and open files of its own that get their
//! numbers. So the descriptor has a high number, and it is used only if it still leads to the trace.
#![expect(unsafe_code, reason = "maps the file and writes to the mapping")]

use std::ffi::{CStr, CString, c_int};
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use crate::format::{
    self, BYTE_ORDER_MARK, CHUNK_HEADER_LEN, FILE_HEADER_LEN, chunk_field, file_field,
};

/// Numbers from which the descriptor's is chosen, counted from the limit of the process, or from 1024 if the limit is
/// higher.
const HIGH_DESCRIPTORS: u64 = 64;

/// An open trace file with its mapped header. Never closed before the process ends.
pub(crate) struct TraceFile {
    path: CString,
    identity: Identity,
    fd: AtomicI32,
    header: *mut u8,
}

/// Device and inode of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity(libc::dev_t, libc::ino_t);

// SAFETY: the header and the descriptor are accessed through atomics only, the rest never changes.
unsafe impl Sync for TraceFile {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for TraceFile {}

/// Content of a file's header at the start.
pub(crate) struct Start {
    pub(crate) clock: u16,
    pub(crate) process_id: u32,
    pub(crate) first_stream: u32,
    pub(crate) pair: (u64, u64),
    pub(crate) wall_ns: u64,
}

/// A mapped chunk, zero except for what is written here.
pub(crate) struct Chunk {
    pub(crate) start: *mut u8,
    pub(crate) size: usize,
    pub(crate) file_offset: u64,
}

/// Content of a chunk's header at the start.
pub(crate) struct ChunkHeader {
    pub(crate) kind: u16,
    pub(crate) runtime: u16,
    pub(crate) stream: u32,
    pub(crate) sequence: u32,
    pub(crate) base: (u64, u64),
    pub(crate) os_thread: u32,
    pub(crate) numbers_given: u64,
}

impl TraceFile {
    /// Creates the file and writes its header; fails with an error number.
    pub(crate) fn create(path: &Path, start: &Start) -> Result<Self, c_int> {
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| libc::EINVAL)?;
        let fd = open_high(&path, libc::O_CREAT | libc::O_EXCL)?;
        let identity = identity(fd).ok_or(libc::EBADF);
        let mapped = identity.and_then(|it| Ok((it, map_range(fd, 0, FILE_HEADER_LEN)?)));
        let (identity, header) = mapped.inspect_err(|_| close(fd))?;
        let file = Self {
            path,
            identity,
            fd: AtomicI32::new(fd),
            header,
        };
        file.write_header(start);
        Ok(file)
    }

    /// A descriptor that leads to the file. If the program closed it, or gave its number to another file, the trace is
    /// opened again by its path; the number then belongs to the program and is left alone.
    ///
    /// Fails with `EBADF` if the file is not at its path any more or cannot be opened.
    fn descriptor(&self) -> Result<c_int, c_int> {
        let known = self.fd.load(Ordering::Acquire);
        if identity(known) == Some(self.identity) {
            return Ok(known);
        }
        let again = open_high(&self.path, 0).map_err(|_| libc::EBADF)?;
        if identity(again) != Some(self.identity) {
            close(again);
            return Err(libc::EBADF);
        }
        let exchanged = self
            .fd
            .compare_exchange(known, again, Ordering::AcqRel, Ordering::Acquire);
        match exchanged {
            Ok(_) => Ok(again),
            Err(other) => {
                // Another thread opened it too.
                close(again);
                Ok(other)
            }
        }
    }

    fn write_header(&self, start: &Start) {
        self.word(file_field::BYTE_ORDER)
            .store(BYTE_ORDER_MARK, Ordering::Relaxed);
        let version = u32::from(format::VERSION) | u32::from(start.clock) << 16;
        self.word(file_field::VERSION)
            .store(version, Ordering::Relaxed);
        self.word(file_field::PID)
            .store(start.process_id, Ordering::Relaxed);
        self.word(file_field::FIRST_STREAM)
            .store(start.first_stream, Ordering::Relaxed);
        self.long(file_field::START_TICKS)
            .store(start.pair.0, Ordering::Relaxed);
        self.long(file_field::START_NS)
            .store(start.pair.1, Ordering::Relaxed);
        self.long(file_field::START_WALL_NS)
            .store(start.wall_ns, Ordering::Relaxed);
        self.long(file_field::ALLOCATED)
            .store(FILE_HEADER_LEN as u64, Ordering::Relaxed);
        // The magic comes last: a file that has it has a header.
        self.long(0)
            .store(u64::from_ne_bytes(format::MAGIC), Ordering::Release);
    }

    /// A 32-bit field of the header.
    pub(crate) fn word(&self, field: usize) -> &AtomicU32 {
        debug_assert!(field + 4 <= FILE_HEADER_LEN && field.is_multiple_of(4));
        // SAFETY: the header stays mapped, fields lie inside it and are aligned; all access
        // is atomic.
        unsafe { AtomicU32::from_ptr(self.header.add(field).cast()) }
    }

    /// A 64-bit field of the header.
    pub(crate) fn long(&self, field: usize) -> &AtomicU64 {
        debug_assert!(field + 8 <= FILE_HEADER_LEN && field.is_multiple_of(8));
        // SAFETY: as in `word`.
        unsafe { AtomicU64::from_ptr(self.header.add(field).cast()) }
    }

    /// Extends the file by a chunk of `size` bytes and maps it. The space is allocated here,
    /// so that no later write can fail for want of it.
    pub(crate) fn add_chunk(&self, size: usize, header: &ChunkHeader) -> Result<Chunk, c_int> {
        let fd = self.descriptor()?;
        let file_offset = self
            .long(file_field::ALLOCATED)
            .fetch_add(size as u64, Ordering::Relaxed);
        let start = map_range(fd, file_offset, size)?;
        let chunk = Chunk {
            start,
            size,
            file_offset,
        };
        chunk.write_header(header);
        Ok(chunk)
    }

    /// Notes that a stream stopped.
    pub(crate) fn note_stop(&self, errno: c_int) {
        let number = errno.cast_unsigned();
        let first = self.word(file_field::STOP_ERRNO);
        let _ = first.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
        self.word(file_field::STREAMS_STOPPED)
            .fetch_add(1, Ordering::Relaxed);
    }

    /// Gives the unused end of a chunk back to the file system; it reads as zero afterwards.
    pub(crate) fn release_tail(&self, chunk_offset: u64, used: usize, size: usize) {
        let used = used.next_multiple_of(format::CHUNK_ALIGN);
        let (Ok(offset), Ok(len)) = (
            i64::try_from(chunk_offset + used as u64),
            i64::try_from(size.saturating_sub(used)),
        ) else {
            return;
        };
        if len > 0
            && let Ok(fd) = self.descriptor()
        {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            // SAFETY: plain system call; a failure leaves the space in use.
            unsafe { libc::fallocate(fd, mode, offset, len) };
        }
    }
}

impl Chunk {
    /// Memory that looks like a chunk but is not part of the file.
    pub(crate) fn scratch(size: usize) -> Self {
        let words = vec![0_u64; size / 8].into_boxed_slice();
        Self {
            start: Box::leak(words).as_mut_ptr().cast(),
            size,
            file_offset: 0,
        }
    }

    fn write_header(&self, header: &ChunkHeader) {
        let kind = u32::from(header.kind) | u32::from(header.runtime) << 16;
        let size = u32::try_from(self.size).unwrap_or(u32::MAX);
        self.word(chunk_field::SIZE).store(size, Ordering::Relaxed);
        self.word(chunk_field::KIND).store(kind, Ordering::Relaxed);
        self.word(chunk_field::STREAM)
            .store(header.stream, Ordering::Relaxed);
        self.word(chunk_field::SEQUENCE)
            .store(header.sequence, Ordering::Relaxed);
        self.long(chunk_field::BASE_TICKS)
            .store(header.base.0, Ordering::Relaxed);
        self.long(chunk_field::BASE_NS)
            .store(header.base.1, Ordering::Relaxed);
        self.word(chunk_field::OS_THREAD)
            .store(header.os_thread, Ordering::Relaxed);
        self.long(chunk_field::NUMBERS_GIVEN)
            .store(header.numbers_given, Ordering::Relaxed);
        // The magic comes last: a chunk that has it has a header.
        self.word(0)
            .store(u32::from_ne_bytes(format::CHUNK_MAGIC), Ordering::Release);
    }

    pub(crate) fn word(&self, field: usize) -> &AtomicU32 {
        debug_assert!(field + 4 <= CHUNK_HEADER_LEN && field.is_multiple_of(4));
        // SAFETY: chunks are page aligned and larger than their header.
        unsafe { AtomicU32::from_ptr(self.start.add(field).cast()) }
    }

    pub(crate) fn long(&self, field: usize) -> &AtomicU64 {
        debug_assert!(field + 8 <= CHUNK_HEADER_LEN && field.is_multiple_of(8));
        // SAFETY: as in `word`.
        unsafe { AtomicU64::from_ptr(self.start.add(field).cast()) }
    }

    /// Writes all of the payload and unmaps the chunk.
    pub(crate) fn fill(self, payload: &[u8]) {
        debug_assert!(payload.len() <= self.size - CHUNK_HEADER_LEN);
        // SAFETY: the chunk was sized for the payload and no other thread has it.
        unsafe {
            ptr::copy_nonoverlapping(
                payload.as_ptr(),
                self.start.add(CHUNK_HEADER_LEN),
                payload.len(),
            );
        }
        let committed = u32::try_from(payload.len()).unwrap_or_default();
        self.word(chunk_field::COMMITTED)
            .store(committed, Ordering::Release);
        self.unmap();
    }

    pub(crate) fn unmap(&self) {
        // SAFETY: the caller gives up the chunk.
        unsafe { libc::munmap(self.start.cast(), self.size) };
    }
}

/// Opens a file for reading and writing, on a descriptor with a high number that other programs do not inherit.
fn open_high(path: &CStr, flags: c_int) -> Result<c_int, c_int> {
    let flags = flags | libc::O_RDWR | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    // SAFETY: `path` is a C string.
    let fd = unsafe { libc::open(path.as_ptr(), flags, 0o644) };
    if fd < 0 {
        return Err(errno());
    }
    // SAFETY: `limit` passes a valid place for the result.
    let descriptors = limit(|place| unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, place) });
    let lowest = descriptors.min(1024).saturating_sub(HIGH_DESCRIPTORS);
    let lowest = c_int::try_from(lowest).unwrap_or_default();
    // SAFETY: plain system call on a descriptor of our own. The standard streams keep the numbers below 3.
    let high = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, lowest.max(3)) };
    if high < 0 {
        return Ok(fd);
    }
    close(fd);
    Ok(high)
}

/// The file of a descriptor; `None` if it is closed.
fn identity(fd: c_int) -> Option<Identity> {
    // SAFETY: all zero is a valid value, and the call fills it or fails.
    let (result, found) = unsafe {
        let mut found: libc::stat = mem::zeroed();
        (libc::fstat(fd, &raw mut found), found)
    };
    (result == 0).then_some(Identity(found.st_dev, found.st_ino))
}

fn close(fd: c_int) {
    // SAFETY: the caller opened the descriptor and gives it up.
    unsafe { libc::close(fd) };
}

/// Allocates a range of the file and maps it, with its pages in place and writable.
fn map_range(fd: c_int, offset: u64, len: usize) -> Result<*mut u8, c_int> {
    let place = libc::off_t::try_from(offset).map_err(|_| libc::EFBIG)?;
    let bytes = libc::off_t::try_from(len).map_err(|_| libc::EFBIG)?;
    // SAFETY: `limit` passes a valid place for the result.
    let longest = limit(|place| unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, place) });
    if offset + len as u64 > longest {
        // The system call would answer with a signal that ends the program.
        return Err(libc::EFBIG);
    }
    // SAFETY: plain system calls on our own descriptor; a new mapping aliases nothing.
    unsafe {
        let result = libc::posix_fallocate(fd, place, bytes);
        if result != 0 {
            return Err(result);
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let start = libc::mmap(ptr::null_mut(), len, access, libc::MAP_SHARED, fd, place);
        if start == libc::MAP_FAILED {
            return Err(errno());
        }
        // Older kernels refuse; pages then come one by one.
        libc::madvise(start, len, libc::MADV_POPULATE_WRITE);
        Ok(start.cast())
    }
}

/// A limit of the process: the length of a file, or the number of descriptors.
fn limit(get: impl FnOnce(*mut libc::rlimit) -> c_int) -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: 0,
    };
    // A failure leaves the value as it is.
    let _ = get(&raw mut limit);
    limit.rlim_cur
}

/// The error number of the last failed call.
pub(crate) fn errno() -> c_int {
    std::io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}
