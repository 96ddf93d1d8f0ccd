//! Ids of nodes: interned without an allocation each where they are `n0`, `n1`, …, whatever the
//! letters.

use std::collections::HashMap;

use crate::mir::NONE;

/// Characters of an id that messages show.
const SHOWN: usize = 60;

/// Numbers in ids beyond the number of nodes that are still looked up directly.
const SLACK: usize = 1024;

/// Different beginnings of ids that are looked up directly; writers have one for each kind of node.
const MAX_PREFIXES: usize = 8;

/// Longest such beginning in bytes.
const LONGEST_PREFIX: usize = 8;

/// Ids with their numbers, in the order in which they were met.
#[derive(Debug, Default)]
pub(super) struct Ids {
    known: Vec<Id>,
    prefixes: Vec<Prefix>,
    named: HashMap<Box<str>, u32>,
}

/// Ids that begin alike and end in a number.
#[derive(Debug)]
struct Prefix {
    text: Box<str>,
    /// Node of each number.
    numbered: Vec<u32>,
}

#[derive(Debug)]
enum Id {
    Numbered { prefix: u32, number: u32 },
    Named(Box<str>),
}

impl Ids {
    pub(super) fn intern(&mut self, id: &str) -> u32 {
        let next = u32::try_from(self.known.len()).unwrap_or(NONE);
        if let Some(known) = self.intern_numbered(id, next) {
            return known;
        }
        if let Some(&known) = self.named.get(id) {
            return known;
        }
        self.named.insert(id.into(), next);
        self.known.push(Id::Named(id.into()));
        next
    }

    /// The node of an id that is looked up directly; nothing for others.
    fn intern_numbered(&mut self, id: &str, next: u32) -> Option<u32> {
        let (text, number) = numbered(id)?;
        // Whatever is in the text, memory is bounded by the number of nodes.
        let limit = 4 * self.known.len() + SLACK;
        let at = usize::try_from(number).ok().filter(|&at| at < limit)?;
        let found = self.prefixes.iter().position(|known| &*known.text == text);
        let place = match found {
            Some(place) => place,
            None if self.prefixes.len() < MAX_PREFIXES => {
                self.prefixes.push(Prefix {
                    text: text.into(),
                    numbered: Vec::new(),
                });
                self.prefixes.len() - 1
            }
            None => return None,
        };
        let numbered = &mut self.prefixes.get_mut(place)?.numbered;
        if at >= numbered.len() {
            numbered.resize(at + 1, NONE);
        }
        let slot = numbered.get_mut(at)?;
        // One beyond an earlier limit may have a name.
        if *slot == NONE {
            *slot = self.named.get(id).copied().unwrap_or(next);
            if *slot == next {
                self.known.push(Id::Numbered {
                    prefix: u32::try_from(place).unwrap_or(NONE),
                    number,
                });
            }
        }
        Some(*slot)
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// How messages call a node.
    pub(super) fn place(&self, node: u32) -> String {
        match self.known.get(node as usize) {
            Some(Id::Numbered { prefix, number }) => {
                let prefix = self.prefixes.get(*prefix as usize);
                let text = prefix.map_or("", |prefix| &prefix.text);
                format!("node `{text}{number}`")
            }
            Some(Id::Named(id)) => {
                let shown: String = id.chars().take(SHOWN).collect();
                let rest = if shown.len() < id.len() { "…" } else { "" };
                format!("node `{shown}{rest}`")
            }
            None => format!("node {node}"),
        }
    }
}

/// What an id begins with, and its number without leading zeros.
fn numbered(id: &str) -> Option<(&str, u32)> {
    let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (text, digits) = id.split_at_checked(id.len() - digits)?;
    let is_plain = digits == "0" || !digits.starts_with('0');
    if !is_plain || text.len() > LONGEST_PREFIX {
        return None;
    }
    Some((text, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ids_are_one_node_whatever_their_form() {
        let mut ids = Ids::default();
        let far = "n100000";
        let texts = [
            "n1", "n0", far, "n01", "n0::n1", "n1", far, "n+1", "", "n0::n1", "7", "f1", "7", "f1",
        ];
        let nodes = texts.map(|text| ids.intern(text));
        assert_eq!(nodes, [0, 1, 2, 3, 4, 0, 2, 5, 6, 4, 7, 8, 7, 8]);
        // Once there are enough nodes, a far number is near.
        for other in 0..30_000 {
            ids.intern(&format!("x{other}"));
        }
        assert_eq!(ids.intern(far), 2);
        assert_eq!(ids.intern("n100001"), 30_009);
        assert_eq!(ids.place(2), "node `n100000`");
        assert_eq!(ids.place(0), "node `n1`");
        assert_eq!(ids.place(7), "node `7`");
        assert_eq!(ids.place(8), "node `f1`");
        // More beginnings than are looked up directly are names like others.
        let many: Vec<u32> = (0..40).map(|at| ids.intern(&format!("k{at}_1"))).collect();
        let again: Vec<u32> = (0..40).map(|at| ids.intern(&format!("k{at}_1"))).collect();
        assert_eq!(many, again);
        assert_eq!(many, (30_010..30_050).collect::<Vec<u32>>());
    }

    #[test]
    fn long_ids_are_cut_in_messages() {
        let mut ids = Ids::default();
        let node = ids.intern(&"é".repeat(1000));
        assert_eq!(ids.place(node), format!("node `{}…`", "é".repeat(60)));
    }
}
