//! MPI calls, seen by standing before the library's entry points (its profiling interface, MPI 4.1, chapter 15).
//!
//! Each wrapper records the call and passes its arguments on unchanged: as many machine words as the function
//! has parameters, which is how both ABIs in use, with handles of pointers and of integers, pass them. The
//! wrappers are reached only where this library is loaded before the MPI library (`LD_PRELOAD`).
//!
//! Fortran has names of its own: `mpi_send_` for `mpif.h` and `use mpi`, `mpi_send_f08_` for `use mpi_f08`,
//! with the error as one more argument by reference. Some bindings call the C function, others go past it, so
//! both are wrapped, and a call within a call is not noted again.
#![expect(unsafe_code, reason = "exports and calls C functions")]

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::format::tag;
use crate::stream::{self, record};

/// The wrapped function, looked up at the first call.
struct Entry {
    name: &'static CStr,
    /// The scope of the search. A name of the profiling interface is searched in all libraries. A name that this
    /// library exports itself is searched in the libraries after it.
    scope: *mut c_void,
    address: AtomicPtr<c_void>,
}

// SAFETY: the scope is one of two constants, which any thread may pass on.
unsafe impl Sync for Entry {}

impl Entry {
    const fn of_profiling(name: &'static [u8]) -> Self {
        Self::new(name, libc::RTLD_DEFAULT)
    }

    /// MPICH has no `pmpi_` names of its `_f08_` functions.
    const fn of_fortran(name: &'static [u8]) -> Self {
        Self::new(name, libc::RTLD_NEXT)
    }

    const fn new(name: &'static [u8], scope: *mut c_void) -> Self {
        let name = match CStr::from_bytes_with_nul(name) {
            Ok(name) => name,
            // Nothing has this name: all names are literals that end in nul.
            Err(_) => c"",
        };
        Self {
            name,
            scope,
            address: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// The address; ends the program where there is none, as calling it would have.
    fn address(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name is a C string.
        let found = unsafe { libc::dlsym(self.scope, self.name.as_ptr()) };
        if found.is_null() {
            // SAFETY: has no preconditions.
            unsafe { libc::abort() };
        }
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

thread_local! {
    /// Whether the thread is in a call that is noted.
    static IS_CALLING: Cell<bool> = const { Cell::new(false) };
}

/// Notes the begin of a call, if a runtime is recorded and the thread is in no other call; whether it did.
fn begin(call: u16) -> bool {
    if !stream::is_open::<0>() || IS_CALLING.replace(true) {
        return false;
    }
    record::<0>(|stream| {
        stream.processor();
        stream.begin(tag::MPI_BEGIN);
        stream.number(call.into());
        stream.counters();
    });
    true
}

fn end(is_begun: bool) {
    if !is_begun {
        return;
    }
    IS_CALLING.set(false);
    if stream::is_open::<0>() {
        record::<0>(|stream| {
            stream.begin(tag::MPI_END);
            stream.counters();
        });
    }
}

/// Notes what the call that was begun hands over: the count of elements times the size of their type.
fn note_bytes(count: c_int, size: c_int) {
    let (Ok(count), Ok(size)) = (u64::try_from(count), u64::try_from(size)) else {
        return;
    };
    record::<0>(|stream| {
        stream.begin(tag::MPI_BYTES);
        stream.number(count.saturating_mul(size));
    });
}

/// Count, type and, of messages to one rank, its number, as C passes them: counts and numbers are the lower half of
/// the word. To no rank, whose number is negative, nothing goes.
///
/// # Safety
/// The type must be one of MPI.
unsafe fn note_bytes_of_c(message: &[usize]) {
    static ENTRY: Entry = Entry::of_profiling(b"PMPI_Type_size\0");
    let &[count, datatype, ref peer @ ..] = message else {
        return;
    };
    if peer.iter().any(|&peer| lower_half(peer) < 0) {
        return;
    }
    let mut size = 0;
    // SAFETY: the function has these parameters; the type is the caller's promise.
    let result = unsafe {
        let function: unsafe extern "C" fn(usize, *mut c_int) -> c_int =
            std::mem::transmute(ENTRY.address());
        function(datatype, &raw mut size)
    };
    if result == 0 {
        note_bytes(lower_half(count), size);
    }
}

/// The same as Fortran passes them: by reference.
///
/// # Safety
/// The type must be one of MPI, and all must point to integers of Fortran.
unsafe fn note_bytes_of_fortran(message: &[usize]) {
    static ENTRY: Entry = Entry::of_profiling(b"pmpi_type_size_\0");
    let &[count, datatype, ref peer @ ..] = message else {
        return;
    };
    // SAFETY: the caller's promise.
    let integer = |at: usize| unsafe { std::ptr::with_exposed_provenance::<c_int>(at).read() };
    if peer.iter().any(|&peer| integer(peer) < 0) {
        return;
    }
    let (mut size, mut error) = (0, 0);
    // SAFETY: the subroutine has these parameters; the pointer is the caller's promise.
    unsafe {
        let function: unsafe extern "C" fn(usize, *mut c_int, *mut c_int) =
            std::mem::transmute(ENTRY.address());
        function(datatype, &raw mut size, &raw mut error);
    };
    if error == 0 {
        note_bytes(integer(count), size);
    }
}

/// An argument of type `int` in a word, whose upper half is undefined.
fn lower_half(word: usize) -> c_int {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "that is meant"
    )]
    {
        word as c_int
    }
}

/// Starts the OpenMP runtime, which would start at its first construct only: the program's calls between the
/// start of MPI and that would not be recorded.
fn start_openmp() {
    // SAFETY: the name is a C string; the function, where there is one, has this type.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"omp_get_max_threads".as_ptr());
        if !found.is_null() {
            let start: extern "C" fn() -> c_int = std::mem::transmute(found);
            start();
        }
    }
}

/// A wrapper that notes a call.
macro_rules! wrapper {
    ($number:ident, $name:ident, $entry:expr, ($($argument:ident),*), $note:ident ($($handed:ident),*)) => {
        #[doc = concat!("`", stringify!($name), "` of MPI.")]
        ///
        /// # Safety
        /// As that function demands.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: usize),*) -> c_int {
            static ENTRY: Entry = $entry;
            type Function = unsafe extern "C" fn($(word!($argument)),*) -> c_int;
            // SAFETY: the entry point has as many parameters.
            let function: Function = unsafe { std::mem::transmute(ENTRY.address()) };
            let is_begun = begin(Number::$number as u16);
            note_handed!(is_begun, $note, ($($handed),*));
            // SAFETY: the caller's promise.
            let result = unsafe { function($($argument),*) };
            end(is_begun);
            result
        }
    };
}
macro_rules! note_handed {
    ($is_begun:ident, $note:ident, ()) => {};
    ($is_begun:ident, $note:ident, ($($handed:ident),+)) => {
        if $is_begun {
            // SAFETY: these are the count, the type and the receiver of the function's message.
            unsafe { $note(&[$($handed),+]) };
        }
    };
}
macro_rules! word {
    ($argument:ident) => {
        usize
    };
}

/// Wrappers of a function's names for C, `use mpi` and `use mpi_f08`, in the order of their numbers in traces.
/// Behind `hands over` stand the parameters that are the count and the type of the message, and the rank it goes to,
/// of functions where they mean something on every rank.
/// What Fortran's subroutines leave in the register of a result is passed on and means nothing.
macro_rules! wrappers {
    ($($name:ident $fortran:ident $f08:ident ($($argument:ident),*) $(hands over $($handed:ident)+)?;)*) => {
        /// Names of the calls, by number.
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];

        #[expect(non_camel_case_types, reason = "named as the functions are")]
        #[repr(u16)]
        enum Number { $($name),* }

        $(
            wrapper!($name, $name, Entry::of_profiling(c_name!("P", $name)), ($($argument),*),
                note_bytes_of_c ($($($handed),+)?));
            wrapper!($name, $fortran, Entry::of_fortran(c_name!("", $fortran)), ($($argument,)* error),
                note_bytes_of_fortran ($($($handed),+)?));
            wrapper!($name, $f08, Entry::of_fortran(c_name!("", $f08)), ($($argument,)* error),
                note_bytes_of_fortran ($($($handed),+)?));
        )*
    };
}
macro_rules! c_name {
    ($prefix:literal, $name:ident) => {
        concat!($prefix, stringify!($name), "\0").as_bytes()
    };
}

/// Wrappers of what starts MPI.
macro_rules! starters {
    ($($name:ident, $entry:expr, ($($argument:ident),*);)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "` of MPI.")]
            ///
            /// # Safety
            /// As that function demands.
            #[unsafe(no_mangle)]
            pub(crate) unsafe extern "C" fn $name($($argument: usize),*) -> c_int {
                static ENTRY: Entry = $entry;
                type Function = unsafe extern "C" fn($(word!($argument)),*) -> c_int;
                // SAFETY: the entry point has these parameters, and the caller keeps to them.
                let result = unsafe {
                    let function: Function = std::mem::transmute(ENTRY.address());
                    function($($argument),*)
                };
                start_openmp();
                result
            }
        )*
    };
}

starters! {
    MPI_Init, Entry::of_profiling(b"PMPI_Init\0"), (a, b);
    mpi_init_, Entry::of_fortran(b"mpi_init_\0"), (error);
    mpi_init_f08_, Entry::of_fortran(b"mpi_init_f08_\0"), (error);
    MPI_Init_thread, Entry::of_profiling(b"PMPI_Init_thread\0"), (a, b, c, d);
    mpi_init_thread_, Entry::of_fortran(b"mpi_init_thread_\0"), (a, b, error);
    mpi_init_thread_f08_, Entry::of_fortran(b"mpi_init_thread_f08_\0"), (a, b, error);
}

wrappers! {
    MPI_Send mpi_send_ mpi_send_f08_ (a, b, c, d, e, f) hands over b c d;
    MPI_Bsend mpi_bsend_ mpi_bsend_f08_ (a, b, c, d, e, f) hands over b c d;
    MPI_Ssend mpi_ssend_ mpi_ssend_f08_ (a, b, c, d, e, f) hands over b c d;
    MPI_Rsend mpi_rsend_ mpi_rsend_f08_ (a, b, c, d, e, f) hands over b c d;
    MPI_Recv mpi_recv_ mpi_recv_f08_ (a, b, c, d, e, f, g);
    MPI_Sendrecv mpi_sendrecv_ mpi_sendrecv_f08_ (a, b, c, d, e, f, g, h, i, j, k, l) hands over b c d;
    MPI_Sendrecv_replace mpi_sendrecv_replace_ mpi_sendrecv_replace_f08_ (a, b, c, d, e, f, g, h, i) hands over b c d;
    MPI_Isend mpi_isend_ mpi_isend_f08_ (a, b, c, d, e, f, g) hands over b c d;
    MPI_Ibsend mpi_ibsend_ mpi_ibsend_f08_ (a, b, c, d, e, f, g) hands over b c d;
    MPI_Issend mpi_issend_ mpi_issend_f08_ (a, b, c, d, e, f, g) hands over b c d;
    MPI_Irsend mpi_irsend_ mpi_irsend_f08_ (a, b, c, d, e, f, g) hands over b c d;
    MPI_Irecv mpi_irecv_ mpi_irecv_f08_ (a, b, c, d, e, f, g);
    MPI_Probe mpi_probe_ mpi_probe_f08_ (a, b, c, d);
    MPI_Iprobe mpi_iprobe_ mpi_iprobe_f08_ (a, b, c, d, e);
    MPI_Mprobe mpi_mprobe_ mpi_mprobe_f08_ (a, b, c, d, e);
    MPI_Mrecv mpi_mrecv_ mpi_mrecv_f08_ (a, b, c, d, e);
    MPI_Wait mpi_wait_ mpi_wait_f08_ (a, b);
    MPI_Waitall mpi_waitall_ mpi_waitall_f08_ (a, b, c);
    MPI_Waitany mpi_waitany_ mpi_waitany_f08_ (a, b, c, d);
    MPI_Waitsome mpi_waitsome_ mpi_waitsome_f08_ (a, b, c, d, e);
    MPI_Test mpi_test_ mpi_test_f08_ (a, b, c);
    MPI_Testall mpi_testall_ mpi_testall_f08_ (a, b, c, d);
    MPI_Testany mpi_testany_ mpi_testany_f08_ (a, b, c, d, e);
    MPI_Testsome mpi_testsome_ mpi_testsome_f08_ (a, b, c, d, e);
    MPI_Start mpi_start_ mpi_start_f08_ (a);
    MPI_Startall mpi_startall_ mpi_startall_f08_ (a, b);
    MPI_Barrier mpi_barrier_ mpi_barrier_f08_ (a);
    MPI_Bcast mpi_bcast_ mpi_bcast_f08_ (a, b, c, d, e) hands over b c;
    MPI_Gather mpi_gather_ mpi_gather_f08_ (a, b, c, d, e, f, g, h);
    MPI_Gatherv mpi_gatherv_ mpi_gatherv_f08_ (a, b, c, d, e, f, g, h, i);
    MPI_Scatter mpi_scatter_ mpi_scatter_f08_ (a, b, c, d, e, f, g, h);
    MPI_Scatterv mpi_scatterv_ mpi_scatterv_f08_ (a, b, c, d, e, f, g, h, i);
    MPI_Allgather mpi_allgather_ mpi_allgather_f08_ (a, b, c, d, e, f, g);
    MPI_Allgatherv mpi_allgatherv_ mpi_allgatherv_f08_ (a, b, c, d, e, f, g, h);
    MPI_Alltoall mpi_alltoall_ mpi_alltoall_f08_ (a, b, c, d, e, f, g);
    MPI_Alltoallv mpi_alltoallv_ mpi_alltoallv_f08_ (a, b, c, d, e, f, g, h, i);
    MPI_Alltoallw mpi_alltoallw_ mpi_alltoallw_f08_ (a, b, c, d, e, f, g, h, i);
    MPI_Reduce mpi_reduce_ mpi_reduce_f08_ (a, b, c, d, e, f, g) hands over c d;
    MPI_Allreduce mpi_allreduce_ mpi_allreduce_f08_ (a, b, c, d, e, f) hands over c d;
    MPI_Reduce_scatter mpi_reduce_scatter_ mpi_reduce_scatter_f08_ (a, b, c, d, e, f);
    MPI_Reduce_scatter_block mpi_reduce_scatter_block_ mpi_reduce_scatter_block_f08_ (a, b, c, d, e, f) hands over c d;
    MPI_Scan mpi_scan_ mpi_scan_f08_ (a, b, c, d, e, f) hands over c d;
    MPI_Exscan mpi_exscan_ mpi_exscan_f08_ (a, b, c, d, e, f) hands over c d;
    MPI_Ibarrier mpi_ibarrier_ mpi_ibarrier_f08_ (a, b);
    MPI_Ibcast mpi_ibcast_ mpi_ibcast_f08_ (a, b, c, d, e, f) hands over b c;
    MPI_Ireduce mpi_ireduce_ mpi_ireduce_f08_ (a, b, c, d, e, f, g, h) hands over c d;
    MPI_Iallreduce mpi_iallreduce_ mpi_iallreduce_f08_ (a, b, c, d, e, f, g) hands over c d;
    MPI_Ialltoall mpi_ialltoall_ mpi_ialltoall_f08_ (a, b, c, d, e, f, g, h);
    MPI_Iallgather mpi_iallgather_ mpi_iallgather_f08_ (a, b, c, d, e, f, g, h);
    MPI_Neighbor_allgather mpi_neighbor_allgather_ mpi_neighbor_allgather_f08_ (a, b, c, d, e, f, g);
    MPI_Neighbor_alltoall mpi_neighbor_alltoall_ mpi_neighbor_alltoall_f08_ (a, b, c, d, e, f, g);
    MPI_Neighbor_alltoallv mpi_neighbor_alltoallv_ mpi_neighbor_alltoallv_f08_ (a, b, c, d, e, f, g, h, i);
    MPI_Put mpi_put_ mpi_put_f08_ (a, b, c, d, e, f, g, h) hands over b c d;
    MPI_Get mpi_get_ mpi_get_f08_ (a, b, c, d, e, f, g, h);
    MPI_Accumulate mpi_accumulate_ mpi_accumulate_f08_ (a, b, c, d, e, f, g, h, i) hands over b c d;
    MPI_Win_fence mpi_win_fence_ mpi_win_fence_f08_ (a, b);
    MPI_Win_lock mpi_win_lock_ mpi_win_lock_f08_ (a, b, c, d);
    MPI_Win_unlock mpi_win_unlock_ mpi_win_unlock_f08_ (a, b);
    MPI_Win_start mpi_win_start_ mpi_win_start_f08_ (a, b, c);
    MPI_Win_complete mpi_win_complete_ mpi_win_complete_f08_ (a);
    MPI_Win_post mpi_win_post_ mpi_win_post_f08_ (a, b, c);
    MPI_Win_wait mpi_win_wait_ mpi_win_wait_f08_ (a);
    MPI_Win_flush mpi_win_flush_ mpi_win_flush_f08_ (a, b);
    MPI_Comm_dup mpi_comm_dup_ mpi_comm_dup_f08_ (a, b);
    MPI_Comm_split mpi_comm_split_ mpi_comm_split_f08_ (a, b, c, d);
    MPI_Comm_create mpi_comm_create_ mpi_comm_create_f08_ (a, b, c);
    MPI_Comm_free mpi_comm_free_ mpi_comm_free_f08_ (a);
    MPI_Cart_create mpi_cart_create_ mpi_cart_create_f08_ (a, b, c, d, e, f);
    MPI_File_read_all mpi_file_read_all_ mpi_file_read_all_f08_ (a, b, c, d, e);
    MPI_File_write_all mpi_file_write_all_ mpi_file_write_all_f08_ (a, b, c, d, e);
    MPI_File_read_at_all mpi_file_read_at_all_ mpi_file_read_at_all_f08_ (a, b, c, d, e, f);
    MPI_File_write_at_all mpi_file_write_at_all_ mpi_file_write_at_all_f08_ (a, b, c, d, e, f);
    MPI_Finalize mpi_finalize_ mpi_finalize_f08_ ();
}
