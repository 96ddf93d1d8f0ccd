//! Whether the problem grows: by what runs had to do.

use std::fmt::Write as _;

use super::*;

/// Work grows with the threads that share one core, while runs iterate as often: inflation. Where they iterate more
/// often, the problem grows.
#[test]
fn scaling_is_weak_only_if_the_inputs_grow() {
    let runs = runs(
        "
        run a threads=1 _elapsed=100 _workers=1
          main work_ns 100
        run b threads=2 _elapsed=100 _workers=2
          main work_ns 200
        run c threads=4 _elapsed=100 _workers=4
          main work_ns 400
    ",
    );
    let kind = |iterations: [i64; 3]| {
        let accounts = runs.iter().zip(iterations).map(|(run, iterations)| {
            let workers = run.meta.workers.unwrap();
            let loops = BTreeMap::from([(sheaf_model::DefinitionId([7; 16]), iterations)]);
            let account = TimeBreakdown {
                workers,
                elapsed: 100,
                ideal_elapsed: None,
                work: 100 * workers,
                overhead: Some(0),
                idle: Some(0),
                tasks: 0,
                iterations: loops,
                // The loop of the first run is one chunk.
                span: Some(100 / workers),
                ready_by_context: None,
                faults: Vec::new(),
            };
            (run.meta.id, account)
        });
        let accounts = accounts.collect();
        let found = ask("", &ScaleQuestion::new("threads"), &runs, &accounts).unwrap();
        for point in found.points.iter().filter(|point| point.bound.is_some()) {
            assert!(point.lower_bound.unwrap() <= 100.0, "{point:?}");
            assert_ne!(point.bound, Some(WithinBounds::Below));
        }
        found.series[0].kind
    };
    assert_eq!(kind([1000, 1000, 1000]), ScalingKind::Strong);
    assert_eq!(kind([1000, 2000, 4000]), ScalingKind::Weak);
}

/// Threads share a core, so that all work grows with them. A loop that iterates more often with each thread and holds
/// little of the work does not make the problem grow.
#[test]
fn loops_count_by_their_work() {
    let kind = |heavy: i64, light: i64| {
        let mut text = "def h kind=loop\ndef l kind=loop function=l\n".to_owned();
        for threads in [1, 2, 4] {
            let _ = writeln!(
                text,
                "run r{threads} threads={threads} _elapsed=1000 _workers={threads}\n  main/h work_ns {}\n  main/l work_ns {}",
                heavy * threads,
                light * threads,
            );
        }
        let runs = runs(&text);
        let accounts = runs.iter().map(|run| {
            let workers = run.meta.workers.unwrap();
            let loops = run.definitions.rows().filter(|row| row.kind == "loop");
            let iterations = loops.map(|row| {
                let growth = if row.name == "l" { 100 * workers } else { 1 };
                (sheaf_model::DefinitionId(row.id), 1000 * growth)
            });
            let account = TimeBreakdown {
                workers,
                elapsed: 1000,
                ideal_elapsed: None,
                work: (heavy + light) * workers,
                overhead: Some(0),
                idle: Some(0),
                tasks: 0,
                iterations: iterations.collect(),
                span: None,
                ready_by_context: None,
                faults: Vec::new(),
            };
            (run.meta.id, account)
        });
        let accounts = accounts.collect();
        let found = ask("", &ScaleQuestion::new("threads"), &runs, &accounts).unwrap();
        found.series[0].kind
    };
    assert_eq!(kind(9_900, 100), ScalingKind::Strong);
    assert_eq!(kind(100, 9_900), ScalingKind::Weak);
}
