//! Which metric a question means, in each run and in the ensemble.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{Array, StringArray};
use sheaf_answers::{MetricFact, Note};
use sheaf_model::table::Metrics;
use sheaf_model::{Direction, MetricKind, Unit, names};

use crate::error::Error;
use crate::nearest::nearest;
use crate::tree::definitions::{self, Lookup};

/// The metric that an answer is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metric {
    /// Lower snake case with the unit as suffix.
    pub name: String,
    /// The name that the source used.
    pub source: Option<String>,
    /// Label, else name, that the source shows, if it differs from ours.
    pub label: Option<String>,
    /// Unit of every value.
    pub unit: String,
    /// How its values combine.
    pub kind: MetricKind,
    /// Which way is worse.
    pub direction: Direction,
    /// Runs whose values of it are estimates: its counter wrapped or took turns with others. Such values count as
    /// equal only by their intervals.
    pub estimated_in: usize,
}

impl Metric {
    /// Whether its values are times. If its unit is unknown, because the source does not state units, its name
    /// decides.
    pub fn is_time(&self) -> bool {
        let is_named = || {
            ["time", "duration", "seconds"]
                .iter()
                .any(|word| self.name.contains(word))
        };
        let unit = self.unit.parse::<Unit>();
        unit.is_ok_and(|unit| unit.is_time() || (unit == Unit::Unknown && is_named()))
    }
}

/// How well a run's metric fits the name asked for, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Name,
    Source,
    Alias,
    /// Asked for in ns, measured in ticks of unknown length.
    Ticks,
}

/// A metric of one run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunMetric {
    pub(crate) row: i32,
    pub(crate) metric: Metric,
    pub(crate) is_integer: bool,
    /// The label that the source shows people.
    alias: Option<String>,
}

impl RunMetric {
    pub(crate) fn of_row(metrics: &Metrics, row: usize) -> Self {
        let kind = metrics.kind.value(row).parse();
        let direction = metrics.direction.value(row).parse();
        Self {
            row: i32::try_from(row).unwrap_or(i32::MAX),
            is_integer: metrics.is_integer.value(row),
            alias: text_at(&metrics.alias, row),
            metric: Metric {
                name: metrics.name.value(row).to_owned(),
                label: label(metrics, row),
                source: text_at(&metrics.source, row),
                unit: metrics.unit.value(row).to_owned(),
                // What is not known to add up is never added up.
                kind: kind.unwrap_or(MetricKind::Intensive),
                direction: direction.unwrap_or(Direction::Neutral),
                estimated_in: 0,
            },
        }
    }

    fn fit(&self, wanted: &str) -> Option<Fit> {
        let name = self.metric.name.as_str();
        let in_ns = wanted.strip_suffix("_ns");
        if name == wanted {
            Some(Fit::Name)
        } else if self.metric.source.as_deref() == Some(wanted) {
            Some(Fit::Source)
        } else if self.alias.as_deref() == Some(wanted) {
            Some(Fit::Alias)
        } else if in_ns.is_some() && in_ns == name.strip_suffix("_ticks") {
            Some(Fit::Ticks)
        } else {
            None
        }
    }
}

fn label(metrics: &Metrics, row: usize) -> Option<String> {
    let label = text_at(&metrics.alias, row).or_else(|| text_at(&metrics.source, row));
    label.filter(|label| !label.is_empty() && label != metrics.name.value(row))
}

fn text_at(column: &StringArray, row: usize) -> Option<String> {
    column.is_valid(row).then(|| column.value(row).to_owned())
}

/// The metrics of each run that a question about `wanted` means: the one that fits best, by name, by the
/// source's name, by its label, in ticks; all of them where `is_all` and there is none.
///
/// Most runs of an ensemble have the same metrics; those share a list.
pub(crate) fn lists<'a>(
    runs: impl ExactSizeIterator<Item = &'a Metrics>,
    wanted: &str,
    is_all: bool,
) -> Vec<Arc<[RunMetric]>> {
    let mut known: Vec<(&Metrics, Arc<[RunMetric]>)> = Vec::new();
    let mut by_digest: Lookup<u64, Vec<usize>> = Lookup::default();
    let mut lists = Vec::with_capacity(runs.len());
    for metrics in runs {
        let alike = by_digest.entry(digest(metrics.name.iter())).or_default();
        let same = alike.iter().find(|&&at| is_same(known[at].0, metrics));
        let list = if let Some(&at) = same {
            known[at].1.clone()
        } else {
            alike.push(known.len());
            let list = list_of(metrics, wanted, is_all);
            known.push((metrics, list.clone()));
            list
        };
        lists.push(list);
    }
    lists
}

/// The distinct lists, and which of them each run has. Lists are one where they share their memory.
pub(crate) fn distinct<'a>(
    of_runs: impl Iterator<Item = &'a Arc<[RunMetric]>>,
) -> (Vec<Arc<[RunMetric]>>, Vec<usize>) {
    let mut lists: Vec<Arc<[RunMetric]>> = Vec::new();
    let mut known: BTreeMap<*const RunMetric, usize> = BTreeMap::new();
    let place = |list: &Arc<[RunMetric]>| {
        *known.entry(list.as_ptr()).or_insert_with(|| {
            lists.push(list.clone());
            lists.len() - 1
        })
    };
    let list_of_run = of_runs.map(place).collect();
    (lists, list_of_run)
}

fn list_of(metrics: &Metrics, wanted: &str, is_all: bool) -> Arc<[RunMetric]> {
    let all = || (0..metrics.len()).map(|row| RunMetric::of_row(metrics, row));
    let best = all()
        .filter_map(|metric| Some((metric.fit(wanted)?, metric)))
        .min_by_key(|(fit, _)| *fit);
    match best {
        Some((_, metric)) => Arc::from([metric]),
        None if is_all => all().collect(),
        None => Arc::from([]),
    }
}

fn digest<'a>(names: impl Iterator<Item = Option<&'a str>>) -> u64 {
    let bytes = names
        .flatten()
        .map(|name| definitions::digest(name.as_bytes()));
    bytes.fold(0, |digest: u64, name| digest.rotate_left(5) ^ name)
}

fn is_same(a: &Metrics, b: &Metrics) -> bool {
    let mut texts = texts_of(a).into_iter().zip(texts_of(b));
    a.is_integer.values() == b.is_integer.values() && texts.all(|(a, b)| a.iter().eq(b.iter()))
}

fn texts_of(metrics: &Metrics) -> [&StringArray; 6] {
    [
        &metrics.name,
        &metrics.unit,
        &metrics.kind,
        &metrics.direction,
        &metrics.source,
        &metrics.alias,
    ]
}

/// Name of the metric that people mean who name none: work where any run has it, else what most runs
/// have of times that add up. `None` when there are no metrics at all.
///
/// Times are preferred to all else: profiles have sizes and numbers of calls of each node too. Then metrics that more
/// runs have, that are additive before inclusive, that are worse when higher, in units of time, of functions before
/// arcs of a caller graph (`arc_`), called a time; the first name counts where all that is equal.
pub fn main_metric<'a>(runs: impl Iterator<Item = &'a Metrics>) -> Option<String> {
    let mut found: BTreeMap<String, (usize, Metric)> = BTreeMap::new();
    for metrics in runs {
        for row in 0..metrics.len() {
            let metric = RunMetric::of_row(metrics, row).metric;
            if names::is_work(&metric.name) {
                return Some(names::WORK.to_owned());
            }
            let entry = found.entry(metric.name.clone());
            entry.or_insert((0, metric)).0 += 1;
        }
    }
    let merit = |(runs, metric): &(usize, Metric)| {
        let kind = match metric.kind {
            MetricKind::Additive => 2,
            MetricKind::Inclusive => 1,
            MetricKind::Intensive => 0,
        };
        let unit = match metric.unit.as_str() {
            "ns" | "us" | "s" => 3,
            "cycles" | "ticks" => 2,
            "unknown" => 1,
            _ => 0,
        };
        let is_worse = metric.direction == Direction::HigherIsWorse;
        let is_of_functions = !metric.name.starts_with("arc_");
        let has_time_in_name = metric.name.contains("time");
        let merit = (
            *runs,
            kind,
            is_worse,
            unit,
            is_of_functions,
            has_time_in_name,
        );
        (is_time(metric), merit)
    };
    let best = found.values().map(merit).max()?;
    let mut names = found.into_iter();
    names
        .find(|(_, entry)| merit(entry) == best)
        .map(|(name, _)| name)
}

/// Whether values are times. Some sources state no units, so their names of metrics count.
fn is_time(metric: &Metric) -> bool {
    match metric.unit.parse() {
        Ok(Unit::Unknown) => names::is_called_time(&metric.name),
        Ok(unit) => Unit::is_time(unit),
        Err(_) => false,
    }
}

/// A metric resolved over an ensemble.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) metric: Metric,
    /// For each run the place of the metric among the candidates given; absent: not measured.
    pub(crate) in_run: Vec<Option<usize>>,
    pub(crate) notes: Vec<Note>,
}

/// Resolves `wanted` over runs, given the lists of candidate metrics that there are, and which each run has.
///
/// Runs that measure it in ticks do not mix with runs that measure it in ns: they count as not
/// measured, unless all are in ticks. The same goes for other differences of unit.
pub(crate) fn resolve<'a>(
    wanted: &str,
    lists: &[Arc<[RunMetric]>],
    list_of_run: &[usize],
    runs: impl Iterator<Item = &'a Metrics>,
) -> Result<Resolved, Error> {
    let fits: Vec<Option<(Fit, usize)>> = lists
        .iter()
        .map(|metrics| {
            let fit = |(at, metric): (usize, &RunMetric)| Some((metric.fit(wanted)?, at));
            metrics.iter().enumerate().filter_map(fit).min()
        })
        .collect();
    let Some(best) = fits.iter().flatten().map(|(fit, _)| *fit).min() else {
        return Err(unknown(wanted, runs));
    };
    let is_usable = |fit: Fit| (fit == Fit::Ticks) == (best == Fit::Ticks);
    let chosen: Vec<Option<&RunMetric>> = fits
        .iter()
        .zip(lists)
        .map(|(fit, metrics)| {
            fit.filter(|(fit, _)| is_usable(*fit))
                .map(|(_, at)| &metrics[at])
        })
        .collect();
    let of_runs = list_of_run.iter().filter_map(|&list| chosen[list]);
    let metric = most_frequent(of_runs).ok_or_else(|| unknown(wanted, runs))?;
    let is_alike = |other: &Metric| {
        let intensive = MetricKind::Intensive;
        other.unit == metric.unit && (other.kind == intensive) == (metric.kind == intensive)
    };
    let place = |list: usize| match (fits[list], chosen[list]) {
        (Some((_, at)), Some(chosen)) if is_alike(&chosen.metric) => Ok(at),
        (Some(_), Some(_)) => Err(Missing::InOtherUnits),
        (Some(_), None) => Err(Missing::InTicks),
        (None, _) => Err(Missing::Metric),
    };
    let places: Vec<Result<usize, Missing>> = (0..lists.len()).map(place).collect();
    let mut tally = Tally::default();
    let in_run = list_of_run.iter().map(|&list| tally.place(places[list]));
    let in_run = in_run.collect();
    let notes = tally.notes(wanted, &metric, best == Fit::Ticks);
    Ok(Resolved {
        metric,
        in_run,
        notes,
    })
}

/// Why a run counts as not measured.
#[derive(Debug, Clone, Copy)]
enum Missing {
    Metric,
    InTicks,
    InOtherUnits,
}

/// Runs that count as not measured, by reason.
#[derive(Default)]
struct Tally {
    missing: usize,
    in_ticks: usize,
    in_other_units: usize,
}

impl Tally {
    /// The place of the metric in a run, or its absence counted.
    fn place(&mut self, place: Result<usize, Missing>) -> Option<usize> {
        match place {
            Ok(at) => return Some(at),
            Err(Missing::Metric) => self.missing += 1,
            Err(Missing::InTicks) => self.in_ticks += 1,
            Err(Missing::InOtherUnits) => self.in_other_units += 1,
        }
        None
    }

    fn notes(&self, wanted: &str, metric: &Metric, is_shown_in_ticks: bool) -> Vec<Note> {
        let (name, unit) = (&metric.name, &metric.unit);
        let mut facts = Vec::new();
        if is_shown_in_ticks {
            facts.push(MetricFact::ShownInTicks {
                asked: wanted.to_owned(),
                metric: name.clone(),
            });
        }
        if self.in_ticks > 0 {
            facts.push(MetricFact::MeasuredInTicks {
                metric: wanted.to_owned(),
                runs: self.in_ticks as u64,
            });
        }
        if self.in_other_units > 0 {
            facts.push(MetricFact::MeasuredInOtherUnits {
                metric: name.clone(),
                unit: unit.clone(),
                runs: self.in_other_units as u64,
            });
        }
        if self.missing > 0 {
            facts.push(MetricFact::MetricNotMeasured {
                metric: name.clone(),
                runs: self.missing as u64,
            });
        }
        facts.into_iter().map(Note::from).collect()
    }
}

/// `1 run`, `7 runs`.
pub fn runs_text(count: usize) -> String {
    format!("{count} {}", if count == 1 { "run" } else { "runs" })
}

/// The metric that most runs have in the same name and unit; the smallest of equals.
fn most_frequent<'a>(chosen: impl Iterator<Item = &'a RunMetric>) -> Option<Metric> {
    let mut counts: BTreeMap<(&str, &str, Option<&str>), (usize, &Metric)> = BTreeMap::new();
    for RunMetric { metric, .. } in chosen {
        let key = (
            metric.name.as_str(),
            metric.unit.as_str(),
            metric.source.as_deref(),
        );
        counts.entry(key).or_insert((0, metric)).0 += 1;
    }
    let most = counts.values().map(|(count, _)| *count).max()?;
    counts
        .into_values()
        .find(|(count, _)| *count == most)
        .map(|(_, metric)| metric.clone())
}

fn unknown<'a>(wanted: &str, runs: impl Iterator<Item = &'a Metrics>) -> Error {
    let known: BTreeSet<&str> = runs.flat_map(|run| run.name.iter().flatten()).collect();
    Error::UnknownMetric {
        nearest: nearest(wanted, known.iter().copied()),
        metric: wanted.to_owned(),
        known: known.into_iter().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sheaf_model::RunSummary;
    use sheaf_synthetic::testing::runs;

    use super::main_metric;

    #[test]
    fn times_of_functions_precede_times_of_arcs() {
        let runs = runs(
            "
            metric arc_children_s s additive float
            metric arc_self_s s additive float
            metric self_s s additive float
            run a
              main self_s 1@0
              main/leaf arc_self_s 2@0 ; arc_children_s 3@0
            ",
        );
        let metric = main_metric(runs.iter().map(|run| &run.metrics));
        assert_eq!(metric.as_deref(), Some("self_s"));
    }

    /// Thicket lists the size of a block and a mean over ranks of one node next to each other, without units.
    #[test]
    fn times_precede_metrics_that_add_up_or_that_more_runs_have() {
        let runs = runs(
            "
            metric blocksize unknown neutral float
            metric count count neutral
            metric problemsize unknown neutral float
            metric total_time unknown inclusive float
            run a
              main blocksize 0@0 ; problemsize 7@0 ; count 3@0
            run b
              main blocksize 0@0 ; problemsize 7@0 ; count 3@0 ; total_time 2@0
            ",
        );
        let of = |runs: &[Arc<RunSummary>]| main_metric(runs.iter().map(|run| &run.metrics));
        assert_eq!(of(&runs).as_deref(), Some("total_time"));
        assert_eq!(of(&runs[..1]).as_deref(), Some("blocksize"));
    }
}
