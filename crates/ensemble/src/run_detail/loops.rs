//! Work-sharing loops of a run, and how many workers they need.

use sheaf_answers::{LoopRow, Loops};
use sheaf_grains::bin_packing::{LoopPacking, SEARCH_LIMIT, loops};

use super::OpenRun;
use crate::{Error, View};

impl View<'_> {
    /// Executions of work-sharing loops of a run, each with the least number of workers that keeps its
    /// makespan. n log n in the chunks, and some milliseconds of search for each loop whose bounds differ.
    ///
    /// # Errors
    /// When the selector names no run or several, or the run has no grains.
    pub fn loops(&self, run: &str) -> Result<Loops, Error> {
        let (meta, depth) = self.open_run(run)?;
        let found = loops(depth.tables(), SEARCH_LIMIT);
        Ok(Loops {
            schema: "loops/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            rows: found.iter().map(|found| depth.loop_row(found)).collect(),
        })
    }
}

impl OpenRun {
    fn loop_row(&self, found: &LoopPacking) -> LoopRow {
        let chunk = found.first_chunk as usize;
        let (lower, upper) = (found.packing.lower, found.packing.upper);
        LoopRow {
            definition: self.definition_name(chunk).to_owned(),
            first_chunk: found.first_chunk,
            owner: found.owner.map(|owner| self.path(owner as usize)),
            chunks: found.chunks,
            workers: (found.workers > 0).then_some(found.workers),
            work: found.work,
            makespan: found.makespan,
            makespan_from: found.rule,
            least_workers: (lower == upper).then_some(upper),
            least_workers_lower: lower,
            least_workers_upper: upper,
            proof: found.packing.proof,
        }
    }
}
