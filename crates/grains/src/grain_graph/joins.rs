//! Which wait collects each task.

use sheaf_model::RunTables;
use sheaf_model::table::{CompactColumn, GrainKind, Grains, WaitKind, Waits};

use super::NONE;
use super::by_grain::{bounds, starts};
use super::structure::JoinRule;
use crate::grain_graph::to_u32;

/// Number of a join that no wait stands for: the end of the owner.
const END: i64 = i64::MAX;

/// Owner and row of the wait; [`NONE`] for [`END`]: few bytes, as each grain has a join.
type Join = (u32, u32);

/// The joins of tasks, by row of the grain.
pub(super) struct Joins<'a> {
    rule: JoinRule,
    recorded: Option<CompactColumn<i64>>,
    /// By grain; empty if each grain is collected at the end of its parent.
    computed: Vec<Join>,
    parents: &'a [u32],
    starts: Vec<i64>,
    /// First wait of each grain, and behind them their number.
    first: Vec<u32>,
}

impl<'a> Joins<'a> {
    pub(super) fn of(run: &RunTables, parents: &'a [u32]) -> Self {
        let (grains, waits) = (&run.grains, &run.waits);
        let rule = if grains.joined_by.null_count() < grains.len() {
            JoinRule::Recorded
        } else if !waits.is_empty() {
            JoinRule::Waits
        } else {
            JoinRule::Assumed
        };
        let recorded = (rule == JoinRule::Recorded).then(|| grains.joined_by.clone());
        let first = starts(waits.grain.values().iter().copied(), grains.len());
        let computed = match rule {
            JoinRule::Waits => ByWaits::new(grains, waits, parents, &first).joins(),
            JoinRule::Recorded | JoinRule::Assumed => Vec::new(),
        };
        Self {
            rule,
            recorded,
            computed,
            parents,
            starts: waits.start.values().to_vec(),
            first,
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
        let parent = || self.parents.get(grain).copied().unwrap_or(NONE);
        let join = self.computed.get(grain).copied();
        let (owner, wait) = join.unwrap_or_else(|| (parent(), NONE));
        let number = if wait == NONE { END } else { wait.into() };
        (owner, number)
    }

    /// Row of the wait of an owner that a number stands for: of those that are recorded, the place among
    /// the owner's waits.
    pub(super) fn wait(&self, owner: u32, number: i64) -> Option<u32> {
        let number = u32::try_from(number).ok()?;
        match self.rule {
            JoinRule::Recorded => {
                let waits = bounds(&self.first, owner as usize);
                let wait = waits.start.checked_add(number)?;
                (wait < waits.end).then_some(wait)
            }
            JoinRule::Waits => ((number as usize) < self.starts.len()).then_some(number),
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
        self.starts.get(wait as usize).copied().unwrap_or(i64::MAX)
    }
}

/// Joins from the times of waits.
struct ByWaits<'a> {
    grains: &'a Grains,
    waits: &'a Waits,
    parents: &'a [u32],
    /// First wait of each grain, and behind them their number.
    first: &'a [u32],
    ends: Vec<i64>,
    next_deep: Vec<u32>,
}

impl<'a> ByWaits<'a> {
    fn new(grains: &'a Grains, waits: &'a Waits, parents: &'a [u32], first: &'a [u32]) -> Self {
        Self {
            grains,
            waits,
            parents,
            first,
            ends: (waits.start.values().iter())
                .zip(waits.duration.values())
                .map(|(start, duration)| start.saturating_add(*duration))
                .collect(),
            next_deep: next_deep(waits),
        }
    }

    /// Rows are ordered so that parents come first: one pass knows for each grain the wait for all
    /// descendants that collects what the grain leaves behind.
    fn joins(&self) -> Vec<Join> {
        let mut left: Vec<Join> = Vec::with_capacity(self.parents.len());
        let mut joins = Vec::with_capacity(self.parents.len());
        for (row, &parent) in self.parents.iter().enumerate() {
            if parent == NONE {
                left.push((NONE, NONE));
                joins.push((NONE, NONE));
                continue;
            }
            let inherited = left.get(parent as usize).copied();
            let created = self
                .grains
                .created
                .get(row)
                .or_else(|| self.grains.start.get(row))
                .unwrap_or(i64::MIN);
            let end = self.grains.end.get(row).unwrap_or(i64::MIN);
            let as_join = |wait: u32| (parent, wait);
            let deep = self.first_deep_wait(parent, created).map(as_join);
            let own = self.first_wait(parent, created, end).map(as_join);
            let is_team = matches!(
                GrainKind::from_code(self.grains.kind.value(row)),
                Some(GrainKind::Implicit)
            );
            // What a member leaves behind is collected in its region at the latest.
            let kept = if is_team { None } else { inherited };
            left.push(deep.or(kept).unwrap_or((parent, NONE)));
            joins.push(own.or(inherited).unwrap_or((parent, NONE)));
        }
        joins
    }

    /// The first wait of a grain that begins at `begin` or later, or is under way then, and does not end before
    /// `end`. Who creates while it waits has it done by others, as runtimes do that split loops. Waits of a
    /// grain follow each other, so both are found by bisection.
    fn first_wait(&self, grain: u32, begin: i64, end: i64) -> Option<u32> {
        let bound = |at: usize| self.first.get(at).copied().unwrap_or(0);
        let (first, last) = (bound(grain as usize), bound(grain as usize + 1));
        let waits = first as usize..last as usize;
        let starts = self.waits.start.values().get(waits.clone())?;
        let ends = self.ends.get(waits)?;
        let by_begin = starts.partition_point(|&start| start < begin);
        let under_way = ends.partition_point(|&wait_end| wait_end <= begin);
        let by_end = ends.partition_point(|&wait_end| wait_end < end);
        let found = first + to_u32(by_begin.min(under_way).max(by_end));
        (found < last).then_some(found)
    }

    /// The first wait for all descendants of a grain that begins at `begin` or later.
    fn first_deep_wait(&self, grain: u32, begin: i64) -> Option<u32> {
        let from = self.first_wait(grain, begin, i64::MIN)?;
        let deep = self.next_deep.get(from as usize).copied()?;
        let last = self.first.get(grain as usize + 1).copied().unwrap_or(0);
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
