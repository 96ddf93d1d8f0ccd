//! Runs of one program have the same contexts and the same grains, whatever the runtime, the
//! workers and what was folded.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_ingest::Hints;
use sheaf_model::RunTables;

use super::{Recording, tables};
use crate::comparison::Comparison;

/// What is compared between runs.
#[derive(Debug, PartialEq)]
struct Structure {
    program: String,
    definitions: BTreeSet<[u8; 16]>,
    contexts: BTreeSet<[u8; 16]>,
    keys: BTreeSet<i64>,
}

impl Structure {
    fn of(tables: &RunTables) -> Self {
        Self {
            program: tables.summary.meta.program.clone(),
            definitions: tables
                .summary
                .definitions
                .rows()
                .map(|row| row.id)
                .collect(),
            contexts: tables.summary.contexts.rows().map(|row| row.id).collect(),
            keys: tables.grains.path_key.values().iter().collect(),
        }
    }
}

/// Variants of one program and input: the same contexts and grains in full, and a part of them
/// where subgraphs were folded.
const FULL: &[(&str, &[&str])] = &[
    ("fib", &["fib"]),
    ("sort", &["sort", "sort-rep1", "sort-rep2", "sort-rep3"]),
    ("sparselu", &["sparselu"]),
    ("strassen", &["strassen"]),
    ("uts", &["uts"]),
    ("sort", &["sort-c2048"]),
    ("sort", &["sort-c32768"]),
    ("fib", &["tiny-fib"]),
];

/// Folded recordings, and full ones of the same program and input, which hold their grains.
const FOLDED: &[(&str, &str)] = &[
    ("tiny-collapsed", "tiny-fib"),
    ("sort-collapsed", "sort-c2048"),
];

/// Recordings of one program with different inputs, in full or folded: the same definitions.
const INPUTS: &[&[&str]] = &[
    &["fib", "tiny-fib", "fib-collapsed", "tiny-collapsed"],
    &[
        "sort",
        "tiny-sort",
        "sort-c2048",
        "sort-c32768",
        "sort-collapsed",
    ],
    &["sparselu", "mid-sparselu"],
    &["uts", "uts-collapsed"],
];

pub(super) fn compare(comparison: &mut Comparison, recordings: &[Recording]) {
    let mut variants: BTreeMap<&str, Vec<(&str, Structure)>> = BTreeMap::new();
    for recording in recordings {
        let reading = tables::reading(recording, Hints::NONE);
        let structure = Structure::of(&reading.runs[0].tables);
        let variant = recording.name.split('/').next().unwrap();
        let runs = variants.entry(variant).or_default();
        runs.push((recording.name.as_str(), structure));
    }
    for (program, names) in FULL {
        let runs: Vec<_> = names.iter().flat_map(|name| &variants[name]).collect();
        let (_, first) = runs[0];
        comparison.exact("program", first.program.as_str(), *program);
        for (name, run) in &runs {
            comparison.exact(&format!("{name}: structure"), run, first);
        }
    }
    for (folded, full) in FOLDED {
        let (_, full) = &variants[full][0];
        for (name, run) in &variants[folded] {
            let missing = run.keys.difference(&full.keys).count();
            comparison.exact(&format!("{name}: unknown grains"), missing, 0);
            let missing = run.contexts.difference(&full.contexts).count();
            comparison.exact(&format!("{name}: unknown contexts"), missing, 0);
        }
    }
    for names in INPUTS {
        let runs: Vec<_> = names.iter().flat_map(|name| &variants[name]).collect();
        let (_, first) = runs[0];
        for (name, run) in &runs {
            let what = format!("{name}: definitions");
            comparison.exact(&what, &run.definitions, &first.definitions);
        }
    }
}
