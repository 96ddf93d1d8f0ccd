//! MPI calls, seen by standing before the library's entry points (its profiling interface, MPI 4.1, chapter 15).
//!
//! Each wrapper notes the call and passes its arguments on as they are: as many machine words as the function
//! has parameters, which is how both ABIs in use, with handles of pointers and of integers, pass them. The
//! wrappers are reached only where this library is loaded before the MPI library (`LD_PRELOAD`). Calls from
//! Fortran go through bindings that call the `PMPI_` entry points and are not seen.
#![expect(unsafe_code, reason = "exports and calls C functions")]

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::format::tag;
use crate::stream::{self, record};

/// An entry point of the profiling interface, looked up at its first call.
struct Entry {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Entry {
    const fn new(name: &'static CStr) -> Self {
        Self {
            name,
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
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, self.name.as_ptr()) };
        if found.is_null() {
            // SAFETY: has no preconditions.
            unsafe { libc::abort() };
        }
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// Notes the begin of a call, if a runtime is recorded; whether it did.
fn begin(call: u16) -> bool {
    if !stream::is_open::<0>() {
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
    if is_begun && stream::is_open::<0>() {
        record::<0>(|stream| {
            stream.begin(tag::MPI_END);
            stream.counters();
        });
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

/// Wrappers of the functions, in the order of their numbers in traces.
macro_rules! wrappers {
    ($($name:ident, $profiled:literal, ($($argument:ident),*);)*) => {
        /// Names of the calls, by number.
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];

        #[expect(non_camel_case_types, reason = "named as the functions are")]
        #[repr(u16)]
        enum Number { $($name),* }

        $(
            #[doc = concat!("`", stringify!($name), "` of MPI.")]
            ///
            /// # Safety
            /// As that function demands.
            #[unsafe(no_mangle)]
            pub(crate) unsafe extern "C" fn $name($($argument: usize),*) -> c_int {
                static ENTRY: Entry = Entry::new($profiled);
                type Function = unsafe extern "C" fn($(word!($argument)),*) -> c_int;
                // SAFETY: the entry point has as many parameters.
                let function: Function = unsafe { std::mem::transmute(ENTRY.address()) };
                let is_begun = begin(Number::$name as u16);
                // SAFETY: the caller's promise.
                let result = unsafe { function($($argument),*) };
                end(is_begun);
                result
            }
        )*
    };
}
macro_rules! word {
    ($argument:ident) => {
        usize
    };
}

/// `MPI_Init` of MPI.
///
/// # Safety
/// As that function demands.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn MPI_Init(a: usize, b: usize) -> c_int {
    static ENTRY: Entry = Entry::new(c"PMPI_Init");
    // SAFETY: the entry point has these parameters, and the caller keeps to them.
    let result = unsafe {
        let function: unsafe extern "C" fn(usize, usize) -> c_int =
            std::mem::transmute(ENTRY.address());
        function(a, b)
    };
    start_openmp();
    result
}

/// `MPI_Init_thread` of MPI.
///
/// # Safety
/// As that function demands.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn MPI_Init_thread(a: usize, b: usize, c: usize, d: usize) -> c_int {
    static ENTRY: Entry = Entry::new(c"PMPI_Init_thread");
    // SAFETY: the entry point has these parameters, and the caller keeps to them.
    let result = unsafe {
        let function: unsafe extern "C" fn(usize, usize, usize, usize) -> c_int =
            std::mem::transmute(ENTRY.address());
        function(a, b, c, d)
    };
    start_openmp();
    result
}

wrappers! {
    MPI_Send, c"PMPI_Send", (a, b, c, d, e, f);
    MPI_Bsend, c"PMPI_Bsend", (a, b, c, d, e, f);
    MPI_Ssend, c"PMPI_Ssend", (a, b, c, d, e, f);
    MPI_Rsend, c"PMPI_Rsend", (a, b, c, d, e, f);
    MPI_Recv, c"PMPI_Recv", (a, b, c, d, e, f, g);
    MPI_Sendrecv, c"PMPI_Sendrecv", (a, b, c, d, e, f, g, h, i, j, k, l);
    MPI_Sendrecv_replace, c"PMPI_Sendrecv_replace", (a, b, c, d, e, f, g, h, i);
    MPI_Isend, c"PMPI_Isend", (a, b, c, d, e, f, g);
    MPI_Ibsend, c"PMPI_Ibsend", (a, b, c, d, e, f, g);
    MPI_Issend, c"PMPI_Issend", (a, b, c, d, e, f, g);
    MPI_Irsend, c"PMPI_Irsend", (a, b, c, d, e, f, g);
    MPI_Irecv, c"PMPI_Irecv", (a, b, c, d, e, f, g);
    MPI_Probe, c"PMPI_Probe", (a, b, c, d);
    MPI_Iprobe, c"PMPI_Iprobe", (a, b, c, d, e);
    MPI_Mprobe, c"PMPI_Mprobe", (a, b, c, d, e);
    MPI_Mrecv, c"PMPI_Mrecv", (a, b, c, d, e);
    MPI_Wait, c"PMPI_Wait", (a, b);
    MPI_Waitall, c"PMPI_Waitall", (a, b, c);
    MPI_Waitany, c"PMPI_Waitany", (a, b, c, d);
    MPI_Waitsome, c"PMPI_Waitsome", (a, b, c, d, e);
    MPI_Test, c"PMPI_Test", (a, b, c);
    MPI_Testall, c"PMPI_Testall", (a, b, c, d);
    MPI_Testany, c"PMPI_Testany", (a, b, c, d, e);
    MPI_Testsome, c"PMPI_Testsome", (a, b, c, d, e);
    MPI_Start, c"PMPI_Start", (a);
    MPI_Startall, c"PMPI_Startall", (a, b);
    MPI_Barrier, c"PMPI_Barrier", (a);
    MPI_Bcast, c"PMPI_Bcast", (a, b, c, d, e);
    MPI_Gather, c"PMPI_Gather", (a, b, c, d, e, f, g, h);
    MPI_Gatherv, c"PMPI_Gatherv", (a, b, c, d, e, f, g, h, i);
    MPI_Scatter, c"PMPI_Scatter", (a, b, c, d, e, f, g, h);
    MPI_Scatterv, c"PMPI_Scatterv", (a, b, c, d, e, f, g, h, i);
    MPI_Allgather, c"PMPI_Allgather", (a, b, c, d, e, f, g);
    MPI_Allgatherv, c"PMPI_Allgatherv", (a, b, c, d, e, f, g, h);
    MPI_Alltoall, c"PMPI_Alltoall", (a, b, c, d, e, f, g);
    MPI_Alltoallv, c"PMPI_Alltoallv", (a, b, c, d, e, f, g, h, i);
    MPI_Alltoallw, c"PMPI_Alltoallw", (a, b, c, d, e, f, g, h, i);
    MPI_Reduce, c"PMPI_Reduce", (a, b, c, d, e, f, g);
    MPI_Allreduce, c"PMPI_Allreduce", (a, b, c, d, e, f);
    MPI_Reduce_scatter, c"PMPI_Reduce_scatter", (a, b, c, d, e, f);
    MPI_Reduce_scatter_block, c"PMPI_Reduce_scatter_block", (a, b, c, d, e, f);
    MPI_Scan, c"PMPI_Scan", (a, b, c, d, e, f);
    MPI_Exscan, c"PMPI_Exscan", (a, b, c, d, e, f);
    MPI_Ibarrier, c"PMPI_Ibarrier", (a, b);
    MPI_Ibcast, c"PMPI_Ibcast", (a, b, c, d, e, f);
    MPI_Ireduce, c"PMPI_Ireduce", (a, b, c, d, e, f, g, h);
    MPI_Iallreduce, c"PMPI_Iallreduce", (a, b, c, d, e, f, g);
    MPI_Ialltoall, c"PMPI_Ialltoall", (a, b, c, d, e, f, g, h);
    MPI_Iallgather, c"PMPI_Iallgather", (a, b, c, d, e, f, g, h);
    MPI_Neighbor_allgather, c"PMPI_Neighbor_allgather", (a, b, c, d, e, f, g);
    MPI_Neighbor_alltoall, c"PMPI_Neighbor_alltoall", (a, b, c, d, e, f, g);
    MPI_Neighbor_alltoallv, c"PMPI_Neighbor_alltoallv", (a, b, c, d, e, f, g, h, i);
    MPI_Put, c"PMPI_Put", (a, b, c, d, e, f, g, h);
    MPI_Get, c"PMPI_Get", (a, b, c, d, e, f, g, h);
    MPI_Accumulate, c"PMPI_Accumulate", (a, b, c, d, e, f, g, h, i);
    MPI_Win_fence, c"PMPI_Win_fence", (a, b);
    MPI_Win_lock, c"PMPI_Win_lock", (a, b, c, d);
    MPI_Win_unlock, c"PMPI_Win_unlock", (a, b);
    MPI_Win_start, c"PMPI_Win_start", (a, b, c);
    MPI_Win_complete, c"PMPI_Win_complete", (a);
    MPI_Win_post, c"PMPI_Win_post", (a, b, c);
    MPI_Win_wait, c"PMPI_Win_wait", (a);
    MPI_Win_flush, c"PMPI_Win_flush", (a, b);
    MPI_Comm_dup, c"PMPI_Comm_dup", (a, b);
    MPI_Comm_split, c"PMPI_Comm_split", (a, b, c, d);
    MPI_Comm_create, c"PMPI_Comm_create", (a, b, c);
    MPI_Comm_free, c"PMPI_Comm_free", (a);
    MPI_Cart_create, c"PMPI_Cart_create", (a, b, c, d, e, f);
    MPI_File_read_all, c"PMPI_File_read_all", (a, b, c, d, e);
    MPI_File_write_all, c"PMPI_File_write_all", (a, b, c, d, e);
    MPI_File_read_at_all, c"PMPI_File_read_at_all", (a, b, c, d, e, f);
    MPI_File_write_at_all, c"PMPI_File_write_at_all", (a, b, c, d, e, f);
    MPI_Finalize, c"PMPI_Finalize", ();
}
