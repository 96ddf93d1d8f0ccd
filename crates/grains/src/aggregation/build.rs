//! From sibling sets to the tree.

use std::ops::Range;

use sheaf_model::{Cancelled, Progress, RunTables};

use super::builder::Builder;
use super::series_parallel::{Part, parts};
use super::tree::{AggregationTree, GroupKind};
use crate::grain_graph::to_u32;
use crate::grain_graph::{NONE, SiblingSet, Structure};
use crate::stopping::{CHECKED_EVERY, Check, unstoppable};

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
    /// the end of a taskgroup) stand where they are joined, marked as restructured. Grains of a set that
    /// depend on each other stand in linear and sibling groups where these express their order, else the
    /// set is an unstructured group. Time and memory are linear in grains, sets and dependences.
    pub fn of(run: &RunTables, structure: &Structure) -> Self {
        unstoppable(|check| Builder::flat().build(run, structure, Rows::Whole, check))
    }

    /// The same, which stops when `progress` does.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn stoppable(
        run: &RunTables,
        structure: &Structure,
        progress: &Progress,
    ) -> Result<Self, Cancelled> {
        Builder::flat().build(run, structure, Rows::Whole, &|| progress.check())
    }

    /// The tree after reduction alone: every linear group has two children, the rest of the row being the
    /// second.
    pub fn reduced(run: &RunTables, structure: &Structure) -> Self {
        unstoppable(|check| Builder::nested().build(run, structure, Rows::Pairs, check))
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
enum Frame<'a> {
    /// The sets of one owner, within so many linear groups.
    Sets { rest: Range<u32>, linears: u32 },
    /// The members of a set, from one on, side by side.
    Members { set: &'a SiblingSet, next: usize },
    /// The members of a set in series and parallel parts.
    Parts {
        set: &'a SiblingSet,
        rest: std::slice::Iter<'a, Part>,
    },
}

impl Builder {
    fn build<E>(
        mut self,
        run: &RunTables,
        structure: &Structure,
        rows: Rows,
        check: Check<'_, E>,
    ) -> Result<AggregationTree, E> {
        let dependent = Dependent::of(run, structure);
        // Each set becomes a group. Each owner of sets becomes a second one, around itself and them.
        self.reserve(structure.num_grains() + 2 * structure.sets().len() + 1);
        let mut frames = Vec::new();
        let rest = structure.sets_of(None);
        if rest.start < rest.end {
            let linears = u32::from(rows == Rows::Whole && rest.len() > 1);
            if linears > 0 {
                self.open(GroupKind::Linear, NONE, false);
            }
            frames.push(Frame::Sets { rest, linears });
        }
        let mut steps = 0_usize;
        while let Some(frame) = frames.last_mut() {
            if steps.is_multiple_of(CHECKED_EVERY) {
                check()?;
            }
            steps += 1;
            let below = match frame {
                Frame::Sets { rest, linears } => {
                    let Some(set) = rest.next() else {
                        self.close_all(*linears);
                        frames.pop();
                        continue;
                    };
                    if rows == Rows::Pairs && rest.start < rest.end {
                        self.open(GroupKind::Linear, NONE, false);
                        *linears += 1;
                    }
                    self.set(structure, &dependent, set)
                }
                Frame::Members { set, next } => {
                    let Some(&grain) = structure.members(set).get(*next) else {
                        self.close();
                        frames.pop();
                        continue;
                    };
                    *next += 1;
                    self.member(structure, grain, set.owner())
                }
                Frame::Parts { set, rest } => {
                    let Some(part) = rest.next() else {
                        self.close();
                        frames.pop();
                        continue;
                    };
                    self.part(structure, set, *part)
                }
            };
            frames.extend(below);
        }
        Ok(self.finish())
    }

    fn close_all(&mut self, groups: u32) {
        for _ in 0..groups {
            self.close();
        }
    }

    /// Begins a set; its members are left to write.
    fn set<'a>(
        &mut self,
        structure: &'a Structure,
        dependent: &'a Dependent,
        number: u32,
    ) -> Option<Frame<'a>> {
        let set = structure.sets().get(number as usize)?;
        let (kind, frame) = match dependent.arrangement(number) {
            Arrangement::Independent => (GroupKind::ForkJoin, Frame::Members { set, next: 0 }),
            Arrangement::Irreducible => (GroupKind::Unstructured, Frame::Members { set, next: 0 }),
            Arrangement::Parts(parts) => {
                let rest = parts.iter();
                (GroupKind::ForkJoin, Frame::Parts { set, rest })
            }
        };
        self.open(kind, number, false);
        Some(frame)
    }

    fn part<'a>(
        &mut self,
        structure: &Structure,
        set: &SiblingSet,
        part: Part,
    ) -> Option<Frame<'a>> {
        match part {
            Part::Grain(place) => {
                let grain = *structure.members(set).get(place as usize)?;
                return self.member(structure, grain, set.owner());
            }
            Part::Series => self.open(GroupKind::Linear, NONE, false),
            Part::Parallel => self.open(GroupKind::Sibling, NONE, false),
            Part::End => self.close(),
        }
        None
    }

    /// Writes a member; what it forks is left to write.
    fn member<'a>(
        &mut self,
        structure: &Structure,
        grain: u32,
        owner: Option<u32>,
    ) -> Option<Frame<'a>> {
        let is_restructured = structure.parent(grain) != owner;
        let rest = structure.sets_of(Some(grain));
        if rest.start == rest.end {
            self.grain(grain, is_restructured);
            return None;
        }
        self.open(GroupKind::Linear, grain, is_restructured);
        self.grain(grain, is_restructured);
        Some(Frame::Sets { rest, linears: 1 })
    }
}

/// The sets whose grains depend on each other, with their parts; absent where they are not
/// series-parallel.
struct Dependent {
    /// In ascending order of the sets.
    sets: Vec<(u32, Option<Vec<Part>>)>,
}

impl Dependent {
    fn of(run: &RunTables, structure: &Structure) -> Self {
        let rows = &run.dependences;
        let pairs = rows
            .predecessor
            .values()
            .iter()
            .zip(rows.successor.values());
        let mut edges: Vec<(u32, u32, u32)> = pairs
            .filter_map(|(&before, &after)| {
                let (before, after) = (u32::try_from(before).ok()?, u32::try_from(after).ok()?);
                let set = structure.set_of(before)?;
                // Of two sets of one owner, one is over before the other begins.
                (structure.set_of(after) == Some(set)).then_some((set, before, after))
            })
            .collect();
        edges.sort_unstable();
        let mut places = Vec::new();
        if !edges.is_empty() {
            places.resize(structure.num_grains(), 0);
        }
        let mut sets = Vec::new();
        for edges in edges.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(number, ..)) = edges.first() else {
                continue;
            };
            let members = structure.members(&structure.sets()[number as usize]);
            for (place, &member) in (0_u32..).zip(members) {
                places[member as usize] = place;
            }
            let place = |grain: u32| places[grain as usize];
            let edges: Vec<(u32, u32)> = edges
                .iter()
                .map(|&(_, before, after)| (place(before), place(after)))
                .collect();
            sets.push((number, parts(to_u32(members.len()), &edges)));
        }
        Self { sets }
    }

    fn arrangement(&self, set: u32) -> Arrangement<'_> {
        let at = self.sets.binary_search_by_key(&set, |(set, _)| *set);
        match at.map(|at| self.sets[at].1.as_deref()) {
            Ok(Some(parts)) => Arrangement::Parts(parts),
            Ok(None) => Arrangement::Irreducible,
            Err(_) => Arrangement::Independent,
        }
    }
}

/// How the grains of a set depend on each other.
enum Arrangement<'a> {
    Independent,
    Parts(&'a [Part]),
    Irreducible,
}
