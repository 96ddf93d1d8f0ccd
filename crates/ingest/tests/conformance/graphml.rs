//! Grain graphs: counts and structure against what the original tools say of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use sheaf_ingest::{Input, NoModules, Run, Symbols, read};
use sheaf_model::Progress;
use sheaf_model::table::GrainRow;

use crate::comparison::{Comparison, shared};
use crate::grain_graphs::{floats, integers};

#[test]
fn graphml() {
    let Some(folder) = shared().map(|folder| folder.join("grain-graphs")) else {
        return;
    };
    let mut comparison = Comparison::new("graphml");
    let mut reader = Files {
        folder: &folder,
        comparison: &mut comparison,
    };
    reader.profiles();
    reader.example();
    reader.synthetic();
    comparison.finish();
}

struct Files<'a> {
    folder: &'a Path,
    comparison: &'a mut Comparison,
}

impl Files<'_> {
    fn read(&mut self, file: &str) -> Run {
        let content = std::fs::read(self.folder.join(file)).unwrap();
        let input = Input::new(file, &content);
        let reading = read(&[input], &Symbols::new(NoModules), &Progress::silent()).unwrap();
        assert!(reading.refused.is_empty(), "{file}: {:?}", reading.refused);
        let run = reading.runs.into_iter().next().unwrap();
        for finding in &run.report.findings {
            let is_count = finding.kind.starts_with("read_") && !finding.kind.contains("differing");
            self.comparison
                .exact(&format!("{file}: {finding:?}"), is_count, true);
        }
        run
    }

    /// A graph with its numbers of nodes, edges, tasks, forks, joins and fragments.
    fn graph(&mut self, file: &str, expected: [u64; 6]) -> Run {
        self.comparison.file();
        let run = self.read(file);
        let kinds = ["nodes", "edges", "tasks", "forks", "joins", "fragments"];
        for (kind, expected) in kinds.iter().zip(expected) {
            let found = run.report.count(&format!("read_{kind}"));
            self.comparison
                .exact(&format!("{file}: {kind}"), found, expected);
        }
        let grains = run.tables.grains.rows().count() as u64;
        self.comparison
            .exact(&format!("{file}: grains"), grains, expected[2]);
        // Forks of reduced graphs are the sets of siblings, so they follow from the grains.
        if expected[5] == 0 {
            let sets: BTreeSet<_> = run
                .tables
                .grains
                .rows()
                .map(|grain| (grain.parent, grain.joined_by))
                .collect();
            self.comparison
                .exact(&format!("{file}: sets"), sets.len() as u64, expected[3]);
        }
        run
    }

    /// Graphs of published profiles are the same programs as their tables: every grain with its
    /// path, parent, wait, place, processor, times and iterations.
    fn profiles(&mut self) {
        // From the `.info` files beside the graphs.
        let fib = [16388, 20482, 8192, 4097, 4097, 0];
        let for_loop = [683, 919, 385, 148, 148, 0];
        for (name, problem, expected, forks) in [
            ("fib-45-12", "parallel_benefit", fib, [2.0, 4095.0]),
            (
                "for-loop-32-40-3",
                "sibling_work_balance",
                for_loop,
                [49.0, 96.0],
            ),
        ] {
            let table = self.read(&format!("task-stats/{name}.task-stats.merged.csv.gz"));
            let reduced = self.graph(&format!("graphml/{name}.reduced.graphml.gz"), expected);
            let diagnosed = format!("graphml/{name}.{problem}-problem.graphml.gz");
            let diagnosed = self.graph(&diagnosed, expected);
            for graph in [&reduced, &diagnosed] {
                self.same_grains(name, &table, graph);
            }
            let flags = floats(&diagnosed.tables, "problematic");
            let num_problems = flags.values().filter(|&&flag| flag > 0.0).count();
            let of_problem = self.problems(name, problem);
            self.comparison
                .exact(&format!("{name}: problems"), num_problems, of_problem);
            let counts = fork_degrees(&reduced);
            for (degree, expected) in [1, 2].iter().zip(forks) {
                let found = counts.get(degree).copied().unwrap_or(0) as f64;
                self.comparison
                    .exact(&format!("{name}: forks of {degree}"), found, expected);
            }
        }
    }

    /// Number of grains that the diagnosis found to have a problem.
    fn problems(&self, name: &str, problem: &str) -> usize {
        let path = self.folder.join(format!("oracle/{name}.diagnosis.info"));
        let text = std::fs::read_to_string(path).unwrap();
        let line = text
            .lines()
            .find(|line| line.contains(&format!("& {problem} ")));
        line.unwrap().split(' ').next().unwrap().parse().unwrap()
    }

    fn same_grains(&mut self, name: &str, table: &Run, graph: &Run) {
        let [ours, theirs] =
            [table, graph].map(|run| run.tables.grains.rows().collect::<Vec<GrainRow>>());
        self.comparison
            .exact(&format!("{name}: grains"), ours.len(), theirs.len());
        for (row, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            self.comparison
                .exact(&format!("{name}: grain {row}"), theirs, ours);
        }
        for metric in table.tables.summary.metrics.rows() {
            let Some(source) = metric.source else {
                continue;
            };
            let [ours, theirs] = [graph, table].map(|run| floats(&run.tables, &source));
            self.comparison
                .exact(&format!("{name}: {source}"), ours.len(), theirs.len());
            for (grain, theirs) in theirs {
                let ours = ours.get(&grain).copied().unwrap_or(f64::NAN);
                self.comparison
                    .close(&format!("{name}: {source} of {grain}"), ours, theirs, 1e-12);
            }
        }
    }

    fn example(&mut self) {
        let table = self.read("example/example.task-stats.processed.csv");
        let reduced = [15, 15, 5, 4, 4, 0];
        for file in ["reduced", "parallel_benefit-problem"] {
            let graph = self.graph(&format!("example/example.{file}.graphml"), reduced);
            self.same_grains(file, &table, &graph);
        }
        let unreduced = [21, 24, 5, 5, 4, 12];
        let graph = self.graph("example/example.unreduced.graphml", unreduced);
        self.same_grains("unreduced", &table, &graph);
        // Earliest starts and instantaneous parallelism of tasks, from the notes and tables.
        let tasks = integers(&graph.tables, "task");
        let starts = [(1, 0.0), (2, 99.0), (3, 298.0), (4, 498.0), (5, 1598.0)];
        let found = floats(&graph.tables, "root_dist");
        for (row, task) in &tasks {
            let expected = starts.iter().find(|start| start.0 == *task).unwrap().1;
            self.comparison
                .exact(&format!("root_dist of {task}"), found[row], expected);
        }
        let path = self.folder.join("example/example.inst-par.any.csv");
        let mut csv = csv::Reader::from_path(path).unwrap();
        let names: Vec<String> = csv.headers().unwrap().iter().map(str::to_owned).collect();
        for record in csv.records().map(Result::unwrap) {
            let task: i64 = record[0].parse().unwrap();
            let row = tasks.iter().find(|(_, found)| **found == task).unwrap().0;
            for (name, text) in names.iter().zip(&record).skip(1) {
                let found = floats(&graph.tables, name)[row];
                self.comparison
                    .exact(&format!("{name} of {task}"), found, text.parse().unwrap());
            }
        }
    }

    /// Trees of random series-parallel graphs, and sums of their metrics.
    fn synthetic(&mut self) {
        let path = self.folder.join("synthetic/ggraph-results.json.gz");
        let content = std::fs::read(path).unwrap();
        let input = Input::new("results", &content);
        let results = input.bytes(&Progress::silent()).unwrap();
        let results: BTreeMap<String, Value> = serde_json::from_slice(&results).unwrap();
        assert_eq!(results.len(), 13);
        for (name, result) in results {
            let [nodes, edges, grains, forks, joins] =
                ["nodes", "edges", "grains", "forks", "joins"]
                    .map(|key| result[key].as_u64().unwrap());
            let plain = format!("synthetic/{name}.graphml");
            let is_plain = self.folder.join(&plain).exists();
            let file = if is_plain {
                plain
            } else {
                format!("{plain}.gz")
            };
            let run = self.graph(&file, [nodes, edges, grains, forks, joins, 0]);
            let tree = tree(&run);
            let theirs = result["after_normalization_tree"].as_str().unwrap();
            self.comparison
                .exact(&format!("{name}: tree"), tree.as_str(), theirs);
            for metric in ["work_cycles", "exec_cycles"] {
                let theirs = result["root_metrics"][metric].as_f64().unwrap();
                let ours: f64 = match metric {
                    "work_cycles" => run
                        .tables
                        .grains
                        .rows()
                        .map(|g| g.work.unwrap() as f64)
                        .sum(),
                    _ => floats(&run.tables, metric).values().sum(),
                };
                self.comparison
                    .exact(&format!("{name}: {metric}"), ours, theirs);
            }
        }
    }
}

/// Number of forks by number of branches.
fn fork_degrees(run: &Run) -> BTreeMap<usize, usize> {
    let mut sets: BTreeMap<_, usize> = BTreeMap::new();
    for grain in run.tables.grains.rows() {
        *sets.entry((grain.parent, grain.joined_by)).or_default() += 1;
    }
    let mut degrees = BTreeMap::new();
    for degree in sets.into_values() {
        *degrees.entry(degree).or_default() += 1;
    }
    degrees
}

/// The program as ggraph writes trees: `FJ` a fork and its join, `L` what follows one another,
/// numbers tasks.
fn tree(run: &Run) -> String {
    let tasks = integers(&run.tables, "task");
    let mut families: BTreeMap<Option<i32>, BTreeMap<Option<i64>, Vec<usize>>> = BTreeMap::new();
    let rows: Vec<GrainRow> = run.tables.grains.rows().collect();
    for (at, grain) in rows.iter().enumerate() {
        let family = families.entry(grain.parent).or_default();
        family.entry(grain.joined_by).or_default().push(at);
    }
    // Children stand after their parents, so the last row has no children without text.
    let mut texts: Vec<String> = vec![String::new(); rows.len()];
    let family_text = |parent: Option<i32>, texts: &[String]| -> Vec<String> {
        let sets = families.get(&parent).into_iter().flat_map(BTreeMap::values);
        sets.map(|set| {
            let mut set = set.clone();
            set.sort_by_key(|&at| rows[at].index);
            let children: Vec<&str> = set.iter().map(|&at| texts[at].as_str()).collect();
            format!("FJ({})", children.join(" "))
        })
        .collect()
    };
    for at in (0..rows.len()).rev() {
        let mut parts = family_text(Some(i32::try_from(at).unwrap()), &texts);
        parts.insert(0, tasks[&at].to_string());
        texts[at] = linear(&parts);
    }
    linear(&family_text(None, &texts))
}

fn linear(parts: &[String]) -> String {
    match parts {
        [only] => only.clone(),
        _ => format!("L({})", parts.join(" ")),
    }
}
