//! Which tables are read for which question.

use sheaf_analysis::LayoutOptions;
use sheaf_model::table::{ContextRow, DefinitionRow, LocationRow, MetricRow, TotalRow, ValueRow};
use sheaf_model::{ContextId, DefinitionId, RunMeta, RunSummary, RunTables};

use super::*;
use crate::ErrorKind;
use crate::cache::Tables;
use crate::runs::RunEntry;
use sheaf_model::Lens;
use std::sync::Arc;

fn location(rank: usize) -> LocationRow {
    LocationRow {
        rank: i32::try_from(rank).unwrap(),
        thread: 0,
        core: None,
        numa_node: None,
    }
}

fn metric(name: &str, kind: &str) -> MetricRow {
    MetricRow {
        name: name.to_owned(),
        unit: "ns".to_owned(),
        kind: kind.to_owned(),
        direction: "higher_is_worse".to_owned(),
        is_integer: true,
        source: None,
        alias: None,
    }
}

/// A function and what it calls, on so many ranks: what adds up, what does not, and a metric that only some
/// ranks of the callee have, whose totals are not kept.
fn run(number: i64, ranks: usize) -> RunSummary {
    let mut meta = RunMeta::new("made", "made");
    meta.name = format!("run-{number}");
    meta.ranks = i64::try_from(ranks).unwrap();
    let mut summary = RunSummary::empty(meta);
    let mut ids = ["main", "solve"].map(|name| (DefinitionId::new("function", name, 0), name));
    ids.sort_unstable();
    let definition = |(id, name): &(DefinitionId, &str)| DefinitionRow {
        id: id.0,
        kind: "function".to_owned(),
        name: (*name).to_owned(),
        function: Some((*name).to_owned()),
        ..DefinitionRow::default()
    };
    summary.definitions = ids.iter().map(definition).collect();
    let root = ContextId::root(ids[0].0);
    let context = |id: ContextId, parent, definition| ContextRow {
        id: id.0,
        parent,
        definition,
        depth: definition,
    };
    let contexts = [
        context(root, None, 0),
        context(root.child(ids[1].0), Some(0), 1),
    ];
    summary.contexts = contexts.into_iter().collect();
    summary.locations = (0..ranks).map(location).collect();
    summary.metrics = [metric("load", "intensive"), metric("work_ns", "additive")]
        .into_iter()
        .collect();
    let mut values: Vec<ValueRow> = Vec::new();
    let mut totals = Vec::new();
    for (context, metric) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let of_rank = |rank: usize| ValueRow {
            context,
            metric,
            location: i32::try_from(rank).unwrap(),
            count: 1,
            sum: Some(
                number * 7 + i64::from(context + metric) + i64::try_from(rank * rank).unwrap(),
            ),
            sum_float: None,
        };
        let first = values.len();
        values.extend((0..ranks).map(of_rank));
        let sums = || values[first..].iter().filter_map(|value| value.sum);
        totals.push(TotalRow {
            context,
            metric,
            count: i64::try_from(ranks).unwrap(),
            sum: Some(sums().sum()),
            min: sums().min(),
            max: sums().max(),
            sum_squares: Some(sums().map(|sum| i128::from(sum) * i128::from(sum)).sum()),
            sum_float: None,
            min_float: None,
            max_float: None,
            sketch_buckets: Vec::new(),
            sketch_counts: Vec::new(),
        });
    }
    summary.values = values.into_iter().collect();
    summary.totals = totals.into_iter().collect();
    summary.validate().unwrap();
    summary
}

fn store(runs: &[RunSummary]) -> (tempfile::TempDir, Ensemble) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create_or_open(folder.path()).unwrap();
    let mut import = store.import().unwrap();
    for run in runs {
        import.add(RunTables::without_grains(run.clone())).unwrap();
    }
    import.publish().unwrap();
    let ensemble = Ensemble::open(folder.path()).unwrap();
    (folder, ensemble)
}

#[test]
fn more_runs_than_are_kept_are_read_again() {
    let (_folder, mut ensemble) = store(&[run(0, 1), run(1, 2), run(2, 3)]);
    ensemble.cache = SummaryCache::of_bytes(1);
    let entries = ensemble.view(&Progress::silent()).unwrap().entries();
    let entries: Vec<&RunEntry> = entries.iter().collect();
    for tables in [Tables::Totals, Tables::Values, Tables::Totals] {
        let summaries = ensemble
            .view(&Progress::silent())
            .unwrap()
            .summaries(&entries, tables)
            .unwrap();
        let names: Vec<&str> = summaries.iter().map(|run| run.meta.name.as_str()).collect();
        assert_eq!(names, ["run-0", "run-1", "run-2"]);
    }
}

/// The run table of many runs is made without their summaries, and has the same rows as tables of few runs.
#[test]
fn the_table_of_many_runs_equals_that_of_few() {
    let runs: Vec<RunSummary> = (0..600).map(|number| run(number, 2)).collect();
    let (_folder, ensemble) = store(&runs);
    let ask = |text: &str| {
        let lens: Lens = text.parse().unwrap();
        ensemble
            .ask(&Progress::silent(), |view| view.runs(&lens))
            .unwrap()
    };
    for text in ["", "over ranks=max", "metric load"] {
        // The second answer comes from the figures that the first one kept.
        for all in [ask(text), ask(text)] {
            assert_eq!(all.runs.len(), 600);
            for row in all.runs.iter().step_by(97) {
                let name = &row.name;
                let alone = ask(format!("{text} | where name = {name}").trim_start_matches(" | "));
                let alone = &alone.runs[0];
                assert_eq!((&alone.run, &alone.params), (&row.run, &row.params));
                assert_eq!(alone.metrics, row.metrics, "{name}");
                assert_eq!(alone.total, row.total, "{name} {text}");
                assert!(row.total.is_some(), "{name}");
            }
            let metrics: Vec<_> = all.metrics.iter().map(|it| (&*it.name, it.runs)).collect();
            let alone = ask("where name = run-7");
            let expected = alone.metrics.iter().map(|it| (&*it.name, 600));
            assert_eq!(metrics, expected.collect::<Vec<_>>());
        }
    }
    let entries = ensemble.view(&Progress::silent()).unwrap().entries();
    let is_kept = |run: &RunEntry| ensemble.cache.get(run.meta.id, Tables::Totals).is_some();
    assert!(entries.iter().filter(|run| is_kept(run)).count() < 10);
}

/// Values by location are read where a question needs them, and nothing else changes with that.
#[test]
fn answers_from_totals_are_those_from_values() {
    let (_folder, ensemble) = store(&[run(1, 3), run(2, 3), run(3, 2)]);
    let kept = || {
        let entries = ensemble.view(&Progress::silent()).unwrap().entries();
        let kept = entries.iter().map(|run| {
            let summary = ensemble.cache.get(run.meta.id, Tables::Totals)?;
            Some(summary.values.sum.len())
        });
        kept.map(|rows| rows.map_or("-".to_owned(), |rows| rows.to_string()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let whole: Vec<Arc<RunSummary>> = {
        let entries = ensemble.view(&Progress::silent()).unwrap().entries();
        let snapshot = ensemble.store.snapshot().unwrap();
        let ids: Vec<RunId> = entries.iter().map(|run| run.meta.id).collect();
        let summaries = snapshot.summaries(&ids).unwrap();
        summaries.into_iter().map(Arc::new).collect()
    };
    let (layout, progress) = (LayoutOptions::default(), Progress::silent());
    let check = |text: &str, expected: &str| {
        let lens: Lens = text.parse().unwrap();
        let told = ensemble
            .view(&Progress::silent())
            .unwrap()
            .sankey(&lens, &layout)
            .unwrap();
        let known = sheaf_analysis::sankey(&lens, &whole, &layout, &progress).unwrap();
        assert_eq!(format!("{told:?}"), format!("{known:?}"), "{text}");
        assert_eq!(kept(), expected, "{text}");
    };
    assert_eq!(kept(), "- - -");
    check("", "0 0 0");
    check("over ranks=sum", "0 0 0");
    check("over ranks=max", "12 12 8");
    // What is there is not read again.
    check("over ranks=mean", "12 12 8");
    check("over ranks=median", "12 12 8");
    for text in ["metric all", "metric load", "over ranks=max", ""] {
        let lens: Lens = text.parse().unwrap();
        let told = ensemble
            .view(&Progress::silent())
            .unwrap()
            .stats(&lens)
            .unwrap();
        let known = sheaf_analysis::stats(&lens, &whole, &progress).unwrap();
        assert_eq!(format!("{told:?}"), format!("{known:?}"), "{text}");
    }
}

/// A metric that is in no totals is read from values, whichever it is.
#[test]
fn metrics_without_totals_are_read_from_values() {
    let mut without = run(1, 3);
    without.totals = without
        .totals
        .rows()
        .filter(|row| row.metric == 0)
        .collect();
    let whole = [without, run(2, 3)];
    let (_folder, ensemble) = store(&whole);
    let (lens, layout, progress) = (
        Lens::default(),
        LayoutOptions::default(),
        Progress::silent(),
    );
    let told = ensemble
        .view(&Progress::silent())
        .unwrap()
        .sankey(&lens, &layout)
        .unwrap();
    let whole = whole.map(Arc::new);
    let known = sheaf_analysis::sankey(&lens, &whole, &layout, &progress).unwrap();
    // Ids are made on import.
    assert_eq!(format!("{:?}", told.nodes), format!("{:?}", known.nodes));
    let all = told.nodes.iter().flat_map(|node| &node.inclusive_by_run);
    assert!(all.clone().count() > 0 && all.clone().all(Option::is_some));
}

/// While runs are removed, added and compacted, every answer is one that some moment of the store explains.
#[test]
fn one_question_sees_one_moment_of_the_store() {
    const ROUNDS: usize = 60;
    let (a, b) = (run(1, 2), run(2, 2));
    let (_folder, ensemble) = store(&[a, b.clone()]);
    let silent = Progress::silent();
    let store = ensemble.store.clone();
    let others = || {
        for round in 0..ROUNDS {
            ensemble.remove(&["run-2".to_owned()]).unwrap();
            if round % 2 == 0 {
                store.compact(&silent).unwrap();
            }
            let mut import = store.import().unwrap();
            import.add(RunTables::without_grains(b.clone())).unwrap();
            import.publish().unwrap();
            if round % 3 == 0 {
                store.compact(&silent).unwrap();
            }
        }
    };
    let lens = Lens::default();
    let diff: Lens = "diff \"name = 'run-1'\" to \"name != 'run-3'\""
        .parse()
        .unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let ask = || {
        let mut asked = 0;
        while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
            // Nothing that was read before answers this question.
            let fresh = Ensemble::open(store.path()).unwrap();
            for ensemble in [&ensemble, &fresh] {
                let told = ensemble.ask(&silent, |view| view.stats(&lens)).unwrap();
                let runs: Vec<u64> = told.rows.iter().map(|row| row.runs).collect();
                assert!([vec![1, 1], vec![2, 2]].contains(&runs), "{runs:?}");
                let runs = ensemble.ask(&silent, |view| view.runs(&lens)).unwrap();
                assert!([1, 2].contains(&runs.runs.len()));
                let layout = LayoutOptions::default();
                let told = ensemble.ask(&silent, |view| view.sankey(&lens, &layout));
                assert!([1, 2].contains(&told.unwrap().runs.len()));
                let told = ensemble.ask(&silent, |view| view.diff(&diff)).unwrap();
                assert!([1, 2].contains(&told.b.runs.len()));
                asked += 1;
            }
        }
        asked
    };
    std::thread::scope(|scope| {
        let asking = [scope.spawn(ask), scope.spawn(ask)];
        let changed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(others));
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        changed.unwrap();
        for asked in asking {
            assert!(asked.join().unwrap() > 0);
        }
    });
}

#[test]
fn a_question_past_its_deadline_names_it() {
    let (_folder, ensemble) = store(&[run(1, 2)]);
    let late = Progress::silent().with_deadline(std::time::Duration::ZERO);
    let lens = Lens::default();
    let error = ensemble.ask(&late, |view| view.stats(&lens)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Deadline);
    assert!(error.to_string().contains("deadline of 0 s"), "{error}");
    let stopped = Progress::silent();
    stopped.cancel();
    let error = ensemble
        .ask(&stopped, |view| view.stats(&lens))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

#[test]
fn similar_refuses_what_needs_more_memory_than_it_may_take() {
    let (_folder, ensemble) = store(&[run(1, 2), run(2, 2)]);
    let question = crate::SimilarQuestion {
        most_bytes: 255,
        ..crate::SimilarQuestion::new(sheaf_answers::Measure::Work)
    };
    let view = ensemble.view(&Progress::silent()).unwrap();
    let error = view.similar(&question).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!(error.hint(), Some(crate::Hint::RaiseMemory));
    let question = crate::SimilarQuestion {
        most_bytes: 256,
        ..question
    };
    assert!(view.similar(&question).is_ok());
}
