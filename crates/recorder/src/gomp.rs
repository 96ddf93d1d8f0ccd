//! The places in the program that create tasks and begin sections, for programs that GCC compiled.
//!
//! LLVM's runtime reports the return address of the outermost of its entry points that a thread is in. A task that runs
//! inside of a barrier and creates another task gets the address of the barrier. Sections get no address. The wrappers
//! note their own return address and jump to the runtime's function with registers and stack unchanged. They are
//! reached only if this library is loaded before the runtime (`LD_PRELOAD`).
#![expect(unsafe_code, reason = "exports and calls C functions")]
#![expect(
    clippy::inline_always,
    reason = "part of the hot path: a call would dominate its cost"
)]

#[cfg(target_arch = "x86_64")]
pub(crate) use wrapper::{find_next, take_site};

/// The address after the wrapped call that is under way in this thread; absent outside of such calls.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn take_site() -> Option<u64> {
    None
}

#[cfg(target_arch = "x86_64")]
mod wrapper {
    use std::arch::{asm, global_asm, naked_asm};
    use std::ffi::{CStr, c_void};
    use std::sync::atomic::{AtomicPtr, Ordering};

    global_asm!(
        ".pushsection .tbss.sheaf_recorder_site,\"awT\",@nobits",
        ".p2align 3",
        ".hidden sheaf_recorder_site",
        ".globl sheaf_recorder_site",
        ".type sheaf_recorder_site,@object",
        ".size sheaf_recorder_site, 8",
        "sheaf_recorder_site:",
        ".zero 8",
        ".popsection",
    );

    /// A function of GCC's runtime interface that notes its return address and goes on as the runtime's.
    macro_rules! wrapper {
        ($function:ident, $find:ident, $name:literal) => {
            #[doc = concat!("`", stringify!($function), "` of GCC's runtime interface.")]
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
                    "mov r11, qword ptr [rip + {next}]",
                    "test r11, r11",
                    "jz 2f",
                    "jmp r11",
                    // The first call: its arguments are kept while the function is looked up. The stack is aligned
                    // for a call.
                    "2:",
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "push rcx",
                    "push r8",
                    "push r9",
                    "sub rsp, 8",
                    "call {find}",
                    "add rsp, 8",
                    "pop r9",
                    "pop r8",
                    "pop rcx",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    "jmp rax",
                    next = sym $find::NEXT,
                    find = sym $find::find,
                )
            }

            mod $find {
                use std::ffi::c_void;
                use std::sync::atomic::AtomicPtr;

                /// The runtime's function; null before its first call.
                pub(super) static NEXT: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

                pub(super) extern "C" fn find() -> *mut c_void {
                    super::find_next($name, &NEXT)
                }
            }
        };
    }

    wrapper!(GOMP_task, task, c"GOMP_task");
    wrapper!(GOMP_sections_start, sections, c"GOMP_sections_start");
    wrapper!(GOMP_sections2_start, sections2, c"GOMP_sections2_start");

    /// Finds the runtime's function; ends the program if there is none, as calling it would have.
    pub(crate) fn find_next(name: &CStr, next: &AtomicPtr<c_void>) -> *mut c_void {
        // SAFETY: the names are C strings. A runtime that was loaded for one library only is found by its name.
        let found = unsafe {
            let found = libc::dlsym(libc::RTLD_NEXT, name.as_ptr());
            if found.is_null() {
                find_in_runtime(name)
            } else {
                found
            }
        };
        if found.is_null() {
            // SAFETY: has no preconditions.
            unsafe { libc::abort() };
        }
        next.store(found, Ordering::Relaxed);
        found
    }

    /// Null if no runtime is loaded, or none has the function.
    ///
    /// # Safety
    /// None; the functions of the dynamic linker are unsafe by declaration.
    unsafe fn find_in_runtime(name: &CStr) -> *mut c_void {
        let names = [
            c"libgomp.so.1",
            c"libomp.so.5",
            c"libomp.so",
            c"libiomp5.so",
        ];
        for runtime in names {
            // SAFETY: the names are C strings.
            let found = unsafe {
                let loaded = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
                let runtime = libc::dlopen(runtime.as_ptr(), loaded);
                if runtime.is_null() {
                    continue;
                }
                libc::dlsym(runtime, name.as_ptr())
            };
            if !found.is_null() {
                return found;
            }
        }
        std::ptr::null_mut()
    }

    /// The address after the wrapped call that is under way in this thread, once per call; absent outside of
    /// such calls.
    #[inline(always)]
    pub(crate) fn take_site() -> Option<u64> {
        let site: u64;
        // SAFETY: reads and writes the thread's own variable; its offset from the thread pointer is filled in by the
        // dynamic linker.
        unsafe {
            asm!(
                "mov {place}, qword ptr [rip + sheaf_recorder_site@GOTTPOFF]",
                "mov {site}, qword ptr fs:[{place}]",
                "mov qword ptr fs:[{place}], 0",
                place = out(reg) _,
                site = out(reg) site,
                options(nostack, preserves_flags),
            );
        }
        (site != 0).then_some(site)
    }

    #[cfg(test)]
    mod tests {
        use super::take_site;

        #[test]
        fn threads_outside_of_calls_have_no_site() {
            assert_eq!(take_site(), None);
        }
    }
}
