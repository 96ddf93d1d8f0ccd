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
