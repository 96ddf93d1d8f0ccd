//! Aggregation trees against ggraph's: text, counts, depth, visible nodes and metrics after each stage.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use arrow::array::{Array, Float64Array, Int64Array};
use serde_json::{Value, json};
use sheaf_grains::aggregation::{AggregationTree, GroupKind, Propagation};
use sheaf_grains::grain_graph::Structure;
use sheaf_model::{RunTables, StructureForm};

use crate::{reference, run};

/// What a source measured of each grain, by row.
fn measured(run: &RunTables, source: &str) -> (Int64Array, Float64Array) {
    let metric = run
        .summary
        .metrics
        .source
        .iter()
        .position(|name| name == Some(source));
    let mut integers = vec![None; run.grains.len()];
    let mut floats = vec![None; run.grains.len()];
    let counters = &run.counters;
    for row in 0..counters.len() {
        if Some(usize::try_from(counters.metric.value(row)).unwrap()) == metric {
            let grain = usize::try_from(counters.grain.value(row)).unwrap();
            let (integer, float) = (&counters.value, &counters.value_float);
            integers[grain] = integer.is_valid(row).then(|| integer.value(row));
            floats[grain] = float.is_valid(row).then(|| float.value(row));
        }
    }
    (integers.into_iter().collect(), floats.into_iter().collect())
}

fn flags(run: &RunTables, source: &str) -> Vec<bool> {
    let integers = measured(run, source).0;
    integers
        .iter()
        .map(|value| value.is_some_and(|value| value != 0))
        .collect()
}

/// The tree as ggraph's results have it, with `names` by row.
fn text(tree: &AggregationTree, names: &[i64]) -> String {
    let mut bytes = Vec::new();
    let name = |out: &mut Vec<u8>, row: u32| write!(out, "{}", names[row as usize]);
    tree.text().write(&mut bytes, name).unwrap();
    String::from_utf8(bytes)
        .unwrap()
        .replace('[', "(")
        .replace(']', ")")
}

/// Names of the grains: the generator numbered them in pre-order, from 1. Checked by the work that the file
/// gives under each name.
fn names(run: &RunTables, tree: &AggregationTree, file: &Path) -> Vec<i64> {
    let mut names = vec![0; run.grains.len()];
    let grains = tree
        .nodes()
        .filter(|&node| tree.kind(node) == Some(GroupKind::Grain));
    for (name, node) in (1..).zip(grains) {
        names[tree.grain(node).unwrap() as usize] = name;
    }
    let graph = unzipped(file);
    let field = |line: &str, key: &str| {
        let start = line.split(&format!("\"v_{key}\">")).nth(1)?;
        start.split('<').next()?.parse::<i64>().ok()
    };
    let mut found: Vec<(i64, i64)> = Vec::new();
    for line in graph.lines().filter(|line| line.contains(">task<")) {
        found.push((
            field(line, "name").unwrap(),
            field(line, "work_cycles").unwrap(),
        ));
    }
    let mut ours: Vec<(i64, i64)> = names
        .iter()
        .copied()
        .zip(run.grains.work.iter().flatten())
        .collect();
    found.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, found, "{}", file.display());
    names
}

fn unzipped(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap();
    let mut text = String::new();
    if file.extension().is_some_and(|end| end == "gz") {
        flate2::read::GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    text
}

/// What ggraph's results say of a stage.
fn facts(tree: &AggregationTree, is_problematic: &[bool]) -> Value {
    let kinds = ["grain", "forkjoin", "linear", "sibling"];
    let kind = |node| tree.kind(node).map(|kind| kinds[kind as usize]).unwrap();
    let problems = tree.problems(is_problematic);
    let mut counts = json!({"grain": 0, "forkjoin": 0, "linear": 0, "sibling": 0});
    let mut problematic = counts.clone();
    let mut children = json!({"forkjoin": {}, "linear": {}, "sibling": {}});
    let increase = |value: &mut Value| *value = json!(value.as_u64().unwrap_or(0) + 1);
    for node in tree.nodes() {
        increase(&mut counts[kind(node)]);
        if problems[node as usize] {
            increase(&mut problematic[kind(node)]);
        }
        if tree.kind(node) != Some(GroupKind::Grain) {
            increase(&mut children[kind(node)][tree.children(node).count().to_string()]);
        }
    }
    let mut facts = counts;
    facts["depth_edges"] = json!(tree.depth());
    facts["max_open_nodes"] = json!(tree.max_open_nodes());
    facts["children_histogram"] = children;
    facts["max_theta_problematic"] = json!(tree.max_theta(is_problematic).unwrap_or(0));
    facts["problematic"] = problematic;
    facts
}

/// The metrics of the root by ggraph's rules, and what we say of memory hierarchy utilisation.
fn root_metrics(run: &RunTables, tree: &AggregationTree) -> (Value, Option<f64>) {
    let root = |column: &Int64Array, how| {
        tree.propagate_integers(column, how)
            .unwrap()
            .iter()
            .next()
            .unwrap()
    };
    let root_float =
        |column: &Float64Array, how| tree.propagate_floats(column, how).iter().next().unwrap();
    let integer = |source, how| root(&measured(run, source).0, how);
    let float = |source, how| root_float(&measured(run, source).1, how);
    let metrics = json!({
        "work_cycles": root(&run.grains.work.to_arrow(), Propagation::Sum),
        "exec_cycles": integer("exec_cycles", Propagation::Sum),
        "parallel_benefit": float("parallel_benefit", Propagation::Minimum),
        "work_deviation": float("work_deviation", Propagation::Maximum),
        "mem_hier_util": float("mem_hier_util", Propagation::Minimum),
        "inst_par_min": float("inst_par_min", Propagation::Minimum),
        "inst_par_median": float("inst_par_median", Propagation::UpperMedian),
        "inst_par_max": float("inst_par_max", Propagation::Maximum),
        "sibling_scatter": float("sibling_scatter", Propagation::Maximum),
        "sibling_work_balance": float("sibling_work_balance", Propagation::Maximum),
        "chunk_work_balance": float("chunk_work_balance", Propagation::Maximum),
        "problematic": integer("problematic", Propagation::Any),
        "on_crit_path": integer("on_crit_path", Propagation::Any),
    });
    (metrics, float("mem_hier_util", Propagation::Maximum))
}

/// The same numbers as floats, so that `1` and `1.0` are one.
fn as_floats(value: &Value) -> Vec<(String, Option<f64>)> {
    let object = value.as_object().unwrap();
    object
        .iter()
        .map(|(name, value)| (name.clone(), value.as_f64()))
        .collect()
}

fn graph(folder: &Path, name: &str) -> PathBuf {
    let plain = folder.join(format!("{name}.graphml"));
    if plain.is_file() {
        plain
    } else {
        folder.join(format!("{name}.graphml.gz"))
    }
}

#[test]
fn synthetic_graphs_at_every_stage() {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let folder = folder.join("synthetic");
    let results = unzipped(&folder.join("ggraph-results.json.gz"));
    let results: Value = serde_json::from_str(&results).unwrap();
    assert_eq!(results.as_object().unwrap().len(), 13);
    let mut medians = Vec::new();
    for (name, expected) in results.as_object().unwrap() {
        let file = graph(&folder, name);
        let run = run(&file);
        let structure = Structure::of(&run);
        let problems = flags(&run, "problematic");
        let reduced = AggregationTree::reduced(&run, &structure);
        let names = names(&run, &reduced, &file);
        let normalised = AggregationTree::of(&run, &structure);
        assert_eq!(reduced.normalised(), normalised, "{name}");
        let separated = normalised.separated(&problems);
        let stages = [
            ("reduction", &reduced),
            ("normalization", &normalised),
            ("separation", &separated),
        ];
        for (stage, tree) in stages {
            let theirs = &expected[format!("after_{stage}_tree")];
            assert_eq!(
                text(tree, &names),
                theirs.as_str().unwrap(),
                "{name} after {stage}"
            );
            let mut theirs = expected[format!("after_{stage}")].clone();
            let ours = facts(tree, &problems);
            if stage == "reduction" {
                // Its groups all count as problematic until values are propagated; ours are what they hold.
                for kind in ["forkjoin", "linear"] {
                    let problematic = &mut theirs["problematic"][kind];
                    assert_eq!(*problematic, ours[kind], "{name}");
                    *problematic = ours["problematic"][kind].clone();
                }
                let has_any = ours["problematic"]["forkjoin"] != 0;
                assert_eq!(has_any, problems.contains(&true), "{name}");
            }
            assert_eq!(ours, theirs, "{name} after {stage}");
        }
        let (mut ours, worst) = root_metrics(&run, &normalised);
        let mut theirs = expected["root_metrics"].clone();
        if expected["median_reliable"] == false {
            // Where a child has no value the tool sorts what is not ordered; ours leaves it out.
            medians.push((
                name.as_str(),
                ours["inst_par_median"].take(),
                theirs["inst_par_median"].take(),
            ));
        }
        assert_eq!(as_floats(&ours), as_floats(&theirs), "{name}");
        // Stall per work is worst where it is highest: the tool's minimum hides what we show.
        assert!(worst > theirs["mem_hier_util"].as_f64(), "{name}");
        assert_eq!(
            u64::from(normalised.num_graph_nodes()),
            expected["nodes"],
            "{name}"
        );
    }
    let expected = [
        ("sp-11", json!(46.0), Value::Null),
        ("sp-15", json!(49.0), json!(50)),
        ("sp-17", json!(46.0), json!(41)),
    ];
    assert_eq!(medians, expected);
}

/// The tree of a profile and that of the graph which the prototype made of it, with the profile's task
/// numbers as names; and θ of the grains with a problem before and after separation.
fn check_profile(profile: &str, diagnosed: &str, num_forks: u32, expected: [Option<u32>; 2]) {
    let Some(folder) = reference("grain-graphs") else {
        return;
    };
    let trees = [profile, diagnosed].map(|file| {
        let run = run(&folder.join(file));
        let structure = Structure::of(&run);
        let tree = AggregationTree::of(&run, &structure);
        let counts = tree.counts();
        // A group for every task that forks.
        let forking: BTreeSet<i32> = run.grains.parent.iter().flatten().collect();
        assert_eq!(counts.grains as usize, run.grains.len(), "{file}");
        assert_eq!(counts.fork_joins, num_forks, "{file}");
        let at_top = usize::from(structure.sets_of(None).len() > 1);
        assert_eq!(counts.linears as usize, forking.len() + at_top, "{file}");
        let sum = tree
            .propagate_integers(&run.grains.work.to_arrow(), Propagation::Sum)
            .unwrap();
        assert_eq!(
            sum.value(0),
            run.grains.work.values().iter().sum::<i64>(),
            "{file}"
        );
        let names: Vec<i64> = measured(&run, "task").0.values().to_vec();
        let labelled = tree.labelled(&run, &structure);
        let id = labelled.structure_ids(StructureForm::Unordered)[0];
        (text(&tree, &names), id, tree, flags(&run, "problematic"))
    });
    let [(ours, id, ..), (theirs, other_id, tree, problems)] = trees;
    assert_eq!(ours, theirs);
    // The same program by the same definitions, from two formats.
    assert_eq!(id, other_id);
    let separated = tree.separated(&problems);
    let thetas = [&tree, &separated].map(|tree| tree.max_theta(&problems));
    assert_eq!(thetas, expected, "{diagnosed}");
}

#[test]
fn profile_of_tasks() {
    check_profile(
        "task-stats/fib-45-12.task-stats.merged.csv.gz",
        "graphml/fib-45-12.parallel_benefit-problem.graphml.gz",
        4097,
        [Some(54), Some(54)],
    );
}

#[test]
fn profile_of_a_loop() {
    check_profile(
        "task-stats/for-loop-32-40-3.task-stats.merged.csv.gz",
        "graphml/for-loop-32-40-3.sibling_work_balance-problem.graphml.gz",
        148,
        [Some(56), Some(55)],
    );
}

#[test]
fn five_tasks() {
    check_profile(
        "example/example.mir-task-stats.csv",
        "example/example.parallel_benefit-problem.graphml",
        4,
        [Some(10), Some(9)],
    );
}
