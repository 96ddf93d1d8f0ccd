//! Functions and variables of other libraries, found by name.
#![expect(unsafe_code, reason = "asks the dynamic linker")]

use std::ffi::{CStr, CString, c_int, c_void};
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
        let mut found = find_in_scope(self.scope, self.name);
        if found.is_null() {
            found = find_in_libraries(self.name);
        }
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
    let found = find_in_scope(libc::RTLD_DEFAULT, name);
    // No library has all of these names. Those of an MPI that all can see are not searched one by one.
    let found = if found.is_null() && find_in_scope(libc::RTLD_DEFAULT, c"PMPI_Init").is_null() {
        find_in_libraries(name)
    } else {
        found
    };
    found.expose_provenance()
}

fn find_in_scope(scope: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: the name is a C string.
    unsafe { libc::dlsym(scope, name.as_ptr()) }
}

/// Looks in each library: interpreters load MPI for one of their modules only, and no scope that others can name
/// contains it then. Null if no library has the name.
fn find_in_libraries(name: &CStr) -> *mut c_void {
    let mut libraries: Vec<CString> = Vec::new();
    // SAFETY: the callback gets back the pointer to the list and only for this call.
    unsafe { libc::dl_iterate_phdr(Some(add_library), (&raw mut libraries).cast()) };
    let mut found = libraries.iter().map(|library| find_in(library, name));
    found
        .find(|it| !it.is_null())
        .unwrap_or(std::ptr::null_mut())
}

unsafe extern "C" fn add_library(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    libraries: *mut c_void,
) -> c_int {
    // SAFETY: both pointers are valid for this call; the name is null or a C string.
    unsafe {
        let name = (*info).dlpi_name;
        if !name.is_null() && !CStr::from_ptr(name).is_empty() {
            (*libraries.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned());
        }
    }
    0
}

/// Null if the library does not have the name, or is this one: its wrappers have names of MPI.
fn find_in(library: &CStr, name: &CStr) -> *mut c_void {
    // SAFETY: the names are C strings. A library that is loaded stays so, because someone else holds it.
    let found = unsafe {
        let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if handle.is_null() {
            return handle;
        }
        let found = libc::dlsym(handle, name.as_ptr());
        libc::dlclose(handle);
        found
    };
    if base_of(found) == base_of(find_in as *const c_void) {
        return std::ptr::null_mut();
    }
    found
}

/// Where the library that contains an address is loaded; null for an address outside of all.
fn base_of(address: *const c_void) -> *mut c_void {
    // SAFETY: all zero is a valid value, and the call fills it or fails.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(address, &raw mut info);
        info.dli_fbase
    }
}
