//! Scaling studies.

use sheaf_answers as api;
use sheaf_ensemble::{
    Culprit, IntervalBy, LossRow, OutOfOrder, ScaleAnswer, ScaleModel, ScalePoint, ScaleSeries,
    ScalingKind,
};

use super::params;

/// A scaling study.
pub(crate) fn scale(answer: ScaleAnswer) -> api::Scale {
    let kinds: Vec<ScalingKind> = answer.series.iter().map(|series| series.kind).collect();
    let kind = |series: u32| kinds.get(series as usize).copied();
    let points = answer.points.iter();
    api::Scale {
        schema: "scale/1".to_owned(),
        lens: answer.lens.to_string(),
        by: answer.by,
        metric: answer.metric,
        unit: answer.unit,
        of_elapsed: answer.is_elapsed,
        of_time: answer.is_time,
        divided_by: answer.divided_by,
        series: answer.series.into_iter().map(series).collect(),
        points: points.map(|one| point(one, kind(one.series))).collect(),
        models: answer.models.into_iter().map(model).collect(),
        loss: answer.loss.into_iter().map(loss).collect(),
        out_of_order: answer.out_of_order.into_iter().map(out_of_order).collect(),
        missing: answer
            .missing
            .into_iter()
            .map(|(series, p)| api::MissingPoint { series, p })
            .collect(),
        seed: answer.seed,
        resamples: answer.resamples,
        notes: answer.notes,
    }
}

fn series(series: ScaleSeries) -> api::ScaleSeries {
    api::ScaleSeries {
        values: params(&series.values),
        name: series.name,
        kind: series.kind.to_string(),
        work_exponent: series.work_exponent,
        constant_work: series.has_constant_work,
        reference: series.reference,
        turn: series.turn,
        runs: series.runs,
    }
}

fn ends(interval: sheaf_ensemble::Interval) -> [f64; 2] {
    [interval.low, interval.high]
}

fn point(point: &ScalePoint, kind: Option<ScalingKind>) -> api::ScalePoint {
    let scaled = point.scaled;
    let strong = scaled.filter(|_| kind != Some(ScalingKind::Weak));
    let weak = scaled.filter(|_| kind == Some(ScalingKind::Weak));
    let bounds = point.bounds;
    let pop = point.pop;
    api::ScalePoint {
        series: point.series,
        p: point.p,
        runs: point.runs.iter().map(ToString::to_string).collect(),
        run: point.run.to_string(),
        workers: point.workers,
        oversubscribed: point.is_oversubscribed,
        value: point.value,
        interval: point.interval.map(ends),
        needs_runs: point.needs_runs,
        speedup: scaled.map(|it| it.speedup),
        speedup_interval: point.speedup_interval.map(|(interval, _)| ends(interval)),
        speedup_interval_by: point.speedup_interval.map(|(_, by)| {
            match by {
                IntervalBy::Rank => "rank",
                IntervalBy::Bootstrap => "bootstrap",
            }
            .to_owned()
        }),
        efficiency: strong.map(|it| it.efficiency),
        karp_flatt: strong.and_then(|it| it.karp_flatt),
        weak_efficiency: weak.map(|it| it.weak_efficiency),
        scaled_speedup: weak.map(|it| it.scaled_speedup),
        scaled_speedup_interval: point.scaled_speedup_interval.map(ends),
        gustafson: weak.and_then(|it| it.gustafson),
        utilisation: point.utilisation,
        work: point.work,
        inflation: point.inflation,
        span: point.span,
        parallelism: point.parallelism,
        lower_bound: bounds.map(|(bounds, _)| bounds.lower),
        upper_bound: bounds.map(|(bounds, _)| bounds.upper),
        upper_bound_inflated: bounds.map(|(bounds, _)| bounds.upper_inflated),
        bound: bounds.map(|(_, place)| place.as_str().to_owned()),
        load_balance: pop.map(|pop| pop.load_balance),
        communication_efficiency: pop.map(|pop| pop.communication_efficiency),
        serialisation_efficiency: point.communication.map(|it| it.serialisation),
        transfer_efficiency: point.communication.map(|it| it.transfer),
        parallel_efficiency: pop.map(|pop| pop.parallel_efficiency),
        computation_scaling: pop.map(|pop| pop.computation_scaling),
        global_efficiency: pop.map(|pop| pop.global_efficiency),
    }
}

fn model(model: ScaleModel) -> api::ScaleModel {
    let parameters = model
        .parameters
        .into_iter()
        .map(|parameter| api::ScaleParameter {
            name: parameter.name.to_owned(),
            value: parameter.value,
            interval: parameter.interval.map(ends),
        });
    api::ScaleModel {
        series: model.series,
        path: model.path,
        group: model.group.map(|group| group.to_string()),
        law: model.law.to_string(),
        formula: model.formula,
        parameters: parameters.collect(),
        points: model.points,
        r_squared: model.r_squared,
        smape: model.smape,
        rss: model.rss,
        rss_left_out: model.rss_left_out,
        greatest_error: model.greatest_error.map(|(error, _)| error),
        greatest_error_at: model.greatest_error.map(|(_, p)| p),
        flags: model.flags.into_iter().map(str::to_owned).collect(),
        reason: model.reason,
    }
}

fn loss(row: LossRow) -> api::ScaleLoss {
    api::ScaleLoss {
        series: row.series,
        p: row.p,
        run: row.run.to_string(),
        reference_run: row.reference_run.to_string(),
        path: row.path,
        group: row.group.map(|group| group.to_string()),
        workers: row.workers,
        area: row.area,
        ideal: row.ideal,
        inflation: row.inflation,
        overhead: row.overhead,
        idle: row.idle,
        unexplained: row.unexplained,
        inflation_ratio: row.inflation_ratio,
        inflation_interval: row.inflation_interval.map(ends),
        ready: row.ready,
    }
}

fn out_of_order(found: OutOfOrder) -> api::OutOfOrder {
    let culprit = |culprit: Culprit| api::Culprit {
        path: culprit.path,
        delta: culprit.delta,
        share: culprit.share,
    };
    api::OutOfOrder {
        series: found.series,
        p: found.p,
        suspect: found.suspect.map(|side| found.runs[side].to_string()),
        runs: found.runs.map(|run| run.to_string()),
        values: found.values,
        rising: found.is_rising,
        certain: found.is_certain,
        culprits: found.culprits.into_iter().map(culprit).collect(),
    }
}
