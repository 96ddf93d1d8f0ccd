//! Ensembles of extreme shape: depth and width that recursion or quadratic time would not stand.

use std::sync::Arc;

use sheaf_model::table::{
    ContextRow, Contexts, DefinitionRow, Definitions, LocationRow, Locations, MetricRow, Metrics,
    TotalRow, Totals, ValueRow, Values,
};
use sheaf_model::{ContextId, DefinitionId, Lens, Progress, RunMeta, RunSummary};

use crate::{
    DistributionMode, DistributionQuestion, LayoutOptions, distribution, hierarchy, sankey, stats,
};

const SIZE: usize = 1_000_000;

/// A run whose context `row` has work 1, definition `definition(row)` and parent `parent(row)`.
fn run(
    definitions: usize,
    definition: impl Fn(usize) -> usize,
    parent: impl Fn(usize) -> Option<usize>,
) -> Arc<RunSummary> {
    let mut summary = RunSummary::empty(RunMeta::new("shape", "test"));
    let ids: Vec<DefinitionId> = (0..definitions)
        .map(|at| DefinitionId((at as u128).to_be_bytes()))
        .collect();
    let definition_row = |(at, id): (usize, &DefinitionId)| DefinitionRow {
        id: id.0,
        kind: "function".into(),
        name: format!("f{at}"),
        ..DefinitionRow::default()
    };
    summary.definitions = ids
        .iter()
        .enumerate()
        .map(definition_row)
        .collect::<Definitions>();
    // Distinct and stable, without a million hashes.
    let context_row = |row: usize| ContextRow {
        id: ContextId((row as u128 + 1).to_be_bytes()).0,
        parent: parent(row).map(|parent| i32::try_from(parent).unwrap()),
        definition: i32::try_from(definition(row)).unwrap(),
        depth: 0,
    };
    summary.contexts = (0..SIZE).map(context_row).collect::<Contexts>();
    let location = LocationRow {
        rank: 0,
        thread: 0,
        core: None,
        numa_node: None,
    };
    summary.locations = std::iter::once(location).collect::<Locations>();
    let metric = MetricRow {
        name: "work_ns".into(),
        unit: "ns".into(),
        kind: "additive".into(),
        direction: "higher_is_worse".into(),
        is_integer: true,
        source: None,
        alias: None,
    };
    summary.metrics = std::iter::once(metric).collect::<Metrics>();
    let rows = || (0..i32::try_from(SIZE).unwrap()).zip(std::iter::repeat(0));
    let value = |(context, metric)| ValueRow {
        context,
        metric,
        location: 0,
        count: 1,
        sum: Some(1),
        sum_float: None,
    };
    summary.values = rows().map(value).collect::<Values>();
    let total = |(context, metric)| TotalRow {
        context,
        metric,
        count: 1,
        sum: Some(1),
        min: Some(1),
        max: Some(1),
        sum_squares: Some(1),
        sum_float: None,
        min_float: None,
        max_float: None,
        sketch_buckets: Vec::new(),
        sketch_counts: Vec::new(),
    };
    summary.totals = rows().map(total).collect::<Totals>();
    Arc::new(summary)
}

/// Asks every question but those that list every context with its path.
fn check(run: &Arc<RunSummary>, levels: &[&str]) {
    let runs = [run.clone()];
    let progress = Progress::silent();
    for level in levels {
        let lens: Lens = format!("level {level}").parse().unwrap();
        let answer = sankey(&lens, &runs, &LayoutOptions::default(), &progress).unwrap();
        let root = answer.nodes.iter().find(|node| node.level == 0).unwrap();
        assert_eq!(root.inclusive_by_run, [Some(SIZE as f64)]);
        let tree = hierarchy(&lens, &root.id, &runs, &progress).unwrap();
        // At level module, what is entered again is a group of its own.
        let sites = tree.sites.len() + usize::try_from(tree.omitted).unwrap();
        assert_eq!(sites, if *level == "module" { 1 } else { SIZE });
        let question = DistributionQuestion::new(root.id.clone(), DistributionMode::Ranks);
        let answer = distribution(&lens, &question, &runs, &progress).unwrap();
        assert_eq!(answer.values, [SIZE as f64]);
    }
    let table = stats(&Lens::default(), &runs, &progress).unwrap();
    assert_eq!(table.rows[0].mean, Some(SIZE as f64));
}

#[test]
fn a_chain_of_a_million_contexts() {
    // Two definitions that call each other all the way down.
    let chain = run(2, |row| row % 2, |row| row.checked_sub(1));
    check(&chain, &["definition", "module"]);
}

#[test]
fn a_context_with_a_million_callees() {
    let fan = run(SIZE, |row| row, |row| (row > 0).then_some(0));
    check(&fan, &["definition"]);
}
