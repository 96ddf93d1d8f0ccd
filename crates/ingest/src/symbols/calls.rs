//! Finds the calls into the OpenMP runtime in machine code.
//!
//! The place of a construct among those of its function must not depend on which of them a run
//! happened to execute, so it is read from the binary: each construct has at least one call of
//! a known entry point. A relative call whose target is exactly such an entry is taken for one
//! without disassembling; chance hits need 32 matching bits. x86-64 only; on other machines
//! places are counted among the constructs that the run executed.

use std::collections::HashMap;

use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget,
    SectionKind,
};

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

/// A call of an entry point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    /// Address of the call's last byte: one less than what the runtime sees as return address.
    pub(super) address: u64,
    /// What the entry point begins.
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

/// All calls of known entry points, by address.
pub(super) fn find_calls(file: &Elf<'_>) -> Vec<Call> {
    if file.architecture() != Architecture::X86_64 {
        return Vec::new();
    }
    let slots = slots(file);
    let mut entries = static_entries(file);
    let text: Vec<_> = file
        .sections()
        .filter(|section| section.kind() == SectionKind::Text)
        .collect();
    for section in &text {
        add_stubs(section, &slots, &mut entries);
    }
    let mut calls = Vec::new();
    for section in &text {
        scan(section, &slots, &entries, &mut calls);
    }
    calls.sort_unstable();
    calls.dedup();
    calls
}

type Entries = HashMap<u64, &'static [ConstructKind]>;

/// Addresses of the pointers through which dynamic entry points are called.
fn slots(file: &Elf<'_>) -> Entries {
    let mut slots = Entries::new();
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
        if let Some(kinds) = symbol.name().ok().and_then(kinds_of_entry) {
            slots.insert(address, kinds);
        }
    }
    slots
}

/// Entry points of a runtime that is linked statically.
fn static_entries(file: &Elf<'_>) -> Entries {
    let defined = file.symbols().filter(ObjectSymbol::is_definition);
    defined
        .filter_map(|symbol| Some((symbol.address(), kinds_of_entry(symbol.name().ok()?)?)))
        .collect()
}

/// Stubs that jump through a slot: the targets of ordinary calls.
fn add_stubs<'d>(section: &impl ObjectSection<'d>, slots: &Entries, entries: &mut Entries) {
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
        if let Some(kinds) = slots.get(&slot) {
            let stub = at as u64 / stub_len * stub_len;
            entries.insert(section.address().wrapping_add(stub), kinds);
        }
    }
}

fn scan<'d>(
    section: &impl ObjectSection<'d>,
    slots: &Entries,
    entries: &Entries,
    calls: &mut Vec<Call>,
) {
    let Ok(code) = section.data() else { return };
    if section.name().is_ok_and(|name| name.starts_with(".plt")) {
        return;
    }
    for (at, window) in code.windows(6).enumerate() {
        let address = section.address().wrapping_add(at as u64);
        let target = |bytes: [u8; 4], len: u64| {
            let distance = i64::from(i32::from_le_bytes(bytes));
            address.wrapping_add(len).wrapping_add_signed(distance)
        };
        let (kinds, last, is_tail) = match *window {
            [0xe8, a, b, c, d, _] => (entries.get(&target([a, b, c, d], 5)), 4, false),
            [0xe9, a, b, c, d, _] => (entries.get(&target([a, b, c, d], 5)), 4, true),
            [0xff, 0x15, a, b, c, d] => (slots.get(&target([a, b, c, d], 6)), 5, false),
            [0xff, 0x25, a, b, c, d] => (slots.get(&target([a, b, c, d], 6)), 5, true),
            _ => continue,
        };
        if let Some(&kinds) = kinds {
            calls.push(Call {
                address: address.wrapping_add(last),
                kinds,
                is_tail,
            });
        }
    }
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
