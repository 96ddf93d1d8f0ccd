//! Gates.

use sheaf_api::{DiffRow, Gate, GateGroup, GateState, Verdict};

use super::{option, text, write};

/// A row of the table of a gate, as comma-separated values and Arrow have it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub(crate) path: String,
    pub(crate) group: String,
    pub(crate) state: Option<GateState>,
    pub(crate) limit: f64,
    pub(crate) worsening: Option<f64>,
    pub(crate) share: Option<f64>,
    pub(crate) metric: String,
    pub(crate) means: [Option<f64>; 2],
    pub(crate) delta: Option<f64>,
    pub(crate) ratio: Option<f64>,
    pub(crate) ci: Option<[f64; 2]>,
    pub(crate) p: Option<f64>,
    pub(crate) q: Option<f64>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) runs: [u64; 2],
    pub(crate) reason: String,
}

/// The whole run, of metrics that add up; then every group with the numbers of its comparison.
pub(crate) fn lines(answer: &Gate) -> Vec<Line> {
    let groups = answer.groups.iter().filter_map(|group| {
        let place = usize::try_from(group.row).ok()?;
        Some(of_group(group, answer.diff.rows.get(place)?))
    });
    whole_run(answer).into_iter().chain(groups).collect()
}

fn of_group(group: &GateGroup, row: &DiffRow) -> Line {
    Line {
        path: group.path.join(" / "),
        group: group.group.clone(),
        state: Some(group.state),
        limit: group.limit,
        worsening: group.worsening,
        share: group.share,
        metric: row.metric.clone(),
        means: [row.a, row.b],
        delta: row.known_delta(),
        ratio: row.ratio,
        ci: row.ci,
        p: row.p,
        q: row.q,
        verdict: Some(row.verdict),
        runs: [row.runs_a, row.runs_b],
        reason: group.reason.clone(),
    }
}

/// Named as histories name it. It is judged apart from groups: it has no q, and no verdict of a group.
fn whole_run(answer: &Gate) -> Option<Line> {
    let diff = &answer.diff;
    let means = diff.totals.as_ref()?;
    let judged = answer.total.as_ref();
    let runs = [&diff.a, &diff.b].map(|side| side.runs.len() as u64);
    let untested = answer.untested_total.as_deref();
    let reason = match (judged, untested) {
        (Some(_), _) => "the whole run is tested apart from its groups".to_owned(),
        (None, Some(why)) => format!("the whole run is not judged: {why}"),
        (None, None) => "there is nothing to judge of the whole run".to_owned(),
    };
    Some(Line {
        path: "(whole run)".to_owned(),
        group: "total".to_owned(),
        state: judged
            .map(|total| total.state)
            .or_else(|| untested.map(|_| GateState::Undecided)),
        limit: answer.limits.max_regression,
        worsening: judged.map(|total| total.worsening),
        share: Some(1.0),
        metric: diff.metric.clone(),
        means: [Some(means.a), Some(means.b)],
        delta: Some(means.delta),
        ratio: judged.map(|total| total.ratio),
        ci: judged.and_then(|total| total.ci),
        p: judged.map(|total| total.p),
        q: None,
        verdict: None,
        runs,
        reason,
    })
}

/// The whole run and the groups of a gate with the numbers of their comparison.
pub fn gate(answer: &Gate) -> String {
    let header = [
        "path",
        "group",
        "state",
        "limit",
        "worsening",
        "share",
        "metric",
        "a",
        "b",
        "delta",
        "ratio",
        "ci_low",
        "ci_high",
        "p",
        "q",
        "verdict",
        "runs_a",
        "runs_b",
        "reason",
    ];
    let header: Vec<String> = header.iter().map(ToString::to_string).collect();
    let rows = lines(answer).into_iter().map(|line| {
        let mut cells = vec![
            text(&line.path),
            line.group,
            line.state.map(word).unwrap_or_default(),
            line.limit.to_string(),
            option(line.worsening.as_ref()),
            option(line.share.as_ref()),
            text(&line.metric),
        ];
        let numbers = [
            line.means[0],
            line.means[1],
            line.delta,
            line.ratio,
            line.ci.map(|ci| ci[0]),
            line.ci.map(|ci| ci[1]),
            line.p,
            line.q,
        ];
        cells.extend(numbers.iter().map(|number| option(number.as_ref())));
        cells.extend([
            line.verdict.map(word).unwrap_or_default(),
            line.runs[0].to_string(),
            line.runs[1].to_string(),
            text(&line.reason),
        ]);
        cells
    });
    write(&header, rows)
}

/// A choice in its wire form.
pub(super) fn word(choice: impl serde::Serialize) -> String {
    let value = serde_json::to_value(choice).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
