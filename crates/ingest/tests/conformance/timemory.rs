//! Output of timemory: a clock on two ranks.

use sheaf_ingest::Format;

use crate::comparison::{Comparison, shared};
use crate::digest;

#[test]
fn timemory() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("call-profiles/timemory");
    let paths = [folder.join("wall/wall.tree.json")];
    let mut comparison = Comparison::new("timemory");
    let reading = digest::read_files(&mut comparison, Format::Timemory, &paths);
    comparison.exact("runs", reading.runs.len(), 1);
    for run in &reading.runs {
        digest::compare(&mut comparison, &digest::name_of(&paths[0]), run);
        let summary = &run.tables.summary;
        let metric = summary
            .metrics
            .rows()
            .position(|metric| metric.name == "wall_clock_ns");
        let metric = metric.map(|row| i32::try_from(row).unwrap());
        let values = summary.values.rows();
        let values = values.filter(|value| Some(value.metric) == metric);
        // Exclusive times of a rank add up to what the tool's own root has too much.
        let mut totals = [0_i64; 2];
        for value in values {
            let location = usize::try_from(value.location).unwrap();
            totals[location] += value.sum.unwrap();
        }
        comparison.exact("totals", totals, [58_636_469_722, 55_180_332_771]);
        // Its negative exclusive time, by which all add up to nothing, is a fault of the tool.
        comparison.known_fault("totals", totals, [0, 0]);
        comparison.exact("nodes", run.report.count("read_nodes"), 28);
        comparison.exact("roots", run.report.count("skipped_unmeasured_nodes"), 2);
    }
    comparison.finish();
}
