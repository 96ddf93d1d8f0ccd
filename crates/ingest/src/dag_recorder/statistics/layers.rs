//! Running and ready leaves at points in time, as the recorder draws them.

use crate::dag_recorder::dag::{Dag, Node};

/// Running leaves, and ready ones by the kind of edge that made them ready, from a time on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerSample {
    /// Ticks from the start of the recording.
    pub time: i64,
    /// Running, then ready by the edges' kinds in their order.
    pub layers: [f64; 6],
}

/// At most `most` samples of the layers. They are points of a step function, not averages: the
/// state before the first event behind each of equally spaced times, so that short peaks are lost.
pub fn layers(dag: &Dag, most: usize) -> Vec<LayerSample> {
    let mut changes: Vec<(i64, usize, f64)> = Vec::new();
    for (at, node) in dag.leaves() {
        push_changes(dag, at, node, &mut changes);
    }
    // Stable, so that sums of floats do not depend on how equal times are sorted.
    changes.sort_by_key(|(time, _, _)| *time);
    let finish = changes.last().map_or(0, |(time, _, _)| *time);
    let mut samples = Vec::new();
    let mut now = LayerSample {
        time: 0,
        layers: [0.0; 6],
    };
    let mut next = 0;
    for at_once in changes.chunk_by(|a, b| a.0 == b.0) {
        let Some(&(time, _, _)) = at_once.first() else {
            continue;
        };
        if time >= next && samples.len() < most {
            let left = most - 1 - samples.len();
            samples.push(now);
            next = match i64::try_from(left) {
                Ok(left) if left > 0 => time + (finish - time) / left,
                _ => finish + 1,
            };
        }
        now.time = time;
        for &(_, layer, change) in at_once {
            now.layers[layer] += change;
        }
    }
    samples
}

fn push_changes(dag: &Dag, at: usize, node: &Node, changes: &mut Vec<(i64, usize, f64)>) {
    let mut push = |layer, start: i64, end: i64, sum: i64| {
        if end > start {
            let weight = sum as f64 / (end - start) as f64;
            changes.extend([(start, layer, weight), (end, layer, -weight)]);
        } else {
            // Nothing to draw, but a time at which a sample may be taken.
            changes.push((start, layer, 0.0));
        }
    };
    push(0, node.start, node.end, dag.work(at));
    let Some(totals) = dag.totals(at) else {
        let waited = node.start - node.first_ready;
        push(
            1 + node.in_edge as usize,
            node.first_ready,
            node.start,
            waited,
        );
        return;
    };
    for (layer, &sum) in (1..).zip(&totals.ready) {
        push(layer, node.first_ready, totals.last_start, sum);
    }
}
