//! Every metric, by family.

use super::{GrainMetric, balance, benefit, creation, deviation, inst_par, memory, scatter, time};

static FAMILIES: [&[GrainMetric]; 8] = [
    &time::METRICS,
    &benefit::METRICS,
    &creation::METRICS,
    &balance::METRICS,
    &deviation::METRICS,
    inst_par::METRICS,
    &scatter::METRICS,
    &memory::METRICS,
];

/// Every metric, in the order of the families: time, benefit, estimates of creation, balance, deviation, instantaneous
/// parallelism, scatter, memory.
pub fn metrics() -> impl Iterator<Item = &'static GrainMetric> {
    FAMILIES.into_iter().flatten()
}

/// The metric with an id; else the one that sources give by this name.
pub fn by_name(name: &str) -> Option<&'static GrainMetric> {
    metrics()
        .find(|metric| metric.id == name)
        .or_else(|| metrics().find(|metric| metric.is_named(name)))
}

/// Whether a metric is a form of instantaneous parallelism: each of them takes longer than all other metrics together.
pub fn is_instantaneous_parallelism(name: &str) -> bool {
    let metric = by_name(name).or_else(|| computed_by_name(name));
    metric.is_some_and(|metric| inst_par::METRICS.iter().any(|form| form.id == metric.id))
}

/// Stands before the name of a metric that is computed although the source states values under its name.
pub const COMPUTED: &str = "computed_";

/// The metric that a name with [`COMPUTED`] before it means, if sources state values under its name.
pub fn computed_by_name(name: &str) -> Option<&'static GrainMetric> {
    let id = name.strip_prefix(COMPUTED)?;
    by_name(id).filter(|metric| metric.id == id && metric.given_as.contains(&id))
}
