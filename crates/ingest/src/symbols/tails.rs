//! Calls of functions that enter the OpenMP runtime by a jump.
//!
//! A construct that is the last statement of its function needs no return to the function: optimised code jumps to the
//! runtime, which then sees the return address of the function's caller. The functions that end with such a jump, and
//! those that end with a jump to one of them, lead from that address to the construct. Like the calls of entry points,
//! jumps are found without disassembling, by targets that are exactly the start of such a function. x86-64 only.

use std::collections::BTreeSet;

use object::{Architecture, Object, ObjectSection, SectionKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::Calls;
use super::ranges::Elf;

/// Functions that jump to the next one, in a row.
const MAX_JUMPS: usize = 8;
/// Different jumps of one function that are looked at: two of them already leave open which one was taken.
const MAX_CHOICES: usize = 16;
/// Functions that are looked at below one call.
const MAX_FUNCTIONS: usize = 64;

/// Where the runtime is entered by a jump below a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entered {
    /// By the jump with this last byte.
    By(u64),
    /// By one of several jumps that the function with this start leads to.
    FromFunction(u64),
}

/// Where the runtime is entered by jumps.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Below calls, by the addresses of their last bytes.
    pub(super) calls: FxHashMap<u64, Entered>,
    /// From functions, by their starts.
    pub(super) functions: FxHashMap<u64, Entered>,
}

/// A jump at the end of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Jump {
    /// To the runtime, by the jump with this last byte.
    ToRuntime(u64),
    /// To the function with this start.
    ToFunction(u64),
}

/// A call of a function or a jump to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Branch {
    /// Address of its last byte.
    last: u64,
    is_call: bool,
    /// The start of the function.
    target: u64,
}

/// Functions that lead to the runtime by jumps, by their starts.
#[derive(Debug, Default)]
struct Functions {
    jumps: FxHashMap<u64, BTreeSet<Jump>>,
}

/// Finds the calls and the functions below which the runtime is entered by jumps.
///
/// `start_of` returns where the function around an address begins, `is_same` whether two jumps to the runtime are of
/// the same construct, and `is_late` whether to stop.
pub(super) fn find_entered(
    file: &Elf<'_>,
    calls: &Calls,
    start_of: impl Fn(u64) -> Option<u64>,
    is_same: impl Fn(u64, u64) -> bool,
    is_late: impl Fn() -> bool,
) -> Found {
    let mut found = Found::default();
    if file.architecture() != Architecture::X86_64 {
        return found;
    }
    let mut functions = Functions::default();
    let begins = (calls.list.iter()).filter(|call| call.is_tail && !call.kinds.is_empty());
    for call in begins {
        if let Some(start) = start_of(call.address) {
            functions.add(start, Jump::ToRuntime(call.address), &is_same);
        }
    }
    let mut called: Vec<(u64, u64)> = Vec::new();
    let mut new: FxHashSet<u64> = functions.jumps.keys().copied().collect();
    for _ in 0..MAX_JUMPS {
        if new.is_empty() || is_late() {
            break;
        }
        let mut added = FxHashSet::default();
        for branch in branches(file, &new, &calls.aliases) {
            if branch.is_call {
                called.push((branch.last, branch.target));
                continue;
            }
            let from = start_of(branch.last).filter(|&from| from != branch.target);
            let Some(from) = from else { continue };
            if !functions.jumps.contains_key(&from) {
                added.insert(from);
            }
            functions.add(from, Jump::ToFunction(branch.target), &is_same);
        }
        new = added;
    }
    for &start in functions.jumps.keys() {
        let entered = functions.entered(start, &is_same);
        found.functions.extend(entered.map(|it| (start, it)));
    }
    for (last, target) in called {
        let entered = found.functions.get(&target);
        found.calls.extend(entered.map(|it| (last, *it)));
    }
    found
}

impl Functions {
    /// Adds a jump of the function with a start. One construct can have several jumps.
    fn add(&mut self, start: u64, jump: Jump, is_same: &impl Fn(u64, u64) -> bool) {
        let jumps = self.jumps.entry(start).or_default();
        let is_known = jumps.iter().any(|known| match (*known, jump) {
            (Jump::ToRuntime(a), Jump::ToRuntime(b)) => is_same(a, b),
            _ => false,
        });
        if !is_known && jumps.len() < MAX_CHOICES {
            jumps.insert(jump);
        }
    }

    /// How the runtime is entered by jumps from a function.
    fn entered(&self, start: u64, is_same: &impl Fn(u64, u64) -> bool) -> Option<Entered> {
        let mut function = start;
        for _ in 0..MAX_JUMPS {
            let jumps = self.jumps.get(&function)?;
            match jumps.first()? {
                Jump::ToRuntime(last) if jumps.len() == 1 => return Some(Entered::By(*last)),
                Jump::ToFunction(next) if jumps.len() == 1 => function = *next,
                _ => break,
            }
        }
        Some(match self.only_entry(function, is_same)? {
            Ok(last) => Entered::By(last),
            Err(Several) => Entered::FromFunction(function),
        })
    }

    /// The first jump to the runtime that a function leads to, if all of them are of one construct.
    fn only_entry(
        &self,
        start: u64,
        is_same: &impl Fn(u64, u64) -> bool,
    ) -> Option<Result<u64, Several>> {
        let mut first: Option<u64> = None;
        let mut seen = FxHashSet::from_iter([start]);
        let mut left = vec![start];
        while let Some(function) = left.pop() {
            for jump in self.jumps.get(&function).into_iter().flatten() {
                match *jump {
                    Jump::ToRuntime(last) if first.is_some_and(|first| !is_same(first, last)) => {
                        return Some(Err(Several));
                    }
                    Jump::ToRuntime(last) => first = Some(first.map_or(last, |it| it.min(last))),
                    Jump::ToFunction(next) if seen.insert(next) => left.push(next),
                    Jump::ToFunction(_) => {}
                }
            }
            if seen.len() > MAX_FUNCTIONS {
                return Some(Err(Several));
            }
        }
        first.map(Ok)
    }
}

/// Jumps to the runtime are of different constructs, or too many.
struct Several;

/// Calls of functions and jumps to them, by their starts.
fn branches(
    file: &Elf<'_>,
    functions: &FxHashSet<u64>,
    aliases: &FxHashMap<u64, u64>,
) -> Vec<Branch> {
    let mut targets: FxHashMap<u64, u64> = functions.iter().map(|&start| (start, start)).collect();
    let aliases = aliases.iter();
    targets.extend(
        aliases
            .filter(|(_, function)| functions.contains(function))
            .map(|(&alias, &function)| (alias, function)),
    );
    let mut found = Vec::new();
    let texts = file
        .sections()
        .filter(|section| section.kind() == SectionKind::Text);
    for section in texts {
        let is_stubs = section.name().is_ok_and(|name| name.starts_with(".plt"));
        if let Ok(code) = section.data()
            && !is_stubs
        {
            scan(section.address(), code, &targets, &mut found);
        }
    }
    found
}

fn scan(start: u64, code: &[u8], targets: &FxHashMap<u64, u64>, found: &mut Vec<Branch>) {
    for (at, first) in code.iter().enumerate() {
        // Few bytes can begin a branch.
        if !matches!(first, 0x0f | 0xe8 | 0xe9 | 0xeb | 0xff) {
            continue;
        }
        let rest = code.get(at..).unwrap_or_default();
        let (distance, len, is_call) = match *rest {
            [0xe8, a, b, c, d, ..] => (i32::from_le_bytes([a, b, c, d]), 5, true),
            [0xe9, a, b, c, d, ..] => (i32::from_le_bytes([a, b, c, d]), 5, false),
            [0xeb, distance, ..] => (i32::from(distance.cast_signed()), 2, false),
            // Through a pointer.
            [0xff, 0x15, a, b, c, d, ..] => (i32::from_le_bytes([a, b, c, d]), 6, true),
            // On a condition, or through a pointer.
            [0x0f, 0x80..=0x8f, a, b, c, d, ..] | [0xff, 0x25, a, b, c, d, ..] => {
                (i32::from_le_bytes([a, b, c, d]), 6, false)
            }
            _ => continue,
        };
        let behind = start.wrapping_add(at as u64).wrapping_add(len);
        let target = behind.wrapping_add_signed(i64::from(distance));
        if let Some(&target) = targets.get(&target) {
            found.push(Branch {
                last: behind.wrapping_sub(1),
                is_call,
                target,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(jumps: &[(u64, Jump)]) -> Functions {
        let mut functions = Functions::default();
        for &(start, jump) in jumps {
            functions.add(start, jump, &|a, b| a / 10 == b / 10);
        }
        functions
    }

    #[test]
    fn jumps_are_followed_to_the_runtime_if_they_lead_to_one_construct() {
        use Jump::{ToFunction, ToRuntime};
        let found = functions(&[
            (100, ToRuntime(111)),
            // The same construct twice.
            (100, ToRuntime(112)),
            (200, ToRuntime(211)),
            (300, ToFunction(100)),
            (400, ToFunction(300)),
            (500, ToFunction(200)),
            (500, ToFunction(400)),
            (600, ToFunction(500)),
            (700, ToFunction(300)),
            (700, ToFunction(100)),
            (800, ToFunction(900)),
            (900, ToFunction(800)),
        ]);
        for (start, expected) in [
            (100, Some(Entered::By(111))),
            (300, Some(Entered::By(111))),
            (400, Some(Entered::By(111))),
            (500, Some(Entered::FromFunction(500))),
            (600, Some(Entered::FromFunction(500))),
            (700, Some(Entered::By(111))),
            (800, None),
            (1000, None),
        ] {
            let entered = found.entered(start, &|a, b| a / 10 == b / 10);
            assert_eq!(entered, expected, "{start}");
        }
    }

    #[test]
    fn branches_have_their_targets() {
        let targets = FxHashMap::from_iter([(0x1040, 0x1040), (0x5000, 0x1040)]);
        for (code, expected) in [
            // call 0x1040; jmp 0x1040, far and near; jne 0x1040
            (&[0xe8, 0x3b, 0, 0, 0][..], Some((0x1004, true))),
            (&[0xe9, 0x3b, 0, 0, 0], Some((0x1004, false))),
            (&[0x90, 0xeb, 0x3d], Some((0x1002, false))),
            (&[0x0f, 0x85, 0x3a, 0, 0, 0], Some((0x1005, false))),
            // call and jmp *0x5000
            (&[0xff, 0x15, 0xfa, 0x3f, 0, 0], Some((0x1005, true))),
            (&[0xff, 0x25, 0xfa, 0x3f, 0, 0], Some((0x1005, false))),
            // Cut off, and a call of something else.
            (&[0xe8, 0x3b, 0, 0], None),
            (&[0xe8, 0x3c, 0, 0, 0], None),
        ] {
            let mut found = Vec::new();
            scan(0x1000, code, &targets, &mut found);
            let expected = expected.map(|(last, is_call)| Branch {
                last,
                is_call,
                target: 0x1040,
            });
            assert_eq!(found, Vec::from_iter(expected), "{code:x?}");
        }
    }
}
