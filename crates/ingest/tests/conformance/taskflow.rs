//! Taskflow: the profiles of one program in both forms, and its static graph.
//!
//! The reference values were computed from the files by a script of their own: segments by
//! Python's `json` and `struct`, own work by giving each microsecond of a worker to the deepest
//! segment around it, edges by regular expressions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sheaf_ingest::{Hints, Input, NoModules, Run, Symbols, read};
use sheaf_model::Progress;

use crate::comparison::{Comparison, shared};

struct Reference {
    file: &'static str,
    /// Microseconds in all, nested ones counted again.
    spans: i64,
    /// Microseconds of own work.
    work: i64,
    /// End of the last segment.
    end: i64,
    /// Own work of every `fib` of the subflow, by argument from 4.
    fib: [i64; 8],
}

const REFERENCES: [Reference; 2] = [
    Reference {
        file: "tf390_w2.json",
        spans: 3184,
        work: 994,
        end: 4571,
        fib: [124, 356, 8, 4, 2, 1, 1, 5],
    },
    Reference {
        file: "tf4_w2.tfp",
        spans: 1335,
        work: 666,
        end: 1027,
        fib: [34, 109, 2, 2, 6, 0, 1, 4],
    },
];

const LEVELS: [(i64, i64); 7] = [(0, 57), (1, 2), (2, 4), (3, 8), (4, 14), (5, 10), (6, 2)];

#[test]
fn taskflow() {
    let Some(folder) = shared() else { return };
    let folder = folder.join("taskflow");
    let mut comparison = Comparison::new("taskflow");
    let mut shapes = Vec::new();
    for reference in &REFERENCES {
        let Some(run) = read_file(&folder, reference.file, &mut comparison) else {
            continue;
        };
        compare(&run, reference, &mut comparison);
        shapes.push(shape(&run));
    }
    if let [json, binary] = shapes.as_slice() {
        comparison.exact("names, kinds and levels of both forms", json, binary);
    }
    comparison.finish();
}

fn read_file(folder: &Path, file: &str, comparison: &mut Comparison) -> Option<Run> {
    let bytes = fs::read(folder.join(file)).unwrap();
    let hints = Hints {
        task_graph: Some(fs::read_to_string(folder.join("wavefront.dot")).unwrap()),
        ..Hints::default()
    };
    let mut input = Input::new(file, &bytes);
    input.hints = &hints;
    let reading = read(&[input], &Symbols::new(NoModules), &Progress::silent()).unwrap();
    comparison.file();
    for (_, error) in &reading.refused {
        comparison.differs(format!("{file}: {error}"));
    }
    reading.runs.into_iter().next()
}

fn compare(run: &Run, reference: &Reference, comparison: &mut Comparison) {
    let tables = &run.tables;
    let meta = &tables.summary.meta;
    let what = |value: &str| format!("{}: {value}", reference.file);
    comparison.exact(&what("segments"), tables.grains.len(), 97);
    comparison.exact(&what("workers"), meta.workers, Some(2));
    comparison.exact(&what("complete"), meta.is_complete, true);
    comparison.exact(&what("end"), meta.elapsed, Some(reference.end * 1000));
    for (kind, count) in [
        ("static", 43),
        ("subflow", 41),
        ("async", 8),
        ("condition", 5),
    ] {
        let found = meta.params.get(&format!("{kind}_tasks"));
        let found = found.map(ToString::to_string);
        comparison.exact(&what(kind), found, Some(count.to_string()));
    }
    let rows: Vec<_> = tables.grains.rows().collect();
    let spans: i64 = rows
        .iter()
        .map(|row| row.end.unwrap() - row.start.unwrap())
        .sum();
    comparison.exact(&what("durations"), spans, reference.spans * 1000);
    let work: i64 = rows.iter().map(|row| row.work.unwrap()).sum();
    comparison.exact(&what("work"), work, reference.work * 1000);
    let mut threads = [0, 0];
    for row in &rows {
        threads[row.location.unwrap() as usize] += 1;
    }
    comparison.exact(&what("segments per worker"), threads, [12, 85]);
    let mut levels: BTreeMap<i64, i64> = BTreeMap::new();
    for row in tables.counters.rows() {
        *levels.entry(row.value.unwrap()).or_default() += 1;
    }
    let levels: Vec<_> = levels.into_iter().collect();
    comparison.exact(&what("levels"), levels.as_slice(), &LEVELS);
    let own = work_by_name(run);
    for (argument, expected) in (4..).zip(reference.fib) {
        let name = format!("fib({argument})");
        comparison.exact(&what(&name), own.get(&name).copied(), Some(expected * 1000));
    }
    comparison.exact(&what("edges"), tables.dependences.len(), 60);
    comparison.exact(
        &what("edges reported"),
        run.report.count("read_dependences"),
        60,
    );
    let (fragments, overlaps) = fragments(run);
    comparison.exact(&what("sum of fragments"), fragments, reference.work * 1000);
    comparison.exact(&what("overlapping fragments"), overlaps, 0);
}

fn names(run: &Run) -> Vec<(String, String)> {
    let summary = &run.tables.summary;
    let definitions: Vec<_> = summary.definitions.rows().collect();
    let contexts: Vec<_> = summary.contexts.rows().collect();
    let grains = run.tables.grains.rows();
    grains
        .map(|row| {
            let definition = contexts[row.context as usize].definition;
            let definition = &definitions[definition as usize];
            (definition.name.clone(), definition.module.clone().unwrap())
        })
        .collect()
}

fn work_by_name(run: &Run) -> BTreeMap<String, i64> {
    let mut own: BTreeMap<String, i64> = BTreeMap::new();
    for ((name, _), row) in names(run).into_iter().zip(run.tables.grains.rows()) {
        *own.entry(name).or_default() += row.work.unwrap();
    }
    own
}

/// What does not depend on the schedule of a run: names and kinds, how often; and which level.
fn shape(run: &Run) -> BTreeMap<(String, String), usize> {
    let mut shape = BTreeMap::new();
    for key in names(run) {
        *shape.entry(key).or_default() += 1;
    }
    shape
}

/// Sum of all fragments, and how many begin before the last on their worker ended.
fn fragments(run: &Run) -> (i64, usize) {
    let mut rows: Vec<_> = run.tables.fragments.rows().collect();
    rows.sort_by_key(|row| (row.location, row.start, row.duration));
    let overlaps = rows.windows(2).filter(|pair| {
        pair[0].location == pair[1].location && pair[0].start + pair[0].duration > pair[1].start
    });
    (rows.iter().map(|row| row.duration).sum(), overlaps.count())
}
