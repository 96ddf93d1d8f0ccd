//! Profiles that are odd or hostile; `data/samples/tau` has the plain ones.

use std::fmt::Write as _;
use std::time::Instant;

use sheaf_model::Progress;

use super::*;
use crate::testing::{findings_of, values_of};
use crate::{Input, NoModules, Symbols, sniff};

fn read_files(files: &[(&str, &str)]) -> ReadOutcome {
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    read_bytes(&files)
}

fn read_bytes(files: &[(&str, &[u8])]) -> ReadOutcome {
    let contents: Vec<(&str, Vec<u8>)> = files
        .iter()
        .map(|(name, bytes)| (*name, bytes.to_vec()))
        .collect();
    let inputs: Vec<Input<'_>> = contents
        .iter()
        .map(|(name, bytes)| Input::new(name, bytes))
        .collect();
    let reading = crate::read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    for run in &reading.runs {
        run.tables.validate().unwrap();
    }
    reading
}

fn profile(metric: &str, rows: &[&str]) -> String {
    let mut text = format!(
        "{} templated_functions_MULTI_{metric}\n# Name Calls\n",
        rows.len()
    );
    for row in rows {
        writeln!(text, "{row}").unwrap();
    }
    text + "0 aggregates\n0 userevents\n"
}

fn row(name: &str, calls: i64, own: i64, total: i64) -> String {
    format!("\"{name}\" {calls} 0 {own} {total} 0 GROUP=\"A\" ")
}

fn dump(reading: &ReadOutcome) -> String {
    let runs = reading.runs.iter();
    let runs = runs.map(|run| format!("{}\n{}", values_of(&run.tables), findings_of(&run.report)));
    let refused = reading
        .refused
        .iter()
        .map(|(at, error)| format!("refused {at}: {error}"));
    runs.chain(refused).collect::<Vec<_>>().join("\n")
}

#[test]
fn folders_of_metrics_are_one_run() {
    let time = profile("TIME", &[&row("f", 2, 3, 3)]);
    let cycles = profile("PAPI_TOT_CYC", &[&row("f", 2, 900, 900)]);
    let reading = read_files(&[
        ("a/MULTI__TIME/profile.0.0.0", &time),
        ("a/MULTI__PAPI_TOT_CYC/profile.0.0.0", &cycles),
        ("a/MULTI__TIME/profile.1.0.0", &time),
        ("a/MULTI__PAPI_TOT_CYC/profile.1.0.0", &cycles),
        ("b/profile.0.0.0", &time),
    ]);
    assert_eq!(reading.runs.len(), 2);
    assert_eq!(reading.runs[0].inputs, [0, 1, 2, 3]);
    assert_eq!(
        values_of(&reading.runs[0].tables),
        "f calls 0.0 2
f calls 1.0 2
f papi_tot_cyc_cycles 0.0 900
f papi_tot_cyc_cycles 1.0 900
f papi_tot_cyc_inclusive_cycles 0.0 900
f papi_tot_cyc_inclusive_cycles 1.0 900
f subroutine_calls 0.0 0
f subroutine_calls 1.0 0
f time_inclusive_us 0.0 3
f time_inclusive_us 1.0 3
f time_us 0.0 3
f time_us 1.0 3"
    );
}

#[test]
fn a_function_is_a_root_for_what_its_paths_do_not_explain() {
    let rows = [
        row("main", 1, 10, 40),
        row("f", 3, 9, 30),
        row("main => f", 2, 6, 20),
        row("f => f", 1, 4, 4),
        row("g", 1, 1, 1),
        row("main => g", 2, 2, 2),
    ];
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let text = profile("X", &rows);
    assert_eq!(
        dump(&read_files(&[("profile.0.0.0", &text)])),
        "f/f calls 1
f/f subroutine_calls 0
f/f x 4
f/f x_inclusive 4
main calls 1
main subroutine_calls 0
main x 10
main x_inclusive 40
main/f calls 2
main/f subroutine_calls 0
main/f x 6
main/f x_inclusive 20
main/g calls 2
main/g subroutine_calls 0
main/g x 2
main/g x_inclusive 2
skipped_contradicting_sums 2
read_functions 3
read_paths 3"
    );
}

#[test]
fn contexts_of_a_process_have_threads_of_their_own() {
    let text = profile("TIME", &[&row("f", 1, 1, 1)]);
    let names = [
        "profile.0.0.0",
        "profile.0.1.0",
        "profile.0.1.1",
        "profile.3.0.0",
    ];
    let reading = read_files(&names.map(|name| (name, text.as_str())));
    let locations = reading.runs[0].tables.summary.locations.rows();
    let places: Vec<(i32, i32)> = locations.map(|row| (row.rank, row.thread)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (0, 2), (3, 0)]);
}

#[test]
fn what_does_not_fit_is_refused_or_counted() {
    let good = profile(
        "TIME",
        &[
            &row("f", 1, 1, 1),
            "nonsense",
            "\"g\" 1 2 GROUP=\"",
            "\"h\" 1 0 nan inf 0 GROUP=\"\"",
        ],
    );
    let reading = read_files(&[
        ("profile.0.0.0", &good),
        ("profile.one.0.0", &good),
        (
            "x/../profile.0.0.0",
            "99999999999999999999 templated_functions_MULTI_TIME\n",
        ),
        ("copy/profile.0.0.0", &good),
        ("copy/profile.0.0.0.gz", &good),
    ]);
    assert!(!reading.runs[0].tables.summary.meta.is_complete);
    let text = dump(&reading);
    assert!(
        text.contains("skipped_lines 2") && text.contains("skipped_unusable_values 2"),
        "{text}"
    );
    assert!(
        text.contains(
            "refused 1: cannot read tau file: `profile.one.0.0` does not contain rank and thread"
        ),
        "{text}"
    );
    assert!(text.contains("refused 2: format not recognised"), "{text}");
    assert!(
        text.contains("refused 4: cannot read tau file: another file of the folder"),
        "{text}"
    );
    for other in [
        "23 templated_functions_MULTI_",
        "templated_functions",
        "x templated_functions",
        "1 templated_functionsX",
    ] {
        assert_eq!(sniff(other.as_bytes()), None, "{other}");
    }
    assert_eq!(sniff(b"0 templated_functions\n"), Some(Format::Tau));
}

#[test]
fn depth_and_size_do_not_matter() {
    let start = Instant::now();
    let deep = "f => ".repeat(1_000_000) + "g";
    let wide = (0..100_000).map(|number| row(&format!("w{number}</script>\u{202e}\""), 1, 1, 1));
    let mut rows: Vec<String> = wide.collect();
    rows.push(row(&deep, 1, 1, 1));
    rows.push(row("g", 1, 1, 1));
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let reading = read_files(&[("profile.0.0.0", &profile("TIME", &rows))]);
    assert_eq!(reading.runs[0].tables.summary.contexts.len(), 1_100_001);
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

/// Time is measured; counts of a counter that wrapped or took turns with others are estimates.
#[test]
fn counters_that_are_no_exact_counts_are_marked() {
    let marks = |attribute: &str, cycles: i64| {
        let head = format!(
            "1 templated_functions_MULTI_PAPI_TOT_CYC\n# Name Calls <metadata><attribute>\
             <name>TAU_PAPI_MULTIPLEXING</name><value>{attribute}</value></attribute></metadata>\n"
        );
        let rows = row("f", 2, cycles, cycles);
        let cycles = format!("{head}{rows}\n0 aggregates\n0 userevents\n");
        let time = profile("TIME", &[&row("f", 2, 3, 3)]);
        let reading = read_files(&[
            ("a/MULTI__TIME/profile.0.0.0", &time),
            ("a/MULTI__PAPI_TOT_CYC/profile.0.0.0", &cycles),
        ]);
        let meta = &reading.runs[0].tables.summary.meta;
        assert_eq!(meta.estimated("time_us"), None);
        let names = ["papi_tot_cyc_cycles", "papi_tot_cyc_inclusive_cycles"];
        names.map(|name| meta.estimated(name).map(str::to_owned))
    };
    let turns = "counters took turns on the hardware (TAU_PAPI_MULTIPLEXING)";
    let wrapped = "the counter wrapped: a count is negative";
    assert_eq!(marks("off", 900), [None, None]);
    assert_eq!(marks("on", 900), [Some(turns.into()), Some(turns.into())]);
    assert_eq!(
        marks("off", -9),
        [Some(wrapped.into()), Some(wrapped.into())]
    );
}

#[test]
fn a_run_without_the_files_of_a_rank_is_incomplete() {
    let good = profile("TIME", &[&row("f", 1, 1, 1)]);
    let read = |names: &[&str]| {
        let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, good.as_str())).collect();
        let meta = read_files(&files).runs[0].tables.summary.meta.clone();
        (meta.is_complete, meta.warnings.join("; "))
    };
    let all = ["profile.0.0.0", "profile.1.0.0", "profile.2.0.0"];
    assert_eq!(read(&all), (true, String::new()));
    let text = "no file holds values of rank 1".to_owned();
    assert_eq!(read(&[all[0], all[2]]), (false, text));
    // A damaged name.
    let (is_complete, warning) = read(&[all[0], "profile.2000000000.0.0"]);
    assert!(
        !is_complete && warning.ends_with("9, 10 and 1999999989 more"),
        "{warning}"
    );
}

/// Each rank and thread has a file of each metric.
#[test]
fn a_run_without_files_of_one_metric_is_incomplete() {
    let read = |names: &[&str]| {
        let texts = names.iter().map(|name| {
            let metric = name.split_once('/').unwrap().0;
            (
                format!("mm/MULTI__{name}"),
                profile(metric, &[&row("f", 2, 3, 3)]),
            )
        });
        let texts: Vec<(String, String)> = texts.collect();
        let files: Vec<(&str, &str)> = texts
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        let reading = read_files(&files);
        assert_eq!(reading.runs.len(), 1);
        let meta = &reading.runs[0].tables.summary.meta;
        (meta.is_complete, meta.warnings.join("; "))
    };
    let all = [
        "TIME/profile.0.0.0",
        "TIME/profile.1.0.0",
        "PAPI_L1/profile.0.0.0",
        "PAPI_L1/profile.1.0.0",
    ];
    assert_eq!(read(&all), (true, String::new()));
    let text = "no file holds PAPI_L1 of rank 1";
    assert_eq!(read(&all[..3]), (false, text.to_owned()));
    let threads = [all[0], "TIME/profile.0.0.1", all[1], all[2]];
    let text = "no file holds PAPI_L1 of rank 1 and of thread 0.1";
    assert_eq!(read(&threads), (false, text.to_owned()));
    let both = [all[0], all[3]];
    let text = "no file holds PAPI_L1 of rank 0; no file holds TIME of rank 1";
    assert_eq!(read(&both), (false, text.to_owned()));
}

#[test]
fn names_that_differ_in_bytes_that_are_not_utf8_are_different() {
    let mut bytes = profile("TIME", &[&row("@", 1, 1, 1), &row("#", 1, 2, 2)]).into_bytes();
    let head = bytes.iter().rposition(|byte| *byte == b'#').unwrap();
    let at = bytes.iter().position(|byte| *byte == b'@').unwrap();
    (bytes[at], bytes[head]) = (0xe9, 0xe8);
    let reading = read_bytes(&[("profile.0.0.0", &bytes)]);
    assert_eq!(reading.runs[0].report.count("repaired_texts"), 2);
    let values = values_of(&reading.runs[0].tables);
    for line in ["\\xe8 time_us 2", "\\xe9 time_us 1"] {
        assert!(values.contains(line), "{values}");
    }
}
