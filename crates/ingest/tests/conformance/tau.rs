//! Profiles of TAU: four ranks in one folder.

use sheaf_ingest::Format;

use crate::comparison::{Comparison, shared};
use crate::digest;

#[test]
fn tau() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("call-profiles/tau");
    let paths = [0, 1, 2, 3].map(|rank| folder.join(format!("cpi-4ranks/profile.{rank}.0.0")));
    let mut comparison = Comparison::new("tau");
    let reading = digest::read_files(&mut comparison, Format::Tau, &paths);
    comparison.exact("runs", reading.runs.len(), 1);
    for run in &reading.runs {
        digest::compare(&mut comparison, "tau-cpi-4ranks", run);
        let summary = &run.tables.summary;
        let metric = summary
            .metrics
            .rows()
            .position(|metric| metric.name == "time_us");
        let metric = metric.map(|row| i32::try_from(row).unwrap());
        let values = summary.values.rows();
        let values = values.filter(|value| Some(value.metric) == metric);
        // Exclusive times of a rank add up to the inclusive time of its root.
        let mut totals = [0_i64; 4];
        for value in values {
            let location = usize::try_from(value.location).unwrap();
            totals[location] += value.sum.unwrap();
        }
        comparison.exact("totals", totals, [51_781, 55_329, 54_029, 52_908]);
        let meta = &summary.meta;
        comparison.exact("program", meta.program.as_str(), "cpi-mpi");
        comparison.exact("ranks", meta.ranks, 4);
        comparison.exact(
            "version",
            meta.params["TAU Version"].to_string(),
            "2.29-git".into(),
        );
        let skipped = run.report.findings.iter();
        let skipped: Vec<_> = skipped
            .filter(|found| !found.kind.starts_with("read_"))
            .collect();
        comparison.exact("findings", skipped, Vec::new());
    }
    comparison.finish();
}
