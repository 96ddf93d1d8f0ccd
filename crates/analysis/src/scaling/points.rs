//! Points: medians, ratios to the first point, bounds, efficiencies.

use std::collections::BTreeMap;

use sheaf_answers::{
    IntervalBy, Note, Scale, ScaleFact, ScalePoint, ScaleSeries, ScalingKind, SeriesPoint,
    WithinBounds,
};
use sheaf_model::RunId;
use sheaf_statistics::scaling::{
    self, Bounds, Communication, Pop, RESAMPLES, Resampling, Scaled, Series,
};
use sheaf_statistics::{Interval, Random, RankSumNull, Sample, hodges_lehmann_ratio};

use super::division::{Members, Point, SeriesKind, same};
use super::fixed::Fixed;
use super::losses::with_ratio_of_medians;
use super::question::TimeBreakdown;
use super::{SEED, ScalingAnalysis};

/// Error of every interval.
pub(super) const ALPHA: f64 = 0.05;

/// Share of the elapsed time by which a bound may be missed.
const NEGLIGIBLE: f64 = 0.01;

/// Runs of a point from which on a drawn median is more than a midpoint of data.
const DRAWN_FROM: usize = 8;

/// The medians of a series.
pub(super) fn medians(members: &Members) -> Option<Series> {
    let median = |point: &Point| Some((point.p, point.sample.median()?));
    Series::new(members.points.iter().filter_map(median)).ok()
}

/// The points of one series.
pub(super) fn points(
    study: &ScalingAnalysis,
    number: usize,
    kind: &SeriesKind,
    accounts: &BTreeMap<RunId, TimeBreakdown>,
    notes: &mut Vec<Note>,
) -> Vec<ScalePoint> {
    let members = &study.division.series[number];
    let Some(first) = members.points.first() else {
        return Vec::new();
    };
    let scaled = medians(members)
        .map(|series| series.scaled())
        .unwrap_or_default();
    let builder = Builder {
        study,
        members,
        first,
        kind,
        accounts,
    };
    let mut points = Vec::new();
    for (place, point) in members.points.iter().enumerate() {
        let scaled = scaled.get(place).copied().filter(|_| kind.is_scaling);
        points.push(builder.point(number, point, scaled));
        let run = study.groups.runs()[point.representative].meta.id;
        for fault in accounts
            .get(&run)
            .map(|it| it.faults.as_slice())
            .unwrap_or_default()
        {
            let contradiction = ScaleFact::TimesContradict {
                parameter: study.question.by.clone(),
                point: series_point(members, point.p),
                fault: fault.clone(),
            };
            notes.push(contradiction.into());
        }
    }
    say(study, members, kind, &points, notes);
    points
}

/// What readers of a series must know.
fn say(
    study: &ScalingAnalysis,
    members: &Members,
    kind: &SeriesKind,
    points: &[ScalePoint],
    notes: &mut Vec<Note>,
) {
    let by = &study.question.by;
    if study.measured.is_time && !members.counts_workers {
        let two_values = points.len() == 2;
        let parameter = by.clone();
        let uncounted = ScaleFact::NoWorkersCounted {
            parameter,
            two_values,
        };
        notes.push(uncounted.into());
    }
    let crowded = points.iter().filter(|point| point.oversubscribed);
    let crowded: Vec<f64> = crowded.map(|point| point.p).collect();
    if !crowded.is_empty() {
        let too_many = ScaleFact::MoreWorkersThanProcessors {
            parameter: by.clone(),
            values: crowded,
        };
        notes.push(too_many.into());
    }
    if kind.has_constant_work == Some(false) {
        let series = members.name.clone();
        notes.push(ScaleFact::WorkNotConstant { series }.into());
    }
    let below = points
        .iter()
        .filter(|point| point.bound == Some(WithinBounds::Below));
    for point in below {
        let impossible = ScaleFact::FasterThanBound {
            parameter: by.clone(),
            point: series_point(members, point.p),
        };
        notes.push(impossible.into());
    }
}

fn series_point(members: &Members, value: f64) -> SeriesPoint {
    SeriesPoint {
        series: members.name.clone(),
        value,
    }
}

struct Builder<'a> {
    study: &'a ScalingAnalysis,
    members: &'a Members,
    first: &'a Point,
    kind: &'a SeriesKind,
    accounts: &'a BTreeMap<RunId, TimeBreakdown>,
}

impl Builder<'_> {
    fn point(&self, number: usize, point: &Point, scaled: Option<Scaled>) -> ScalePoint {
        let runs = self.study.groups.runs();
        let measure = &self.study.measured.runs[point.representative];
        let run = runs[point.representative].meta.id;
        let account = self.accounts.get(&run);
        let workers = account.map(|it| it.workers).or(measure.workers);
        let interval = point.sample.median_interval(ALPHA);
        let is_first = same(point.p, self.first.p);
        let speedup_interval = scaled
            .filter(|_| !is_first)
            .and_then(|scaled| self.speedup_interval(point, scaled.speedup));
        let work = measure.work;
        // An interval of a median needs six runs, one of a ratio four on each side.
        let is_ratio_bare = scaled.is_some() && !is_first && speedup_interval.is_none();
        let needs_runs = match interval {
            None => Some(6),
            Some(_) => is_ratio_bare.then_some(4),
        };
        let (bounds, place) = scaled.and_then(|_| self.bounds(point)).unzip();
        let pop = scaled.and_then(|_| self.pop(point));
        let communication = scaled.and_then(|_| self.communication(point));
        let is_weak = self.kind.kind == ScalingKind::Weak;
        let (strong, weak) = (scaled.filter(|_| !is_weak), scaled.filter(|_| is_weak));
        let scaled_speedup_interval = speedup_interval
            .filter(|_| is_weak)
            .map(|(interval, _)| ends(self.grown(point, interval)));
        let is_oversubscribed = workers
            .zip(measure.processors)
            .is_some_and(|(workers, processors)| workers as f64 > processors);
        ScalePoint {
            series: u32::try_from(number).unwrap_or(u32::MAX),
            p: point.p,
            runs: point
                .runs
                .iter()
                .map(|&run| runs[run].meta.id.to_string())
                .collect(),
            run: run.to_string(),
            workers,
            oversubscribed: is_oversubscribed,
            value: point.sample.median().unwrap_or(f64::NAN),
            interval: interval.map(ends),
            needs_runs,
            speedup: scaled.map(|it| it.speedup),
            speedup_interval: speedup_interval.map(|(interval, _)| ends(interval)),
            speedup_interval_by: speedup_interval.map(|(_, by)| by),
            efficiency: strong.map(|it| it.efficiency),
            karp_flatt: strong.and_then(|it| it.karp_flatt),
            weak_efficiency: weak.map(|it| it.weak_efficiency),
            scaled_speedup: weak.map(|it| it.scaled_speedup),
            scaled_speedup_interval,
            gustafson: weak.and_then(|it| it.gustafson),
            utilisation: None,
            work,
            inflation: work.and_then(|work| self.inflation(point, work)),
            span: account.and_then(|it| it.span).map(|span| span as f64),
            parallelism: self.parallelism(point),
            lower_bound: bounds.map(|bounds| bounds.lower),
            upper_bound: bounds.map(|bounds| bounds.upper),
            upper_bound_inflated: bounds.map(|bounds| bounds.upper_inflated),
            bound: place,
            load_balance: pop.map(|pop| pop.load_balance),
            communication_efficiency: pop.map(|pop| pop.communication_efficiency),
            serialisation_efficiency: communication.map(|it| it.serialisation),
            transfer_efficiency: communication.map(|it| it.transfer),
            parallel_efficiency: pop.map(|pop| pop.parallel_efficiency),
            computation_scaling: pop.map(|pop| pop.computation_scaling),
            global_efficiency: pop.map(|pop| pop.global_efficiency),
        }
    }

    /// How much the work of a problem like the first point's would be at p.
    pub(super) fn growth(&self, point: &Point) -> f64 {
        match self.kind.kind {
            ScalingKind::Weak => point.p / self.first.p,
            ScalingKind::Strong | ScalingKind::Unclear => 1.0,
        }
    }

    /// The interval of a ratio of times as that of a problem that grows with p.
    fn grown(&self, point: &Point, interval: Interval) -> Interval {
        let growth = self.growth(point);
        Interval {
            low: growth * interval.low,
            high: growth * interval.high,
            ..interval
        }
    }

    fn inflation(&self, point: &Point, work: f64) -> Option<f64> {
        let first = &self.study.measured.runs[self.first.representative];
        let reference = first.work? * self.growth(point);
        (self.kind.is_scaling && reference > 0.0).then(|| work / reference)
    }

    /// Exact between ratios of pairs of runs, or drawn where there are runs enough.
    fn speedup_interval(&self, point: &Point, speedup: f64) -> Option<(Interval, IntervalBy)> {
        let (base, own) = (&self.first.sample, &point.sample);
        if base.len().min(own.len()) >= DRAWN_FROM {
            let sides = [(1.0, base.clone()), (2.0, own.clone())];
            let ratio = |drawn: &Series| Some(drawn.points()[0].1 / drawn.points()[1].1);
            let p = point.p.to_string();
            let key = [self.members.name.as_str(), "speedup", &p];
            let drawn = Resampling::new(&sides, random(&key))?;
            let interval = drawn.interval(ALPHA, RESAMPLES, ratio)?;
            return Some((interval, IntervalBy::Bootstrap));
        }
        let null = RankSumNull::new(own.len(), base.len());
        let interval = hodges_lehmann_ratio(own, base, &null, ALPHA)?.interval?;
        Some((with_ratio_of_medians((interval, speedup)), IntervalBy::Rank))
    }

    /// The critical path of the run that stands for the first point, and its work.
    fn reference(&self) -> Option<&TimeBreakdown> {
        let run = self.study.groups.runs()[self.first.representative].meta.id;
        self.accounts.get(&run)
    }

    fn parallelism(&self, point: &Point) -> Option<f64> {
        let run = self.study.groups.runs()[point.representative].meta.id;
        let account = self.accounts.get(&run)?;
        Bounds::parallelism(account.work as f64, account.span? as f64)
    }

    /// The shortest critical path of any point: the finest division of the problem that is known.
    fn shortest_span(&self) -> Option<i64> {
        let runs = self.study.groups.runs();
        let points = self.members.points.iter();
        let accounts =
            points.filter_map(|point| self.accounts.get(&runs[point.representative].meta.id));
        accounts.filter_map(|account| account.span).min()
    }

    /// The bounds of a run's elapsed time. The upper bound follows from the first run's work and the shorter critical
    /// path of both runs. The inflated upper bound follows from the run's own work and path.
    ///
    /// The lower bound takes the smaller work and the shortest critical path of any run: a loop that is one chunk on
    /// one thread has many on several, and no measured run may be below the bound. Neither is a repeat that had less
    /// work than the run that stands for the point. The place is that of this run or of the median, whichever is better:
    /// with few repeats they can be far apart.
    fn bounds(&self, point: &Point) -> Option<(Bounds, WithinBounds)> {
        if self.kind.kind != ScalingKind::Strong {
            return None;
        }
        let run = self.study.groups.runs()[point.representative].meta.id;
        let (reference, own) = (self.reference()?, self.accounts.get(&run)?);
        let workers = own.workers as f64;
        let base = reference.work as f64;
        let (own_span, own_work) = (own.span?, own.work as f64);
        let span = own_span.min(reference.span?) as f64;
        let mut bounds = Bounds::of(base, span, own_work, workers);
        bounds.lower = (base.min(own_work) / workers).max(self.shortest_span()? as f64);
        let inflated = Bounds::of(own_work, own_span as f64, own_work, workers);
        bounds.upper_inflated = inflated.upper.max(bounds.upper);
        let elapsed = own.elapsed as f64;
        let place = bounds.place(elapsed);
        let place = if place == scaling::WithinBounds::Below {
            place
        } else {
            let times = Some(&point.sample).filter(|_| self.study.measured.is_elapsed);
            let fastest = times.and_then(Sample::min).unwrap_or(f64::INFINITY);
            bounds.lower = bounds.lower.min(fastest);
            let time = times.and_then(Sample::median).unwrap_or(elapsed);
            // Differences below a hundredth do not change the place.
            bounds.place((time.min(elapsed) * (1.0 - NEGLIGIBLE)).max(bounds.lower))
        };
        let place = match place {
            scaling::WithinBounds::Below => WithinBounds::Below,
            scaling::WithinBounds::Greedy => WithinBounds::Greedy,
            scaling::WithinBounds::Inflated => WithinBounds::Inflated,
            scaling::WithinBounds::Above => WithinBounds::Above,
        };
        Some((bounds, place))
    }

    /// Times that are no whole nanoseconds are of no trace with messages.
    fn communication(&self, point: &Point) -> Option<Communication> {
        let account = self
            .accounts
            .get(&self.study.groups.runs()[point.representative].meta.id)?;
        let useful = &self.study.measured.runs[point.representative].useful;
        let is_whole = useful.iter().all(|useful| useful.fract() == 0.0);
        let greatest = useful.iter().copied().reduce(f64::max)?;
        let greatest = Fixed::new(greatest, is_whole).of(greatest);
        Communication::of(
            i64::try_from(greatest).ok().filter(|_| is_whole)?,
            account.ideal_elapsed?,
            account.elapsed,
        )
    }

    fn pop(&self, point: &Point) -> Option<Pop> {
        let measure = &self.study.measured.runs[point.representative];
        let account = self
            .accounts
            .get(&self.study.groups.runs()[point.representative].meta.id);
        let elapsed = account.map(|it| it.elapsed as f64).or(measure.value)?;
        let reference = self.study.measured.runs[self.first.representative].work?;
        let area = elapsed * measure.useful.len() as f64;
        let is_whole = measure
            .useful
            .iter()
            .chain([&elapsed])
            .all(|it| it.fract() == 0.0);
        let fixed = Fixed::new(area.max(reference * self.growth(point)), is_whole);
        let whole = |value: f64| i64::try_from(fixed.of(value)).ok();
        let useful: Option<Vec<i64>> = measure.useful.iter().map(|&value| whole(value)).collect();
        Pop::of(
            &useful?,
            whole(elapsed)?,
            whole(reference * self.growth(point))?,
        )
    }
}

fn ends(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

/// A generator of its own for each thing that is drawn, whatever else is drawn.
pub(super) fn random(key: &[&str]) -> Random {
    Random::keyed(SEED, key)
}

/// Says what figures of a point are of, where it has several runs.
pub(super) fn basis(answer: &Scale) -> Option<Note> {
    let has_repeats = answer.points.iter().any(|point| point.runs.len() > 1);
    let with_losses = !answer.loss.is_empty();
    has_repeats.then(|| ScaleFact::MedianOfRuns { with_losses }.into())
}

/// Says to what ratios are related where that is not one worker.
pub(super) fn references(answer: &Scale) -> Option<Note> {
    let is_scaled = |series: usize| {
        let mut points = answer.points.iter();
        points.any(|point| point.series as usize == series && point.speedup.is_some())
    };
    let others: Vec<&ScaleSeries> = (0..)
        .zip(&answer.series)
        .filter(|(number, series)| !same(series.reference, 1.0) && is_scaled(*number))
        .map(|(_, series)| series)
        .collect();
    let parameter = answer.by.clone();
    let fact = match others.as_slice() {
        [] => return None,
        [one] => ScaleFact::NoRunWithOne {
            parameter,
            reference: SeriesPoint {
                series: one.name.clone(),
                value: one.reference,
            },
        },
        several => ScaleFact::SeriesWithoutOne {
            parameter,
            series: several.len() as u64,
        },
    };
    Some(fact.into())
}
