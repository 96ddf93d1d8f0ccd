//! Laws fitted to a series and to its groups.

use rayon::prelude::*;
use sheaf_answers::{Law, ModelFlag, ScaleModel, ScaleParameter, ScalingKind};
use sheaf_statistics::Sample;
use sheaf_statistics::scaling::{
    Amdahl, Gustafson, LogLaw, Pmnf, PowerLaw, RESAMPLES, Resampling, Series, Usl,
};

use super::ScalingAnalysis;
use super::division::{Members, Point, SeriesKind};
use super::points::{ALPHA, medians, random};

/// Points from which on a law of two parameters says more than that two points have a curve.
const TELLING_POINTS: usize = 3;

/// The laws of one series: those asked for, else those that suit it.
fn laws(asked: &[Law], kind: &SeriesKind, points: usize) -> Vec<Law> {
    if !asked.is_empty() {
        return asked.to_vec();
    }
    if points < TELLING_POINTS && (!kind.is_scaling || kind.kind == ScalingKind::Unclear) {
        return Vec::new();
    }
    match kind.kind {
        _ if !kind.is_scaling => vec![Law::Log2, Law::Power, Law::Pmnf],
        ScalingKind::Strong => vec![Law::Amdahl, Law::Usl, Law::Pmnf],
        ScalingKind::Weak => vec![Law::Gustafson, Law::Log2, Law::Power, Law::Pmnf],
        ScalingKind::Unclear => vec![Law::Log2, Law::Power, Law::Pmnf],
    }
}

/// Models of the whole, then of groups by descending value at the greatest p.
pub(super) fn models(study: &ScalingAnalysis, number: usize, kind: &SeriesKind) -> Vec<ScaleModel> {
    let members = &study.division.series[number];
    let Some(series) = medians(members) else {
        return Vec::new();
    };
    let samples: Vec<(f64, Sample)> = members
        .points
        .iter()
        .map(|point| (point.p, point.sample.clone()))
        .collect();
    let fitter = Fitter {
        series: &series,
        samples,
        members,
        number,
        kind,
    };
    let asked = laws(&study.question.fit, kind, series.len());
    let mut models: Vec<ScaleModel> = asked.iter().map(|&law| fitter.fit(law)).collect();
    let is_crowded = |point: &Point| {
        let measure = &study.measured.runs[point.representative];
        let pair = measure.workers.zip(measure.processors);
        pair.is_some_and(|(workers, processors)| workers as f64 > processors)
    };
    if members.points.iter().any(is_crowded) {
        for model in models.iter_mut().filter(|model| model.formula.is_some()) {
            model.flags.push(ModelFlag::Oversubscribed);
        }
    }
    if asked.contains(&Law::Pmnf) {
        models.extend(of_groups(study, members, number, kind));
    }
    models
}

fn of_groups(
    study: &ScalingAnalysis,
    members: &Members,
    number: usize,
    kind: &SeriesKind,
) -> Vec<ScaleModel> {
    let median = |group: usize, point: &Point| {
        let value = |run: &usize| study.measured.of_group(group, *run);
        Some((
            point.p,
            Sample::new(point.runs.iter().filter_map(value)).median()?,
        ))
    };
    let mut groups: Vec<(usize, Vec<(f64, f64)>)> = (0..study.groups.len())
        .into_par_iter()
        .map(|group| {
            let points = members
                .points
                .iter()
                .filter_map(|point| median(group, point));
            (group, points.collect())
        })
        .collect();
    groups.retain(|(_, points)| points.iter().any(|point| point.1 > 0.0));
    let last = |points: &[(f64, f64)]| points.last().map_or(0.0, |point| point.1);
    groups.sort_by(|a, b| last(&b.1).total_cmp(&last(&a.1)).then(a.0.cmp(&b.0)));
    groups
        .into_par_iter()
        .map(|(group, points)| {
            let mut model = empty(number, Law::Pmnf, points.len());
            model.path = study.groups.path(group);
            model.group = Some(study.groups.id(group).to_string());
            add_normal_form(&mut model, &points, kind);
            model
        })
        .collect()
}

fn empty(number: usize, law: Law, points: usize) -> ScaleModel {
    ScaleModel {
        series: u32::try_from(number).unwrap_or(u32::MAX),
        path: Vec::new(),
        group: None,
        law,
        formula: None,
        parameters: Vec::new(),
        points: points as u64,
        r_squared: None,
        smape: None,
        rss: None,
        rss_left_out: None,
        greatest_error: None,
        greatest_error_at: None,
        flags: Vec::new(),
        reason: None,
    }
}

struct Fitter<'a> {
    series: &'a Series,
    samples: Vec<(f64, Sample)>,
    members: &'a Members,
    number: usize,
    kind: &'a SeriesKind,
}

impl Fitter<'_> {
    fn fit(&self, law: Law) -> ScaleModel {
        let mut model = empty(self.number, law, self.series.len());
        let needs = match law {
            Law::Usl | Law::UslFree => 4,
            Law::Amdahl | Law::Gustafson | Law::Log2 | Law::Power | Law::Pmnf => 2,
        };
        if self.series.len() < needs {
            model.reason = Some(format!("needs {needs} different values of the parameter"));
            return model;
        }
        if !self.kind.is_scaling && !matches!(law, Law::Log2 | Law::Power | Law::Pmnf) {
            model.reason = Some("speedups mean nothing here".to_owned());
            return model;
        }
        match law {
            Law::Amdahl => self.amdahl(&mut model),
            Law::Usl | Law::UslFree => self.usl(&mut model, law == Law::UslFree),
            Law::Gustafson => self.gustafson(&mut model),
            Law::Log2 => self.log2(&mut model),
            Law::Power => self.power(&mut model),
            Law::Pmnf => add_normal_form(&mut model, self.series.points(), self.kind),
        }
        if model.formula.is_some() && self.series.len() < TELLING_POINTS {
            // Two points are met exactly: how well says nothing.
            model.r_squared = None;
            model.smape = None;
            model.greatest_error = None;
            model.greatest_error_at = None;
            if !model.flags.contains(&ModelFlag::Underdetermined) {
                model.flags.push(ModelFlag::Underdetermined);
            }
        }
        model
    }

    /// Parameters with their intervals, all from the same draws.
    fn parameters<const N: usize>(
        &self,
        law: Law,
        names: [&'static str; N],
        values: [Option<f64>; N],
        of: impl Fn(&Series) -> [Option<f64>; N],
    ) -> impl Iterator<Item = ScaleParameter> {
        let random = random(&[&self.members.name, law.as_str()]);
        let resampling = Resampling::new(&self.samples, random);
        let intervals = resampling.map_or([None; N], |it| it.intervals(ALPHA, RESAMPLES, of));
        let all = names.into_iter().zip(values).zip(intervals);
        all.map(|((name, value), interval)| ScaleParameter {
            name: name.to_owned(),
            value,
            interval: interval.map(|it| [it.low, it.high]),
        })
    }

    fn amdahl(&self, model: &mut ScaleModel) {
        let Some(law) = Amdahl::fit(self.series) else {
            return;
        };
        model.formula = Some(format!("{} + {} / p", law.serial, law.parallel));
        model.parameters = vec![
            plain("serial_time", law.serial),
            plain("parallel_time", law.parallel),
        ];
        let of = |law: Amdahl| [Some(law.serial_fraction()), law.limit()];
        let names = ["serial_fraction", "speedup_limit"];
        let drawn = |series: &Series| Amdahl::fit(series).map_or([None; 2], of);
        let estimates = self.parameters(Law::Amdahl, names, of(law), drawn);
        model.parameters.extend(estimates);
        model.r_squared = law.r_squared;
        model.rss = Some(law.rss);
        self.errors(model, |p| law.at(p));
        if law.is_clamped {
            model.flags.push(ModelFlag::Clamped);
        }
        if law.serial <= 0.0 {
            model.flags.push(ModelFlag::Superlinear);
        }
        if law.parallel <= 0.0 {
            model.flags.push(ModelFlag::NoSpeedup);
        }
    }

    fn usl(&self, model: &mut ScaleModel, is_free: bool) {
        let Some(law) = Usl::fit(self.series, is_free) else {
            model.reason = Some("needs a run with one worker; ask for `usl_free`".to_owned());
            return;
        };
        model.formula = Some(format!(
            "C(p) = {} * p / (1 + {} * (p - 1) + {} * p * (p - 1))",
            law.lambda, law.sigma, law.kappa
        ));
        let of = |law: Usl| [Some(law.sigma), Some(law.kappa), law.peak()];
        let names = ["sigma", "kappa", "peak"];
        let drawn = |series: &Series| law.refit(series, is_free).map_or([None; 3], of);
        let asked = if is_free { Law::UslFree } else { Law::Usl };
        model.parameters = vec![plain("lambda", law.lambda)];
        let estimates = self.parameters(asked, names, of(law), drawn);
        model.parameters.extend(estimates);
        model.rss = Some(law.rss);
        let (first, base) = self.series.first();
        self.errors(model, |p| base * first / law.at(p));
        // Three parameters of a curve: from six points on there is something left to contradict it.
        if self.series.len() < 6 {
            model.flags.push(ModelFlag::FewPoints);
        }
    }

    fn gustafson(&self, model: &mut ScaleModel) {
        let Some(law) = Gustafson::fit(self.series) else {
            model.reason = Some("needs a run with one worker".to_owned());
            return;
        };
        model.formula = Some(format!("S(p) = p - {} * (p - 1)", law.serial));
        let drawn = |series: &Series| [Gustafson::fit(series).map(|law| law.serial)];
        let estimates = self.parameters(
            Law::Gustafson,
            ["serial_fraction"],
            [Some(law.serial)],
            drawn,
        );
        model.parameters = estimates.collect();
        model.rss = Some(law.rss);
        let base = self.series.first().1;
        self.errors(model, |p| base * law.relative_time(p));
        if self.kind.kind != ScalingKind::Weak {
            model.flags.push(ModelFlag::NotWeakScaling);
        }
    }

    fn log2(&self, model: &mut ScaleModel) {
        let Some(law) = LogLaw::fit(self.series) else {
            return;
        };
        model.formula = Some(sum(law.constant, law.slope, "log2(p)"));
        model.parameters = vec![plain("constant", law.constant)];
        let drawn = |series: &Series| [LogLaw::fit(series).map(|law| law.slope)];
        let estimates = self.parameters(Law::Log2, ["slope"], [Some(law.slope)], drawn);
        model.parameters.extend(estimates);
        model.rss = Some(law.rss);
        self.errors(model, |p| law.at(p));
    }

    fn power(&self, model: &mut ScaleModel) {
        let Some(law) = PowerLaw::fit(self.series) else {
            return;
        };
        model.formula = Some(format!("{} * p^{}", law.coefficient, law.exponent));
        model.parameters = vec![plain("coefficient", law.coefficient)];
        let drawn = |series: &Series| [PowerLaw::fit(series).map(|law| law.exponent)];
        let estimates = self.parameters(Law::Power, ["exponent"], [Some(law.exponent)], drawn);
        model.parameters.extend(estimates);
        model.rss = Some(law.rss);
        self.errors(model, |p| law.at(p));
    }

    fn errors(&self, model: &mut ScaleModel, fitted: impl Fn(f64) -> f64) {
        add_errors(model, self.series.points(), &fitted);
        let mean = |points: &[(f64, f64)]| {
            let errors = points.iter().map(|&(p, value)| {
                let fitted = fitted(p);
                2.0 * (value - fitted).abs() / (value.abs() + fitted.abs())
            });
            errors.sum::<f64>() / points.len() as f64 * 100.0
        };
        model.smape = Some(mean(self.series.points()));
    }
}

fn plain(name: &'static str, value: f64) -> ScaleParameter {
    ScaleParameter {
        name: name.to_owned(),
        value: Some(value),
        interval: None,
    }
}

fn sum(constant: f64, factor: f64, term: &str) -> String {
    if factor < 0.0 {
        format!("{constant} - {} * {term}", -factor)
    } else {
        format!("{constant} + {factor} * {term}")
    }
}

/// The greatest relative error, which squares hide.
fn add_errors(model: &mut ScaleModel, points: &[(f64, f64)], fitted: impl Fn(f64) -> f64) {
    let errors = points
        .iter()
        .map(|&(p, value)| ((fitted(p) / value - 1.0).abs(), p));
    let errors = errors.filter(|(error, _)| error.is_finite());
    let greatest = errors.reduce(|a, b| if b.0 > a.0 { b } else { a });
    (model.greatest_error, model.greatest_error_at) = greatest.unzip();
}

fn add_normal_form(model: &mut ScaleModel, points: &[(f64, f64)], kind: &SeriesKind) {
    let allow_negative = kind.is_scaling && kind.kind != ScalingKind::Weak;
    let Some(fit) = Pmnf::fit(points, allow_negative) else {
        model.reason = Some("needs 2 different values of the parameter".to_owned());
        return;
    };
    model.formula = Some(fit.to_string());
    model.parameters.push(plain("constant", fit.constant));
    if let Some((factor, term)) = fit.term {
        model.parameters.push(plain("factor", factor));
        model.parameters.push(plain("exponent", term.exponent()));
        model
            .parameters
            .push(plain("log_exponent", f64::from(term.logarithm)));
    }
    model.r_squared = fit.adjusted_r_squared;
    model.smape = Some(fit.smape);
    model.rss = Some(fit.rss);
    model.rss_left_out = Some(fit.rss_left_out);
    add_errors(model, points, |p| fit.at(p));
    if fit.is_underdetermined {
        model.flags.push(ModelFlag::Underdetermined);
    }
}
