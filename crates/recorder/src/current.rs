//! The calling thread's streams: one pointer per runtime.
//!
//! A shared library's thread-local variables are reached by a function call unless it claims
//! a place in the threads' static block. The call costs 0.7 of 16 ns per event (medians of 15
//! alternating runs), and the compiler has no stable option for the other way, hence the
//! assembly.
#![expect(unsafe_code, reason = "thread-local storage of the initial-exec model")]
#![expect(
    clippy::inline_always,
    reason = "parts of the hot path, each used in many callbacks: calls would dominate their cost"
)]

use crate::process::MAX_RUNTIMES;
use crate::stream::Stream;

/// The calling thread's stream of runtime `R`; null when it has none.
#[inline(always)]
pub(crate) fn get<const R: usize>() -> *mut Stream {
    // SAFETY: the place is valid for the calling thread, which alone uses it.
    unsafe { slots().add(R).read() }
}

/// Sets the calling thread's stream of runtime `R`.
pub(crate) fn set<const R: usize>(stream: *mut Stream) {
    // SAFETY: as in `get`.
    unsafe { slots().add(R).write(stream) }
}

/// Takes all of the calling thread's streams away.
pub(crate) fn take() -> [*mut Stream; MAX_RUNTIMES] {
    // SAFETY: as in `get`; a null pointer is all zeros.
    unsafe {
        let streams = slots().cast::<[*mut Stream; MAX_RUNTIMES]>().read();
        slots().write_bytes(0, MAX_RUNTIMES);
        streams
    }
}

/// Gives the calling thread back what [`take`] took.
pub(crate) fn restore(streams: [*mut Stream; MAX_RUNTIMES]) {
    // SAFETY: as in `get`.
    unsafe {
        slots().cast::<[*mut Stream; MAX_RUNTIMES]>().write(streams);
    }
}

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .tbss.sheaf_recorder_streams,\"awT\",@nobits",
    ".p2align 3",
    ".hidden sheaf_recorder_streams",
    ".globl sheaf_recorder_streams",
    ".type sheaf_recorder_streams,@object",
    ".size sheaf_recorder_streams, 8 * {count}",
    "sheaf_recorder_streams:",
    ".zero 8 * {count}",
    ".popsection",
    count = const MAX_RUNTIMES,
);

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn slots() -> *mut *mut Stream {
    let slots;
    // SAFETY: the offset of the variable from the thread pointer, as the dynamic linker filled
    // it in, added to the thread pointer, which is the first word of the control block.
    unsafe {
        std::arch::asm!(
            "mov {slots}, qword ptr [rip + sheaf_recorder_streams@GOTTPOFF]",
            "add {slots}, qword ptr fs:[0]",
            slots = out(reg) slots,
            options(pure, readonly, nostack),
        );
    }
    slots
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn slots() -> *mut *mut Stream {
    use std::cell::UnsafeCell;
    use std::ptr;

    thread_local! {
        static STREAMS: UnsafeCell<[*mut Stream; MAX_RUNTIMES]> =
            const { UnsafeCell::new([ptr::null_mut(); MAX_RUNTIMES]) };
    }
    STREAMS.with(|streams| streams.get().cast())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_their_own() {
        let mark = |n: usize| std::ptr::without_provenance_mut::<Stream>(n);
        set::<0>(mark(64));
        set::<1>(mark(128));
        let other = std::thread::spawn(move || (get::<0>().addr(), get::<3>().addr()));
        assert_eq!(other.join().expect("a thread"), (0, 0));
        assert_eq!((get::<0>(), get::<1>()), (mark(64), mark(128)));
        let taken = take();
        assert!(get::<0>().is_null() && get::<1>().is_null());
        restore(taken);
        assert_eq!((get::<0>(), get::<1>()), (mark(64), mark(128)));
        take();
    }
}
