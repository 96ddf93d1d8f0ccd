//! Hatchet's dump in JSON.

use sheaf_ingest::Format;

use crate::comparison::{Comparison, shared};
use crate::digest;

#[test]
fn hatchet() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("call-profiles/literal-json/hatchet-graph");
    let paths = [folder.join("hatchet-graph-literal.json")];
    let mut comparison = Comparison::new("hatchet");
    let reading = digest::read_files(&mut comparison, Format::Hatchet, &paths);
    for run in &reading.runs {
        digest::compare(&mut comparison, &digest::name_of(&paths[0]), run);
        comparison.exact("nodes", run.report.count("read_nodes"), 24);
        // Two graphs of 135 and 30 in inclusive time: the sum over all nodes' own.
        let summary = &run.tables.summary;
        let metric = summary
            .metrics
            .rows()
            .position(|metric| metric.name == "time");
        let metric = metric.map(|row| i32::try_from(row).unwrap());
        let values = summary
            .values
            .rows()
            .filter(|value| Some(value.metric) == metric);
        let total: i64 = values.filter_map(|value| value.sum).sum();
        comparison.exact("total", total, 165);
    }
    comparison.finish();
}
