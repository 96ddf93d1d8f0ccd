//! Finds the calls of the OpenMP runtime in machine code.
//!
//! The place of a construct among those of its function must not depend on which of them a run
//! happened to execute, so it is read from the binary: each construct has at least one call of
//! a known entry point. A relative call whose target is exactly such an entry is taken for one
//! without disassembling; chance hits need 32 matching bits. x86-64 only; on other machines
//! places are counted among the constructs that the run executed.

use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget,
    SectionKind, SymbolIndex,
};
use rustc_hash::FxHashMap;

use super::ranges::Elf;

/// Kinds of constructs that definitions are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ConstructKind {
    Parallel,
    Task,
    Taskloop,
    Loop,
    Single,
    Sections,
    Critical,
    Ordered,
    Doacross,
    Atomic,
    Lock,
}

impl ConstructKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Parallel => "parallel",
            Self::Task => "task",
            Self::Taskloop => "taskloop",
            Self::Loop => "loop",
            Self::Single => "single",
            Self::Sections => "sections",
            Self::Critical => "critical",
            Self::Ordered => "ordered",
            Self::Doacross => "doacross",
            Self::Atomic => "atomic",
            Self::Lock => "lock",
        }
    }
}

/// Calls of functions of other modules that are kept.
const MAX_OUTGOING: usize = 1 << 20;

/// A call of an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    /// Address of the call's last byte: one less than what the runtime sees as return address.
    pub(super) address: u64,
    /// Constructs that the entry point begins; none for all other functions of the runtime.
    pub(super) kinds: &'static [ConstructKind],
    /// It is a jump in place of a last call, so the runtime sees a return address elsewhere.
    pub(super) is_tail: bool,
}

/// Whether the module calls the entry points of GNU's runtime, so was compiled by GCC.
pub(super) fn uses_gnu_entries(file: &Elf<'_>) -> bool {
    let mut dynamic = file.dynamic_symbols().chain(file.symbols());
    dynamic.any(|symbol| {
        symbol.is_undefined() && symbol.name().is_ok_and(|name| name.starts_with("GOMP_"))
    })
}

/// Whether the module calls functions of a runtime that is linked dynamically.
pub(super) fn imports_runtime(file: &Elf<'_>) -> bool {
    file.dynamic_symbols().any(|symbol| {
        let is_of_runtime = |name| kinds_of_function(name).is_some();
        symbol.is_undefined() && symbol.name().is_ok_and(is_of_runtime)
    })
}

/// Calls of functions of other modules.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// Addresses of the last bytes of calls with numbers of symbols, ascending.
    calls: Vec<(u64, u32)>,
    symbols: FxHashMap<u32, String>,
}

impl Outgoing {
    /// The symbol of the function that is called by the call with this last byte.
    pub(super) fn symbol(&self, last: u64) -> Option<&str> {
        let at = self.calls.binary_search_by_key(&last, |(last, _)| *last);
        let (_, number) = self.calls.get(at.ok()?)?;
        Some(self.symbols.get(number)?)
    }

    fn add(&mut self, last: u64, symbol: u32) {
        if self.calls.len() < MAX_OUTGOING {
            self.calls.push((last, symbol));
        }
    }

    /// Addresses of the last bytes of calls with the symbols of the functions that they call.
    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        let calls = self.calls.iter();
        calls.filter_map(|(last, number)| Some((*last, self.symbols.get(number)?.as_str())))
    }

    fn name_symbols(&mut self, file: &Elf<'_>) {
        self.calls.sort_unstable();
        let Some(table) = file.dynamic_symbol_table() else {
            return;
        };
        for &(_, number) in &self.calls {
            if self.symbols.contains_key(&number) {
                continue;
            }
            let symbol = table.symbol_by_index(SymbolIndex(number as usize));
            if let Ok(name) = symbol.and_then(|symbol| symbol.name()) {
                self.symbols.insert(number, name.to_owned());
            }
        }
    }
}

/// Calls in the code of a module.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls of functions of the runtime, by address.
    pub(super) list: Vec<Call>,
    /// Functions of the module by the stubs and pointers through which the module calls them.
    pub(super) aliases: FxHashMap<u64, u64>,
    /// Instructions that load the address of a function of the runtime, which a later instruction calls.
    pub(super) loads: Vec<u64>,
    pub(super) outgoing: Outgoing,
}

/// Finds all calls of functions of the runtime. x86-64 only.
pub(super) fn find_calls(file: &Elf<'_>) -> Calls {
    let mut calls = Calls::default();
    if file.architecture() != Architecture::X86_64 {
        return calls;
    }
    let mut targets = Targets {
        slots: slots(file),
        entries: static_entries(file),
    };
    let text: Vec<_> = file
        .sections()
        .filter(|section| section.kind() == SectionKind::Text)
        .collect();
    for section in &text {
        add_stubs(section, &mut targets);
    }
    for section in &text {
        scan(section, &targets, &mut calls);
    }
    calls.list.sort_unstable();
    calls.list.dedup();
    calls.outgoing.name_symbols(file);
    let all = targets.slots.into_iter().chain(targets.entries);
    calls.aliases = all
        .filter_map(|(address, target)| match target {
            Target::Own(function) => Some((address, function)),
            Target::Runtime(_) | Target::Other(_) => None,
        })
        .collect();
    calls
}

/// The function that a call reaches.
#[derive(Debug, Clone, Copy)]
enum Target {
    /// A function of the runtime, and what it begins.
    Runtime(&'static [ConstructKind]),
    /// The function of the module at an address.
    Own(u64),
    /// A function of another module, by the number of its symbol.
    Other(u32),
}

impl Target {
    const fn kinds(self) -> Option<&'static [ConstructKind]> {
        match self {
            Self::Runtime(kinds) => Some(kinds),
            Self::Own(_) | Self::Other(_) => None,
        }
    }
}

/// Known targets of calls by their addresses.
struct Targets {
    /// Pointers through which dynamic symbols are called.
    slots: FxHashMap<u64, Target>,
    /// Code.
    entries: FxHashMap<u64, Target>,
}

/// Targets of the pointers through which dynamic symbols are called.
fn slots(file: &Elf<'_>) -> FxHashMap<u64, Target> {
    let mut slots = FxHashMap::default();
    let Some(table) = file.dynamic_symbol_table() else {
        return slots;
    };
    for (address, relocation) in file.dynamic_relocations().into_iter().flatten() {
        let RelocationTarget::Symbol(index) = relocation.target() else {
            continue;
        };
        let Ok(symbol) = table.symbol_by_index(index) else {
            continue;
        };
        let kinds = symbol.name().ok().and_then(kinds_of_function);
        if let Some(kinds) = kinds {
            slots.insert(address, Target::Runtime(kinds));
        } else if symbol.is_definition() {
            slots.insert(address, Target::Own(symbol.address()));
        } else if let Ok(number) = u32::try_from(index.0) {
            slots.insert(address, Target::Other(number));
        }
    }
    slots
}

/// Functions of a runtime that is linked statically.
fn static_entries(file: &Elf<'_>) -> FxHashMap<u64, Target> {
    let defined = file.symbols().filter(ObjectSymbol::is_definition);
    defined
        .filter_map(|symbol| {
            let kinds = kinds_of_function(symbol.name().ok()?)?;
            Some((symbol.address(), Target::Runtime(kinds)))
        })
        .collect()
}

/// Stubs that jump through a slot: the targets of ordinary calls.
fn add_stubs<'d>(section: &impl ObjectSection<'d>, targets: &mut Targets) {
    let Ok(name) = section.name() else { return };
    let stub_len = match name {
        ".plt.got" => 8,
        ".plt" | ".plt.sec" => 16,
        _ => return,
    };
    let Ok(code) = section.data() else { return };
    for (at, window) in code.windows(6).enumerate() {
        let &[0xff, 0x25, a, b, c, d] = window else {
            continue;
        };
        let behind = section.address().wrapping_add(at as u64 + 6);
        let slot = behind.wrapping_add_signed(i64::from(i32::from_le_bytes([a, b, c, d])));
        if let Some(&target) = targets.slots.get(&slot) {
            let stub = at as u64 / stub_len * stub_len;
            targets
                .entries
                .insert(section.address().wrapping_add(stub), target);
        }
    }
}

fn scan<'d>(section: &impl ObjectSection<'d>, targets: &Targets, calls: &mut Calls) {
    let Ok(code) = section.data() else { return };
    if section.name().is_ok_and(|name| name.starts_with(".plt")) {
        return;
    }
    let Targets { slots, entries } = targets;
    for (at, first) in code.iter().enumerate() {
        // Few bytes can begin what is looked for.
        if !matches!(first, 0x0f | 0x8b | 0xe8 | 0xe9 | 0xff) {
            continue;
        }
        let rest = code.get(at..).unwrap_or_default();
        let address = section.address().wrapping_add(at as u64);
        let target = |bytes: [u8; 4], len: u64| {
            let distance = i64::from(i32::from_le_bytes(bytes));
            address.wrapping_add(len).wrapping_add_signed(distance)
        };
        let (found, last, is_tail) = match *rest {
            [0xe8, a, b, c, d, ..] => (entries.get(&target([a, b, c, d], 5)), 4, false),
            [0xe9, a, b, c, d, ..] => (entries.get(&target([a, b, c, d], 5)), 4, true),
            [0x0f, 0x80..=0x8f, a, b, c, d, ..] => (entries.get(&target([a, b, c, d], 6)), 5, true),
            [0xff, 0x15, a, b, c, d, ..] => (slots.get(&target([a, b, c, d], 6)), 5, false),
            [0xff, 0x25, a, b, c, d, ..] => (slots.get(&target([a, b, c, d], 6)), 5, true),
            // `mov` to a register.
            [0x8b, byte, a, b, c, d, ..] if byte & 0xc7 == 0x05 => {
                let loaded = slots.get(&target([a, b, c, d], 6));
                if loaded.is_some_and(|target| target.kinds().is_some()) {
                    calls.loads.push(address);
                }
                continue;
            }
            _ => continue,
        };
        let last = address.wrapping_add(last);
        match found {
            Some(&Target::Runtime(kinds)) => calls.list.push(Call {
                address: last,
                kinds,
                is_tail,
            }),
            Some(&Target::Other(symbol)) if !is_tail => calls.outgoing.add(last, symbol),
            _ => {}
        }
    }
}

/// Constructs that a function of the runtime begins; absent for other functions.
fn kinds_of_function(name: &str) -> Option<&'static [ConstructKind]> {
    let is_of_runtime = ["GOMP_", "__kmp", "omp_"]
        .iter()
        .any(|start| name.starts_with(start));
    is_of_runtime.then(|| kinds_of_entry(name).unwrap_or_default())
}

fn kinds_of_entry(name: &str) -> Option<&'static [ConstructKind]> {
    use ConstructKind::{
        Atomic, Critical, Doacross, Lock, Loop, Ordered, Parallel, Sections, Single, Task, Taskloop,
    };
    let kinds: &[ConstructKind] = match name {
        "__kmpc_omp_task"
        | "__kmpc_omp_task_with_deps"
        | "__kmpc_omp_task_begin_if0"
        | "__kmpc_omp_task_parts"
        | "__kmpc_omp_taskwait_deps_51"
        | "__kmpc_omp_wait_deps"
        | "GOMP_taskwait_depend"
        | "GOMP_task" => &[Task],
        "__kmpc_fork_call"
        | "__kmpc_fork_call_if"
        | "__kmpc_serialized_parallel"
        | "GOMP_parallel"
        | "GOMP_parallel_start"
        | "GOMP_parallel_reductions" => &[Parallel],
        "__kmpc_single" | "GOMP_single_start" | "GOMP_single_copy_start" => &[Single],
        "GOMP_parallel_sections" => &[Parallel, Sections],
        _ if name.starts_with("GOMP_sections") && name.contains("start") => &[Sections],
        _ if name.starts_with("__kmpc_taskloop") || name.starts_with("GOMP_taskloop") => {
            &[Taskloop]
        }
        "__kmpc_critical"
        | "__kmpc_critical_with_hint"
        | "GOMP_critical_start"
        | "GOMP_critical_name_start" => &[Critical],
        "__kmpc_ordered" | "GOMP_ordered_start" => &[Ordered],
        "__kmpc_doacross_wait" | "GOMP_doacross_wait" | "GOMP_doacross_ull_wait" => &[Doacross],
        "GOMP_atomic_start" => &[Atomic],
        _ if name.starts_with("__kmpc_atomic_") => &[Atomic],
        "omp_set_lock" | "omp_test_lock" | "omp_set_nest_lock" | "omp_test_nest_lock" => &[Lock],
        _ if name.starts_with("GOMP_parallel_loop_") => &[Parallel, Loop],
        _ if name.starts_with("__kmpc_") && has_loop_start(name) => &[Loop],
        _ if name.starts_with("GOMP_loop_") && name.contains("start") => &[Loop],
        _ => return None,
    };
    Some(kinds)
}

fn has_loop_start(name: &str) -> bool {
    [
        "for_static_init",
        "dispatch_init",
        "distribute_static_init",
        "team_static_init",
    ]
    .iter()
    .any(|part| name.contains(part))
}
