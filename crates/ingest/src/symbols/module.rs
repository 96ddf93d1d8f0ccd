//! One executable or library: sites of code and the constructs it contains.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Instant;

use object::{Object, ObjectSegment, ObjectSymbol};

use super::calls::{self, Call, ConstructKind};
use super::compiler;
use super::creators;
use super::lines::{LineInfo, Lines};
use super::names;
use super::ranges::{Elf, Ranges};
use super::source::{ModuleFile, NoSymbols};
use crate::limits;

/// Tasks inside tasks that are followed to the function around them.
const MAX_NESTED_TASKS: usize = 32;

/// A place in the source, as far as known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CodeSite {
    /// Function that contains the code, demangled, without what compilers append.
    pub(crate) function: Option<String>,
    pub(crate) file: Option<String>,
    /// Not 0.
    pub(crate) line: Option<u32>,
    /// What the call there begins; empty if the binary does not show it.
    pub(crate) begins: &'static [ConstructKind],
}

impl CodeSite {
    /// Whether a construct of this kind can be reported with this site. Compilers begin sections
    /// like loops.
    pub(crate) fn can_begin(&self, kind: ConstructKind) -> bool {
        let is_like_loop = kind == ConstructKind::Sections;
        self.begins.is_empty()
            || self.begins.contains(&kind)
            || (is_like_loop && self.begins.contains(&ConstructKind::Loop))
    }
}

/// Why a module can or cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleState {
    /// It can.
    Loaded,
    /// It cannot.
    NoSymbols(NoSymbols),
}

/// Position of a construct in its function. Those without a line come after the others, by
/// offset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    has_no_line: bool,
    pub(crate) file: Option<String>,
    /// 0 when there is none.
    pub(crate) line: u32,
    /// 0 where there is a line: code that is there twice (inlined, unrolled) is one construct.
    offset: u64,
}

/// One executable or library.
pub(crate) struct Module {
    pub(crate) state: ModuleState,
    /// As the trace names it.
    pub(crate) path: String,
    /// Without folders.
    pub(crate) name: String,
    /// Whether it was compiled for GNU's runtime.
    pub(crate) is_gnu: bool,
    /// (offset in the file, length, address) of what is loaded.
    segments: Vec<(u64, u64, u64)>,
    lines: Option<Lines>,
    /// The compiler and its options.
    producer: Option<String>,
    /// (address, name) of functions, ascending.
    symbols: Vec<(u64, String)>,
    /// Code that refers to outlined code without a name, by the start of the latter.
    creators: HashMap<u64, u64>,
    constructs: BTreeMap<(ConstructKind, String), BTreeSet<Place>>,
    /// Those of `constructs` that are begun by a jump.
    tail_constructs: BTreeMap<(ConstructKind, String), BTreeSet<Place>>,
    /// What each call begins, by the address of its last byte.
    calls: HashMap<u64, &'static [ConstructKind]>,
    /// Places of calls for which debug information may state that of other code.
    corrected: HashMap<u64, LineInfo>,
}

impl Module {
    /// Reads a module, at most `budget` bytes of it; also returns how many bytes were read.
    pub(super) fn load(
        path: &str,
        build_id: Option<&str>,
        file: Result<Box<dyn ModuleFile>, NoSymbols>,
        budget: u64,
    ) -> (Self, u64) {
        let deadline = Instant::now() + limits::MODULE_TIME;
        let ranges = match file.and_then(|file| Ranges::open(file, budget, deadline)) {
            Ok(ranges) => ranges,
            Err(why) => return (Self::without_symbols(path, why), 0),
        };
        let mut module = Self::without_symbols(path, NoSymbols::Unreadable);
        match module.read(&ranges, build_id) {
            Ok(()) => module.state = ModuleState::Loaded,
            Err(why) => module = Self::without_symbols(path, why),
        }
        (module, ranges.num_read())
    }

    fn without_symbols(path: &str, why: NoSymbols) -> Self {
        Self {
            state: ModuleState::NoSymbols(why),
            path: path.to_owned(),
            name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            is_gnu: false,
            segments: Vec::new(),
            lines: None,
            producer: None,
            symbols: Vec::new(),
            creators: HashMap::new(),
            constructs: BTreeMap::new(),
            tail_constructs: BTreeMap::new(),
            calls: HashMap::new(),
            corrected: HashMap::new(),
        }
    }

    fn read(&mut self, ranges: &Ranges, build_id: Option<&str>) -> Result<(), NoSymbols> {
        let unreadable = |_| ranges.why(NoSymbols::Unreadable);
        let file = Elf::parse(ranges).map_err(unreadable)?;
        let found_id = file.build_id().ok().flatten().map(hex);
        if let (Some(expected), Some(found)) = (build_id, &found_id)
            && !expected.eq_ignore_ascii_case(found)
        {
            return Err(NoSymbols::OtherBuild);
        }
        self.fill(&file, ranges);
        ranges.fault().map_or(Ok(()), Err)
    }

    fn fill(&mut self, file: &Elf<'_>, ranges: &Ranges) {
        self.segments = file
            .segments()
            .map(|segment| {
                let (offset, len) = segment.file_range();
                (offset, len, segment.address())
            })
            .collect();
        self.is_gnu = calls::uses_gnu_entries(file);
        self.lines = Lines::read(file, ranges);
        let described = self.lines.as_mut().and_then(|lines| lines.producer.take());
        self.producer = compiler::producer(file, ranges, described);
        let functions = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text);
        for symbol in functions {
            let Ok(name) = symbol.name() else { continue };
            if !ranges.charge_name(name.len()) {
                return;
            }
            self.symbols.push((symbol.address(), name.to_owned()));
        }
        self.symbols.sort();
        let nameless = self
            .symbols
            .iter()
            .filter(|(_, name)| names::without_suffix(name).is_none());
        let nameless: HashSet<u64> = nameless.map(|(address, _)| *address).collect();
        self.creators = creators::find_references(file, &nameless);
        let calls = calls::find_calls(file);
        if self.is_gnu {
            self.correct_places(file, &calls, ranges);
        }
        self.find_constructs(&calls, ranges);
    }

    /// GCC states no places for many of its calls, so that they have that of code before them. The code that they pass
    /// to the runtime has a place of its own: that of the construct or of its first statement.
    fn correct_places(&mut self, file: &Elf<'_>, calls: &[Call], ranges: &Ranges) {
        use ConstructKind::{Parallel, Task, Taskloop};
        let outlined = (self.symbols.iter()).filter(|(_, name)| names::is_outlined(name));
        let outlined: HashSet<u64> = outlined.map(|(address, _)| *address).collect();
        let calls = calls.iter().filter(|call| {
            let mut kinds = call.kinds.iter();
            kinds.any(|kind| [Parallel, Task, Taskloop].contains(kind))
        });
        let start_of = |address| {
            self.symbol_around(address)
                .map_or(address, |(start, _)| *start)
        };
        let addresses: Vec<u64> = calls.map(|call| call.address).collect();
        let passed = creators::find_passed(file, &addresses, &outlined, start_of);
        let Some(lines) = &self.lines else { return };
        for (number, (call, code)) in passed.into_iter().enumerate() {
            if number % 1024 == 0 && ranges.fault().is_some() {
                return;
            }
            if let Some(place) = lines.look_up_outlined(code) {
                self.corrected.insert(call, place);
            }
        }
    }

    fn find_constructs(&mut self, calls: &[Call], ranges: &Ranges) {
        for (number, call) in calls.iter().enumerate() {
            if number % 1024 == 0 && ranges.fault().is_some() {
                return;
            }
            if !call.is_tail {
                self.calls.insert(call.address, call.kinds);
            }
            let offset = self.file_offset(call.address);
            let site = self.site_at(call.address);
            let Some(function) = &site.function else {
                continue;
            };
            for &kind in call.kinds {
                let key = (kind, function.clone());
                if call.is_tail {
                    let places = self.tail_constructs.entry(key.clone()).or_default();
                    places.insert(site.place(offset));
                }
                self.constructs
                    .entry(key)
                    .or_default()
                    .insert(site.place(offset));
            }
        }
    }

    /// What is at an offset of the file.
    pub(crate) fn site(&self, file_offset: u64) -> CodeSite {
        let segment = self.segments.iter().find(|(offset, len, _)| {
            file_offset
                .checked_sub(*offset)
                .is_some_and(|distance| distance < *len)
        });
        match segment {
            Some((offset, _, address)) => self.site_at(address.wrapping_add(file_offset - offset)),
            None => CodeSite::default(),
        }
    }

    /// Places of the constructs of a kind in a function, whether or not a run executes them.
    pub(crate) fn constructs(
        &self,
        kind: ConstructKind,
        function: &str,
    ) -> impl Iterator<Item = &Place> {
        self.constructs
            .get(&(kind, function.to_owned()))
            .into_iter()
            .flatten()
    }

    /// The construct that one without a usable site must be: the only one of its kind in the
    /// function that is begun by a jump, else the only one at all.
    pub(crate) fn only_construct(&self, kind: ConstructKind, function: &str) -> Option<&Place> {
        let key = (kind, function.to_owned());
        [&self.tail_constructs, &self.constructs]
            .into_iter()
            .find_map(|constructs| {
                let places = constructs.get(&key)?;
                places.first().filter(|_| places.len() == 1)
            })
    }

    /// The compiler and its options, as far as the file states.
    pub(crate) fn producer(&self) -> Option<&str> {
        self.producer.as_deref()
    }

    fn site_at(&self, address: u64) -> CodeSite {
        let look_up = || {
            let lines = self.lines.as_ref()?;
            Some(lines.look_up(address, || self.creator(address)))
        };
        let info = self.corrected.get(&address).cloned().or_else(look_up);
        let LineInfo {
            function,
            file,
            line,
        } = info.unwrap_or_default();
        let begins = self.calls.get(&address).copied().unwrap_or_default();
        CodeSite {
            function: function.or_else(|| self.symbol_at(address)),
            file,
            line,
            begins,
        }
    }

    fn symbol_at(&self, address: u64) -> Option<String> {
        let (_, symbol) = self.symbol_around(address)?;
        names::function_name(symbol, None)
            .or_else(|| names::function_name(&self.creator(address)?, None))
    }

    fn symbol_around(&self, address: u64) -> Option<&(u64, String)> {
        let behind = self.symbols.partition_point(|(start, _)| *start <= address);
        self.symbols.get(behind.checked_sub(1)?)
    }

    /// The symbol of the function that creates the task whose code is at an address.
    fn creator(&self, mut address: u64) -> Option<String> {
        for _ in 0..MAX_NESTED_TASKS {
            let (start, _) = self.symbol_around(address)?;
            address = *self.creators.get(start)?;
            let described = self.lines.as_ref().and_then(|lines| lines.symbol(address));
            let symbol = described.or_else(|| {
                let (_, symbol) = self.symbol_around(address)?;
                names::without_suffix(symbol)
                    .is_some()
                    .then(|| symbol.clone())
            });
            if symbol.is_some() {
                return symbol;
            }
        }
        None
    }

    fn file_offset(&self, address: u64) -> u64 {
        let inside = self.segments.iter().find_map(|(offset, len, start)| {
            let distance = address
                .checked_sub(*start)
                .filter(|distance| distance < len)?;
            Some(offset + distance)
        });
        inside.unwrap_or(address)
    }
}

impl CodeSite {
    /// The key by which constructs of one function are put in order.
    pub(crate) fn place(&self, file_offset: u64) -> Place {
        match self.line {
            Some(line) => Place {
                has_no_line: false,
                file: self.file.clone(),
                line,
                offset: 0,
            },
            None => Place {
                has_no_line: true,
                file: None,
                line: 0,
                offset: file_offset,
            },
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
impl Module {
    /// Lines of the constructs of a kind, in their order.
    pub(super) fn lines(&self, wanted: ConstructKind) -> Vec<u32> {
        let all = self.constructs.iter();
        let all = all.filter(|((kind, _), _)| *kind == wanted);
        all.flat_map(|(_, places)| places.iter().map(|place| place.line))
            .collect()
    }

    /// Functions and kinds of all constructs.
    pub(super) fn functions(&self) -> impl Iterator<Item = (&str, ConstructKind)> {
        let keys = self.constructs.keys();
        keys.map(|(kind, function)| (function.as_str(), *kind))
    }
}
