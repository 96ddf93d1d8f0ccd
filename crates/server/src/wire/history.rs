//! Histories.

use std::fmt::Write as _;

use sheaf_answers as api;
use sheaf_ensemble::{
    ChangeKind, HistoryAnswer, HistoryEvent, HistoryLast, HistoryName, HistoryRow, HistorySeries,
    HistoryValue, HistoryWithDiffs, RenamedName, Verdict,
};
use sheaf_model::Lens;

use super::diff::{change, change_kind, matched_by, row, verdict};
use super::{param, params};

/// A history with what changed where.
pub(crate) fn history(lens: &Lens, answer: HistoryWithDiffs, alpha: f64) -> api::History {
    let HistoryWithDiffs {
        history,
        diffs,
        lenses,
    } = answer;
    let version = |of: usize, point: usize| {
        let series: &HistorySeries = &history.series[of];
        param(&series.points[point].version)
    };
    let diffs = diffs.into_iter().map(|diff| {
        let metric = &history.series[diff.series].metric.name;
        api::HistoryDiff {
            series: diff.series as u64,
            point: diff.point as u64,
            before: version(diff.series, diff.point - 1),
            version: version(diff.series, diff.point),
            link: link(&diff.lens),
            structure: diff.structure,
            rows: diff.rows.into_iter().map(|one| row(one, metric)).collect(),
            groups: diff.groups as u64,
        }
    });
    let first = history.metrics.first();
    api::History {
        schema: "history/1".to_owned(),
        lens: lens.to_string(),
        metric: first.map_or_else(String::new, |metric| metric.name.clone()),
        unit: first.map_or_else(String::new, |metric| metric.unit.clone()),
        alpha,
        tested: history.tested as u64,
        diffs: diffs.collect(),
        renames: renames(&history),
        series: history
            .series
            .iter()
            .zip(&lenses)
            .map(|(one, lenses)| series(one, lenses))
            .collect(),
        versions: history.versions.iter().map(param).collect(),
        by: history.by,
        notes: history.notes,
    }
}

/// How the difference is asked for.
fn link(lens: &Lens) -> api::HistoryLink {
    let lens = lens.to_string();
    api::HistoryLink {
        href: format!("/api/v1/diff?lens={}", escaped(&lens)),
        lens,
    }
}

/// A text as a value of a query (RFC 3986).
fn escaped(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().fold(String::new(), |mut escaped, byte| {
        if is_plain(byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
        escaped
    })
}

fn renames(history: &HistoryAnswer) -> Vec<api::Renamed> {
    let classes = history.renaming.classes().iter();
    let rename = |names: &Vec<RenamedName>| {
        let mut found = renamed(names);
        for (name, of) in found.names.iter_mut().zip(names) {
            name.version = history.versions.get(of.stage).map(param);
        }
        let newest = names
            .first()
            .map(|name| history.renaming.id(name.definition));
        found.group = newest.map_or_else(String::new, |id| id.to_string());
        found
    };
    classes.map(rename).collect()
}

/// A definition with its names, oldest first; it is called by the last.
pub(super) fn renamed(names: &[RenamedName]) -> api::Renamed {
    let name = |name: &RenamedName| api::RenamedName {
        name: name.name.to_string(),
        group: name.definition.to_string(),
        version: None,
        matched_by: name.link.map(|(by, _)| matched_by(by)),
        score: name.link.map(|(_, score)| score),
    };
    let newest = names.last();
    api::Renamed {
        group: newest.map_or_else(String::new, |name| name.definition.to_string()),
        names: names.iter().map(name).collect(),
    }
}

fn series(series: &HistorySeries, lenses: &[Option<Lens>]) -> api::HistorySeries {
    let version = |point: usize| param(&series.points[point].version);
    let diff = |point: usize| lenses.get(point).and_then(Option::as_ref).map(link);
    let name = |name: &HistoryName| api::RenamedName {
        name: name.name.to_string(),
        group: name.definition.to_string(),
        version: name.point.map(version),
        matched_by: name.matched_by.map(matched_by),
        score: name.score,
    };
    let group = |row: &HistoryRow| api::HistoryGroup {
        path: row.path.clone(),
        group: row.group.clone(),
        names: row.names.iter().map(name).collect(),
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
                reason: change.reason.clone(),
                diff: diff(change.point),
            })
            .collect(),
        last: row.last.as_ref().map(last),
    };
    let event = |event: &HistoryEvent| api::HistoryEvent {
        point: event.point as u64,
        version: version(event.point),
        kind: change_kind(event.kind),
        path: event.path.clone(),
        group: event.group.clone(),
        verdict: match event.kind {
            ChangeKind::Appeared => Some(verdict(Verdict::Appeared)),
            ChangeKind::Vanished => Some(verdict(Verdict::Vanished)),
            _ => None,
        },
        change: event.change.clone().map(change),
        diff: diff(event.point),
    };
    let points = series.points.iter().enumerate();
    api::HistorySeries {
        metric: series.metric.name.clone(),
        unit: series.metric.unit.clone(),
        name: series.name.clone(),
        environment: params(&series.environment),
        points: points
            .map(|(at, point)| api::HistoryPoint {
                version: param(&point.version),
                runs: point.runs.iter().map(ToString::to_string).collect(),
                untested: point.untested.clone(),
                diff: diff(at),
            })
            .collect(),
        groups: series.rows.iter().map(group).collect(),
        events: series.events.iter().map(event).collect(),
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
        reason: last.reason.clone(),
    }
}
