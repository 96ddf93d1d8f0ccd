//! Load balance: of siblings, of chunks, per worker.

use super::column::ToFill;
use super::loops::Team;
use super::siblings::median;
use super::{Evaluation, GrainMetric, Need, PAPER, RATIO, TOOL, Values};
use crate::grain_graph::NONE;
use crate::ordering::{Ordered, time_key};

pub(super) const METRICS: [GrainMetric; 6] = [
    GrainMetric {
        id: "sibling_work_balance",
        definition: "Largest by mean work of the grains that one join collects.",
        citation: TOOL,
        needs: &[Need::Parents, Need::Work],
        given_as: &["sibling_work_balance"],
        compute: |evaluation| {
            let work = |row: &u32| evaluation.work(*row as usize);
            Ok(evaluation.per_set(|_, members| max_by_mean(members.iter().map(work))))
        },
        ..RATIO
    },
    GrainMetric {
        id: "sibling_chain_balance",
        definition: "Largest work of the grains that one join collects, by the median work of chains of them that a worker ran one after another.",
        citation: PAPER,
        needs: &[Need::Parents, Need::Work, Need::Locations, Need::End],
        compute: |evaluation| Ok(sibling_chains(evaluation)),
        ..RATIO
    },
    GrainMetric {
        id: "chunk_work_balance",
        definition: "Largest by mean work of the chunks of a loop.",
        citation: TOOL,
        needs: &[Need::Chunks, Need::Work],
        given_as: &["chunk_work_balance"],
        compute: |evaluation| {
            let work = |row: &u32| evaluation.work(*row as usize);
            Ok(per_loop(evaluation, |_, chunks| {
                max_by_mean(chunks.iter().map(work))
            }))
        },
        ..RATIO
    },
    GrainMetric {
        id: "chunk_work_cpu_balance",
        definition: "Largest by mean of the different sums of work that workers did for a loop; workers without a chunk do not count, and equal sums count once.",
        citation: TOOL,
        needs: &[Need::Chunks, Need::Work, Need::Locations],
        given_as: &["chunk_work_cpu_balance"],
        compute: |evaluation| {
            Ok(per_loop(evaluation, |_, chunks| {
                let mut sums = worker_sums(evaluation, chunks)?;
                sums.dedup();
                max_by_mean(sums.into_iter().map(Some))
            }))
        },
        ..RATIO
    },
    GrainMetric {
        id: "chunk_work_thread_balance",
        definition: "Largest by mean of the sums of work that workers did for a loop; members of the team without a chunk count as idle.",
        citation: "Grain Graphs (PPoPP 2016), section 3.2, with idle threads counted",
        needs: &[Need::Chunks, Need::Work, Need::Locations],
        compute: |evaluation| {
            Ok(per_loop(evaluation, |team, chunks| {
                let sums = worker_sums(evaluation, chunks)?;
                let members = i64::try_from(sums.len()).ok()?.max(size(evaluation, team)?);
                let total: i128 = sums.iter().map(|&sum| i128::from(sum)).sum();
                let largest = *sums.last()?;
                (total > 0).then(|| largest as f64 / (total as f64 / members as f64))
            }))
        },
        ..RATIO
    },
    GrainMetric {
        id: "chunk_chain_balance",
        definition: "Largest work of a chunk of a loop, by the median of the sums of work that workers with a chunk did for it.",
        citation: PAPER,
        needs: &[Need::Chunks, Need::Work, Need::Locations],
        compute: |evaluation| {
            Ok(per_loop(evaluation, |_, chunks| {
                let sums = worker_sums(evaluation, chunks)?;
                let works = chunks.iter().map(|&row| evaluation.work(row as usize));
                by_median(works.max().flatten()?, &sums)
            }))
        },
        ..RATIO
    },
];

/// Largest over mean; absent where a value is, and where the mean is not positive.
fn max_by_mean(values: impl ExactSizeIterator<Item = Option<i64>>) -> Option<f64> {
    let count = values.len();
    let (mut sum, mut largest) = (0_i128, 0);
    for value in values {
        let value = value?;
        sum += i128::from(value);
        largest = largest.max(value);
    }
    (sum > 0).then(|| largest as f64 / (sum as f64 / count as f64))
}

fn by_median(largest: i64, sorted: &[i64]) -> Option<f64> {
    let median = median(sorted).filter(|&median| median > 0.0)?;
    Some(largest as f64 / median)
}

/// A column with one value per loop.
fn per_loop(
    evaluation: &Evaluation<'_>,
    mut value: impl FnMut(Team, &[u32]) -> Option<f64>,
) -> Values {
    let mut column = ToFill::absent(evaluation.run().grains.len());
    for (team, chunks) in evaluation.loops().iter() {
        let value = value(team, chunks);
        for &row in chunks {
            column.set(row as usize, value);
        }
    }
    Values::Floats(column.finish())
}

/// Work per worker that ran a chunk, ascending; absent where a chunk's work or worker is.
pub(super) fn worker_sums(evaluation: &Evaluation<'_>, chunks: &[u32]) -> Option<Vec<i64>> {
    let location = |row: u32| evaluation.location(row as usize);
    let mut sums = Vec::new();
    for chunks in chunks.chunk_by(|&a, &b| location(a) == location(b)) {
        location(*chunks.first()?)?;
        let mut works = chunks.iter().map(|&row| evaluation.work(row as usize));
        sums.push(works.try_fold(0_i64, |sum, work| Some(sum.saturating_add(work?)))?);
    }
    sums.sort_unstable();
    Some(sums)
}

/// Number of workers that could have taken part in a loop.
pub(super) fn size(evaluation: &Evaluation<'_>, team: Team) -> Option<i64> {
    let Team::Set(set) = team else {
        return evaluation.workers();
    };
    let structure = evaluation.structure();
    let set = structure.sets().get(set as usize)?;
    i64::try_from(structure.members(set).len()).ok()
}

/// Chains: members of a set that follow each other on a worker, with no other grain that began in
/// between; by ends where begins are not known.
fn sibling_chains(evaluation: &Evaluation<'_>) -> Values {
    let places = places(evaluation);
    let mut chains: Vec<i64> = Vec::new();
    let mut order: Vec<(u32, i64)> = Vec::new();
    evaluation.per_set(|_, members| {
        order.clear();
        for &row in members {
            let place = places.get(row as usize).copied();
            let place = place.filter(|&place| place != NONE)?;
            order.push((place, evaluation.work(row as usize)?));
        }
        order.sort_unstable();
        chains.clear();
        for chain in order.chunk_by(|a, b| a.0 + 1 == b.0) {
            let sum = chain
                .iter()
                .fold(0_i64, |sum, grain| sum.saturating_add(grain.1));
            chains.push(sum);
        }
        chains.sort_unstable();
        let largest = order.iter().map(|grain| grain.1).max()?;
        by_median(largest, &chains)
    })
}

/// Place of each grain in the order in which workers ran them, [`NONE`] where that is not known; places of two workers
/// are never next to each other.
fn places(evaluation: &Evaluation<'_>) -> Vec<u32> {
    let grains = &evaluation.run().grains;
    // One of the two for all grains: they cannot be compared with each other.
    let times = if Need::Start.check(evaluation).is_ok() {
        &grains.start
    } else {
        &grains.end
    };
    let worker = |location: Option<i32>| usize::try_from(location?).ok();
    let mut places = vec![NONE; grains.len()];
    let mut counts: Vec<u32> = Vec::new();
    let mut place = |same: &mut Vec<u32>| {
        same.sort_unstable_by_key(|&row| (grains.path_key.value(row as usize), row));
        for row in same.drain(..) {
            let Some(worker) = worker(evaluation.location(row as usize)) else {
                continue;
            };
            if counts.len() <= worker {
                counts.resize(worker + 1, 0);
            }
            if let (Some(count), Some(slot)) =
                (counts.get_mut(worker), places.get_mut(row as usize))
            {
                *slot = *count;
                *count += 1;
            }
        }
    };
    let ran = (0..).zip(times.iter().zip(&grains.location));
    let ran = ran.filter_map(|(row, (time, location))| {
        let time = time.filter(|_| worker(location).is_some());
        Some((time_key(time?), row))
    });
    let time = |row: u32| times.get(row as usize).map_or(0, time_key);
    let order = Ordered::of(ran, time);
    let (mut same, mut now) = (Vec::new(), None);
    for (at, row) in order.iter() {
        if now != Some(at) {
            place(&mut same);
            now = Some(at);
        }
        same.push(row);
    }
    place(&mut same);
    // Behind those of the workers before.
    let mut first = 0;
    for count in &mut counts {
        first += std::mem::replace(count, first) + 1;
    }
    for (slot, location) in places.iter_mut().zip(&grains.location) {
        if let Some(first) = worker(location).and_then(|worker| counts.get(worker)) {
            *slot = slot.saturating_add(*first);
        }
    }
    places
}
