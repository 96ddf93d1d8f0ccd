//! The end of a parallel region: nobody goes on before the last member arrives.

use std::collections::BTreeMap;

use sheaf_model::RunTables;
use sheaf_model::table::{GrainKind, WaitKind};

use super::super::graph::GrainGraph;
use crate::grain_graph::to_u32;

/// A member of a team at the end of its region.
#[derive(Clone, Copy, Default)]
pub(super) struct Member {
    /// The first node that runs after the end of the region; absent where the member ends with the region.
    pub(super) after: Option<u32>,
    /// The last node of the member.
    pub(super) last: Option<u32>,
}

/// The members of every team that waits at the end of its region, by the grain that began the region and the
/// region's number in it. `row` has the fragment of a node.
pub(super) fn teams(
    run: &RunTables,
    graph: &GrainGraph,
    row: impl Fn(u32) -> Option<usize>,
) -> Vec<Vec<Member>> {
    let waits = &run.waits;
    let mut ends: BTreeMap<u32, i64> = BTreeMap::new();
    for wait in 0..waits.len() {
        if waits.kind.value(wait) == WaitKind::RegionEnd as i32 {
            let end = (waits.start.value(wait)).saturating_add(waits.duration.value(wait));
            ends.insert(u32::try_from(waits.grain.value(wait)).unwrap_or(0), end);
        }
    }
    if ends.is_empty() {
        return Vec::new();
    }
    let kinds = run.grains.kind.values();
    let is_member = |grain: u32| kinds.get(grain as usize) == Some(GrainKind::Implicit as i32);
    let starts = run.fragments.start.values();
    let mut members: BTreeMap<u32, Member> = BTreeMap::new();
    for node in 0..to_u32(graph.num_nodes()) {
        let Some(grain) = graph.grain(node).filter(|&grain| is_member(grain)) else {
            continue;
        };
        let member = members.entry(grain).or_default();
        member.last = Some(node);
        let start = row(node).and_then(|row| starts.get(row));
        let is_after = start.zip(ends.get(&grain)).is_some_and(|(a, &b)| a >= b);
        if is_after && member.after.is_none() {
            member.after = Some(node);
        }
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
    teams.into_values().filter(|team| team.len() > 1).collect()
}
