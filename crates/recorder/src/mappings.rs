//! Executable mappings of the process, so that code pointers can be resolved later.
#![expect(unsafe_code, reason = "walks the loaded objects for their build ids")]

use std::ffi::{CStr, c_int, c_void};
use std::fmt::Write as _;

use crate::bound_calls;

/// The executable mappings at one moment.
#[derive(PartialEq, Eq)]
pub(crate) struct Snapshot {
    list: Vec<Mapping>,
}

#[derive(PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    file_offset: u64,
    path: String,
}

impl Snapshot {
    /// No mapping at all.
    pub(crate) const fn none() -> Self {
        Self { list: Vec::new() }
    }

    /// Reads `/proc/self/maps`; empty when that cannot be read.
    pub(crate) fn take() -> Self {
        let text = std::fs::read("/proc/self/maps").unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        Self {
            list: text.lines().filter_map(parse_line).collect(),
        }
    }

    pub(crate) fn contains(&self, address: u64) -> bool {
        self.list
            .iter()
            .any(|mapping| mapping.start <= address && address < mapping.end)
    }

    /// Path of GNU's runtime, if the process holds it and calls can reach it.
    pub(crate) fn reached_gnu_runtime(&self) -> Option<&str> {
        let mut runtime = self.list.iter().filter(|it| is_gnu_runtime(&it.path));
        let path = runtime.next()?.path.as_str();
        (calls_gnu_runtime() || self.is_gnu_runtime_bound()).then_some(path)
    }

    /// Whether an object called GNU's runtime although another stands before it.
    fn is_gnu_runtime_bound(&self) -> bool {
        bound_calls::is_bound(b"GOMP_", &|address| {
            let address = address as u64;
            let mut all = self.list.iter();
            all.any(|it| it.start <= address && address < it.end && is_gnu_runtime(&it.path))
        })
    }

    /// The metadata item of the snapshot, as specified in `TRACE.md`.
    pub(crate) fn describe(&self, number: u32) -> String {
        let build_ids = build_ids();
        let mut text = format!("{number}\n");
        for mapping in &self.list {
            let Mapping {
                start,
                end,
                file_offset,
                path,
            } = mapping;
            let id = build_ids
                .iter()
                .find(|(address, _)| (*start..*end).contains(address));
            let id = id.map_or("-", |(_, id)| id);
            let _ = writeln!(text, "{start:x} {end:x} {file_offset:x} {id} {path}");
        }
        text
    }
}

fn is_gnu_runtime(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    file.starts_with("libgomp.so") || file.starts_with("libgomp-")
}

/// Whether calls of GNU's entry points can reach GNU's runtime: LLVM's and Intel's have entry points of these names
/// too, which stand before it where they were loaded first.
fn calls_gnu_runtime() -> bool {
    // SAFETY: the name is a C string; all zero is a valid value, and the second call fills it or fails.
    unsafe {
        let entry = libc::dlsym(libc::RTLD_DEFAULT, c"GOMP_parallel".as_ptr());
        if entry.is_null() {
            return true;
        }
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(entry, &raw mut info) != 0
            && !info.dli_fname.is_null()
            && is_gnu_runtime(&CStr::from_ptr(info.dli_fname).to_string_lossy())
    }
}

/// One line: `start-end perms offset device inode path`.
fn parse_line(line: &str) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let permissions = words.next()?;
    let hex = |text: &str| u64::from_str_radix(text, 16).ok();
    let file_offset = hex(words.next()?)?;
    // Paths may contain spaces: everything after device and inode.
    let inode = words.nth(1)?;
    let behind = line
        .find(&format!(" {inode} "))
        .map(|at| at + inode.len() + 2);
    let path = behind.and_then(|at| line.get(at..)).unwrap_or("").trim();
    permissions.contains('x').then_some(Mapping {
        start: hex(start)?,
        end: hex(end)?,
        file_offset,
        path: if path.is_empty() {
            "[anonymous]".to_owned()
        } else {
            path.to_owned()
        },
    })
}

/// (address of an executable segment, build id) of every loaded object that has one.
fn build_ids() -> Vec<(u64, String)> {
    let mut found: Vec<(u64, String)> = Vec::new();
    // SAFETY: the callback gets back the pointer to `found` and only for this call.
    unsafe { libc::dl_iterate_phdr(Some(add_object), (&raw mut found).cast()) };
    found
}

unsafe extern "C" fn add_object(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    found: *mut c_void,
) -> c_int {
    // SAFETY: both pointers are valid for this call; program headers and the note segments
    // they name are mapped.
    unsafe {
        let found = &mut *found.cast::<Vec<(u64, String)>>();
        let info = &*info;
        if info.dlpi_phdr.is_null() {
            return 0;
        }
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let notes = headers
            .iter()
            .filter(|header| header.p_type == libc::PT_NOTE)
            .filter_map(|header| {
                let start = (info.dlpi_addr + header.p_vaddr) as *const u8;
                let len = usize::try_from(header.p_memsz).ok()?;
                find_build_id(std::slice::from_raw_parts(start, len))
            });
        let code = headers
            .iter()
            .find(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0);
        if let (Some(id), Some(code)) = (notes.take(1).next(), code) {
            found.push((info.dlpi_addr + code.p_vaddr, id));
        }
    }
    0
}

/// Looks for the note of type 3 with name `GNU`.
fn find_build_id(mut notes: &[u8]) -> Option<String> {
    loop {
        let (header, rest) = notes.split_at_checked(12)?;
        let word = |at: usize| {
            let bytes = header.get(at..at + 4)?.first_chunk::<4>()?;
            usize::try_from(u32::from_ne_bytes(*bytes)).ok()
        };
        let (name_len, content_len, kind) = (word(0)?, word(4)?, word(8)?);
        let (name, rest) = rest.split_at_checked(name_len.checked_next_multiple_of(4)?)?;
        if kind == 3 && name == b"GNU\0" {
            let mut id = String::new();
            for byte in rest.get(..content_len)? {
                let _ = write!(id, "{byte:02x}");
            }
            return Some(id);
        }
        notes = rest.get(content_len.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_code_is_in_a_mapping_with_a_path() {
        let snapshot = Snapshot::take();
        assert!(snapshot.contains(find_build_id as *const () as u64));
        assert!(!snapshot.contains(16));
        let text = snapshot.describe(7);
        assert!(text.starts_with("7\n"), "{text}");
        assert!(text.contains("sheaf_recorder"), "{text}");
    }

    #[test]
    fn paths_with_spaces_stay_whole() {
        let line = "7f00-7f10 r-xp 00002000 08:01 1234      /tmp/a b  c.so";
        let mapping = parse_line(line).expect("a mapping");
        assert_eq!(
            (mapping.path.as_str(), mapping.file_offset),
            ("/tmp/a b  c.so", 0x2000)
        );
    }

    #[test]
    fn cut_notes_have_no_build_id() {
        let mut note = Vec::new();
        for word in [4_u32, 2, 3] {
            note.extend(word.to_ne_bytes());
        }
        note.extend(b"GNU\0\xab\xcd\0\0");
        assert_eq!(find_build_id(&note).as_deref(), Some("abcd"));
        for len in 0..note.len() - 2 {
            assert_eq!(find_build_id(&note[..len]), None);
        }
    }
}
