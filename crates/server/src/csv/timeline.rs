//! The time line of one run as comma-separated values.

use sheaf_api::{Parallelism, Timeline};

use super::{option, text, write};

/// Who ran what.
pub fn timeline(answer: &Timeline) -> String {
    let header = [
        "worker",
        "start",
        "end",
        "intervals",
        "busy",
        "grain",
        "definition",
    ];
    let header: Vec<String> = header.iter().map(ToString::to_string).collect();
    let rows = answer.rows.iter().map(|row| {
        vec![
            row.worker.to_string(),
            row.start.to_string(),
            row.end.to_string(),
            row.intervals.to_string(),
            row.busy.to_string(),
            option(row.grain.as_ref()),
            row.definition.as_deref().map(text).unwrap_or_default(),
        ]
    });
    write(&header, rows)
}

/// How much ran and waited; three columns per layer.
pub fn parallelism(answer: &Parallelism) -> String {
    let layers = answer.layers.iter();
    let figures = layers.flat_map(|layer| ["min", "mean", "max"].map(|it| format!("{layer}_{it}")));
    let figures: Vec<String> = figures.collect();
    let mut header = vec!["start".to_owned(), "end".to_owned()];
    header.extend(figures.iter().cloned());
    let rows = answer.rows.iter().map(|row| {
        let mut cells = vec![row.start.to_string(), row.end.to_string()];
        cells.extend(figures.iter().map(|name| option(row.fragments.get(name))));
        cells
    });
    write(&header, rows)
}
