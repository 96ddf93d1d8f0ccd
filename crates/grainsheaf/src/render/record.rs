//! What a sweep recorded.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sheaf_answers::{Record, RecordingCost, RelativeCost, Verdict};
use sheaf_ensemble::FEWEST_PAIRS;

use super::selection::Selection;
use super::table::{Layout, Tone};
use super::text::{counted, plain};
use sheaf_answers::text::change;

/// One row per recorded run, then the warnings.
pub(crate) fn record(answer: &Record, layout: Layout) -> String {
    if answer.runs.is_empty() {
        return "no runs recorded\n".to_owned();
    }
    let has_reference = answer
        .runs
        .iter()
        .any(|run| run.reference_elapsed_ns.is_some());
    let table = Selection::of(answer, "ns")
        .id("run")
        // `runs` and `info` call the time of the recorded events elapsed, which leaves out the start of the process.
        .columns("threads, repeat, grains, elapsed_ns as process wall time")
        .column("reference_elapsed_ns")
        .headed("reference")
        .when(has_reference)
        .column("cost")
        .headed("recorder's cost")
        .signed()
        .when(has_reference)
        .verdict("", |row| {
            if answer.runs[row].is_complete {
                ("", Tone::Plain)
            } else {
                ("! incomplete", Tone::Notable)
            }
        })
        .first(0);
    let mut text = table.render(layout, "");
    let batch = answer.batch.as_deref().map(plain);
    let batch = batch.map(|batch| format!(" as import {batch}: `run = @{batch}` selects them"));
    let _ = writeln!(
        text,
        "{} recorded{}",
        counted(answer.runs.len() as u64, "run", "runs"),
        batch.unwrap_or_default()
    );
    for cost in &answer.costs {
        let _ = writeln!(text, "{}", cost_of_recording(cost));
    }
    for warning in distinct_warnings(answer) {
        let word = Tone::Notable.paint("warning:", layout.has_colour);
        let _ = writeln!(text, "{word} {}", plain(&warning));
    }
    text
}

/// `recording costs with 4 threads: wall time +3.1 % (95 % interval +1 % to +5.2 %, 7 pairs), …`
fn cost_of_recording(cost: &RecordingCost) -> String {
    let threads = cost.threads.map_or_else(String::new, |threads| {
        format!(" with {}", counted(u64::from(threads), "thread", "threads"))
    });
    let wall = relative("wall time", &cost.elapsed);
    let cpu = relative("CPU time", &cost.cpu);
    format!("recording costs{threads}: {wall}; {cpu}")
}

fn relative(what: &str, cost: &RelativeCost) -> String {
    let pairs = counted(cost.pairs, "pair", "pairs");
    let median = change(cost.median);
    match (cost.low, cost.high) {
        (Some(low), Some(high)) => {
            let interval = format!("95 % interval {} to {}", change(low), change(high));
            let word = match cost.verdict {
                Verdict::Inconclusive => "inconclusive, ",
                _ => "",
            };
            format!("{what} {word}{median} ({interval}, {pairs})")
        }
        _ => format!(
            "{what} inconclusive, {median} ({pairs}; an interval needs {FEWEST_PAIRS}: `--repeat {FEWEST_PAIRS}`)"
        ),
    }
}

/// Each warning once; those that differ in numbers alone are one, with how many runs have it.
fn distinct_warnings(answer: &Record) -> Vec<String> {
    let mut kinds: Vec<(String, &str, u64)> = Vec::new();
    for run in &answer.runs {
        let mut seen = BTreeSet::new();
        for warning in &run.warnings {
            let kind: String = warning.chars().filter(|c| !c.is_numeric()).collect();
            if !seen.insert(kind.clone()) {
                continue;
            }
            match kinds.iter_mut().find(|(known, ..)| *known == kind) {
                Some((.., count)) => *count += 1,
                None => kinds.push((kind, warning, 1)),
            }
        }
    }
    let runs = answer.runs.len() as u64;
    let lines = kinds.into_iter().map(|(_, warning, count)| {
        if count == runs {
            warning.to_owned()
        } else {
            format!("{warning} (in {})", counted(count, "run", "runs"))
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use sheaf_answers::RecordedRun;

    use super::*;

    #[test]
    fn warnings_are_counted_by_runs() {
        let run = |digit: &str, warnings: &[&str]| RecordedRun {
            run: digit.repeat(32),
            threads: Some(2),
            repeat: 1,
            grains: 64,
            elapsed_ns: Some(1_000_000),
            reference_elapsed_ns: None,
            is_complete: true,
            warnings: warnings.iter().map(|&it| it.to_owned()).collect(),
        };
        let answer = Record {
            schema: "record/1".into(),
            runs: vec![
                run(
                    "a",
                    &["stack 1 is unwound", "stack 2 is unwound", "no counters"],
                ),
                run("b", &["no counters"]),
                run("c", &["no counters"]),
            ],
            batch: None,
            costs: Vec::new(),
        };
        let warnings = ["stack 1 is unwound (in 1 run)", "no counters"];
        assert_eq!(distinct_warnings(&answer), warnings);
    }

    #[test]
    fn a_sweep_ends_with_its_table() {
        let run = |digit: &str, threads: u32, is_complete: bool| RecordedRun {
            run: digit.repeat(32),
            threads: Some(threads),
            repeat: 1,
            grains: 3_192,
            elapsed_ns: Some(110_000_000),
            reference_elapsed_ns: is_complete.then_some(100_000_000),
            is_complete,
            warnings: vec![
                format!("half of the grains take less than {threads}00 ns"),
                "timing is LLVM's scheduler".into(),
            ],
        };
        let answer = Record {
            schema: "record/1".into(),
            runs: vec![run("a", 1, true), run("b", 8, false)],
            batch: Some("b0123456789ab".into()),
            costs: vec![RecordingCost {
                threads: Some(8),
                elapsed: RelativeCost {
                    pairs: 6,
                    median: 0.02,
                    low: Some(0.01),
                    high: Some(0.03),
                    verdict: Verdict::Slower,
                },
                cpu: RelativeCost {
                    pairs: 2,
                    median: -0.01,
                    low: None,
                    high: None,
                    verdict: Verdict::Inconclusive,
                },
            }],
        };
        let expected = "\
run       threads  repeat  grains  process wall time (ms)  reference (ms)  recorder's cost
aaaaaaaa        1       1   3\u{202f}192                     110             100            +10 %
bbbbbbbb        8       1   3\u{202f}192                     110               –                –  ! incomplete
2 runs recorded as import b0123456789ab: `run = @b0123456789ab` selects them
recording costs with 8 threads: wall time +2 % (95 % interval +1 % to +3 %, 6 pairs); CPU time \
inconclusive, −1 % (2 pairs; an interval needs 6: `--repeat 6`)
warning: half of the grains take less than 100 ns
warning: timing is LLVM's scheduler
";
        assert_eq!(record(&answer, Layout::default()), expected);
    }
}
