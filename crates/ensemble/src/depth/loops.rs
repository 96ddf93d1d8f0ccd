//! Work-sharing loops of a run, and how many workers they need.

use sheaf_grains::bin_packing::{LoopPacking, Makespan, Proof, SEARCH_LIMIT, loops};
use sheaf_model::RunId;

use super::RunDepth;
use crate::{Error, View};

/// Answer to "how many workers do the loops need?".
#[derive(Debug, Clone, PartialEq)]
pub struct LoopsAnswer {
    /// Id of the run.
    pub run: RunId,
    /// Unit of times.
    pub unit: String,
    /// Executions of loops, in the order of the program.
    pub rows: Vec<LoopRow>,
}

/// One execution of a work-sharing loop by a team.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopRow {
    /// Definition of its chunks.
    pub definition: String,
    /// Row of its first chunk.
    pub first_chunk: u32,
    /// Path of the grain whose team ran it; absent where it is not known.
    pub owner: Option<Vec<String>>,
    /// Chunks.
    pub chunks: u32,
    /// Workers that ran one; absent where it is not known.
    pub workers: Option<u32>,
    /// Sum of the chunks' work.
    pub work: i64,
    /// Time that it took.
    pub makespan: i64,
    /// What that time is taken from: `elapsed`, `ends_and_work`, `busiest_worker` or `longest_chunk`.
    pub makespan_from: &'static str,
    /// The least workers that keep the makespan are no fewer than this…
    pub least_workers_lower: u32,
    /// … and no more than this; equal where the number is proven.
    pub least_workers_upper: u32,
    /// How it is proven: `bounds`, `search`, or `open` where it is not.
    pub proof: &'static str,
}

impl View<'_> {
    /// Executions of work-sharing loops of a run, each with the least number of workers that keeps its
    /// makespan. n log n in the chunks, and some milliseconds of search for each loop whose bounds differ.
    ///
    /// # Errors
    /// When the selector names no run or several, or the run has no grains.
    pub fn loops(&self, run: &str) -> Result<LoopsAnswer, Error> {
        let (meta, depth) = self.run_in_depth(run)?;
        let found = loops(depth.tables(), SEARCH_LIMIT);
        Ok(LoopsAnswer {
            run: meta.id,
            unit: meta.time_unit.to_string(),
            rows: found.iter().map(|found| depth.loop_row(found)).collect(),
        })
    }
}

impl RunDepth {
    fn loop_row(&self, found: &LoopPacking) -> LoopRow {
        let chunk = found.first_chunk as usize;
        LoopRow {
            definition: self.definition_name(chunk).to_owned(),
            first_chunk: found.first_chunk,
            owner: found.owner.map(|owner| self.path(owner as usize)),
            chunks: found.chunks,
            workers: (found.workers > 0).then_some(found.workers),
            work: found.work,
            makespan: found.makespan,
            makespan_from: match found.rule {
                Makespan::Elapsed => "elapsed",
                Makespan::EndsAndWork => "ends_and_work",
                Makespan::BusiestWorker => "busiest_worker",
                Makespan::LongestChunk => "longest_chunk",
            },
            least_workers_lower: found.packing.lower,
            least_workers_upper: found.packing.upper,
            proof: match found.packing.proof {
                Proof::Bounds => "bounds",
                Proof::Search => "search",
                Proof::Open => "open",
            },
        }
    }
}
