//! Loops: chunks by the loop instance that they are of, whichever members of a team ran them.

use sheaf_model::table::GrainKind;

use super::Evaluation;
use crate::grain_graph::{JoinRule, SetKind};

/// Who shares the chunks of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Team {
    /// The members of a sibling set.
    Set(u32),
    /// One grain, and whoever takes part: a taskloop, or a loop outside of parallel regions.
    Grain(u32),
    /// Nobody known.
    Run,
}

/// The chunks of a run by loop.
#[derive(Debug)]
pub(super) struct Loops {
    /// Chunks by loop, then by location.
    rows: Vec<u32>,
    /// Where each loop ends in `rows`, and its team.
    loops: Vec<(usize, Team)>,
}

impl Loops {
    /// The members of a team meet the loops of their region in one order, so that the team and the
    /// number of the loop within a member name the instance.
    pub(super) fn of(evaluation: &Evaluation<'_>) -> Self {
        let grains = &evaluation.run().grains;
        let sequence = |row: u32| {
            let at = row as usize;
            (grains.sequence.is_valid(at)).then(|| grains.sequence.value(at))
        };
        let is_chunk = |row: &u32| {
            let kind = evaluation.kind(*row as usize);
            matches!(kind, GrainKind::Chunk | GrainKind::TaskloopChunk)
        };
        let count = u32::try_from(grains.len()).unwrap_or(u32::MAX);
        let chunks = (0..count).filter(is_chunk);
        let key = |row: u32| {
            let location = evaluation.location(row as usize);
            (team(evaluation, row as usize), sequence(row), location, row)
        };
        let mut keyed: Vec<_> = chunks.map(key).collect();
        keyed.sort_unstable();
        let mut loops = Vec::new();
        let mut end = 0;
        for chunks in keyed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            end += chunks.len();
            if let Some(first) = chunks.first() {
                loops.push((end, first.0));
            }
        }
        let rows = keyed.into_iter().map(|key| key.3).collect();
        Self { rows, loops }
    }

    pub(super) fn num_chunks(&self) -> usize {
        self.rows.len()
    }

    /// The team and the chunks of each loop, those of a location together.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Team, &[u32])> {
        let mut start = 0;
        self.loops.iter().map(move |&(end, team)| {
            let rows = self.rows.get(start..end).unwrap_or_default();
            start = end;
            (team, rows)
        })
    }
}

fn team(evaluation: &Evaluation<'_>, row: usize) -> Team {
    let Some(parent) = evaluation.parent(row) else {
        return Team::Run;
    };
    let structure = evaluation.structure();
    let grain = u32::try_from(parent).unwrap_or(u32::MAX);
    let Some(number) = structure.set_of(grain) else {
        return Team::Grain(grain);
    };
    let set = structure.sets().get(number as usize);
    let is_members = set.is_some_and(|set| set.kind == SetKind::Members);
    // Sources that record joins have the members of a team as tasks of one set.
    let is_recorded = structure.rule() == JoinRule::Recorded
        && evaluation.kind(parent) == GrainKind::Task
        && evaluation.kind(row) == GrainKind::Chunk;
    if is_members && evaluation.kind(row) == GrainKind::Chunk || is_recorded {
        Team::Set(number)
    } else {
        Team::Grain(grain)
    }
}
