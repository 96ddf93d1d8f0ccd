//! Sibling sets: the grains between a fork and the join that collects them.

use std::ops::Range;

use arrow::array::Array;
use sheaf_model::table::{GrainKind, Grains, flags};
use sheaf_model::{Cancelled, Progress, RunTables};

use super::joins::Joins;
use super::{NONE, to_u32};
use crate::stopping::{Check, unstoppable};

/// What the grains of a sibling set are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SetKind {
    /// Members of a team, between the begin and the end of a parallel region.
    Members,
    /// Chunks of a work-sharing loop that one member ran, or chunks of a taskloop.
    Chunks,
    /// Grains that one wait collects.
    Tasks,
}

/// How it is known which join collects a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinRule {
    /// The source says which wait of the parent collects it.
    Recorded,
    /// Computed from the times of waits: the first wait of the parent that begins after the
    /// creation and does not end before the task, else the first wait for all descendants of an
    /// ancestor.
    Waits,
    /// Neither is known: all children of a grain are taken to be collected at its end.
    Assumed,
}

/// Grains that a fork creates and one join collects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiblingSet {
    /// Grain that forks and joins; `None` for what the run begins with.
    pub owner: Option<u32>,
    /// What its members are.
    pub kind: SetKind,
    /// Place among the owner's sets, in program order, from 0.
    pub place: u32,
    /// Row of the wait that collects it, where the waits are in the tables.
    pub wait: Option<u32>,
    members: Range<u32>,
}

/// Which grains a fork creates and which join collects them: the sibling sets of a run.
///
/// Arrays are indexed by the rows of the grains' table. Made in time n log n, from flat arrays, without
/// recursion.
#[derive(Debug)]
pub struct Structure {
    parents: Vec<u32>,
    set_of: Vec<u32>,
    sets: Vec<SiblingSet>,
    /// Grains by set, in the order of their creation.
    members: Vec<u32>,
    /// First set of each owner; the last two bound the sets without an owner.
    first_set: Vec<u32>,
    rule: JoinRule,
    num_escaped: usize,
    /// By grain; empty where none is.
    undeferred: Vec<bool>,
}

/// What puts a grain into a set: owner, kind and a number within the owner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// `NONE`, the greatest, for grains without an owner.
    owner: u32,
    kind: SetKind,
    number: i64,
}

impl Structure {
    /// The sibling sets of a run.
    pub fn of(run: &RunTables) -> Self {
        unstoppable(|check| Self::checked(run, check))
    }

    /// The same, which stops between its steps when `progress` does.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn stoppable(run: &RunTables, progress: &Progress) -> Result<Self, Cancelled> {
        Self::checked(run, &|| progress.check())
    }

    fn checked<E>(run: &RunTables, check: Check<'_, E>) -> Result<Self, E> {
        let grains = &run.grains;
        let parents = parents(grains);
        check()?;
        let joins = Joins::of(run, &parents);
        check()?;
        let undeferred = undeferred(grains, &parents, &joins);
        check()?;
        let keys: Vec<Key> = (0..grains.len())
            .map(|row| match undeferred.get(row) {
                Some(true) => alone(&parents, row),
                _ => key(grains, &parents, &joins, row),
            })
            .collect();
        check()?;
        let num_escaped = keys
            .iter()
            .zip(&parents)
            .filter(|(key, parent)| key.owner != **parent)
            .count();
        let mut members: Vec<u32> = (0..to_u32(grains.len())).collect();
        members.sort_by_key(|&row| {
            let at = row as usize;
            (keys.get(at).copied(), order(grains, at), row)
        });
        check()?;
        let mut structure = Self {
            set_of: vec![NONE; grains.len()],
            first_set: Vec::new(),
            sets: Vec::new(),
            members,
            parents,
            rule: joins.rule(),
            num_escaped,
            undeferred,
        };
        structure.gather(grains, &keys, &joins);
        Ok(structure)
    }

    /// Cuts the sorted grains into sets, and puts the sets of each owner into program order.
    fn gather(&mut self, grains: &Grains, keys: &[Key], joins: &Joins) {
        let mut sets: Vec<(u32, i64, SiblingSet)> = Vec::new();
        let key_of = |row: u32| keys.get(row as usize).copied();
        let mut first = 0_u32;
        for group in self.members.chunk_by(|a, b| key_of(*a) == key_of(*b)) {
            let last = first + to_u32(group.len());
            if let Some(key) = group.first().and_then(|&row| key_of(row)) {
                let wait = match key.kind {
                    SetKind::Tasks => joins.wait(key.owner, key.number),
                    SetKind::Chunks => joins.last_of(key.owner, group),
                    SetKind::Members => None,
                };
                let begin = group
                    .iter()
                    .filter_map(|&row| begin(grains, row as usize))
                    .min();
                let order = match joins.rule() {
                    JoinRule::Recorded => key.number,
                    _ => wait
                        .map(|wait| joins.start(wait))
                        .or(begin)
                        .unwrap_or(i64::MAX),
                };
                let set = SiblingSet {
                    owner: (key.owner != NONE).then_some(key.owner),
                    kind: key.kind,
                    place: 0,
                    wait,
                    members: first..last,
                };
                sets.push((key.owner, order, set));
            }
            first = last;
        }
        sets.sort_by_key(|(owner, order, set)| (*owner, *order, set.kind, set.members.start));
        self.index(sets);
    }

    fn index(&mut self, sorted: Vec<(u32, i64, SiblingSet)>) {
        let grains = self.parents.len();
        self.first_set = vec![0; grains + 2];
        let slot = |owner: Option<u32>| owner.map_or(grains, |owner| owner as usize);
        let mut before = None;
        let mut place = 0;
        for (number, (owner, _, mut set)) in sorted.into_iter().enumerate() {
            place = if before == Some(owner) { place + 1 } else { 0 };
            before = Some(owner);
            set.place = place;
            for &member in range(&self.members, &set.members) {
                if let Some(set_of) = self.set_of.get_mut(member as usize) {
                    *set_of = to_u32(number);
                }
            }
            if let Some(count) = self.first_set.get_mut(slot(set.owner) + 1) {
                *count += 1;
            }
            self.sets.push(set);
        }
        let mut sum = 0;
        for count in &mut self.first_set {
            sum += *count;
            *count = sum;
        }
    }

    /// Number of grains.
    pub fn num_grains(&self) -> usize {
        self.parents.len()
    }

    /// Parent of a grain.
    pub fn parent(&self, grain: u32) -> Option<u32> {
        self.parents
            .get(grain as usize)
            .copied()
            .filter(|&parent| parent != NONE)
    }

    /// Every set; those of an owner are neighbours, in program order, those without one come last.
    pub fn sets(&self) -> &[SiblingSet] {
        &self.sets
    }

    /// Numbers of the sets that a grain forks and joins, in program order; of `None`, the sets
    /// that the run begins with.
    pub fn sets_of(&self, owner: Option<u32>) -> Range<u32> {
        let slot = owner.map_or(self.parents.len(), |owner| owner as usize);
        let bound = |at: usize| self.first_set.get(at).copied().unwrap_or(0);
        bound(slot)..bound(slot + 1)
    }

    /// The grains of a set, in the order of their creation.
    pub fn members(&self, set: &SiblingSet) -> &[u32] {
        range(&self.members, &set.members)
    }

    /// Number of the set that a grain is a member of.
    pub fn set_of(&self, grain: u32) -> Option<u32> {
        self.set_of
            .get(grain as usize)
            .copied()
            .filter(|&set| set != NONE)
    }

    /// How the joins are known.
    pub fn rule(&self) -> JoinRule {
        self.rule
    }

    /// Whether a task ran at once inside its parent, which went on behind it: it has a set of its own. Where
    /// a team has one member only, runtimes run every task so; such tasks are taken as they were written.
    pub fn is_undeferred(&self, grain: u32) -> bool {
        self.undeferred.get(grain as usize) == Some(&true)
    }

    /// Grains that are collected by a join of another grain than their parent: tasks that nobody
    /// waits for before a barrier or the end of a taskgroup.
    pub fn num_escaped(&self) -> usize {
        self.num_escaped
    }
}

fn parents(grains: &Grains) -> Vec<u32> {
    grains
        .parent
        .iter()
        .map(|parent| {
            parent
                .and_then(|row| u32::try_from(row).ok())
                .unwrap_or(NONE)
        })
        .collect()
}

fn key(grains: &Grains, parents: &[u32], joins: &Joins, row: usize) -> Key {
    let parent = parents.get(row).copied().unwrap_or(NONE);
    let kind = GrainKind::from_code(grains.kind.value(row)).unwrap_or(GrainKind::Task);
    let sequence = if grains.sequence.is_valid(row) {
        grains.sequence.value(row)
    } else {
        -1
    };
    if let Some(number) = joins.recorded(row) {
        // A recorded join collects whatever it collects: chunks and their book-keeping together.
        return Key {
            owner: parent,
            kind: SetKind::Tasks,
            number,
        };
    }
    match kind {
        GrainKind::Chunk | GrainKind::TaskloopChunk | GrainKind::Implicit => Key {
            owner: parent,
            kind: set_kind(kind),
            number: sequence,
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

/// The key of a task that is joined where it is created.
fn alone(parents: &[u32], row: usize) -> Key {
    Key {
        owner: parents.get(row).copied().unwrap_or(NONE),
        kind: SetKind::Tasks,
        // Numbers of waits and ends are not negative.
        number: -1 - i64::try_from(row).unwrap_or(i64::MAX - 1),
    }
}

/// Tasks that ran at once although their team had other members, by grain; empty where none is.
fn undeferred(grains: &Grains, parents: &[u32], joins: &Joins) -> Vec<bool> {
    let flags = grains.flags.values();
    let is_flagged = |flags: &i32| flags & flags::UNDEFERRED != 0;
    if !flags.iter().any(is_flagged) {
        return Vec::new();
    }
    let kind = |row: usize| GrainKind::from_code(grains.kind.value(row));
    let is_member = |row: usize| kind(row) == Some(GrainKind::Implicit);
    let sequence = |row: usize| {
        grains
            .sequence
            .is_valid(row)
            .then(|| grains.sequence.value(row))
    };
    let mut members: Vec<(u32, Option<i64>)> = (0..parents.len())
        .filter(|&row| is_member(row))
        .map(|row| (parents.get(row).copied().unwrap_or(NONE), sequence(row)))
        .collect();
    members.sort_unstable();
    // Parents stand before their children.
    let mut has_others = vec![false; parents.len()];
    let mut undeferred = vec![false; parents.len()];
    for (row, &parent) in parents.iter().enumerate() {
        let inherited = has_others.get(parent as usize) == Some(&true);
        let has = if is_member(row) {
            let team = (parent, sequence(row));
            members.partition_point(|other| *other <= team)
                - members.partition_point(|other| *other < team)
                > 1
        } else {
            inherited
        };
        if let (Some(slot), Some(is)) = (has_others.get_mut(row), undeferred.get_mut(row)) {
            *slot = has;
            *is = has
                && parent != NONE
                && kind(row) == Some(GrainKind::Task)
                && flags.get(row).is_some_and(is_flagged)
                && joins.recorded(row).is_none();
        }
    }
    undeferred
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
    let get = |array: &arrow::array::Int64Array| array.is_valid(row).then(|| array.value(row));
    get(&grains.created).or_else(|| get(&grains.start))
}

/// Order of siblings: by creation, where it is known, then by index.
fn order(grains: &Grains, row: usize) -> (i64, i64) {
    let index = grains.index.value(row);
    (begin(grains, row).unwrap_or(index), index)
}

fn range<'a>(items: &'a [u32], bounds: &Range<u32>) -> &'a [u32] {
    items
        .get(bounds.start as usize..bounds.end as usize)
        .unwrap_or_default()
}
