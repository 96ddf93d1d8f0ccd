//! Runs that are alike, evaluated side by side.
//!
//! Nearly all runs of an ensemble have the same contexts, measured in the same places. A block of them is
//! summed as the lanes of one: a sum is then taken over a row of numbers instead of one number, and what
//! comes out stands group by group, as it is wanted.

use std::sync::Arc;

use rayon::prelude::*;
use sheaf_model::{LocationAggregate, Progress};

use super::GroupValues;
use crate::error::Error;
use crate::kernel::{Question, UnifiedRuns};
use crate::measurement::Measurement;
use crate::measurements::{Counts, RunBatch, RunReadings, RunView};
use crate::partition::Partition;

/// Runs of a block: their values of some hundred contexts stay in the nearest cache.
const BLOCK: usize = 32;

/// Values of some runs.
struct Block {
    runs: usize,
    /// Group by group, run by run.
    exclusive: Vec<Measurement>,
    inclusive: Vec<Measurement>,
    totals: Vec<Measurement>,
    inside: Vec<Measurement>,
    counts: Vec<Arc<Counts>>,
}

/// Values of every group in every run, block by block in parallel.
pub(super) fn group_values(
    ensemble: &UnifiedRuns,
    question: &Question,
    partition: &Partition,
    over: LocationAggregate,
    progress: &Progress,
) -> Result<GroupValues, Error> {
    let runs: Vec<usize> = (0..ensemble.num_runs()).collect();
    let blocks: Vec<Block> = runs
        .par_chunks(BLOCK)
        .map(|runs| {
            progress.check()?;
            let views: Vec<RunView<'_>> = runs
                .iter()
                .map(|&run| ensemble.view(question, run))
                .collect();
            Ok(match RunBatch::new(&views, over) {
                Some(alike) => Block::run_batch(&alike, partition),
                None => Block::one_by_one(&views, over, partition),
            })
        })
        .collect::<Result<_, Error>>()?;
    let of_all = |measurements: fn(&Block) -> &[Measurement]| {
        let mut all = vec![Measurement::Absent; runs.len() * partition.groups];
        let columns = all.par_chunks_mut(runs.len().max(1)).enumerate();
        columns.for_each(|(group, column)| {
            let mut rest = column;
            for block in &blocks {
                let (now, later) = rest.split_at_mut(block.runs);
                now.copy_from_slice(&measurements(block)[group * block.runs..][..block.runs]);
                rest = later;
            }
        });
        all
    };
    Ok(GroupValues {
        runs: runs.len(),
        exclusive: of_all(|block| &block.exclusive),
        inclusive: of_all(|block| &block.inclusive),
        totals: of_runs(&blocks, |block| &block.totals),
        inside: of_runs(&blocks, |block| &block.inside),
        counts: blocks.into_iter().flat_map(|block| block.counts).collect(),
    })
}

fn of_runs(blocks: &[Block], measurements: fn(&Block) -> &[Measurement]) -> Vec<Measurement> {
    blocks.iter().flat_map(measurements).copied().collect()
}

impl Block {
    fn run_batch(alike: &RunBatch<'_>, partition: &Partition) -> Self {
        let sums = alike.sums(partition);
        let mut totals = alike.measurements(&sums.total);
        let inside = totals.split_off(alike.len().min(totals.len()));
        Self {
            runs: alike.len(),
            exclusive: alike.measurements(&sums.exclusive),
            inclusive: alike.measurements(&sums.inclusive),
            totals,
            inside,
            counts: alike.counts(partition),
        }
    }

    fn one_by_one(views: &[RunView<'_>], over: LocationAggregate, partition: &Partition) -> Self {
        let rows: Vec<RunReadings> = views
            .iter()
            .map(|view| view.values(over).measurements(partition))
            .collect();
        let values = GroupValues::from_rows(&rows, partition.groups);
        Self {
            runs: rows.len(),
            exclusive: values.exclusive,
            inclusive: values.inclusive,
            totals: values.totals,
            inside: values.inside,
            counts: values.counts,
        }
    }
}
