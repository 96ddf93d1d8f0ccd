//! Call profiles of one file, or of the files of one folder, against digests of all their values
//! and a few facts of the original tools.

use std::path::PathBuf;

use sheaf_ingest::{Format, Run};

use crate::comparison::{Comparison, shared};
use crate::digest;

/// The files of a format.
#[derive(Default)]
struct Case {
    /// Below the folder of call profiles.
    folder: &'static str,
    files: &'static [&'static str],
    /// Name of the digest, if the files are one run.
    together: Option<&'static str>,
    /// A metric, and the sum of its exclusive values at each location.
    totals: Option<(&'static str, &'static [f64])>,
    /// Facts about the first run: see [`fact`].
    facts: &'static [(&'static str, &'static str)],
    /// Findings that are not `read_…`, with their counts.
    findings: &'static [(&'static str, u64)],
    /// A fault of the original tool: its sum of the exclusive values at each location.
    wrong_totals: Option<&'static [f64]>,
}

#[test]
fn cprofile() {
    check(
        Format::CProfile,
        &Case {
            folder: "cprofile/pstats",
            files: &["cprofile-cycle-py2.pstats", "cprofile-cycle.pstats"],
            ..Case::default()
        },
    );
}

#[test]
fn gprof() {
    check(
        Format::Gprof,
        &Case {
            folder: "gprof-text/own-demo4",
            files: &[
                "demo-k10.gprof.txt",
                "demo-k20.gprof.txt",
                "demo-k40.gprof.txt",
                "demo-k80.gprof.txt",
            ],
            ..Case::default()
        },
    );
}

#[test]
fn gprof2dot() {
    check(
        Format::Gprof2Dot,
        &Case {
            folder: "gprof2dot",
            files: &[
                "callgrind-cpi/callgrind.dot.64042.0.1",
                "own-demo4/demo-k10.dot",
                "own-demo4/demo-k20.dot",
                "own-demo4/demo-k40.dot",
                "own-demo4/demo-k80.dot",
            ],
            // As the notes next to the data state for the graph that Hatchet reads too.
            facts: &[("read_functions", "105"), ("read_arcs", "107")],
            ..Case::default()
        },
    );
}

#[test]
fn hatchet() {
    check(
        Format::Hatchet,
        &Case {
            folder: "literal-json/hatchet-graph",
            files: &["hatchet-graph-literal.json"],
            // Two graphs of 135 and 30 in inclusive time: the sum over all nodes' own.
            totals: Some(("time", &[165.0])),
            facts: &[("read_nodes", "24")],
            ..Case::default()
        },
    );
}

#[test]
fn pyinstrument() {
    check(
        Format::PyInstrument,
        &Case {
            folder: "pyinstrument/hatchet",
            files: &["pyinstrument-hatchet-profile.json"],
            // Exclusive times add up to that of the root, as printed.
            totals: Some(("self_s", &[0.47815])),
            facts: &[
                ("program", "examples.py"),
                ("elapsed", "478172000"),
                ("sample_count", "432"),
                ("cpu_time", "1.194035"),
                ("read_frames", "111"),
            ],
            ..Case::default()
        },
    );
}

/// Four ranks in one folder.
#[test]
fn tau() {
    check(
        Format::Tau,
        &Case {
            folder: "tau/cpi-4ranks",
            files: &[
                "profile.0.0.0",
                "profile.1.0.0",
                "profile.2.0.0",
                "profile.3.0.0",
            ],
            together: Some("tau-cpi-4ranks"),
            // Exclusive times of a rank add up to the inclusive time of its root.
            totals: Some(("time_us", &[51_781.0, 55_329.0, 54_029.0, 52_908.0])),
            facts: &[
                ("program", "cpi-mpi"),
                ("ranks", "4"),
                ("TAU Version", "2.29-git"),
            ],
            ..Case::default()
        },
    );
}

/// A clock on two ranks.
#[test]
fn timemory() {
    check(
        Format::Timemory,
        &Case {
            folder: "timemory/wall",
            files: &["wall.tree.json"],
            // Exclusive times of a rank add up to what the tool's own root has too much.
            totals: Some(("wall_clock_ns", &[58_636_469_722.0, 55_180_332_771.0])),
            // Its negative exclusive time, by which all add up to nothing, is a fault of the tool.
            wrong_totals: Some(&[0.0, 0.0]),
            facts: &[("read_nodes", "28")],
            findings: &[("skipped_unmeasured_nodes", 2)],
            ..Case::default()
        },
    );
}

fn check(format: Format, case: &Case) {
    let Some(shared) = shared() else { return };
    let folder = shared.join("call-profiles").join(case.folder);
    let paths: Vec<PathBuf> = case.files.iter().map(|file| folder.join(file)).collect();
    let mut comparison = Comparison::new(format.as_str());
    let reading = digest::read_files(&mut comparison, format, &paths);
    let num_runs = case.together.map_or(paths.len(), |_| 1);
    comparison.exact("runs", reading.runs.len(), num_runs);
    for run in &reading.runs {
        let file = digest::name_of(&paths[run.inputs[0]]);
        digest::compare(&mut comparison, case.together.unwrap_or(&file), run);
        let findings = run.report.findings.iter();
        let findings: Vec<(&str, u64)> = findings
            .filter(|finding| !finding.kind.starts_with("read_"))
            .map(|finding| (finding.kind.as_str(), finding.count))
            .collect();
        let what = format!("{file}: findings");
        comparison.exact(&what, findings.as_slice(), case.findings);
        if run.inputs[0] == 0 {
            compare_facts(&mut comparison, case, run);
        }
    }
    comparison.finish();
}

fn compare_facts(comparison: &mut Comparison, case: &Case, run: &Run) {
    for (name, expected) in case.facts {
        comparison.exact(name, fact(run, name).as_str(), *expected);
    }
    let Some((metric, expected)) = case.totals else {
        return;
    };
    let totals = totals(run, metric);
    comparison.exact("locations", totals.len(), expected.len());
    for (ours, expected) in totals.iter().zip(expected) {
        comparison.close(metric, *ours, *expected, 1e-12);
    }
    if let Some(wrong) = case.wrong_totals {
        comparison.known_fault(metric, totals.as_slice(), wrong);
    }
}

/// A finding's count, `program`, `ranks`, `elapsed`, or a parameter.
fn fact(run: &Run, name: &str) -> String {
    let meta = &run.tables.summary.meta;
    match name {
        "program" => meta.program.clone(),
        "ranks" => meta.ranks.to_string(),
        "elapsed" => meta.elapsed.unwrap().to_string(),
        _ if name.starts_with("read_") => run.report.count(name).to_string(),
        _ => meta.params[name].to_string(),
    }
}

/// The sum of a metric's exclusive values at each location.
fn totals(run: &Run, name: &str) -> Vec<f64> {
    let summary = &run.tables.summary;
    let metric = summary
        .metrics
        .rows()
        .position(|metric| metric.name == name);
    let metric = metric.map(|row| i32::try_from(row).unwrap());
    let mut totals = vec![0.0; summary.locations.len()];
    for value in summary
        .values
        .rows()
        .filter(|value| Some(value.metric) == metric)
    {
        let sum = value.sum_float.or(value.sum.map(|sum| sum as f64));
        totals[usize::try_from(value.location).unwrap()] += sum.unwrap();
    }
    totals
}
