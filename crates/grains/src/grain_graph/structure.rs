//! Sibling sets: the grains between a fork and the join that collects them.

use std::ops::Range;

use sheaf_model::table::{GrainKind, Grains, flags};
use sheaf_model::{Cancelled, Progress, RunTables};

use super::joins::Joins;
use super::sets::{Keys, Sets};
use super::{NONE, SiblingSet};
use crate::stopping::{Check, unstoppable};

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
        let keys = Keys::new(grains, &parents, &joins, &undeferred);
        let owners: Vec<u32> = (0..grains.len()).map(|row| keys.owner(row)).collect();
        let both = owners.iter().zip(&parents);
        let num_escaped = both.filter(|(owner, parent)| owner != parent).count();
        check()?;
        let Sets {
            all: sets,
            members,
            first_set,
            set_of,
        } = Sets::of(&keys, &owners, check)?;
        let rule = joins.rule();
        Ok(Self {
            parents,
            set_of,
            sets,
            members,
            first_set,
            rule,
            num_escaped,
            undeferred,
        })
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
        let bounds = set.members();
        self.members
            .get(bounds.start as usize..bounds.end as usize)
            .unwrap_or_default()
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
    /// a team has one member only, runtimes run every task so; such tasks are taken as they were written, unless
    /// they are merged.
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

/// Tasks and chunks of taskloops that ran at once although their team had other members, and those that are part of
/// their parent, by grain; empty where none is.
fn undeferred(grains: &Grains, parents: &[u32], joins: &Joins<'_>) -> Vec<bool> {
    let flags = grains.flags.values();
    let is_flagged = |flags: i32| flags & flags::UNDEFERRED != 0;
    if !flags.iter().any(is_flagged) {
        return Vec::new();
    }
    let kind = |row: usize| GrainKind::from_code(grains.kind.value(row));
    let is_member = |row: usize| kind(row) == Some(GrainKind::Implicit);
    let is_created =
        |row: usize| matches!(kind(row), Some(GrainKind::Task | GrainKind::TaskloopChunk));
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
            let flags = flags.get(row).unwrap_or(0);
            *is = (has || flags & flags::MERGED != 0)
                && parent != NONE
                && is_created(row)
                && is_flagged(flags)
                && joins.recorded(row).is_none();
        }
    }
    undeferred
}
