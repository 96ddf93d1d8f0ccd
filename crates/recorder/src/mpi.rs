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

mod arguments;
mod communicators;
mod entry;
mod messages;
mod shape;

use std::cell::Cell;
use std::ffi::c_int;

use self::arguments::{Arguments, Language};
use self::entry::Entry;
use self::shape::{
    Bytes, Completes, PLAIN, RECEIVE, SEND, Shape, WORLD, collective, completes, frees, rooted,
};
use crate::format::tag;
use crate::stream::{self, record};

thread_local! {
    /// Whether the thread is in a call that is noted.
    static IS_CALLING: Cell<bool> = const { Cell::new(false) };
}

/// Notes the begin of a call, if a runtime is recorded and the thread is in no other call; whether it did. Replaces the
/// argument for a status that the program does not want and the recorder does.
///
/// # Safety
/// The arguments must be those of a function of that shape, and MPI running unless the shape is [`PLAIN`].
unsafe fn begin(call: u16, shape: &Shape, words: &mut [usize], language: Language) -> bool {
    if !stream::is_open::<0>() || IS_CALLING.replace(true) {
        return false;
    }
    record::<0>(|stream| {
        stream.processor();
        stream.begin(tag::MPI_BEGIN);
        stream.number(call.into());
        stream.counters();
    });
    // SAFETY: the caller's promise.
    let replaced = unsafe { messages::begin(shape, Arguments { words, language }) };
    if let Some((at, word)) = replaced
        && let Some(argument) = words.get_mut(usize::from(at))
    {
        *argument = word;
    }
    true
}

/// Notes the end of a call whose begin was noted.
///
/// # Safety
/// As for [`begin`], with the arguments that the function got.
unsafe fn end(shape: &Shape, words: &[usize], language: Language) {
    if stream::is_open::<0>() {
        // SAFETY: the caller's promise.
        unsafe { messages::end(shape, Arguments { words, language }) };
        record::<0>(|stream| {
            stream.begin(tag::MPI_END);
            stream.counters();
        });
    }
    IS_CALLING.set(false);
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

/// A wrapper that notes a call, and then runs a function of ours if one is given.
macro_rules! wrapper {
    ($number:ident, $name:ident, $entry:expr, ($($argument:ident),*), $language:ident, $shape:expr $(, $after:path)?) => {
        #[doc = concat!("`", stringify!($name), "` of MPI.")]
        ///
        /// # Safety
        /// As that function demands.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($argument: usize),*) -> c_int {
            static ENTRY: Entry = $entry;
            static SHAPE: Shape = $shape;
            type Function = unsafe extern "C" fn($(word!($argument)),*) -> c_int;
            // SAFETY: the entry point has as many parameters.
            let function: Function = unsafe { std::mem::transmute(ENTRY.address()) };
            let mut words = [$($argument),*];
            // SAFETY: the caller's promise.
            let is_begun =
                unsafe { begin(Number::$number as u16, &SHAPE, &mut words, Language::$language) };
            let [$($argument),*] = words;
            // SAFETY: the caller's promise.
            let result = unsafe { function($($argument),*) };
            if is_begun {
                // SAFETY: the caller's promise.
                unsafe { end(&SHAPE, &words, Language::$language) };
            }
            $($after();)?
            result
        }
    };
}
macro_rules! word {
    ($argument:ident) => {
        usize
    };
}

/// Wrappers of a function's names for C, `use mpi` and `use mpi_f08`, in the order of their numbers in traces.
/// Behind `is` stands what the parameters mean.
/// What Fortran's subroutines leave in the register of a result is passed on and means nothing.
macro_rules! wrappers {
    ($($name:ident $fortran:ident $f08:ident ($($argument:ident),*) is $shape:expr;)*) => {
        /// Names of the calls, by number.
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name),)* "MPI_Init", "MPI_Init_thread"];

        #[expect(non_camel_case_types, reason = "named as the functions are")]
        #[repr(u16)]
        enum Number { $($name,)* MPI_Init, MPI_Init_thread }

        $(
            wrapper!($name, $name, Entry::of_profiling(c_name!("P", $name)), ($($argument),*), C, $shape);
            wrapper!($name, $fortran, Entry::of_fortran(c_name!("", $fortran)), ($($argument,)* error), Fortran,
                $shape);
            wrapper!($name, $f08, Entry::of_fortran(c_name!("", $f08)), ($($argument,)* error), Fortran, $shape);
        )*
    };
}
macro_rules! c_name {
    ($prefix:literal, $name:ident) => {
        concat!($prefix, stringify!($name), "\0").as_bytes()
    };
}

/// Wrappers of what starts MPI. The time in it is waiting for the other ranks too, and is noted if a runtime is recorded
/// already. MPI answers no question before it has started, so nothing but the call is noted. The OpenMP runtime is
/// started afterwards: MPI may set which processors the process uses.
macro_rules! starters {
    ($($number:ident $name:ident, $entry:expr, ($($argument:ident),*), $language:ident;)*) => {
        $(wrapper!($number, $name, $entry, ($($argument),*), $language, PLAIN, start_openmp);)*
    };
}

starters! {
    MPI_Init MPI_Init, Entry::of_profiling(b"PMPI_Init\0"), (a, b), C;
    MPI_Init mpi_init_, Entry::of_fortran(b"mpi_init_\0"), (error), Fortran;
    MPI_Init mpi_init_f08_, Entry::of_fortran(b"mpi_init_f08_\0"), (error), Fortran;
    MPI_Init_thread MPI_Init_thread, Entry::of_profiling(b"PMPI_Init_thread\0"), (a, b, c, d), C;
    MPI_Init_thread mpi_init_thread_, Entry::of_fortran(b"mpi_init_thread_\0"), (a, b, error), Fortran;
    MPI_Init_thread mpi_init_thread_f08_, Entry::of_fortran(b"mpi_init_thread_f08_\0"), (a, b, error), Fortran;
}

wrappers! {
    MPI_Send mpi_send_ mpi_send_f08_ (a, b, c, d, e, f) is SEND;
    MPI_Bsend mpi_bsend_ mpi_bsend_f08_ (a, b, c, d, e, f) is SEND;
    MPI_Ssend mpi_ssend_ mpi_ssend_f08_ (a, b, c, d, e, f) is SEND;
    MPI_Rsend mpi_rsend_ mpi_rsend_f08_ (a, b, c, d, e, f) is SEND;
    MPI_Recv mpi_recv_ mpi_recv_f08_ (a, b, c, d, e, f, g) is RECEIVE.status(6);
    MPI_Sendrecv mpi_sendrecv_ mpi_sendrecv_f08_ (a, b, c, d, e, f, g, h, i, j, k, l) is PLAIN.sends(1, 2, 3, 4, 10).receives(8, 9, 10).status(11);
    MPI_Sendrecv_replace mpi_sendrecv_replace_ mpi_sendrecv_replace_f08_ (a, b, c, d, e, f, g, h, i) is PLAIN.sends(1, 2, 3, 4, 7).receives(5, 6, 7).status(8);
    MPI_Isend mpi_isend_ mpi_isend_f08_ (a, b, c, d, e, f, g) is SEND.request(6);
    MPI_Ibsend mpi_ibsend_ mpi_ibsend_f08_ (a, b, c, d, e, f, g) is SEND.request(6);
    MPI_Issend mpi_issend_ mpi_issend_f08_ (a, b, c, d, e, f, g) is SEND.request(6);
    MPI_Irsend mpi_irsend_ mpi_irsend_f08_ (a, b, c, d, e, f, g) is SEND.request(6);
    MPI_Irecv mpi_irecv_ mpi_irecv_f08_ (a, b, c, d, e, f, g) is RECEIVE.request(6);
    MPI_Probe mpi_probe_ mpi_probe_f08_ (a, b, c, d) is PLAIN.receives(0, 1, 2).status(3);
    MPI_Iprobe mpi_iprobe_ mpi_iprobe_f08_ (a, b, c, d, e) is PLAIN;
    MPI_Mprobe mpi_mprobe_ mpi_mprobe_f08_ (a, b, c, d, e) is PLAIN.receives(0, 1, 2).status(4);
    MPI_Mrecv mpi_mrecv_ mpi_mrecv_f08_ (a, b, c, d, e) is PLAIN;
    MPI_Wait mpi_wait_ mpi_wait_f08_ (a, b) is completes(Completes::One(0, 1));
    MPI_Waitall mpi_waitall_ mpi_waitall_f08_ (a, b, c) is completes(Completes::All(0, 1, 2));
    MPI_Waitany mpi_waitany_ mpi_waitany_f08_ (a, b, c, d) is completes(Completes::Any(0, 1, 2, 3));
    MPI_Waitsome mpi_waitsome_ mpi_waitsome_f08_ (a, b, c, d, e) is completes(Completes::Some(0, 1, 2, 3, 4));
    MPI_Test mpi_test_ mpi_test_f08_ (a, b, c) is completes(Completes::OneIf(0, 1, 2));
    MPI_Testall mpi_testall_ mpi_testall_f08_ (a, b, c, d) is completes(Completes::AllIf(0, 1, 2, 3));
    MPI_Testany mpi_testany_ mpi_testany_f08_ (a, b, c, d, e) is completes(Completes::AnyIf(0, 1, 2, 3, 4));
    MPI_Testsome mpi_testsome_ mpi_testsome_f08_ (a, b, c, d, e) is completes(Completes::Some(0, 1, 2, 3, 4));
    MPI_Start mpi_start_ mpi_start_f08_ (a) is completes(Completes::Started(0));
    MPI_Startall mpi_startall_ mpi_startall_f08_ (a, b) is completes(Completes::AllStarted(0, 1));
    MPI_Barrier mpi_barrier_ mpi_barrier_f08_ (a) is collective(0);
    MPI_Bcast mpi_bcast_ mpi_bcast_f08_ (a, b, c, d, e) is rooted(3, 4).bytes(Bytes::Of(1, 2));
    MPI_Gather mpi_gather_ mpi_gather_f08_ (a, b, c, d, e, f, g, h) is rooted(6, 7).bytes(Bytes::Gather(1, 2));
    MPI_Gatherv mpi_gatherv_ mpi_gatherv_f08_ (a, b, c, d, e, f, g, h, i) is rooted(7, 8).bytes(Bytes::Gather(1, 2));
    MPI_Scatter mpi_scatter_ mpi_scatter_f08_ (a, b, c, d, e, f, g, h) is rooted(6, 7).bytes(Bytes::Scatter(1, 2));
    MPI_Scatterv mpi_scatterv_ mpi_scatterv_f08_ (a, b, c, d, e, f, g, h, i) is rooted(7, 8).bytes(Bytes::Scatters(1, 3));
    MPI_Allgather mpi_allgather_ mpi_allgather_f08_ (a, b, c, d, e, f, g) is collective(6).bytes(Bytes::Allgather([1, 2], [4, 5]));
    MPI_Allgatherv mpi_allgatherv_ mpi_allgatherv_f08_ (a, b, c, d, e, f, g, h) is collective(7).bytes(Bytes::Allgathers([1, 2], [4, 6]));
    MPI_Alltoall mpi_alltoall_ mpi_alltoall_f08_ (a, b, c, d, e, f, g) is collective(6).bytes(Bytes::Alltoall([1, 2], [4, 5]));
    MPI_Alltoallv mpi_alltoallv_ mpi_alltoallv_f08_ (a, b, c, d, e, f, g, h, i) is collective(8).bytes(Bytes::Alltoalls([1, 3], [5, 7]));
    MPI_Alltoallw mpi_alltoallw_ mpi_alltoallw_f08_ (a, b, c, d, e, f, g, h, i) is collective(8).bytes(Bytes::Alltoallw([1, 3], [5, 7]));
    MPI_Reduce mpi_reduce_ mpi_reduce_f08_ (a, b, c, d, e, f, g) is rooted(5, 6).bytes(Bytes::Of(2, 3));
    MPI_Allreduce mpi_allreduce_ mpi_allreduce_f08_ (a, b, c, d, e, f) is collective(5).bytes(Bytes::Of(2, 3));
    MPI_Reduce_scatter mpi_reduce_scatter_ mpi_reduce_scatter_f08_ (a, b, c, d, e, f) is collective(5).bytes(Bytes::Parts(2, 3));
    MPI_Reduce_scatter_block mpi_reduce_scatter_block_ mpi_reduce_scatter_block_f08_ (a, b, c, d, e, f) is collective(5).bytes(Bytes::ForEach(2, 3));
    MPI_Scan mpi_scan_ mpi_scan_f08_ (a, b, c, d, e, f) is collective(5).bytes(Bytes::Of(2, 3));
    MPI_Exscan mpi_exscan_ mpi_exscan_f08_ (a, b, c, d, e, f) is collective(5).bytes(Bytes::Of(2, 3));
    MPI_Ibarrier mpi_ibarrier_ mpi_ibarrier_f08_ (a, b) is collective(0).request(1);
    MPI_Ibcast mpi_ibcast_ mpi_ibcast_f08_ (a, b, c, d, e, f) is rooted(3, 4).bytes(Bytes::Of(1, 2)).request(5);
    MPI_Ireduce mpi_ireduce_ mpi_ireduce_f08_ (a, b, c, d, e, f, g, h) is rooted(5, 6).bytes(Bytes::Of(2, 3)).request(7);
    MPI_Iallreduce mpi_iallreduce_ mpi_iallreduce_f08_ (a, b, c, d, e, f, g) is collective(5).bytes(Bytes::Of(2, 3)).request(6);
    MPI_Ialltoall mpi_ialltoall_ mpi_ialltoall_f08_ (a, b, c, d, e, f, g, h) is collective(6).bytes(Bytes::Alltoall([1, 2], [4, 5])).request(7);
    MPI_Iallgather mpi_iallgather_ mpi_iallgather_f08_ (a, b, c, d, e, f, g, h) is collective(6).bytes(Bytes::Allgather([1, 2], [4, 5])).request(7);
    MPI_Neighbor_allgather mpi_neighbor_allgather_ mpi_neighbor_allgather_f08_ (a, b, c, d, e, f, g) is PLAIN.bytes(Bytes::Of(1, 2));
    MPI_Neighbor_alltoall mpi_neighbor_alltoall_ mpi_neighbor_alltoall_f08_ (a, b, c, d, e, f, g) is PLAIN;
    MPI_Neighbor_alltoallv mpi_neighbor_alltoallv_ mpi_neighbor_alltoallv_f08_ (a, b, c, d, e, f, g, h, i) is PLAIN;
    MPI_Put mpi_put_ mpi_put_f08_ (a, b, c, d, e, f, g, h) is PLAIN.bytes(Bytes::To(1, 2, 3));
    MPI_Get mpi_get_ mpi_get_f08_ (a, b, c, d, e, f, g, h) is PLAIN;
    MPI_Accumulate mpi_accumulate_ mpi_accumulate_f08_ (a, b, c, d, e, f, g, h, i) is PLAIN.bytes(Bytes::To(1, 2, 3));
    MPI_Win_fence mpi_win_fence_ mpi_win_fence_f08_ (a, b) is PLAIN;
    MPI_Win_lock mpi_win_lock_ mpi_win_lock_f08_ (a, b, c, d) is PLAIN;
    MPI_Win_unlock mpi_win_unlock_ mpi_win_unlock_f08_ (a, b) is PLAIN;
    MPI_Win_start mpi_win_start_ mpi_win_start_f08_ (a, b, c) is PLAIN;
    MPI_Win_complete mpi_win_complete_ mpi_win_complete_f08_ (a) is PLAIN;
    MPI_Win_post mpi_win_post_ mpi_win_post_f08_ (a, b, c) is PLAIN;
    MPI_Win_wait mpi_win_wait_ mpi_win_wait_f08_ (a) is PLAIN;
    MPI_Win_flush mpi_win_flush_ mpi_win_flush_f08_ (a, b) is PLAIN;
    MPI_Comm_dup mpi_comm_dup_ mpi_comm_dup_f08_ (a, b) is collective(0).makes(1);
    MPI_Comm_split mpi_comm_split_ mpi_comm_split_f08_ (a, b, c, d) is collective(0).makes(3);
    MPI_Comm_create mpi_comm_create_ mpi_comm_create_f08_ (a, b, c) is collective(0).makes(2);
    MPI_Comm_free mpi_comm_free_ mpi_comm_free_f08_ (a) is frees(0);
    MPI_Cart_create mpi_cart_create_ mpi_cart_create_f08_ (a, b, c, d, e, f) is collective(0).makes(5);
    MPI_File_read_all mpi_file_read_all_ mpi_file_read_all_f08_ (a, b, c, d, e) is PLAIN;
    MPI_File_write_all mpi_file_write_all_ mpi_file_write_all_f08_ (a, b, c, d, e) is PLAIN;
    MPI_File_read_at_all mpi_file_read_at_all_ mpi_file_read_at_all_f08_ (a, b, c, d, e, f) is PLAIN;
    MPI_File_write_at_all mpi_file_write_at_all_ mpi_file_write_at_all_f08_ (a, b, c, d, e, f) is PLAIN;
    MPI_Igather mpi_igather_ mpi_igather_f08_ (a, b, c, d, e, f, g, h, i) is rooted(6, 7).bytes(Bytes::Gather(1, 2)).request(8);
    MPI_Igatherv mpi_igatherv_ mpi_igatherv_f08_ (a, b, c, d, e, f, g, h, i, j) is rooted(7, 8).bytes(Bytes::Gather(1, 2)).request(9);
    MPI_Iscatter mpi_iscatter_ mpi_iscatter_f08_ (a, b, c, d, e, f, g, h, i) is rooted(6, 7).bytes(Bytes::Scatter(1, 2)).request(8);
    MPI_Iscatterv mpi_iscatterv_ mpi_iscatterv_f08_ (a, b, c, d, e, f, g, h, i, j) is rooted(7, 8).bytes(Bytes::Scatters(1, 3)).request(9);
    MPI_Iallgatherv mpi_iallgatherv_ mpi_iallgatherv_f08_ (a, b, c, d, e, f, g, h, i) is collective(7).bytes(Bytes::Allgathers([1, 2], [4, 6])).request(8);
    MPI_Ialltoallv mpi_ialltoallv_ mpi_ialltoallv_f08_ (a, b, c, d, e, f, g, h, i, j) is collective(8).bytes(Bytes::Alltoalls([1, 3], [5, 7])).request(9);
    MPI_Ireduce_scatter mpi_ireduce_scatter_ mpi_ireduce_scatter_f08_ (a, b, c, d, e, f, g) is collective(5).bytes(Bytes::Parts(2, 3)).request(6);
    MPI_Ireduce_scatter_block mpi_ireduce_scatter_block_ mpi_ireduce_scatter_block_f08_ (a, b, c, d, e, f, g) is collective(5).bytes(Bytes::ForEach(2, 3)).request(6);
    MPI_Send_init mpi_send_init_ mpi_send_init_f08_ (a, b, c, d, e, f, g) is SEND.request(6);
    MPI_Bsend_init mpi_bsend_init_ mpi_bsend_init_f08_ (a, b, c, d, e, f, g) is SEND.request(6);
    MPI_Ssend_init mpi_ssend_init_ mpi_ssend_init_f08_ (a, b, c, d, e, f, g) is SEND.request(6);
    MPI_Rsend_init mpi_rsend_init_ mpi_rsend_init_f08_ (a, b, c, d, e, f, g) is SEND.request(6);
    MPI_Recv_init mpi_recv_init_ mpi_recv_init_f08_ (a, b, c, d, e, f, g) is RECEIVE.request(6);
    MPI_Comm_dup_with_info mpi_comm_dup_with_info_ mpi_comm_dup_with_info_f08_ (a, b, c) is collective(0).makes(2);
    MPI_Comm_split_type mpi_comm_split_type_ mpi_comm_split_type_f08_ (a, b, c, d, e) is collective(0).makes(4);
    MPI_Comm_create_group mpi_comm_create_group_ mpi_comm_create_group_f08_ (a, b, c, d) is PLAIN.makes(3);
    MPI_Cart_sub mpi_cart_sub_ mpi_cart_sub_f08_ (a, b, c) is collective(0).makes(2);
    MPI_Graph_create mpi_graph_create_ mpi_graph_create_f08_ (a, b, c, d, e, f) is collective(0).makes(5);
    MPI_Dist_graph_create_adjacent mpi_dist_graph_create_adjacent_ mpi_dist_graph_create_adjacent_f08_ (a, b, c, d, e, f, g, h, i, j) is collective(0).makes(9);
    MPI_Intercomm_merge mpi_intercomm_merge_ mpi_intercomm_merge_f08_ (a, b, c) is PLAIN.makes(2);
    MPI_Finalize mpi_finalize_ mpi_finalize_f08_ () is WORLD;
}
