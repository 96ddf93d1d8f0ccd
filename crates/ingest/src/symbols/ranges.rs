//! A module's file, read section by section as far as needed, within bounds of bytes and time.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::time::Instant;

use object::Endianness;
use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader};
use object::{CompressionFormat, ObjectSection, ReadCache, ReadRef, Section};

use super::source::{ModuleFile, NoSymbols};
use crate::limits;

/// Bytes that one read asks for: the deadline is looked at between two reads.
const PIECE: usize = 4 << 20;

/// An ELF file of which ranges are read when they are asked for.
pub(super) type Elf<'a> = object::File<'a, &'a Ranges>;

/// The bytes of a module that were read so far.
///
/// A range inside a section reads the whole section, once, so that a symbol's name is no read of
/// its own. Nothing is allocated before the bounds allow it.
pub(super) struct Ranges {
    cache: ReadCache<Timed>,
    len: u64,
    /// Ascending offsets and lengths of sections.
    sections: Vec<(u64, u64)>,
    /// What is in the cache.
    taken: RefCell<HashSet<(u64, u64)>>,
    left: Cell<u64>,
    /// Bytes that names may still take.
    names_left: Cell<usize>,
    deadline: Instant,
    /// The first bound that was met.
    fault: Cell<Option<NoSymbols>>,
}

impl Ranges {
    /// Recognises an ELF file and finds its sections; at most `budget` bytes are read ever, and
    /// none after the deadline.
    pub(super) fn open(
        mut file: Box<dyn ModuleFile>,
        budget: u64,
        deadline: Instant,
    ) -> Result<Self, NoSymbols> {
        let unreadable = |_| NoSymbols::Unreadable;
        let mut magic = [0; 5];
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        match file.read_exact(&mut magic) {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(NoSymbols::Unreadable);
            }
            Ok(()) if magic.starts_with(b"\x7fELF") => {}
            _ => return Err(NoSymbols::NotElf),
        }
        let len = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
        if len > limits::MODULE_FILE {
            return Err(NoSymbols::TooLarge);
        }
        let mut ranges = Self {
            cache: ReadCache::new(Timed { file, deadline }),
            len,
            sections: Vec::new(),
            taken: RefCell::default(),
            left: Cell::new(budget.min(limits::MODULE_SECTION_TABLE)),
            names_left: Cell::new(limits::MODULE_NAMES),
            deadline,
            fault: Cell::new(None),
        };
        let sections = if magic[4] == object::elf::ELFCLASS64.0 {
            sections::<FileHeader64<Endianness>, _>(&ranges)
        } else {
            sections::<FileHeader32<Endianness>, _>(&ranges)
        };
        ranges.sections = sections.ok_or_else(|| ranges.why(NoSymbols::Unreadable))?;
        ranges.left.set(budget.min(limits::MODULE_BYTES));
        Ok(ranges)
    }

    /// Bytes read.
    pub(super) fn num_read(&self) -> u64 {
        self.taken.borrow().iter().map(|(_, len)| len).sum()
    }

    /// The bound that was met, else `otherwise`.
    pub(super) fn why(&self, otherwise: NoSymbols) -> NoSymbols {
        self.fault.get().unwrap_or(otherwise)
    }

    /// The bound that was met; past the deadline, that.
    pub(super) fn fault(&self) -> Option<NoSymbols> {
        if self.is_late() {
            self.stop(NoSymbols::Slow);
        }
        self.fault.get()
    }

    /// Notes that a bound was met.
    pub(super) fn stop(&self, why: NoSymbols) {
        self.fault.set(self.fault.get().or(Some(why)));
    }

    /// Takes `bytes` from what may still be read; false, and noted, when they are too many.
    pub(super) fn charge(&self, bytes: u64) -> bool {
        let left = self.left.get().checked_sub(bytes);
        if let Some(left) = left {
            self.left.set(left);
        } else {
            self.stop(NoSymbols::TooLarge);
        }
        left.is_some()
    }

    /// Like [`Ranges::charge`], for a name that is kept.
    pub(super) fn charge_name(&self, bytes: usize) -> bool {
        let kept = bytes.saturating_add(size_of::<(u64, String)>());
        let left = self.names_left.get().checked_sub(kept);
        self.names_left.set(left.unwrap_or(0));
        if left.is_none() {
            self.stop(NoSymbols::TooLarge);
        }
        left.is_some()
    }

    /// The content of a section, decompressed when the bounds allow it.
    pub(super) fn uncompressed<'a>(
        &self,
        section: &Section<'a, '_, &'a Ranges>,
    ) -> Option<Cow<'a, [u8]>> {
        let data = section.compressed_data().ok()?;
        let is_allowed =
            data.format == CompressionFormat::None || self.charge(data.uncompressed_size);
        is_allowed.then(|| data.decompress().ok()).flatten()
    }

    fn is_late(&self) -> bool {
        Instant::now() > self.deadline
    }

    /// The section that holds a range.
    fn section_around(&self, offset: u64, len: u64) -> Option<(u64, u64)> {
        let end = offset.checked_add(len)?;
        let behind = self.sections.partition_point(|(start, _)| *start <= offset);
        let (start, len) = *self.sections.get(behind.checked_sub(1)?)?;
        (end <= start.checked_add(len)?).then_some((start, len))
    }

    /// A range that is read as a whole.
    fn whole(&self, offset: u64, len: u64) -> Result<&[u8], ()> {
        let is_inside = offset.checked_add(len).is_some_and(|end| end <= self.len);
        if !is_inside || self.fault.get().is_some() {
            return Err(());
        }
        if len > 0 && self.taken.borrow_mut().insert((offset, len)) && !self.charge(len) {
            self.taken.borrow_mut().remove(&(offset, len));
            return Err(());
        }
        self.cache.read_bytes_at(offset, len).inspect_err(|()| {
            if self.is_late() {
                self.stop(NoSymbols::Slow);
            }
        })
    }
}

impl<'a> ReadRef<'a> for &'a Ranges {
    fn len(self) -> Result<u64, ()> {
        Ok(self.len)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        let (start, len) = self.section_around(offset, size).unwrap_or((offset, size));
        let at = usize::try_from(offset - start).map_err(drop)?;
        let size = usize::try_from(size).map_err(drop)?;
        let rest = self.whole(start, len)?.get(at..).ok_or(())?;
        rest.get(..size).ok_or(())
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        let len = range.end.checked_sub(range.start).ok_or(())?;
        let text = self.read_bytes_at(range.start, len.min(limits::MODULE_NAME))?;
        let end = memchr::memchr(delimiter, text).ok_or(())?;
        text.get(..end).ok_or(())
    }
}

/// Offsets and lengths of the sections that are in the file.
fn sections<'a, Elf, R>(data: R) -> Option<Vec<(u64, u64)>>
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'a>,
{
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let headers = header.section_headers(endian, data).ok()?;
    let mut sections: Vec<(u64, u64)> = headers
        .iter()
        .filter_map(|section| section.file_range(endian))
        .filter(|(_, len)| *len > 0)
        .collect();
    sections.sort_unstable();
    Some(sections)
}

/// A file of which nothing is read past the deadline.
struct Timed {
    file: Box<dyn ModuleFile>,
    deadline: Instant,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if Instant::now() > self.deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let len = buffer.len().min(PIECE);
        self.file.read(buffer.get_mut(..len).unwrap_or_default())
    }
}

impl Seek for Timed {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}
