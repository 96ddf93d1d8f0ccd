//! Distributions of small ensembles, computed by hand.

use std::fmt::Write as _;

use sheaf_model::{Lens, Progress, RunId};

use super::{DistributionQuestion, distribution};
use sheaf_answers::{Distribution, DistributionMode};
use sheaf_synthetic::testing::{runs, short};

/// A line per bin that is not empty, then the values.
fn check(lens: &str, mode: DistributionMode, expected: &str) {
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(answer(lens, "f", mode), expected.join("\n"));
}

fn answer(lens: &str, group: &str, mode: DistributionMode) -> String {
    let lens: Lens = lens.parse().unwrap();
    let runs = runs(TEXT);
    let id = |run: usize| -> RunId { runs[run].meta.id };
    let question = DistributionQuestion {
        target: vec![id(1)],
        baseline: vec![id(0), id(2)],
        ..DistributionQuestion::new(group, mode)
    };
    match distribution(&lens, &question, &runs, &Progress::silent()) {
        Ok(answer) => print(&answer),
        Err(error) => error.to_string(),
    }
}

fn print(answer: &Distribution) -> String {
    let mut lines: Vec<String> = answer
        .bins
        .iter()
        .filter(|bin| bin.count > 0)
        .map(|bin| {
            format!(
                "{}..{}: {} ({} target, {} baseline) {}",
                short(bin.lo),
                short(bin.hi),
                bin.count,
                bin.target_count,
                bin.baseline_count,
                bin.members.join(", ")
            )
        })
        .collect();
    let values: Vec<String> = answer.values.iter().copied().map(short).collect();
    lines.push(format!(
        "{} values, {} absent: {}",
        answer.count,
        answer.absent,
        values.join(" ")
    ));
    lines.join("\n")
}

const TEXT: &str = "
    run a ~ranks=0,1,2,3
      main work_ns 1
      main/f work_ns 10@0 10@1 20@3
    run b
      main work_ns 1
      main/f work_ns 30@0.0 10@0.1
      main/g/f work_ns 8@0.0
    run c
      main work_ns 1
";

#[test]
fn over_runs() {
    check(
        "bins 2",
        DistributionMode::Runs,
        "
        10..29: 1 (0 target, 1 baseline) a
        29..48: 1 (1 target, 0 baseline) b
        2 values, 1 absent: 10 48
    ",
    );
}

#[test]
fn over_call_sites() {
    check(
        "bins 2",
        DistributionMode::CallSites,
        "
        8..16.5: 1 (1 target, 0 baseline) main/g/f
        16.5..25: 1 (1 target, 1 baseline) main/f
        2 values, 1 absent: 8 25
    ",
    );
}

#[test]
fn over_ranks() {
    check(
        "bins 4",
        DistributionMode::Ranks,
        "
        0..12: 3 (0 target, 3 baseline) 0-2
        12..24: 1 (0 target, 1 baseline) 3
        36..48: 1 (1 target, 0 baseline) 0
        5 values, 1 absent: 0 10 10 20 48
    ",
    );
}

#[test]
fn over_workers() {
    check(
        "bins 2",
        DistributionMode::Workers,
        "
        0..19: 4 (1 target, 3 baseline) 0.0-1, 1.0, 2.0
        19..38: 2 (1 target, 1 baseline) 0.0, 3.0
        6 values, 1 absent: 0 10 10 10 20 38
    ",
    );
}

#[test]
fn what_it_looks_like_is_told_with_the_outliers() {
    let mut text = "run a".to_owned();
    text.push_str("\n main work_ns");
    for (rank, value) in [10, 11, 12, 10, 11, 12, 10, 11, 40].into_iter().enumerate() {
        write!(text, " {value}@{rank}").unwrap();
    }
    let question = DistributionQuestion::new("main", DistributionMode::Ranks);
    let lens: Lens = "".parse().unwrap();
    let answer = distribution(&lens, &question, &runs(&text), &Progress::silent()).unwrap();
    let quantiles = answer.quantiles.unwrap().map(short).join(" ");
    assert_eq!(quantiles, "10 10 11 12 28.8");
    let plot = answer.box_plot.unwrap();
    assert_eq!(
        (plot.fences, plot.whiskers),
        (Some([7.0, 15.0]), [10.0, 12.0])
    );
    assert_eq!(plot.outlier_count, 1);
    assert_eq!(
        (plot.outliers[0].owner.as_str(), plot.outliers[0].value),
        ("8", 40.0)
    );
    assert_eq!(answer.modes, None);
    // Least and greatest dip of nine values; ties make it great.
    let dip = answer.dip.unwrap();
    assert!(dip > 1.0 / 18.0 && dip <= 0.25, "{dip}");
}

#[test]
fn unknown_groups_are_named() {
    assert_eq!(
        answer("", "ff", DistributionMode::Runs),
        "group `ff` is not in the ensemble at this level; did you mean `f`?"
    );
}
