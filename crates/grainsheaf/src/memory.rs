//! Large columns in huge pages, and memory that threads share.
//!
//! The kernel makes a page when a program first touches it. Ten million grains are millions of pages of 4 KiB, and making
//! them takes up to a third of the processor time of a question (BENCHMARKS.md, "One run in depth"). Most systems make
//! huge pages only for memory that asks for them.

use std::alloc::{GlobalAlloc, Layout, System};

/// Bytes of a huge page on x86-64, and on 64-bit Arm with pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;

/// Smallest allocation that asks for huge pages: it is sure to hold one.
const LARGE: usize = 2 * HUGE_PAGE;

/// The system's allocator. It asks for huge pages for large allocations.
pub(crate) struct HugePages;

// SAFETY: every request goes to the system's allocator as it is, and every answer comes back from it.
#[expect(unsafe_code, reason = "an allocator cannot be had without")]
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `alloc`.
        advise(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `alloc_zeroed`.
        advise(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `realloc`.
        advise(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from the system's allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Asks for huge pages in the memory, whose address it returns.
#[inline]
fn advise(memory: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !memory.is_null() {
        ask(memory, size);
    }
    memory
}

/// Number of arenas of the C library's allocator while runs are imported.
#[cfg(target_env = "gnu")]
const ARENAS: libc::c_int = 2;

/// Makes threads share arenas. Threads of an import take over lists from each other, and what one gives back to its own
/// arena no other can use: a tenth of the memory of a large import.
pub(crate) fn share_arenas() {
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "the C library's call")]
    // SAFETY: the call has no preconditions. If the library refuses it, nothing changes.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, ARENAS);
    }
}

/// Asks for the whole mapping, not only for the huge pages in it: advice for a part would divide the mapping, and the
/// kernel does not enlarge memory of several mappings in place. A vector that grows would then be copied each time.
#[cold]
#[expect(unsafe_code, reason = "the C library's calls")]
fn ask(memory: *mut u8, size: usize) {
    // SAFETY: the call has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let Ok(page) = usize::try_from(page) else {
        return;
    };
    let begin = memory.addr() / page * page;
    let end = (memory.addr() + size).next_multiple_of(page);
    // SAFETY: the advice does not change what memory holds, neither that of the allocation nor what else is on its
    // first and last page. A kernel without huge pages refuses it, which changes nothing.
    unsafe {
        libc::madvise(
            memory.with_addr(begin).cast(),
            end - begin,
            libc::MADV_HUGEPAGE,
        );
    }
}
