//! Points with several runs.

use super::*;

/// One of two repeats has half of the work of the other. The bounds follow from one run, and hold for both.
#[test]
fn no_repeat_is_below_the_bounds() {
    let runs = runs(
        "
        run a threads=1 _elapsed=100 _workers=1
          main work_ns 100
        run b threads=1 _elapsed=200 _workers=1
          main work_ns 200
        run c threads=2 _elapsed=100 _workers=2
          main work_ns 200
    ",
    );
    let account = |run: &Arc<RunSummary>| {
        let (workers, elapsed) = (run.meta.workers.unwrap(), run.meta.elapsed.unwrap());
        let account = TimeBreakdown {
            workers,
            elapsed,
            ideal_elapsed: None,
            work: workers * elapsed,
            overhead: Some(0),
            idle: Some(0),
            tasks: 10,
            iterations: BTreeMap::new(),
            span: Some(10),
            ready_by_context: None,
            faults: Vec::new(),
        };
        (run.meta.id, account)
    };
    let accounts = runs.iter().map(account).collect();
    let found = ask("", &ScaleQuestion::new("threads"), &runs, &accounts).unwrap();
    for point in &found.points {
        // The fastest repeat of both points takes 100.
        assert!(point.lower_bound.unwrap() <= 100.0, "{point:?}");
    }
    // The bounds of the first run hold for it, though the median of both is above them.
    let places: Vec<_> = found.points.iter().map(|point| point.bound).collect();
    let expected = [WithinBounds::Greedy, WithinBounds::Inflated];
    assert_eq!(places, expected.map(Some));
}

#[test]
fn repeats_with_other_arguments_are_noted() {
    let runs = runs(
        "
        run a threads=1 arguments='100' _elapsed=100 _workers=1
          main work_ns 100
        run b threads=1 arguments='200' _elapsed=200 _workers=1
          main work_ns 200
        run c threads=2 arguments='100' _elapsed=60 _workers=2
          main work_ns 100
    ",
    );
    let notes = |question: &ScaleQuestion| {
        let found = ask("", question, &runs, &BTreeMap::new()).unwrap();
        Note::texts(&found.notes).join("\n")
    };
    let expected = "2 runs that count as repeats have different `arguments`";
    let asked = ScaleQuestion::new("threads");
    assert!(notes(&asked).contains(expected), "{}", notes(&asked));
    let divided = ScaleQuestion {
        series: Some(vec!["arguments".to_owned()]),
        ..asked
    };
    assert!(!notes(&divided).contains(expected), "{}", notes(&divided));
}
