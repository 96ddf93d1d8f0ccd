//! Grains of one run: chosen, sorted, page by page.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::Array as _;
use sheaf_answers::{GrainRows, Grains, MetricValue};
use sheaf_grains::grain_metric::is_instantaneous_parallelism;
use sheaf_model::table::{CompactColumn, GrainKind};
use sheaf_model::{Attributes, Direction, Expression, ParamValue, Progress};

use super::OpenRun;
use super::columns::GrainColumn;
use super::names::{small_at, text_at};
use crate::bounded_cache::BoundedCache;
use crate::once::Turn;
use crate::{Error, View};
use sheaf_analysis::did_you_mean;

/// Bytes of the orders of rows that a run keeps, so that the next page needs no sorting: four of 10 million grains.
const MAX_BYTES: usize = 160 << 20;
/// Rows between two looks at whether to go on.
const STEP: usize = 1 << 12;

/// Attributes of grains besides metrics that expressions and orders can name.
const FIELDS: &[&str] = &[
    "definition",
    "function",
    "file",
    "line",
    "kind",
    "path",
    "path_key",
    "grain",
    "parent",
    "sequence",
    "index",
    "rank",
    "thread",
    "created",
    "start",
    "end",
    "first_iteration",
    "iterations",
];

/// Which grains, in which order.
///
/// ```
/// use sheaf_ensemble::GrainsQuestion;
/// let question = GrainsQuestion {
///     filter: "kind = 'chunk' and iterations > 1".parse().ok(),
///     sort: Some("work_ns".to_owned()),
///     limit: Some(10),
///     ..GrainsQuestion::default()
/// };
/// assert_eq!(question.offset, 0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct GrainsQuestion {
    /// Only grains for which this holds; it can name metrics, and `definition`, `kind`, `path`, ….
    pub filter: Option<Expression>,
    /// Metric or attribute to sort by: worst first by the direction of the metric, of attributes the
    /// least first; the other way around with `-` before it. Grains without a value come last. The order of
    /// the table, which does not depend on the schedule, where nothing is named.
    pub sort: Option<String>,
    /// Rows left out.
    pub offset: usize,
    /// Rows at most; all when absent.
    pub limit: Option<usize>,
    /// Metrics to return; all that the run has when absent.
    pub metrics: Option<Vec<String>>,
    /// Whether the forms of instantaneous parallelism are left out unless `metrics` names them.
    pub is_brief: bool,
    /// Whether implicit and initial tasks, which are no grains but carry the rest of the work, count too.
    pub is_with_implicit: bool,
    /// Runs that work deviation is from: a run, or an expression that selects some.
    pub reference: Option<String>,
}

/// Orders of rows by question.
#[derive(Debug)]
pub(super) struct Orders {
    kept: BoundedCache<String, Arc<Vec<u32>>>,
    sorting: Turn,
}

impl Default for Orders {
    fn default() -> Self {
        Self {
            kept: BoundedCache::new(MAX_BYTES),
            sorting: Turn::default(),
        }
    }
}

impl Orders {
    pub(super) fn bytes(&self) -> usize {
        self.kept.measure(|rows| size_of_val(rows.as_slice()))
    }
}

impl View<'_> {
    /// Grains of one run.
    ///
    /// # Errors
    /// When the selector names no run or several, the run has no grains, or the question names what its
    /// grains have not.
    pub fn grains(&self, run: &str, question: &GrainsQuestion) -> Result<Grains, Error> {
        let (meta, depth) = self.run_against(run, question.reference.as_deref())?;
        let rows = depth.chosen(question, &self.progress)?;
        let begin = question.offset.min(rows.len());
        let end = question.limit.map_or(rows.len(), |limit| {
            begin.saturating_add(limit).min(rows.len())
        });
        let names = question.metrics.clone().unwrap_or_else(|| {
            let mut names = depth.metric_names();
            names.retain(|name| !question.is_brief || !is_instantaneous_parallelism(name));
            names
        });
        let (mut columns, mut absent) = (Vec::new(), BTreeMap::new());
        for (name, column) in depth.columns(&names, &self.progress)? {
            match column {
                Ok(column) => columns.push(column),
                Err(reason) => drop(absent.insert(name, reason)),
            }
        }
        let page = rows.get(begin..end).unwrap_or_default();
        Ok(Grains {
            schema: "grains/1".to_owned(),
            run: meta.id.to_string(),
            unit: meta.time_unit,
            total: rows.len() as u64,
            offset: question.offset as u64,
            reference: depth.comparison(&self.progress)?.cloned(),
            metrics: columns.iter().map(|column| column.entry.clone()).collect(),
            absent,
            rows: depth.grain_rows(page, &columns),
        })
    }
}

impl View<'_> {
    /// The name of a metric of a run's grains, when the run has values of it; whatever name of it is given.
    pub fn grain_metric(&self, run: &str, reference: Option<&str>, name: &str) -> Option<String> {
        let (_, depth) = self.run_against(run, reference).ok()?;
        let column = depth.column(name, &self.progress).ok()?;
        Some(column.entry.name.clone())
    }
}

impl OpenRun {
    /// Rows of the grains that a question selects, in its order.
    pub(super) fn chosen(
        &self,
        question: &GrainsQuestion,
        progress: &Progress,
    ) -> Result<Arc<Vec<u32>>, Error> {
        let filter = question.filter.as_ref().map(ToString::to_string);
        let key = format!(
            "{filter:?} {:?} {}",
            question.sort, question.is_with_implicit
        );
        let Orders { kept, sorting } = &self.orders;
        let _turn = sorting.take(progress)?;
        if let Some(rows) = kept.get(&key) {
            return Ok(rows);
        }
        let rows = Arc::new(self.select(question, progress)?);
        kept.put(key, Arc::clone(&rows), size_of_val(rows.as_slice()));
        Ok(rows)
    }

    fn select(&self, question: &GrainsQuestion, progress: &Progress) -> Result<Vec<u32>, Error> {
        let mut rows: Vec<u32> = (0_u32..)
            .zip(self.tables().grains.kind.values())
            .filter(|(_, kind)| {
                let kind = GrainKind::from_code(*kind);
                question.is_with_implicit || kind.is_some_and(GrainKind::is_grain)
            })
            .map(|(row, _)| row)
            .collect();
        if let Some(filter) = &question.filter {
            let columns = self.compared(filter, progress)?;
            let mut selected = Vec::new();
            for rows in rows.chunks(STEP) {
                progress.check()?;
                let holds = |&&row: &&u32| {
                    filter.selects(&GrainAttributes {
                        depth: self,
                        columns: &columns,
                        row: row as usize,
                        progress,
                    })
                };
                selected.extend(rows.iter().filter(holds));
            }
            rows = selected;
        }
        if let Some(sort) = &question.sort {
            self.sort(&mut rows, sort, progress)?;
        }
        Ok(rows)
    }

    /// Columns of the metrics that an expression compares.
    fn compared(
        &self,
        filter: &Expression,
        progress: &Progress,
    ) -> Result<BTreeMap<String, Arc<GrainColumn>>, Error> {
        let mut columns = BTreeMap::new();
        for name in filter.compared() {
            if FIELDS.contains(&name) {
                continue;
            }
            if self.metric_name(name).is_none() {
                let metrics = self.metric_names();
                let known = FIELDS.iter().copied();
                let known = known.chain(metrics.iter().map(String::as_str));
                return Err(Error::UnknownGrainAttribute {
                    name: name.to_owned(),
                    position: filter.position_of(name).unwrap_or(1),
                    expression: filter.to_string(),
                    nearest: did_you_mean(name, known),
                });
            }
            columns.insert(name.to_owned(), self.column(name, progress)?);
        }
        Ok(columns)
    }

    /// Sorts rows, which are in the order of the table, by a metric or an attribute.
    fn sort(&self, rows: &mut [u32], by: &str, progress: &Progress) -> Result<(), Error> {
        let (name, is_reversed) = by
            .strip_prefix('-')
            .map_or((by, false), |name| (name, true));
        if FIELDS.contains(&name) {
            let columns = BTreeMap::new();
            let attribute = |&row: &u32| {
                let grain = GrainAttributes {
                    depth: self,
                    columns: &columns,
                    row: row as usize,
                    progress,
                };
                grain.attribute(name)
            };
            let mut keyed = Vec::with_capacity(rows.len());
            for rows in rows.chunks(STEP) {
                progress.check()?;
                keyed.extend(rows.iter().map(|row| (attribute(row), *row)));
            }
            keyed.sort_by(|(a, _), (b, _)| {
                absent_last(a.as_ref(), b.as_ref(), is_reversed, ParamValue::order)
            });
            place(rows, keyed.iter().map(|(_, row)| *row));
            return Ok(());
        }
        let column = self.column(name, progress)?;
        let is_descending = (column.entry.direction != Direction::HigherIsBetter) != is_reversed;
        let value = |&row: &u32| column.values.exact(row as usize).map(MetricValue::as_f64);
        let mut keyed: Vec<_> = rows.iter().map(|row| (value(row), *row)).collect();
        keyed.sort_by(|(a, _), (b, _)| {
            absent_last(a.as_ref(), b.as_ref(), is_descending, f64::total_cmp)
        });
        progress.check()?;
        place(rows, keyed.iter().map(|(_, row)| *row));
        Ok(())
    }

    /// The columns of some grains.
    fn grain_rows(&self, rows: &[u32], metrics: &[Arc<GrainColumn>]) -> GrainRows {
        let grains = &self.tables().grains;
        let names = &self.tables().summary.definitions.name;
        let names: Vec<Arc<str>> = (0..names.len())
            .map(|row| Arc::from(text_at(names, row).unwrap_or_default()))
            .collect();
        let nameless: Arc<str> = Arc::from("");
        let places = || rows.iter().map(|&row| row as usize);
        let times = |column: &CompactColumn<i64>| places().map(|at| column.get(at)).collect();
        let name = |at| self.definition(at).and_then(|row| names.get(row));
        let keys = grains.path_key.values();
        // A chunk has both, or its iterations are not known.
        let iterations = |at| {
            grains
                .first_iteration
                .get(at)
                .zip(grains.iterations.get(at))
        };
        GrainRows {
            path: places().map(|at| self.path(at)).collect(),
            definition: places()
                .map(|at| Arc::clone(name(at).unwrap_or(&nameless)))
                .collect(),
            grain: rows.to_vec(),
            path_key: places().map(|at| keys.get(at).unwrap_or(0)).collect(),
            kind: places().map(|at| self.kind(at)).collect(),
            parent: places().map(|at| grains.parent.get(at)).collect(),
            rank: places().map(|at| Some(self.worker(at)?.0)).collect(),
            thread: places().map(|at| Some(self.worker(at)?.1)).collect(),
            created: times(&grains.created),
            start: times(&grains.start),
            end: times(&grains.end),
            first_iteration: places().map(|at| Some(iterations(at)?.0)).collect(),
            iterations: places().map(|at| Some(iterations(at)?.1)).collect(),
            metrics: metrics
                .iter()
                .map(|column| {
                    (
                        Arc::from(column.entry.name.as_str()),
                        column.values.take(rows),
                    )
                })
                .collect(),
        }
    }

    /// Rank and thread of the worker that finished a grain.
    pub(crate) fn worker(&self, grain: usize) -> Option<(i32, i32)> {
        let run = self.tables();
        let location = usize::try_from(run.grains.location.get(grain)?).ok()?;
        let rank = run.summary.locations.rank.values().get(location)?;
        let thread = run.summary.locations.thread.values().get(location)?;
        Some((*rank, *thread))
    }
}

/// Present values in order, absent ones behind them.
fn absent_last<T>(
    a: Option<&T>,
    b: Option<&T>,
    is_descending: bool,
    order: impl Fn(&T, &T) -> std::cmp::Ordering,
) -> std::cmp::Ordering {
    match (a, b) {
        (Some(a), Some(b)) if is_descending => order(b, a),
        (Some(a), Some(b)) => order(a, b),
        _ => b.is_some().cmp(&a.is_some()),
    }
}

fn place(rows: &mut [u32], sorted: impl Iterator<Item = u32>) {
    for (slot, row) in rows.iter_mut().zip(sorted) {
        *slot = row;
    }
}

/// What expressions can ask a grain for.
struct GrainAttributes<'a> {
    depth: &'a OpenRun,
    columns: &'a BTreeMap<String, Arc<GrainColumn>>,
    row: usize,
    progress: &'a Progress,
}

impl Attributes for GrainAttributes<'_> {
    fn attribute(&self, name: &str) -> Option<ParamValue> {
        let number = |value: i64| ParamValue::Number(value as f64);
        let (depth, row) = (self.depth, self.row);
        let grains = &depth.tables().grains;
        if let Some(column) = self.columns.get(name) {
            let value = column.values.exact(row)?;
            return Some(ParamValue::Number(value.as_f64()));
        }
        let definitions = &depth.tables().summary.definitions;
        let of_definition = |array| {
            let value = text_at(array, depth.definition(row)?)?;
            Some(ParamValue::Text(value.to_owned()))
        };
        match name {
            "definition" => of_definition(&definitions.name),
            "function" => of_definition(&definitions.function),
            "file" => of_definition(&definitions.file),
            "line" => {
                small_at(&definitions.line, depth.definition(row)?).map(|it| number(it.into()))
            }
            "kind" => Some(ParamValue::Text(depth.kind(row).to_string())),
            "path" => Some(ParamValue::Text(depth.path(row).join(" / "))),
            "path_key" => {
                let key = grains.path_key.values().get(row)?;
                Some(ParamValue::Text(format!("{key:016x}")))
            }
            "grain" => i64::try_from(row).ok().map(number),
            "parent" => grains.parent.get(row).map(|it| number(it.into())),
            "sequence" => grains.sequence.get(row).map(number),
            "index" => grains.index.get(row).map(number),
            "rank" => depth.worker(row).map(|(rank, _)| number(rank.into())),
            "thread" => depth.worker(row).map(|(_, thread)| number(thread.into())),
            "created" => grains.created.get(row).map(number),
            "start" => grains.start.get(row).map(number),
            "end" => grains.end.get(row).map(number),
            "first_iteration" => grains.first_iteration.get(row).map(number),
            "iterations" => grains.iterations.get(row).map(number),
            // Of the metrics only those that are compared are at hand; `exists` asks for others too.
            _ => {
                let value = depth.column(name, self.progress).ok()?.values.exact(row)?;
                Some(ParamValue::Number(value.as_f64()))
            }
        }
    }
}
