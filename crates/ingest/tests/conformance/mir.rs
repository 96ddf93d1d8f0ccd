//! Published task-stats tables: what becomes of the rows. `tests/grains/` compares the metrics.

use std::collections::HashMap;
use std::path::Path;

use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::table::GrainKind;
use sheaf_model::{Progress, Report, RunTables};

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
        let (tables, report) = run(&input);
        comparison.exact(&format!("{file}: rows"), tables.grains.len(), rows);
        for finding in report.findings {
            let is_reading = finding.kind.starts_with("read_");
            comparison.exact(&format!("{file}: {}", finding.kind), is_reading, true);
        }
        grains(&mut comparison, file, &tables, &Csv::read(&input));
    }
    raw_gives_processed(&mut comparison, &folder);
    comparison.finish();
}

/// Columns that the tools of the profiler derive, and that the runs keep as they are stated.
const STATED: [&str; 9] = [
    "parallel_benefit",
    "sibling_work_balance",
    "sibling_scatter",
    "mem_hier_util",
    "chunk_work_balance",
    "chunk_work_cpu_balance",
    "sync_cycles_per_child",
    "num_siblings",
    "work_deviation",
];

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

    /// A column of integers; absent where a text is none.
    fn integers(&self, name: &str) -> Vec<Option<i64>> {
        let texts = self.columns[name].iter();
        texts.map(|text| text.parse().ok()).collect()
    }
}

fn run(input: &Input<'_>) -> (RunTables, Report) {
    let reading = read(&[*input], &Symbols::new(NoModules), &Progress::silent()).unwrap();
    assert!(reading.refused.is_empty(), "{:?}", reading.refused);
    let run = reading.runs.into_iter().next().unwrap();
    (run.tables, run.report)
}

/// The grains are the rows: parent, wait, times, processor and stated numbers, found by their task
/// number.
fn grains(comparison: &mut Comparison, file: &str, tables: &RunTables, source: &Csv) {
    let rows: Vec<_> = tables.grains.rows().collect();
    let number_of = super::grain_graphs::integers(tables, "task");
    let tasks = source.integers("task");
    let row_of: HashMap<i64, usize> = (0..)
        .zip(&tasks)
        .map(|(row, task)| (task.unwrap(), row))
        .collect();
    let column = |name: &str| source.integers(name);
    let [parents, joins, places, ends] =
        ["parent", "joins_at", "child_number", "exec_end_instant"].map(column);
    let [creations, cpus, executions, overheads] = [
        "creation_cycles",
        "cpu_id",
        "exec_cycles",
        "overhead_cycles",
    ]
    .map(column);
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
        comparison.exact(&what, Some(parent), parents[row]);
        comparison.exact(&what, grain.joined_by, joins[row]);
        comparison.exact(&what, Some(grain.index + 1), places[row]);
        comparison.exact(&what, grain.end, ends[row]);
        comparison.exact(&what, grain.creation, creations[row]);
        comparison.exact(&what, core.map(i64::from), cpus[row]);
        let work = executions[row].unwrap() - overheads[row].unwrap();
        comparison.exact(&what, grain.work, Some(work));
        comparison.exact(&what, grain.flags, 0);
    }
    for name in STATED {
        let Some(texts) = source.columns.get(name) else {
            continue;
        };
        let ours = super::grain_graphs::floats(tables, name);
        for at in 0..rows.len() {
            let what = format!("{file}: {name} of task {}", number_of[&at]);
            let text = texts[row_of[&number_of[&at]]].as_str();
            match (ours.get(&at), text.parse::<f64>()) {
                (Some(&ours), Ok(reference)) => comparison.close(&what, ours, reference, 1e-12),
                (ours, _) => comparison.exact(&what, ours.is_none(), text == "NA"),
            }
        }
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
        comparison.exact(file, kinds(GrainKind::Task), rows.len());
    }
}

/// The raw table alone gives the same program as the processed one.
fn raw_gives_processed(comparison: &mut Comparison, folder: &Path) {
    let [raw, processed] = ["mir-task-stats", "task-stats.processed"].map(|name| {
        let content = std::fs::read(folder.join(format!("example/example.{name}.csv"))).unwrap();
        run(&Input::new("example.csv", &content)).0
    });
    let grains = |tables: &RunTables| tables.grains.rows().collect::<Vec<_>>();
    comparison.exact("example: grains", grains(&raw), grains(&processed));
}
