//! Functions and variables of other libraries, found by name.
#![expect(unsafe_code, reason = "asks the dynamic linker")]

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// The wrapped function, looked up at the first call.
pub(super) struct Entry {
    name: &'static CStr,
    /// The scope of the search. A name of the profiling interface is searched in all libraries. A name that this
    /// library exports itself is searched in the libraries after it.
    scope: *mut c_void,
    address: AtomicPtr<c_void>,
}

// SAFETY: the scope is one of two constants, which any thread may pass on.
unsafe impl Sync for Entry {}

impl Entry {
    pub(super) const fn of_profiling(name: &'static [u8]) -> Self {
        Self::new(name, libc::RTLD_DEFAULT)
    }

    /// MPICH has no `pmpi_` names of its `_f08_` functions.
    pub(super) const fn of_fortran(name: &'static [u8]) -> Self {
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
    pub(super) fn address(&self) -> *mut c_void {
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

/// The address of a variable or function of any library; 0 if no library has it.
pub(super) fn symbol(name: &CStr) -> usize {
    // SAFETY: the name is a C string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.expose_provenance()
}
