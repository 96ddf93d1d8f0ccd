//! What the recorder itself wrote beside its recordings.

use std::path::Path;

use sheaf_ingest::dag_recorder::{Dag, LayerSample, NodeKind, Statistics, layers};

use super::{Recording, text};
use crate::comparison::Comparison;

/// Every line of the statistics.
pub(super) fn compare_stat(
    comparison: &mut Comparison,
    recording: &Recording,
    statistics: &Statistics,
) {
    let name = &recording.name;
    let Some(reference) = recording.beside("stat") else {
        comparison.differs(format!("{name}: no .stat beside it"));
        return;
    };
    let ours = statistics.to_text();
    comparison.exact(
        &format!("{name}: lines"),
        ours.lines().count(),
        reference.lines().count(),
    );
    for (ours, reference) in ours.lines().zip(reference.lines()) {
        comparison.exact(name, ours, reference);
    }
}

/// What a text dump says of each node and we keep.
pub(super) fn compare_dump(comparison: &mut Comparison, recording: &Recording, dag: &Dag) {
    let Some(dump) = recording.beside("txt") else {
        return;
    };
    let mut lines = dump.lines();
    let counts: Vec<usize> = lines
        .next()
        .unwrap()
        .split('|')
        .map(|n| n.parse().unwrap())
        .collect();
    comparison.exact(&recording.name, dag.num_nodes(), counts[0]);
    comparison.exact(&recording.name, dag.strings().len(), counts[2]);
    for (at, line) in lines.by_ref().take(counts[0]).enumerate() {
        compare_node(comparison, &recording.name, dag, at, line);
    }
    for (at, line) in lines.skip(counts[1]).enumerate() {
        let reference = line.split_once('|').unwrap().1;
        comparison.exact(&recording.name, dag.strings()[at].as_str(), reference);
    }
}

fn compare_node(comparison: &mut Comparison, name: &str, dag: &Dag, at: usize, line: &str) {
    let fields: Vec<&str> = line.split('|').collect();
    let number = |field: usize| fields[field].parse::<i64>().unwrap();
    let node = dag.node(at).unwrap();
    let what = |field: &str| format!("{name}: {field} of node {at}");
    let kinds = [
        "create_task",
        "wait_tasks",
        "other",
        "end_task",
        "section",
        "task",
    ];
    comparison.exact(&what("kind"), kinds[node.kind as usize], fields[1]);
    let edges = ["end", "create", "create_cont", "wait_cont", "other_cont"];
    comparison.exact(&what("in-edge"), edges[node.in_edge as usize], fields[2]);
    comparison.exact(&what("start"), node.start, number(3));
    comparison.exact(&what("end"), node.end, number(8));
    comparison.exact(&what("ready"), node.first_ready, number(16));
    comparison.exact(&what("worker"), i64::from(node.worker), number(35));
    let line = match node.kind {
        NodeKind::Create | NodeKind::Wait => Some(number(40)),
        NodeKind::Task => Some(number(38)),
        _ => None,
    };
    comparison.exact(&what("line"), node.line.map(i64::from), line);
    let Some(totals) = node.totals else { return };
    let ours = [totals.work, totals.span, totals.last_start];
    comparison.exact(&what("sums"), ours, [number(14), number(15), number(17)]);
    comparison.exact(
        &what("waiting"),
        totals.ready,
        [18, 19, 20, 21, 22].map(number),
    );
    comparison.exact(&what("leaves"), totals.nodes, [23, 24, 25, 26].map(number));
    comparison.exact(
        &what("edges"),
        totals.edges,
        [27, 28, 29, 30, 31].map(number),
    );
}

/// The parallelism profile that the recorder drew, from at most 4000 samples.
pub(super) fn compare_layers(
    comparison: &mut Comparison,
    recording: &Recording,
    folder: &Path,
    dag: &Dag,
) {
    let name = &recording.name;
    let drawn = folder
        .join("oracle-gpl")
        .join(format!("{}.gpl", name.replace('/', "-")));
    let Some(script) = recording.beside("gpl").or_else(|| text(&drawn)) else {
        return;
    };
    let samples = layers(dag, 4000);
    for (layer, block) in script.split("\ne\n").take(6).enumerate() {
        let lines: Vec<&str> = block
            .lines()
            .filter(|line| !line.starts_with("plot"))
            .collect();
        comparison.exact(
            &format!("{name}: lines"),
            lines.len(),
            2 * samples.len() - 1,
        );
        for (at, line) in lines.iter().enumerate() {
            // Each sample but the first is drawn twice: at its time the one before, then itself.
            let values = &samples[at / 2];
            let time = samples[at.div_ceil(2)].time;
            compare_sample(
                comparison,
                &format!("{name}: layer {layer}"),
                (time, values, layer),
                line,
            );
        }
    }
}

fn compare_sample(
    comparison: &mut Comparison,
    what: &str,
    (time, sample, layer): (i64, &LayerSample, usize),
    line: &str,
) {
    let fields: Vec<&str> = line.split(' ').collect();
    comparison.exact(what, time, fields[0].parse().unwrap());
    let low: f64 = sample.layers[..layer].iter().sum();
    let high = low + sample.layers[layer];
    for (ours, reference) in [low, high].into_iter().zip(&fields[1..]) {
        let reference: f64 = reference.parse().unwrap();
        // Printed with six digits behind the point.
        comparison.close(what, 1.0 + ours, 1.0 + reference, 1.1e-6);
    }
}
