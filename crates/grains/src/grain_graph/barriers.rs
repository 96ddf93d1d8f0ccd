//! Barriers of teams: which waits of a team's members are one meeting.

use sheaf_model::RunTables;
use sheaf_model::table::WaitKind;

use super::NONE;
use super::SetKind;
use super::by_grain::Ranges;
use super::structure::Structure;
use crate::grain_graph::to_u32;

/// The barriers at which all members of a team meet, but for the end of the region.
///
/// The k-th barrier of each member is one: OpenMP demands that all members pass all barriers of a region in
/// the same order (OpenMP 5.2, section 15.3).
pub(super) struct Barriers {
    /// Number of the barrier of each wait; empty where there is none.
    of_wait: Vec<u32>,
    /// Grain that began the region of each barrier.
    owners: Vec<u32>,
}

impl Barriers {
    /// `waits` has the waits of each grain.
    pub(super) fn new(run: &RunTables, structure: &Structure, waits: &Ranges) -> Self {
        let kinds = run.waits.kind.values();
        let is_barrier = |kind: &i32| {
            *kind == WaitKind::Barrier as i32 || *kind == WaitKind::ImplicitBarrier as i32
        };
        let mut barriers = Self {
            of_wait: Vec::new(),
            owners: Vec::new(),
        };
        if !kinds.iter().any(is_barrier) {
            return barriers;
        }
        barriers.of_wait = vec![NONE; kinds.len()];
        for set in structure.sets() {
            let members = structure.members(set);
            // Alone, a barrier is a wait like others.
            if set.kind != SetKind::Members || members.len() < 2 {
                continue;
            }
            let (first, mut most) = (to_u32(barriers.owners.len()), 0);
            for &member in members {
                let mut number = 0;
                for wait in waits.of(member as usize) {
                    let at = wait as usize;
                    if kinds.get(at).is_some_and(is_barrier) {
                        if let Some(slot) = barriers.of_wait.get_mut(at) {
                            *slot = first + number;
                        }
                        number += 1;
                    }
                }
                most = most.max(number);
            }
            let owner = set.owner().unwrap_or(NONE);
            barriers.owners.extend((0..most).map(|_| owner));
        }
        barriers
    }

    /// Of each barrier the grain that began the region.
    pub(super) fn owners(&self) -> &[u32] {
        &self.owners
    }

    /// The barrier that a wait is of.
    pub(super) fn of_wait(&self, wait: u32) -> Option<u32> {
        let barrier = self.of_wait.get(wait as usize).copied();
        barrier.filter(|&barrier| barrier != NONE)
    }
}
