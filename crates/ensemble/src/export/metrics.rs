//! Metrics of grains that are computed for an export.

use std::io;

use sheaf_answers::Values as CellValues;
use sheaf_grains::aggregation::Propagation;
use sheaf_grains::grain_metric::{self, Column, Evaluation, GrainMetric, Values};

use super::run::{Source, finite};

/// A metric that some grain has a value of.
pub(super) struct Computed {
    pub(super) metric: &'static GrainMetric,
    /// Its id, with the unit of the run.
    pub(super) name: String,
    values: Values,
}

impl Computed {
    /// The metrics that are wanted and can be computed, in the order of the registry.
    ///
    /// # Errors
    /// The work was cancelled.
    pub(super) fn of(
        source: &Source<'_>,
        is_wanted: impl Fn(&GrainMetric) -> bool,
    ) -> io::Result<Vec<Self>> {
        let evaluation = Evaluation::of(source.tables, &source.structure);
        let evaluation = evaluation.with_progress(source.progress);
        let mut computed = Vec::new();
        for metric in grain_metric::metrics().filter(|metric| is_wanted(metric)) {
            let column = evaluation.evaluate(metric);
            // A metric that was stopped is absent.
            source.check()?;
            let Ok(Column { values, .. }) = column else {
                continue;
            };
            if values.iter().any(|value| value.is_some()) {
                computed.push(Self {
                    metric,
                    name: source.in_own_unit(metric.id),
                    values,
                });
            }
        }
        Ok(computed)
    }

    /// Values by grain.
    pub(super) fn into_values(self) -> CellValues<'static> {
        let values = self.values;
        match values {
            Values::Integers(_) => CellValues::Integer(Box::new(move |row| values.integer(row))),
            Values::Floats(_) => CellValues::Number(Box::new(move |row| finite(values.get(row)))),
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
