//! Sibling sets: the grains between a fork and the join that collects them.

use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;
use sheaf_model::table::{CompactColumn, GrainKind, Grains, flags};
use sheaf_model::{Cancelled, Progress, RunTables};

use super::by_grain::Ranges;
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
    parents: Parents,
    /// Set of each grain, from the first question on.
    set_of: OnceLock<Vec<u32>>,
    sets: Vec<SiblingSet>,
    /// Grains by set, in the order of their creation.
    members: Vec<u32>,
    /// Sets of each owner, behind them those without an owner.
    of_owner: Ranges,
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
        let parents = Parents(grains.parent.clone());
        check()?;
        let joins = Joins::of(run, &parents);
        check()?;
        let undeferred = undeferred(grains, &parents, &joins);
        check()?;
        let keys = Keys::new(grains, &parents, &joins, &undeferred);
        let rows = (0..grains.len()).into_par_iter();
        let owners: Vec<u32> = rows.map(|row| keys.owner(row)).collect();
        let both = owners.par_iter().enumerate();
        let is_escaped = |&(row, owner): &(usize, &u32)| *owner != parents.of(row);
        let num_escaped = both.filter(is_escaped).count();
        check()?;
        let Sets {
            all: sets,
            members,
            of_owner,
        } = Sets::of(&keys, &owners, check)?;
        let rule = joins.rule();
        Ok(Self {
            parents,
            set_of: OnceLock::new(),
            sets,
            members,
            of_owner,
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
        Some(self.parents.of(grain as usize)).filter(|&parent| parent != NONE)
    }

    /// Every set; those of an owner are neighbours, in program order, those without one come last.
    pub fn sets(&self) -> &[SiblingSet] {
        &self.sets
    }

    /// Numbers of the sets that a grain forks and joins, in program order; of `None`, the sets
    /// that the run begins with.
    pub fn sets_of(&self, owner: Option<u32>) -> Range<u32> {
        let slot = owner.map_or(self.parents.len(), |owner| owner as usize);
        self.of_owner.of(slot)
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
        let set_of = self.set_of.get_or_init(|| self.sets_by_grain());
        let set = set_of.get(grain as usize).copied();
        set.filter(|&set| set != NONE)
    }

    fn sets_by_grain(&self) -> Vec<u32> {
        let mut set_of = vec![NONE; self.parents.len()];
        for (number, set) in (0..).zip(&self.sets) {
            for &member in self.members(set) {
                if let Some(slot) = set_of.get_mut(member as usize) {
                    *slot = number;
                }
            }
        }
        set_of
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

/// Parents of grains: the column of the table.
#[derive(Debug)]
pub(super) struct Parents(CompactColumn<i32>);

impl Parents {
    /// Row of the parent of a grain; [`NONE`] if it has none.
    #[inline]
    pub(super) fn of(&self, row: usize) -> u32 {
        let parent = self.0.get(row);
        parent.map_or(NONE, |row| u32::try_from(row).unwrap_or(NONE))
    }

    /// Number of grains.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Tasks and chunks of taskloops that ran at once although their team had other members, and those that are part of
/// their parent, by grain; empty where none is.
fn undeferred(grains: &Grains, parents: &Parents, joins: &Joins<'_>) -> Vec<bool> {
    let flags = |row: usize| grains.flags.value(row);
    let is_flagged = |row: usize| flags(row) & flags::UNDEFERRED != 0;
    if !(0..grains.len()).any(is_flagged) {
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
        .map(|row| (parents.of(row), sequence(row)))
        .collect();
    members.sort_unstable();
    // Parents stand before their children.
    let mut has_others = vec![false; parents.len()];
    let mut undeferred = vec![false; parents.len()];
    for row in 0..parents.len() {
        let parent = parents.of(row);
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
            *is = (has || flags(row) & flags::MERGED != 0)
                && parent != NONE
                && is_created(row)
                && is_flagged(row)
                && joins.recorded(row).is_none();
        }
    }
    undeferred
}
