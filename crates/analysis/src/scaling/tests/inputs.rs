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

/// Runtimes do not report static loops of GCC, so that equal arguments are all that is known of the inputs.
#[test]
fn growing_work_of_runs_that_may_lack_loops_has_a_note() {
    let notes = |compiler: &str, format: &str, work: [i64; 2], kind: Option<ScalingKind>| {
        let text = format!(
            "run a threads=1 _elapsed=100 _workers=1 compiler={compiler}\n  main work_ns {}\n\
             run b threads=4 _elapsed=100 _workers=4 compiler={compiler}\n  main work_ns {}\n",
            work[0], work[1]
        );
        let mut runs = runs(&text);
        for run in &mut runs {
            let run = Arc::make_mut(run);
            format.clone_into(&mut run.meta_mut().format);
            let arguments = sheaf_model::ParamValue::Text("x".to_owned());
            run.meta_mut()
                .params
                .insert("arguments".to_owned(), arguments);
        }
        let question = ScaleQuestion {
            kind,
            ..ScaleQuestion::new("threads")
        };
        let found = ask("", &question, &runs, &BTreeMap::new()).unwrap();
        let texts = Note::texts(&found.notes).join("; ");
        (
            found.series[0].kind,
            texts.contains("static loops of GCC are not recorded"),
        )
    };
    let (strong, grows) = (ScalingKind::Strong, [100, 400]);
    assert_eq!(notes("GCC", "trace", grows, None), (strong, true));
    assert_eq!(notes("clang", "trace", grows, None), (strong, false));
    assert_eq!(notes("GCC", "caliper", grows, None), (strong, false));
    assert_eq!(notes("GCC", "trace", [100, 101], None), (strong, false));
    assert_eq!(notes("GCC", "trace", grows, Some(strong)), (strong, false));
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

/// One task a thread on one core: the number of tasks grows, and so does the time of each, but not what the processor
/// had to do.
#[test]
fn time_without_a_processor_makes_no_problem_grow() {
    let kind = |off_cpu: fn(i64) -> i64| {
        let mut text = String::new();
        for threads in [1, 2, 4] {
            let _ = writeln!(
                text,
                "run r{threads} threads={threads} _elapsed=1000 _workers={threads}\n  main work_ns {}\n  main off_cpu_ns {}",
                1000 * threads,
                off_cpu(threads),
            );
        }
        let runs = runs(&text);
        let accounts = runs.iter().map(|run| {
            let workers = run.meta.workers.unwrap();
            let account = TimeBreakdown {
                workers,
                elapsed: 1000,
                ideal_elapsed: None,
                work: 1000 * workers,
                overhead: Some(0),
                idle: Some(0),
                tasks: workers,
                iterations: BTreeMap::new(),
                span: None,
                ready_by_context: None,
                faults: Vec::new(),
            };
            (run.meta.id, account)
        });
        let found = ask(
            "",
            &ScaleQuestion::new("threads"),
            &runs,
            &accounts.collect(),
        )
        .unwrap();
        found.series[0].kind
    };
    assert_eq!(kind(|threads| 1000 * (threads - 1)), ScalingKind::Strong);
    assert_eq!(kind(|_| 0), ScalingKind::Weak);
}

/// Work of profiles grows because the problem does, or because the same problem does not scale.
#[test]
fn weak_scaling_of_runs_without_inputs_is_said_to_be_a_guess() {
    let runs = runs(
        "
        run a ranks=1 _ranks=1
          main time_us 100
        run b ranks=8 _ranks=8
          main time_us 800
    ",
    );
    let notes = |kind: Option<ScalingKind>| {
        let question = ScaleQuestion {
            kind,
            ..ScaleQuestion::new("ranks")
        };
        let found = ask("metric time_us", &question, &runs, &BTreeMap::new()).unwrap();
        (found.series[0].kind, Note::texts(&found.notes).join("; "))
    };
    let (kind, texts) = notes(None);
    assert_eq!(kind, ScalingKind::Weak);
    assert!(
        texts.contains("the runs do not show their inputs"),
        "{texts}"
    );
    let (_, texts) = notes(Some(ScalingKind::Weak));
    assert!(
        !texts.contains("the runs do not show their inputs"),
        "{texts}"
    );
}
