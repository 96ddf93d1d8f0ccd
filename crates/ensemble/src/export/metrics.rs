//! Metrics of grains that are computed for an export.

use sheaf_analysis::aggregation::Propagation;
use sheaf_analysis::grain_metric::{self, Evaluation, GrainMetric, Values};

use super::rows::{Cell, CellType};
use super::run::Source;

/// A metric that some grain has a value of.
pub(super) struct Computed {
    pub(super) metric: &'static GrainMetric,
    /// Its id, with the unit of the run.
    pub(super) name: String,
    pub(super) cell_type: CellType,
    values: Values,
}

impl Computed {
    /// The metrics that are wanted and can be computed, in the order of the registry.
    pub(super) fn of(source: &Source<'_>, is_wanted: impl Fn(&GrainMetric) -> bool) -> Vec<Self> {
        let evaluation = Evaluation::of(source.tables, &source.structure);
        grain_metric::metrics()
            .filter(|metric| is_wanted(metric))
            .filter_map(|metric| {
                let values = evaluation.evaluate(metric).ok()?.values;
                let is_there = values.iter().any(|value| value.is_some());
                is_there.then(|| Self {
                    metric,
                    name: source.in_own_unit(metric.id),
                    cell_type: match values {
                        Values::Integers(_) => CellType::Integer,
                        Values::Floats(_) => CellType::Float,
                    },
                    values,
                })
            })
            .collect()
    }

    pub(super) fn cell(&self, grain: usize) -> Cell<'static> {
        match &self.values {
            Values::Integers(_) => Cell::optional(self.values.integer(grain)),
            Values::Floats(_) => self.values.get(grain).map_or(Cell::Absent, Cell::float),
        }
    }
}

/// How a group's value of a measure follows from those of its grains; absent where that says nothing.
pub(super) fn propagation(name: &str, is_additive: bool) -> Option<Propagation> {
    match name {
        "problematic" | "on_crit_path" => Some(Propagation::Any),
        _ => match grain_metric::by_name(name) {
            Some(metric) => Some(metric.propagation),
            None => is_additive.then_some(Propagation::Sum),
        },
    }
}
