//! Communicators of all processes: the same one has other numbers in each.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::trace::build::messages::{ProcessCalls, Progression};

/// A communicator as one of its processes knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Membership {
    /// Number over all processes.
    pub(super) communicator: u32,
    /// Rank of the process there.
    pub(super) position: u32,
}

/// The communicators of a run.
#[derive(Debug)]
pub(super) struct Communicators {
    /// Ranks of `MPI_COMM_WORLD`, by rank in the communicator.
    members: Vec<Vec<u32>>,
    /// Memberships of each process, by its own number of the communicator.
    of_processes: Vec<FxHashMap<u32, Membership>>,
}

impl Communicators {
    /// Communicators are the same in two processes if they have the same members, in the same order, and as many of the
    /// same members came before in each. Those with members that were not recorded are left out.
    pub(super) fn new(processes: &[ProcessCalls]) -> Self {
        let ranks: BTreeSet<u32> = processes.iter().map(|process| process.rank).collect();
        let mut known: BTreeMap<(&[Progression], u32), u32> = BTreeMap::new();
        let parts: Vec<BTreeMap<u32, Vec<Progression>>> = processes.iter().map(by_number).collect();
        let mut found = Self {
            members: Vec::new(),
            of_processes: Vec::new(),
        };
        for (process, parts) in processes.iter().zip(&parts) {
            let mut before: FxHashMap<&[Progression], u32> = FxHashMap::default();
            let mut of_process = FxHashMap::default();
            for (&number, progressions) in parts {
                let ordinal = before.entry(progressions).or_default();
                let key = (progressions.as_slice(), *ordinal);
                *ordinal += 1;
                let communicator = if let Some(&communicator) = known.get(&key) {
                    communicator
                } else {
                    let Some(members) = expand(progressions, &ranks) else {
                        continue;
                    };
                    let next = u32::try_from(found.members.len()).unwrap_or(u32::MAX);
                    found.members.push(members);
                    known.insert(key, next);
                    next
                };
                let members = found.members(communicator);
                let position = members.iter().position(|&rank| rank == process.rank);
                if let Some(position) = position.and_then(|it| u32::try_from(it).ok()) {
                    let membership = Membership {
                        communicator,
                        position,
                    };
                    of_process.insert(number, membership);
                }
            }
            found.of_processes.push(of_process);
        }
        found
    }

    pub(super) fn of_process(&self, process: usize) -> &FxHashMap<u32, Membership> {
        &self.of_processes[process]
    }

    pub(super) fn members(&self, communicator: u32) -> &[u32] {
        let members = self.members.get(communicator as usize);
        members.map_or(&[], Vec::as_slice)
    }
}

fn by_number(process: &ProcessCalls) -> BTreeMap<u32, Vec<Progression>> {
    let mut found: BTreeMap<u32, Vec<Progression>> = BTreeMap::new();
    for &(number, progression) in &process.members {
        found.entry(number).or_default().push(progression);
    }
    found
}

/// The ranks of progressions, if all of them are recorded.
fn expand(progressions: &[Progression], ranks: &BTreeSet<u32>) -> Option<Vec<u32>> {
    let mut members = Vec::new();
    for &(first, step, count) in progressions {
        let mut rank = i64::from(first);
        for _ in 0..count {
            let member = u32::try_from(rank).ok().filter(|it| ranks.contains(it))?;
            if members.len() == ranks.len() {
                return None;
            }
            members.push(member);
            rank = rank.checked_add(step)?;
        }
    }
    Some(members)
}
