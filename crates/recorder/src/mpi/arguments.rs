//! Arguments of MPI calls: what differs between Open MPI and MPICH, and between C and Fortran.
#![expect(unsafe_code, reason = "reads arguments of C functions")]

use std::ffi::c_int;
use std::sync::OnceLock;

use super::entry::{Entry, symbol};

/// How a function gets its arguments: Fortran's by reference, with handles of four bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Fortran,
}

/// Constants of the library that the process uses.
pub(super) struct Library {
    /// Bytes of a handle in C.
    handle_bytes: usize,
    pub(super) world: usize,
    pub(super) no_communicator: usize,
    /// The null type, in C and in Fortran.
    no_type: [usize; 2],
    /// The null request, in C and in Fortran.
    no_request: [usize; 2],
    no_process: c_int,
    pub(super) any_source: c_int,
    /// Address that C passes for a buffer that is the other one.
    in_place: usize,
    /// Address that C passes for a status, or a list of them, that it does not want.
    ignored: usize,
    pub(super) status_bytes: usize,
    /// Place of the source in a status, in integers; the tag follows.
    source_at: usize,
    /// Variables that hold the addresses that Fortran passes for the same.
    ignored_of_fortran: [usize; 4],
    /// Addresses that Fortran passes for such a buffer, and a variable that holds one.
    in_place_of_fortran: ([usize; 2], usize),
}

/// Value for any tag in both libraries.
pub(super) const ANY_TAG: c_int = -1;

impl Library {
    /// The constants of Open MPI if the process holds it, else those that MPICH shares with many others.
    pub(super) fn get() -> &'static Self {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        LIBRARY.get_or_init(|| {
            let world = symbol(c"ompi_mpi_comm_world");
            if world == 0 {
                Self::mpich()
            } else {
                Self::open_mpi(world)
            }
        })
    }

    fn open_mpi(world: usize) -> Self {
        Self {
            handle_bytes: 8,
            world,
            no_communicator: symbol(c"ompi_mpi_comm_null"),
            no_type: [symbol(c"ompi_mpi_datatype_null"), 0],
            // Fortran's is a constant of `mpif.h`.
            no_request: [symbol(c"ompi_request_null"), 0],
            no_process: -2,
            any_source: -1,
            in_place: 1,
            ignored: 0,
            status_bytes: 24,
            source_at: 0,
            ignored_of_fortran: ignored_of_fortran(),
            in_place_of_fortran: ([symbol(c"mpi_fortran_in_place_"), 0], 0),
        }
    }

    fn mpich() -> Self {
        Self {
            handle_bytes: 4,
            world: 0x4400_0000,
            no_communicator: 0x0400_0000,
            no_type: [0x0c00_0000; 2],
            no_request: [0x2c00_0000; 2],
            no_process: -1,
            any_source: -2,
            in_place: usize::MAX,
            ignored: 1,
            status_bytes: 20,
            source_at: 2,
            ignored_of_fortran: ignored_of_fortran(),
            in_place_of_fortran: (
                [symbol(c"MPIR_F08_MPI_IN_PLACE"), 0],
                symbol(c"MPIR_F_MPI_IN_PLACE"),
            ),
        }
    }
}

fn ignored_of_fortran() -> [usize; 4] {
    [
        symbol(c"MPI_F_STATUS_IGNORE"),
        symbol(c"MPI_F_STATUSES_IGNORE"),
        symbol(c"MPI_F08_STATUS_IGNORE"),
        symbol(c"MPI_F08_STATUSES_IGNORE"),
    ]
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    pub(super) words: &'a [usize],
    pub(super) language: Language,
}

impl Arguments<'_> {
    /// The word of an argument; 0 of one that the function does not have.
    pub(super) fn word(self, at: u8) -> usize {
        self.words.get(usize::from(at)).copied().unwrap_or(0)
    }

    /// # Safety
    /// The argument must be an integer as its language passes it.
    pub(super) unsafe fn integer(self, at: u8) -> c_int {
        match self.language {
            Language::C => lower_half(self.word(at)),
            // SAFETY: the caller's promise.
            Language::Fortran => unsafe { integer_at(self.word(at), 0) },
        }
    }

    /// A handle that the function gets.
    ///
    /// # Safety
    /// The argument must be a handle as its language passes it.
    pub(super) unsafe fn handle(self, at: u8) -> usize {
        match self.language {
            Language::C => match Library::get().handle_bytes {
                8 => self.word(at),
                _ => self.word(at) & 0xffff_ffff,
            },
            // SAFETY: the caller's promise.
            Language::Fortran => unsafe { self.handle_behind(at, 0) },
        }
    }

    /// A handle of a list that the function gets, or one that it returns.
    ///
    /// # Safety
    /// The argument must point to that number of handles of its language.
    pub(super) unsafe fn handle_behind(self, at: u8, index: usize) -> usize {
        let bytes = match self.language {
            Language::C => Library::get().handle_bytes,
            Language::Fortran => 4,
        };
        let address = self.word(at).wrapping_add(index * bytes);
        // SAFETY: the caller's promise.
        unsafe {
            if bytes == 8 {
                std::ptr::with_exposed_provenance::<usize>(address).read_unaligned()
            } else {
                std::ptr::with_exposed_provenance::<u32>(address).read_unaligned() as usize
            }
        }
    }

    /// A communicator of either language, as C knows it.
    pub(super) fn communicator(self, handle: usize) -> usize {
        static ENTRY: Entry = Entry::of_profiling(b"PMPI_Comm_f2c\0");
        // Handles of four bytes are the same in both.
        if self.language == Language::C || Library::get().handle_bytes == 4 {
            return handle;
        }
        // SAFETY: the function has this type.
        unsafe {
            let function: unsafe extern "C" fn(usize) -> usize =
                std::mem::transmute(ENTRY.address());
            function(handle)
        }
    }

    /// Whether a request is one.
    pub(super) fn is_request(self, handle: usize) -> bool {
        let is_fortran = self.language == Language::Fortran;
        handle != Library::get().no_request[usize::from(is_fortran)]
    }

    /// Whether a rank is of a process.
    pub(super) fn is_process(rank: c_int) -> bool {
        rank != Library::get().no_process
    }

    /// Whether a buffer is to be the other one of the call.
    ///
    /// # Safety
    /// The argument must be a buffer.
    pub(super) unsafe fn is_in_place(self, at: u8) -> bool {
        let (library, address) = (Library::get(), self.word(at));
        match self.language {
            Language::C => address == library.in_place,
            Language::Fortran => {
                let (addresses, variable) = library.in_place_of_fortran;
                // SAFETY: a variable of the library that holds an address.
                address != 0
                    && (addresses.contains(&address) || unsafe { points_to(variable, address) })
            }
        }
    }

    /// Whether a status, or a list of them, is not wanted.
    ///
    /// # Safety
    /// The argument must be for a status.
    pub(super) unsafe fn is_ignored(self, at: u8) -> bool {
        let (library, address) = (Library::get(), self.word(at));
        match self.language {
            Language::C => address == library.ignored,
            Language::Fortran => {
                let variables = library.ignored_of_fortran;
                // SAFETY: variables of the library that hold addresses.
                variables
                    .iter()
                    .any(|&variable| unsafe { points_to(variable, address) })
            }
        }
    }

    /// The bytes of some elements of a type; `None` of the null type.
    ///
    /// # Safety
    /// The type must be a handle of the language.
    pub(super) unsafe fn bytes(self, count: i64, datatype: usize) -> Option<u64> {
        let count = u64::try_from(count).ok()?;
        // SAFETY: the caller's promise.
        let size = unsafe { self.size(datatype) }?;
        Some(count.saturating_mul(u64::try_from(size).ok()?))
    }

    /// # Safety
    /// As for [`Arguments::bytes`].
    unsafe fn size(self, datatype: usize) -> Option<c_int> {
        static OF_C: Entry = Entry::of_profiling(b"PMPI_Type_size\0");
        static OF_FORTRAN: Entry = Entry::of_profiling(b"pmpi_type_size_\0");
        let is_fortran = self.language == Language::Fortran;
        // Libraries end the program when asked for the size of the null type.
        if datatype == Library::get().no_type[usize::from(is_fortran)] {
            return None;
        }
        let mut size: c_int = 0;
        let mut error: c_int = 0;
        // SAFETY: the functions have these parameters; the type is the caller's promise.
        unsafe {
            if is_fortran {
                let function: unsafe extern "C" fn(*const usize, *mut c_int, *mut c_int) =
                    std::mem::transmute(OF_FORTRAN.address());
                function(&raw const datatype, &raw mut size, &raw mut error);
            } else {
                let function: unsafe extern "C" fn(usize, *mut c_int) -> c_int =
                    std::mem::transmute(OF_C.address());
                error = function(datatype, &raw mut size);
            }
        }
        (error == 0).then_some(size)
    }
}

/// Source and tag in a status.
///
/// # Safety
/// The address must be that of a status.
pub(super) unsafe fn source_and_tag(status: usize) -> (c_int, c_int) {
    let at = Library::get().source_at;
    // SAFETY: the caller's promise.
    unsafe { (integer_at(status, at), integer_at(status, at + 1)) }
}

/// An integer of a list.
///
/// # Safety
/// The address must be that of a list with that number of integers.
pub(super) unsafe fn integer_at(address: usize, index: usize) -> c_int {
    let list = std::ptr::with_exposed_provenance::<c_int>(address);
    // SAFETY: the caller's promise.
    unsafe { list.add(index).read_unaligned() }
}

/// # Safety
/// The variable must be 0 or the address of one that holds an address.
unsafe fn points_to(variable: usize, address: usize) -> bool {
    // SAFETY: the caller's promise.
    variable != 0
        && unsafe { std::ptr::with_exposed_provenance::<usize>(variable).read() } == address
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
