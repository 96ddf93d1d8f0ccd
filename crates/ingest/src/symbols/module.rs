//! One executable or library: sites of code and the constructs it contains.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Instant;

use object::{Architecture, Object, ObjectSegment, ObjectSymbol};
use rustc_hash::FxHashMap;

use super::calls::{self, Call, Calls, ConstructKind, Outgoing};
use super::compiler;
use super::creators;
use super::lines::{LineInfo, Lines};
use super::names;
use super::ranges::{Elf, Ranges};
use super::source::{ModuleFile, NoSymbols};
use super::table::SymbolTable;
use super::tails::{self, Entered};
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

/// How certain it is that a construct is where the runtime was called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It is there.
    #[default]
    Exact,
    /// It is in the function there or in one that this function ends with.
    InFunction,
    /// It is in some function that is called there.
    Called,
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
    /// Whether its calls are known.
    is_scanned: bool,
    /// (offset in the file, length, address) of what is loaded.
    segments: Vec<(u64, u64, u64)>,
    lines: Option<Lines>,
    /// The compiler and its options.
    producer: Option<String>,
    symbols: SymbolTable,
    /// Code that refers to outlined code without a name, by the start of the latter.
    creators: HashMap<u64, u64>,
    constructs: BTreeMap<(ConstructKind, String), BTreeSet<Place>>,
    /// Those of `constructs` that are begun by a jump.
    tail_constructs: BTreeMap<(ConstructKind, String), BTreeSet<Place>>,
    /// Constructs that each call of the runtime begins, by the address of the call's last byte.
    calls: FxHashMap<u64, &'static [ConstructKind]>,
    /// Where the runtime is entered by jumps below calls, by the addresses of their last bytes.
    entered: FxHashMap<u64, Entered>,
    /// Where other modules enter the runtime by jumps if they call a function, by its symbol.
    exported: HashMap<String, Entered>,
    /// Calls of functions of other modules.
    outgoing: Outgoing,
    /// Starts of functions that call the runtime by the content of a register.
    register_callers: HashSet<u64>,
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

    /// Whether a module imports functions of the runtime; also returns how many bytes were read, at most `budget`.
    pub(super) fn imports_runtime(file: Box<dyn ModuleFile>, budget: u64) -> (bool, u64) {
        let deadline = Instant::now() + limits::MODULE_TIME;
        let Ok(ranges) = Ranges::open(file, budget, deadline) else {
            return (false, 0);
        };
        let is_importing = Elf::parse(&ranges).is_ok_and(|file| calls::imports_runtime(&file));
        (is_importing, ranges.num_read())
    }

    fn without_symbols(path: &str, why: NoSymbols) -> Self {
        Self {
            state: ModuleState::NoSymbols(why),
            path: path.to_owned(),
            name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            is_gnu: false,
            is_scanned: false,
            segments: Vec::new(),
            lines: None,
            producer: None,
            symbols: SymbolTable::default(),
            creators: HashMap::new(),
            constructs: BTreeMap::new(),
            tail_constructs: BTreeMap::new(),
            calls: FxHashMap::default(),
            entered: FxHashMap::default(),
            exported: HashMap::new(),
            outgoing: Outgoing::default(),
            register_callers: HashSet::new(),
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
        let Some(symbols) = SymbolTable::read(file, ranges) else {
            return;
        };
        self.symbols = symbols;
        let nameless = self
            .symbols
            .iter()
            .filter(|symbol| names::without_suffix(&symbol.name).is_none());
        let nameless: HashSet<u64> = nameless.map(|symbol| symbol.address).collect();
        self.creators = creators::find_references(file, &nameless);
        let mut calls = calls::find_calls(file);
        self.outgoing = std::mem::take(&mut calls.outgoing);
        self.is_scanned = file.architecture() == Architecture::X86_64;
        if self.is_gnu {
            self.correct_places(file, &calls.list, ranges);
        }
        self.find_constructs(&calls.list, ranges);
        self.find_entered(file, &calls, ranges);
    }

    /// GCC states no places for many of its calls, so that they have that of code before them. The code that they pass
    /// to the runtime has a place of its own: that of the construct or of its first statement.
    fn correct_places(&mut self, file: &Elf<'_>, calls: &[Call], ranges: &Ranges) {
        use ConstructKind::{Parallel, Task, Taskloop};
        let outlined = (self.symbols.iter()).filter(|symbol| names::is_outlined(&symbol.name));
        let outlined: HashSet<u64> = outlined.map(|symbol| symbol.address).collect();
        let calls = calls.iter().filter(|call| {
            let mut kinds = call.kinds.iter();
            kinds.any(|kind| [Parallel, Task, Taskloop].contains(kind))
        });
        let start_of = |address| self.symbols.start_around(address).unwrap_or(address);
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
            self.calls.insert(call.address, call.kinds);
            if call.kinds.is_empty() {
                continue;
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

    fn find_entered(&mut self, file: &Elf<'_>, calls: &Calls, ranges: &Ranges) {
        let loads = calls.loads.iter();
        self.register_callers = loads
            .filter_map(|&address| self.symbols.start_around(address))
            .collect();
        let start_of = |address| self.symbols.start_around(address);
        let is_same = |a, b| {
            let site = self.site_at(a);
            site.line.is_some() && site == self.site_at(b)
        };
        let is_late = || ranges.fault().is_some();
        let found = tails::find_entered(file, calls, start_of, is_same, is_late);
        self.entered = found.calls;
        if found.functions.is_empty() {
            return;
        }
        for symbol in file.dynamic_symbols().filter(ObjectSymbol::is_definition) {
            let entered = found.functions.get(&symbol.address());
            if let (Some(entered), Ok(name)) = (entered, symbol.name())
                && ranges.charge_name(name.len())
            {
                self.exported.insert(name.to_owned(), *entered);
            }
        }
    }

    /// What is at an offset of the file.
    pub(crate) fn site(&self, file_offset: u64) -> CodeSite {
        self.address(file_offset)
            .map_or_else(CodeSite::default, |address| self.site_at(address))
    }

    /// The offset of the last byte of the call that begins a construct, if the runtime states that of `file_offset`.
    ///
    /// They differ if a function that is called there enters the runtime by a jump: the runtime sees the return
    /// address of that function.
    pub(crate) fn follow(&self, file_offset: u64) -> (u64, Certainty) {
        let is_exact = |address| {
            let start = self.symbols.start_around(address);
            let is_scanned = !self.symbols.is_empty() && self.is_scanned;
            !is_scanned
                || self.calls.contains_key(&address)
                || start.is_some_and(|start| self.register_callers.contains(&start))
        };
        let Some(address) = self.address(file_offset) else {
            return (file_offset, Certainty::Exact);
        };
        match self.entered.get(&address) {
            Some(entered) => self.construct_of(*entered),
            None if is_exact(address) => (file_offset, Certainty::Exact),
            None => (file_offset, Certainty::Called),
        }
    }

    /// The symbol of the function of another module that is called at an offset of the file.
    pub(crate) fn called_symbol(&self, file_offset: u64) -> Option<&str> {
        self.outgoing.symbol(self.address(file_offset)?)
    }

    /// Like [`Module::follow`], for a call of a function of this module by another module.
    pub(crate) fn follow_symbol(&self, symbol: &str) -> Option<(u64, Certainty)> {
        let entered = self.exported.get(symbol)?;
        Some(self.construct_of(*entered))
    }

    fn construct_of(&self, entered: Entered) -> (u64, Certainty) {
        match entered {
            Entered::By(jump) => (self.file_offset(jump), Certainty::Exact),
            Entered::FromFunction(start) => (self.file_offset(start), Certainty::InFunction),
        }
    }

    /// The address of an offset of the file.
    fn address(&self, file_offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|(offset, len, address)| {
            let distance = file_offset.checked_sub(*offset)?;
            (distance < *len).then(|| address.wrapping_add(distance))
        })
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
        let symbol = &self.symbols.around(address)?.name;
        names::function_name(symbol, None)
            .or_else(|| names::function_name(&self.creator(address)?, None))
    }

    /// The symbol of the function that creates the task whose code is at an address.
    fn creator(&self, mut address: u64) -> Option<String> {
        for _ in 0..MAX_NESTED_TASKS {
            let start = self.symbols.start_around(address)?;
            address = *self.creators.get(&start)?;
            let described = self.lines.as_ref().and_then(|lines| lines.symbol(address));
            let symbol = described.or_else(|| {
                let symbol = &self.symbols.around(address)?.name;
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

    /// Symbols of the functions of other modules in the order of their calls in `main`.
    pub(super) fn outgoing(&self) -> impl Iterator<Item = &str> {
        let main = self.symbols.iter().find(|symbol| symbol.name == "main");
        let all = self.outgoing.iter();
        let calls = all.filter(move |(last, _)| {
            self.symbols.start_around(*last) == main.map(|main| main.address)
        });
        calls.map(|(_, symbol)| symbol)
    }
}
