//! Measures of waits for locks and MPI, and of work without a processor.

use std::collections::BTreeMap;

use super::contexts::Placement;
use super::definitions::DefinitionIdx;
use super::records::{NONE, PauseKind, Records};
use super::values::Measure;
use crate::symbols::ConstructKind;
use rustc_hash::FxHashMap;

/// Time that a grain waited for and held a lock at one place.
pub(super) struct PauseSum {
    pub(super) grain: u32,
    pub(super) context: u32,
    pub(super) location: u32,
    pub(super) waiting: i64,
    /// Name of the wait: for locks or in MPI.
    measure: Measure,
    /// Absent where several locks were taken there, which exclude different grains.
    pub(super) held: Option<i64>,
    /// Bytes that calls of MPI handed over; absent if the calls do not state them.
    bytes: Option<i64>,
}

impl PauseSum {
    pub(super) fn measured(&self) -> impl Iterator<Item = (Measure, i64)> + use<> {
        let waiting = [
            (Measure::Waiting, self.waiting),
            (self.measure, self.waiting),
        ];
        let held = self.held.map(|held| (Measure::LockHeld, held));
        let bytes = self.bytes.map(|bytes| (Measure::MpiBytes, bytes));
        waiting.into_iter().chain(held).chain(bytes)
    }
}

/// The pauses of grains that are in the tables.
pub(super) fn pauses<'a>(
    records: &'a Records,
    placement: &'a Placement,
) -> impl Iterator<Item = PauseSum> + 'a {
    let placed = records.pauses.iter().zip(&placement.pauses);
    let placed = placed.filter(|(_, context)| **context != NONE);
    // The locks of each definition, which can be taken at several places.
    let mut locks: FxHashMap<DefinitionIdx, Option<u64>> = FxHashMap::default();
    for (pause, &context) in placed.clone() {
        let definition = placement.definition(context);
        let known = locks.entry(definition).or_insert(pause.lock);
        if *known != pause.lock {
            *known = None;
        }
    }
    placed.map(move |(pause, &context)| {
        let key = pause.key;
        let definition = placement.definition(context);
        let is_single = matches!(locks.get(&definition), Some(Some(_)));
        let (measure, is_exclusive) = match key.what {
            PauseKind::Lock(ConstructKind::Critical | ConstructKind::Ordered, _) => {
                (Measure::LockWaiting, true)
            }
            PauseKind::Lock(ConstructKind::Doacross, _) => (Measure::LockWaiting, false),
            PauseKind::Lock(..) => (Measure::LockWaiting, is_single),
            PauseKind::Call(_) => (Measure::Mpi, false),
        };
        PauseSum {
            grain: key.grain,
            context,
            location: key.location,
            waiting: pause.waiting,
            measure,
            held: is_exclusive.then_some(pause.held),
            bytes: pause.bytes,
        }
    })
}

/// Sums per grain and measure of what only some grains have.
pub(super) fn measures_of_grains(
    records: &Records,
    placement: &Placement,
) -> BTreeMap<(u32, Measure), i64> {
    let mut sums: BTreeMap<(u32, Measure), i64> = BTreeMap::new();
    for pause in pauses(records, placement) {
        add(&mut sums, (pause.grain, pause.measure), pause.waiting);
    }
    for off in &records.off_cpu {
        add(&mut sums, (off.grain, Measure::OffCpu), off.duration);
    }
    sums
}

fn add(sums: &mut BTreeMap<(u32, Measure), i64>, key: (u32, Measure), value: i64) {
    let sum = sums.entry(key).or_default();
    *sum = sum.saturating_add(value);
}
