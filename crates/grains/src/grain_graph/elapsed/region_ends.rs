//! The end of a parallel region: nobody goes on before the last member arrives.

use std::collections::BTreeMap;

use sheaf_model::RunTables;
use sheaf_model::table::WaitKind;

use super::super::graph::EdgeKind;
use super::arrival::{Arrival, Stretch};

/// A member of a team at the end of its region.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Member {
    /// The first stretch that runs after the end of the region; absent where the member ends with the region.
    pub(in super::super) after: Option<After>,
    /// The stretch that finished last before the end of the member, its own or one before.
    pub(in super::super) last: Stretch,
}

/// A stretch behind the end of a region.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct After {
    /// Row of its fragment, or its node.
    pub(in super::super) row: u32,
    pub(in super::super) start: i64,
    /// What finished last before it.
    pub(in super::super) before: Arrival,
}

impl Default for Member {
    fn default() -> Self {
        Self {
            after: None,
            last: Stretch::NOTHING,
        }
    }
}

/// Ends of the regions whose members wait there, by member.
pub(in super::super) struct TeamEnds(BTreeMap<u32, i64>);

impl TeamEnds {
    /// Linear in the waits of a run.
    pub(in super::super) fn of(run: &RunTables) -> Self {
        let waits = &run.waits;
        let mut ends: BTreeMap<u32, i64> = BTreeMap::new();
        for wait in 0..waits.len() {
            if waits.kind.value(wait) == WaitKind::RegionEnd as i32 {
                let end = (waits.start.value(wait)).saturating_add(waits.duration.value(wait));
                ends.insert(u32::try_from(waits.grain.value(wait)).unwrap_or(0), end);
            }
        }
        Self(ends)
    }

    /// Whether no member waits at the end of a region.
    pub(in super::super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a time is behind the end of the region of a member.
    pub(in super::super) fn is_after(&self, member: u32, time: i64) -> bool {
        self.0.get(&member).is_some_and(|&end| time >= end)
    }

    /// The stretches behind the end of a region that follow the last arrival of their team, each with the stretch that
    /// arrived. A team are the members of a region, by the grain that began it and the region's number in it.
    pub(in super::super) fn latest_arrivals(
        &self,
        run: &RunTables,
        members: BTreeMap<u32, Member>,
    ) -> BTreeMap<u32, u32> {
        let mut latest_before = BTreeMap::new();
        if self.is_empty() {
            return latest_before;
        }
        let grains = &run.grains;
        let mut teams: BTreeMap<(i32, i64), Vec<Member>> = BTreeMap::new();
        for (grain, member) in members {
            let at = grain as usize;
            if grains.parent.is_valid(at) && grains.sequence.is_valid(at) {
                let team = (grains.parent.value(at), grains.sequence.value(at));
                teams.entry(team).or_default().push(member);
            }
        }
        for team in teams.into_values().filter(|team| team.len() > 1) {
            let arrivals = team.iter().map(|member| match member.after {
                Some(after) => after.before.stretch,
                None => member.last,
            });
            let latest = arrivals.fold(Stretch::NOTHING, |latest, stretch| {
                if stretch.is_later(latest) {
                    stretch
                } else {
                    latest
                }
            });
            let arrival = Arrival {
                stretch: latest,
                kind: EdgeKind::Synchronisation,
            };
            for after in team.iter().filter_map(|member| member.after) {
                if latest.end <= after.start && arrival.counts_before(after.before) {
                    latest_before.insert(after.row, latest.row);
                }
            }
        }
        latest_before
    }
}
