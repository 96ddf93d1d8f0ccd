//! From sibling sets to the tree.

use std::ops::Range;

use super::builder::Builder;
use super::tree::{AggregationTree, GroupKind};
use crate::grain_graph::{NONE, Structure};
use sheaf_model::RunTables;

/// How far what stands in a row is put together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// Two at a time, the last two innermost.
    Pairs,
    /// All at once.
    Whole,
}

impl AggregationTree {
    /// The tree after reduction and normalisation: no linear group within a linear group.
    ///
    /// Grains that another grain than their parent joins (tasks that nobody waits for before a barrier or
    /// the end of a taskgroup) stand where they are joined, marked as restructured. A set whose grains
    /// depend on each other is an unstructured group. Time and memory are linear in grains and sets.
    pub fn of(run: &RunTables, structure: &Structure) -> Self {
        Builder::flat().build(run, structure, Rows::Whole)
    }

    /// The tree after reduction alone: every linear group has two children, the rest of the row being the
    /// second.
    pub fn reduced(run: &RunTables, structure: &Structure) -> Self {
        Builder::nested().build(run, structure, Rows::Pairs)
    }

    /// The tree without linear groups within linear groups. Linear.
    #[must_use]
    pub fn normalised(&self) -> Self {
        let mut builder = Builder::flat();
        let mut ends: Vec<u32> = Vec::new();
        for node in self.nodes() {
            while ends.pop_if(|end| *end <= node).is_some() {
                builder.close();
            }
            let at = node as usize;
            if self.kinds[at] == GroupKind::Grain {
                builder.grain(self.items[at], self.is_restructured[at]);
            } else {
                builder.open(self.kinds[at], self.items[at], self.is_restructured[at]);
                ends.push(node + self.sizes[at]);
            }
        }
        for _ in ends {
            builder.close();
        }
        builder.finish()
    }
}

/// What is being written.
enum Frame {
    /// The sets of one owner, within so many linear groups.
    Sets { rest: Range<u32>, linears: u32 },
    /// The members of a set, from one on.
    Members { set: u32, next: usize },
}

impl Builder {
    fn build(mut self, run: &RunTables, structure: &Structure, rows: Rows) -> AggregationTree {
        let depends = sets_with_dependences(run, structure);
        let mut frames = Vec::new();
        let first = structure.sets_of(None);
        if !first.is_empty() {
            let mut linears = 0;
            if rows == Rows::Whole && first.len() > 1 {
                self.open(GroupKind::Linear, NONE, false);
                linears = 1;
            }
            let rest = first;
            frames.push(Frame::Sets { rest, linears });
        }
        while let Some(frame) = frames.last_mut() {
            match frame {
                Frame::Sets { rest, linears } => {
                    let Some(set) = rest.next() else {
                        for _ in 0..*linears {
                            self.close();
                        }
                        frames.pop();
                        continue;
                    };
                    if rows == Rows::Pairs && rest.start < rest.end {
                        self.open(GroupKind::Linear, NONE, false);
                        *linears += 1;
                    }
                    let kind = match depends.get(set as usize) {
                        Some(true) => GroupKind::Unstructured,
                        _ => GroupKind::ForkJoin,
                    };
                    self.open(kind, set, false);
                    frames.push(Frame::Members { set, next: 0 });
                }
                Frame::Members { set, next } => {
                    let set = &structure.sets()[*set as usize];
                    let Some(&grain) = structure.members(set).get(*next) else {
                        self.close();
                        frames.pop();
                        continue;
                    };
                    *next += 1;
                    frames.extend(self.member(structure, grain, set.owner));
                }
            }
        }
        self.finish()
    }

    /// Writes a member; what it forks is left to write.
    fn member(&mut self, structure: &Structure, grain: u32, owner: Option<u32>) -> Option<Frame> {
        let is_restructured = structure.parent(grain) != owner;
        let rest = structure.sets_of(Some(grain));
        if rest.is_empty() {
            self.grain(grain, is_restructured);
            return None;
        }
        self.open(GroupKind::Linear, grain, is_restructured);
        self.grain(grain, is_restructured);
        Some(Frame::Sets { rest, linears: 1 })
    }
}

/// Whether a grain of each set depends on another of the set.
fn sets_with_dependences(run: &RunTables, structure: &Structure) -> Vec<bool> {
    let mut depends = Vec::new();
    let rows = &run.dependences;
    for (before, after) in rows
        .predecessor
        .values()
        .iter()
        .zip(rows.successor.values())
    {
        let set = |row: &i32| {
            u32::try_from(*row)
                .ok()
                .and_then(|row| structure.set_of(row))
        };
        if let Some(set) = set(before).filter(|_| set(before) == set(after)) {
            depends.resize(structure.sets().len(), false);
            depends[set as usize] = true;
        }
    }
    depends
}
