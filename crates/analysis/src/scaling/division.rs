//! Which runs are one series, and which of them one point.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use sheaf_answers::{MissingPoint, Note, ScaleFact, ScalingKind};
use sheaf_model::{ParamValue, ParameterRole, ParameterRules, RunSummary, identifies_launch};
use sheaf_statistics::Sample;
use sheaf_statistics::scaling::{PowerLaw, Series};

use super::inputs::Inputs;
use super::measured::Measured;
use super::question::ScaleQuestion;
use crate::cohort::{cohorts, note_arguments, parameter_of};
use crate::error::Error;

/// What divides before anything else, so that series bear the names that people use.
const FIRST: &[&str] = &[
    "program", "variant", "version", "size", "runtime", "compiler", "build",
];

/// Total work ∝ p^x: up to this x the problem is the same, from 1 − x on it grows with p.
pub(super) const UNCLEAR_FROM: f64 = 0.25;

/// Work per worker may differ by this share and is constant.
const CONSTANT: f64 = 0.1;

/// Whether a parameter says how a run came about rather than what it is: variables of the
/// environment, what identifies a launch, and what recordings note of themselves, unless `rules` say otherwise. They come
/// after what people named, and divide no runs into series.
pub fn is_incidental(name: &str, rules: &ParameterRules) -> bool {
    const NOTED: &[&str] = &[
        "branch",
        "clock",
        "commit",
        "compiler_flags",
        "compiler_runtime",
        "cores",
        "counters",
        "dirty",
        "ended_by",
        "exit_status",
        "governor",
        "kernel",
        "numa_nodes",
        "recorder",
        "runtime_library",
        "runtime_version",
    ];
    match rules.role(name) {
        Some(role) => role == ParameterRole::Incidental,
        None => {
            !name.contains(char::is_lowercase) || NOTED.contains(&name) || identifies_launch(name)
        }
    }
}

/// Runs with one value of the parameter.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) p: f64,
    /// Places of its runs, ascending.
    pub(super) runs: Vec<usize>,
    /// The one nearest to the median; the first of equals.
    pub(super) representative: usize,
    /// Values of its runs.
    pub(super) sample: Sample,
}

/// One series, points ascending.
#[derive(Debug, Clone)]
pub(super) struct Members {
    pub(super) name: String,
    pub(super) values: BTreeMap<String, ParamValue>,
    pub(super) points: Vec<Point>,
    /// Whether the parameter counts workers.
    pub(super) counts_workers: bool,
}

#[derive(Debug)]
pub(super) struct SeriesPartition {
    pub(super) names: Vec<String>,
    pub(super) series: Vec<Members>,
    pub(super) notes: Vec<Note>,
}

/// Strong or weak, and why.
#[derive(Debug, Clone)]
pub(super) struct SeriesKind {
    pub(super) kind: ScalingKind,
    pub(super) work_exponent: Option<f64>,
    pub(super) has_constant_work: Option<bool>,
    /// Whether speedups mean something.
    pub(super) is_scaling: bool,
}

impl SeriesPartition {
    pub(super) fn new(
        runs: &[Arc<RunSummary>],
        question: &ScaleQuestion,
        measured: &Measured,
    ) -> Result<Self, Error> {
        let by = &question.by;
        let mut notes = Vec::new();
        // An unknown parameter is named with its likeness.
        cohorts(runs, std::slice::from_ref(by))?;
        let mut usable: Vec<(usize, f64)> = Vec::new();
        let mut without = 0;
        for (place, run) in runs.iter().enumerate() {
            match parameter_of(&run.meta, by) {
                Some(ParamValue::Number(p)) if p > 0.0 && p.is_finite() => {
                    usable.push((place, p));
                }
                Some(value) => {
                    return Err(Error::NotScalable {
                        parameter: by.clone(),
                        run: run.meta.name.clone(),
                        value: value.to_string(),
                    });
                }
                None => without += 1,
            }
        }
        if without > 0 {
            let left_out = ScaleFact::WithoutParameter {
                parameter: by.clone(),
                runs: without,
            };
            notes.push(left_out.into());
        }
        let before = usable.len();
        usable.retain(|(place, _)| measured.runs[*place].value.is_some_and(|value| value > 0.0));
        if usable.len() < before {
            let runs = (before - usable.len()) as u64;
            notes.push(ScaleFact::WithoutTime { runs }.into());
        }
        let names = match &question.series {
            Some(names) => names.clone(),
            None => dividing(runs, &usable, by, &question.rules),
        };
        let kept: Vec<Arc<RunSummary>> = usable
            .iter()
            .map(|(place, _)| runs[*place].clone())
            .collect();
        let divided = if kept.is_empty() {
            Vec::new()
        } else {
            cohorts(&kept, &names)?
        };
        let series = divided.into_iter().map(|cohort| {
            let members = cohort.runs.iter().map(|&at| usable[at]);
            let points = points(members.collect(), measured);
            Members {
                name: cohort.name,
                values: cohort.values,
                counts_workers: counts_workers(&points, by, measured),
                points,
            }
        });
        let series: Vec<Members> = series.collect();
        // A user who names the series decides what they have in common.
        if question.series.is_none() {
            let points = series.iter().flat_map(|series| &series.points);
            let repeats = points.map(|point| point.runs.as_slice());
            notes.extend(note_arguments(repeats, runs, &question.rules));
        }
        Ok(Self {
            names,
            series,
            notes,
        })
    }

    /// Values of the parameter that some series have and others have not.
    pub(super) fn missing(&self) -> Vec<MissingPoint> {
        let mut all: Vec<f64> = self
            .series
            .iter()
            .flat_map(|series| series.points.iter().map(|point| point.p))
            .collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let absent = |(number, series): (u32, &Members)| {
            let has = |p: f64| series.points.iter().any(|point| same(point.p, p));
            let absent = all.iter().copied().filter(|&p| !has(p));
            let missing = absent.map(|p| MissingPoint { series: number, p });
            missing.collect::<Vec<_>>()
        };
        (0..).zip(&self.series).flat_map(absent).collect()
    }

    /// Whether the total work of a series stays or grows with p. Work that grows is inflation where the inputs do
    /// not: scaling is weak only if runs had more to do.
    pub(super) fn kind_of(
        &self,
        number: usize,
        question: &ScaleQuestion,
        measured: &Measured,
        inputs: Inputs,
    ) -> SeriesKind {
        let members = &self.series[number];
        let median = |point: &Point, of: &dyn Fn(usize) -> Option<f64>| {
            Some((
                point.p,
                Sample::new(point.runs.iter().filter_map(|&run| of(run))).median()?,
            ))
        };
        let work = |run: usize| measured.runs[run].work;
        let work: Vec<(f64, f64)> = members
            .points
            .iter()
            .filter_map(|point| median(point, &work))
            .collect();
        let exponent = |values: &[(f64, f64)]| {
            let series = Series::new(values.iter().copied()).ok()?;
            PowerLaw::fit(&series).map(|law| law.exponent)
        };
        let work_exponent = exponent(&work);
        let processor_work = |run: usize| measured.runs[run].processor_work;
        let processor_work: Vec<(f64, f64)> = (members.points.iter())
            .filter_map(|point| median(point, &processor_work))
            .collect();
        let grains = |run: usize| Some(measured.runs[run].grains as f64).filter(|it| *it > 0.0);
        let grains: Vec<(f64, f64)> = members
            .points
            .iter()
            .filter_map(|point| median(point, &grains))
            .collect();
        // The number of grains is not inflated by the machine, as work is.
        let has_grains = grains.len() == members.points.len();
        let growth = if has_grains { exponent(&grains) } else { None };
        let growth = growth
            .filter(|it| it.abs() < UNCLEAR_FROM)
            .or_else(|| exponent(&processor_work))
            .or(work_exponent);
        let has_same_inputs = match inputs {
            Inputs::Grow(exponent) => exponent < UNCLEAR_FROM,
            Inputs::Same => true,
            Inputs::Unknown => false,
        };
        let found = match growth {
            Some(_) if has_same_inputs => ScalingKind::Strong,
            Some(exponent) if exponent < UNCLEAR_FROM => ScalingKind::Strong,
            Some(exponent) if exponent > 1.0 - UNCLEAR_FROM => ScalingKind::Weak,
            _ => ScalingKind::Unclear,
        };
        // Nothing shows how a problem grows whose times are means or maxima over ranks.
        let is_shown = !measured.is_over_ranks || question.kind.is_some();
        let is_scaling = measured.is_time && members.counts_workers && is_shown;
        let kind = question.kind.unwrap_or(if is_scaling {
            found
        } else {
            ScalingKind::Unclear
        });
        let per_worker = Sample::new(work.iter().map(|(p, work)| work / p));
        let spread = per_worker.min().zip(per_worker.max());
        let is_constant = spread.map(|(least, most)| most <= least * (1.0 + CONSTANT));
        SeriesKind {
            kind,
            work_exponent: work_exponent.filter(|_| members.counts_workers),
            has_constant_work: is_constant.filter(|_| kind == ScalingKind::Weak),
            is_scaling,
        }
    }
}

pub(super) fn same(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}

fn points(mut members: Vec<(usize, f64)>, measured: &Measured) -> Vec<Point> {
    members.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let chunks = members.chunk_by(|a, b| same(a.1, b.1));
    let value = |run: usize| measured.runs[run].value.unwrap_or(f64::NAN);
    let point = |runs: &[(usize, f64)]| {
        let sample = Sample::new(runs.iter().map(|(run, _)| value(*run)));
        let median = sample.median()?;
        let distance = |run: usize| (value(run) - median).abs();
        let nearest = runs
            .iter()
            .min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)))?;
        Some(Point {
            p: nearest.1,
            runs: runs.iter().map(|(run, _)| *run).collect(),
            representative: nearest.0,
            sample,
        })
    };
    chunks.filter_map(point).collect()
}

/// Whether a parameter of this name is mostly a number of workers.
pub(super) fn is_name_of_workers(by: &str) -> bool {
    const NAMES: &[&str] = &[
        "threads",
        "workers",
        "ranks",
        "processes",
        "nodes",
        "cores",
        "cpus",
        "tasks",
        "np",
        "OMP_NUM_THREADS",
    ];
    NAMES.contains(&by)
}

/// Whether workers are everywhere the same multiple of the parameter; where runs do not say how many
/// workers they had, its name must.
fn counts_workers(points: &[Point], by: &str, measured: &Measured) -> bool {
    let ratio = |point: &Point| Some(measured.runs[point.representative].workers? as f64 / point.p);
    let ratios: Option<Vec<f64>> = points.iter().map(ratio).collect();
    match ratios {
        Some(ratios) => {
            let first = ratios.first().copied().unwrap_or(1.0);
            let is_multiple = ratios
                .iter()
                .all(|&ratio| (ratio / first - 1.0).abs() < 1e-9);
            // One point says nothing of what grows with what.
            is_multiple && (points.len() > 1 || is_name_of_workers(by))
        }
        None => is_name_of_workers(by),
    }
}

/// Parameters in which runs of the same p differ, and that are neither notes nor numbers of repeats.
/// Those that others determine are left out.
fn dividing(
    runs: &[Arc<RunSummary>],
    usable: &[(usize, f64)],
    by: &str,
    rules: &ParameterRules,
) -> Vec<String> {
    let mut names: Vec<String> = usable
        .iter()
        .flat_map(|(place, _)| runs[*place].meta.params.keys().cloned())
        .chain(["program".to_owned(), "ranks".to_owned()])
        .collect();
    names.sort_unstable();
    names.dedup();
    names.sort_by_key(|name| {
        FIRST
            .iter()
            .position(|first| first == name)
            .unwrap_or(usize::MAX)
    });
    let mut chosen: Vec<String> = Vec::new();
    let mut classes: Vec<usize> = vec![0; usable.len()];
    for name in names {
        if name == by || is_incidental(&name, rules) || name == "num_workers" {
            continue;
        }
        let values = values(runs, usable, &name);
        if divides(usable, &values) {
            let refined = refine(&classes, &values);
            if refined != classes {
                classes = refined;
                chosen.push(name);
            }
        }
    }
    chosen
}

type Value = Option<ParamValue>;

fn values(runs: &[Arc<RunSummary>], usable: &[(usize, f64)], name: &str) -> Vec<Value> {
    let value = |(place, _): &(usize, f64)| {
        let meta = &runs[*place].meta;
        if name == "program" {
            return Some(ParamValue::Text(meta.known_program().to_owned()));
        }
        parameter_of(meta, name)
    };
    usable.iter().map(value).collect()
}

fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.order(b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

/// Whether values are no function of p, and come back: at other p, or, where there is one p only, in
/// other runs.
fn divides(usable: &[(usize, f64)], values: &[Value]) -> bool {
    let mut pairs: Vec<(&Value, f64)> = values.iter().zip(usable.iter().map(|it| it.1)).collect();
    pairs.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| order(a.0, b.0)));
    let all = pairs.len();
    pairs.dedup_by(|a, b| same(a.1, b.1) && order(a.0, b.0).is_eq());
    let is_function = !pairs.windows(2).any(|pair| same(pair[0].1, pair[1].1));
    let has_one_p = pairs.windows(2).all(|pair| same(pair[0].1, pair[1].1));
    if is_function {
        return false;
    }
    if has_one_p {
        return pairs.len() < all || all <= 2;
    }
    pairs.sort_by(|a, b| order(a.0, b.0).then(a.1.total_cmp(&b.1)));
    pairs
        .windows(2)
        .any(|pair| order(pair[0].0, pair[1].0).is_eq())
}

/// Classes of runs that agree in the class that they had and in a value, numbered in order of first
/// appearance.
fn refine(classes: &[usize], values: &[Value]) -> Vec<usize> {
    let mut known: Vec<(usize, &Value)> = Vec::new();
    let mut refined = Vec::with_capacity(classes.len());
    for (&class, value) in classes.iter().zip(values) {
        let is_same = |other: &(usize, &Value)| other.0 == class && order(other.1, value).is_eq();
        let place = known.iter().position(is_same).unwrap_or_else(|| {
            known.push((class, value));
            known.len() - 1
        });
        refined.push(place);
    }
    refined
}
