//! Work deviation: how much more a grain computed than in another run.

use arrow::array::Float64Array;
use sheaf_model::RunTables;
use sheaf_model::table::{GrainKind, flags};

use super::siblings::median;
use super::{GrainMetric, Need, PAPER, RATIO, Values};

pub(super) const METRICS: [GrainMetric; 1] = [GrainMetric {
    id: "work_deviation",
    definition: "Work by the work of the same grain in the reference run, or by its median in the reference runs.",
    citation: PAPER,
    needs: &[Need::Work, Need::Reference],
    given_as: &["work_deviation"],
    compute: |evaluation| Ok(Values::Floats(evaluation.deviation().values.clone())),
    ..RATIO
}];

/// Grains of one run that the other has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unmatched {
    /// How many.
    pub grains: u64,
    /// Their work.
    pub work: i64,
}

/// Work by the work of the same grains elsewhere.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkDeviation {
    /// Ratio, a row per grain; `None` where the grain is in no reference run, and where the
    /// reference is zero or absent.
    pub values: Float64Array,
    /// Work of the reference: of the one run, or the median of several.
    pub reference: Vec<Option<f64>>,
    /// Tasks and chunks of the run that no reference run has.
    pub unmatched: Unmatched,
    /// Tasks and chunks of each reference run that the run has not.
    pub missing: Vec<Unmatched>,
}

/// Compares the work of grains with that of the grains with the same path in reference runs.
///
/// All runs must have one time unit. Grains whose path depends on the schedule, or is not the only one of its run, match nothing.
/// Sorts the grains of each run; cost n log n in their number together.
pub fn work_deviation(run: &RunTables, references: &[&RunTables]) -> WorkDeviation {
    let own = Keys::of(run);
    let mut found: Vec<(u32, i64)> = Vec::new();
    let mut is_matched = vec![false; run.grains.len()];
    let mut missing = Vec::with_capacity(references.len());
    for reference in references {
        let theirs = Keys::of(reference);
        let mut without = theirs.unmatchable;
        own.join(&theirs, |mine, other| match mine {
            None if is_grain(reference, other) => without.add(reference, other),
            None => {}
            Some(mine) => {
                if let Some(slot) = is_matched.get_mut(mine as usize) {
                    *slot = true;
                }
                if let Some(work) = work(reference, other) {
                    found.push((mine, work));
                }
            }
        });
        missing.push(without);
    }
    found.sort_unstable();
    let mut reference = vec![None; run.grains.len()];
    let mut works = Vec::new();
    for same in found.chunk_by(|a, b| a.0 == b.0) {
        works.clear();
        works.extend(same.iter().map(|&(_, work)| work));
        let slot = same
            .first()
            .and_then(|&(row, _)| reference.get_mut(row as usize));
        if let Some(slot) = slot {
            *slot = median(&works);
        }
    }
    let mut unmatched = Unmatched::default();
    for (row, is_matched) in (0..).zip(&is_matched) {
        if !is_matched && is_grain(run, row) {
            unmatched.add(run, row);
        }
    }
    let divisors = reference.iter().map(|work| work.filter(|&work| work > 0.0));
    let both = run.grains.work.iter().zip(divisors);
    WorkDeviation {
        values: both.map(|(work, by)| Some(work? as f64 / by?)).collect(),
        reference,
        unmatched,
        missing,
    }
}

impl Unmatched {
    fn add(&mut self, run: &RunTables, row: u32) {
        self.grains += 1;
        self.work = self.work.saturating_add(work(run, row).unwrap_or(0));
    }
}

fn work(run: &RunTables, row: u32) -> Option<i64> {
    let work = &run.grains.work;
    let row = row as usize;
    (row < work.len() && work.is_valid(row)).then(|| work.value(row))
}

fn is_grain(run: &RunTables, row: u32) -> bool {
    let code = run.grains.kind.get(row as usize);
    code.and_then(GrainKind::from_code)
        .is_some_and(GrainKind::is_grain)
}

/// Grains by the key of their path, those that can be matched.
struct Keys {
    /// Ascending, with the row.
    sorted: Vec<(i64, u32)>,
    unmatchable: Unmatched,
}

impl Keys {
    fn of(run: &RunTables) -> Self {
        let grains = &run.grains;
        let is_fixed = |flags: i32| flags & flags::SCHEDULE_DEPENDENT == 0;
        let mut unmatchable = Unmatched::default();
        let mut sorted = Vec::with_capacity(grains.len());
        let both = grains.path_key.values().iter().zip(grains.flags.values());
        for (row, (key, flags)) in (0..).zip(both) {
            if is_fixed(flags) {
                sorted.push((key, row));
            } else if is_grain(run, row) {
                unmatchable.add(run, row);
            }
        }
        sorted.sort_unstable();
        let mut kept = Vec::with_capacity(sorted.len());
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            if let [one] = same {
                kept.push(*one);
                continue;
            }
            for &(_, row) in same.iter().filter(|(_, row)| is_grain(run, *row)) {
                unmatchable.add(run, row);
            }
        }
        Self {
            sorted: kept,
            unmatchable,
        }
    }

    /// Each grain of the other run, with the one of this run that is the same.
    fn join(&self, other: &Self, mut each: impl FnMut(Option<u32>, u32)) {
        let mut mine = self.sorted.iter().peekable();
        for &(key, row) in &other.sorted {
            while mine.next_if(|(at, _)| *at < key).is_some() {}
            each(mine.peek().filter(|(at, _)| *at == key).map(|at| at.1), row);
        }
    }
}
