//! Communicators: a number for each handle, and the ranks that are its members.
//!
//! Handles are of one process. The same communicator is known in all of its processes by its members and by how many
//! communicators of the same members came before: its creation is a call of all of them.
#![expect(unsafe_code, reason = "calls C functions")]

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use super::arguments::Library;
use super::entry::Entry;
use crate::format::tag;
use crate::stream::record;

/// A communicator of this process.
#[derive(Clone, Copy)]
pub(super) struct Communicator {
    /// Its number in the trace.
    pub(super) number: u32,
    /// Members; 0 if it connects two groups.
    pub(super) size: usize,
    /// The process's own rank in it.
    pub(super) rank: c_int,
}

struct Known {
    by_handle: BTreeMap<usize, Communicator>,
    count: u32,
}

static KNOWN: Mutex<Known> = Mutex::new(Known {
    by_handle: BTreeMap::new(),
    count: 0,
});

/// Progressions of ranks in one record.
const MAX_PROGRESSIONS: usize = 16;

/// The communicator of a handle of C, noted when it is first met.
///
/// # Safety
/// The handle must be of a communicator, and MPI running.
pub(super) unsafe fn of(handle: usize) -> Communicator {
    // SAFETY: the caller's promise.
    unsafe { find(handle, false) }
}

/// Notes a communicator that was just made.
///
/// # Safety
/// As for [`of`].
pub(super) unsafe fn add(handle: usize) {
    if handle != Library::get().no_communicator {
        // SAFETY: the caller's promise.
        unsafe { find(handle, true) };
    }
}

/// Forgets a handle that is freed: the next communicator may get it.
pub(super) fn forget(handle: usize) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.by_handle.remove(&handle);
}

unsafe fn find(handle: usize, is_new: bool) -> Communicator {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let world = Library::get().world;
    if known.count == 0 {
        // First of all in each process, so that its duplicates come after it.
        // SAFETY: the caller's promise.
        unsafe { known.describe(world, world) };
    }
    match known.by_handle.get(&handle) {
        Some(found) if !is_new => *found,
        // SAFETY: the caller's promise.
        _ => unsafe { known.describe(handle, world) },
    }
}

impl Known {
    unsafe fn describe(&mut self, handle: usize, world: usize) -> Communicator {
        // SAFETY: the caller's promise.
        let (ranks, rank) = unsafe { members(handle, world) }.unwrap_or_default();
        let found = Communicator {
            number: self.count,
            size: ranks.len(),
            rank,
        };
        self.count += 1;
        note(found.number, &ranks);
        self.by_handle.insert(handle, found);
        found
    }
}

/// The ranks of the members in `MPI_COMM_WORLD`, in the order of their own ranks, and the process's own rank; `None`
/// of communicators that connect two groups, or have members from elsewhere.
unsafe fn members(handle: usize, world: usize) -> Option<(Vec<c_int>, c_int)> {
    static IS_INITIALIZED: Entry = Entry::of_profiling(b"PMPI_Initialized\0");
    static IS_INTER: Entry = Entry::of_profiling(b"PMPI_Comm_test_inter\0");
    static GROUP: Entry = Entry::of_profiling(b"PMPI_Comm_group\0");
    static SIZE: Entry = Entry::of_profiling(b"PMPI_Group_size\0");
    static RANK: Entry = Entry::of_profiling(b"PMPI_Group_rank\0");
    static TRANSLATE: Entry = Entry::of_profiling(b"PMPI_Group_translate_ranks\0");
    static FREE: Entry = Entry::of_profiling(b"PMPI_Group_free\0");
    type OfHandle<T> = unsafe extern "C" fn(usize, *mut T) -> c_int;
    type Translate = unsafe extern "C" fn(usize, c_int, *const c_int, usize, *mut c_int) -> c_int;
    // SAFETY: the functions have these types, and touch this process only; the handle is the caller's promise.
    unsafe {
        let is_inter: OfHandle<c_int> = std::mem::transmute(IS_INTER.address());
        let group: OfHandle<usize> = std::mem::transmute(GROUP.address());
        let size: OfHandle<c_int> = std::mem::transmute(SIZE.address());
        let rank: OfHandle<c_int> = std::mem::transmute(RANK.address());
        let translate: Translate = std::mem::transmute(TRANSLATE.address());
        let free: unsafe extern "C" fn(*mut usize) -> c_int = std::mem::transmute(FREE.address());
        let is_initialized: unsafe extern "C" fn(*mut c_int) -> c_int =
            std::mem::transmute(IS_INITIALIZED.address());
        let mut flag = 0;
        // Sessions of MPI have no `MPI_COMM_WORLD`, and asking for its group ends the program.
        if is_initialized(&raw mut flag) != 0 || flag == 0 {
            return None;
        }
        flag = 0;
        if is_inter(handle, &raw mut flag) != 0 || flag != 0 {
            return None;
        }
        let (mut own, mut all) = (0, 0);
        if group(handle, &raw mut own) != 0 || group(world, &raw mut all) != 0 {
            return None;
        }
        let (mut count, mut own_rank) = (0, 0);
        size(own, &raw mut count);
        rank(own, &raw mut own_rank);
        let ranks: Vec<c_int> = (0..count).collect();
        let mut found = vec![-1; ranks.len()];
        translate(own, count, ranks.as_ptr(), all, found.as_mut_ptr());
        free(&raw mut own);
        free(&raw mut all);
        let is_known = found.iter().all(|&rank| rank >= 0);
        is_known.then_some((found, own_rank))
    }
}

/// Writes the members as progressions: first rank, difference, count.
fn note(number: u32, ranks: &[c_int]) {
    let progressions = progressions(ranks);
    let mut parts = progressions.chunks(MAX_PROGRESSIONS);
    // One record at least: a communicator without members is one all the same.
    let mut part = parts.next().unwrap_or_default();
    loop {
        record::<0>(|stream| {
            stream.begin_untimed(tag::MPI_COMMUNICATOR);
            stream.number(number.into());
            stream.number(part.len() as u64);
            for &(first, step, count) in part {
                stream.number(first.unsigned_abs().into());
                stream.signed(step.into());
                stream.number(count);
            }
        });
        match parts.next() {
            Some(next) => part = next,
            None => return,
        }
    }
}

fn progressions(ranks: &[c_int]) -> Vec<(c_int, c_int, u64)> {
    let mut found: Vec<(c_int, c_int, u64)> = Vec::new();
    let mut last = 0;
    for &rank in ranks {
        match found.last_mut() {
            Some((_, step, count)) if *count == 1 => {
                *step = rank - last;
                *count = 2;
            }
            Some((_, step, count)) if rank - last == *step => *count += 1,
            _ => found.push((rank, 0, 1)),
        }
        last = rank;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_progressions() {
        assert_eq!(progressions(&[]), []);
        assert_eq!(progressions(&[0, 1, 2, 3]), [(0, 1, 4)]);
        assert_eq!(progressions(&[5]), [(5, 0, 1)]);
        assert_eq!(progressions(&[6, 4, 2, 7, 8, 9]), [(6, -2, 3), (7, 1, 3)]);
    }
}
