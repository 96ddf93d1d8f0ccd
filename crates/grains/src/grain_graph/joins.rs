//! Which wait collects each task.

use std::ops::Range;

use rayon::prelude::*;
use sheaf_model::RunTables;
use sheaf_model::table::{CompactColumn, GrainKind, Grains, WaitKind, Waits};

use super::NONE;
use super::by_grain::Ranges;
use super::structure::{JoinRule, Parents};
use crate::grain_graph::to_u32;

/// Number of a join that no wait stands for: the end of the owner.
const END: i64 = i64::MAX;

/// Row of a wait; after the waits, the row of a grain that collects at its end; [`NONE`] if nobody is known to collect.
/// Few bytes, as each grain has a join: waits and grains together have fewer than 2³² rows.
type Join = u32;

/// The joins of tasks, by row of the grain.
pub(super) struct Joins<'a> {
    rule: JoinRule,
    recorded: Option<CompactColumn<i64>>,
    /// By grain; empty if each grain is collected at the end of its parent.
    computed: Vec<Join>,
    parents: &'a Parents,
    waits: &'a Waits,
    /// Waits of each grain.
    of_grain: Ranges,
}

impl<'a> Joins<'a> {
    pub(super) fn of(run: &'a RunTables, parents: &'a Parents) -> Self {
        let (grains, waits) = (&run.grains, &run.waits);
        let rule = if grains.joined_by.null_count() < grains.len() {
            JoinRule::Recorded
        } else if !waits.is_empty() {
            JoinRule::Waits
        } else {
            JoinRule::Assumed
        };
        let recorded = (rule == JoinRule::Recorded).then(|| grains.joined_by.clone());
        let of_grain = Ranges::of_rows(waits.grain.values().iter().copied(), grains.len());
        let computed = match rule {
            JoinRule::Waits => ByWaits::new(grains, waits, parents, &of_grain).joins(),
            JoinRule::Recorded | JoinRule::Assumed => Vec::new(),
        };
        Self {
            rule,
            recorded,
            computed,
            parents,
            waits,
            of_grain,
        }
    }

    pub(super) fn rule(&self) -> JoinRule {
        self.rule
    }

    /// What the source says.
    pub(super) fn recorded(&self, grain: usize) -> Option<i64> {
        self.recorded.as_ref()?.get(grain)
    }

    /// Owner and number of the join.
    pub(super) fn computed(&self, grain: usize) -> (u32, i64) {
        let Some(&join) = self.computed.get(grain) else {
            return (self.parents.of(grain), END);
        };
        if join == NONE {
            return (NONE, END);
        }
        if let Some(owner) = (join as usize).checked_sub(self.waits.len()) {
            return (to_u32(owner), END);
        }
        let owner = u32::try_from(self.waits.grain.value(join as usize));
        (owner.unwrap_or(0), join.into())
    }

    /// Row of the wait of an owner that a number stands for: of those that are recorded, the place among
    /// the owner's waits.
    pub(super) fn wait(&self, owner: u32, number: i64) -> Option<u32> {
        let number = u32::try_from(number).ok()?;
        match self.rule {
            JoinRule::Recorded => {
                let waits = self.of_grain.of(owner as usize);
                let wait = waits.start.checked_add(number)?;
                (wait < waits.end).then_some(wait)
            }
            JoinRule::Waits => ((number as usize) < self.waits.len()).then_some(number),
            JoinRule::Assumed => None,
        }
    }

    /// Row of the wait of an owner that collects the last of some grains.
    pub(super) fn last_of(&self, owner: u32, grains: &[u32]) -> Option<u32> {
        let joins = grains.iter().map(|&grain| self.computed(grain as usize));
        let own = joins.filter(|&(of, _)| of == owner);
        let rows = own.map(|(_, number)| self.wait(owner, number));
        // Where one has no wait of the owner, the end of the owner is the last.
        rows.collect::<Option<Vec<u32>>>()?.into_iter().max()
    }

    /// When a wait began.
    pub(super) fn start(&self, wait: u32) -> i64 {
        let (starts, at) = (&self.waits.start, wait as usize);
        if at < starts.len() {
            starts.value(at)
        } else {
            i64::MAX
        }
    }
}

/// Joins from the times of waits.
struct ByWaits<'a> {
    grains: &'a Grains,
    waits: &'a Waits,
    parents: &'a Parents,
    /// Waits of each grain.
    of_grain: &'a Ranges,
    ends: Vec<i64>,
    next_deep: Vec<u32>,
}

impl<'a> ByWaits<'a> {
    fn new(
        grains: &'a Grains,
        waits: &'a Waits,
        parents: &'a Parents,
        of_grain: &'a Ranges,
    ) -> Self {
        Self {
            grains,
            waits,
            parents,
            of_grain,
            ends: (waits.start.values().iter())
                .zip(waits.duration.values())
                .map(|(start, duration)| start.saturating_add(*duration))
                .collect(),
            next_deep: next_deep(waits),
        }
    }

    /// The join of each grain. The waits of its parent are searched side by side; what a grain leaves to the grains above
    /// it then follows in one pass, as parents come before their children.
    fn joins(&self) -> Vec<Join> {
        let rows = self.parents.len();
        let (mut joins, mut left) = (Vec::new(), Vec::new());
        let own_waits = (0..rows).into_par_iter().map(|row| self.own_waits(row));
        own_waits.unzip_into_vecs(&mut joins, &mut left);
        for row in 0..rows {
            let parent = self.parents.of(row);
            if parent == NONE {
                continue;
            }
            let at_end = to_u32(self.waits.len().saturating_add(parent as usize));
            let inherited = left.get(parent as usize).copied();
            let (Some(join), Some(left)) = (joins.get_mut(row), left.get_mut(row)) else {
                continue;
            };
            if *join == NONE {
                *join = inherited.unwrap_or(at_end);
            }
            if *left == NONE {
                let kind = GrainKind::from_code(self.grains.kind.value(row));
                // A region waits at its end for all tasks that its members created.
                let is_member = kind == Some(GrainKind::Implicit);
                *left = inherited.filter(|_| !is_member).unwrap_or(at_end);
            }
        }
        joins
    }

    /// The waits of its parent that collect a grain, and what the grain leaves behind; [`NONE`] where none does.
    fn own_waits(&self, row: usize) -> (Join, Join) {
        let parent = self.parents.of(row);
        let waits = self.of_grain.of(parent as usize);
        if parent == NONE || waits.is_empty() {
            return (NONE, NONE);
        }
        let grains = self.grains;
        let created = grains.created.get(row).or_else(|| grains.start.get(row));
        let created = created.unwrap_or(i64::MIN);
        let end = grains.end.get(row).unwrap_or(i64::MIN);
        let own = self.first_wait(waits.clone(), created, end);
        let deep = self.first_deep_wait(waits, created);
        (own.unwrap_or(NONE), deep.unwrap_or(NONE))
    }

    /// The first of the waits of a grain that begins at `begin` or later, or is under way then, and does not end before
    /// `end`. Who creates while it waits has it done by others, as runtimes do that split loops. Waits of a
    /// grain follow each other, so both are found by bisection.
    fn first_wait(&self, waits: Range<u32>, begin: i64, end: i64) -> Option<u32> {
        let (first, last) = (waits.start, waits.end);
        let waits = first as usize..last as usize;
        let starts = self.waits.start.values().get(waits.clone())?;
        let ends = self.ends.get(waits)?;
        let by_begin = starts.partition_point(|&start| start < begin);
        let under_way = ends.partition_point(|&wait_end| wait_end <= begin);
        let by_end = ends.partition_point(|&wait_end| wait_end < end);
        let found = first + to_u32(by_begin.min(under_way).max(by_end));
        (found < last).then_some(found)
    }

    /// The first of the waits of a grain that is for all descendants and begins at `begin` or later.
    fn first_deep_wait(&self, waits: Range<u32>, begin: i64) -> Option<u32> {
        let last = waits.end;
        let from = self.first_wait(waits, begin, i64::MIN)?;
        let deep = self.next_deep.get(from as usize).copied()?;
        (deep < last).then_some(deep)
    }
}

/// For each wait the next one, itself included, that is for all descendants, of whatever grain.
fn next_deep(waits: &Waits) -> Vec<u32> {
    let mut next = vec![NONE; waits.len()];
    let mut deep = NONE;
    for (row, (slot, kind)) in next.iter_mut().zip(waits.kind.values()).enumerate().rev() {
        if *kind != WaitKind::Taskwait as i32 {
            deep = to_u32(row);
        }
        *slot = deep;
    }
    next
}
