//! A session of pyinstrument.

use sheaf_ingest::Format;

use crate::comparison::{Comparison, shared};
use crate::digest;

#[test]
fn pyinstrument() {
    let Some(shared) = shared() else { return };
    let folder = shared.join("call-profiles/pyinstrument");
    let paths = [folder.join("hatchet/pyinstrument-hatchet-profile.json")];
    let mut comparison = Comparison::new("pyinstrument");
    let reading = digest::read_files(&mut comparison, Format::PyInstrument, &paths);
    comparison.exact("runs", reading.runs.len(), 1);
    for run in &reading.runs {
        digest::compare(&mut comparison, &digest::name_of(&paths[0]), run);
        let summary = &run.tables.summary;
        let metric = summary
            .metrics
            .rows()
            .position(|metric| metric.name == "self_s");
        let metric = metric.map(|row| i32::try_from(row).unwrap());
        let values = summary.values.rows();
        let values = values.filter(|value| Some(value.metric) == metric);
        // Exclusive times add up to that of the root, as printed.
        let total: f64 = values.filter_map(|value| value.sum_float).sum();
        comparison.close("total", total, 0.47815, 1e-12);
        let params = &summary.meta.params;
        comparison.exact("program", summary.meta.program.as_str(), "examples.py");
        comparison.exact("elapsed", summary.meta.elapsed, Some(478_172_000));
        comparison.exact("samples", params["sample_count"].to_string(), "432".into());
        comparison.exact(
            "cpu time",
            params["cpu_time"].to_string(),
            "1.194035".into(),
        );
        comparison.exact("frames", run.report.count("read_frames"), 111);
        let skipped = run.report.findings.iter();
        let skipped: Vec<_> = skipped
            .filter(|found| !found.kind.starts_with("read_"))
            .collect();
        comparison.exact("findings", skipped, Vec::new());
    }
    comparison.finish();
}
