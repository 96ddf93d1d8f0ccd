//! Logical fragments: stretches of grains whose lengths are known, but not their times.

use std::ops::Range;

use arrow::array::Array;
use sheaf_model::RunTables;

use super::SiblingSet;
use super::structure::Structure;
use crate::grain_graph::to_u32;

/// Stands for no value in columns of measures.
const ABSENT: i64 = i64::MIN;

/// The fragments of a run that has none in its tables, but says when children were created and
/// waits ended in the execution time of their parent (task-stats tables, unreduced GraphML).
///
/// A grain with c children in j sibling sets is cut into 1 + c + j fragments, in the order of
/// the program: the k-th set's creations, the end of its wait, the next set's creations. Instants count from
/// 1, as the profiler does, and the execution ends at 1 + `exec_cycles` (Grain Graphs prototype,
/// `compute_fragment_duration`). Lengths are in the run's time unit; those of a grain add up to its execution
/// time. A placement in time follows from [`super::Paths::earliest_start`] of the unreduced graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogicalFragments {
    /// First fragment of each grain, and behind them their number.
    first: Vec<u32>,
    durations: Vec<i64>,
    num_assumed: u64,
}

impl LogicalFragments {
    /// The logical fragments of a run; `None` where its fragments are in its tables, or where it says
    /// neither how long grains executed nor when they were created. Linear in time.
    pub fn of(run: &RunTables, structure: &Structure) -> Option<Self> {
        if !run.fragments.is_empty() {
            return None;
        }
        let instants = Instants::of(run)?;
        let grains = structure.num_grains();
        let mut fragments = Self {
            first: Vec::with_capacity(grains + 1),
            durations: Vec::with_capacity(2 * grains + structure.sets().len()),
            num_assumed: 0,
        };
        fragments.first.push(0);
        for grain in 0..to_u32(grains) {
            fragments.cut(grain, structure, &instants);
            fragments.first.push(to_u32(fragments.durations.len()));
        }
        Some(fragments)
    }

    fn cut(&mut self, grain: u32, structure: &Structure, instants: &Instants) {
        let executed = self.known(instants.executed(grain), 0);
        let (mut last, end) = (1, executed.max(0).saturating_add(1));
        let sets = structure.sets_of(Some(grain));
        let mut cut_at = |fragments: &mut Self, instant: i64| {
            let instant = instant.clamp(last, end);
            fragments.durations.push(instant - last);
            last = instant;
            instant
        };
        let mut now = 1;
        for number in sets.clone() {
            let Some(set) = structure.sets().get(number as usize) else {
                continue;
            };
            for &member in structure.members(set) {
                let created = self.known(instants.created(member), now);
                now = cut_at(self, created);
            }
            // A wait that never ended, or that nobody wrote down, is the end of the grain.
            let otherwise = if number + 1 == sets.end { end } else { now };
            let joined = self.known(instants.joined(structure, set), otherwise);
            now = cut_at(self, joined);
        }
        cut_at(self, end);
    }

    fn known(&mut self, instant: Option<i64>, otherwise: i64) -> i64 {
        self.num_assumed += u64::from(instant.is_none());
        instant.unwrap_or(otherwise)
    }

    /// Number of fragments.
    pub fn len(&self) -> usize {
        self.durations.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.durations.is_empty()
    }

    /// Numbers of the fragments of a grain, in the order of the program.
    pub fn of_grain(&self, grain: u32) -> Range<u32> {
        let bound = |at: usize| self.first.get(at).copied().unwrap_or(0);
        let grain = grain as usize;
        bound(grain)..bound(grain + 1)
    }

    /// Length of a fragment in the run's time unit.
    pub fn duration(&self, fragment: u32) -> i64 {
        self.durations.get(fragment as usize).copied().unwrap_or(0)
    }

    /// Lengths of all fragments, grain by grain.
    pub fn durations(&self) -> &[i64] {
        &self.durations
    }

    /// How many instants and execution times the run does not say and were assumed instead: creations where
    /// the parent was, ends of waits at the end of the parent.
    pub fn num_assumed(&self) -> u64 {
        self.num_assumed
    }
}

/// Whether a run has what logical fragments are made of.
pub(super) fn has_instants(run: &RunTables) -> bool {
    let has = |name: &str| metric(run, name).is_some();
    let has_parents = run.grains.parent.null_count() < run.grains.len();
    has("exec_cycles") && (has("create_instant") || !has_parents)
}

/// What the source measured of each grain, by row.
struct Instants {
    executed: Vec<i64>,
    created: Vec<i64>,
    joined: Vec<i64>,
}

impl Instants {
    fn of(run: &RunTables) -> Option<Self> {
        has_instants(run).then(|| Self {
            executed: measure(run, "exec_cycles"),
            created: measure(run, "create_instant"),
            joined: measure(run, "join_instant"),
        })
    }

    fn executed(&self, grain: u32) -> Option<i64> {
        value(&self.executed, grain)
    }

    fn created(&self, grain: u32) -> Option<i64> {
        value(&self.created, grain)
    }

    /// When the wait of a set ended; an instant of 0 stands for none.
    fn joined(&self, structure: &Structure, set: &SiblingSet) -> Option<i64> {
        let members = structure.members(set).iter();
        let mut instants = members.filter_map(|&member| value(&self.joined, member));
        instants.find(|&instant| instant > 0)
    }
}

fn value(column: &[i64], grain: u32) -> Option<i64> {
    column
        .get(grain as usize)
        .copied()
        .filter(|&value| value != ABSENT)
}

/// Row of a metric, by the source's name.
fn metric(run: &RunTables, source: &str) -> Option<i32> {
    let metrics = &run.summary.metrics;
    let row = (0..metrics.len()).find(|&row| {
        metrics.name.value(row) == source
            || metrics.source.is_valid(row) && metrics.source.value(row) == source
    });
    row.and_then(|row| i32::try_from(row).ok())
}

/// The values of an integer metric by grain; empty where there is no such metric.
fn measure(run: &RunTables, source: &str) -> Vec<i64> {
    let Some(metric) = metric(run, source) else {
        return Vec::new();
    };
    let counters = &run.counters;
    let mut values = vec![ABSENT; run.grains.len()];
    for (row, &found) in counters.metric.values().iter().enumerate() {
        let grain = usize::try_from(counters.grain.value(row)).unwrap_or(usize::MAX);
        if found == metric
            && counters.value.is_valid(row)
            && let Some(value) = values.get_mut(grain)
        {
            *value = counters.value.value(row);
        }
    }
    values
}
