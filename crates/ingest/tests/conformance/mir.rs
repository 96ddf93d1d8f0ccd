//! Published task-stats tables: every derived column recomputed, and what becomes of the rows.

use std::collections::HashMap;
use std::path::Path;

use sheaf_ingest::mir::{Table, Tag, derived};
use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::table::GrainKind;
use sheaf_model::{Progress, RunTables};

use crate::comparison::{Comparison, shared};

/// Folder, file, rows, and whether it is raw (nothing derived in it).
const FILES: [(&str, usize); 4] = [
    ("task-stats/fib-45-12.task-stats.merged.csv.gz", 8192),
    ("task-stats/for-loop-32-40-3.task-stats.merged.csv.gz", 385),
    ("example/example.task-stats.processed.csv", 5),
    ("example/example.mir-task-stats.csv", 5),
];

#[test]
fn mir() {
    let Some(folder) = shared().map(|folder| folder.join("grain-graphs")) else {
        return;
    };
    let mut comparison = Comparison::new("mir");
    for (file, rows) in FILES {
        comparison.file();
        let content = std::fs::read(folder.join(file)).unwrap();
        let input = Input::new(file, &content);
        let (table, report) = Table::read(&input, &Progress::silent()).unwrap();
        comparison.exact(&format!("{file}: rows"), table.len(), rows);
        for finding in report.findings {
            comparison.exact(
                &format!("{file}: {}", finding.kind),
                finding.kind.starts_with("read_") && !finding.kind.contains("differing"),
                true,
            );
        }
        let source = Csv::read(&input);
        columns(&mut comparison, file, &table, &source);
        grains(&mut comparison, file, &table, &input);
    }
    raw_gives_processed(&mut comparison, &folder);
    comparison.finish();
}

/// The file as texts, by column.
struct Csv {
    columns: HashMap<String, Vec<String>>,
}

impl Csv {
    fn read(input: &Input<'_>) -> Self {
        let mut reader = csv::Reader::from_reader(input.open(&Progress::silent()).unwrap());
        let names: Vec<String> = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let mut columns: HashMap<String, Vec<String>> = HashMap::new();
        for record in reader.records() {
            for (name, field) in names.iter().zip(&record.unwrap()) {
                columns
                    .entry(name.clone())
                    .or_default()
                    .push(field.to_owned());
            }
        }
        Self { columns }
    }
}

/// Every derived column that the file has, row by row.
fn columns(comparison: &mut Comparison, file: &str, table: &Table, source: &Csv) {
    let work = derived::work_cycles(table);
    let loops = derived::idle_join(table);
    let (leaf, last) = (derived::leaf(table), derived::last_to_finish(table));
    let logical = |value: Option<bool>| value.map_or("NA", |is| if is { "TRUE" } else { "FALSE" });
    for (name, texts) in &source.columns {
        let numbers = derived::numbers(table, &work, name);
        for (row, text) in texts.iter().enumerate() {
            let what = format!("{file}: {name} of row {}", row + 1);
            let text = text.as_str();
            if let Some(numbers) = &numbers {
                number(comparison, &what, numbers.get(row), text);
                continue;
            }
            let ours = match name.as_str() {
                "work_cycles" => work.get(row).map(|work| work.to_string()),
                "leaf" => Some(logical(leaf[row]).to_owned()),
                "last_to_finish" => Some(logical(last[row]).to_owned()),
                "lineage" => derived::lineage(table, row),
                "chunk_lineage" => derived::chunk_lineage(table, &loops, row),
                "parent_tag" => tag(table, derived::parent_tag(table, row)),
                _ => break,
            };
            comparison.exact(&what, ours.as_deref().unwrap_or("NA"), text);
        }
    }
}

fn tag(table: &Table, tag: Tag) -> Option<String> {
    match tag {
        Tag::Pointer(address) => Some(format!("{address:#x}")),
        Tag::Text(_) | Tag::Absent => table.text(tag).map(str::to_owned),
    }
}

fn number(comparison: &mut Comparison, what: &str, ours: Option<f64>, text: &str) {
    match (ours, text) {
        (None, "NA") => comparison.exact(what, "NA", text),
        (Some(ours), _) if text != "NA" => {
            comparison.close(what, ours, text.parse().unwrap(), 1e-12);
        }
        _ => comparison.differs(format!("{what}: ours {ours:?}, reference {text}")),
    }
}

fn run(input: &Input<'_>) -> RunTables {
    let reading = read(&[*input], &Symbols::new(NoModules), &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    reading.runs.into_iter().next().unwrap().tables
}

/// The grains are the rows: parent, wait, times and processor, found by their task number.
fn grains(comparison: &mut Comparison, file: &str, table: &Table, input: &Input<'_>) {
    let tables = run(input);
    let rows: Vec<_> = tables.grains.rows().collect();
    let number_of = super::grain_graphs::integers(&tables, "task");
    let row_of: HashMap<i64, usize> = (0..table.len())
        .map(|row| (table.task.get(row).unwrap(), row))
        .collect();
    comparison.exact(&format!("{file}: grains"), rows.len(), table.len());
    for (at, grain) in rows.iter().enumerate() {
        let task = number_of[&at];
        let row = row_of[&task];
        let what = format!("{file}: task {task}");
        let parent = grain
            .parent
            .map_or(0, |at| number_of[&usize::try_from(at).unwrap()]);
        let core = grain.location.and_then(|at| {
            let at = usize::try_from(at).unwrap();
            tables.summary.locations.rows().nth(at).unwrap().core
        });
        comparison.exact(&what, Some(parent), table.parent.get(row));
        comparison.exact(&what, grain.joined_by, table.joins_at.get(row));
        comparison.exact(&what, Some(grain.index + 1), table.child_number.get(row));
        comparison.exact(&what, grain.end, table.exec_end_instant.get(row));
        comparison.exact(&what, grain.creation, table.creation_cycles.get(row));
        comparison.exact(&what, core.map(i64::from), table.cpu_id.get(row));
        let work = table.exec_cycles.get(row).unwrap() - table.overhead_cycles.get(row).unwrap();
        comparison.exact(&what, grain.work, Some(work));
        comparison.exact(&what, grain.flags, 0);
    }
    let kinds = |kind| {
        rows.iter()
            .filter(|grain| grain.kind == kind as i32)
            .count()
    };
    if file.contains("for-loop") {
        // 96 iteration chunks, 144 book-keeping rows, 144 members of teams, one idle task.
        comparison.exact(file, kinds(GrainKind::Chunk), 96);
        comparison.exact(file, kinds(GrainKind::Implicit), 144);
        comparison.exact(file, kinds(GrainKind::Task), 145);
    } else {
        comparison.exact(file, kinds(GrainKind::Task), table.len());
    }
}

/// The raw table alone gives the same program as the processed one.
fn raw_gives_processed(comparison: &mut Comparison, folder: &Path) {
    let [raw, processed] = ["mir-task-stats", "task-stats.processed"].map(|name| {
        let content = std::fs::read(folder.join(format!("example/example.{name}.csv"))).unwrap();
        run(&Input::new("example.csv", &content))
    });
    let grains = |tables: &RunTables| tables.grains.rows().collect::<Vec<_>>();
    comparison.exact("example: grains", grains(&raw), grains(&processed));
    for name in [
        "parallel_benefit",
        "sibling_work_balance",
        "sibling_scatter",
    ] {
        let [ours, theirs] =
            [&raw, &processed].map(|tables| super::grain_graphs::floats(tables, name));
        comparison.exact(name, ours.len(), theirs.len());
        for (grain, value) in theirs {
            comparison.close(name, ours[&grain], value, 1e-12);
        }
    }
    // Task 5, step by step: (500 - 110) / 3 is 130, and 100 / (30 + 130) is 0.625.
    let numbers = super::grain_graphs::integers(&raw, "task");
    let fifth = numbers.iter().find(|(_, task)| **task == 5).unwrap().0;
    let benefit = super::grain_graphs::floats(&raw, "parallel_benefit");
    comparison.exact("example: benefit of task 5", benefit[fifth], 0.625);
}
