//! Differences of grains as comma-separated values.

use sheaf_api::GrainDiff;

use super::{option, text, write};

/// Grains of a difference; paths are joined by ` / `.
pub fn grain_diff(answer: &GrainDiff) -> String {
    let header = [
        "path",
        "definition",
        "path_key",
        "kind",
        "runs_a",
        "runs_b",
        "a",
        "b",
        "delta",
        "work_deviation",
        "lifetime_a",
        "lifetime_b",
        "stretch",
        "delay_a",
        "delay_b",
        "delay_change",
        "matched_by",
        "match_score",
    ];
    let rows = answer.rows.iter().map(|row| {
        let mut cells = vec![
            text(&row.path.join(" / ")),
            text(&row.definition),
            row.path_key.clone(),
            row.kind.clone(),
            row.runs_a.to_string(),
            row.runs_b.to_string(),
        ];
        let numbers = [
            row.a,
            row.b,
            row.delta,
            row.work_deviation,
            row.lifetime_a,
            row.lifetime_b,
            row.stretch,
            row.delay_a,
            row.delay_b,
            row.delay_change,
        ];
        cells.extend(numbers.iter().map(|number| option(number.as_ref())));
        cells.push(text(row.matched_by.as_deref().unwrap_or_default()));
        cells.push(option(row.match_score.as_ref()));
        cells
    });
    write(&header.map(str::to_owned), rows)
}
