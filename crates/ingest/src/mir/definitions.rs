//! Definitions of tasks: the functions they run.

use super::table::{NONE, Role, Table, Tag};
use crate::profile::Frame;
use crate::program::{ConstructIdx, Program};
use rustc_hash::FxHashMap;

/// Tags that the runtime gives, not the program: several functions share one.
const RUNTIME: [&str; 2] = ["GOMP_", "idle_task"];

/// Role, address of the function, tag where there is no address.
type Key = (u8, i64, u32);

/// Constructs by what distinguishes them.
#[derive(Default)]
pub(crate) struct Definitions {
    known: FxHashMap<Key, ConstructIdx>,
}

impl Definitions {
    pub(crate) fn of(&mut self, table: &Table, row: usize, program: &mut Program) -> ConstructIdx {
        let role = table.role(row);
        let address = table.outline_function.get(row);
        let tag = match (address, table.tag(row)) {
            (None, Tag::Text(text)) => text,
            _ => NONE,
        };
        let key = (role as u8, address.unwrap_or(0), tag);
        *self.known.entry(key).or_insert_with(|| {
            let tag = table.text(table.tag(row));
            let source = table.source_line.get(row).copied().unwrap_or(NONE);
            let (file, line) = place_in_source(table.texts.get(source).unwrap_or_default());
            let address = address.map(|address| format!("{address:#x}"));
            let name = name(tag, address.as_deref());
            program.definition(Frame {
                kind: kind(role),
                name: &name,
                identity: address.as_deref(),
                file,
                line,
                module: None,
            })
        })
    }
}

fn kind(role: Role) -> &'static str {
    match role {
        Role::Task => "task",
        Role::Chunk => "loop",
        Role::Bookkeeping => "bookkeeping",
    }
}

/// The tag, with the address where it is the runtime's.
fn name(tag: Option<&str>, address: Option<&str>) -> String {
    match (tag, address) {
        (Some(tag), Some(address)) if RUNTIME.iter().any(|begin| tag.starts_with(begin)) => {
            format!("{tag} {address}")
        }
        (Some(tag), _) => tag.to_owned(),
        (None, Some(address)) => address.to_owned(),
        (None, None) => "task".to_owned(),
    }
}

/// File and line of `file:line`; `??` and line 0 stand for unknown ones.
fn place_in_source(text: &str) -> (Option<&str>, Option<i32>) {
    let (file, line) = match text.rsplit_once(':') {
        Some((file, line)) => (file, line.parse().ok().filter(|&line| line > 0)),
        None => (text, None),
    };
    (
        Some(file).filter(|&file| !file.is_empty() && file != "??"),
        line,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_places_are_absent() {
        let places = ["fib.c:12", "fib.c:0", "fib.c:?", "??:0", "", "/a:b/c.c:7"];
        let places = places.map(place_in_source);
        let expected = [
            (Some("fib.c"), Some(12)),
            (Some("fib.c"), None),
            (Some("fib.c"), None),
            (None, None),
            (None, None),
            (Some("/a:b/c.c"), Some(7)),
        ];
        assert_eq!(places, expected);
    }
}
