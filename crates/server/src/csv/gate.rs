//! Gates.

use sheaf_api::Gate;

use super::{option, text, write};

/// Groups of a gate with the numbers of their comparison.
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
    let rows = answer.groups.iter().filter_map(|group| {
        let row = answer.diff.rows.get(usize::try_from(group.row).ok()?)?;
        let mut cells = vec![
            text(&group.path.join(" / ")),
            group.group.clone(),
            word(group.state),
            group.limit.to_string(),
            option(group.worsening.as_ref()),
            option(group.share.as_ref()),
            text(&row.metric),
        ];
        let numbers = [
            row.a,
            row.b,
            Some(row.delta),
            row.ratio,
            row.ci.map(|ci| ci[0]),
            row.ci.map(|ci| ci[1]),
            row.p,
            row.q,
        ];
        cells.extend(numbers.iter().map(|number| option(number.as_ref())));
        cells.extend([
            word(row.verdict),
            row.runs_a.to_string(),
            row.runs_b.to_string(),
            text(&group.reason),
        ]);
        Some(cells)
    });
    write(&header, rows)
}

/// A choice in its wire form.
pub(super) fn word(choice: impl serde::Serialize) -> String {
    let value = serde_json::to_value(choice).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
