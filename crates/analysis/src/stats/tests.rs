//! Tables of small ensembles, computed by hand.

use std::fmt::Write as _;

use sheaf_model::{Lens, Progress};

use super::stats;
use sheaf_answers::StatsRow;
use sheaf_synthetic::testing::{runs, short};

/// A line per row, then the notes.
fn check(text: &str, lens: &str, expected: &str) {
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(answer(text, lens), expected.join("\n"));
}

fn answer(text: &str, lens: &str) -> String {
    let lens: Lens = lens.parse().unwrap();
    match stats(&lens, &runs(text), &Progress::silent()) {
        Ok(answer) => {
            let rows = answer.rows.iter().map(print);
            let notes = answer.notes.iter().map(|note| format!("({note})"));
            rows.chain(notes).collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    }
}

fn print(row: &StatsRow) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
    let cohort: Vec<String> = row
        .cohort
        .iter()
        .map(|(name, value)| format!("{name}={value} "))
        .collect();
    format!(
        "{}{} {}: runs {}+{}+{} count {} mean {} median {} std {} range {}..{} quartiles {}..{} balance {} share {}",
        cohort.concat(),
        row.path.names().join("/"),
        row.metric,
        row.runs,
        row.not_measured,
        row.absent,
        row.count,
        number(row.mean),
        number(row.median),
        number(row.std),
        number(row.min),
        number(row.max),
        number(row.q1),
        number(row.q3),
        number(row.load_balance),
        number(row.share),
    )
}

const FOUR_RUNS: &str = "
    run a threads=1
      main work_ns 10*1
      main/f work_ns 30*3
    run b threads=1
      main work_ns 20*1
      main/f work_ns 40*3
    run c threads=2
      main work_ns 10*1@0.0
      main/f work_ns 10*1@0.0 30*2@0.1
    run d threads=2
      main work_ns 12*1@0.0
      main/g
";

#[test]
fn cohorts_have_their_own_distributions() {
    check(FOUR_RUNS, "by threads | over ranks=sum", "
        threads=1 main work_ns: runs 2+0+0 count 8 mean 50 median 50 std 14.142 range 40..60 quartiles 45..55 balance 1 share 1
        threads=2 main work_ns: runs 2+0+0 count 5 mean 31 median 31 std 26.87 range 12..50 quartiles 21.5..40.5 balance 0.917 share 1
        threads=1 f work_ns: runs 2+0+0 count 6 mean 35 median 35 std 7.071 range 30..40 quartiles 32.5..37.5 balance 1 share 0.708
        threads=2 f work_ns: runs 1+0+1 count 3 mean 40 median 40 std - range 40..40 quartiles 40..40 balance 0.667 share 0.8
        threads=1 g work_ns: runs 0+0+2 count 0 mean - median - std - range -..- quartiles -..- balance - share -
        threads=2 g work_ns: runs 0+1+1 count 0 mean - median - std - range -..- quartiles -..- balance - share -
    ");
}

#[test]
fn contexts_have_paths() {
    check(FOUR_RUNS, "level context | scope exclusive | over workers=mean", "
        main work_ns: runs 4+0+0 count 4 mean 11.75 median 11 std 6.238 range 5..20 quartiles 8.75..14 balance 0.875 share 0.446
        main/f work_ns: runs 3+0+1 count 9 mean 30 median 30 std 10 range 20..40 quartiles 25..35 balance 0.889 share 0.739
        main/g work_ns: runs 0+1+3 count 0 mean - median - std - range -..- quartiles -..- balance - share -
    ");
}

#[test]
fn ratios_are_never_summed() {
    check("
        metric ipc ratio intensive float higher_is_better
        run a
          main ipc 1*1@0 2*1@1
          main/f ipc 9*3@0 4*1@1
          main/f/h
    ", "metric ipc", "
        f ipc: runs 1+0+0 count 4 mean 3.5 median 3.5 std - range 3.5..3.5 quartiles 3.5..3.5 balance - share -
        main ipc: runs 1+0+0 count 6 mean 1.5 median 1.5 std - range 1.5..1.5 quartiles 1.5..1.5 balance - share -
        h ipc: runs 0+1+0 count 0 mean - median - std - range -..- quartiles -..- balance - share -
    ");
    let max = answer(
        "metric ipc ratio intensive float\nrun a\n main ipc 1@0 2@1",
        "metric ipc | over ranks=max",
    );
    assert!(max.contains("mean 2 "), "{max}");
}

#[test]
fn all_stands_for_every_metric() {
    let answer = answer(
        "run a\n main work_ns 1 ; bytes 8\nrun b\n main work_ns 3",
        "metric all",
    );
    let lines: Vec<&str> = answer
        .lines()
        .map(|line| &line[..line.find(" count").unwrap_or(line.len())])
        .collect();
    assert_eq!(
        lines,
        [
            "main bytes: runs 1+1+0",
            "main work_ns: runs 2+0+0",
            "(`bytes` was not measured in 1 run)",
        ]
    );
}

#[test]
fn totals_alone_give_sums_but_no_maxima() {
    let text = "run a ~no-values\n main work_ns 10@0 20@1";
    assert!(answer(text, "").contains("mean 15 "));
    assert!(answer(text, "").contains("balance - "));
    assert!(answer(text, "over ranks=max").contains("runs 0+1+0"));
    let text = "run a ~no-totals\n main work_ns 10@0 20@1";
    assert!(answer(text, "").contains("mean 15 "));
    assert!(answer(text, "over ranks=max").contains("mean 20 "));
}

#[test]
fn ranks_that_never_came_count_as_zero() {
    let text = "run a ~ranks=0,1,2,3\n main work_ns 8@0";
    assert!(answer(text, "").contains("mean 2 "));
    assert!(answer(text, "over ranks=median").contains("mean 0 "));
    assert!(answer(text, "").contains("balance 0.25"));
}

#[test]
fn a_module_entered_again_is_one_row() {
    let text = "
        def main module=app
        def cb module=app
        def send module=mpi
        run a
          main work_ns 1
          main/send work_ns 2
          main/send/cb work_ns 4
    ";
    let answer = answer(text, "level module | scope exclusive");
    let lines: Vec<&str> = answer
        .lines()
        .map(|line| &line[..line.find(" std").unwrap()])
        .collect();
    assert_eq!(
        lines,
        [
            "app work_ns: runs 1+0+0 count 2 mean 5 median 5",
            "mpi work_ns: runs 1+0+0 count 1 mean 2 median 2",
        ]
    );
}

#[test]
fn values_that_are_not_numbers_are_counted() {
    let text = "metric t s float\nrun a\n main t NaN\n main/f t 1\nrun b\n main t inf\n main/f t 2";
    let answer = answer(text, "metric t | scope exclusive");
    assert!(answer.contains("main t: runs 0+2+0"), "{answer}");
    assert!(
        answer.contains("(2 values of `t` are infinite or not numbers and count as not measured)"),
        "{answer}"
    );
}

#[test]
fn unknown_names_are_suggested() {
    check(
        FOUR_RUNS,
        "by thread",
        "parameter `thread` is in none of the runs; did you mean `threads`?; known are `format`, `name`, `program`, `ranks`, `threads`, `time_unit`, `workers`",
    );
}

#[test]
fn runs_far_from_the_others_are_named() {
    let mut text = String::new();
    for (run, value) in [100, 101, 99, 100, 102, 98, 100, 150]
        .into_iter()
        .enumerate()
    {
        writeln!(
            text,
            "run r{run} threads={}\n main work_ns {value}",
            run % 2
        )
        .unwrap();
    }
    let lens: Lens = "".parse().unwrap();
    let all = runs(&text);
    let answer = stats(&lens, &all, &Progress::silent()).unwrap();
    let outlier = all[7].meta.id;
    let row = &answer.rows[0];
    let plot = row.box_plot.as_ref().unwrap();
    // Quartiles 99.75 and 101.25.
    assert_eq!(plot.fences, Some([97.5, 103.5]));
    assert_eq!((plot.whiskers, plot.outlier_count), ([98.0, 102.0], 1));
    assert_eq!(
        (plot.outliers[0].owner.clone(), plot.outliers[0].value),
        (outlier.to_string(), 150.0)
    );
    assert_eq!(
        (row.p05, row.p95, row.mad),
        (Some(98.35), Some(133.2), Some(1.0))
    );
    assert_eq!((row.median_ci, row.modes), (Some([98.0, 150.0]), None));
    // Both cohorts have the same bins.
    let lens: Lens = "by threads | bins 4".parse().unwrap();
    let answer = stats(&lens, &runs(&text), &Progress::silent()).unwrap();
    let bins: Vec<_> = answer
        .rows
        .iter()
        .map(|row| row.histogram.clone().unwrap())
        .collect();
    assert_eq!(bins.len(), 2);
    assert!(bins.iter().all(|bins| (bins.lo, bins.hi) == (98.0, 150.0)));
    assert_eq!(
        (&bins[0].counts, &bins[1].counts),
        (&vec![4, 0, 0, 0], &vec![3, 0, 0, 1])
    );
}

#[test]
fn two_modes_are_told_with_their_runs() {
    let mut text = String::new();
    for (run, value) in [1000, 1010, 990, 1005, 1500, 1510, 1490, 1002]
        .into_iter()
        .enumerate()
    {
        writeln!(text, "run r{run}\n main work_ns {value}").unwrap();
    }
    let lens: Lens = "".parse().unwrap();
    let answer = stats(&lens, &runs(&text), &Progress::silent()).unwrap();
    let modes = answer.rows[0].modes.unwrap();
    assert_eq!((modes.low.count, modes.low.median), (5, 1002.0));
    assert_eq!(
        (modes.high.count, modes.high.min, modes.high.max),
        (3, 1490.0, 1510.0)
    );
}
