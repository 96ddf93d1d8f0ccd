//! What an independent program computed from the recordings.

use std::path::Path;

use serde_json::Value;
use sheaf_ingest::dag_recorder::{Dag, EdgeMatrix, GapSummary, Statistics};

use super::{Recording, text};
use crate::comparison::Comparison;

const EDGES: [&str; 5] = ["end", "create", "create_cont", "wait_cont", "other_cont"];
const LEAVES: [&str; 4] = ["create_task", "wait_tasks", "other", "end_task"];

/// Figures by recording.
pub(super) struct References(Value);

impl References {
    pub(super) fn read(folder: &Path) -> Self {
        let text = text(&folder.join("reference.json")).unwrap();
        Self(serde_json::from_str(&text).unwrap())
    }

    pub(super) fn compare(
        &self,
        comparison: &mut Comparison,
        recording: &Recording,
        dag: &Dag,
        ours: &Statistics,
    ) {
        let name = &recording.name;
        let figures = &self.0["files"][name];
        if figures.is_null() {
            comparison.differs(format!("{name}: no reference"));
            return;
        }
        let mut figure = |what: &str, ours: i64, reference: &Value| {
            comparison.exact(&format!("{name}: {what}"), Some(ours), reference.as_i64());
        };
        let whole = |count: u64| i64::try_from(count).unwrap();
        let num_nodes = i64::try_from(dag.num_nodes()).unwrap();
        let collapsed_tasks = figures["n_tasks_materialized"].as_i64().unwrap();
        figure("nodes", num_nodes, &figures["n_nodes"]);
        figure("edges", whole(ours.edges.iter().sum()), &figures["n_edges"]);
        figure("workers", dag.num_workers(), &figures["n_workers"]);
        figure("leaves", whole(ours.leaves), &figures["n_leaf_nodes"]);
        figure("collapsed", whole(ours.collapsed), &figures["n_collapsed"]);
        figure("tasks", whole(ours.kinds[5]), &collapsed_tasks.into());
        figure(
            "tasks in all",
            ours.logical_nodes[0] + 1,
            &figures["n_tasks_logical"],
        );
        for (kind, leaf) in LEAVES.iter().enumerate() {
            figure(
                leaf,
                ours.logical_nodes[kind],
                &figures["logical_nodes"][leaf],
            );
        }
        for (kind, edge) in EDGES.iter().enumerate() {
            figure(
                edge,
                ours.logical_edges[kind],
                &figures["logical_edges"][edge],
            );
            figure(
                edge,
                whole(ours.edges[kind]),
                &figures["edges_by_kind"][edge],
            );
            let changes = whole(ours.worker_changes[kind]);
            figure(edge, changes, &figures["worker_change_edges"][edge]);
            figure(edge, ours.ready[kind], &figures["t_ready_root"][edge]);
        }
        let times = [
            ("T1", ours.work),
            ("delay", ours.delay),
            ("no_work", ours.no_work),
            ("elapsed", ours.elapsed),
            ("T_inf_recorded", ours.span),
            ("T_inf_longest_path", ours.span_by_edges),
            ("running_time", ours.running),
            ("inner_delay", ours.inner_delay),
            ("oversubscribed_time", ours.oversubscribed),
        ];
        for (what, ours) in times {
            figure(what, ours, &figures[what]);
        }
        compare_matrices(
            comparison,
            name,
            ours,
            &figures["edge_matrix_src_dst_by_kind"],
        );
        compare_paths(comparison, name, ours, figures);
        compare_gaps(comparison, name, ours, &figures["gaps"]);
        compare_profile(comparison, name, ours, &figures["profile"]);
    }
}

fn compare_matrices(comparison: &mut Comparison, name: &str, ours: &Statistics, reference: &Value) {
    for (kind, matrix) in EDGES.iter().zip(&ours.matrices) {
        let rows = reference[kind].as_array().unwrap();
        let last = rows.len() - 1;
        let worker = |at: usize| {
            if at == last {
                -1
            } else {
                i32::try_from(at).unwrap()
            }
        };
        let mut theirs = EdgeMatrix::new();
        for (source, row) in rows.iter().enumerate() {
            for (target, count) in row.as_array().unwrap().iter().enumerate() {
                let count = count.as_i64().unwrap();
                if count > 0 {
                    theirs.insert((worker(source), worker(target)), count);
                }
            }
        }
        let what = format!("{name}: {kind} matrix");
        let last = i32::try_from(last).unwrap();
        let is_beyond = |(source, target): &(i32, i32)| *source >= last || *target >= last;
        if !matrix.keys().any(is_beyond) {
            comparison.exact(&what, matrix.clone(), theirs);
            continue;
        }
        // The worker numbers have a hole: the recorder counts edges of the last worker as those
        // of several.
        comparison.known_fault(&what, matrix, &theirs);
        let mut folded = EdgeMatrix::new();
        let row = |worker: i32| if worker >= last { -1 } else { worker };
        for (&(source, target), &count) in matrix {
            *folded.entry((row(source), row(target))).or_default() += count;
        }
        comparison.exact(&what, folded, theirs);
    }
}

fn compare_paths(comparison: &mut Comparison, name: &str, ours: &Statistics, figures: &Value) {
    let path = &ours.last_finish;
    let reference = &figures["last_finish_path"];
    let mut exact = |what: &str, ours: i64, reference: &Value| {
        comparison.exact(
            &format!("{name}: path, {what}"),
            Some(ours),
            reference.as_i64(),
        );
    };
    exact(
        "nodes",
        i64::try_from(path.leaves).unwrap(),
        &reference["n_nodes"],
    );
    exact("work", path.work, &reference["work"]);
    exact("delay", path.delay, &reference["delay"]);
    exact("start", path.first_start, &reference["first_start"]);
    for (kind, edge) in EDGES.iter().enumerate() {
        exact(
            edge,
            path.delay_by_edge[kind],
            &reference["delay_by_edge_kind"][edge],
        );
    }
    let reference = &figures["dagviz_critical_path_1"];
    exact("work", path.work, &reference["work"]);
    exact("delay", path.delay, &reference["delay"]);
    let mut close = |what: &str, ours: f64, reference: &Value, tolerance: f64| {
        let reference = reference.as_f64().unwrap();
        comparison.close(&format!("{name}: path, {what}"), ours, reference, tolerance);
    };
    let sum: i64 = path.scheduler_delay.iter().sum();
    close("sched_delay", sum as f64, &reference["sched_delay"], 0.0);
    for (kind, edge) in EDGES.iter().enumerate() {
        let ours = path.scheduler_delay[kind] as f64;
        close(edge, ours, &reference["sched_delay_by_in_edge"][edge], 0.0);
    }
    // Of collapsed leaves the reference adds up shares in floats and prints ten digits.
    let tolerance = if ours.collapsed > 0 { 2e-8 } else { 0.0 };
    let no_work = &reference["sched_delay_nowork"];
    close("no work", path.scheduler_no_work, no_work, tolerance);
    let ready = &reference["sched_delay_delay"];
    close("ready", path.scheduler_ready, ready, tolerance);
}

fn compare_gaps(comparison: &mut Comparison, name: &str, ours: &Statistics, reference: &Value) {
    let gaps = &ours.gaps;
    let all = [
        ("create_cont_all", gaps.create_cont),
        ("create_cont_migrated", gaps.create_cont_migrated),
        ("create_child_all", gaps.create_child),
        ("create_child_migrated", gaps.create_child_migrated),
        ("sync_all", gaps.sync),
    ];
    for (what, ours) in all {
        compare_summary(
            comparison,
            &format!("{name}: {what}"),
            ours,
            &reference[what],
        );
    }
    let reference = &reference["longest_spine"];
    let Some(spine) = &gaps.spine else {
        comparison.exact(&format!("{name}: spine"), reference.is_null(), true);
        return;
    };
    let task = i64::try_from(spine.task).ok();
    comparison.exact(
        &format!("{name}: spine"),
        task,
        reference["task_node"].as_i64(),
    );
    let what = format!("{name}: spine gaps");
    compare_summary(comparison, &what, Some(spine.gaps), &reference["gaps"]);
    compare_summary(comparison, &what, spine.migrated, &reference["migrated"]);
}

fn compare_summary(
    comparison: &mut Comparison,
    what: &str,
    ours: Option<GapSummary>,
    reference: &Value,
) {
    let Some(ours) = ours else {
        comparison.exact(what, reference.is_null(), true);
        return;
    };
    let values = [
        ("n", i64::try_from(ours.count).unwrap()),
        ("sum", ours.sum),
        ("min", ours.min),
        ("p10", ours.p10),
        ("p50", ours.p50),
        ("p90", ours.p90),
        ("p99", ours.p99),
        ("max", ours.max),
    ];
    for (name, value) in values {
        comparison.exact(
            &format!("{what}, {name}"),
            Some(value),
            reference[name].as_i64(),
        );
    }
    // Printed with one digit behind the point.
    let mean = reference["mean"].as_f64().unwrap();
    let tolerance = 0.0501 / mean.abs().max(0.1);
    comparison.close(&format!("{what}, mean"), ours.mean(), mean, tolerance);
}

fn compare_profile(comparison: &mut Comparison, name: &str, ours: &Statistics, reference: &Value) {
    let width = reference["bin_width"].as_f64().unwrap();
    comparison.close(&format!("{name}: width"), ours.profile.width, width, 1e-12);
    let bins = reference["bins"].as_array().unwrap();
    comparison.exact(
        &format!("{name}: bins"),
        ours.profile.bins.len(),
        bins.len(),
    );
    for (at, (ours, reference)) in ours.profile.bins.iter().zip(bins).enumerate() {
        for (layer, (ours, reference)) in ours.iter().zip(reference.as_array().unwrap()).enumerate()
        {
            let reference = reference.as_f64().unwrap();
            // Printed with four digits behind the point.
            let what = format!("{name}: layer {layer} of part {at}");
            comparison.close(
                &what,
                1.0 + ours,
                1.0 + reference,
                5.01e-5 / (1.0 + reference),
            );
        }
    }
}
