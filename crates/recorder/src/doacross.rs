//! Waits of `ordered depend(sink: …)`, which the tools interface does not report.
//!
//! The wrappers note when the call begins and ends, as waits for a mutex of a kind of our own. They are reached only if
//! this library is loaded before the runtime (`LD_PRELOAD`).
#![cfg(target_arch = "x86_64")]
#![expect(unsafe_code, reason = "exports and calls C functions")]

use std::arch::naked_asm;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::callbacks::{mutex_acquire, mutex_acquired};
use crate::gomp::{find_next, take_site};
use crate::stream;

/// Kind of mutex in traces; the kinds of the tools interface are below it.
const DOACROSS: u32 = 64;

/// Words of the stack that are passed on to `GOMP_doacross_wait`, which has a parameter per loop: those after
/// the six in registers. Words that the caller did not pass are those of its frame.
#[derive(Clone, Copy)]
#[repr(C)]
struct StackWords([usize; 16]);

/// Notes the return address and goes on in `$with_note` with registers and stack unchanged.
macro_rules! wrapper {
    ($function:ident, $with_note:ident) => {
        #[doc = concat!("`", stringify!($function), "` of the runtime.")]
        ///
        /// # Safety
        /// As that function demands.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $function() {
            naked_asm!(
                "mov rax, qword ptr [rip + sheaf_recorder_site@GOTTPOFF]",
                "mov r11, qword ptr [rsp]",
                "mov qword ptr fs:[rax], r11",
                "jmp {with_note}",
                with_note = sym $with_note,
            )
        }
    };
}

wrapper!(__kmpc_doacross_wait, wait_of_clang);
wrapper!(GOMP_doacross_wait, wait_of_gcc);
wrapper!(GOMP_doacross_ull_wait, wait_of_gcc_unsigned);

thread_local! {
    /// Whether the thread is in a wait that is noted: GCC's entry point calls Clang's.
    static IS_WAITING: Cell<bool> = const { Cell::new(false) };
}

fn note_wait(wait: impl FnOnce()) {
    let site = take_site().map_or(std::ptr::null(), |site| site as *const c_void);
    if !stream::is_open::<0>() || IS_WAITING.replace(true) {
        return wait();
    }
    mutex_acquire::<0>(DOACROSS, 0, 0, 0, site);
    wait();
    IS_WAITING.set(false);
    if stream::is_open::<0>() {
        mutex_acquired::<0>(DOACROSS, 0, site);
    }
}

fn next(name: &std::ffi::CStr, known: &AtomicPtr<c_void>) -> *mut c_void {
    let known_address = known.load(Ordering::Relaxed);
    if known_address.is_null() {
        find_next(name, known)
    } else {
        known_address
    }
}

unsafe extern "C" fn wait_of_clang(location: usize, thread: usize, iteration: usize) {
    static NEXT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let next = next(c"__kmpc_doacross_wait", &NEXT);
    // SAFETY: the runtime's function has these parameters, as pointers and an `int`.
    note_wait(|| unsafe {
        let function: unsafe extern "C" fn(usize, usize, usize) = std::mem::transmute(next);
        function(location, thread, iteration);
    });
}

/// A wait of GCC's interface: the iterations waited for, one per loop, in registers and on the stack.
macro_rules! wait_of_gcc {
    ($function:ident, $name:literal) => {
        unsafe extern "C" fn $function(
            a: usize,
            b: usize,
            c: usize,
            d: usize,
            e: usize,
            f: usize,
            rest: StackWords,
        ) {
            static NEXT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
            let next = next($name, &NEXT);
            // SAFETY: the runtime's function takes as many words as the loops have levels, from the same places.
            note_wait(|| unsafe {
                type Function =
                    unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, StackWords);
                let function: Function = std::mem::transmute(next);
                function(a, b, c, d, e, f, rest);
            });
        }
    };
}

wait_of_gcc!(wait_of_gcc, c"GOMP_doacross_wait");
wait_of_gcc!(wait_of_gcc_unsigned, c"GOMP_doacross_ull_wait");
