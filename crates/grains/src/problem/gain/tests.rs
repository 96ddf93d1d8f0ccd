//! Issue 12, line 9: bounds of the time to win, by hand.

use sheaf_answers::GainBasis;

use super::super::{Diagnosis, PAPER, Threshold, diagnose};
use crate::grain_graph::Structure;
use crate::grain_metric::Evaluation;
use crate::grain_metric::testing::run;

fn thresholds(conditions: &[&str], is_preset: bool) -> Vec<Threshold> {
    let read = |text: &&str| Threshold {
        is_by_loop: is_preset,
        ..text.parse().unwrap()
    };
    conditions.iter().map(read).collect()
}

fn diagnosis(text: &str, thresholds: &[Threshold]) -> Diagnosis {
    let run = run(text);
    let structure = Structure::of(&run);
    diagnose(&Evaluation::of(&run, &structure), thresholds)
}

/// Metric, grains, chunks that do not count, and what could be won by what.
fn check(text: &str, thresholds: &[Threshold], expected: &str) {
    let found = diagnosis(text, thresholds);
    let line = |problem: &super::super::Problem| {
        let gain = problem.gain.map_or("-".to_owned(), |gain| {
            format!("{} of {}", gain.time, gain.basis.as_str())
        });
        let definitions = problem.definitions.iter().map(|row| {
            let time = row
                .gain
                .map_or("-".to_owned(), |gain| gain.time.to_string());
            format!(" {}:{time}", row.definition)
        });
        format!(
            "{}: {} and {}, {gain};{}\n",
            problem.metric,
            problem.grains.len(),
            problem.balanced_chunks,
            definitions.collect::<String>()
        )
    };
    let lines: String = found.problems.iter().map(line).collect();
    let expected: String = expected
        .trim()
        .lines()
        .map(|line| line.trim().to_owned() + "\n")
        .collect();
    assert_eq!(lines, expected);
}

/// Two members of a team run two loops: of the first one works 18 + 20 + 20 and the other 40, which costs 9; of the
/// second both work 30, and 29.
const LOOPS: &str = "
    core 0 1
    workers 2
    initial - def=main on=0 start=0 end=120 run=0+10
    member 0 def=region on=0 start=10 end=112 run=10+2
    member 0 def=region on=1 start=10 end=112 run=11+4
    chunk 1 def=first sequence=0 index=0 on=0 start=12 end=30 work=18 run=12+18
    chunk 1 def=first sequence=0 index=1 on=0 start=33 end=53 work=20 run=33+20
    chunk 1 def=first sequence=0 index=2 on=0 start=54 end=74 work=20 run=54+20
    chunk 2 def=first sequence=0 index=0 on=1 start=15 end=55 work=40 run=15+40
    chunk 1 def=second sequence=1 index=3 on=0 start=80 end=110 work=30 run=80+30
    chunk 2 def=second sequence=1 index=1 on=1 start=80 end=109 work=29 run=80+29
";

#[test]
fn loops_are_judged_by_what_their_imbalance_costs() {
    let conditions = ["chunk_work_thread_balance > 1"];
    check(
        LOOPS,
        &thresholds(&conditions, true),
        "chunk_work_thread_balance: 4 and 2, 9 of imbalance; 2:9",
    );
    // Thresholds of the user apply to each chunk.
    check(
        LOOPS,
        &thresholds(&conditions, false),
        "chunk_work_thread_balance: 6 and 0, 9.5 of imbalance; 2:9 3:0.5",
    );
}

/// Between 10 and 12 two of two workers are free but for one, and so on: see the fragments.
#[test]
fn idle_time_counts_while_the_grains_run() {
    let text = "
        workers 4
        initial - def=main start=0 end=100 run=0+100
        task 0 def=a start=10 end=30 work=20 run=10+20
        task 0 def=a start=20 end=40 work=20 run=20+20
        task 0 def=b start=50 end=60 work=10 run=50+10
        task 0 def=b start=60 end=60 work=0 run=60+0
    ";
    // a: 10 to 20 two of four are free, 20 to 30 one, 30 to 40 two: 5 + 2.5 + 5; b: 50 to 60 two.
    check(
        text,
        &thresholds(&["inst_par_real_instant_min < 4"], false),
        "inst_par_real_instant_min: 3 and 0, 17.5 of idle; 1:12.5 2:5",
    );
}

/// Creation of 60 of 200 on one of two workers: at most 60, and at most the idle time plus half of it.
#[test]
fn costs_are_bounded_twice() {
    let text = |end: i64| {
        format!(
            "core 0 1
             workers 2
             initial - def=main start=0 end={end} on=0 waiting=0 run=0+100
             task 0 def=fine start=10 end=40 on=1 work=30 creation=20 waiting=0 joined=0 run=10+30
             task 0 def=fine start=40 end=70 on=1 work=30 creation=40 waiting=0 joined=0 run=40+30"
        )
    };
    let conditions = thresholds(
        &["creation_ns > 0", "parallel_benefit_of_execution < 9"],
        false,
    );
    let expected = |won: i64| {
        format!(
            "parallel_benefit_of_execution: 2 and 0, {won} of creation; 1:{won}
             creation_ns: 2 and 0, -; 1:-"
        )
    };
    // Busy for 160: idle for 20 of 100, and 30 are half of the cost.
    check(&text(100), &conditions, &expected(50));
    // Idle for 70 of 150.
    check(&text(150), &conditions, &expected(60));
}

/// Grains wait for 55 of 100, but workers that are busy for 125 take at least 62.5.
#[test]
fn waits_for_locks_are_bounded_by_them_and_by_idle_time() {
    let text = "
        workers 2
        initial - def=main on=0 start=0 end=100 run=0+100
        task 0 def=a on=1 start=10 end=50 lock_waiting_ns=30 run=10+10
        task 0 def=a on=1 start=50 end=90 lock_waiting_ns=25 run=50+15
    ";
    check(
        text,
        &thresholds(&["lock_waiting_share > 0.1"], false),
        "lock_waiting_share: 2 and 0, 37.5 of lock_waiting; 1:37.5",
    );
}

/// Members of a team that wait for a critical section are no tasks, and wait all the same.
#[test]
fn members_that_wait_for_locks_are_a_problem() {
    let text = "
        workers 2
        initial - def=main on=0 start=0 end=100 run=0+10
        member 0 def=region on=0 start=10 end=100 lock_waiting_ns=45 run=10+45
        member 0 def=region on=1 start=10 end=100 lock_waiting_ns=45 run=55+45
    ";
    check(
        text,
        &thresholds(&["lock_waiting_share > 0.1"], false),
        "lock_waiting_share: 2 and 0, 50 of lock_waiting; 1:50",
    );
}

#[test]
fn work_beyond_the_reference_is_what_can_be_won() {
    let text = |work: i64| {
        format!("workers 1\ntask - def=a key=1 start=0 end=100 work={work} run=0+{work}")
    };
    let (reference, run) = (run(&text(30)), run(&text(100)));
    let structure = Structure::of(&run);
    let evaluation = Evaluation::of(&run, &structure).with_references(&[&reference]);
    let found = diagnose(&evaluation, &thresholds(&["work_deviation > 2"], true));
    let gain = found.problems[0].gain.unwrap();
    assert_eq!((gain.time, gain.basis), (70.0, GainBasis::Inflation));
    assert_eq!(found.elapsed, Some(100));
}

/// Of the thresholds of the paper only those of loops and parallelism look at whole loops.
#[test]
fn presets_judge_loops_as_wholes() {
    let by_loop: Vec<&str> = PAPER
        .iter()
        .filter(|preset| preset.threshold().unwrap().is_by_loop)
        .map(|preset| preset.problem)
        .collect();
    assert_eq!(
        by_loop,
        [
            "load_balance",
            "loop_load_balance",
            "instantaneous_parallelism"
        ]
    );
}
