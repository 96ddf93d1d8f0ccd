//! Which processor a thread runs on, for the price of a memory read.
//!
//! The C library (2.35 and later) registers a per-thread area that the kernel keeps up to
//! date at every migration (restartable sequences). Where there is none, the processor is
//! asked for only now and then.
#![expect(unsafe_code, reason = "reads the kernel's per-thread area")]

use std::ffi::c_int;

/// Position of `cpu_id` in `struct rseq`.
const CPU_ID: isize = 4;

/// Where the kernel writes the processor number of the calling thread; null when unknown.
pub(crate) fn location() -> *const u32 {
    // SAFETY: looks up two variables of the C library by name; both are constant after start.
    let (offset, size) = unsafe {
        let offset = libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_offset".as_ptr()).cast::<isize>();
        let size = libc::dlsym(libc::RTLD_DEFAULT, c"__rseq_size".as_ptr()).cast::<u32>();
        if offset.is_null() || size.is_null() {
            return std::ptr::null();
        }
        (*offset, *size)
    };
    if size == 0 {
        return std::ptr::null();
    }
    let base = thread_pointer();
    if base.is_null() {
        base.cast()
    } else {
        base.wrapping_offset(offset + CPU_ID).cast()
    }
}

#[cfg(target_arch = "x86_64")]
fn thread_pointer() -> *const u8 {
    let pointer: *const u8;
    // SAFETY: the first word of the thread control block is its own address (x86-64 ABI).
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, pure, readonly));
    }
    pointer
}

#[cfg(target_arch = "aarch64")]
fn thread_pointer() -> *const u8 {
    let pointer: *const u8;
    // SAFETY: reads a register.
    unsafe {
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, pure, nomem));
    }
    pointer
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn thread_pointer() -> *const u8 {
    std::ptr::null()
}

/// Asks for the processor number.
pub(crate) fn ask() -> u32 {
    // SAFETY: has no preconditions.
    let cpu: c_int = unsafe { libc::sched_getcpu() };
    u32::try_from(cpu).unwrap_or(u32::MAX)
}
