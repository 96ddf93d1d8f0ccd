//! Metrics of the grains of a run, computed when first asked for and kept.

use std::sync::Arc;

use sheaf_answers::GrainMetric;
use sheaf_grains::aggregation::Propagation;
use sheaf_grains::grain_metric::{self, Evaluation, Origin, Values};
use sheaf_model::{Direction, Progress, RunTables, TimeUnit, Unit};

use super::OpenRun;
use super::names::text_at;
use crate::Error;
use crate::bounded_cache::BoundedCache;
use crate::once::Turn;
use sheaf_analysis::did_you_mean;

/// Bytes of columns that a run keeps at most.
const MAX_BYTES: usize = 1 << 30;

/// Values of a metric, a row per grain.
#[derive(Debug)]
pub(crate) struct GrainColumn {
    pub(crate) entry: GrainMetric,
    pub(crate) propagation: Propagation,
    pub(crate) values: Values,
}

/// A column, or why there is none.
pub(crate) type ColumnOrReason = Result<Arc<GrainColumn>, String>;

/// Columns by the name of their metric.
#[derive(Debug)]
pub(super) struct Columns {
    known: BoundedCache<String, ColumnOrReason>,
    computing: Turn,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            known: BoundedCache::new(MAX_BYTES),
            computing: Turn::default(),
        }
    }
}

impl Columns {
    pub(super) fn bytes(&self) -> usize {
        self.known.measure(bytes_of)
    }
}

fn bytes_of(column: &ColumnOrReason) -> usize {
    column.as_ref().map_or(0, |column| column.values.bytes())
}

impl OpenRun {
    /// The name of a metric of this run as we write it: `work` in the unit of the run, whatever name
    /// of it was given.
    pub(crate) fn metric_name(&self, name: &str) -> Option<String> {
        let tables = self.tables();
        if let Some(metric) = grain_metric::by_name(name) {
            let keeps_name = metric.is_foreign(name) && self.is_stated(name);
            return Some(if keeps_name {
                name.to_owned()
            } else {
                written(metric.id, tables)
            });
        }
        if let Some(metric) = grain_metric::computed_by_name(name)
            && self.is_stated(metric.id)
        {
            return Some(name.to_owned());
        }
        let metrics = &tables.summary.metrics;
        let mut measures = self.measures().iter();
        let row = measures.find(|&&row| {
            text_at(&metrics.name, row) == Some(name) || text_at(&metrics.source, row) == Some(name)
        });
        row.and_then(|&row| text_at(&metrics.name, row))
            .map(str::to_owned)
    }

    /// The unit of a metric of this run.
    pub(super) fn metric_unit(&self, name: &str) -> String {
        let run = self.tables();
        if let Some(metric) = known(name) {
            return unit_in(run, metric.unit);
        }
        let written = self.metric_name(name);
        measure(run, written.as_deref().unwrap_or(name)).0.unit
    }

    /// Whether the source states values under this name.
    fn is_stated(&self, name: &str) -> bool {
        let summary = &self.tables().summary;
        let metrics = &summary.metrics;
        let mut measures = self.measures().iter();
        let is_stated = summary.meta.is_stated(name);
        is_stated
            && measures.any(|&row| {
                text_at(&metrics.name, row) == Some(name)
                    && text_at(&metrics.source, row) == Some(name)
            })
    }

    /// Every metric that there is, also those of its own where the source states values of the same name, and every measure of the source that is none of them.
    pub(crate) fn metric_names(&self) -> Vec<String> {
        let metrics = grain_metric::metrics().map(|metric| written(metric.id, self.tables()));
        let names = &self.tables().summary.metrics.name;
        let measures = self.measures().iter();
        let measures = measures.filter_map(|&row| text_at(names, row));
        let measures = measures.filter(|&name| {
            grain_metric::by_name(name)
                .is_none_or(|metric| metric.is_foreign(name) && self.is_stated(name))
        });
        let stated = grain_metric::metrics()
            .map(|metric| format!("{}{}", grain_metric::COMPUTED, metric.id));
        let stated = stated.filter(|name| self.metric_name(name).is_some());
        let measures = measures.map(str::to_owned);
        metrics.chain(stated).chain(measures).collect()
    }

    /// The columns of metrics, each or why there is none, in their order. Those that are not known yet are
    /// computed together; who asks meanwhile waits.
    ///
    /// # Errors
    /// When a name means nothing in this run, or `progress` is stopped.
    pub(crate) fn columns(
        &self,
        names: &[String],
        progress: &Progress,
    ) -> Result<Vec<(String, ColumnOrReason)>, Error> {
        let mut written = Vec::with_capacity(names.len());
        for name in names {
            let known = self.metric_name(name);
            written.push(known.ok_or_else(|| self.unknown_metric(name))?);
        }
        let Columns { known, computing } = &self.columns;
        let _turn = computing.take(progress)?;
        let found = self.with_evaluation(progress, |evaluation| {
            let mut found = Vec::with_capacity(written.len());
            for name in written {
                let column = if let Some(column) = known.get(&name) {
                    column
                } else {
                    progress.check()?;
                    let column = column(evaluation, &name);
                    progress.check()?;
                    known.put(name.clone(), column.clone(), bytes_of(&column));
                    column
                };
                found.push((name, column));
            }
            Ok(found)
        })?;
        Ok(found)
    }

    /// The column of one metric.
    ///
    /// # Errors
    /// When the name means nothing, or the run has no values of it.
    pub(crate) fn column(
        &self,
        name: &str,
        progress: &Progress,
    ) -> Result<Arc<GrainColumn>, Error> {
        let columns = self.columns(&[name.to_owned()], progress)?;
        match columns.into_iter().next() {
            Some((_, Ok(column))) => Ok(column),
            Some((metric, Err(reason))) => Err(Error::NotMeasured { metric, reason }),
            None => Err(self.unknown_metric(name)),
        }
    }

    pub(super) fn unknown_metric(&self, name: &str) -> Error {
        let known = self.metric_names();
        Error::UnknownGrainMetric {
            name: name.to_owned(),
            nearest: did_you_mean(name, known.iter().map(String::as_str)),
        }
    }
}

/// The id of a metric in the time unit of the run.
fn written(id: &str, run: &RunTables) -> String {
    match (run.summary.meta.time_unit, id.strip_suffix("_ns")) {
        (TimeUnit::Ticks, Some(stem)) => format!("{stem}_ticks"),
        _ => id.to_owned(),
    }
}

fn column(evaluation: &Evaluation<'_>, name: &str) -> ColumnOrReason {
    let found = evaluation.evaluate_by_name(name);
    let found = found.map_err(|absent| absent.to_string())?;
    let is_given = found.origin == Origin::Given;
    let run = evaluation.run();
    let own = known(name).filter(|metric| !(is_given && metric.is_foreign(name)));
    let (entry, propagation) = match own {
        Some(metric) => {
            let entry = GrainMetric {
                name: name.to_owned(),
                unit: unit_in(run, metric.unit),
                direction: metric.direction,
                definition: if is_given && evaluation.stated(metric).is_some() {
                    format!("As stated by the source of the run: {}", metric.definition)
                } else {
                    metric.definition.to_owned()
                },
                citation: Some(metric.citation.to_owned()),
                is_given,
            };
            (entry, metric.propagation)
        }
        None => measure(run, name),
    };
    Ok(Arc::new(GrainColumn {
        entry,
        propagation,
        values: found.values,
    }))
}

fn known(name: &str) -> Option<&'static grain_metric::GrainMetric> {
    grain_metric::by_name(name).or_else(|| grain_metric::computed_by_name(name))
}

/// A unit of times is that of the run.
fn unit_in(run: &RunTables, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds => run.summary.meta.time_unit.to_string(),
        unit => unit.to_string(),
    }
}

/// What the source measured of each grain.
fn measure(run: &RunTables, name: &str) -> (GrainMetric, Propagation) {
    let row = run.summary.metrics.rows().find(|row| row.name == name);
    let (unit, kind, direction) = row.map_or_else(
        || ("unknown".to_owned(), String::new(), Direction::Neutral),
        |row| {
            let direction = row.direction.parse().unwrap_or(Direction::Neutral);
            (row.unit, row.kind, direction)
        },
    );
    let propagation = match (kind.as_str(), direction) {
        ("additive", _) => Propagation::Sum,
        (_, Direction::HigherIsWorse) => Propagation::Maximum,
        (_, Direction::HigherIsBetter) => Propagation::Minimum,
        (_, Direction::Neutral) => Propagation::UpperMedian,
    };
    let entry = GrainMetric {
        name: name.to_owned(),
        unit,
        direction,
        definition: "As measured by the source of the run.".to_owned(),
        citation: None,
        is_given: true,
    };
    (entry, propagation)
}

/// Rows of the metrics that the source measured of grains, in order.
pub(super) fn measures(run: &RunTables) -> Vec<usize> {
    let mut is_there = vec![false; run.summary.metrics.len()];
    for metric in run.counters.metric.values() {
        let slot = usize::try_from(*metric).ok();
        if let Some(is_there) = slot.and_then(|at| is_there.get_mut(at)) {
            *is_there = true;
        }
    }
    let there = is_there.iter().enumerate().filter(|(_, there)| **there);
    there.map(|(row, _)| row).collect()
}
