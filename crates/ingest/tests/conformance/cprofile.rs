//! Statistics of cProfile, of Python 2 and 3.

use sheaf_ingest::Format;

use crate::comparison::{Comparison, shared};
use crate::digest;

const PATHS: [&str; 2] = [
    "pstats/cprofile-cycle-py2.pstats",
    "pstats/cprofile-cycle.pstats",
];

#[test]
fn cprofile() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("call-profiles/cprofile");
    let paths = PATHS.map(|path| folder.join(path));
    let mut comparison = Comparison::new("cprofile");
    let reading = digest::read_files(&mut comparison, Format::CProfile, &paths);
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
