//! What goes in comes out.

use std::sync::Arc;

use proptest::prelude::*;
use sheaf_model::RunTables;
use sheaf_model::table::TotalRow;

use super::{Fixture, assert_holds, files, ids, import, run};
use crate::synthetic::{arbitrary, programs};
use crate::{Added, Store};

fn check(store: &Store, runs: &[RunTables]) {
    let mut importer = store.import().unwrap();
    for run in runs {
        importer.add(run.clone()).unwrap();
    }
    importer.publish().unwrap();
    let snapshot = store.snapshot().unwrap();
    let mut asked = Vec::new();
    for run in runs {
        let id = run.content_id();
        let mut meta = run.summary.meta.clone();
        Arc::make_mut(&mut meta).id = id;
        asked.push(id);
        let read = snapshot.tables(id).unwrap();
        assert_eq!(read.summary.meta, meta);
        assert_eq!(read.content_id(), id, "the content differs");
        assert_eq!(snapshot.run(id).unwrap().meta, meta);
        assert_eq!(
            snapshot.run(id).unwrap().rows("grains"),
            run.grains.len() as u64
        );
        let alone = RunTables {
            summary: snapshot.summary(id).unwrap(),
            grains: snapshot.grains(id).unwrap(),
            fragments: snapshot.fragments(id).unwrap(),
            waits: snapshot.waits(id).unwrap(),
            dependences: snapshot.dependences(id).unwrap(),
            counters: snapshot.counters(id).unwrap(),
        };
        assert_eq!(alone.content_id(), id, "a table read alone differs");
        let mut parts = snapshot.summary_without_totals(id).unwrap();
        assert!(parts.totals.is_empty());
        parts.totals = alone.summary.totals.clone();
        let parts = RunTables {
            summary: parts,
            ..alone
        };
        assert_eq!(parts.content_id(), id, "a summary without totals differs");
    }
    asked.reverse();
    for (id, summary) in asked.iter().zip(snapshot.summaries(&asked).unwrap()) {
        let mut together = snapshot.tables(*id).unwrap();
        together.summary = summary;
        assert_eq!(
            together.content_id(),
            *id,
            "a summary read with others differs"
        );
    }
}

/// Lists are read in batches of 65,536 rows.
#[test]
fn lists_of_more_rows_than_a_batch_come_back() {
    let mut run = programs::profile(9, 3_500, 22);
    let totals = run.summary.totals.rows().zip(1..);
    run.summary.totals = totals
        .map(|(row, number)| {
            let observations: Vec<i64> = (0..number % 5).map(|at| number * at).collect();
            TotalRow::of_integers(row.context, row.metric, &observations)
        })
        .collect();
    assert_eq!(run.summary.totals.len(), 77_000);
    check(&Fixture::new().store, &[run]);
}

#[test]
fn absent_columns_take_no_memory_for_numbers() {
    let fixture = Fixture::new();
    let run = programs::loops(3, 10_000);
    check(&fixture.store, std::slice::from_ref(&run));
    let snapshot = fixture.store.snapshot().unwrap();
    let grains = snapshot.grains(run.content_id()).unwrap();
    assert_eq!(grains.created.null_count(), 10_000);
    assert!(grains.created.bytes() < 1_000 && grains.start.bytes() > 10_000);
}

/// Parts of large tables are made as they are written.
#[test]
fn grains_of_more_rows_than_a_batch_come_back() {
    let run = programs::loops(3, 150_000);
    assert!(run.grains.len() > 1 << 17);
    check(&Fixture::new().store, &[run]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn arbitrary_runs_come_back(seeds in prop::collection::btree_set(any::<u64>(), 1..6), rows in 0_usize..60) {
        let fixture = Fixture::new();
        let runs: Vec<_> = seeds
            .into_iter()
            .map(|seed| {
                let mut run = arbitrary::run(seed, rows);
                run.summary.meta_mut().program = format!("{seed}");
                run
            })
            .collect();
        check(&fixture.store, &runs);
    }
}

#[test]
fn runs_of_all_sizes_come_back() {
    let fixture = Fixture::new();
    let runs = vec![
        programs::recursion(1, 16),
        programs::recursion(2, 21),
        programs::loops(3, 300_000),
        programs::profile(4, 74, 22),
        programs::profile(5, 500, 22),
        run(6),
    ];
    check(&fixture.store, &runs);
    let snapshot = fixture.store.snapshot().unwrap();
    let large = snapshot.run(runs[2].content_id()).unwrap();
    assert_eq!(large.rows("fragments"), 300_000);
    assert_eq!(large.rows("no table"), 0);
}

#[test]
fn grains_of_some_contexts_are_read_alone() {
    let fixture = Fixture::new();
    let recursion = programs::recursion(1, 21);
    check(&fixture.store, std::slice::from_ref(&recursion));
    let snapshot = fixture.store.snapshot().unwrap();
    let id = recursion.content_id();
    let (first, grains) = snapshot.grains_in(id, 3..5).unwrap();
    assert_eq!((first, grains.len()), (7, 8 + 16));
    let expected: Vec<_> = recursion.grains.rows().skip(7).take(24).collect();
    assert_eq!(grains.rows().collect::<Vec<_>>(), expected);
    assert_eq!(snapshot.grains_in(id, 90..95).unwrap().1.len(), 0);
}

#[test]
fn columns_are_read_alone() {
    let fixture = Fixture::new();
    let recursion = programs::recursion(1, 12);
    check(&fixture.store, std::slice::from_ref(&recursion));
    let snapshot = fixture.store.snapshot().unwrap();
    let id = recursion.content_id();
    let batch = snapshot
        .columns(id, "grains", &["work", "context", "none"], Some(2..5))
        .unwrap();
    let names: Vec<_> = batch
        .schema()
        .fields()
        .iter()
        .map(|f| f.name().clone())
        .collect();
    assert_eq!(
        (names.join(" ").as_str(), batch.num_rows()),
        ("context work", 3)
    );
    let error = snapshot.columns(id, "nothing", &[], None).unwrap_err();
    assert_eq!(error.to_string(), "there is no table `nothing`");
}

#[test]
fn sizes_add_up() {
    let fixture = Fixture::with(0..5);
    let recursion = programs::recursion(1, 20);
    check(&fixture.store, std::slice::from_ref(&recursion));
    let snapshot = fixture.store.snapshot().unwrap();
    let sizes = snapshot.table_sizes(recursion.content_id()).unwrap();
    assert_eq!(sizes.len(), 11);
    for size in sizes {
        assert_eq!(size.bytes > 0, size.rows > 0, "{}", size.name);
    }
}

#[test]
fn importing_again_changes_nothing() {
    let fixture = Fixture::with(0..4);
    let before = files(fixture.store.path());
    for added in import(&fixture.store, 0..4) {
        assert!(matches!(added, Added::Present(_)), "{added:?}");
    }
    assert_eq!(files(fixture.store.path()), before);
}

#[test]
fn a_dropped_import_leaves_nothing() {
    let fixture = Fixture::with(0..2);
    let before = files(fixture.store.path());
    let mut importer = fixture.store.import().unwrap();
    importer.add(run(7)).unwrap();
    importer.add(programs::recursion(1, 12)).unwrap();
    drop(importer);
    assert_eq!(files(fixture.store.path()), before);
    assert_holds(&fixture.store, 0..2);
}

#[test]
fn an_import_is_invisible_until_published() {
    let fixture = Fixture::new();
    let mut importer = fixture.store.import().unwrap();
    let Added::New(id) = importer.add(run(1)).unwrap() else {
        panic!("the run is new");
    };
    assert!(importer.has(id));
    assert_eq!(importer.add(run(1)).unwrap(), Added::Present(id));
    assert_eq!(ids(&fixture.store), []);
    let published = importer.publish().unwrap();
    assert_eq!((published.runs, published.segments.len()), (vec![id], 1));
    assert_eq!(ids(&fixture.store), [id]);
}

#[test]
fn a_large_import_rolls_over() {
    let fixture = Fixture::new();
    let mut importer = fixture.store.import().unwrap();
    let runs: Vec<_> = (0..5).map(|seed| programs::loops(seed, 120_000)).collect();
    for run in &runs {
        importer.add(run.clone()).unwrap();
    }
    // The same run with an earlier name, after its tables were written.
    let mut renamed = runs[0].clone();
    renamed.summary.meta_mut().name = "a".to_owned();
    importer.add(renamed).unwrap();
    let published = importer.publish().unwrap();
    assert!(published.segments.len() > 1, "{published:?}");
    let snapshot = fixture.store.snapshot().unwrap();
    assert_eq!(snapshot.run(runs[0].content_id()).unwrap().meta.name, "a");
    for run in runs {
        let id = run.content_id();
        assert_eq!(snapshot.tables(id).unwrap().content_id(), id);
    }
}
