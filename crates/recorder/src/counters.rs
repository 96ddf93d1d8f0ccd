//! Hardware counters of the calling thread, user space only, where the machine has them.
//!
//! A counter that cannot be opened is absent from the trace, never zero. Reading goes through
//! the `rdpmc` instruction where the kernel allows it, otherwise through the descriptor.
#![expect(unsafe_code, reason = "opens, maps and reads performance events")]

use std::ffi::c_int;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::file::errno;
use crate::metadata::Items;

/// (name in the trace, `PERF_COUNT_HW_*`); the first two are required, and lead the group.
const WANTED: [(&str, u64); 4] = [
    ("cycles", 0),
    ("instructions", 1),
    ("cache_misses", 3),
    ("stalled_cycles_backend", 8),
];
const REQUIRED: usize = 2;

/// `struct perf_event_attr` as it was first.
#[repr(C)]
struct EventAttr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
}

/// `PERF_ATTR_SIZE_VER0`.
const ATTR_SIZE: u32 = 64;
const _: () = assert!(size_of::<EventAttr>() == ATTR_SIZE as usize);
const PERF_TYPE_HARDWARE: u32 = 0;
const FLAG_EXCLUDE_KERNEL: u64 = 1 << 5;
const FLAG_EXCLUDE_HV: u64 = 1 << 6;
const PERF_FLAG_FD_CLOEXEC: c_int = 1 << 3;

/// Offsets in `struct perf_event_mmap_page`.
mod page {
    pub(super) const LOCK: usize = 8;
    pub(super) const INDEX: usize = 12;
    pub(super) const OFFSET: usize = 16;
    pub(super) const CAPABILITIES: usize = 40;
    pub(super) const PMC_WIDTH: usize = 48;
    pub(super) const LEN: usize = 4096;
    pub(super) const CAP_USER_RDPMC: u64 = 1 << 2;
}

/// Which of [`WANTED`] this process records, or why none.
fn chosen() -> &'static Result<Vec<usize>, String> {
    static CHOSEN: OnceLock<Result<Vec<usize>, String>> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        if std::env::var("GRAINSHEAF_COUNTERS").is_ok_and(|value| value == "off") {
            return Err("switched off by GRAINSHEAF_COUNTERS".to_owned());
        }
        probe()
    })
}

/// Opens the wanted counters once as a group, keeps what works.
fn probe() -> Result<Vec<usize>, String> {
    let mut opened: Vec<Counter> = Vec::new();
    let mut chosen = Vec::new();
    for (position, (name, config)) in WANTED.into_iter().enumerate() {
        match Counter::open(config, opened.first()) {
            Ok(counter) => {
                opened.push(counter);
                chosen.push(position);
            }
            Err(errno) if position < REQUIRED => {
                let error = std::io::Error::from_raw_os_error(errno);
                return Err(format!("{name}: {error}"));
            }
            Err(_) => {}
        }
    }
    if opened.iter().all(|counter| counter.read().is_some()) {
        Ok(chosen)
    } else {
        Err("the counters do not count".to_owned())
    }
}

/// Adds the state of the counters to the metadata.
pub(crate) fn describe(items: &mut Items) {
    match chosen() {
        Ok(chosen) => {
            let names: Vec<&str> = chosen.iter().map(|&position| WANTED[position].0).collect();
            items.add("counters", names.join(" ").as_bytes());
        }
        Err(reason) => items.add("no_counters", reason.as_bytes()),
    }
}

/// The counters of one thread.
pub(crate) struct ThreadCounters {
    counters: Vec<Counter>,
    last: [u64; WANTED.len()],
    gains: [u64; WANTED.len()],
}

impl ThreadCounters {
    /// Opens the process's counters for the calling thread; a thread that cannot has none.
    pub(crate) fn open() -> Option<Box<Self>> {
        let chosen = chosen().as_ref().ok()?;
        let mut counters: Vec<Counter> = Vec::new();
        for &position in chosen {
            counters.push(Counter::open(WANTED[position].1, counters.first()).ok()?);
        }
        let gains = [0; WANTED.len()];
        let mut opened = Box::new(Self {
            counters,
            last: gains,
            gains,
        });
        opened.gains();
        Some(opened)
    }

    /// What each counter gained since the previous call. Must run on the opening thread.
    pub(crate) fn gains(&mut self) -> &[u64] {
        for (slot, counter) in self.counters.iter().enumerate() {
            let value = counter.read().unwrap_or(self.last[slot]);
            self.gains[slot] = value.saturating_sub(self.last[slot]);
            self.last[slot] = value;
        }
        &self.gains[..self.counters.len()]
    }
}

/// One open event.
struct Counter {
    fd: c_int,
    /// The kernel's page about it; null when it could not be mapped.
    page: *mut u8,
}

impl Counter {
    fn open(config: u64, leader: Option<&Self>) -> Result<Self, c_int> {
        let attr = EventAttr {
            kind: PERF_TYPE_HARDWARE,
            size: ATTR_SIZE,
            config,
            sample_period: 0,
            sample_type: 0,
            read_format: 0,
            flags: FLAG_EXCLUDE_KERNEL | FLAG_EXCLUDE_HV,
            wakeup_events: 0,
            bp_type: 0,
            bp_addr: 0,
        };
        let group = leader.map_or(-1, |leader| leader.fd);
        // SAFETY: `attr` is a valid description; the calling thread (0) on any processor (-1).
        let fd = unsafe {
            libc::syscall(
                libc::SYS_perf_event_open,
                &raw const attr,
                0,
                -1,
                group,
                PERF_FLAG_FD_CLOEXEC,
            )
        };
        let fd = c_int::try_from(fd).unwrap_or(-1);
        if fd < 0 {
            return Err(errno());
        }
        // SAFETY: a new mapping of our own descriptor.
        let page = unsafe {
            libc::mmap(
                ptr::null_mut(),
                page::LEN,
                libc::PROT_READ,
                libc::MAP_SHARED,
                fd,
                0,
            )
        };
        let page = if page == libc::MAP_FAILED {
            ptr::null_mut()
        } else {
            page.cast()
        };
        Ok(Self { fd, page })
    }

    fn read(&self) -> Option<u64> {
        self.read_in_user_space().or_else(|| self.read_descriptor())
    }

    fn read_descriptor(&self) -> Option<u64> {
        let mut value = 0_u64;
        // SAFETY: reads eight bytes into a word.
        let len = unsafe { libc::read(self.fd, (&raw mut value).cast(), 8) };
        (len == 8).then_some(value)
    }

    /// The protocol of `perf_event_mmap_page`: repeat until the kernel did not interfere.
    #[cfg(target_arch = "x86_64")]
    fn read_in_user_space(&self) -> Option<u64> {
        if self.page.is_null() {
            return None;
        }
        // SAFETY: fields lie inside the mapped page, which only the kernel writes.
        let word = |at: usize| unsafe { AtomicU32::from_ptr(self.page.add(at).cast()) };
        // SAFETY: as above.
        let long = |at: usize| unsafe { AtomicU64::from_ptr(self.page.add(at).cast()) };
        loop {
            let lock = word(page::LOCK).load(Ordering::Acquire);
            let index = word(page::INDEX).load(Ordering::Relaxed);
            let offset = long(page::OFFSET).load(Ordering::Relaxed);
            let capabilities = long(page::CAPABILITIES).load(Ordering::Relaxed);
            let width = word(page::PMC_WIDTH).load(Ordering::Relaxed) & 0xffff;
            if capabilities & page::CAP_USER_RDPMC == 0 || index == 0 || !(1..=64).contains(&width)
            {
                return None;
            }
            // SAFETY: the kernel reports that this counter may be read here.
            let raw = unsafe { read_counter(index - 1) };
            fence(Ordering::Acquire);
            if word(page::LOCK).load(Ordering::Relaxed) == lock {
                let unused = 64 - width;
                let signed = (raw << unused).cast_signed() >> unused;
                return Some(offset.wrapping_add_signed(signed));
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn read_in_user_space(&self) -> Option<u64> {
        None
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        // SAFETY: both were opened here and are used nowhere else.
        unsafe {
            if !self.page.is_null() {
                libc::munmap(self.page.cast(), page::LEN);
            }
            libc::close(self.fd);
        }
    }
}

/// # Safety
///
/// The kernel must have allowed the instruction for this counter.
#[cfg(target_arch = "x86_64")]
unsafe fn read_counter(index: u32) -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: the caller's promise.
    unsafe {
        std::arch::asm!("rdpmc", in("ecx") index, out("eax") low, out("edx") high,
            options(nostack, nomem));
    }
    u64::from(high) << 32 | u64::from(low)
}
