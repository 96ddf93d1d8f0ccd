//! Debug information of one module: address to function, file and line.

use std::sync::{Arc, Mutex, PoisonError};

use addr2line::Context;
use gimli::{EndianArcSlice, RunTimeEndian};
use object::Object;

use super::functions::Functions;
use super::names;
use super::ranges::{Elf, Ranges};

type Bytes = EndianArcSlice<RunTimeEndian>;

/// What debug information states about an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LineInfo {
    /// Function of the source, demangled.
    pub(super) function: Option<String>,
    pub(super) file: Option<String>,
    /// Not 0.
    pub(super) line: Option<u32>,
}

/// The debug information of a module.
pub(super) struct Lines {
    context: Mutex<Context<Bytes>>,
    functions: Functions,
    /// The compiler and its options, of the first unit that states them.
    pub(super) producer: Option<String>,
}

impl Lines {
    pub(super) fn read(file: &Elf<'_>, ranges: &Ranges) -> Option<Self> {
        let endian = if file.is_little_endian() {
            RunTimeEndian::Little
        } else {
            RunTimeEndian::Big
        };
        let section = |id: gimli::SectionId| -> Result<Bytes, gimli::Error> {
            let data = file
                .section_by_name(id.name())
                .and_then(|section| ranges.uncompressed(&section))
                .unwrap_or_default();
            Ok(Bytes::new(Arc::from(data.as_ref()), endian))
        };
        let dwarf = Arc::new(gimli::Dwarf::load(section).ok()?);
        let functions = Functions::read(&dwarf, ranges);
        let producer = producer(&dwarf);
        let context = Mutex::new(Context::from_arc_dwarf(dwarf).ok()?);
        Some(Self {
            context,
            functions,
            producer,
        })
    }

    pub(super) fn look_up(&self, address: u64) -> LineInfo {
        let context = self.context.lock().unwrap_or_else(PoisonError::into_inner);
        let mut info = LineInfo::default();
        let Ok(mut frames) = context.find_frames(address).skip_all_loads() else {
            return info;
        };
        let Ok(Some(frame)) = frames.next() else {
            return info;
        };
        if let Some(location) = frame.location {
            info.line = location.line.filter(|&line| line > 0);
            info.file = location.file.map(str::to_owned);
        }
        let Some(name) = frame.function else {
            return info;
        };
        let Ok(symbol) = name.raw_name() else {
            return info;
        };
        let own = names::without_suffix(&symbol).map(|name_only| {
            addr2line::demangle_auto(name_only.into(), name.language).into_owned()
        });
        info.function = if names::is_outlined(&symbol) {
            let hint = own.as_deref().unwrap_or_default();
            let place = info.file.as_deref().zip(info.line);
            place
                .and_then(|(file, line)| self.functions.containing(file, line, hint))
                .map(str::to_owned)
                .or(own)
        } else {
            own
        };
        info
    }
}

fn producer(dwarf: &gimli::Dwarf<Bytes>) -> Option<String> {
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        let mut entries = unit.entries();
        let Ok(Some(entry)) = entries.next_dfs() else {
            continue;
        };
        let Some(value) = entry.attr_value(gimli::DW_AT_producer) else {
            continue;
        };
        if let Ok(text) = dwarf.attr_string(&unit, value) {
            return Some(gimli::Reader::to_string_lossy(&text).ok()?.into_owned());
        }
    }
    None
}
