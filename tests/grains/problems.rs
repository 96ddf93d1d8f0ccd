//! Problems against the counts that the grain-graphs prototype wrote.

use sheaf_grains::grain_graph::Structure;
use sheaf_grains::grain_metric::{Evaluation, Origin};
use sheaf_grains::problem::{Problem, TOOL, Threshold, diagnose};

use crate::{reference, run};

/// A line of an info file: variable, grains, and those on the critical path if it says so.
fn counts(line: &str) -> Option<(&str, u64, Option<u64>)> {
    let (count, rest) = line.split_once(" grains have !is.na(")?;
    let (variable, rest) = rest.split_once(')')?;
    let critical = rest
        .split_once(",  ")
        .map(|(_, rest)| rest.split_whitespace().next().unwrap().parse().unwrap());
    Some((variable, count.parse().unwrap(), critical))
}

/// What the prototype's configuration has for the number of cores: code of another language.
const CORES: &str = "length(unique(task_data$cpu_id))";

/// The thresholds of the prototype's configuration, lines of `type,variable,condition`, by problem.
fn prototype_thresholds() -> Option<Vec<(String, Threshold)>> {
    let file = reference("grain-graphs")?.join("configs/grain-problems.cfg");
    let config = std::fs::read_to_string(file).unwrap();
    let lines = config
        .lines()
        .map(|line| line.split('#').next().unwrap().trim());
    let lines = lines.filter(|line| !line.is_empty() && *line != "type,variable,condition");
    let threshold = |line: &str| {
        let fields: Vec<&str> = line
            .splitn(3, ',')
            .map(|field| field.trim().trim_matches('"'))
            .collect();
        let condition = fields[2].trim().replace(CORES, "cores");
        (
            fields[0].to_owned(),
            format!("`{}` {condition}", fields[1]).parse().unwrap(),
        )
    };
    Some(lines.map(threshold).collect())
}

/// Compares the counts of an info file; gives what of them are grains and what keeps books.
fn check(profile: &str, info: &str) -> Vec<(String, usize, usize)> {
    let Some(folder) = reference("grain-graphs") else {
        return Vec::new();
    };
    let tables = run(&folder.join(profile));
    let structure = Structure::of(&tables);
    let evaluation = Evaluation::of(&tables, &structure);
    let thresholds: Vec<_> = prototype_thresholds()
        .unwrap()
        .into_iter()
        .map(|(_, threshold)| threshold)
        .collect();
    let diagnosis = diagnose(&evaluation, &thresholds);
    let theirs = std::fs::read_to_string(folder.join(info)).unwrap();
    let mut split = Vec::new();
    for (variable, count, critical) in theirs.lines().filter_map(counts) {
        let is_it = |problem: &&Problem| problem.condition.starts_with(&format!("{variable} "));
        let problem = diagnosis.problems.iter().find(is_it).unwrap();
        let (grains, books) = (problem.grains.len(), problem.book_keeping.len());
        assert_eq!((grains + books) as u64, count, "{profile}: {variable}");
        if let Some(critical) = critical {
            let ours = problem.critical_grains + problem.critical_book_keeping;
            assert_eq!(ours, critical, "{profile}: {variable}");
        }
        let listed: u64 = problem.definitions.iter().map(|row| row.grains).sum();
        assert_eq!(listed, grains as u64);
        // Columns of the table keep their values; all else is computed.
        let is_given = problem.origin == Origin::Given;
        let mut metrics = tables.summary.metrics.rows();
        let is_stated = tables.summary.meta.is_stated(variable)
            && metrics.any(|metric| metric.source.as_deref() == Some(variable));
        assert_eq!(is_given, is_stated, "{variable}");
        split.push((variable.to_owned(), grains, books));
    }
    split
}

fn expected(rows: &[(&str, usize, usize)]) -> Vec<(String, usize, usize)> {
    let rows = rows.iter();
    rows.map(|&(name, grains, books)| (name.to_owned(), grains, books))
        .collect()
}

#[test]
fn problems_of_tasks() {
    let found = check(
        "task-stats/fib-45-12.task-stats.merged.csv.gz",
        "oracle/fib-45-12.diagnosis.info",
    );
    if found.is_empty() {
        return;
    }
    let rows = [
        ("mem_hier_util", 32, 0),
        ("work_deviation", 2477, 0),
        ("parallel_benefit", 2338, 0),
        ("sibling_work_balance", 0, 0),
        ("sibling_scatter", 270, 0),
    ];
    assert_eq!(found, expected(&rows));
}

#[test]
fn problems_of_a_loop() {
    let found = check(
        "task-stats/for-loop-32-40-3.task-stats.merged.csv.gz",
        "oracle/for-loop-32-40-3.diagnosis.info",
    );
    if found.is_empty() {
        return;
    }
    // The prototype counts rows that only keep the books of loops among the grains.
    let rows = [
        ("mem_hier_util", 49, 143),
        ("work_deviation", 0, 0),
        ("parallel_benefit", 1, 144),
        ("sibling_work_balance", 96, 0),
        ("chunk_work_balance", 0, 0),
        ("chunk_work_cpu_balance", 0, 0),
    ];
    assert_eq!(found, expected(&rows));
}

#[test]
fn presets_are_those_of_the_configuration() {
    let Some(configured) = prototype_thresholds() else {
        return;
    };
    let named = |name: &str| sheaf_grains::grain_metric::by_name(name).unwrap().id;
    let theirs: Vec<(String, String)> = configured
        .iter()
        .map(|(name, threshold)| {
            let condition = threshold.to_string();
            let condition = condition.replacen(&threshold.metric, named(&threshold.metric), 1);
            (name.clone(), condition.replace("cores/4", "cores / 4"))
        })
        .collect();
    let ours: Vec<(String, String)> = TOOL
        .iter()
        .map(|preset| (preset.problem.to_owned(), preset.condition.to_owned()))
        .collect();
    assert_eq!(ours, theirs);
}
