//! Finds the code that creates tasks whose code has no name of its own.
//!
//! Clang moves the code of tasks to functions without the name of the function around them
//! (`.omp_task_entry.`). The function that creates a task refers to the address of the task's
//! code. Like the calls of entry points, references are found without disassembling.

use std::collections::{HashMap, HashSet};

use object::{Architecture, Object, ObjectSection, SectionKind};

use super::ranges::Elf;

/// Bytes in front of a call in which its arguments are set up.
const ARGUMENTS: u64 = 96;

/// The first reference to each of the addresses in code. x86-64 only.
pub(super) fn find_references(file: &Elf<'_>, targets: &HashSet<u64>) -> HashMap<u64, u64> {
    let mut references = HashMap::new();
    for (address, target) in all_references(file, targets) {
        let first = references.entry(target).or_insert(address);
        *first = address.min(*first);
    }
    references
}

/// The outlined code that each call passes to the runtime: the one that is referred to last in front of the call.
/// x86-64 only.
pub(super) fn find_passed(
    file: &Elf<'_>,
    calls: impl Iterator<Item = u64>,
    outlined: &HashSet<u64>,
) -> HashMap<u64, u64> {
    let mut references = all_references(file, outlined);
    references.sort_unstable();
    let passed = calls.filter_map(|call| {
        let behind = references.partition_point(|(address, _)| *address < call);
        let (address, target) = references.get(behind.checked_sub(1)?)?;
        (call - address <= ARGUMENTS).then_some((call, *target))
    });
    passed.collect()
}

/// References in code to some addresses, with the address of each.
fn all_references(file: &Elf<'_>, targets: &HashSet<u64>) -> Vec<(u64, u64)> {
    let mut references = Vec::new();
    if file.architecture() != Architecture::X86_64 || targets.is_empty() {
        return references;
    }
    for section in file.sections() {
        if section.kind() == SectionKind::Text
            && let Ok(code) = section.data()
        {
            scan(section.address(), code, targets, &mut references);
        }
    }
    references
}

fn scan(start: u64, code: &[u8], targets: &HashSet<u64>, references: &mut Vec<(u64, u64)>) {
    for (at, window) in code.windows(7).enumerate() {
        let address = start.wrapping_add(at as u64);
        let relative = |bytes: [u8; 4], len: u64| {
            let distance = i64::from(i32::from_le_bytes(bytes));
            address.wrapping_add(len).wrapping_add_signed(distance)
        };
        let target = match *window {
            // `lea` of an address relative to the code.
            [0x48 | 0x4c, 0x8d, register, a, b, c, d] if register & 0xc7 == 0x05 => {
                relative([a, b, c, d], 7)
            }
            // `mov` of an address in code that is not relocated.
            [0x41, 0xb8..=0xbf, a, b, c, d, _] | [0xb8..=0xbf, a, b, c, d, _, _] => {
                u64::from(u32::from_le_bytes([a, b, c, d]))
            }
            // A call: tasks that are not deferred.
            [0xe8, a, b, c, d, _, _] => relative([a, b, c, d], 5),
            _ => continue,
        };
        if targets.contains(&target) {
            references.push((address, target));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_relative_or_not() {
        let target = 0x2000_u64;
        for (code, expected) in [
            // lea 0xff9(%rip), %r9
            (&[0x4c, 0x8d, 0x0d, 0xf9, 0x0f, 0, 0][..], Some(0x1000)),
            // nop; mov $0x2000, %r9d
            (&[0x90, 0x41, 0xb9, 0, 0x20, 0, 0, 0x90][..], Some(0x1001)),
            // call 0x2000
            (&[0xe8, 0xfb, 0x0f, 0, 0, 0x90, 0x90][..], Some(0x1000)),
            // lea 0xff9(%rsi), %rcx
            (&[0x48, 0x8d, 0x8e, 0xf9, 0x0f, 0, 0][..], None),
        ] {
            let mut references = Vec::new();
            scan(0x1000, code, &HashSet::from([target]), &mut references);
            let expected: Vec<_> = expected.map(|from| (from, target)).into_iter().collect();
            assert_eq!(references, expected, "{code:x?}");
        }
    }
}
