//! Sibling sets from the keys of grains.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_model::table::{GrainKind, Grains};

use super::by_grain::{Groups, Ranges, bounds};
use super::joins::Joins;
use super::structure::{JoinRule, Parents};
use super::{NONE, to_u32};
use crate::stopping::Check;

/// Members of the owners that are worked on together; few in tests, whose runs are short.
const MEMBERS_AT_ONCE: u32 = if cfg!(test) { 4 } else { 1 << 15 };
/// Parts whose sets are listed before they are joined to the others: their number bounds the memory that both take.
const PARTS_AT_ONCE: usize = if cfg!(test) { 3 } else { 64 };

/// The kind of the grains of a sibling set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SetKind {
    /// Members of a team, between the begin and the end of a parallel region.
    Members,
    /// Chunks of a work-sharing loop that one member ran, or chunks of a taskloop.
    Chunks,
    /// Grains that one wait collects.
    Tasks,
}

/// Grains that a fork creates and one join collects.
///
/// A run of ten million tasks that ran at once has ten million sets, so it takes few bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiblingSet {
    /// `NONE` if the run begins with the set.
    owner: u32,
    /// `NONE` if the waits are not in the tables.
    wait: u32,
    first_member: u32,
    last_member: u32,
    /// Place among the owner's sets, in program order, from 0.
    pub place: u32,
    /// Kind of its members.
    pub kind: SetKind,
}

impl SiblingSet {
    /// Grain that forks and joins; `None` for what the run begins with.
    pub fn owner(&self) -> Option<u32> {
        (self.owner != NONE).then_some(self.owner)
    }

    /// Row of the wait that collects it, where the waits are in the tables.
    pub fn wait(&self) -> Option<u32> {
        (self.wait != NONE).then_some(self.wait)
    }

    /// Places of its members among those of all sets.
    pub(super) fn members(&self) -> Range<u32> {
        self.first_member..self.last_member
    }
}

/// The key of a set: owner, kind and a number within the owner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// `NONE`, the largest, for grains without an owner.
    owner: u32,
    kind: SetKind,
    number: i64,
}

/// The keys of all grains, computed when they are needed: a list of them takes more memory than the sets.
pub(super) struct Keys<'a> {
    grains: &'a Grains,
    parents: &'a Parents,
    joins: &'a Joins<'a>,
    /// By grain; empty if there is none.
    undeferred: &'a [bool],
}

impl<'a> Keys<'a> {
    pub(super) fn new(
        grains: &'a Grains,
        parents: &'a Parents,
        joins: &'a Joins<'a>,
        undeferred: &'a [bool],
    ) -> Self {
        Self {
            grains,
            parents,
            joins,
            undeferred,
        }
    }

    /// The owner of the set of a grain; `NONE` if it has none.
    pub(super) fn owner(&self, row: usize) -> u32 {
        self.of(row).owner
    }

    fn of(&self, row: usize) -> Key {
        let (grains, joins) = (self.grains, self.joins);
        let parent = self.parents.of(row);
        if self.undeferred.get(row) == Some(&true) {
            // Joined where it is created. Numbers of waits and ends are not negative.
            return Key {
                owner: parent,
                kind: SetKind::Tasks,
                number: -1 - i64::try_from(row).unwrap_or(i64::MAX - 1),
            };
        }
        if let Some(number) = joins.recorded(row) {
            // A recorded join collects whatever it collects: chunks and their book-keeping together.
            return Key {
                owner: parent,
                kind: SetKind::Tasks,
                number,
            };
        }
        let kind = GrainKind::from_code(grains.kind.value(row)).unwrap_or(GrainKind::Task);
        match kind {
            GrainKind::Chunk | GrainKind::TaskloopChunk | GrainKind::Implicit => Key {
                owner: parent,
                kind: set_kind(kind),
                number: grains.sequence.get(row).unwrap_or(-1),
            },
            GrainKind::Initial | GrainKind::Task => {
                let (owner, number) = joins.computed(row);
                Key {
                    owner,
                    kind: SetKind::Tasks,
                    number,
                }
            }
        }
    }
}

/// All sibling sets.
pub(super) struct Sets {
    /// Those of an owner are neighbours, in program order, those without one come last.
    pub(super) all: Vec<SiblingSet>,
    /// Grains by set, in the order of their creation.
    pub(super) members: Vec<u32>,
    /// Sets of each owner, behind them those without an owner.
    pub(super) of_owner: Ranges,
}

impl Sets {
    /// The sets of grains with the given owners. Owners are cut into parts, and a few parts at a time are worked on side by
    /// side.
    pub(super) fn of<E>(keys: &Keys<'_>, owners: &[u32], check: Check<'_, E>) -> Result<Self, E> {
        let grains = keys.grains.len();
        let by_owner = Groups::new(grains + 1, grains, |row| {
            owners
                .get(row)
                .map_or(grains, |&it| (it as usize).min(grains))
        });
        check()?;
        let (first_member, mut members) = by_owner.into_parts();
        // There is at most one set per grain, and the system provides only memory that is written.
        let mut all: Vec<SiblingSet> = Vec::with_capacity(grains);
        let mut of_owner = Ranges::new(grains + 1);
        let mut rest = members.as_mut_slice();
        let parts = parts(&first_member);
        for parts in parts.chunks(PARTS_AT_ONCE) {
            check()?;
            let mut with_members = Vec::with_capacity(parts.len());
            for owners in parts {
                let range = bounds(&first_member, owners.start).start
                    ..bounds(&first_member, owners.end - 1).end;
                let (own, behind) = std::mem::take(&mut rest).split_at_mut(range.len());
                rest = behind;
                with_members.push((owners.clone(), own));
            }
            let sets = with_members.into_par_iter().map(|(owners, members)| {
                let mut part = Part::new(keys, members, bounds(&first_member, owners.start).start);
                for owner in owners {
                    part.add(bounds(&first_member, owner).len());
                }
                part.sets
            });
            for set in sets.collect::<Vec<_>>().into_iter().flatten() {
                if set.place == 0 {
                    of_owner.begin((set.owner as usize).min(grains), to_u32(all.len()));
                }
                all.push(set);
            }
        }
        let of_owner = of_owner.finish(to_u32(all.len()));
        Ok(Self {
            all,
            members,
            of_owner,
        })
    }
}

/// Owners in parts of neighbours that have about [`MEMBERS_AT_ONCE`] members together; none is empty.
fn parts(first_member: &[u32]) -> Vec<Range<usize>> {
    let owners = first_member.len().saturating_sub(1);
    let (mut parts, mut first) = (Vec::new(), 0);
    for owner in 0..owners {
        let members = bounds(first_member, owner).end - bounds(first_member, first).start;
        if members >= MEMBERS_AT_ONCE {
            parts.push(first..owner + 1);
            first = owner + 1;
        }
    }
    if first < owners {
        parts.push(first..owners);
    }
    parts
}

/// The sets of some owners.
struct Part<'a> {
    keys: &'a Keys<'a>,
    /// Members of the owners that come next.
    members: &'a mut [u32],
    /// Place of the first of them among the members of all owners.
    first: u32,
    sets: Vec<SiblingSet>,
    scratch: Scratch,
}

impl<'a> Part<'a> {
    fn new(keys: &'a Keys<'a>, members: &'a mut [u32], first: u32) -> Self {
        Self {
            keys,
            members,
            first,
            sets: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Adds the sets of the next owner, who has so many members, in program order.
    fn add(&mut self, members: usize) {
        if members == 0 {
            return;
        }
        let (own, behind) = std::mem::take(&mut self.members).split_at_mut(members);
        self.members = behind;
        self.scratch.cut(self.keys, own, self.first);
        self.first += to_u32(members);
        let found = &mut self.scratch.found;
        found.sort_unstable_by_key(|(order, set)| (*order, set.kind, set.first_member));
        for (place, (_, mut set)) in (0..).zip(found.drain(..)) {
            set.place = place;
            self.sets.push(set);
        }
    }
}

/// Lists that all owners share: a run can have millions of owners, and an allocation for each takes long.
#[derive(Default)]
struct Scratch {
    keyed: Vec<(Key, u32)>,
    /// Sets with what puts them into program order.
    found: Vec<(i64, SiblingSet)>,
}

impl Scratch {
    /// Sorts the members of an owner and cuts them into sets.
    fn cut(&mut self, keys: &Keys<'_>, members: &mut [u32], first: u32) {
        let Self { keyed, found } = self;
        keyed.clear();
        keyed.extend(members.iter().map(|&row| (keys.of(row as usize), row)));
        if !keyed.is_sorted() {
            keyed.sort_unstable();
        }
        for (member, &(_, row)) in members.iter_mut().zip(keyed.iter()) {
            *member = row;
        }
        let (mut rest, mut next) = (members, first);
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(key, _)) = group.first() else {
                continue;
            };
            let (own, behind) = std::mem::take(&mut rest).split_at_mut(group.len());
            rest = behind;
            let by_creation = |&row: &u32| (order(keys.grains, row as usize), row);
            if !own.is_sorted_by_key(by_creation) {
                own.sort_unstable_by_key(by_creation);
            }
            let members = next..next + to_u32(own.len());
            next = members.end;
            found.push(set(keys, key, own, members));
        }
    }
}

/// A set of an owner, and what puts it into program order.
fn set(keys: &Keys<'_>, key: Key, members: &[u32], range: Range<u32>) -> (i64, SiblingSet) {
    let joins = keys.joins;
    let wait = match key.kind {
        SetKind::Tasks => joins.wait(key.owner, key.number),
        SetKind::Chunks => joins.last_of(key.owner, members),
        SetKind::Members => None,
    };
    let begins = members.iter();
    let begin = begins
        .filter_map(|&row| begin(keys.grains, row as usize))
        .min();
    let order = match joins.rule() {
        JoinRule::Recorded => key.number,
        _ => wait
            .map(|wait| joins.start(wait))
            .or(begin)
            .unwrap_or(i64::MAX),
    };
    let set = SiblingSet {
        owner: key.owner,
        wait: wait.unwrap_or(NONE),
        first_member: range.start,
        last_member: range.end,
        place: 0,
        kind: key.kind,
    };
    (order, set)
}

fn set_kind(kind: GrainKind) -> SetKind {
    match kind {
        GrainKind::Implicit => SetKind::Members,
        GrainKind::Chunk | GrainKind::TaskloopChunk => SetKind::Chunks,
        GrainKind::Initial | GrainKind::Task => SetKind::Tasks,
    }
}

/// When a grain came to be, as far as it is known.
fn begin(grains: &Grains, row: usize) -> Option<i64> {
    grains.created.get(row).or_else(|| grains.start.get(row))
}

/// Order of siblings: by creation, where it is known, then by index.
fn order(grains: &Grains, row: usize) -> (i64, i64) {
    let index = grains.index.value(row);
    (begin(grains, row).unwrap_or(index), index)
}
