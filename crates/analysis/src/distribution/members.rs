//! Who is in a bin: names of runs and call sites, ranges of ranks and workers.

use std::collections::BTreeSet;

use sheaf_model::table::Locations;

use crate::context_sums::{self, LocationAxis};
use crate::kernel::UnifiedRuns;

/// Members that a bin lists at most.
const MAX_SHOWN: usize = 20;

/// Run number that stands for any run.
const ANY: usize = usize::MAX;

/// What a counted value belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Member {
    /// Number of the run.
    Run(usize),
    /// Node of the tree.
    Site(usize),
    /// A rank of a run.
    Rank { rank: i32, run: usize },
    /// A worker of a run.
    Worker { rank: i32, thread: i32, run: usize },
}

impl Member {
    pub(crate) fn run(self) -> Option<usize> {
        match self {
            Self::Run(run) | Self::Rank { run, .. } | Self::Worker { run, .. } => Some(run),
            Self::Site(_) => None,
        }
    }

    /// The same rank or worker of whatever run.
    pub(crate) fn without_run(self) -> Self {
        match self {
            Self::Rank { rank, .. } => Self::Rank { rank, run: ANY },
            Self::Worker { rank, thread, .. } => Self::Worker {
                rank,
                thread,
                run: ANY,
            },
            other => other,
        }
    }
}

/// The members that the lanes of a run stand for.
pub(crate) fn of_lanes(locations: &Locations, lanes: LocationAxis, run: usize) -> Vec<Member> {
    if lanes == LocationAxis::Workers {
        let workers = locations
            .rank
            .values()
            .iter()
            .zip(locations.thread.values());
        return workers
            .filter(|&(_, &thread)| thread >= 0)
            .map(|(&rank, &thread)| Member::Worker { rank, thread, run })
            .collect();
    }
    context_sums::ranks(locations)
        .into_iter()
        .map(|rank| Member::Rank { rank, run })
        .collect()
}

/// A member by name; a rank or worker with its run, where there are several.
pub(crate) fn text_of_one(member: Member, ensemble: &UnifiedRuns) -> String {
    let name = texts(&BTreeSet::from([member]), ensemble).concat();
    match member {
        Member::Rank { run, .. } | Member::Worker { run, .. } if ensemble.num_runs() > 1 => {
            format!("{name} of {}", ensemble.runs()[run].meta.name)
        }
        _ => name,
    }
}

/// The first members as texts, neighbouring ranks and workers as ranges.
pub(crate) fn texts(members: &BTreeSet<Member>, ensemble: &UnifiedRuns) -> Vec<String> {
    let mut texts = Vec::new();
    let mut members = members.iter().copied().peekable();
    while let Some(first) = members.next() {
        if texts.len() == MAX_SHOWN {
            break;
        }
        let mut last = first;
        while let Some(next) = members.next_if(|&next| follows(last, next)) {
            last = next;
        }
        texts.push(match (first, last) {
            (Member::Run(run), _) => ensemble.runs()[run].meta.name.clone(),
            (Member::Site(node), _) => ensemble.tree.path(node).join("/"),
            (Member::Rank { rank, .. }, Member::Rank { rank: last, .. }) => range(rank, last),
            (Member::Worker { rank, thread, .. }, Member::Worker { thread: last, .. }) => {
                format!("{rank}.{}", range(thread, last))
            }
            // Only members of one kind follow one another.
            (Member::Rank { .. } | Member::Worker { .. }, _) => continue,
        });
    }
    texts
}

fn follows(a: Member, b: Member) -> bool {
    match (a, b) {
        (Member::Rank { rank: a, .. }, Member::Rank { rank: b, .. }) => a.checked_add(1) == Some(b),
        (
            Member::Worker {
                rank: a, thread: s, ..
            },
            Member::Worker {
                rank: b, thread: t, ..
            },
        ) => a == b && s.checked_add(1) == Some(t),
        _ => false,
    }
}

fn range(first: i32, last: i32) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    }
}
