//! Ids of nodes: interned without an allocation each where they are `n0`, `n1`, ….

use std::collections::HashMap;

use crate::mir::NONE;

/// Characters of an id that messages show.
const SHOWN: usize = 60;

/// Numbers in ids beyond the number of nodes that are still looked up directly.
const SLACK: usize = 1024;

/// Ids with their numbers, in the order in which they were met.
#[derive(Debug, Default)]
pub(super) struct Ids {
    known: Vec<Id>,
    /// Node of each `n<k>`.
    numbered: Vec<u32>,
    named: HashMap<Box<str>, u32>,
}

#[derive(Debug)]
enum Id {
    Numbered(u32),
    Named(Box<str>),
}

impl Ids {
    pub(super) fn intern(&mut self, id: &str) -> u32 {
        let next = u32::try_from(self.known.len()).unwrap_or(NONE);
        // Whatever is in the text, memory is bounded by the number of nodes.
        let limit = 4 * self.known.len() + SLACK;
        if let Some(number) = numbered(id).filter(|&number| (number as usize) < limit) {
            let at = number as usize;
            if at >= self.numbered.len() {
                self.numbered.resize(at + 1, NONE);
            }
            if let Some(slot) = self.numbered.get_mut(at) {
                // One beyond an earlier limit may have a name.
                if *slot == NONE {
                    *slot = self.named.get(id).copied().unwrap_or(next);
                }
                if *slot == next {
                    self.known.push(Id::Numbered(number));
                }
                return *slot;
            }
        }
        if let Some(&known) = self.named.get(id) {
            return known;
        }
        self.named.insert(id.into(), next);
        self.known.push(Id::Named(id.into()));
        next
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// How messages call a node.
    pub(super) fn place(&self, node: u32) -> String {
        match self.known.get(node as usize) {
            Some(Id::Numbered(number)) => format!("node `n{number}`"),
            Some(Id::Named(id)) => {
                let shown: String = id.chars().take(SHOWN).collect();
                let rest = if shown.len() < id.len() { "…" } else { "" };
                format!("node `{shown}{rest}`")
            }
            None => format!("node {node}"),
        }
    }
}

/// The number of `n<number>` without leading zeros.
fn numbered(id: &str) -> Option<u32> {
    let digits = id.strip_prefix('n')?;
    let is_plain = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ids_are_one_node_whatever_their_form() {
        let mut ids = Ids::default();
        let far = "n100000";
        let texts = [
            "n1", "n0", far, "n01", "n0::n1", "n1", far, "n+1", "", "n0::n1",
        ];
        let nodes = texts.map(|text| ids.intern(text));
        assert_eq!(nodes, [0, 1, 2, 3, 4, 0, 2, 5, 6, 4]);
        // Once there are enough nodes, a far number is near.
        for other in 0..30_000 {
            ids.intern(&format!("x{other}"));
        }
        assert_eq!(ids.intern(far), 2);
        assert_eq!(ids.intern("n100001"), 30_007);
        assert_eq!(ids.place(2), "node `n100000`");
        assert_eq!(ids.place(0), "node `n1`");
    }

    #[test]
    fn long_ids_are_cut_in_messages() {
        let mut ids = Ids::default();
        let node = ids.intern(&"é".repeat(1000));
        assert_eq!(ids.place(node), format!("node `{}…`", "é".repeat(60)));
    }
}
