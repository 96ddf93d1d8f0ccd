//! Columns of grains, fragments, waits and measures while they are gathered.

use sheaf_model::table::{FragmentEnd, WaitKind};

use super::Grain;
use crate::run_tables::NONE;

/// Stands for an absent number; the one number that columns cannot hold.
const ABSENT: i64 = i64::MIN;

/// Numbers that can be absent; takes no memory while all are.
#[derive(Debug, Default)]
pub(super) struct Column {
    values: Vec<i64>,
}

impl Column {
    /// Sets the value of `row`, which follows the last one; `rows` are expected.
    fn push(&mut self, row: usize, rows: usize, value: Option<i64>) {
        if self.values.is_empty() {
            if value.is_none() {
                return;
            }
            self.values.reserve_exact(rows);
        }
        self.set(row, value);
    }

    pub(super) fn get(&self, row: usize) -> Option<i64> {
        self.values
            .get(row)
            .copied()
            .filter(|&value| value != ABSENT)
    }

    pub(super) fn set(&mut self, row: usize, value: Option<i64>) {
        if row >= self.values.len() {
            self.values.resize(row + 1, ABSENT);
        }
        if let Some(slot) = self.values.get_mut(row) {
            *slot = value.map_or(ABSENT, |value| value.max(ABSENT + 1));
        }
    }

    /// Rows up to the last that was set.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no row has a value.
    pub(super) fn is_absent(&self) -> bool {
        self.values.iter().all(|&value| value == ABSENT)
    }

    /// Replaces every value that is there.
    pub(super) fn map(&mut self, change: impl Fn(i64) -> i64) {
        let present = self.values.iter_mut().filter(|value| **value != ABSENT);
        present.for_each(|value| *value = change(*value).max(ABSENT + 1));
    }
}

/// Grains by the number of their turn.
#[derive(Debug, Default)]
pub(super) struct GrainColumns {
    pub(super) parent: Vec<u32>,
    /// Grain that the path goes on from where it is not the parent; -1 for the program.
    pub(super) path_parent: Column,
    pub(super) definition: Vec<u32>,
    pub(super) kind: Vec<sheaf_model::table::GrainKind>,
    pub(super) flags: Vec<i32>,
    pub(super) index: Vec<i64>,
    pub(super) location: Vec<u32>,
    pub(super) sequence: Column,
    pub(super) joined_by: Column,
    pub(super) first_iteration: Column,
    pub(super) iterations: Column,
    pub(super) created: Column,
    pub(super) start: Column,
    pub(super) end: Column,
    pub(super) work: Column,
    pub(super) creation: Column,
    pub(super) waiting: Column,
}

impl GrainColumns {
    pub(super) fn len(&self) -> usize {
        self.parent.len()
    }

    /// Makes room for as many more grains.
    pub(super) fn reserve(&mut self, count: usize) {
        self.parent.reserve_exact(count);
        self.definition.reserve_exact(count);
        self.kind.reserve_exact(count);
        self.flags.reserve_exact(count);
        self.index.reserve_exact(count);
        self.location.reserve_exact(count);
    }

    pub(super) fn push(&mut self, grain: Grain) {
        let (row, rows) = (self.len(), self.parent.capacity());
        self.parent.push(NONE);
        self.definition.push(grain.definition.0);
        self.kind.push(grain.kind);
        self.flags.push(grain.flags);
        self.index.push(grain.index);
        self.location.push(grain.location.map_or(NONE, |at| at.0));
        self.sequence.push(row, rows, grain.sequence);
        self.joined_by.push(row, rows, grain.joined_by);
        self.first_iteration.push(row, rows, grain.first_iteration);
        self.iterations.push(row, rows, grain.iterations);
        self.created.push(row, rows, grain.created);
        self.start.push(row, rows, grain.start);
        self.end.push(row, rows, grain.end);
        self.work.push(row, rows, grain.work);
        self.creation.push(row, rows, grain.creation);
        self.waiting.push(row, rows, grain.waiting);
    }

    /// Parent of a grain.
    pub(super) fn parent_of(&self, grain: usize) -> Option<usize> {
        let parent = self.parent.get(grain).copied()?;
        (parent != NONE).then_some(parent as usize)
    }

    /// The grain that the path of a grain goes on from.
    pub(super) fn path_parent_of(&self, grain: usize) -> Option<usize> {
        match self.path_parent.get(grain) {
            Some(ancestor) => usize::try_from(ancestor).ok(),
            None => self.parent_of(grain),
        }
    }
}

/// Fragments in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct FragmentColumns {
    pub(super) grain: Vec<u32>,
    pub(super) location: Vec<u32>,
    pub(super) start: Vec<i64>,
    pub(super) duration: Vec<i64>,
    pub(super) ended_by: Vec<FragmentEnd>,
}

impl FragmentColumns {
    /// Makes room for as many more fragments.
    pub(super) fn reserve(&mut self, count: usize) {
        self.grain.reserve_exact(count);
        self.location.reserve_exact(count);
        self.start.reserve_exact(count);
        self.duration.reserve_exact(count);
        self.ended_by.reserve_exact(count);
    }

    /// Grain and duration of each.
    pub(super) fn durations(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        let grains = self.grain.iter().map(|&grain| grain as usize);
        grains.zip(self.duration.iter().copied())
    }
}

/// A wait of a grain.
#[derive(Debug)]
pub(super) struct Wait {
    pub(super) grain: u32,
    pub(super) kind: WaitKind,
    pub(super) start: i64,
    pub(super) duration: i64,
    pub(super) line: Option<i32>,
}

/// Measured values in the order in which they were given; floats as their bits.
#[derive(Debug, Default)]
pub(super) struct MeasureColumns {
    pub(super) grain: Vec<u32>,
    pub(super) metric: Vec<u32>,
    pub(super) bits: Vec<u64>,
}
