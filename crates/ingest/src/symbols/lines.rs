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
        if let (Some(function), Some((file, line))) = (self.functions.of_gcc(&outlined), place)
            && !self.functions.has_line(function, file, line)
        {
            return LineInfo {
                function: Some(function.name.clone()),
                file: None,
                line: None,
            };
        }
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

    /// Finds function and line of the start of outlined code, whatever was inlined there.
    pub(super) fn look_up_outlined(&self, address: u64) -> Option<LineInfo> {
        let Frame {
            symbol,
            language,
            file,
            line,
        } = self.all_frames(address).pop()?;
        let (file, line) = (file?, line?);
        let function = self.functions.containing(&file, line, &symbol);
        let function = function.map(str::to_owned);
        Some(LineInfo {
            function: Some(function.or_else(|| names::function_name(&symbol, language))?),
            file: Some(file),
            line: Some(line),
        })
    }

    fn frames(&self, address: u64) -> Frames {
        let all = self.all_frames(address);
        // GCC attributes calls to functions that were inlined in front of them. Those of the standard library have no
        // constructs.
        let is_own = |frame: &Frame| !names::is_of_library(&frame.symbol);
        let innermost = all.iter().position(is_own).unwrap_or(0);
        let mut found = Frames::default();
        for (number, frame) in all.into_iter().skip(innermost).enumerate() {
            if number == 0 {
                (found.info.file, found.info.line) = (frame.file, frame.line);
            }
            let is_outlined = names::is_outlined(&frame.symbol);
            if frame.symbol.is_empty() {
                break;
            }
            found.symbols.push((frame.symbol, frame.language));
            if !is_outlined {
                break;
            }
        }
        found
    }

    /// The functions at an address: inlined ones first, the innermost in front, and last the one that they are inlined
    /// in. A function without a known symbol has an empty one.
    fn all_frames(&self, address: u64) -> Vec<Frame> {
        let context = self.context.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        let Ok(mut frames) = context.find_frames(address).skip_all_loads() else {
            return found;
        };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref();
            let symbol = name.and_then(|name| Some(name.raw_name().ok()?.into_owned()));
            let location = frame.location.as_ref();
            found.push(Frame {
                symbol: symbol.unwrap_or_default(),
                language: name.and_then(|name| name.language),
                file: location.and_then(|location| location.file.map(str::to_owned)),
                line: location
                    .and_then(|location| location.line)
                    .filter(|&line| line > 0),
            });
        }
        found
    }
}

/// A function at an address.
struct Frame {
    symbol: String,
    language: Option<gimli::DwLang>,
    file: Option<String>,
    /// Not 0.
    line: Option<u32>,
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
