//! Work-sharing loops of a run and the workers that they need.

use std::collections::BTreeMap;

use sheaf_model::RunTables;
use sheaf_model::table::{CompactColumn, GrainKind};

use super::{Makespan, Packing, pack};

/// One execution of a work-sharing loop by a team.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopPacking {
    /// Row of the context of its chunks.
    pub context: u32,
    /// Row of the grain whose team runs it, or that its chunks are children of.
    pub owner: Option<u32>,
    /// Rows of its first chunk.
    pub first_chunk: u32,
    /// Its chunks.
    pub chunks: u32,
    /// Workers that ran a chunk; 0 where it is not known.
    pub workers: u32,
    /// Sum of its chunks' work.
    pub work: i64,
    /// Time that it took; at least its longest chunk.
    pub makespan: i64,
    /// What the makespan is taken from.
    pub rule: Makespan,
    /// Least number of workers that keep the makespan.
    pub packing: Packing,
}

/// What one execution of a loop is known by: the grain whose team runs it, the team among those of the
/// grain, the loop within the team, its context.
type Key = (i64, i64, i64, i32);

/// Executions of work-sharing loops, in the order of their first chunks' rows, each with the least number of
/// workers that keep its makespan. Chunks without known work are left out.
///
/// n log n but for the exact search, which looks at no more than `limit` bins for each loop.
pub fn loops(run: &RunTables, limit: u64) -> Vec<LoopPacking> {
    let grains = &run.grains;
    let teams = teams(run);
    let mut chunks: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for row in 0..grains.len() {
        let is_chunk = grains.kind.value(row) == GrainKind::Chunk as i32;
        if !is_chunk || grains.work.is_null(row) {
            continue;
        }
        let (owner, team) = teams.get(row).copied().unwrap_or((-1, -1));
        let sequence = grains.sequence.get(row).unwrap_or(-1);
        let key = (owner, team, sequence, grains.context.value(row));
        chunks.entry(key).or_default().push(row);
    }
    let mut found: Vec<LoopPacking> = chunks
        .iter()
        .filter_map(|((owner, ..), rows)| packing(run, *owner, rows, limit))
        .collect();
    found.sort_by_key(|found| found.first_chunk);
    found
}

/// Of each grain the nearest ancestor that is no member of a team, and the number of the region
/// between; parents stand before their children. Task-stats tables know members as tasks, and number
/// the loops of the whole run.
fn teams(run: &RunTables) -> Vec<(i64, i64)> {
    let grains = &run.grains;
    let mut teams: Vec<(i64, i64)> = Vec::with_capacity(grains.len());
    let number = |row: usize| i64::try_from(row).unwrap_or(-1);
    let parent_of = |row: usize| {
        let parent = grains
            .parent
            .is_valid(row)
            .then(|| grains.parent.value(row));
        parent.and_then(|parent| usize::try_from(parent).ok())
    };
    for row in 0..grains.len() {
        let is_chunk = grains.kind.value(row) == GrainKind::Chunk as i32;
        let team = parent_of(row).map_or((-1, -1), |parent| {
            match GrainKind::from_code(grains.kind.value(parent)) {
                Some(GrainKind::Implicit) => {
                    let (owner, region) = teams.get(parent).copied().unwrap_or((-1, -1));
                    let own = grains.sequence.get(parent).unwrap_or(-1);
                    (owner, if region < 0 { own } else { region })
                }
                Some(GrainKind::Task) if is_chunk => (parent_of(parent).map_or(-1, number), -1),
                _ => (number(parent), -1),
            }
        });
        teams.push(team);
    }
    teams
}

fn packing(run: &RunTables, owner: i64, rows: &[usize], limit: u64) -> Option<LoopPacking> {
    let grains = &run.grains;
    let work: Vec<i64> = rows.iter().map(|&row| grains.work.value(row)).collect();
    let longest = work.iter().copied().max()?;
    let (makespan, rule) = makespan(run, rows);
    let makespan = makespan.max(longest);
    let mut workers: Vec<i32> = rows
        .iter()
        .filter(|&&row| grains.location.is_valid(row))
        .map(|&row| grains.location.value(row))
        .collect();
    workers.sort_unstable();
    workers.dedup();
    let first = *rows.first()?;
    Some(LoopPacking {
        context: u32::try_from(grains.context.value(first)).ok()?,
        owner: u32::try_from(owner).ok(),
        first_chunk: u32::try_from(first).ok()?,
        chunks: u32::try_from(rows.len()).ok()?,
        workers: u32::try_from(workers.len()).ok()?,
        work: work.iter().fold(0, |sum, &work| sum.saturating_add(work)),
        makespan,
        rule,
        packing: pack(&work, makespan, limit)?,
    })
}

fn makespan(run: &RunTables, rows: &[usize]) -> (i64, Makespan) {
    let grains = &run.grains;
    let all = |column: &CompactColumn<i64>| -> Option<Vec<i64>> {
        rows.iter().map(|&row| column.get(row)).collect()
    };
    let ends = all(&grains.end);
    let last = ends.as_ref().and_then(|ends| ends.iter().copied().max());
    let first = all(&grains.start).and_then(|starts| starts.into_iter().min());
    if let (Some(first), Some(last)) = (first, last) {
        return (last.saturating_sub(first), Makespan::Elapsed);
    }
    let work = |row: usize| grains.work.value(row);
    if let (Some(ends), Some(last)) = (ends, last) {
        let starts = ends.iter().zip(rows);
        let starts = starts.map(|(end, &row)| end.saturating_sub(work(row)));
        let first = starts.min().unwrap_or(last);
        return (last.saturating_sub(first), Makespan::EndsAndWork);
    }
    if rows.iter().all(|&row| grains.location.is_valid(row)) {
        let mut sums: BTreeMap<i32, i64> = BTreeMap::new();
        for &row in rows {
            let sum = sums.entry(grains.location.value(row)).or_default();
            *sum = sum.saturating_add(work(row));
        }
        let busiest = sums.into_values().max().unwrap_or(0);
        return (busiest, Makespan::BusiestWorker);
    }
    let longest = rows.iter().map(|&row| work(row)).max();
    (longest.unwrap_or(0), Makespan::LongestChunk)
}
