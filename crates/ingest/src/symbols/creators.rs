//! Finds the code that creates tasks whose code has no name of its own.
//!
//! Clang moves the code of tasks to functions without the name of the function around them
//! (`.omp_task_entry.`). The function that creates a task refers to the address of the task's
//! code. Like the calls of entry points, references are found without disassembling.

use std::collections::{HashMap, HashSet};

use object::{Architecture, Object, ObjectSection, SectionKind};

use super::ranges::Elf;

/// Bytes in front of a call in which its first argument is set.
const ARGUMENTS: usize = 96;
/// The register of the first argument.
const RDI: u8 = 7;

/// A reference to the address of some code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Reference {
    address: u64,
    target: u64,
    /// The register that it sets; absent for calls.
    register: Option<u8>,
}

/// The first reference to each of the addresses in code. x86-64 only.
pub(super) fn find_references(file: &Elf<'_>, targets: &HashSet<u64>) -> HashMap<u64, u64> {
    let mut first = HashMap::new();
    for (start, code) in texts(file, targets) {
        for reference in scan(start, code, targets) {
            let known = first.entry(reference.target).or_insert(reference.address);
            *known = reference.address.min(*known);
        }
    }
    first
}

/// The outlined code that each call passes to GCC's runtime as its first argument, by the address of the last byte of
/// the call. Calls are ascending. `start_of` returns where the function around an address begins. x86-64 only.
pub(super) fn find_passed(
    file: &Elf<'_>,
    calls: &[u64],
    outlined: &HashSet<u64>,
    start_of: impl Fn(u64) -> u64,
) -> HashMap<u64, u64> {
    let mut passed = HashMap::new();
    for (start, code) in texts(file, outlined) {
        let references = scan(start, code, outlined);
        let first = calls.partition_point(|call| *call < start);
        for &call in calls.get(first..).unwrap_or_default() {
            let at = usize::try_from(call - start).unwrap_or(usize::MAX);
            let Some(before) = code.get(..at) else { break };
            let found = first_argument(start, before, &references, || start_of(call));
            passed.extend(found.map(|code| (call, code)));
        }
    }
    passed
}

/// The code that the register of the first argument refers to behind some instructions: it is set at once, or from
/// another register that was set in the function.
fn first_argument(
    start: u64,
    before: &[u8],
    references: &[Reference],
    function: impl Fn() -> u64,
) -> Option<u64> {
    let last_setting = |register: u8, from: u64, to: u64| {
        let behind = references.partition_point(|reference| reference.address < to);
        let all = references.get(..behind)?.iter().rev();
        let mut near = all.take_while(|reference| reference.address >= from);
        near.find(|reference| reference.register == Some(register))
            .copied()
    };
    let end = start.wrapping_add(before.len() as u64);
    let near = end.saturating_sub(ARGUMENTS as u64);
    let at_once = last_setting(RDI, near, end);
    let window = before.get(before.len().saturating_sub(ARGUMENTS)..)?;
    // `mov` of a register to that of the first argument.
    let is_move = |code: &[u8]| matches!(*code, [0x48 | 0x4c, 0x89, byte] if byte & 0xc7 == 0xc7);
    let moved = window.windows(3).rposition(is_move);
    let moved = moved.map(|at| (end - (window.len() - at) as u64, &window[at..at + 3]));
    match (at_once, moved) {
        (Some(setting), Some((at, _))) if setting.address > at => Some(setting.target),
        (_, Some((at, code))) => {
            let register = (code[0] & 4) << 1 | (code[2] >> 3) & 7;
            Some(last_setting(register, function(), at)?.target)
        }
        (setting, None) => Some(setting?.target),
    }
}

/// Sections of code with their addresses.
fn texts<'d>(file: &Elf<'d>, targets: &HashSet<u64>) -> Vec<(u64, &'d [u8])> {
    if file.architecture() != Architecture::X86_64 || targets.is_empty() {
        return Vec::new();
    }
    let sections = file.sections();
    let texts = sections.filter(|section| section.kind() == SectionKind::Text);
    texts
        .filter_map(|section| Some((section.address(), section.data().ok()?)))
        .collect()
}

/// References in code to some addresses, ascending.
fn scan(start: u64, code: &[u8], targets: &HashSet<u64>) -> Vec<Reference> {
    let mut references = Vec::new();
    for (at, window) in code.windows(7).enumerate() {
        let address = start.wrapping_add(at as u64);
        let relative = |bytes: [u8; 4], len: u64| {
            let distance = i64::from(i32::from_le_bytes(bytes));
            address.wrapping_add(len).wrapping_add_signed(distance)
        };
        let absolute = |bytes: [u8; 4]| u64::from(u32::from_le_bytes(bytes));
        let (target, register) = match *window {
            // `lea` of an address relative to the code.
            [prefix @ (0x48 | 0x4c), 0x8d, byte, a, b, c, d] if byte & 0xc7 == 0x05 => {
                let register = (prefix & 4) << 1 | (byte >> 3) & 7;
                (relative([a, b, c, d], 7), Some(register))
            }
            // `mov` of an address in code that is not relocated.
            [0x41, byte @ 0xb8..=0xbf, a, b, c, d, _] => {
                (absolute([a, b, c, d]), Some(8 + (byte & 7)))
            }
            [byte @ 0xb8..=0xbf, a, b, c, d, _, _] => (absolute([a, b, c, d]), Some(byte & 7)),
            // A call: tasks that are not deferred.
            [0xe8, a, b, c, d, _, _] => (relative([a, b, c, d], 5), None),
            _ => continue,
        };
        if targets.contains(&target) {
            references.push(Reference {
                address,
                target,
                register,
            });
        }
    }
    references
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_relative_or_not() {
        let target = 0x2000_u64;
        for (code, expected) in [
            // lea 0xff9(%rip), %r9
            (
                &[0x4c, 0x8d, 0x0d, 0xf9, 0x0f, 0, 0][..],
                Some((0x1000, Some(9))),
            ),
            // nop; mov $0x2000, %r9d
            (
                &[0x90, 0x41, 0xb9, 0, 0x20, 0, 0, 0x90][..],
                Some((0x1001, Some(9))),
            ),
            // call 0x2000
            (
                &[0xe8, 0xfb, 0x0f, 0, 0, 0x90, 0x90][..],
                Some((0x1000, None)),
            ),
            // lea 0xff9(%rsi), %rcx
            (&[0x48, 0x8d, 0x8e, 0xf9, 0x0f, 0, 0][..], None),
        ] {
            let references = scan(0x1000, code, &HashSet::from([target]));
            let found: Vec<_> = references
                .iter()
                .map(|found| (found.address, found.register))
                .collect();
            assert_eq!(found, Vec::from_iter(expected), "{code:x?}");
        }
    }

    #[test]
    fn first_arguments_are_set_at_once_or_from_other_registers() {
        let setting = |address, target, register| Reference {
            address,
            target,
            register: Some(register),
        };
        // Two addresses are kept in r13 and r14 in front of a loop; the second is moved.
        let kept = [setting(0x1000, 3, 14), setting(0x1007, 4, 13)];
        let move_of = |bytes: [u8; 3]| [&[0x90; 0x20][..], &bytes, &[0x90; 4]].concat();
        let (r14, r13) = (move_of([0x4c, 0x89, 0xf7]), move_of([0x4c, 0x89, 0xef]));
        let found = |code: &[u8], references: &[Reference], function: u64| {
            first_argument(0x1000, code, references, || function)
        };
        assert_eq!(found(&r14, &kept, 0x1000), Some(3));
        assert_eq!(found(&r13, &kept, 0x1000), Some(4));
        // Another function set the register.
        assert_eq!(found(&r14, &kept, 0x1004), None);
        let at_once = [kept[0], kept[1], setting(0x1010, 5, RDI)];
        assert_eq!(found(&[0x90; 0x20], &at_once, 0x1000), Some(5));
        assert_eq!(found(&[0x90; 0x20], &kept, 0x1000), None);
        assert_eq!(found(&[0x90; 0x200], &at_once, 0x1000), None);
    }
}
