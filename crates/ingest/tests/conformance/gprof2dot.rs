//! Graphs of gprof2dot.

use sheaf_ingest::Format;

use crate::comparison::{Comparison, shared};
use crate::digest;

const PATHS: [&str; 5] = [
    "callgrind-cpi/callgrind.dot.64042.0.1",
    "own-demo4/demo-k10.dot",
    "own-demo4/demo-k20.dot",
    "own-demo4/demo-k40.dot",
    "own-demo4/demo-k80.dot",
];

#[test]
fn gprof2dot() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("call-profiles/gprof2dot");
    let paths = PATHS.map(|path| folder.join(path));
    let mut comparison = Comparison::new("gprof2dot");
    let reading = digest::read_files(&mut comparison, Format::Gprof2Dot, &paths);
    for run in &reading.runs {
        let file = digest::name_of(&paths[run.inputs[0]]);
        digest::compare(&mut comparison, &file, run);
        if run.inputs[0] == 0 {
            // As the notes beside the data say of the graph that Hatchet reads too.
            comparison.exact("functions", run.report.count("read_functions"), 105);
            comparison.exact("arcs", run.report.count("read_arcs"), 107);
        }
        let skipped = run.report.findings.iter();
        let skipped: Vec<_> = skipped
            .filter(|found| !found.kind.starts_with("read_"))
            .collect();
        comparison.exact(&format!("{file}: findings"), skipped, Vec::new());
    }
    comparison.finish();
}
