//! Text outputs of gprof.

use sheaf_ingest::Format;

use crate::comparison::{Comparison, shared};
use crate::digest;

#[test]
fn gprof() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("call-profiles/gprof-text/own-demo4");
    let paths: Vec<_> = ["k10", "k20", "k40", "k80"]
        .iter()
        .map(|name| folder.join(format!("demo-{name}.gprof.txt")))
        .collect();
    let mut comparison = Comparison::new("gprof");
    let reading = digest::read_files(&mut comparison, Format::Gprof, &paths);
    for run in &reading.runs {
        let file = digest::name_of(&paths[run.inputs[0]]);
        digest::compare(&mut comparison, &file, run);
        let skipped = run.report.findings.iter();
        let skipped: Vec<_> = skipped
            .filter(|found| !found.kind.starts_with("read_"))
            .collect();
        comparison.exact(&format!("{file}: findings"), skipped, Vec::new());
    }
    comparison.finish();
}
