//! Calls between loaded objects, as the dynamic linker has bound them.
//!
//! The order of libraries does not decide alone which library a call reaches: an object that was loaded with
//! `RTLD_DEEPBIND` looks in its own libraries first.
#![expect(unsafe_code, reason = "reads the relocations of loaded objects")]

use std::ffi::{c_int, c_void};
use std::ptr::with_exposed_provenance as at;

/// `DT_NULL` to `DT_JMPREL` of the ELF specification.
mod dynamic {
    pub(super) const END: i64 = 0;
    pub(super) const CALLS_SIZE: i64 = 2;
    pub(super) const STRINGS: i64 = 5;
    pub(super) const SYMBOLS: i64 = 6;
    pub(super) const RELOCATIONS: i64 = 7;
    pub(super) const RELOCATIONS_SIZE: i64 = 8;
    pub(super) const CALLS: i64 = 23;
}

/// An entry of a dynamic section.
#[repr(C)]
struct Entry {
    tag: i64,
    value: u64,
}

/// A relocation with an addend.
#[repr(C)]
struct Relocation {
    offset: u64,
    /// The number of its symbol in the upper half; 0 of relocations without one.
    info: u64,
    addend: i64,
}

struct Search<'a> {
    prefix: &'a [u8],
    is_target: &'a dyn Fn(usize) -> bool,
    is_found: bool,
}

/// Whether a loaded object refers to a function whose name begins with `prefix`, at an address for which `is_target`
/// holds. Calls that were never made may not be bound. Objects whose own code is such a target do not count.
pub(crate) fn is_bound(prefix: &[u8], is_target: &dyn Fn(usize) -> bool) -> bool {
    let mut search = Search {
        prefix,
        is_target,
        is_found: false,
    };
    // SAFETY: the callback gets back the pointer to `search` and only for this call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.is_found
}

/// Ends the iteration at the first find.
unsafe extern "C" fn look(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    search: *mut c_void,
) -> c_int {
    // SAFETY: both pointers are valid for this call; program headers and the dynamic section are mapped.
    unsafe {
        let search = &mut *search.cast::<Search<'_>>();
        let info = &*info;
        if info.dlpi_phdr.is_null() {
            return 0;
        }
        let Ok(base) = usize::try_from(info.dlpi_addr) else {
            return 0;
        };
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let place = |header: &libc::Elf64_Phdr| Some(base + usize::try_from(header.p_vaddr).ok()?);
        let mut code = headers
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0);
        if code.any(|header| place(header).is_some_and(search.is_target)) {
            return 0;
        }
        let section = headers
            .iter()
            .find(|header| header.p_type == libc::PT_DYNAMIC);
        if let Some(section) = section.and_then(place) {
            search.is_found = search.is_in(base, section);
        }
        c_int::from(search.is_found)
    }
}

impl Search<'_> {
    /// # Safety
    /// The address must be that of the dynamic section of an object that is loaded at `base`.
    unsafe fn is_in(&self, base: usize, section: usize) -> bool {
        // SAFETY: the caller's promise; the linker has followed these references itself.
        unsafe {
            let value = |tag: i64| value_of(section, tag);
            // The linker replaces offsets by addresses, but not in sections that are read-only.
            let address = |tag: i64| value(tag).map(|it| if it < base { base + it } else { it });
            let (Some(strings), Some(symbols)) =
                (address(dynamic::STRINGS), address(dynamic::SYMBOLS))
            else {
                return false;
            };
            let tables = [
                (dynamic::CALLS, dynamic::CALLS_SIZE),
                (dynamic::RELOCATIONS, dynamic::RELOCATIONS_SIZE),
            ];
            tables.into_iter().any(|(table, size)| {
                let (Some(table), Some(size)) = (address(table), value(size)) else {
                    return false;
                };
                let count = size / size_of::<Relocation>();
                let list = std::slice::from_raw_parts(at::<Relocation>(table), count);
                list.iter().any(|it| self.is_of(it, base, symbols, strings))
            })
        }
    }

    /// Looks at the address first: names are in pages that nothing else may have used.
    ///
    /// # Safety
    /// The relocation and the tables must be of the object that is loaded at `base`.
    unsafe fn is_of(
        &self,
        relocation: &Relocation,
        base: usize,
        symbols: usize,
        strings: usize,
    ) -> bool {
        let Ok(symbol) = usize::try_from(relocation.info >> 32) else {
            return false;
        };
        let Ok(offset) = usize::try_from(relocation.offset) else {
            return false;
        };
        if symbol == 0 {
            return false;
        }
        // SAFETY: the caller's promise; what is relocated is a word at least for all functions.
        unsafe {
            let bound = at::<usize>(base + offset).read_unaligned();
            if !(self.is_target)(bound) {
                return false;
            }
            let symbol = &*at::<libc::Elf64_Sym>(symbols).add(symbol);
            let name = at::<u8>(strings).add(symbol.st_name as usize);
            // Stops at the end of a shorter name, which differs there.
            (self.prefix.iter().enumerate()).all(|(index, byte)| name.add(index).read() == *byte)
        }
    }
}

/// # Safety
/// The address must be that of a dynamic section.
unsafe fn value_of(section: usize, tag: i64) -> Option<usize> {
    let mut entry = at::<Entry>(section);
    // SAFETY: the caller's promise; the section ends with an entry of its own.
    unsafe {
        while (*entry).tag != dynamic::END {
            if (*entry).tag == tag {
                return usize::try_from((*entry).value).ok();
            }
            entry = entry.add(1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_calls_are_bound_to_the_library_of_the_function() {
        let function = libc::dl_iterate_phdr as *const () as usize;
        let is_it = |address: usize| address == function;
        assert!(is_bound(b"dl_iterate_", &is_it));
        assert!(!is_bound(b"dl_iterate_phdrs", &is_it));
        assert!(!is_bound(b"dl_iterate_", &|address| address == function + 1));
    }
}
