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

    /// Finds function and line of an address. `creator` returns the symbol of the function that the code was
    /// taken from, for outlined code without a name.
    pub(super) fn look_up(
        &self,
        address: u64,
        creator: impl FnOnce() -> Option<String>,
    ) -> LineInfo {
        let Frames { symbols, mut info } = self.frames(address);
        let Some((innermost, language)) = symbols.first() else {
            return info;
        };
        if !names::is_outlined(innermost) {
            let place = info.file.as_deref().zip(info.line);
            info.function = place
                .and_then(|(file, line)| self.functions.full_name(file, line, innermost))
                .map(str::to_owned)
                .or_else(|| names::function_name(innermost, *language));
            return info;
        }
        let outlined = first_named(&symbols).or_else(creator).unwrap_or_default();
        let place = info.file.as_deref().zip(info.line);
        info.function = place
            .and_then(|(file, line)| self.functions.containing(file, line, &outlined))
            .map(str::to_owned)
            .or_else(|| names::function_name(&outlined, *language));
        info
    }

    /// The symbol of the innermost function at an address that has a name.
    pub(super) fn symbol(&self, address: u64) -> Option<String> {
        first_named(&self.frames(address).symbols)
    }

    fn frames(&self, address: u64) -> Frames {
        let context = self.context.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Frames::default();
        let Ok(mut frames) = context.find_frames(address).skip_all_loads() else {
            return found;
        };
        let mut is_innermost = true;
        while let Ok(Some(frame)) = frames.next() {
            if is_innermost && let Some(location) = frame.location {
                found.info.line = location.line.filter(|&line| line > 0);
                found.info.file = location.file.map(str::to_owned);
            }
            is_innermost = false;
            let Some(name) = frame.function else { break };
            let Ok(symbol) = name.raw_name() else { break };
            let symbol = symbol.into_owned();
            let is_outlined = names::is_outlined(&symbol);
            found.symbols.push((symbol, name.language));
            if !is_outlined {
                break;
            }
        }
        found
    }
}

/// Functions at an address.
#[derive(Debug, Default)]
struct Frames {
    /// Symbols and languages from the innermost function to the first one of the source.
    symbols: Vec<(String, Option<gimli::DwLang>)>,
    /// Without function.
    info: LineInfo,
}

fn first_named(symbols: &[(String, Option<gimli::DwLang>)]) -> Option<String> {
    let mut symbols = symbols.iter().map(|(symbol, _)| symbol);
    symbols
        .find(|symbol| names::without_suffix(symbol).is_some())
        .cloned()
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
