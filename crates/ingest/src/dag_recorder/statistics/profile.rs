//! The parallelism profile: running and ready leaves over time, averaged over equal parts.

use crate::dag_recorder::dag::Dag;

/// Parts of the run.
const BINS: usize = 50;

/// Averages of running leaves, and of ready ones by the kind of edge that made them ready.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Ticks of each part.
    pub width: f64,
    /// Running, then ready by the edges' kinds in their order.
    pub bins: Vec<[f64; 6]>,
}

impl Profile {
    /// The profile of a run that takes `elapsed`.
    pub(super) fn of(dag: &Dag, elapsed: i64) -> Self {
        let mut layers = Layers::new(elapsed as f64 / BINS as f64);
        for (at, node) in dag.leaves() {
            let Some(totals) = dag.totals(at) else {
                layers.add(0, node.start, node.end, 1.0);
                layers.add(1 + node.in_edge as usize, node.first_ready, node.start, 1.0);
                continue;
            };
            let weight = |sum: i64, length: i64| sum as f64 / length as f64;
            layers.add(0, node.start, node.end, weight(totals.work, node.len()));
            let length = totals.last_start - node.first_ready;
            for (layer, &sum) in (1..).zip(&totals.ready) {
                layers.add(
                    layer,
                    node.first_ready,
                    totals.last_start,
                    weight(sum, length),
                );
            }
        }
        layers.finish()
    }
}

struct Layers {
    width: f64,
    bins: Vec<[f64; 6]>,
    /// Changes of what holds for whole parts.
    steps: Vec<[f64; 6]>,
}

impl Layers {
    fn new(width: f64) -> Self {
        Self {
            width,
            bins: vec![[0.0; 6]; BINS],
            steps: vec![[0.0; 6]; BINS + 1],
        }
    }

    /// Adds a weight over a stretch; those without length have none.
    #[inline]
    fn add(&mut self, layer: usize, start: i64, end: i64, weight: f64) {
        if end <= start || weight == 0.0 {
            return;
        }
        let (start, end) = (start as f64, end as f64);
        let (first, last) = (self.bin(start), self.bin(end));
        if first == last {
            self.bins[first][layer] += weight * (end - start);
            return;
        }
        self.bins[first][layer] += weight * ((first + 1) as f64 * self.width - start);
        self.bins[last][layer] += weight * (end - last as f64 * self.width);
        self.steps[first + 1][layer] += weight;
        self.steps[last][layer] -= weight;
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates, and the last part is the limit"
    )]
    fn bin(&self, time: f64) -> usize {
        ((time / self.width) as usize).min(BINS - 1)
    }

    fn finish(mut self) -> Profile {
        let mut whole = [0.0; 6];
        for (bin, step) in self.bins.iter_mut().zip(&self.steps) {
            for layer in 0..6 {
                whole[layer] += step[layer];
                bin[layer] = bin[layer] / self.width + whole[layer];
            }
        }
        if self.width <= 0.0 {
            self.bins.clear();
        }
        Profile {
            width: self.width,
            bins: self.bins,
        }
    }
}
