//! Distributions over runs, and what distributions look like.

use sheaf_api as api;
use sheaf_ensemble::{BoxPlot, Mode, Modes, SharedBins, StatsAnswer, StatsRow};

use super::params;

/// Distributions.
pub(crate) fn stats(answer: StatsAnswer) -> api::Stats {
    api::Stats {
        schema: "stats/1".to_owned(),
        lens: answer.lens.to_string(),
        rows: answer.rows.into_iter().map(row).collect(),
        notes: answer.notes,
    }
}

fn row(row: StatsRow) -> api::StatsRow {
    api::StatsRow {
        group: row.group.to_string(),
        cohort: params(&row.cohort),
        path: row.path,
        metric: row.metric,
        source_metric: row.source_metric,
        estimated: row.is_estimated,
        scope: row.scope.to_string(),
        unit: row.unit,
        runs: row.runs,
        absent: row.absent,
        not_measured: row.not_measured,
        count: row.count,
        mean: row.mean,
        median: row.median,
        std: row.std,
        min: row.min,
        max: row.max,
        q1: row.q1,
        q3: row.q3,
        p05: row.p05,
        p95: row.p95,
        mad: row.mad,
        median_ci: row.median_interval,
        box_plot: row.box_plot.map(box_plot),
        modes: row.modes.map(modes),
        histogram: row.histogram.map(shared_bins),
        load_balance: row.load_balance,
        share: row.share,
    }
}

fn shared_bins(bins: SharedBins) -> api::SharedBins {
    api::SharedBins {
        lo: bins.lo,
        hi: bins.hi,
        counts: bins.counts,
    }
}

/// A box plot, whatever its values belong to.
pub(super) fn box_plot<Owner: ToString>(plot: BoxPlot<Owner>) -> api::BoxPlot {
    let outliers = plot.outliers.into_iter().map(|outlier| api::Outlier {
        owner: outlier.owner.to_string(),
        value: outlier.value,
    });
    api::BoxPlot {
        fences: plot.fences,
        whiskers: plot.whiskers,
        outlier_count: plot.outlier_count,
        outliers: outliers.collect(),
    }
}

/// Two clusters.
pub(super) fn modes(modes: Modes) -> api::Modes {
    let mode = |mode: Mode| api::Mode {
        count: mode.count,
        min: mode.min,
        median: mode.median,
        max: mode.max,
    };
    api::Modes {
        low: mode(modes.low),
        high: mode(modes.high),
    }
}
