//! Modules that are damaged, huge or something else.

mod compiled;
mod jumps;

use std::cell::Cell;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::ranges::Ranges;
use super::source::{ModuleFile, NoSymbols};
use super::{Module, ModuleState};
use crate::limits;

/// This program, which has symbols and debug information.
fn own_program() -> Vec<u8> {
    std::fs::read(std::env::current_exe().unwrap()).unwrap()
}

fn load(bytes: Vec<u8>) -> Module {
    let file: Box<dyn ModuleFile> = Box::new(Cursor::new(bytes));
    Module::load("/a/module", None, Ok(file), limits::ALL_MODULES_BYTES).0
}

/// A file that begins with some bytes and goes on with zeros; counts what is read of it.
struct Sparse {
    start: Vec<u8>,
    len: u64,
    at: u64,
    num_read: Arc<AtomicU64>,
}

impl Read for Sparse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(self.at)).unwrap();
        let len = buffer.len().min(left);
        for (byte, at) in buffer[..len].iter_mut().zip(self.at..) {
            let at = usize::try_from(at).unwrap();
            *byte = self.start.get(at).copied().unwrap_or(0);
        }
        self.at += len as u64;
        self.num_read.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}

impl Seek for Sparse {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.at = match position {
            SeekFrom::Start(at) => at,
            SeekFrom::End(_) => self.len,
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
        };
        Ok(self.at)
    }
}

/// The state of a module of `len` bytes that begins with `start`, and how many bytes were read.
fn sparse(start: Vec<u8>, len: u64) -> (ModuleState, u64) {
    let num_read = Arc::new(AtomicU64::new(0));
    let file: Box<dyn ModuleFile> = Box::new(Sparse {
        start,
        len,
        at: 0,
        num_read: Arc::clone(&num_read),
    });
    let module = Module::load("/m", None, Ok(file), limits::ALL_MODULES_BYTES).0;
    (module.state, num_read.load(Ordering::Relaxed))
}

#[test]
fn only_the_sections_that_are_needed_are_read() {
    let bytes = own_program();
    let num_all = bytes.len() as u64;
    let file: Box<dyn ModuleFile> = Box::new(Cursor::new(bytes));
    let (module, num_read) = Module::load("/a/own", None, Ok(file), limits::ALL_MODULES_BYTES);
    assert_eq!(module.state, ModuleState::Loaded);
    assert_eq!(module.name, "own");
    assert!(module.producer().is_some());
    assert!(
        0 < num_read && num_read < num_all,
        "{num_read} of {num_all}"
    );
}

#[test]
fn a_file_that_is_not_elf_is_left_after_its_first_bytes() {
    let large = 1 << 50;
    let not_elf = ModuleState::NoSymbols(NoSymbols::NotElf);
    for start in [&b""[..], b"text", b"\x7fEL", b"MZ\x90\0\x03"] {
        assert_eq!(sparse(start.to_vec(), large), (not_elf, 5), "{start:?}");
    }
    assert_eq!(sparse(Vec::new(), 0), (not_elf, 0));
}

#[test]
fn a_huge_sparse_module_is_refused_before_it_is_read() {
    let too_large = ModuleState::NoSymbols(NoSymbols::TooLarge);
    let (state, num_read) = sparse(own_program()[..64].to_vec(), 1 << 50);
    assert_eq!((state, num_read), (too_large, 5));
    // A table of sections that lies beyond the bytes that are there, and claims to be huge.
    let mut header = own_program()[..64].to_vec();
    header[40..48].copy_from_slice(&(1_u64 << 20).to_le_bytes());
    header[60..62].copy_from_slice(&u16::MAX.to_le_bytes());
    let (state, num_read) = sparse(header, 8 << 30);
    assert_eq!(
        state,
        ModuleState::Loaded,
        "a table of empty sections is one"
    );
    assert!(num_read < 8 << 20, "{num_read}");
}

#[test]
fn sections_larger_than_the_bound_are_not_read() {
    let mut bytes = own_program();
    let at = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let table = usize::try_from(at(&bytes, 40)).unwrap();
    let count = usize::from(u16::from_le_bytes(bytes[60..62].try_into().unwrap()));
    for section in 1..count {
        // The length of the section.
        let len = table + section * 64 + 32;
        bytes[len..len + 8].copy_from_slice(&(3_u64 << 30).to_le_bytes());
    }
    let (state, num_read) = sparse(bytes, 7 << 30);
    assert_eq!(state, ModuleState::NoSymbols(NoSymbols::TooLarge));
    assert!(num_read < 64 << 20, "{num_read}");
}

#[test]
fn damaged_modules_are_loaded_or_refused() {
    let bytes = own_program();
    let table = usize::try_from(u64::from_le_bytes(bytes[40..48].try_into().unwrap())).unwrap();
    for len in [
        0,
        4,
        5,
        16,
        63,
        64,
        65,
        1000,
        bytes.len() / 2,
        table,
        table + 100,
    ] {
        let state = load(bytes[..len.min(bytes.len())].to_vec()).state;
        assert_ne!(state, ModuleState::Loaded, "{len}");
    }
    let seed = Cell::new(7_u64);
    let random = |below: usize| {
        seed.set(
            seed.get()
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1),
        );
        usize::try_from(seed.get() >> 33).unwrap() % below
    };
    for _ in 0..12 {
        let mut damaged = bytes.clone();
        for _ in 0..20 {
            let at = table + random(bytes.len() - table);
            damaged[at] = u8::try_from(random(256)).unwrap();
        }
        let state = load(damaged).state;
        assert!(
            matches!(
                state,
                ModuleState::Loaded
                    | ModuleState::NoSymbols(NoSymbols::Unreadable | NoSymbols::TooLarge)
            ),
            "{state:?}"
        );
    }
}

#[test]
fn nothing_is_read_after_the_deadline() {
    let past = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
    let file: Box<dyn ModuleFile> = Box::new(Cursor::new(own_program()));
    let why = Ranges::open(file, u64::MAX, past).err();
    assert_eq!(why, Some(NoSymbols::Slow));
}
