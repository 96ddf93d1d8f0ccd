//! Chrome traces: what Taskflow's observer writes.
//!
//! The reference values were computed by a script of its own with Python's `json`: number of
//! events, sum of durations, first and last time, names.

use std::collections::BTreeMap;
use std::fs;

use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::Progress;

use crate::comparison::{Comparison, shared};

#[test]
fn chrome() {
    let Some(folder) = shared() else { return };
    let mut comparison = Comparison::new("chrome");
    let bytes = fs::read(folder.join("taskflow/chrome_w2.json")).unwrap();
    let inputs = [Input::new("chrome_w2.json", &bytes)];
    let reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    comparison.file();
    let run = &reading.runs[0];
    let tables = &run.tables;
    let rows: Vec<_> = tables.grains.rows().collect();
    comparison.exact("events", rows.len(), 95);
    let durations: i64 = rows
        .iter()
        .map(|row| row.end.unwrap() - row.start.unwrap())
        .sum();
    comparison.exact("durations", durations, 2_948_000);
    comparison.exact("elapsed", tables.summary.meta.elapsed, Some(1_287_000));
    comparison.exact(
        "first",
        rows.iter().filter_map(|row| row.start).min(),
        Some(0),
    );
    comparison.exact("workers", tables.summary.meta.workers, Some(1));
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let contexts: Vec<_> = tables.summary.contexts.rows().collect();
    let definitions: Vec<_> = tables.summary.definitions.rows().collect();
    for row in &rows {
        let definition = contexts[row.context as usize].definition;
        let name = definitions[definition as usize].name.clone();
        *names.entry(name).or_default() += 1;
    }
    comparison.exact("names", names.len(), 54);
    for (name, count) in COUNTS {
        comparison.exact(name, names.get(name).copied(), Some(count));
    }
    let work: i64 = rows.iter().filter_map(|row| row.work).sum();
    comparison.exact("own work", work, WORK);
    let rule = tables.summary.meta.params["parentage"].to_string();
    comparison.exact("parentage", rule.as_str(), "none");
    comparison.finish();
}

/// Nanoseconds in which any event ran: the union of all intervals, there being one thread.
const WORK: i64 = 872_000;

/// How often some names occur.
const COUNTS: [(&str, usize); 6] = [
    ("blk_0_0", 1),
    ("fib(4)", 8),
    ("fib(5)", 13),
    ("fib(11)", 1),
    ("body", 5),
    ("init", 1),
];
