//! Histories.

use sheaf_api as api;
use sheaf_ensemble::{
    HistoryLast, HistoryRow, HistorySeries, HistoryValue, HistoryWithDiffs, Verdict,
};
use sheaf_model::Lens;

use super::diff::{row, verdict};
use super::{param, params};

/// A history with what changed where.
pub(crate) fn history(lens: &Lens, answer: HistoryWithDiffs, alpha: f64) -> api::History {
    let HistoryWithDiffs { history, diffs } = answer;
    let metric = history.metric.name;
    let version = |of: usize, point: usize| {
        let series: &HistorySeries = &history.series[of];
        param(&series.points[point].version)
    };
    let diffs = diffs.into_iter().map(|diff| api::HistoryDiff {
        series: diff.series as u64,
        point: diff.point as u64,
        before: version(diff.series, diff.point - 1),
        version: version(diff.series, diff.point),
        lens: diff.lens.to_string(),
        structure: diff.structure,
        rows: diff.rows.into_iter().map(|one| row(one, &metric)).collect(),
        groups: diff.groups as u64,
    });
    api::History {
        schema: "history/1".to_owned(),
        lens: lens.to_string(),
        unit: history.metric.unit,
        by: history.by,
        versions: history.versions.iter().map(param).collect(),
        alpha,
        tested: history.tested as u64,
        diffs: diffs.collect(),
        series: history.series.iter().map(series).collect(),
        notes: history.notes,
        metric,
    }
}

fn series(series: &HistorySeries) -> api::HistorySeries {
    let version = |point: usize| param(&series.points[point].version);
    let group = |row: &HistoryRow| api::HistoryGroup {
        path: row.path.clone(),
        group: row.group.clone(),
        share: row.share,
        values: row
            .values
            .iter()
            .map(|one| one.as_ref().map(value))
            .collect(),
        p: row.p,
        q: row.q,
        changes: row
            .changes
            .iter()
            .map(|change| api::HistoryChange {
                point: change.point as u64,
                version: version(change.point),
                p: change.p,
                before: change.medians[0],
                after: change.medians[1],
                verdict: verdict(change.verdict),
            })
            .collect(),
        last: row.last.as_ref().map(last),
    };
    let events = series.events.iter().map(|event| api::HistoryEvent {
        point: event.point as u64,
        version: version(event.point),
        path: event.path.clone(),
        group: event.group.clone(),
        verdict: verdict(if event.is_appearance {
            Verdict::Appeared
        } else {
            Verdict::Vanished
        }),
    });
    api::HistorySeries {
        name: series.name.clone(),
        environment: params(&series.environment),
        points: series
            .points
            .iter()
            .map(|point| api::HistoryPoint {
                version: param(&point.version),
                runs: point.runs.iter().map(ToString::to_string).collect(),
            })
            .collect(),
        groups: series.rows.iter().map(group).collect(),
        events: events.collect(),
        smallest_p: series.smallest_p,
    }
}

fn value(value: &HistoryValue) -> api::HistoryValue {
    api::HistoryValue {
        runs: value.runs as u64,
        median: value.median,
        min: value.min,
        max: value.max,
    }
}

fn last(last: &HistoryLast) -> api::HistoryLast {
    let interval = last.ratio.and_then(|ratio| ratio.interval);
    api::HistoryLast {
        since: last.since as u64,
        runs_before: last.runs[0] as u64,
        runs: last.runs[1] as u64,
        ratio: last.ratio.map(|ratio| ratio.value),
        ci: interval.map(|ends| [ends.low, ends.high]),
        p: last.p,
        q: last.q,
        verdict: verdict(last.verdict),
    }
}
